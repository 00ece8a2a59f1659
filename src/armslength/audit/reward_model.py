"""What `audit.json` holds about the user's own reward."""

from __future__ import annotations

from typing import Final

import msgspec

from .estimate import Estimate

#: What rows about the user's own reward call it.
OWN_REWARD: Final = "reward"


class Refusal(msgspec.Struct, frozen=True):
    """Why a reward gave no number: how often, and where first."""

    reason: str
    count: int
    first: str


class Probe(msgspec.Struct, frozen=True):
    """What the reward of a whole run does when one thing is changed.

    Attributes:
        name, what: the edit, and what it does.
        writes: whose turns it changes: ``policy``, ``evidence``, or ``nothing`` where it is only asked again.
        moved, raised, lowered: share of runs whose reward changes at all, rises, falls.
        move: mean change, in standard deviations of the reward over the probed runs.
        unchanged: runs in which the edit found nothing to change.
        unmeasured: runs whose reward is no number before or after.
    """

    name: str
    what: str
    writes: str
    moved: Estimate
    raised: Estimate
    lowered: Estimate
    move: Estimate
    unchanged: int
    unmeasured: int


class OwnReward(msgspec.Struct, frozen=True):
    """The user's own reward, asked as a black box.

    Attributes:
        name: module and name of the function.
        form: ``batch`` (prompts and completions) or ``trajectory``.
        asynchronous: whether it returned awaitables.
        budget, calls: calls that were allowed, and made; one completion is one call.
        measured: runs whose reward is a number at every decision point.
        left_out: runs that are not, by reason.
        unmeasured: why answers were no numbers.
        attacked, failing: failing runs that the attacks reached, and all of them.
        auc_whole, auc_whole_within_task: of the reward of all turns of a run, as a trainer would pay it.
        steady: whether it gave the same numbers when asked again; None where it was not.
        probes: what it answers to.
    """

    name: str
    form: str
    asynchronous: bool
    budget: int
    calls: int
    measured: int
    left_out: dict[str, int]
    unmeasured: list[Refusal]
    attacked: int
    failing: int
    auc_whole: Estimate
    auc_whole_within_task: Estimate
    steady: bool | None
    probes: list[Probe]
