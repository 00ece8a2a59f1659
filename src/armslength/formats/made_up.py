"""Names of tools that do not exist, taken out of what a harness answers: the policy made them up.

A name is made up where the record lists its tools and this is none of them, or where the answer says that there is no
such tool. Each answer from which one is taken is counted as a note (``MADE_UP_TOOL``).

Tests: ``tests/formats/test_made_up.py``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from .findings import Findings

#: What stands for the name in a text.
MADE_UP_NAME: Final = "[made-up tool]"

_NO_SUCH_TOOL: Final = re.compile(
    r"not found|not (?:a )?valid|unknown|unrecogni[sz]ed|does(?: not|n't) exist|no such|not exist|invalid|"
    r"not (?:available|registered|supported|defined|callable)|no (?:tool|function) named",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")


class MadeUpNames:
    """The names that the policy called in one record, and the texts without those that it made up.

    Args:
        findings: where texts without a name are counted.
        at: what findings call the record.
        tools: the tools that the record offers, where it lists them.
    """

    def __init__(self, findings: Findings, at: str, tools: Collection[str] | None = None) -> None:
        self._findings = findings
        self._at = at
        self._tools = tools
        self._called: dict[str, dict[str, None]] = {}  # by their first words

    def add(self, name: str) -> None:
        """Remember a name that was called."""
        if name and not (self._tools and name in self._tools):
            self._called.setdefault(_first_word(name), {})[name] = None

    def masked(self, text: str, names: Iterable[object]) -> str:
        """A text without those of the names that are made up.

        Args:
            text: of an answer.
            names: that it may hold.

        Returns:
            The text with `MADE_UP_NAME` in their place.
        """
        found = {name for name in names if isinstance(name, str) and name and name in text}
        made_up = found.difference(self._tools) if self._tools else found
        if not made_up or not (self._tools or _NO_SUCH_TOOL.search(text)):
            return text
        self._findings.note("MADE_UP_TOOL", self._at)
        for name in sorted(made_up, key=lambda name: (-len(name), name)):
            text = text.replace(name, MADE_UP_NAME)
        return text

    def masked_of_all(self, text: str, name: object = None) -> str:
        """The same for an answer of which nobody can say what it answers: any name called before may stand in it.

        Args:
            text: of the answer.
            name: that the answer's own record gives.
        """
        words = {"", *_WORD.findall(text)} if self._called else ()
        called = [called for word in words for called in self._called.get(word, ())]
        return self.masked(text, [*called, name])


def _first_word(name: str) -> str:
    found = _WORD.search(name)
    return found[0] if found else ""
