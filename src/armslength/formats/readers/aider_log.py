"""The lines of an aider chat log as blocks of one writer.

aider marks what it and its user wrote by the shape of the line: ``#### `` before a line of the user's, ``> `` before
one of its own output, and two blanks at the end of both. Everything else is the model's reply, which stands between
blank lines. So a marked line without the two blanks, or one that touches a line of the reply, is the reply's own:
headings, quotations, patches. A reply that imitates all of this cannot be told apart.

Tests: ``tests/formats/readers/test_aider.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

HEADER: Final = "# aider chat started at "

_HEADER: Final = re.compile(r"# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*")
#: Lines that count what the next reply cost: its length is the policy's doing, and no evidence.
_COSTS: Final = re.compile(r"\s*(?:[\d,.]+k? prompt tokens, |Tokens: [\d,.]+k? sent|Cost: \$)")

Kind = Literal["user", "tool", "reply"]


class Block(NamedTuple):
    """Lines of one writer in a row."""

    kind: Kind
    text: str


def split_chats(text: str) -> list[list[Block]]:
    """The chats of a log, each as its blocks; a chat that holds nothing is an empty list."""
    chats: list[list[str]] = []
    before_blank = True
    for line in text.split("\n"):
        if before_blank and _HEADER.fullmatch(line):
            chats.append([])
        elif chats:
            chats[-1].append(line.removesuffix("\r"))
        before_blank = not line.strip()
    return [list(_blocks(lines)) for lines in chats]


def _blocks(lines: list[str]) -> Iterator[Block]:
    """Blocks of a chat. Blank lines part two messages of the user, but not two pieces of output or of a reply."""
    kind: Kind | None = None
    part: list[str] = []
    before: Kind | None = None  # of the line before; None if it was blank
    for line in [*lines, None]:
        here = _kind(line, before) if line is not None and line.strip() else None
        starts = here is not None and (here != kind or (here == "user" and before != "user"))
        if kind is not None and (starts or line is None):
            content = "\n".join(part).strip("\n")
            if content.strip():
                yield Block(kind, content)
            part = []
        if line is None:
            return
        kind, before = here or kind, here
        if here == "user":
            part.append(line[5:].removesuffix("  "))
        elif here == "tool" and not _COSTS.match(line[2:]):
            part.append(line[2:].removesuffix("  "))
        elif here == "reply" or (here is None and kind == "reply"):
            part.append(line)


def _kind(line: str, before: Kind | None) -> Kind:
    if before != "reply" and line.endswith("  "):
        if line.startswith("#### "):
            return "user"
        if line.startswith("> "):
            return "tool"
    return "reply"
