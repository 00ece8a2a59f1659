"""Folds by group: nothing of a group is on both sides (method 1.5). Labels play no part in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

OUTER, INNER = 5, 4


@dataclass(frozen=True)
class Split:
    """One outer fold: the rows that are scored, and the inner fold of each training row.

    Attributes:
        test: rows of the trajectories that this fold scores.
        train: rows that everything is fitted on.
        inner: shape (len(train),), inner fold of each training row.
    """

    test: Ints
    train: Ints
    inner: Ints


def grouped_splits(
    group: Ints, *, seed: int, outer: int = OUTER, inner: int = INNER, held_out: Ints | None = None
) -> list[Split]:
    """Deal the groups into outer folds, and the training groups of each into inner folds.

    Args:
        group: shape (n,), codes of the groups.
        seed: of the shuffles.
        outer: number of outer folds; fewer where there are fewer groups.
        inner: number of inner folds; fewer where there are fewer groups.
        held_out: shape (n,), codes of what the outer folds hold out as a whole, such as policies; the groups if None.

    Returns:
        One split an outer fold; the tests partition the rows.
    """
    rng = np.random.default_rng(seed)
    fold = _deal(group if held_out is None else held_out, outer, rng)
    splits = []
    for value in range(int(fold.max()) + 1):
        test, train = np.flatnonzero(fold == value), np.flatnonzero(fold != value)
        splits.append(Split(test, train, _deal(group[train], inner, rng)))
    return splits


def _deal(group: Ints, folds: int, rng: np.random.Generator) -> Ints:
    """Shuffle the groups and deal them out, the largest first, each to the fold with the fewest rows."""
    codes, local, size = np.unique(group, return_inverse=True, return_counts=True)
    order = rng.permutation(len(codes))
    order = order[np.argsort(-size[order], kind="stable")]
    load = np.zeros(min(folds, len(codes)), dtype=np.int64)
    fold_of = np.zeros(len(codes), dtype=np.int64)
    for code in order:
        fold_of[code] = int(load.argmin())
        load[fold_of[code]] += size[code]
    return fold_of[local]
