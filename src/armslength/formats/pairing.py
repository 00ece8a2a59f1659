"""Which call a result answers.

A result is paired by its call's identifier; without one by the tool's name, or because a single call is open.
Nothing else is guessed: a result that cannot be paired stays a result and says so (``writer_source``
``unpaired``).

Tests: ``tests/formats/test_pairing.py``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from .calls import Call
from .findings import Findings
from .made_up import MadeUpNames


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
        self._names = MadeUpNames(findings, at, tools)
        self._added = 0
        self._with_id = 0  # open calls that have an identifier
        self._open: dict[int, tuple[int, Call]] = {}  # by number, with their steps
        # Numbers of calls in their order, answered ones among them until they come first; made when they are needed.
        self._unindexed: list[int] = []
        self._by_id: dict[str, deque[int]] = {}
        self._by_name: dict[str, deque[int]] = {}

    def add(self, calls: Sequence[Call], step: int) -> None:
        """Calls of one message."""
        if len(calls) > 1 and _repeats([call.id for call in calls if call.id is not None]):
            at = f"{self._at} messages[{step}]"
            self._findings.add("CALL_ID_REPEATED", at, expected="calls of a message with ids of their own")
        for call in calls:
            self._names.add(call.name)
            self._open[self._added] = step, call
            self._unindexed.append(self._added)
            self._with_id += call.id is not None
            self._added += 1

    def answer(self, call_id: object, name: object, step: int) -> Call | None:
        """The call that a result answers, which is then no longer open.

        Args:
            call_id: the identifier that the result carries.
            name: the tool's name that the result carries.
            step: of the result.

        Returns:
            The call, or None with a finding (RESULT_UNPAIRED).
        """
        chosen = self._choose(call_id, name)
        if chosen is None:
            found = "no open call" if not self._open else f"open calls: {len(self._open)}"
            self._findings.add(
                "RESULT_UNPAIRED", f"{self._at} messages[{step}]", found=found, expected="a call with its id"
            )
            return None
        _, call = self._open.pop(chosen)
        self._with_id -= call.id is not None
        if not self._open:
            self._forget()
        return call

    def close(self, expected_open: Collection[str] = (), last: int | None = None) -> None:
        """Record calls that nothing answered.

        Args:
            expected_open: tools whose calls end an episode and need no answer.
            last: the step whose calls need none, where a run may end before they are executed.
        """
        for step, call in self._open.values():
            if call.name not in expected_open and step != last:
                self._findings.add(
                    "CALL_UNANSWERED", f"{self._at} messages[{step}]", expected="a result for each call"
                )
        self._forget()

    def visible(self, text: str, call: Call | None, name: object = None) -> str:
        """A result's text without the name of a tool that does not exist: the policy wrote that name.

        Args:
            text: of the result.
            call: that it answers; None if it cannot be paired, and may hold any name that was called before.
            name: the tool's name that the result carries.
        """
        return (
            self._names.masked_of_all(text, name) if call is None else self._names.masked(text, [call.name])
        )

    def _choose(self, call_id: object, name: object) -> int | None:
        names_one = call_id is not None and call_id != ""
        if len(self._open) == 1:
            number, (_, call) = next(iter(self._open.items()))
            return None if names_one and call.id not in (None, call_id) else number
        self._index()
        chosen = self._first(self._by_id, call_id) if names_one else None
        if chosen is not None or (names_one and self._with_id):
            return chosen
        return self._first(self._by_name, name)

    def _index(self) -> None:
        for number in self._unindexed:
            if number in self._open:
                _, call = self._open[number]
                self._by_name.setdefault(call.name, deque()).append(number)
                if call.id is not None:
                    self._by_id.setdefault(call.id, deque()).append(number)
        self._unindexed.clear()

    def _first(self, numbers: dict[str, deque[int]], key: object) -> int | None:
        """The first open call under a key."""
        waiting = numbers.get(key) if isinstance(key, str) else None
        while waiting and waiting[0] not in self._open:
            waiting.popleft()
        return waiting[0] if waiting else None

    def _forget(self) -> None:
        self._with_id = 0
        self._open.clear()
        self._unindexed.clear()
        self._by_id.clear()
        self._by_name.clear()


def _repeats(ids: Sequence[str]) -> bool:
    return len(set(ids)) < len(ids)
