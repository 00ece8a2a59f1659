"""Adversaries: what each puts in the place of the policy's turns, for heads of degree 0 (method 1.7).

For degree 0 and running alerts a lower turn value at any place lowers every later decision point and no other, so the
best of several donors is the one with the lowest value, at all points at once (T1b, method 3.1).

A newcomer adds an adversary with one function and one row in `ADVERSARIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .donors import DonorPool

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
        task: shape (turns,), their tasks.
        pool: the donors, None where some turn has no donor.
        drawn: shape (DRAWS, turns, MOST_DRAWN), values of random donors; empty where there are none.
    """

    own: Ints
    task: Ints
    pool: DonorPool | None
    drawn: Ints

    @property
    def served(self) -> bool:
        """Whether every turn has a donor, or there is no turn."""
        return self.pool is not None or not len(self.own)


Adversary = Callable[[Target], Ints]


def keep(target: Target) -> Ints:
    """Nothing changes: M must be 0."""
    return target.own[None]


def best_of(count: int) -> Adversary:
    """The best of `count` random donors for each turn, forced; `count` 1 is plain random substitution."""

    def adversary(target: Target) -> Ints:
        if target.pool is None:
            return target.own[None]
        best: Ints = target.drawn[:, :, :count].min(-1)
        return best

    return adversary


def pool_maximum(target: Target) -> Ints:
    """The best donor of the whole pool, or the turn itself where none is better: exact for degree 0."""
    if target.pool is None:
        return target.own[None]
    return np.minimum(target.own, target.pool.lowest(target.task))[None]


ADVERSARIES: dict[str, Adversary] = {
    "keep": keep,
    "random": best_of(1),
    "best-of-5": best_of(5),
    "best-of-20": best_of(20),
    "best-of-100": best_of(100),
    "pool-maximum": pool_maximum,
}
