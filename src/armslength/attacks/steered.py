"""What a way of steering the evidence does to alerts: the shape that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Calls, Corpus, find_calls

from .runs import AttackedRuns, failing_runs

#: How many calls are tried at each place; the best is taken. A smaller number tries the first of a larger one's.
TRIED: Final = (1, 5, 20)


@dataclass(frozen=True)
class Steered:
    """What one way of steering did to the failing runs that alerted.

    Attributes:
        best_of: how many calls were tried.
        rows: shape (m,), failing trajectories with an alert, as rows of the corpus.
        able: shape (m,), whether the training folds hold a result of a tool that the run calls.
        after: shape (m,), share of draws in which R4 still alerts.
    """

    best_of: int
    rows: npt.NDArray[np.int64]
    able: npt.NDArray[np.bool_]
    after: npt.NDArray[np.float64]


OfFold = Callable[[Corpus, Calls, AttackedRuns, np.random.Generator], list[Steered]]


def steer(
    corpus: Corpus, vectors: Vectors, scores: OutOfFold, of_fold: OfFold, *, seed: int, stream: int
) -> list[Steered]:
    """Try one way of steering on every failing run with an alert, fold by fold.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        scores: out-of-fold scores of an exact head.
        of_fold: what it does to the runs of one fold, an effect for each number in `TRIED`.
        seed: of the calls that are drawn.
        stream: tells the draws of one way of steering from those of another.

    Returns:
        One effect for each number in `TRIED`, over all folds.
    """
    calls = find_calls(corpus)
    parts = [
        of_fold(corpus, calls, runs, np.random.default_rng([seed, fold, stream]))
        for fold, runs in enumerate(failing_runs(corpus, vectors, scores))
    ]
    return [
        Steered(
            same[0].best_of,
            np.concatenate([effect.rows for effect in same]),
            np.concatenate([effect.able for effect in same]),
            np.concatenate([effect.after for effect in same]),
        )
        for same in zip(*parts, strict=True)
    ]


def successful_calls(corpus: Corpus, calls: Calls, runs: AttackedRuns) -> Calls:
    """Calls of the training runs that succeeded."""
    train = runs.fit.split.train
    good = np.zeros(len(corpus), dtype=bool)
    good[train[corpus.failed[train] == 0]] = True
    return calls.where(good[calls.owner])
