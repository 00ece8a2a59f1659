"""Deal or No Deal: whether both selections add up to what there is, and what the policy's own is worth.

- The policy's selection is read from its turns; the other side's, the items and their values are what the file states.
- Declared are the flag (``agree`` beside a number) and the reward. The file rewards a selection that matches no other
  as well; so do the points here.
- A deal that needs a selection which the file does not have is unmeasured.

Tests: ``tests/recompute/test_deal_points.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armslength.formats.dialogues import deal_outcome as rules
from armslength.records import Trajectory

from .environment import Environment, Unavailable
from .protocol import Recomputed, is_of
from .state import ABSENT, Difference


class DealOrNoDeal:
    """Recomputes runs of Deal or No Deal."""

    name = "deal_or_no_deal"

    def handles(self, trajectory: Trajectory) -> bool:
        """Runs that the reader of Deal or No Deal read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """A deal by both selections, and the worth of the policy's own."""
        counts, values, other = _stated(trajectory, environment)
        choice = _choice(trajectory)
        deal = rules.is_deal(choice, other, counts)
        mine, theirs = rules.taken(choice), rules.taken(other)
        points = None if mine is None else rules.worth(mine, values)
        if deal is None:
            reason = (
                "the policy's selection is not recorded"
                if choice is None
                else "the other side is not recorded"
            )
            return Recomputed(success=None, reason=reason, points=points)
        wrong: tuple[Difference, ...] = ()
        if mine is None or theirs is None:
            wrong = (Difference("selection", "items of both sides", choice if mine is None else other),)
        elif not deal:
            left = (count - their for count, their in zip(counts, theirs, strict=True))
            wrong = tuple(
                Difference(f"items/{item}", rest if rest >= 0 else ABSENT, own)
                for item, rest, own in zip(rules.ITEMS, left, mine, strict=True)
                if rest != own
            )
        return Recomputed(success=deal, differences=wrong, points=points)


def _choice(trajectory: Trajectory) -> str | None:
    """The selection's text; it follows the turn that announces it."""
    ends = [turn for turn in trajectory.turns if turn.role == "terminal"]
    return ends[-1].text if len(ends) > 1 else None


def _stated(
    trajectory: Trajectory, environment: Environment
) -> tuple[Sequence[int], Sequence[int], str | None]:
    """How many of each item there are, what they are worth to the policy, and what the other side selected.

    Raises:
        Unavailable: the file was converted and states it no longer.
    """
    key = trajectory.origin.task_digest if trajectory.origin else None
    stated = environment.stated.get(key or "")
    if not isinstance(stated, Mapping):
        raise Unavailable("items unknown")
    return stated["counts"], stated["values"], stated["other"]
