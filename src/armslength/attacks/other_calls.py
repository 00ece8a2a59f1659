"""Call author: other calls bring other results (method 1.8).

A call of the run is replaced by one of the same tool from a training run that succeeded, together with the result that
this very call returned there. So the policy writes the call, and the evidence follows. A call whose tool nobody else
called stays: what it would bring is not known.

Tests: ``tests/attacks/test_other_calls.py``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Calls, Corpus
from armslength.scoring import running_maximum, score

from .adversaries import DRAWS
from .donors import DonorPool
from .runs import AttackedRuns
from .steered import TRIED, Steered, steer, successful_calls

Ints = npt.NDArray[np.int64]


def call_author(corpus: Corpus, vectors: Vectors, scores: OutOfFold, *, seed: int) -> list[Steered]:
    """Try it on every failing run with an alert.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        scores: out-of-fold scores of an exact head.
        seed: of the calls that are drawn.

    Returns:
        One effect for each number in `TRIED`: the lowest of so many drawn calls with its result, or the call itself.
    """
    return steer(corpus, vectors, scores, _of_fold, seed=seed, stream=4)


def _of_fold(corpus: Corpus, calls: Calls, runs: AttackedRuns, rng: np.random.Generator) -> list[Steered]:
    donors, own = successful_calls(corpus, calls, runs), calls.where(np.isin(calls.owner, runs.rows))
    changed = np.tile(runs.values, (len(TRIED), DRAWS, 1))
    able = np.zeros(len(runs.rows), dtype=bool)
    for tool in np.unique(own.tool):
        asked, given = own.where(own.tool == tool), donors.where(donors.tool == tool)
        task, given_task = corpus.task.codes[asked.owner], corpus.task.codes[given.owner]
        served = np.array([bool((given_task != code).any()) for code in task])
        asked = asked.where(served)
        if len(asked):
            able |= np.isin(runs.rows, asked.owner)
            pool = DonorPool(np.arange(len(given)), given_task, task[served])
            drawn = np.stack([pool.draw(max(TRIED), rng) for _ in range(DRAWS)])
            _replace(changed, corpus, runs, asked=asked, given=given, drawn=drawn)
    offsets = runs.corpus.points.offsets
    alerted = running_maximum(runs.before, offsets) > runs.threshold
    effects = []
    for count, values in zip(TRIED, changed, strict=True):
        still = running_maximum(score(runs.head, runs.spans, values), offsets) > runs.threshold
        effects.append(Steered(count, runs.rows[alerted], able[alerted], still.mean(0)[alerted]))
    return effects


def _replace(
    changed: Ints, corpus: Corpus, runs: AttackedRuns, *, asked: Calls, given: Calls, drawn: Ints
) -> None:
    """Put the best of the first drawn calls, and its result, in the place of each call where it is better.

    Args:
        changed: shape (len(TRIED), DRAWS, turns of the runs), changed in place.
        corpus: the trajectories.
        runs: the runs of one fold.
        asked: calls of the runs.
        given: calls that may stand for them.
        drawn: shape (DRAWS, asked, max(TRIED)), indices into `given`.
    """
    worth = runs.every[given.call] + runs.every[given.result]
    own = runs.every[asked.call] + runs.every[asked.result]
    run = np.searchsorted(runs.rows, asked.owner)
    shift = runs.corpus.offsets[run] - corpus.offsets[asked.owner]
    for index, count in enumerate(TRIED):
        best = worth[drawn[:, :, :count]].argmin(-1)[..., None]
        chosen = np.take_along_axis(drawn, best, -1)[..., 0]
        better = worth[chosen] < own
        for place, value in ((asked.call, given.call), (asked.result, given.result)):
            changed[index][:, place + shift] = np.where(better, runs.every[value][chosen], runs.every[place])
