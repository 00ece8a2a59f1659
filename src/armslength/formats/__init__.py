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

from .chat import Chat
from .findings import Finding, Findings
from .interchange import SCHEMA_NAME, Interchange, Writer, schema, to_line, write, writing
from .outcomes import parse_rule
from .outline import outline
from .protocol import Format, ReadOptions
from .sources import Source, find_sources
from .summary import Summary
from .tau_bench import TauBench
from .toolbench import ToolBench

# What is looked at to know a format, in bytes and tokens; more only if the first look tells nothing.
_HEADS = ((1 << 16, 4000), (1 << 22, 1 << 20))

#: The readers, in the order in which they are asked.
FORMATS: tuple[Format, ...] = (Interchange(), TauBench(), ToolBench(), Chat())


class FileRead(NamedTuple):
    """A recognised file: its name, its format, and its trajectories as they are read."""

    name: str
    format: str
    trajectories: Iterator[Trajectory]


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
    chosen = FORMATS if options.format is None else (_named(options.format),)
    parse_rule(options.success)
    sources = find_sources([paths] if isinstance(paths, str | Path) else paths, findings)
    return _read_files(sources, chosen, options, findings)


def _read_files(
    sources: Sequence[Source], chosen: Sequence[Format], options: ReadOptions, findings: Findings
) -> Iterator[FileRead]:
    count = 0

    def counted(source: Source, reader: Format) -> Iterator[Trajectory]:
        nonlocal count
        try:
            for trajectory in reader.read(source, options, findings):
                count += 1
                yield trajectory
        except (RecursionError, MemoryError) as error:
            findings.add("FILE_UNREADABLE", source.name, found=type(error).__name__)

    for source in sources:
        reader = chosen[0] if options.format else _recognise(source, chosen, findings)
        if reader is not None:
            yield FileRead(source.name, reader.name, counted(source, reader))
    if not count:
        reasons = ", ".join(f"{code} ({n})" for code, n in sorted(findings.counts.items()))
        raise InputError(
            "NOTHING_READ",
            at=f"{len(sources)} files, such as {sources[0].name}",
            found=reasons or "no record",
            expected=f"trajectories in one of the formats {', '.join(f.name for f in FORMATS)}",
            hint="Name the format with --format if you know it.",
        )


def _named(name: str) -> Format:
    for reader in FORMATS:
        if reader.name == name:
            return reader
    raise InputError("FORMAT_NAME", found=name, expected=", ".join(reader.name for reader in FORMATS))


def _recognise(source: Source, chosen: Sequence[Format], findings: Findings) -> Format | None:
    reasons: list[str] = []
    for size, tokens in _HEADS:
        head = source.head(size)
        if not head.strip():
            source.open(findings).head(1)  # says why, if the file cannot be read
            reasons = ["no content"]
            break
        seen = outline(head, tokens=tokens)
        answers = [(reader, reader.detect(seen, source.name)) for reader in chosen]
        for reader, why in answers:
            if why is None:
                return reader
        reasons = [f"{reader.name}: {why}" for reader, why in answers] if seen.opening else ["not JSON"]
        if len(head) < size or not seen.opening:
            break
    found = "; ".join(reasons)
    findings.add("FORMAT_UNKNOWN", source.name, found=found, expected="one of the formats that were tried")
    return None


__all__ = [
    "FORMATS",
    "SCHEMA_NAME",
    "FileRead",
    "Finding",
    "Findings",
    "Format",
    "ReadOptions",
    "Source",
    "Summary",
    "Writer",
    "find_sources",
    "parse_rule",
    "read",
    "read_files",
    "schema",
    "to_line",
    "write",
    "writing",
]
