"""Turns of an OpenHands run, whichever of its two forms stored the events.

- ``finish`` and ``reject`` declare the end: the call and what answers it are terminal.
- A single message of the user is the task's text.

Tests: ``tests/formats/readers/test_openhands.py``. Reference: ``docs/reference/formats/openhands.md``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from armslength.records import Role, Turn, Writer, WriterSource, imitates_result

from ..calls import Call
from ..findings import Findings
from ..pairing import OpenCalls

#: Tools by which the policy ends a run.
ENDS: Final = frozenset({"finish", "reject"})


_SPEAKS: Final[dict[str, Writer]] = {
    "agent": "policy",
    "user": "user",
    "environment": "world",
    "hook": "world",
}


class TurnMaker:
    """Collects the turns of one run, event by event.

    Args:
        findings: where calls and results without each other are recorded.
        at: what findings call the run.
        tools: the tools that are known to exist.
    """

    def __init__(self, findings: Findings, at: str, tools: Collection[str]) -> None:
        self.findings = findings
        self.at = at
        self._turns: list[Turn] = []
        self._calls = OpenCalls(findings, at, tools)

    def say(self, role: Role, writer: Writer, text: str, step: int) -> None:
        """What somebody wrote; the format records who. Nothing for an empty text."""
        if not text.strip():
            return
        if writer == "policy" and imitates_result(text):
            self.findings.note("IMITATED_OBSERVATION", self.at)
        self._turns.append(Turn(role, writer, text, step, writer_source="field"))

    def reply(self, text: str, step: int) -> None:
        """A message of the policy; one that is empty keeps its place."""
        self.say("assistant", "policy", text, step)
        if not text.strip():
            self.findings.note("EMPTY_REPLY", self.at)
            self._turns.append(Turn("assistant", "policy", text, step, writer_source="field"))

    def call(self, call: Call, step: int, writer: Writer, shown_id: str | None) -> None:
        """A call of a tool; its own id is the one that its result names, `shown_id` the model's."""
        role: Role = "terminal" if call.name in ENDS else "tool_call"
        self._turns.append(Turn(role, writer, call.text, step, call.name, shown_id, writer_source="field"))
        self._calls.add([call], step)

    def result(
        self, text: str, step: int, *, key: str | None, name: str | None, shown_id: str | None,
        writer: Writer = "world", error: bool | None = None,
    ) -> None:  # fmt: skip
        """What a call returned: the world's words, whatever the event's source says."""
        call = self._calls.answer(key, name, step)
        ends = call is not None and call.name in ENDS
        source: WriterSource = "unpaired" if call is None else "role"
        self._turns.append(
            Turn(
                "terminal" if ends else "tool_result", writer, self._calls.visible(text, call, name), step,
                call.name if call else name, shown_id, None if ends else error, source,
            )
        )  # fmt: skip

    def finish(self, last: int) -> tuple[Turn, ...]:
        """The turns, when all events were added; a run may stop at its last step's calls."""
        self._calls.close(ENDS, last)
        users = [i for i, turn in enumerate(self._turns) if turn.role == "user" and turn.writer == "user"]
        if len(users) == 1:
            only = self._turns[users[0]]
            self._turns[users[0]] = msgspec.structs.replace(only, writer="task", writer_source="role")
        return tuple(self._turns)


def speaker(source: object) -> Writer:
    """Who speaks for a source; it holds for messages and actions, not for what answers them."""
    return _SPEAKS.get(source, "unknown") if isinstance(source, str) else "unknown"


def text_or_none(value: object) -> str | None:
    """A text that is not empty, or None."""
    return value if isinstance(value, str) and value else None
