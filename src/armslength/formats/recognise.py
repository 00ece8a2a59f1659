"""Which reader a file is for, by its content.

Tests: ``tests/formats/test_recognise.py``.
"""

from __future__ import annotations

import re
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


#: A name in plain quotes before a colon is a key: in a JSON text the quotes of a text's own words are escaped.
_NAME: Final = re.compile(rb'"([A-Za-z_][\w-]*)" ?:')
_MAX_KNOWN: Final = 1 << 10


class _Look(NamedTuple):
    """A small file that is one object: where it lies, its keys, and the names of all keys inside."""

    folder: str
    suffix: str
    keys: frozenset[str]
    names: frozenset[bytes]


class Recogniser:
    """Finds the readers of files.

    Folders hold thousands of files of one kind: a small file in which the same keys occur as in one that was
    recognised before, in the same folder, is of the same format.

    Args:
        readers: in the order in which they are asked.
        findings: where files that nobody reads are recorded, and notes on files that go with others.
    """

    def __init__(self, readers: Sequence[Format], findings: Findings) -> None:
        self._readers = readers
        self._findings = findings
        self._known: dict[_Look, Format] = {}

    def reader_of(self, source: Source) -> Format | None:
        """The reader for a file, or None with a finding or a note that says why."""
        look = _look(source)
        if look is not None and look in self._known:
            return self._known[look]
        reader = self._ask(source)
        if look is not None and reader is not None and len(self._known) < _MAX_KNOWN:
            self._known[look] = reader
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


def _look(source: Source) -> _Look | None:
    """What a small file that is one JSON object looks like, known in a tenth of the time that readers take."""
    content = source.small_content()
    if content is None or content[:1] != b"{":
        return None
    try:
        keys = frozenset(_KEYS.decode(content))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    folder, _, name = source.name.rpartition("/")
    return _Look(folder, name.rpartition(".")[2], keys, frozenset(_NAME.findall(content)))
