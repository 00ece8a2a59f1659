"""Decision points: where the world has spoken and the policy is about to act (method 1.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DecisionPoints:
    """Scored decision points of all trajectories.

    Attributes:
        offsets: shape (n + 1,), first point of each trajectory.
        end: shape (points,), global index of the turn after the prefix.
        run: shape (points,), global index of the first turn of the run of others' turns that ends here.
    """

    offsets: Ints
    end: Ints
    run: Ints

    def __len__(self) -> int:
        return len(self.end)

    @property
    def counts(self) -> Ints:
        """K, the number of scored points of each trajectory, shape (n,)."""
        return np.diff(self.offsets)

    @property
    def trajectory(self) -> Ints:
        """Row of the trajectory that each point belongs to, shape (points,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts)

    def take(self, rows: Ints, old: Ints, new: Ints) -> DecisionPoints:
        """The points of these trajectories, given the turn offsets before and after."""
        counts = self.counts[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        index = ranges(self.offsets[rows], counts)
        shift = np.repeat(new[:-1] - old[rows], counts)
        return DecisionPoints(offsets, self.end[index] + shift, self.run[index] + shift)


def find_points(
    offsets: Ints, spoken: Flags, evidence: Flags, after_policy: Flags | None = None
) -> DecisionPoints:
    """Ends of the maximal runs of turns that the policy did not write, once there is evidence.

    The grid depends on who wrote each turn and on nothing else, so the policy cannot choose how often it is scored by
    splitting its own turns. Points whose prefix holds no evidence are dropped: every run has the same constant there.

    Args:
        offsets: shape (n + 1,), first turn of each trajectory.
        spoken: shape (turns,), whether somebody else than the policy is known to have written the turn.
        evidence: shape (turns,), whether the turn was written by the user or the world; implies `spoken`.
        after_policy: shape (turns,), whether a turn of the policy stood before this one and is not among the turns:
            a dropped terminal still ends a run, or the policy could join two by writing one.

    Returns:
        The scored points, in order.
    """
    first = np.zeros(len(spoken) + 1, dtype=bool)
    first[offsets] = True
    if after_policy is not None:
        first[:-1] |= after_policy
    padded = np.concatenate([[False], spoken, [False]])
    run = np.flatnonzero(spoken & (~padded[:-2] | first[:-1]))
    end = np.flatnonzero(spoken & (~padded[2:] | first[1:])) + 1
    seen = np.concatenate([[0], np.cumsum(evidence)])
    start = offsets[np.searchsorted(offsets, run, side="right") - 1]
    scored = seen[end] > seen[start]
    end, run = end[scored], run[scored]
    counts = np.searchsorted(end, offsets, side="right")
    return DecisionPoints(counts.astype(np.int64), end.astype(np.int64), run.astype(np.int64))


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """The concatenated ranges start … start + length - 1."""
    if lengths.sum() == 0:
        return np.zeros(0, dtype=np.int64)
    ends = np.cumsum(lengths)
    index: Ints = np.arange(ends[-1], dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
    return index
