"""The ladder: from any turn of another task to one that was said in the same situation (method 1.7).

Each rung is a pool of donors for the turns of one role. Higher rungs leave an adversary less choice, and what it still
achieves there is more believable.

Tests: ``tests/attacks/test_ladder.py``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.geometry import EvidenceBefore
from armslength.records import Corpus, Role

from .donors import MOST_COMPARED, ContextPool, DonorPool, Pool, StagedPool
from .runs import AttackedRuns, policy_turns

Ints = npt.NDArray[np.int64]

#: The rungs from the loosest to the closest. From the second on, donors accompanied a success.
RUNGS: Final = ("any", "successful", "same stage", "same context")

#: Parts of an episode that count as stages.
STAGES: Final = 3


class Ladder:
    """Makes the pools of every rung.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        outcome: donors of the rungs above ``any`` come from runs with this value of `failed`.
    """

    def __init__(self, corpus: Corpus, vectors: Vectors, *, outcome: int = 0) -> None:
        self._corpus, self._vectors, self._outcome = corpus, vectors, outcome
        place = np.arange(corpus.turns) - corpus.offsets[corpus.owner]
        self._stage = STAGES * place // np.diff(corpus.offsets)[corpus.owner]

    @cached_property
    def _evidence(self) -> EvidenceBefore:
        """Made where contexts are compared: its sums are as large as the vectors of all evidence."""
        return EvidenceBefore(self._vectors, self._corpus)

    def turns_of(self, runs: AttackedRuns, role: Role) -> Ints:
        """The runs' writable turns of a role as indices into the whole corpus."""
        turns, part = runs.writable_turns(role), runs.corpus
        return turns - part.offsets[part.owner[turns]] + self._corpus.offsets[runs.rows[part.owner[turns]]]

    def donors_of(self, runs: AttackedRuns, role: Role, *, any_outcome: bool = False) -> Ints:
        """Turns of the role in the training folds, as indices into the whole corpus."""
        train = runs.fit.split.train
        chosen = np.zeros(len(self._corpus), dtype=bool)
        chosen[train if any_outcome else train[self._corpus.failed[train] == self._outcome]] = True
        return np.flatnonzero(policy_turns(self._corpus, role) & chosen[self._corpus.owner])

    def pool(self, rung: str, runs: AttackedRuns, role: Role, rng: np.random.Generator) -> Pool | None:
        """The pool of a rung for the runs' turns of a role; None where some turn has no donor.

        Args:
            rung: one of `RUNGS`.
            runs: the runs of one fold.
            role: what is written.
            rng: chooses which donors are compared where there are more than `MOST_COMPARED`.
        """
        turns = self.turns_of(runs, role)
        donors = self.donors_of(runs, role, any_outcome=rung == "any")
        if rung == "same stage":
            pool: Pool = self._staged(runs, donors, turns)
        elif rung == "same context":
            pool = self._context(runs, donors, turns, rng)
        else:
            pool = self._plain(runs, donors, turns)
        return pool if len(donors) and pool.serves() else None

    def typical(self, runs: AttackedRuns, role: Role) -> Ints:
        """For each turn the value of the donor most like the mean of all donors, of another task; 0 without one."""
        turns, donors = self.turns_of(runs, role), self.donors_of(runs, role)
        found = np.zeros(len(turns), dtype=np.int64)
        vectors = self._vectors[self._corpus.text[donors]].astype(np.float64)
        if not len(donors):
            return found
        order = np.argsort(-(vectors @ vectors.mean(0)), kind="stable")
        donor_task, task = self._task(donors)[order], self._task(turns)
        values = runs.every[donors[order]]
        for code in np.unique(task):
            other = np.flatnonzero(donor_task != code)
            if len(other):
                found[task == code] = values[other[0]]
        return found

    def _task(self, turns: Ints) -> Ints:
        return self._corpus.task.codes[self._corpus.owner[turns]]

    def _plain(self, runs: AttackedRuns, donors: Ints, turns: Ints) -> DonorPool:
        return DonorPool(runs.every[donors], self._task(donors), self._task(turns))

    def _staged(self, runs: AttackedRuns, donors: Ints, turns: Ints) -> StagedPool:
        of_donor, of_turn = self._stage[donors], self._stage[turns]
        pools = [
            self._plain(runs, donors[of_donor == stage], turns[of_turn == stage]) for stage in range(STAGES)
        ]
        return StagedPool(of_turn, pools)

    def _context(
        self, runs: AttackedRuns, donors: Ints, turns: Ints, rng: np.random.Generator
    ) -> ContextPool:
        if len(donors) > MOST_COMPARED:
            donors = np.sort(rng.choice(donors, MOST_COMPARED, replace=False))
        return ContextPool(
            runs.every[donors], self._task(donors), self._evidence.of(donors),
            self._task(turns), self._evidence.of(turns),
        )  # fmt: skip
