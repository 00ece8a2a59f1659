r"""Bytes of one file as a stream: decompressed, in UTF-8, cut into lines.

- Compression is known by content, never by name; several members or frames are read in turn.
- A stream that ends early gives the bytes before the cut and one finding ``STREAM_CUT``: zstd's own stream
  reader would return a shorter file without a word.
- UTF-8 and UTF-16 byte order marks are understood; lines end with ``\n``, a ``\r`` before
  it is blank space.

Tests: ``tests/formats/storage/test_streams.py``.
"""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import zstandard

from ..findings import Findings

#: A line or a whole JSON document beyond this is refused with a finding.
MAX_BYTES = 1 << 30

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLOCK = 1 << 20
# Small blocks keep what one call may inflate to bounded: at most a thousand times (deflate), far more (zstd).
_GZIP_BLOCK = 1 << 16
_ZSTD_BLOCK = 1 << 13
_ZSTD_WINDOW = 1 << 27


class Line(NamedTuple):
    """A line that is not blank; `final` if no line end follows it."""

    number: int
    data: bytes
    final: bool


class Stream:
    """The content of one file.

    Args:
        path: the file.
        name: what findings call it.
        findings: where a cut or an unreadable file is recorded.
        content: all of the content in UTF-8, where it is known already.

    Attributes:
        cut: whether the content ended before its compression said so; known when all of it has been read.
    """

    def __init__(self, path: Path, name: str, findings: Findings, content: bytes | None = None) -> None:
        self._content = content
        self.path = path
        self.name = name
        self.cut = False
        self._findings = findings

    def chunks(self) -> Iterator[bytes]:
        """Decompressed bytes in UTF-8 without a byte order mark."""
        if self._content is not None:
            yield self._content
            return
        try:
            yield from _to_utf8(_decompressed(self.path, self._broken))
        except OSError as error:
            self.cut = True
            self._findings.add("FILE_UNREADABLE", self.name, found=error.strerror or str(error))

    def lines(self) -> Iterator[Line]:
        """Lines that are not blank, numbered from 1."""
        if self._content is None and _is_plain(self.path):
            yield from self._plain_lines()
            return
        number = 1
        pending: list[bytes] = []
        size = 0
        for chunk in self.chunks():
            pieces = chunk.split(b"\n")
            if size <= MAX_BYTES:
                pending.append(pieces[0])
            size += len(pieces[0])
            if len(pieces) == 1:
                continue
            yield from self._line(number, pending, size, final=False)
            number += 1
            for piece in pieces[1:-1]:
                if len(piece) > MAX_BYTES:
                    yield from self._line(number, [], len(piece), final=False)
                elif piece and not piece.isspace():
                    yield Line(number, piece, False)
                number += 1
            pending, size = [pieces[-1]], len(pieces[-1])
        yield from self._line(number, pending, size, final=True)

    def _plain_lines(self) -> Iterator[Line]:
        """As `lines`, of a file that is neither compressed nor in UTF-16: the file's own lines are quicker."""
        try:
            with self.path.open("rb", buffering=_BLOCK) as file:
                number, rest = 0, False
                for data in iter(partial(file.readline, MAX_BYTES), b""):
                    number += not rest
                    ends = data.endswith(b"\n")
                    if rest or not (ends or len(data) < MAX_BYTES):
                        if not rest:
                            yield from self._line(number, [], MAX_BYTES + 1, final=False)
                        rest = not ends
                    elif not data.isspace():
                        line = data.removeprefix(codecs.BOM_UTF8) if number == 1 else data
                        yield Line(number, line.removesuffix(b"\n"), not ends)
        except OSError as error:
            self.cut = True
            self._findings.add("FILE_UNREADABLE", self.name, found=error.strerror or str(error))

    def _line(self, number: int, pieces: list[bytes], size: int, *, final: bool) -> Iterator[Line]:
        if size > MAX_BYTES:
            self._findings.add(
                "LINE_TOO_LONG", f"{self.name}:{number}", expected=f"at most {MAX_BYTES} bytes"
            )
            return
        data = b"".join(pieces)
        if data and not data.isspace():
            yield Line(number, data, final)

    def whole(self) -> bytes:
        """All bytes; nothing, with a finding, if there are more than `MAX_BYTES`."""
        if self._content is None and _is_plain(self.path):
            return self._plain_whole()
        parts: list[bytes] = []
        size = 0
        for chunk in self.chunks():
            size += len(chunk)
            if size > MAX_BYTES:
                self._findings.add("FILE_TOO_LARGE", self.name, expected=f"at most {MAX_BYTES} bytes")
                return b""
            parts.append(chunk)
        return b"".join(parts)

    def _plain_whole(self) -> bytes:
        """As `whole`, of a file that is neither compressed nor in UTF-16: read at once, without joining pieces."""
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_size <= MAX_BYTES:
                    return file.read().removeprefix(codecs.BOM_UTF8)
        except OSError as error:
            self.cut = True
            self._findings.add("FILE_UNREADABLE", self.name, found=error.strerror or str(error))
            return b""
        self._findings.add("FILE_TOO_LARGE", self.name, expected=f"at most {MAX_BYTES} bytes")
        return b""

    def head(self, size: int) -> bytes:
        """The first bytes, at most about `size`."""
        parts: list[bytes] = []
        for chunk in self.chunks():
            parts.append(chunk[:size])
            size -= len(chunk)
            if size <= 0:
                break
        return b"".join(parts)

    def _broken(self, why: str) -> None:
        self.cut = True
        self._findings.add("STREAM_CUT", self.name, found=why, expected="a complete compressed stream")


def read_small(path: Path, limit: int) -> bytes | None:
    """All of a file that is shorter than `limit` and plain: neither compressed nor with a byte order mark.

    Returns:
        The content in one call to the system; None if the file is another kind, or cannot be read.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            content = os.read(file, limit)
        finally:
            os.close(file)
    except OSError:
        return None
    magic = content[:4]
    plain = not (_is_gzip(magic) or _is_zstd(magic) or magic[:2] in _UTF16 or magic[:3] == codecs.BOM_UTF8)
    return content if plain and len(content) < limit else None


def _is_plain(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError:
        return False
    return not (_is_gzip(magic) or _is_zstd(magic) or magic[:2] in _UTF16)


def _is_gzip(magic: bytes) -> bool:
    return magic[:2] == b"\x1f\x8b"


def _is_zstd(magic: bytes) -> bool:
    """A frame, or a frame to be skipped."""
    return magic == b"\x28\xb5\x2f\xfd" or (magic[1:] == b"\x2a\x4d\x18" and magic[0] & 0xF0 == 0x50)


def _decompressed(path: Path, broken: Callable[[str], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        magic = file.read(4)
        file.seek(0)
        if _is_gzip(magic):
            yield from _gunzip(iter(lambda: file.read(_GZIP_BLOCK), b""), broken)
        elif _is_zstd(magic):
            yield from _unzstd(iter(lambda: file.read(_ZSTD_BLOCK), b""), broken)
        else:
            yield from iter(lambda: file.read(_BLOCK), b"")


class _Engine(Protocol):
    """One member being decompressed."""

    @property
    def unused_data(self) -> bytes:
        """What follows the member."""
        ...

    @property
    def eof(self) -> bool:
        """Whether the member reached its end."""
        ...

    def decompress(self, data: bytes, /) -> bytes:
        """The next plain bytes."""
        ...


def _gunzip(blocks: Iterator[bytes], broken: Callable[[str], None]) -> Iterator[bytes]:
    # Zero bytes after the last member are padding, as tape and block devices leave it.
    return _inflate(blocks, lambda: zlib.decompressobj(31), zlib.error, broken, kind="gzip", padding=b"\0")


def _unzstd(blocks: Iterator[bytes], broken: Callable[[str], None]) -> Iterator[bytes]:
    frames = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)

    def frame() -> _Engine:
        return frames.decompressobj()

    return _inflate(blocks, frame, zstandard.ZstdError, broken, kind="zstd")


def _inflate(
    blocks: Iterator[bytes],
    start: Callable[[], _Engine],
    failure: type[Exception],
    broken: Callable[[str], None],
    *,
    kind: str,
    padding: bytes = b"",
) -> Iterator[bytes]:
    """Decompress member after member; a member that does not reach its end is broken, however it stops."""
    engine = None
    for block in blocks:
        rest = block
        while rest and (engine is not None or (rest.strip(padding) if padding else rest)):
            engine = engine or start()
            try:
                out = engine.decompress(rest)
            except failure as error:
                broken(str(error))
                return
            if out:
                yield out
            rest = engine.unused_data if engine.eof else b""
            engine = None if engine.eof else engine
    if engine is not None:
        broken(f"{kind} data that end early")


def _to_utf8(chunks: Iterator[bytes]) -> Iterator[bytes]:
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= 3:
            break
    if first[:2] in _UTF16:
        decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        yield decoder.decode(first).encode("utf-8", "surrogatepass")
        for chunk in chunks:
            yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", True).encode("utf-8", "surrogatepass")
        return
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from chunks
