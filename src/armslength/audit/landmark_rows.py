"""How a score predicts at a fixed decision point, and with the last ones left out (method 1.5, 1.17).

A run that is still going says something by itself: the base rate of those at risk stands beside each figure.

Tests: ``tests/audit/test_landmarks.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from armslength.heads import OutOfFold

from .model import Landmark
from .resamples import Ints, Resamples, read_path

#: Points from the start, counted from 1, and points left out at the end.
POINTS: Final = (1, 2, 3, 5, 8, 13, 21)
REMOVED: Final = (0, 1, 2, 3, 5, 8)

#: Fewer runs at risk than this are no row.
MIN_RUNS: Final = 40


def landmarks(resamples: Resamples, heads: Mapping[str, Sequence[OutOfFold]]) -> list[Landmark]:
    """Each head at each landmark that enough runs of both outcomes reach.

    Args:
        resamples: of the measured trajectories.
        heads: scores by name, one for each fold seed.

    Returns:
        ``R3@k``, the k-th point, then ``R1-r``, the point r before the last.
    """
    reads = [*(f"R3@{k}" for k in POINTS), *(f"R1-{r}" for r in REMOVED)]
    rows = []
    for read in reads:
        at_risk = ~np.isnan(read_path(np.zeros(len(resamples.corpus.points)), resamples.corpus, read))
        if at_risk.sum() >= MIN_RUNS and len(np.unique(resamples.corpus.failed[at_risk])) == 2:
            rows += [
                _row(resamples, name, runs, read, np.flatnonzero(at_risk)) for name, runs in heads.items()
            ]
    return rows


def _row(resamples: Resamples, head: str, runs: Sequence[OutOfFold], read: str, rows: Ints) -> Landmark:
    failed = resamples.corpus.failed.astype(np.float64)
    found = resamples.concordance(runs, read, rows)
    base = resamples.share(failed[rows], np.ones(len(rows)), rows, n=len(rows))
    return Landmark(
        head, read, len(rows), int(failed[rows].sum()), base, resamples.pooled(found.pooled, rows)
    )
