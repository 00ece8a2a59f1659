"""One score, read in several ways: the policy may choose how often it is scored, so the way matters (method 1.8).

Tests: ``tests/audit/test_aggregations.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from armslength.heads import OutOfFold
from armslength.records import Corpus

from .model import Aggregation
from .resamples import Floats, Ints, Resamples


def _sums(z: Floats, starts: Ints) -> Floats:
    return np.add.reduceat(z, starts)


#: What becomes of the scores z at a run's points, given the first point of each run and their number.
AGGREGATIONS: Final[Mapping[str, Callable[[Floats, Ints, Ints], Floats]]] = {
    "last": lambda z, starts, counts: z[starts + counts - 1],
    "mean": lambda z, starts, counts: _sums(z, starts) / counts,
    "min": lambda z, starts, _: np.minimum.reduceat(z, starts),
    "max": lambda z, starts, _: np.maximum.reduceat(z, starts),
    "sum": lambda z, starts, _: _sums(z, starts),
    "potential difference": lambda z, starts, counts: z[starts + counts - 1] - z[starts],
}


def aggregations(resamples: Resamples, heads: Mapping[str, Sequence[OutOfFold]]) -> list[Aggregation]:
    """AUC of each head under each aggregation, pooled and within tasks.

    Args:
        resamples: of the measured trajectories.
        heads: scores by name, one for each fold seed.

    Returns:
        A row for each head and aggregation, in the order of `AGGREGATIONS`.
    """
    rows = []
    for name, runs in heads.items():
        for kind in AGGREGATIONS:
            made = [(aggregate(run.z, resamples.corpus, kind), run.fold) for run in runs]
            found = resamples.concordance_of(made)
            within = resamples.within(found.within, found.pairs)
            rows.append(Aggregation(name, kind, resamples.pooled(found.pooled), within, found.pairs))
    return rows


def aggregate(z: Floats, corpus: Corpus, kind: str) -> Floats:
    """One number a run, shape (n,), cut to 1e-6: sums of floats would break ties."""
    values = AGGREGATIONS[kind](z, corpus.points.offsets[:-1], corpus.points.counts)
    rounded: Floats = np.round(values, 6)
    return rounded
