"""Adversaries: what each puts in the place of the policy's turns, for heads of degree 0 (method 1.7).

For degree 0 and running alerts a lower turn value at any place lowers every later decision point and no other, so the
best of several donors is the one with the lowest value, at all points at once (T1b, method 3.1).

A newcomer adds an adversary with one function and one row in `ADVERSARIES`.

Tests: ``tests/attacks/test_donors.py``, ``tests/attacks/test_selection.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from armslength.records import Role

from .donors import Pool
from .few_turns import replace_few
from .runs import AttackedRuns

Ints = npt.NDArray[np.int64]

#: Donors drawn for each turn; best-of-n looks at the first n, so success is monotone in the budget.
MOST_DRAWN = 100

#: Independent repetitions of every random adversary.
DRAWS = 10


@dataclass(frozen=True)
class Target:
    """The turns of one role that an adversary may replace.

    Attributes:
        own: shape (turns,), their own values.
        pool: the donors, None where some turn has no donor.
        drawn: shape (DRAWS, turns, at most MOST_DRAWN), values of random donors; empty where there are none.
        typical: shape (turns,), the value of the donor most like the mean of the successful turns.
    """

    own: Ints
    pool: Pool | None
    drawn: Ints
    typical: Ints

    @property
    def served(self) -> bool:
        """Whether every turn has a donor, or there is no turn."""
        return self.pool is not None or not len(self.own)

    @cached_property
    def best(self) -> Ints:
        """The lowest donor of the whole pool for each turn, or the turn itself where none is lower; shape (turns,)."""
        return self.own if self.pool is None else np.minimum(self.own, self.pool.lowest())


Targets = Mapping[Role, Target]

#: From the runs and their targets to new values, shape (draws, turns) for each role.
Adversary = Callable[[AttackedRuns, Targets], dict[Role, Ints]]


def of_each_turn(choose: Callable[[Target], Ints]) -> Adversary:
    """An adversary that treats every turn by itself; a target without a pool keeps its turns."""

    def adversary(runs: AttackedRuns, targets: Targets) -> dict[Role, Ints]:
        del runs
        return {role: choose(t) if t.pool is not None else t.own[None] for role, t in targets.items()}

    return adversary


def keep(target: Target) -> Ints:
    """Nothing changes: M must be 0."""
    return target.own[None]


def best_of(count: int) -> Callable[[Target], Ints]:
    """The best of `count` random donors for each turn, forced; `count` 1 is plain random substitution."""

    def choose(target: Target) -> Ints:
        best: Ints = target.drawn[:, :, :count].min(-1)
        return best

    return choose


def success_typical(target: Target) -> Ints:
    """The most typical turn of a success at every place, forced: it never sees the head."""
    return target.typical[None]


def greedy(target: Target) -> Ints:
    """Turn by turn, the best of all drawn donors, or the turn itself where none is better."""
    best: Ints = np.minimum(target.own, target.drawn.min(-1))
    return best


def pool_maximum(target: Target) -> Ints:
    """The best donor of the whole pool, or the turn itself where none is better: exact for degree 0."""
    return target.best[None]


def few_turns(budget: int) -> Adversary:
    """At most so many turns of a run become the best donor of the whole pool."""

    def adversary(runs: AttackedRuns, targets: Targets) -> dict[Role, Ints]:
        best = {role: target.best for role, target in targets.items()}
        return {role: values[None] for role, values in replace_few(runs, best, budget).items()}

    return adversary


ADVERSARIES: Final[dict[str, Adversary]] = {
    "keep": of_each_turn(keep),
    "success-typical": of_each_turn(success_typical),
    "random": of_each_turn(best_of(1)),
    "best-of-5": of_each_turn(best_of(5)),
    "best-of-20": of_each_turn(best_of(20)),
    "best-of-100": of_each_turn(best_of(100)),
    "greedy": of_each_turn(greedy),
    "1 turn": few_turns(1),
    "2 turns": few_turns(2),
    "3 turns": few_turns(3),
    "5 turns": few_turns(5),
    "pool-maximum": of_each_turn(pool_maximum),
}

#: Adversaries that stand on the other rungs of the ladder.
ON_EVERY_RUNG: Final = ("random", "best-of-5", "pool-maximum")
