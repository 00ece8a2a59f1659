"""Files of recorded runs as trajectories: one module a format.

- A file's format is known by its content; a file that nobody recognises is a finding that says why.
- A bad row is a located finding and the run goes on; any bytes give trajectories or findings, never a
  traceback (``tests/formats/test_any_bytes.py``).
- Records in = trajectories out + findings (``tests/formats/test_read.py``).
- Formats only mark terminal turns; nothing is dropped here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from armslength.errors import InputError
from armslength.records import Trajectory

from .canonical import canonical, digest, parse
from .findings import Finding, Findings
from .messages import TERMINAL_TOKENS
from .outcomes import parse_rule
from .protocol import Format, ReadOptions
from .readers.interchange import SCHEMA_NAME, Writer, schema, to_line, write, writing
from .readers.tau2_join import has_sign, user_signs
from .readers.tau2_tasks import tau2_definition
from .readers.tau_bench import tau_definition
from .recognise import Recogniser
from .registry import format_named, formats
from .rewards import RewardTable
from .runs import Label, Run, fields_of, to_trajectories
from .storage.beside import find_nearby
from .storage.outline import Outline
from .storage.rows import Row, decode, read_lines, read_rows
from .storage.sources import Source, find_sources
from .summary import Summary


class FileRead(NamedTuple):
    """A recognised file: its name, its format, its trajectories as they are read, and where it lies."""

    name: str
    format: str
    trajectories: Iterator[Trajectory]
    path: Path


def read(
    paths: Sequence[Path | str] | Path | str,
    options: ReadOptions | None = None,
    findings: Findings | None = None,
) -> Iterator[Trajectory]:
    """Read files and folders, one trajectory at a time.

    Args:
        paths: files and folders; folders are walked in sorted order.
        options: what the caller says about the input.
        findings: collects what is wrong; a new one that nobody sees if None.

    Returns:
        Trajectories in the order of the files and of the records in them.

    Raises:
        InputError: a path is missing (PATH_MISSING), a folder holds no file (INPUT_EMPTY), no file could be
            read (NOTHING_READ, while iterating), an option is wrong (FORMAT_NAME, SUCCESS_RULE), or anything
            at all is wrong under ``strict``.
    """
    files = read_files(paths, options, findings)
    return (trajectory for file in files for trajectory in file.trajectories)


def read_files(
    paths: Sequence[Path | str] | Path | str,
    options: ReadOptions | None = None,
    findings: Findings | None = None,
) -> Iterator[FileRead]:
    """As `read`, file by file.

    Args:
        paths: files and folders.
        options: what the caller says about the input.
        findings: collects what is wrong.

    Returns:
        The recognised files; each one's trajectories are to be taken before the next file is.

    Raises:
        InputError: as `read`.
    """
    options = options or ReadOptions()
    findings = findings if findings is not None else Findings()
    findings.strict |= options.strict
    readers = formats() if options.format is None else (format_named(options.format),)
    parse_rule(options.success)
    sources = find_sources([paths] if isinstance(paths, str | Path) else paths, findings)
    return _read_files(sources, readers, options, findings)


def _read_files(
    sources: Sequence[Source], readers: Sequence[Format], options: ReadOptions, findings: Findings
) -> Iterator[FileRead]:
    count = 0
    recogniser = Recogniser(readers, findings)

    def counted(source: Source, reader: Format) -> Iterator[Trajectory]:
        nonlocal count
        attempts: dict[tuple[str, str, int], int] = {}
        try:
            for trajectory in reader.read(source, options, findings):
                count += 1
                _check_attempt(trajectory, attempts, findings)
                yield trajectory
        except (RecursionError, MemoryError) as error:
            findings.add("FILE_UNREADABLE", source.name, found=type(error).__name__)

    for listed in sources:
        source = Source(
            listed.path, listed.name, listed.label
        )  # keeps the first bytes of this file only while it is read
        reader = readers[0] if options.format else recogniser.reader_of(source)
        if reader is not None:
            yield FileRead(source.name, reader.name, counted(source, reader), source.path)
    if not count:
        reasons = ", ".join(f"{code} ({n})" for code, n in sorted((findings.counts + findings.notes).items()))
        raise InputError(
            "NOTHING_READ",
            at=f"{len(sources)} files, such as {sources[0].name}",
            found=reasons or "no record",
            expected=f"trajectories in one of the formats {', '.join(f.name for f in readers)}",
            hint="Name the format with --format if you know it.",
        )


def _check_attempt(
    trajectory: Trajectory, attempts: dict[tuple[str, str, int], int], findings: Findings
) -> None:
    """An attempt that a file holds twice is a finding unless it is word for word the same."""
    if trajectory.trial is None:
        return
    # By the task's own name in the file: two tasks with the same text share a key, and each has its trials.
    origin = trajectory.origin
    task = (origin.task_id if origin else None) or trajectory.task
    key = (trajectory.policy, task, trajectory.trial)
    content = hash(trajectory.turns)
    if attempts.setdefault(key, content) != content:
        at = origin.at if origin else trajectory.id
        findings.add(
            "ATTEMPT_CONFLICT",
            at,
            found=f"trial {trajectory.trial} of a task again",
            expected="one record each",
        )


__all__ = [
    "SCHEMA_NAME",
    "TERMINAL_TOKENS",
    "FileRead",
    "Finding",
    "Findings",
    "Format",
    "Label",
    "Outline",
    "ReadOptions",
    "RewardTable",
    "Row",
    "Run",
    "Source",
    "Summary",
    "Writer",
    "canonical",
    "decode",
    "digest",
    "fields_of",
    "find_nearby",
    "find_sources",
    "format_named",
    "formats",
    "has_sign",
    "parse",
    "parse_rule",
    "read",
    "read_files",
    "read_lines",
    "read_rows",
    "schema",
    "tau2_definition",
    "tau_definition",
    "to_line",
    "to_trajectories",
    "user_signs",
    "write",
    "writing",
]
