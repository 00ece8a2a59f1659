"""The members of a JSON object that is a whole file: where they stand, and keys that stand twice.

A decoder keeps the last member of a key and says nothing of the others, be they all the runs of a file.

Tests: ``tests/formats/storage/test_members.py``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import msgspec

from ..findings import Findings

_BLANK: Final = re.compile(r"[ \t\r\n,]*")
_COLON: Final = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*")
_OPENS: Final = re.compile(rb"\[[ \t\r\n]*")
_BETWEEN: Final = (b" ", b"\t", b"\r", b"\n", b",")
_COMPARED: Final = 256
_RAW_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _harmless(_: str) -> int:
    return 0


#: Reads a value at a position for its extent alone: numbers are not converted, so long digits are no obstacle.
scan: Final = json.JSONDecoder(
    strict=False, parse_int=_harmless, parse_float=_harmless, parse_constant=_harmless
).raw_decode


def skip(text: str, position: int) -> int:
    """The position after blanks and commas."""
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def is_all(data: bytes, members: Collection[tuple[str, msgspec.Raw]]) -> bool:
    """Whether members make up the whole object: a decoder keeps only the last of those with one key.

    Blanks do not count, and are left out of texts, too, on both sides.
    """
    if len(data) == sum(len(key.encode("utf-8", "surrogatepass")) + len(raw) + 4 for key, raw in members) + 1:
        return True  # nothing stands between them

    def size(part: bytes) -> int:
        return len(part.translate(None, b" \t\r\n"))

    inner = sum(size(key.encode("utf-8", "surrogatepass")) + size(bytes(raw)) + 4 for key, raw in members)
    return size(data) == inner + 1 + (not members)


def find_members(text: str) -> Iterator[tuple[str, int]]:
    """Keys of an object, each with the position of its value, up to the object's end or its tear."""
    position = skip(text, 0) + 1
    try:
        while text[skip(text, position)] != "}":
            key, position = scan(text, skip(text, position))
            position = skip(text, position)
            if not isinstance(key, str) or text[position] != ":":
                return
            position = skip(text, position + 1)
            yield key, position
            _, position = scan(text, position)
    except (ValueError, RecursionError, IndexError):
        return


def report_repeated_members(data: bytes, keys: Collection[str], at: str, findings: Findings) -> None:
    """Look for members of a file's object that stand twice, torn or not.

    Args:
        data: the file.
        keys: whose members must not be hidden by a second one.
        at: what findings call the file.
        findings: where repeated keys are recorded (DUPLICATE_KEY).
    """
    if all(data.count(f'"{key}"'.encode()) < 2 for key in keys):
        return
    try:
        if is_all(data, _RAW_OBJECT.decode(data).items()):
            return
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    counts = Counter(key for key, _ in find_members(data.decode("utf-8", "replace")))
    for key in keys:
        if counts[key] > 1:
            findings.add("DUPLICATE_KEY", at, found=key, expected="each key once; the last one was taken")


def without_values(data: bytes, key: str, values: Sequence[msgspec.Raw]) -> bytes:
    """The bytes of an object without the values of the list under a key, which need not be searched then.

    Args:
        data: the object.
        key: of the list.
        values: what a decoder gave for it.

    Returns:
        The object with an empty list there; as it is, if the list is not found.
    """
    if not values:
        return data
    first, last, lengths = bytes(values[0]), bytes(values[-1]), [len(value) for value in values]
    for start in _after_key(data, key):
        opened = _OPENS.match(data, start)
        if opened is None or not data.startswith(first, opened.end()):
            continue
        before = position = opened.end()
        for length in lengths:  # those between the first and the last are known by their lengths
            before, position = position, position + length
            while data[position : position + 1] in _BETWEEN:
                position += 1
        if data.startswith(last, before) and data[position : position + 1] == b"]":
            return data[:start] + b"[" + data[position:]
    return data


def without_value(data: bytes, key: str, value: msgspec.Raw) -> bytes:
    """The bytes of an object with null in place of a long value under a key; as they are, if it is not found.

    The value is known by its length, its beginning and its end: to compare all of it would cost a copy.
    """
    view, length = memoryview(value), len(value)
    opens, closes = bytes(view[:_COMPARED]), bytes(view[-_COMPARED:])
    for start in _after_key(data, key):
        end = start + length
        if data.startswith(opens, start) and data.endswith(closes, start, end):
            return data[:start] + b"null" + data[end:]
    return data


def _after_key(data: bytes, key: str) -> Iterator[int]:
    """Where values of a key begin, at any depth."""
    name = f'"{key}"'.encode()
    found = data.find(name)
    while found >= 0:
        colon = _COLON.match(data, found + len(name))
        if colon is not None:
            yield colon.end()
        found = data.find(name, found + 1)
