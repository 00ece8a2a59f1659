"""What a way of steering the evidence does to alerts: the shape that all of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from armslength.records import Calls, Corpus

from .runs import AttackedRuns

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


def join_steered(parts: Sequence[Sequence[Steered]]) -> list[Steered]:
    """The effects of all folds as one for each number of calls tried."""
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
