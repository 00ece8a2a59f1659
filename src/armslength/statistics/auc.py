"""AUC as concordance over comparable pairs, for all resamples at once (method 1.16).

A comparable pair is a failure and a success of the same outer fold: heads of different folds live on different scales,
and pooling over them biases weak scores below one half. The pairs are gathered once into a matrix between groups;
every resample is then one matrix product, exact up to a single division.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Pairs(NamedTuple):
    """Concordance between groups, one block a fold.

    Attributes:
        groups: codes of the groups of each block, shape (g,) each.
        wins: concordant pairs between groups, ties one half; shape (g, g) each, failures in rows.
        counts: comparable pairs, shape (g, g) each.
        linear: weigh a pair by its group once (both runs are always drawn together, as copies that are new groups)
            instead of by the product of the two groups' weights.
    """

    groups: tuple[Ints, ...]
    wins: tuple[Floats, ...]
    counts: tuple[Floats, ...]
    linear: bool

    @property
    def total(self) -> int:
        """Number of comparable pairs."""
        return int(sum(block.sum() for block in self.counts))


def pooled_pairs(score: Floats, failed: Ints, group: Ints, fold: Ints) -> Pairs:
    """All pairs of one fold.

    Args:
        score: shape (n,), higher is riskier; ties count one half.
        failed: shape (n,), 1 for a failure.
        group: shape (n,), codes of the resampled groups.
        fold: shape (n,), outer fold.
    """
    return _gather(score, failed, group, fold, np.zeros_like(fold), linear=False)


def within_pairs(score: Floats, failed: Ints, group: Ints, fold: Ints, task: Ints) -> Pairs:
    """Pairs of one fold and one task; arguments as `pooled_pairs`, `task` of shape (n,)."""
    linear = len(np.unique(np.stack([task, group]), axis=1).T) == len(np.unique(task))
    return _gather(score, failed, group, fold, task, linear=linear)


def auc(pairs: Pairs, weights: Ints) -> Floats:
    """AUC of every resample, shape (B,).

    Args:
        pairs: from `pooled_pairs` or `within_pairs`.
        weights: shape (B, groups), how often each group was drawn.

    Returns:
        NaN for a resample without a comparable pair.
    """
    wins = np.zeros(len(weights))
    counts = np.zeros(len(weights))
    for groups, win, count in zip(pairs.groups, pairs.wins, pairs.counts, strict=True):
        drawn = weights[:, groups].astype(np.float64)
        if pairs.linear:
            wins += drawn @ win.sum(1)
            counts += drawn @ count.sum(1)
        else:
            wins += np.einsum("bg,bg->b", drawn @ win, drawn)
            counts += np.einsum("bg,bg->b", drawn @ count, drawn)
    concordance: Floats = np.divide(wins, counts, out=np.full(len(weights), np.nan), where=counts > 0)
    return concordance


def _gather(score: Floats, failed: Ints, group: Ints, fold: Ints, block: Ints, *, linear: bool) -> Pairs:
    groups: list[Ints] = []
    wins: list[Floats] = []
    counts: list[Floats] = []
    for value in np.unique(fold):
        rows = np.flatnonzero(fold == value)
        codes, local = np.unique(group[rows], return_inverse=True)
        bad, good = rows[failed[rows] == 1], rows[failed[rows] == 0]
        bad_group, good_group = local[failed[rows] == 1], local[failed[rows] == 0]
        comparable = block[bad, None] == block[None, good]
        above = score[bad, None] > score[None, good]
        tied = score[bad, None] == score[None, good]
        won = np.where(comparable, above + 0.5 * tied, 0.0)
        groups.append(codes)
        wins.append(_between(won, bad_group, good_group, len(codes)))
        counts.append(_between(comparable.astype(np.float64), bad_group, good_group, len(codes)))
    return Pairs(tuple(groups), tuple(wins), tuple(counts), linear)


def _between(pairs: Floats, rows: Ints, columns: Ints, groups: int) -> Floats:
    """Sum a matrix of pairs into a matrix between groups."""
    by_row = _sum_rows(pairs, rows, groups)
    return _sum_rows(by_row.T, columns, groups).T


def _sum_rows(matrix: Floats, codes: Ints, groups: int) -> Floats:
    out = np.zeros((groups, matrix.shape[1]))
    if len(codes):
        order = np.argsort(codes, kind="stable")
        present, starts = np.unique(codes[order], return_index=True)
        out[present] = np.add.reduceat(matrix[order], starts, axis=0)
    return out
