"""Six systems' answers to MultiWOZ dialogues: inform and requests by placeholders and states, against the database.

- State and text are read from the turns; the goal is that of the human dialogue, whose users these are.
- Nothing is declared: the files hold answers alone. The systems' own published rates are another rule's.
- ``active_domains``, which one system adds, is no turn and enters nothing: a placeholder without a domain belongs to
  the domains whose state changed last.

Tests: ``tests/recompute/test_multiwoz_goals.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from armslength.formats.dialogues import multiwoz_outcome as rules
from armslength.formats.dialogues import multiwoz_placeholders as placeholders
from armslength.records import Trajectory, Turn

from .calls import read_arguments
from .environment import Environment
from .multiwoz import explained, judged_goal
from .protocol import Recomputed, is_of


class MultiwozPredictions:
    """Recomputes systems' answers to MultiWOZ dialogues."""

    name = "multiwoz_predictions"

    def handles(self, trajectory: Trajectory) -> bool:
        """Answers that the reader of the predictions read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The goal by placeholders."""
        goal, database = judged_goal(trajectory, environment)
        finder = environment.once("multiwoz finder", lambda: placeholders.Finder(database))
        answers = list(_answers(trajectory.turns))
        met = placeholders.placeholders_met(goal, answers, finder)
        state = {domain: {"semi": slots} for domain, slots in (answers[-1].state if answers else {}).items()}
        return Recomputed(
            success=not met.missing,
            differences=tuple(explained(what, goal, state, {}, _placeholder) for what in met.missing),
        )


def _placeholder(domain: str, slot: str) -> str:
    return f"a placeholder of {domain} {slot}"


def _answers(turns: Sequence[Turn]) -> Iterator[placeholders.Answer]:
    """The system's texts, each with the state that its calls have reached."""
    state: Mapping[str, dict[str, Any]] = {}
    for turn in turns:
        if turn.writer != "policy":
            continue
        if turn.name == "state":
            state = _changed(state, read_arguments(turn) or {})
        elif turn.role == "assistant":
            yield placeholders.Answer(turn.text, state)


def _changed(before: Mapping[str, dict[str, Any]], change: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A state after a change; a slot that was left is empty, which asks for nothing."""
    after = {domain: dict(slots) for domain, slots in before.items()}
    for domain, slots in change.items():
        after[domain] = after.get(domain, {}) | rules.as_object(slots)
    return after
