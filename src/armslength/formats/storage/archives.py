"""Members of a zip file as bytes, one at a time; nothing is ever unpacked to disk.

- Stored, deflate and zstd (method 93) members; Python's own reader lists the last kind but cannot open it.
- A member's sizes are believed only as bounds: its end, its size and its CRC are checked.
- Refused, with a finding each: encrypted members, links, names that leave the archive, members beyond
  `MAX_BYTES`, such that inflate beyond `MAX_RATIO`, and such that share bytes with the next member.
- An archive that cannot be listed (cut end, no central directory) is one finding.

Tests: ``tests/formats/storage/test_archives.py``.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, NamedTuple, Self

import zstandard

from ..findings import Findings
from .streams import MAX_BYTES

#: A large member that inflates more than this is refused: logs repeat themselves, but not so often.
MAX_RATIO: Final = 2000

_LARGE: Final = 1 << 24
_ZSTD: Final = 93
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD)
_ENCRYPTED: Final = 0x1
_LOCAL: Final = struct.Struct("<4s22xHH")
_SIGNATURE: Final = b"PK\x03\x04"
# Small blocks keep what one call may inflate to bounded.
_ZSTD_BLOCK: Final = 1 << 13
_ZSTD_WINDOW: Final = 1 << 27


class Member(NamedTuple):
    """A file of an archive."""

    name: str
    size: int
    data: bytes


class Archive:
    """A zip file, open for reading.

    Args:
        path: the file.
        name: what findings call it.
        findings: where refused and broken members, and a broken archive, are recorded.

    Attributes:
        names: the members that may be read, in the order of the central directory; folders are left out.
    """

    def __init__(self, path: Path, name: str, findings: Findings) -> None:
        self.name = name
        self._findings = findings
        self._file: BinaryIO | None = None
        self._infos: dict[str, zipfile.ZipInfo] = {}
        try:
            self._file = path.open("rb")
            with zipfile.ZipFile(self._file) as listed:
                infos = listed.infolist()
        except OSError as error:
            findings.add("FILE_UNREADABLE", name, found=error.strerror or str(error))
            infos = []
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, OverflowError) as error:
            findings.add("ARCHIVE_BROKEN", name, found=str(error), expected="a whole zip file")
            infos = []
        ends = _bounds(infos, path)
        for info in infos:
            self._list(info, ends[info.header_offset])

    @property
    def names(self) -> tuple[str, ...]:
        """The members that may be read."""
        return tuple(self._infos)

    def members(self) -> Iterator[Member]:
        """Every member in turn; one that is broken is a finding, and the next ones follow."""
        for name, info in self._infos.items():
            data = self.read(name)
            if data is not None:
                yield Member(name, info.file_size, data)

    def read(self, name: str) -> bytes | None:
        """The bytes of a member; None if there is none, or with a finding if it is broken."""
        info = self._infos.get(name)
        if info is None or self._file is None:
            return None
        try:
            data = _inflated(_stored(self._file, info), info)
        except OSError as error:
            self._broken(name, error.strerror or str(error))
        except (ValueError, OverflowError, zlib.error, zstandard.ZstdError, MemoryError) as error:
            self._broken(name, str(error) or type(error).__name__)
        else:
            if zlib.crc32(data) == info.CRC:
                return data
            self._broken(name, "another CRC than the archive states")
        return None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _list(self, info: zipfile.ZipInfo, end: int) -> None:
        name = info.filename
        if name.endswith("/") and not info.file_size and "\0" not in info.orig_filename:
            return
        why = _refusal(info, end)
        if why is not None:
            self._findings.add("MEMBER_REFUSED", f"{self.name}:{name}", found=why[0], expected=why[1])
            return
        if name in self._infos:
            self._findings.add(
                "MEMBER_REPEATED", f"{self.name}:{name}", expected="each name once; the last one was taken"
            )
            del self._infos[name]
        self._infos[name] = info

    def _broken(self, name: str, why: str) -> None:
        self._findings.add("MEMBER_BROKEN", f"{self.name}:{name}", found=why, expected="a whole member")


def _bounds(infos: Sequence[zipfile.ZipInfo], path: Path) -> dict[int, int]:
    """Where the next member begins, for each place where one begins; at last the end of the file."""
    starts = sorted((info.header_offset for info in infos), reverse=True)
    return dict(zip(starts, [path.stat().st_size, *starts], strict=False)) if starts else {}


def _refusal(info: zipfile.ZipInfo, end: int) -> tuple[str, str] | None:
    """Why a member is not read (found, expected), or None; its bytes must end before `end`."""
    parts = info.filename.replace("\\", "/").split("/")
    size, stored = info.file_size, info.compress_size
    leaves = ".." in parts or not parts[0] or ":" in parts[0][:2]
    checks = (
        (leaves, "a name that leaves the archive", "a relative name without .."),
        ("\0" in info.orig_filename, "a name with a NUL", "a name that does not end early"),
        (info.flag_bits & _ENCRYPTED, "an encrypted member", "a member without a password"),
        (stat.S_ISLNK(info.external_attr >> 16), "a link", "a regular file"),
        (
            info.compress_type not in _METHODS,
            f"compression method {info.compress_type}",
            "stored, deflate (8) or zstd (93)",
        ),
        (max(size, stored) > MAX_BYTES, f"{size} bytes", f"at most {MAX_BYTES} bytes"),
        (
            size > _LARGE and size > MAX_RATIO * max(stored, 1),
            f"{size} bytes in {stored}",
            f"at most {MAX_RATIO} times as many",
        ),
        (
            info.header_offset + _LOCAL.size + stored > end,
            "more bytes than there are before the next member",
            "members one after the other",
        ),
    )
    return next(((found, expected) for refused, found, expected in checks if refused), None)


def _stored(file: BinaryIO, info: zipfile.ZipInfo) -> bytes:
    """A member's bytes as they stand in the archive, found by its own header."""
    file.seek(info.header_offset)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != _SIGNATURE:
        raise ValueError("no member where the archive says that it begins")
    _, name_length, extra_length = _LOCAL.unpack(header)
    file.seek(name_length + extra_length, 1)
    data = file.read(info.compress_size)
    if len(data) < info.compress_size:
        raise ValueError("the archive ends inside the member")
    return data


def _inflated(stored: bytes, info: zipfile.ZipInfo) -> bytes:
    size, ended = info.file_size, True
    if info.compress_type == zipfile.ZIP_STORED:
        data = stored
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        engine = zlib.decompressobj(-zlib.MAX_WBITS)
        data = engine.decompress(stored, size + 1)
        ended = engine.eof
    else:
        data, ended = _unzstd(stored, size)
    if len(data) > size:
        raise ValueError(f"more than the {size} bytes that the archive states")
    if not ended or len(data) < size:
        raise ValueError("compressed data that end early")
    return data


def _unzstd(stored: bytes, size: int) -> tuple[bytes, bool]:
    """Plain bytes, at most about `size`, and whether the frame reached its end."""
    engine = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
    parts: list[bytes] = []
    total = 0
    for start in range(0, len(stored), _ZSTD_BLOCK):
        part = engine.decompress(stored[start : start + _ZSTD_BLOCK])
        parts.append(part)
        total += len(part)
        if engine.eof or total > size:
            break
    return b"".join(parts), engine.eof
