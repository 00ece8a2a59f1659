"""Which reader a file is for, by its content.

Tests: ``tests/formats/test_recognise.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from .findings import Findings
from .protocol import Format
from .sidecars import sidecar
from .storage.outline import Outline, outline
from .storage.sources import Source

# What is looked at to know a format, in bytes and tokens; more only if the first look tells nothing.
_HEADS: Final = ((1 << 16, 1000), (1 << 22, 1 << 20))
_KEYS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Known(NamedTuple):
    """A recognised file that is one object: where it lies and which keys it has."""

    folder: str
    suffix: str
    keys: frozenset[str]


class Recogniser:
    """Finds the readers of files.

    Folders hold thousands of files of one kind: a file whose keys are those of the last one of its folder is of the
    same format.

    Args:
        readers: in the order in which they are asked.
        findings: where files that nobody reads are recorded, and notes on files that go with others.
    """

    def __init__(self, readers: Sequence[Format], findings: Findings) -> None:
        self._readers = readers
        self._findings = findings
        self._last: tuple[_Known, Format] | None = None

    def reader_of(self, source: Source) -> Format | None:
        """The reader for a file, or None with a finding or a note that says why."""
        known = _look(source)
        if known is not None and self._last is not None and self._last[0] == known:
            return self._last[1]
        reader = self._ask(source)
        if known is not None and reader is not None:
            self._last = (known, reader)
        return reader

    def _ask(self, source: Source) -> Format | None:
        reasons: list[str] = []
        for size, tokens in _HEADS:
            head = source.head(size)
            if not head.strip():
                source.open(self._findings).head(1)  # says why, if the file cannot be read
                reasons = ["no content"]
                break
            seen = outline(head, tokens=tokens)
            answers = [(reader, reader.detect(seen, source.name)) for reader in self._readers]
            for reader, why in answers:
                if why is None:
                    return reader
            if self._is_sidecar(seen, source):
                return None
            reasons = _nearest([(reader.name, why) for reader, why in answers if why])
            if len(head) < size or not seen.opening:
                break
        expected = f"one of {len(self._readers)} formats"
        self._findings.add("FORMAT_UNKNOWN", source.name, found="; ".join(reasons), expected=expected)
        return None

    def _is_sidecar(self, seen: Outline, source: Source) -> bool:
        what = sidecar(seen, source.name)
        if what is not None:
            self._findings.note("SIDECAR", f"{source.name} ({what})")
        return what is not None


def _nearest(answers: Sequence[tuple[str, str]], show: int = 3) -> list[str]:
    """The reasons that lack least; all of them would fill the screen."""
    ranked = sorted(
        answers, key=lambda answer: (not answer[1].startswith("looks like"), answer[1].count(","))
    )
    return [f"{name}: {why}" for name, why in ranked[:show]]


def _look(source: Source) -> _Known | None:
    """What a small file that is one JSON object looks like."""
    content = source.small_content()
    if content is None or content[:1] != b"{":
        return None
    try:
        keys = frozenset(_KEYS.decode(content))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    folder, _, name = source.name.rpartition("/")
    return _Known(folder, name.rpartition(".")[2], keys)
