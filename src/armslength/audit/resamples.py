"""One set of bootstrap weights, and everything in a run summarised with it, so that differences are paired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from armslength.heads import OutOfFold
from armslength.records import Corpus
from armslength.scoring import running_maximum
from armslength.statistics import MIN_GROUPS, auc, interval, pooled_pairs, ratio, within_pairs

from .model import Estimate

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: Fewer comparable pairs than this within tasks carry no claim (method 1.16).
MIN_PAIRS = 200

READS = ("R1", "R2@0.5", "R4")

#: The read of alerts and attacks, and the degrees of the heads.
READ = "R4"
DEGREES = [0]


class Concordance(NamedTuple):
    """AUC of a score at one read in every resample, averaged over fold seeds.

    Attributes:
        pooled, within: shape (1 + B,), first the data as they are.
        pairs: comparable pairs within tasks, of the first fold seed.
        by_seed: AUC of each fold seed.
    """

    pooled: Floats
    within: Floats
    pairs: int
    by_seed: tuple[float, ...]


@dataclass(frozen=True)
class Resamples:
    """The corpus, its groups and the weights that all figures of a run share.

    Attributes:
        corpus: the trajectories.
        weights: shape (1 + B, groups), from `statistics.group_weights`.
    """

    corpus: Corpus
    weights: Ints

    @property
    def group(self) -> Ints:
        """Code of each trajectory's group."""
        return self.corpus.group.codes

    def concordance(self, runs: Sequence[OutOfFold], read: str, rows: Ints | None = None) -> Concordance:
        """AUC of one score, pooled and within task.

        Args:
            runs: the score under each fold seed.
            read: a name in `READS`.
            rows: only these trajectories; all by default.
        """
        values = [(read_path(run.z, self.corpus, read), run.fold) for run in runs]
        return self.concordance_of(values, rows)

    def concordance_of(self, scores: Sequence[tuple[Floats, Ints]], rows: Ints | None = None) -> Concordance:
        """AUC of one number a trajectory, pooled and within task.

        Args:
            scores: for each fold seed the numbers and the folds inside which they are compared, shape (n,) both.
            rows: only these trajectories; all by default.
        """
        corpus = self.corpus
        rows = np.arange(len(corpus)) if rows is None else rows
        failed, group, task = corpus.failed[rows], self.group[rows], corpus.task.codes[rows]
        pooled, within, pairs = [], [], 0
        for index, (whole, folds) in enumerate(scores):
            values, fold = whole[rows], folds[rows]
            pooled.append(auc(pooled_pairs(values, failed, group, fold), self.weights))
            inside = within_pairs(values, failed, group, fold, task)
            within.append(auc(inside, self.weights))
            pairs = pairs if index else inside.total
        by_seed = tuple(float(p[0]) for p in pooled)
        return Concordance(np.mean(pooled, axis=0), np.mean(within, axis=0), pairs, by_seed)

    def estimate(self, values: Floats, *, n: int, groups: int, reason: str | None = None) -> Estimate:
        """Summarise a resampled statistic; unmeasured where it is undefined on the data."""
        found = interval(values, groups=groups)
        if found is None:
            return Estimate(None, None, None, n, groups, reason or "undefined on these data")
        if found.low is None:
            reason = reason or f"fewer than {MIN_GROUPS} groups: no interval"
        return Estimate(found.value, found.low, found.high, n, groups, reason)

    def pooled(self, values: Floats, rows: Ints | None = None) -> Estimate:
        """Estimate of a statistic over trajectories."""
        group = self.group if rows is None else self.group[rows]
        return self.estimate(values, n=len(group), groups=len(np.unique(group)))

    def within(self, values: Floats, pairs: int) -> Estimate:
        """Estimate of a statistic over pairs within tasks; below `MIN_PAIRS` no claim may rest on it."""
        reason = f"{pairs} pairs, fewer than {MIN_PAIRS}: no claim" if pairs < MIN_PAIRS else None
        if pairs == 0:
            reason = "no task has both a failure and a success in one fold"
        return self.estimate(values, n=pairs, groups=self._mixed_groups(), reason=reason)

    def share(
        self, part: Floats, whole: Floats, rows: Ints, *, n: int, reason: str | None = None
    ) -> Estimate:
        """Estimate of Σ part / Σ whole over trajectories `rows`; n is what the reader should see as the size."""
        group = self.group[rows]
        values = ratio(part, whole, group, self.weights)
        return self.estimate(values, n=n, groups=len(np.unique(group[whole > 0])), reason=reason)

    def _mixed_groups(self) -> int:
        tasks = self.corpus.task.codes
        failures = np.bincount(tasks, self.corpus.failed)
        sizes = np.bincount(tasks)
        mixed = (failures > 0) & (failures < sizes)
        return len(np.unique(self.group[mixed[tasks]]))


def read_path(z: Floats, corpus: Corpus, read: str) -> Floats:
    """The value of a score path at one read, shape (n,) (method 1.2).

    Args:
        z: shape (points,).
        corpus: the trajectories.
        read: ``R1`` the last point, ``R1-r`` the point r before it, ``R2@ρ`` the point ⌈ρK⌉, ``R3@k`` the k-th point,
            ``R4`` the running maximum at the end.

    Returns:
        NaN for a run without that point.
    """
    offsets, counts = corpus.points.offsets, corpus.points.counts
    if read == "R4":
        return running_maximum(z, offsets)
    if read.startswith(("R1-", "R3@")):
        number = int(read[3:])
        at = counts - number if read.startswith("R1-") else np.full(len(counts), number)
        there = (at >= 1) & (at <= counts)
        return np.where(there, z[offsets[:-1] + np.where(there, at, 1) - 1], np.nan)
    share = 1.0 if read == "R1" else float(read.removeprefix("R2@"))
    at_read: Floats = z[offsets[:-1] + np.ceil(share * counts).astype(np.int64) - 1]
    return at_read
