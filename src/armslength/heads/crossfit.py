"""Out-of-fold scores at every decision point: the raw material of every figure (method 1.5, 1.6).

Everything fitted is fitted inside the training fold: standardisation, penalty, threshold. Heads of the inner folds
choose the penalty and give the training successes the out-of-fold scores that the threshold is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from armslength.records import Corpus, ranges
from armslength.scoring import ExactHead, running_maximum
from armslength.statistics import auc, pooled_pairs, threshold

from .folds import Split
from .logistic import fit_path
from .readers import FEW_FEATURES, PENALTIES, FittedReader, Reader

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FoldFit:
    """What one outer fold fitted.

    Attributes:
        split: its rows.
        penalty: the λ taken.
        at_edge: whether the best λ lay at an edge of the grid.
        threshold: τ for R4, or None with too few training successes.
        head: the exact head; None for a rival.
        spread: standard deviation of R4 over the test rows.
    """

    split: Split
    penalty: float
    at_edge: bool
    threshold: float | None
    head: ExactHead | None
    spread: float


@dataclass(frozen=True)
class OutOfFold:
    """Scores of one head or rival, each made by a head that never saw the trajectory's group.

    Attributes:
        name: of the head or rival.
        z: shape (points,), log-odds of failure.
        fold: shape (n,), outer fold of each trajectory.
        fits: one an outer fold.
    """

    name: str
    z: Floats
    fold: Ints
    fits: tuple[FoldFit, ...]

    def thresholds(self) -> Floats:
        """τ of each trajectory's fold, shape (n,); infinite where there is none, so that nothing alerts."""
        taus = np.array([np.inf if fit.threshold is None else fit.threshold for fit in self.fits])
        return taus[self.fold]


def cross_fit(
    reader: Reader | FittedReader,
    corpus: Corpus,
    splits: Sequence[Split],
    *,
    alpha: float,
    threads: int,
    penalties: Sequence[float] = PENALTIES,
) -> OutOfFold:
    """Fit on each training fold and score its test fold.

    Args:
        reader: the features and the way of scoring; one that is fitted itself is fitted in every fold and inner fold.
        corpus: the trajectories.
        splits: outer folds with their inner folds.
        alpha: rate of false alarms that τ aims at.
        threads: folds fitted at once; the result does not depend on it.
        penalties: λ to choose from, in rising order; a reader of few features takes 1 instead.

    Returns:
        Scores at all decision points, with what each fold fitted.
    """
    if not isinstance(reader, FittedReader):
        _ = reader.features  # made once, before the folds ask for them side by side

    def one(split: Split) -> tuple[FoldFit, Floats, Ints]:
        return _fit_fold(reader, corpus, split, alpha=alpha, penalties=tuple(penalties))

    with ThreadPoolExecutor(threads) as pool:
        done = list(pool.map(one, splits))
    z = np.full(len(corpus.points), np.nan)
    fold = np.zeros(len(corpus), dtype=np.int64)
    for index, (fit, scored, rows) in enumerate(done):
        z[rows] = scored
        fold[fit.split.test] = index
    return OutOfFold(reader.name, z, fold, tuple(fit for fit, _, _ in done))


class _Set(NamedTuple):
    """A reader with the heads that were fitted on one training set, one a penalty."""

    reader: Reader
    weights: Floats
    intercepts: Floats
    fill: Floats

    def score(self, penalty: int) -> tuple[Floats, ExactHead | None]:
        return self.reader.score(self.weights[penalty], float(self.intercepts[penalty]), self.fill)


def _fit_fold(
    reader: Reader | FittedReader, corpus: Corpus, split: Split, *, alpha: float, penalties: Sequence[float]
) -> tuple[FoldFit, Floats, Ints]:
    *inner, whole = _fit_sets(reader, corpus, split, penalties)
    penalties = penalties if len(whole.weights) > 1 else (1.0,)
    held = [split.train[split.inner == j] for j in range(len(inner))]
    chosen, at_edge = _choose(corpus, held, inner)
    successes = []
    for one, rows in zip(inner, held, strict=True):
        scored, _ = one.score(chosen)
        successes.append(_running(scored, corpus, rows)[corpus.failed[rows] == 0])
    tau = threshold(np.concatenate(successes), alpha=alpha)
    scored, head = whole.score(chosen)
    points, _ = _points_of(corpus, split.test)
    spread = float(_running(scored, corpus, split.test).std())
    return FoldFit(split, penalties[chosen], at_edge, tau, head, spread), scored[points], points


def _fit_sets(
    reader: Reader | FittedReader, corpus: Corpus, split: Split, penalties: Sequence[float]
) -> list[_Set]:
    """One training set an inner fold, without that fold, and last the whole."""
    train, counts = _points_of(corpus, split.train)[0], corpus.points.counts[split.train]
    inner_of_point = np.repeat(split.inner, counts)
    weight = np.repeat(1.0 / counts, counts)
    folds = np.arange(int(split.inner.max()) + 1)
    weights = np.concatenate([np.where(inner_of_point == folds[:, None], 0.0, weight), weight[None]])
    failed = np.repeat(corpus.failed[split.train], counts).astype(np.float64)

    def fit(one: Reader, row_weights: Floats) -> list[_Set]:
        features = one.features
        grid = penalties if features.shape[1] > FEW_FEATURES else (1.0,)
        found = fit_path(*_merge_repeats(features[train], failed, row_weights), grid)
        return [_Set(one, *parts) for parts in zip(*found, strict=True)]

    if not isinstance(reader, FittedReader):
        return fit(reader, weights)
    rows = [split.train[split.inner != j] for j in folds] + [split.train]
    return [fit(reader.fit(own), weights[j : j + 1])[0] for j, own in enumerate(rows)]


def _merge_repeats(features: Floats, failed: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """One row for each run of equal rows, with the sum of their weights: the same objective on fewer rows."""
    left, right = features[:-1], features[1:]
    changed = ((left != right) & ~(np.isnan(left) & np.isnan(right))).any(1)
    changed |= (failed[:-1] != failed[1:]) | ((weights[:, :-1] > 0) != (weights[:, 1:] > 0)).any(0)
    starts = np.flatnonzero(np.concatenate([[True], changed]))
    return features[starts], failed[starts], np.add.reduceat(weights, starts, axis=1)


def _points_of(corpus: Corpus, rows: Ints) -> tuple[Ints, Ints]:
    """Indices of the decision points of some trajectories, and the offset of each trajectory's first among them."""
    counts = corpus.points.counts[rows]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return ranges(corpus.points.offsets[rows], counts), offsets


def _running(scored: Floats, corpus: Corpus, rows: Ints) -> Floats:
    points, offsets = _points_of(corpus, rows)
    return running_maximum(scored[points], offsets)


def _choose(corpus: Corpus, held: Sequence[Ints], fitted: Sequence[_Set]) -> tuple[int, bool]:
    """The largest λ whose R4 AUC lies within one standard error of the best; the error is over inner folds."""
    penalties = len(fitted[0].weights)
    if penalties == 1:
        return 0, False
    by_fold = np.full((len(held), penalties), np.nan)
    wins, total = np.zeros(penalties), 0
    for j, (rows, fit) in enumerate(zip(held, fitted, strict=True)):
        points, offsets = _points_of(corpus, rows)
        part = fit.reader.features[points]
        z = np.where(np.isnan(part), fit.fill, part) @ fit.weights.T + fit.intercepts
        r4 = running_maximum(np.round(z.T, 6), offsets)
        one = np.zeros(len(rows), dtype=np.int64)
        for k, scores in enumerate(r4):
            pairs = pooled_pairs(scores, corpus.failed[rows], one, one)
            by_fold[j, k] = auc(pairs, np.ones((1, 1), dtype=np.int64))[0]
            wins[k] += pairs.wins[0].sum()
        total += pairs.total
    if total == 0:
        return penalties - 1, True
    pooled = wins / total
    best = int(pooled.argmax())
    measured = by_fold[~np.isnan(by_fold[:, best]), best]
    error = measured.std(ddof=1) / np.sqrt(len(measured)) if len(measured) > 1 else 0.0
    within = np.flatnonzero(pooled >= pooled[best] - error)
    return int(within.max()), best in (0, penalties - 1)
