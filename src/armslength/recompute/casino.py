"""CaSiNo: deal or no deal, and the policy's points, from the acts of both sides and its own priorities.

- Offers of both sides are acts; typed words are none, whatever they say.
- Declared are the points that the record states; of a deal it states nothing.
- An accepted offer that does not share out three packages of each issue is no deal.

Tests: ``tests/recompute/test_casino_points.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from armslength.formats import parse
from armslength.formats.dialogues import casino_outcome as rules
from armslength.records import Trajectory, Turn

from .environment import Environment, Unavailable
from .protocol import Recomputed, is_of
from .state import Difference

_SIDES: Final = ("policy", "user")


class Casino:
    """Recomputes runs of CaSiNo."""

    name = "casino"

    def handles(self, trajectory: Trajectory) -> bool:
        """Runs that the reader of CaSiNo read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The end of the talk, and the points of the policy by it."""
        acts = [_act(turn) for turn in trajectory.turns]
        end = rules.ending(acts, _SIDES)
        if end.deal is None:
            raise Unavailable("no accepted offer and no walk-away")
        wrong = _not_shared_out(end.packages)
        if not end.deal:
            wrong = (Difference("end", "an accepted offer", rules.WALK),)
        priorities = _priorities(trajectory, environment)
        points = (
            None if priorities is None or (wrong and end.deal) else rules.points_of(end, "policy", priorities)
        )
        notes = ("the accepted offer cannot be read",) if end.deal and not end.packages else ()
        return Recomputed(
            success=not wrong,
            differences=wrong,
            calls=Counter(act.kind for act in acts if act.kind is not None),
            notes=notes if priorities else (*notes, "priorities unknown"),
            points=points,
        )


def _act(turn: Turn) -> rules.Act:
    """A turn as an act; data that are no JSON are an offer that cannot be read."""
    if turn.name is None:
        return rules.Act(turn.writer, None)
    try:
        return rules.Act(turn.writer, turn.name, parse(turn.text[len(turn.name) + 1 :]))
    except ValueError:
        return rules.Act(turn.writer, turn.name)


def _not_shared_out(packages: Mapping[str, Mapping[str, int]]) -> tuple[Difference, ...]:
    """The issues whose packages are not shared out by an offer."""
    issues = sorted({issue for got in packages.values() for issue in got})
    sums = {issue: sum(got.get(issue, 0) for got in packages.values()) for issue in issues}
    return tuple(
        Difference(f"packages/{issue}", rules.PACKAGES, total)
        for issue, total in sums.items()
        if total != rules.PACKAGES
    )


def _priorities(trajectory: Trajectory, environment: Environment) -> list[str] | None:
    """The policy's issues from the most to the least wanted, as its file states them."""
    key = trajectory.origin.task_digest if trajectory.origin else None
    stated = environment.stated.get(key or "")
    wanted = stated.get("priorities") if isinstance(stated, Mapping) else None
    return wanted if isinstance(wanted, list) and all(isinstance(issue, str) for issue in wanted) else None
