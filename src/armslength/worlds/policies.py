"""The four policies of the mock purchase: how careful, how good with errors and how candid each is.

No policy is a label: each draws its habits anew for every run, so all four succeed and fail
(``tests/worlds/test_purchase_data.py``).
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple


class Policy(NamedTuple):
    """Mean habits of a policy, each in [0, 1].

    Attributes:
        name: as in `Trajectory.policy`.
        care: how often it checks what could be wrong.
        recovery: how often it mends what an error tells it.
        candour: how often its words say what it did.
        stubborn: share of the errors it does not mend that it answers by the same call again.
        gloss: share of the rest that it passes over as if the call had worked.
    """

    name: str
    care: float
    recovery: float
    candour: float
    stubborn: float
    gloss: float


POLICIES = (
    Policy("competent", care=0.9, recovery=0.92, candour=0.92, stubborn=0.3, gloss=0.1),
    Policy("careless", care=0.36, recovery=0.75, candour=0.8, stubborn=0.2, gloss=0.3),
    Policy("stuck", care=0.76, recovery=0.25, candour=0.8, stubborn=0.95, gloss=0.2),
    Policy("smooth talker", care=0.6, recovery=0.45, candour=0.15, stubborn=0.1, gloss=0.9),
)


class Habits(NamedTuple):
    """The habits of one run; the fields mean the same as in `Policy`."""

    care: float
    recovery: float
    candour: float
    stubborn: float
    gloss: float


def draw_habits(policy: Policy, rng: Random) -> Habits:
    """Habits of one run: the policy's, moved a little each way."""
    return Habits(
        _near(policy.care, 0.2, rng),
        _near(policy.recovery, 0.12, rng),
        _near(policy.candour, 0.12, rng),
        policy.stubborn,
        policy.gloss,
    )


def assign(trial: int, offset: int) -> Policy:
    """The policy of one trial of a task: all four take turns, starting at the task's offset."""
    return POLICIES[(trial + offset) % len(POLICIES)]


def _near(mean: float, spread: float, rng: Random) -> float:
    return min(1.0, max(0.0, mean + spread * (2 * rng.random() - 1) * 1.5))
