"""Which call a result answers.

A result is paired by its call's identifier; without one by the tool's name, or because a single call is open.
Nothing else is guessed: a result that cannot be paired stays a result and says so (``writer_source``
``unpaired``).

Tests: ``tests/formats/test_pairing.py``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from .calls import Call
from .findings import Findings

#: What stands in a result for the name of a tool that does not exist: the policy made that name up.
MADE_UP_NAME: Final = "[made-up tool]"

_NO_SUCH_TOOL: Final = re.compile(
    r"not found|not (?:a )?valid|unknown|unrecogni[sz]ed|does(?: not|n't) exist|no such|not exist|invalid|"
    r"not (?:available|registered|supported|defined|callable)|no (?:tool|function) named",
    re.IGNORECASE,
)


class OpenCalls:
    """The calls of one record that no result has answered yet.

    Args:
        findings: where calls and results without each other are recorded.
        at: what findings call the record.
        tools: the tools that the record offers, where it lists them.
    """

    def __init__(self, findings: Findings, at: str, tools: Collection[str] | None = None) -> None:
        self._findings = findings
        self._at = at
        self._tools = tools
        self._open: list[tuple[int, Call]] = []

    def add(self, calls: Sequence[Call], step: int) -> None:
        """Calls of one message."""
        if len(calls) > 1 and _repeats([call.id for call in calls if call.id is not None]):
            at = f"{self._at} messages[{step}]"
            self._findings.add("CALL_ID_REPEATED", at, expected="calls of a message with ids of their own")
        self._open += [(step, call) for call in calls]

    def answer(self, call_id: object, name: object, step: int) -> Call | None:
        """The call that a result answers, which is then no longer open.

        Args:
            call_id: the identifier that the result carries.
            name: the tool's name that the result carries.
            step: of the result.

        Returns:
            The call, or None with a finding (RESULT_UNPAIRED).
        """
        if call_id and len(self._open) == 1 and self._open[0][1].id == call_id:
            return self._open.pop()[1]  # nearly always
        chosen = self._choose(call_id, name)
        if chosen is None:
            found = "no open call" if not self._open else f"open calls: {len(self._open)}"
            self._findings.add(
                "RESULT_UNPAIRED", f"{self._at} messages[{step}]", found=found, expected="a call with its id"
            )
            return None
        return self._open.pop(chosen)[1]

    def close(self, expected_open: Collection[str] = (), last: int | None = None) -> None:
        """Record calls that nothing answered.

        Args:
            expected_open: tools whose calls end an episode and need no answer.
            last: the step whose calls need none, where a run may end before they are executed.
        """
        for step, call in self._open:
            if call.name not in expected_open and step != last:
                self._findings.add(
                    "CALL_UNANSWERED", f"{self._at} messages[{step}]", expected="a result for each call"
                )
        self._open.clear()

    def visible(self, text: str, call: Call | None) -> str:
        """A result's text without the name of a tool that does not exist: the policy wrote that name.

        The name goes where the record lists its tools and this is none of them, or where the result says that there is
        no such tool. Counted as a note.
        """
        if call is None or not call.name or call.name not in text:
            return text
        made_up = call.name not in self._tools if self._tools else bool(_NO_SUCH_TOOL.search(text))
        if not made_up:
            return text
        self._findings.note("MADE_UP_TOOL", self._at)
        return text.replace(call.name, MADE_UP_NAME)

    def _choose(self, call_id: object, name: object) -> int | None:
        if call_id is not None and call_id != "":
            for index, (_, call) in enumerate(self._open):
                if call.id == call_id:
                    return index
            if any(call.id is not None for _, call in self._open):
                return None
        if isinstance(name, str):
            for index, (_, call) in enumerate(self._open):
                if call.name == name:
                    return index
        return 0 if len(self._open) == 1 else None


def _repeats(ids: Sequence[str]) -> bool:
    return len(set(ids)) < len(ids)
