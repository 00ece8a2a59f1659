"""Donor pools: real policy turns that an attack may put in the place of others (method 1.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class DonorPool:
    """Donor turns of one role for the targets of one fold.

    Donors come from training-fold trajectories only, so never from the target's group. Where the fold unit is not the
    task, a target's own task may occur in training; its donors are then left out for that target.

    Attributes:
        name: which trajectories gave the donors.
        values: shape (donors,), turn values under the attacked head.
        task: shape (donors,), codes of the donors' tasks.
    """

    name: str
    values: Ints
    task: Ints

    def __len__(self) -> int:
        return len(self.values)

    def draw(self, target_task: Ints, size: int, rng: np.random.Generator) -> Ints:
        """Turn values of `size` random donors for each target.

        Args:
            target_task: shape (targets,), codes of the targets' tasks.
            size: donors drawn for each, with replacement.
            rng: source of randomness.

        Returns:
            Shape (targets, size).
        """
        picked = rng.integers(0, len(self), size=(len(target_task), size))
        for task in np.intersect1d(target_task, self.task):
            rows = np.flatnonzero(target_task == task)
            allowed = np.flatnonzero(self.task != task)
            picked[rows] = allowed[rng.integers(0, len(allowed), size=(len(rows), size))]
        return self.values[picked]

    def lowest(self, target_task: Ints) -> Ints:
        """The smallest donor value that each target may take, shape (targets,)."""
        out = np.full(len(target_task), self.values.min())
        for task in np.intersect1d(target_task, self.task):
            out[target_task == task] = self.values[self.task != task].min()
        return out

    def serves(self, target_task: Ints) -> bool:
        """Whether every target has at least one donor."""
        tasks = np.unique(self.task)
        return len(tasks) > 1 or (len(tasks) == 1 and not np.isin(tasks, target_task).any())
