"""Receipts as bytes and as files: sorted keys, nothing that the scan objects to, replaced in one step."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from armslength.files import replacing, write_bytes

from .scan import forbidden_kinds

UNDATED = b"0000-00-00T00:00:00Z"
_WITHHELD = "[withheld]"
_BIG = 4_000_000  # bytes from which receipts are written without indentation


def encode(value: Any) -> bytes:
    """JSON with sorted keys; what the scan objects to is withheld; indented unless it is big."""
    try:
        data = msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:  # a lone surrogate is no UTF-8
        data = msgspec.json.encode(_printable(msgspec.to_builtins(value)), order="sorted")
    if forbidden_kinds(data):
        data = msgspec.json.encode(_withhold(msgspec.json.decode(data)), order="sorted")
    return data if len(data) > _BIG else msgspec.json.format(data, indent=2)


def _withhold(value: Any) -> Any:
    """The value with every text that holds a secret or a sentinel replaced."""
    if isinstance(value, str):
        return _WITHHELD if forbidden_kinds(value.encode("utf-8", "surrogatepass")) else value
    if isinstance(value, dict):
        return {_withhold(key): _withhold(item) for key, item in value.items()}
    return [_withhold(item) for item in value] if isinstance(value, list) else value


def _printable(value: Any) -> Any:
    """The value with lone surrogates written as the escapes that they came from."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list | tuple) else value


def write_dated(path: Path, data: bytes) -> None:
    """Write with the current time; leave a file alone in which nothing but the time would change."""
    at = data.index(UNDATED, data.index(b'"created_at":'))
    head, tail = memoryview(data)[:at], memoryview(data)[at + len(UNDATED) :]
    if path.is_file() and path.stat().st_size == len(data) + 1:
        old = memoryview(path.read_bytes())
        if old[:at] == head and old[at + len(UNDATED) : -1] == tail:
            return
    with replacing(path) as stream:
        for part in (head, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode(), tail, b"\n"):
            stream.write(part)


def write_page(path: Path, page: str) -> None:
    """Write a page, unless the scan objects to something in it: then a page that only says so."""
    kinds = forbidden_kinds(page.encode("utf-8", "backslashreplace"))
    if kinds:
        page = f"<!doctype html><title>withheld</title><p>This page was withheld: it would show {', '.join(kinds)}."
    write_bytes(path, page.encode("utf-8", "backslashreplace"))
