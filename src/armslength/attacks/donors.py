"""Donor pools: real policy turns that an attack may put in the place of others (method 1.7).

Donors come from training-fold trajectories only, so never from the target's group. Where the fold unit is not the
task, a target's own task may occur in training; its donors are then left out for that target. The rungs of the ladder
are pools that fit their target more and more closely.

Tests: ``tests/attacks/test_donors.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

#: Contexts are compared with so many donors at most, drawn at random: each comparison costs one product of vectors.
MOST_COMPARED: Final = 4096

#: Of the donors, this share is nearest enough to a target to have the same context.
NEAREST: Final = 4

_CHUNK: Final = 1024
_NONE: Final = np.iinfo(np.int64).max


class Pool(Protocol):
    """Donors for the turns of one role in the runs of one fold."""

    def draw(self, size: int, rng: np.random.Generator) -> Ints:
        """Turn values of `size` random donors for each target, shape (targets, size)."""
        ...

    def lowest(self) -> Ints:
        """The smallest donor value that each target may take, shape (targets,)."""
        ...

    def serves(self) -> bool:
        """Whether every target has at least one donor."""
        ...


@dataclass(frozen=True)
class DonorPool:
    """Any donor of another task.

    Attributes:
        values: shape (donors,), turn values under the attacked head.
        task: shape (donors,), codes of the donors' tasks.
        target_task: shape (targets,), codes of the targets' tasks.
    """

    values: Ints
    task: Ints
    target_task: Ints

    def __len__(self) -> int:
        return len(self.values)

    def draw(self, size: int, rng: np.random.Generator) -> Ints:
        """Uniform over the donors of other tasks, with replacement."""
        picked = rng.integers(0, len(self), size=(len(self.target_task), size))
        for task in np.intersect1d(self.target_task, self.task):
            rows = np.flatnonzero(self.target_task == task)
            allowed = np.flatnonzero(self.task != task)
            picked[rows] = allowed[rng.integers(0, len(allowed), size=(len(rows), size))]
        return self.values[picked]

    def lowest(self) -> Ints:
        """Over the donors of other tasks."""
        out = np.full(len(self.target_task), self.values.min())
        for task in np.intersect1d(self.target_task, self.task):
            out[self.target_task == task] = self.values[self.task != task].min()
        return out

    def serves(self) -> bool:
        """Whether every target has a donor of another task."""
        tasks = np.unique(self.task)
        return len(tasks) > 1 or (len(tasks) == 1 and not np.isin(tasks, self.target_task).any())


@dataclass(frozen=True)
class StagedPool:
    """Donors from the same stage of their episode.

    Attributes:
        stage: shape (targets,), the targets' stages.
        pools: one a stage, each for the targets of that stage in their order.
    """

    stage: Ints
    pools: Sequence[DonorPool]

    def draw(self, size: int, rng: np.random.Generator) -> Ints:
        """Stage by stage."""
        out = np.zeros((len(self.stage), size), dtype=np.int64)
        for stage, pool in self._used():
            out[self.stage == stage] = pool.draw(size, rng)
        return out

    def lowest(self) -> Ints:
        """Stage by stage."""
        out = np.zeros(len(self.stage), dtype=np.int64)
        for stage, pool in self._used():
            out[self.stage == stage] = pool.lowest()
        return out

    def serves(self) -> bool:
        """Whether every stage in which there are targets serves them."""
        return all(pool.serves() for _, pool in self._used())

    def _used(self) -> list[tuple[int, DonorPool]]:
        return [(stage, pool) for stage, pool in enumerate(self.pools) if len(pool.target_task)]


@dataclass(frozen=True)
class ContextPool:
    """For each target the quarter of the donors whose preceding evidence is most like its own.

    Attributes:
        values: shape (donors,), turn values under the attacked head.
        task: shape (donors,), codes of the donors' tasks.
        context: shape (donors, d), unit vectors of the evidence before them.
        target_task: shape (targets,), codes of the targets' tasks.
        target_context: shape (targets, d), the same of the targets.
    """

    values: Ints
    task: Ints
    context: Floats
    target_task: Ints
    target_context: Floats

    def draw(self, size: int, rng: np.random.Generator) -> Ints:
        """Uniform over the nearest donors, with replacement."""
        parts = [np.zeros((0, size), dtype=np.int64)]
        for near in self._nearest:
            count = (near >= 0).sum(1)
            picked = (rng.random((len(near), size)) * count[:, None]).astype(np.int64)
            parts.append(self.values[np.take_along_axis(near, picked, 1)])
        return np.concatenate(parts)

    def lowest(self) -> Ints:
        """Over the nearest donors."""
        parts = [np.zeros(0, dtype=np.int64)]
        parts += [np.where(near >= 0, self.values[near], _NONE).min(1) for near in self._nearest]
        return np.concatenate(parts)

    def serves(self) -> bool:
        """Whether every target has a donor of another task."""
        return DonorPool(self.values, self.task, self.target_task).serves()

    @cached_property
    def _nearest(self) -> list[Ints]:
        """Indices of the nearest donors of another task, chunk by chunk, filled up at the end with -1."""
        chunks = []
        for start in range(0, len(self.target_task), _CHUNK):
            near = self.target_context[start : start + _CHUNK] @ self.context.T
            other = self.target_task[start : start + _CHUNK, None] != self.task
            near[~other] = -np.inf
            wanted = -(-other.sum(1) // NEAREST)
            width = int(wanted.max())
            order = np.argpartition(-near, width - 1, axis=1)[:, :width]
            order = np.take_along_axis(order, np.argsort(-np.take_along_axis(near, order, 1), axis=1), 1)
            chunks.append(np.where(np.arange(width) < wanted[:, None], order, -1).astype(np.int64))
        return chunks
