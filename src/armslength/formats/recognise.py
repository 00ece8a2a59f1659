"""Which reader a file is for, by its content.

Tests: ``tests/formats/test_recognise.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from .findings import Findings
from .outline import Outline, outline
from .protocol import Format
from .sidecars import sidecar
from .sources import Source

# What is looked at to know a format, in bytes and tokens; more only if the first look tells nothing.
_HEADS: Final = ((1 << 16, 1000), (1 << 22, 1 << 20))


class Recogniser:
    """Finds the readers of files; the reader of a folder's last file is asked first for the next one.

    Args:
        readers: in the order in which they are asked.
        findings: where files that nobody reads are recorded, and notes on files that go with others.
    """

    def __init__(self, readers: Sequence[Format], findings: Findings) -> None:
        self._readers = readers
        self._findings = findings
        self._last: tuple[tuple[str, str], Format] | None = None

    def reader_of(self, source: Source) -> Format | None:
        """The reader for a file, or None with a finding or a note that says why."""
        reasons: list[str] = []
        path = PurePosixPath(source.name)
        place = (str(path.parent), path.suffix)
        for size, tokens in _HEADS:
            head = source.head(size)
            if not head.strip():
                source.open(self._findings).head(1)  # says why, if the file cannot be read
                reasons = ["no content"]
                break
            seen = outline(head, tokens=tokens)
            if self._last and self._last[0] == place and self._last[1].detect(seen, source.name) is None:
                return self._last[1]
            answers = [(reader, reader.detect(seen, source.name)) for reader in self._readers]
            for reader, why in answers:
                if why is None:
                    self._last = (place, reader)
                    return reader
            if self._is_sidecar(seen, source):
                return None
            reasons = [f"{reader.name}: {why}" for reader, why in answers]
            if len(head) < size or not seen.opening:
                break
        found, expected = "; ".join(reasons), "one of the formats that were tried"
        self._findings.add("FORMAT_UNKNOWN", source.name, found=found, expected=expected)
        return None

    def _is_sidecar(self, seen: Outline, source: Source) -> bool:
        what = sidecar(seen, source.name)
        if what is not None:
            self._findings.note("SIDECAR", f"{source.name} ({what})")
        return what is not None
