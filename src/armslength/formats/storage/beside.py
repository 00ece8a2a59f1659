"""Files that stand beside a recorded run: how it ended, a database, a task list. Opened only if really there.

A link that leaves its own folder is refused with a finding; a file that is not there is no fault.

Tests: ``tests/formats/storage/test_beside.py``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

import msgspec

from ..findings import Findings
from .rows import read_document
from .sources import Source, stem

#: How many folders `find_nearby` looks at: the file's own and those above it.
LEVELS: Final = 5

T = TypeVar("T")


def read_beside(
    source: Source, relative: str, decoder: msgspec.json.Decoder[T], findings: Findings
) -> T | None:
    """A JSON file at a place relative to a source's folder.

    Args:
        source: the file of the run.
        relative: where the other file stands, with ``/``, such as ``../result.json``.
        decoder: for the wanted type.
        findings: where a refused link and what cannot be read are recorded.

    Returns:
        The value; None if there is no such file, or if it cannot be read.
    """
    path = source.path.absolute().parent / relative
    if not path.is_file():
        return None
    name = os.path.normpath(PurePosixPath(source.name).parent / relative)
    if path.is_symlink() and not _stays(path):
        findings.add("LINK_LEAVES_FOLDER", name, expected="a link inside the folder")
        return None
    return read_document(Source(path, name, path.name), decoder, findings)


def find_nearby(source: Source, ends: Sequence[str]) -> Source | None:
    """The nearest file with one of these relative paths, from the folder of a file upwards.

    Args:
        source: the file that is read.
        ends: relative paths such as ``db/hotel_db.json``; in a folder the first that exists counts.

    Returns:
        The file, named by its relative path; None if there is none within `LEVELS` folders. Links that
        leave their folder count as none.
    """
    folder = source.path.absolute().parent
    for here in (folder, *folder.parents)[:LEVELS]:
        for end in ends:
            path = here / end
            if path.is_file() and (not path.is_symlink() or _stays(path)):
                return Source(path, end, stem(path.name))
    return None


def _stays(path: Path) -> bool:
    return path.resolve().is_relative_to(path.parent.resolve())
