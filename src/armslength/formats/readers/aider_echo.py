"""What aider prints of the policy's own reply when it refuses an edit.

- A refusal repeats each edit block that matched nothing, or the reply up to where it could not be read: the policy's
  text under the harness's mark. It is the policy's where the reply holds it verbatim, else unknown.
- The lines of a file that it offers instead are those most like what the policy wrote, and hold its earlier edits:
  unknown.
- Nothing else is cut by what a reply says: a policy could then take a line of the world out of the evidence by
  writing it first.

Tests: ``tests/formats/readers/test_aider.py``. Reference: ``docs/reference/formats/aider.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

_REFUSED: Final = "The LLM did not conform to the edit format."
_MORE: Final = "For more info see: "
_UNMATCHED: Final = "failed to match!"
_FAULT: Final = "^^^ "
_OPENS: Final = "<<<<<<< SEARCH"
_CLOSES: Final = ">>>>>>> REPLACE"
_OFFERS: Final = "Did you mean to match some of these actual lines from "
#: What the harness says after lines that it offers.
_GOES_ON: Final = (
    "Are you sure you need this SEARCH/REPLACE block",
    "## SearchReplace",
    "The SEARCH section must ",
)


class Piece(NamedTuple):
    """Lines of a tool's output, and who wrote them."""

    writer: Literal["policy", "world", "unknown"]
    text: str


class Replies:
    """The policy's replies in a chat so far, as far as a refusal may repeat them."""

    def __init__(self) -> None:
        self._blocks: set[str] = set()
        self._latest = ""

    def add(self, text: str) -> None:
        """Remember a reply."""
        lines = text.split("\n")
        self._latest = _squeezed(lines)
        self._blocks |= {_squeezed(lines[start:end]) for is_edit, start, end in _regions(lines) if is_edit}

    def split(self, text: str) -> list[Piece]:
        """A tool's output as pieces by writer.

        Args:
            text: what the harness printed in a row.

        Returns:
            What it repeats, in order, then what it says itself in one piece: a piece of the policy's in the middle
            would make two of one message of the harness. A text without a refusal is one piece.
        """
        lines = text.split("\n")
        if _REFUSED not in lines:
            return [Piece("world", text)]
        quoted = list(self._quoted(lines, lines.index(_REFUSED) + 1))
        own: list[str] = []
        position = 0
        for start, end, _ in quoted:
            own += lines[position:start]
            position = end
        own += lines[position:]
        pieces = [Piece(piece.writer, piece.text) for _, _, piece in quoted if piece.text]
        return [*pieces, Piece("world", "\n".join(own).strip("\n"))]

    def _quoted(self, lines: Sequence[str], start: int) -> Iterator[tuple[int, int, Piece]]:
        """Where a refusal repeats or offers lines; `start` is the line after its first."""
        start += start < len(lines) and lines[start].startswith(_MORE)
        faults = [index for index in range(start, len(lines)) if lines[index].startswith(_FAULT)]
        if faults and not lines[start].endswith(_UNMATCHED):
            part = lines[start : faults[-1]]
            yield start, faults[-1], _piece(part, known=self._latest.startswith(_squeezed(part)))
            return
        for is_edit, begin, end in _regions(lines, start):
            part = lines[begin:end]
            yield begin, end, _piece(part, known=is_edit and _squeezed(part) in self._blocks)


def _regions(lines: Sequence[str], start: int = 0) -> Iterator[tuple[bool, int, int]]:
    """Edit blocks (True) and lines of a file that are offered instead (False), in order."""
    begin: int | None = None
    is_edit = False
    for index in range(start, len(lines)):
        line = lines[index].rstrip()
        if begin is None:
            is_edit = line == _OPENS
            begin = index if is_edit else index + 1 if line.startswith(_OFFERS) else None
        elif is_edit and line == _CLOSES:
            yield True, begin, index + 1
            begin = None
        elif not is_edit and line.startswith(_GOES_ON):
            yield False, begin, index
            begin = None
    if begin is not None:
        yield is_edit, begin, len(lines)


def _piece(lines: Sequence[str], *, known: bool) -> Piece:
    return Piece("policy" if known else "unknown", "\n".join(lines).strip("\n"))


def _squeezed(lines: Sequence[str]) -> str:
    """Lines without blank ones and without blanks at their ends, which the log does not keep."""
    return "".join(f"{line.rstrip()}\n" for line in lines if line.strip())
