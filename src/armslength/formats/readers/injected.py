r"""Where a third party's text stands in a tool result, however the tool printed it.

Tools print what they hold as plain text, as YAML (folded and indented, quotes doubled) or as the text of a Python or
JSON value (line breaks, quotes and odd characters escaped). Therefore blanks, quotes, backslashes and escaped blanks
are left out of both texts before one is looked for in the other, and other escapes are resolved. Linear in the lengths.

Tests: ``tests/formats/readers/test_injected.py``. Reference: ``docs/reference/formats/agentdojo.md``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

#: A value with fewer characters, blanks apart, stands in too many texts by chance: it must be the whole text.
SHORTEST: Final = 8

_LOOSE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|[ntr\n ])|[\s'\"\\]")
_BLANKS = re.compile(r"(?:\s|\\+[nrt])*")
_DROPPED = re.compile(r"[\s'\"\\]")
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Span(NamedTuple):
    """A piece of a text, and whether the third party wrote it."""

    text: str
    foreign: bool


def squeezed_values(values: Iterable[object]) -> tuple[str, ...]:
    """Values in the form in which they are looked for, longest first; what is no text or blank is left out."""
    made = {_squeeze(value)[0] for value in values if isinstance(value, str)}
    return tuple(sorted(made - {""}, key=lambda value: (-len(value), value)))


def split_injected(text: str, values: Sequence[str]) -> list[Span]:
    """A text as pieces by writer; joined, they are the text.

    Args:
        text: of a tool result.
        values: as `squeezed_values` gave them.

    Returns:
        The pieces in order; blanks beside a third party's piece, escaped ones too, belong to it.
    """
    if not values:
        return [Span(text, False)]
    plain, places = _squeeze(text)
    found = (
        (places[start][0], places[start + len(value) - 1][1])
        for value in values
        if len(value) >= SHORTEST or value == plain
        for start in _occurrences(plain, value)
    )
    pieces: list[Span] = []
    position = 0
    for begin, finish in _merged(found):
        start, end = _with_blanks(text, position, begin, finish)
        if start > position:
            pieces.append(Span(text[position:start], False))
        pieces.append(Span(text[start:end], True))
        position = end
    if position < len(text) or not pieces:
        pieces.append(Span(text[position:], False))
    return pieces


def _with_blanks(text: str, position: int, start: int, end: int) -> tuple[int, int]:
    """A span with the blanks on its two sides, plain or escaped, but none before `position`."""
    while start > position:
        if text[start - 1].isspace():
            start -= 1
        elif text[start - 1] in "nrt" and start - 2 >= position and text[start - 2] == "\\":
            start -= 2
            while start > position and text[start - 1] == "\\":
                start -= 1
        else:
            break
    blanks = _BLANKS.match(text, end)
    return start, blanks.end() if blanks else end


def _occurrences(text: str, value: str) -> Iterator[int]:
    start = text.find(value)
    while start >= 0:
        yield start
        start = text.find(value, start + len(value))


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order; those that touch or overlap as one."""
    made: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return made


def _squeeze(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without blanks, quotes and backslashes, and where each character stood."""
    parts: list[str] = []
    places: list[tuple[int, int]] = []
    position = 0
    for loose in _LOOSE.finditer(text):
        start, end = loose.span()
        parts.append(text[position:start])
        places += [(i, i + 1) for i in range(position, start)]
        code = int(loose[loose.lastindex], 16) if loose.lastindex else -1
        if 0 <= code <= sys.maxunicode and not _DROPPED.match(chr(code)):
            parts.append(chr(code))
            places.append((start, end))
        position = end
    parts.append(text[position:])
    places += [(i, i + 1) for i in range(position, len(text))]
    return _whole_characters("".join(parts), places)


def _whole_characters(text: str, places: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Two escaped halves of a character as that character, as a file reader has them in the value."""
    pairs = [found.start() for found in _HALVES.finditer(text)]
    if not pairs:
        return text, places
    second = {start + 1 for start in pairs}
    merged = [
        (start, places[i + 1][1]) if i + 1 in second else (start, end)
        for i, (start, end) in enumerate(places)
        if i not in second
    ]
    return _HALVES.sub(lambda found: _join(found[0]), text), merged


def _join(halves: str) -> str:
    return halves.encode("utf-16", "surrogatepass").decode("utf-16")
