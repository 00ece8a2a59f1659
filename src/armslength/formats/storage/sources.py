"""Which files there are: folders are walked in sorted order, links that leave them are refused.

Tests: ``tests/formats/storage/test_sources.py``.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from armslength.errors import InputError

from ..findings import Findings
from .streams import Stream, read_small

_FIRST = 1 << 16
_SUFFIXES = (".gz", ".zst", ".jsonl", ".json", ".ndjson")


@dataclass(frozen=True)
class Source:
    """A file to read.

    Attributes:
        path: where it lies.
        name: its path relative to the one that was given, with ``/``; used in findings and origins.
        label: its name without suffixes, with its folder where other files have the same one.
    """

    path: Path
    name: str
    label: str

    @property
    def stem(self) -> str:
        """The file's name without its suffixes."""
        return stem(self.path.name)

    @property
    def folder(self) -> str:
        """The name of the folder that holds the file."""
        return self.path.absolute().parent.name

    def open(self, findings: Findings) -> Stream:
        """The content as a stream; a small file that was looked at is not read again."""
        return Stream(self.path, self.name, findings, self.small_content())

    def small_content(self) -> bytes | None:
        """All of the content, if it is small and nothing is wrong with it."""
        content, whole = self._first
        return content if whole else None

    def head(self, size: int = 1 << 16) -> bytes:
        """The first bytes of the content; findings come when it is read in full."""
        return self._first[0] if size <= _FIRST else Stream(self.path, self.name, Findings()).head(size)

    @cached_property
    def _first(self) -> tuple[bytes, bool]:
        """The first bytes, and whether they are all and sound."""
        content = read_small(self.path, _FIRST)
        if content is not None:
            return content, True
        wrong = Findings()  # it is found again, and counted, when the file is read
        content = Stream(self.path, self.name, wrong).head(_FIRST)
        return content, len(content) < _FIRST and not len(wrong)


def stem(name: str) -> str:
    """A file name without the suffixes of its format and its compression."""
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name


def find_sources(paths: Sequence[Path | str], findings: Findings) -> list[Source]:
    """List the files at or under the given paths.

    Args:
        paths: files and folders. Hidden files and folders inside a folder are left out.
        findings: where refused links and odd files are recorded.

    Returns:
        The files, in the order of the paths and sorted within each.

    Raises:
        InputError: a path does not exist (PATH_MISSING), or no file is there at all (INPUT_EMPTY).
    """
    given = [Path(path) for path in paths]
    for path in given:
        if not path.exists():
            raise InputError("PATH_MISSING", at=str(path), expected="a file or a folder")
    found: list[tuple[Path, str]] = []
    for path, prefix in zip(given, _prefixes(given), strict=True):
        if path.is_dir():
            found += [(file, prefix + name) for file, name in _walk(path, findings)]
        else:
            found.append((path, prefix + path.name if prefix else path.name))
    if not found:
        raise InputError(
            "INPUT_EMPTY", at=", ".join(map(str, given)), found="no files", expected="files of trajectories"
        )
    stems = [stem(path.name) for path, _ in found]
    count = Counter(stems)
    return [
        Source(path, name, own if count[own] == 1 else f"{path.absolute().parent.name}/{own}")
        for (path, name), own in zip(found, stems, strict=True)
    ]


def _prefixes(given: Sequence[Path]) -> list[str]:
    """What tells the files of several given paths apart; nothing is needed for a single one."""
    if len(given) == 1:
        return [""]
    names = [path.absolute().name for path in given]
    unique = len(set(names)) == len(names)
    folders = [name if unique else path.as_posix() for name, path in zip(names, given, strict=True)]
    return [
        f"{folder}/" if path.is_dir() else ("" if unique else f"{path.parent.as_posix()}/")
        for folder, path in zip(folders, given, strict=True)
    ]


def _walk(root: Path, findings: Findings) -> Iterator[tuple[Path, str]]:
    """Files under a folder with their names relative to it, each folder's own files first."""
    inside = root.resolve()
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            with os.scandir(root / prefix) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            findings.add("FILE_UNREADABLE", prefix or str(root), found=error.strerror or str(error))
            continue
        folders: list[str] = []
        for entry in entries:
            name = prefix + entry.name
            if entry.name.startswith("."):
                continue
            if entry.is_symlink() and (
                not _check_link(Path(entry.path), inside, root, findings) or entry.is_dir()
            ):
                continue
            if entry.is_dir():
                folders.append(f"{name}/")
            elif entry.is_file():
                yield Path(entry.path), name
            else:
                findings.add("NOT_A_FILE", name, expected="a regular file")
        waiting += reversed(folders)


def _check_link(path: Path, inside: Path, root: Path, findings: Findings) -> bool:
    """Whether a link to a file may be followed; folders behind links are never walked."""
    try:
        target = path.resolve()
        stays = target.is_relative_to(inside)
    except (OSError, RuntimeError):  # a loop of links
        stays = False
    if not stays:
        findings.add(
            "LINK_LEAVES_FOLDER", path.relative_to(root).as_posix(), expected="a link inside the folder"
        )
    elif path.is_dir():
        findings.add("LINK_TO_FOLDER", path.relative_to(root).as_posix(), expected="a folder")
    return stays
