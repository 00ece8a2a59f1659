"""Reading input files: one JSON document each, no key twice, every fault with its file and place.

Quick for files that are what the format says (typed decoding), exact for all others (the standard reader).
"""

from __future__ import annotations

import json
import os
import re
import stat
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from .findings import Finding
from .names import Profile
from .rows import LAYOUTS, Document, Layout

MAX_BYTES = 2_000_000_000
_PLAIN_KEY = re.compile(r"[a-z_]{1,60}")  # what a key of the format looks like, and no secret
_MAX_DEPTH = 500  # deeper than any sensible row, and well below what the interpreter's stack carries


class LoadError(Exception):
    """A file cannot be read; carries the finding."""

    def __init__(self, code: str, shown: str, message: str) -> None:
        self.finding = Finding(code, "input_floor", "input_file", shown, message, place=shown)
        super().__init__(message)


def load_document(path: Path, shown: str, *, profile: Profile) -> Document:
    """Read one input file.

    Args:
        path: the file; the name decides how its rows are read.
        shown: how messages name it.
        profile: ``strict`` follows no link.

    Returns:
        The decoded document; NaN and infinities are kept, they are for the checks to refuse.

    Raises:
        LoadError: absent, a folder, a link (strict), not UTF-8, not JSON, a key twice, nested too deeply.
    """
    raw = read_bytes(path, shown, follow_links=profile == "reference")
    document = decode_document(raw, path, shown)
    document.hides = profile == "strict"
    return document


def decode_document(raw: bytes, path: Path, shown: str) -> Document:
    """The same from bytes that were read already."""
    layout = LAYOUTS.get(path.name)
    document = Document(path.name, path, shown, raw=raw)
    if layout is None or not _decode_typed(document, layout):
        _decode_exactly(document, layout)
    return document


def read_bytes(path: Path, shown: str, *, follow_links: bool) -> bytes:
    """The bytes of a regular file.

    Raises:
        LoadError: INPUT_MISSING, INPUT_NOT_A_FILE, INPUT_IS_LINK, INPUT_TOO_LARGE, INPUT_UNREADABLE.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | (0 if follow_links else getattr(os, "O_NOFOLLOW", 0))
    try:
        if not follow_links and path.is_symlink():
            raise LoadError("INPUT_IS_LINK", shown, "is a link; links are not followed")
        handle = os.open(path, flags)
    except FileNotFoundError:
        raise LoadError("INPUT_MISSING", shown, "there is no such file") from None
    except (OSError, ValueError) as error:
        raise LoadError("INPUT_UNREADABLE", shown, getattr(error, "strerror", None) or "bad name") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise LoadError("INPUT_NOT_A_FILE", shown, "is no regular file")
        if status.st_size > MAX_BYTES:
            raise LoadError("INPUT_TOO_LARGE", shown, f"{status.st_size} bytes, at most {MAX_BYTES}")
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read()
    except OSError as error:
        raise LoadError("INPUT_UNREADABLE", shown, error.strerror or "cannot be read") from None
    finally:
        os.close(handle)


def decode_exactly(raw: bytes, shown: str) -> Any:
    """One JSON document with the standard reader: NaN accepted, a key twice refused at any depth.

    Raises:
        LoadError: INPUT_NOT_UTF8, INPUT_NOT_JSON, INPUT_DUPLICATE_KEY, INPUT_TOO_DEEP.
    """
    try:
        content = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise LoadError("INPUT_NOT_UTF8", shown, f"line {line}: byte {error.start} is not UTF-8") from None
    try:
        value = json.loads(content, object_pairs_hook=_unique)
    except _RepeatedKeyError as error:
        raise LoadError("INPUT_DUPLICATE_KEY", shown, f"an object names a key twice: {error}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise LoadError("INPUT_NOT_JSON", shown, f"{place}: {error.msg}") from None
    except ValueError:  # an integer of more digits than the interpreter turns into a number
        raise LoadError("INPUT_NOT_JSON", shown, "a number has too many digits") from None
    except RecursionError:
        raise LoadError("INPUT_TOO_DEEP", shown, "nested too deeply") from None
    if _depth_exceeds(value, _MAX_DEPTH):
        raise LoadError("INPUT_TOO_DEEP", shown, f"nested more than {_MAX_DEPTH} deep")
    return value


def _decode_typed(document: Document, layout: Layout) -> bool:
    """Decode with the format's own fields; False where anything departs from them.

    The typed reader keeps the last of two equal keys. A key that was dropped so leaves one colon more in the
    text than in what is written back, unless a colon is escaped.
    """
    raw = document.raw
    try:
        file = _decoder(layout.key).decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    if _colons(raw) != _colons(msgspec.json.encode(file)) or (b"\\" in raw and b"\\u003" in raw):
        return False
    document.rows = file.rows
    document.plain = raw.isascii() and b"\\" not in raw and b"\x7f" not in raw
    return True


def _colons(data: bytes) -> int:
    """How many colons; `bytes.count` is slow where there are many."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord(":")))


@cache
def _decoder(key: str) -> msgspec.json.Decoder[Any]:
    row = next(layout.row for layout in LAYOUTS.values() if layout.key == key)
    rows: Any = list[row]  # type: ignore[valid-type]
    file = msgspec.defstruct(key, [("rows", rows)], rename={"rows": key}, forbid_unknown_fields=True)
    return msgspec.json.Decoder(file)


def _decode_exactly(document: Document, layout: Layout | None) -> None:
    value = decode_exactly(document.raw, document.shown)
    document.value = value
    if layout is None:
        return
    items = value.get(layout.key) if isinstance(value, dict) else None
    document.list_found = isinstance(items, list)
    document.top = {k: v for k, v in value.items() if k != layout.key} if isinstance(value, dict) else {}
    fields, document.places = set(layout.row.__struct_fields__), []
    for place, item in enumerate(items if isinstance(items, list) else []):
        if not isinstance(item, dict):
            document.odd.append(place)
            continue
        extra = {key: item[key] for key in item if key not in fields}
        if extra:
            document.extras[len(document.rows)] = extra
        document.rows.append(layout.row(**{key: item[key] for key in item if key in fields}))
        document.places.append(place)


class _RepeatedKeyError(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(key if _PLAIN_KEY.fullmatch(key) else "not shown")
            seen.add(key)
    return found


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            child
            for node in level
            if isinstance(node, dict | list)
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
