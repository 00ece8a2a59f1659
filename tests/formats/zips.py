"""Zip files for tests, byte by byte: the standard library of these versions writes no zstd members."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import NamedTuple

import zstandard

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")


class Entry(NamedTuple):
    """A member, with what its headers say where that is not the truth."""

    name: str
    content: bytes
    method: int = 93
    flags: int = 0
    size: int | None = None
    crc: int | None = None
    attributes: int = 0
    stored: bytes | None = None
    offset: int | None = None


def zip_of(entries: Iterable[Entry]) -> bytes:
    """An archive of these members."""
    body, directory, count = b"", b"", 0
    for entry in entries:
        stored = entry.stored if entry.stored is not None else _compressed(entry)
        crc = zlib.crc32(entry.content) if entry.crc is None else entry.crc
        size = len(entry.content) if entry.size is None else entry.size
        name = entry.name.encode()
        fields = (entry.flags, entry.method, 0, 0, crc, len(stored), size, len(name), 0)
        offset = len(body) if entry.offset is None else entry.offset
        body += _LOCAL.pack(b"PK\x03\x04", 20, *fields) + name + stored
        directory += (
            _CENTRAL.pack(b"PK\x01\x02", 20 | 3 << 8, 20, *fields, 0, 0, 0, entry.attributes, offset) + name
        )
        count += 1
    end = _END.pack(b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end


def _compressed(entry: Entry) -> bytes:
    if entry.method == 93:
        return zstandard.compress(entry.content)
    if entry.method == 8:
        engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        return engine.compress(entry.content) + engine.flush()
    return entry.content
