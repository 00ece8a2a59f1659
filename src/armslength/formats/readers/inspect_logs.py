"""The two shapes of Inspect logs, as a header and samples one by one.

- ``.eval``: a zip with one member a sample, or one folder a sample (chunks); read member by member.
- ``.json``: one document. Both are also read where the run died: without a header, without samples, torn.

Tests: ``tests/formats/readers/test_inspect_ai.py``. Reference: ``docs/reference/formats/inspect.md``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from ..findings import Findings
from ..storage.archives import Archive
from ..storage.members import report_repeated_members, without_values
from ..storage.rows import Row, decode, read_keyed_rows, read_rows
from ..storage.sources import Source
from .inspect_messages import InspectMessage, Resolve
from .inspect_samples import Sample, read_sample, report_message_repeats

T = TypeVar("T")

#: A conversation of more messages is refused: a chunked sample could list its messages again and again.
MAX_MESSAGES: Final = 1 << 20

_SAMPLE_NAME: Final = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)


class Header(msgspec.Struct):
    """What a log says about its run."""

    status: Any = None
    eval: Any = None


class Stored(NamedTuple):
    """A sample, the place where it stands, how its attachments are found, and the calls that agents answered."""

    row: Row
    sample: Sample
    resolve: Resolve
    by_agents: frozenset[str] = frozenset()


class _Document(msgspec.Struct):
    status: Any = None
    eval: Any = None
    samples: list[msgspec.Raw] | None = None


_HEADER: Final = msgspec.json.Decoder(Header)
_DOCUMENT: Final = msgspec.json.Decoder(_Document)
_MESSAGES: Final = msgspec.json.Decoder(list[InspectMessage])
_TEXTS: Final = msgspec.json.Decoder(list[str])
_ANY: Final = msgspec.json.Decoder(Any)


class ZipLog:
    """An ``.eval`` file, open for reading."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self._archive = Archive(source.path, source.name, findings)
        self._findings = findings

    def __enter__(self) -> ZipLog:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def header(self) -> Header:
        """The header, else what the journal says of the start; status ``started`` if the run died before its end."""
        for name in ("header.json", "_journal/start.json"):
            header = self._decoded(name, _HEADER)
            if header is not None:
                header.status = header.status if name == "header.json" else "started"
                return header
        if self._archive.names:
            at = self._archive.name
            self._findings.add("ROW_INVALID", at, found="no header.json", expected="a header or a journal")
        return Header()

    def samples(self) -> Iterator[Stored]:
        """Samples in the order of the archive, each read when it is asked for."""
        names = [name for name in self._archive.names if _SAMPLE_NAME.fullmatch(name)]
        chunked = any(name.endswith("/sample.json") for name in names)
        chunks = _chunks(self._archive.names) if chunked else {}
        for index, name in enumerate(names):
            row = self._row(name)
            read = None if row is None else read_sample(row, self._findings)
            if row is None or read is None:
                continue
            sample, by_agents = read
            row = Row(index, row.at, b"")
            folder = name.removesuffix("sample.json")
            if folder == name:
                yield Stored(row, sample, partial(_attachment, sample), by_agents)
            elif self._assemble(sample, folder, chunks, row.at):
                yield Stored(row, sample, self._chunked_attachments(folder, chunks))

    def _decoded(self, name: str, decoder: msgspec.json.Decoder[T]) -> T | None:
        row = self._row(name)
        return None if row is None else decode(row, decoder, self._findings)

    def _row(self, name: str) -> Row | None:
        data = self._archive.read(name)
        return None if data is None else Row(0, f"{self._archive.name}:{name}", data)

    def _assemble(self, sample: Sample, folder: str, chunks: dict[str, list[int]], at: str) -> bool:
        """Give a chunked sample its messages; False, with a finding, if one of them is missing."""
        loaded: dict[int, list[InspectMessage]] = {}
        starts = chunks.get(f"{folder}messages", [])
        sample.messages = []
        if sum(max(end - first, 0) for first, end in sample.message_refs or ()) > MAX_MESSAGES:
            self._findings.add("TOO_MANY_MESSAGES", at, expected=f"at most {MAX_MESSAGES} messages")
            return False
        for first, end in sample.message_refs or ():
            for index in range(first, end):
                place = bisect_right(starts, index) - 1
                start = starts[place] if place >= 0 else -1
                if start not in loaded:
                    loaded[start] = self._chunk(f"{folder}messages/{start}.json")
                if not 0 <= index - start < len(loaded[start]):
                    self._findings.add(
                        "MESSAGES_MISSING", at, found=f"no message {index}", expected="a chunk that holds it"
                    )
                    return False
                sample.messages.append(copy(loaded[start][index - start]))
        sample.metadata = self._decoded(f"{folder}metadata.json", _ANY)
        return True

    def _chunk(self, name: str) -> list[InspectMessage]:
        row = self._row(name)
        messages = None if row is None else decode(row, _MESSAGES, self._findings)
        if row is None or messages is None:
            return []
        report_message_repeats(row, messages, self._findings)
        return messages

    def _chunked_attachments(self, folder: str, chunks: dict[str, list[int]]) -> Resolve:
        loaded: dict[int, list[str]] = {}
        starts = chunks.get(f"{folder}attachments", [])

        def resolve(key: str) -> str | None:
            index = int(key) if key.isdecimal() and len(key) < 10 else -1
            place = bisect_right(starts, index) - 1
            if place < 0:
                return None
            start = starts[place]
            if start not in loaded:
                loaded[start] = self._decoded(f"{folder}attachments/{start}.json", _TEXTS) or []
            return loaded[start][index - start] if index - start < len(loaded[start]) else None

        return resolve


class JsonLog:
    """A ``.json`` log."""

    def __init__(self, source: Source, findings: Findings) -> None:
        self._source = source
        self._findings = findings
        self._document: _Document | None = None
        quiet = Findings()
        data = source.open(quiet).whole()
        try:
            self._document = _DOCUMENT.decode(data)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            # Torn, or NaN somewhere: read again, slowly and with findings, that of the samples' key among them.
            report_repeated_members(data, ("status", "eval"), source.name, findings)
            return
        for item in quiet.items:
            findings.add(item.code, item.at, found=item.found, expected=item.expected)
        rest = without_values(data, "samples", self._document.samples or ())
        report_repeated_members(rest, ("status", "eval", "samples"), source.name, findings)

    def header(self) -> Header:
        """What the log says about its run, also if it is torn after that."""
        if self._document is not None:
            return Header(self._document.status, self._document.eval)
        header = Header()
        for key, row in read_keyed_rows(self._source, Findings()):
            if key in ("status", "eval"):
                setattr(header, key, decode(row, _ANY, self._findings))
        return header

    def samples(self) -> Iterator[Stored]:
        """Samples in the order of the document."""
        for row in self._rows():
            read = read_sample(row, self._findings)
            if read is not None:
                yield Stored(row, read.sample, partial(_attachment, read.sample), read.by_agents)

    def _rows(self) -> Iterator[Row]:
        if self._document is None:
            yield from read_rows(self._source, self._findings, inside="samples")
            return
        for index, raw in enumerate(self._document.samples or ()):
            yield Row(index, f"{self._source.name}[{index}]", raw)


def _attachment(sample: Sample, key: str) -> str | None:
    """An attachment of a sample that is stored in one piece; old logs keep them in the transcript."""
    for held in (sample.attachments, sample.transcript.content if sample.transcript else None):
        if isinstance(held, dict) and isinstance(held.get(key), str):
            return str(held[key])
    return None


def _chunks(names: tuple[str, ...]) -> dict[str, list[int]]:
    """The first indexes of the chunks of each sequence, in order."""
    found: dict[str, list[int]] = {}
    for name in names:
        folder, _, file = name.rpartition("/")
        start = file.removesuffix(".json")
        if start.isdecimal() and len(start) < 10:
            found.setdefault(folder, []).append(int(start))
    return {folder: sorted(starts) for folder, starts in found.items()}
