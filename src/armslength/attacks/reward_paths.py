"""The score path of a black-box reward: its value for the prefix at each decision point, read as a risk (method 1.18).

- Asked at the decision points after the policy's first turn: before it there is nothing to reward.
- Risk is the rank of minus the reward among the points of the training folds, each run counting once: a monotone map
  that no label enters.
- A run with a point whose reward is unmeasured is left out and counted.

Tests: ``tests/attacks/test_reward_paths.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from armslength.heads import FoldFit, OutOfFold, Split
from armslength.records import WRITER_CODE, Corpus, DecisionPoints, ranges
from armslength.scoring import running_maximum
from armslength.statistics import threshold

from .answers import Failure
from .black_box import Reward, visible

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

NAME: Final = "reward"

NOTHING_WRITTEN: Final = "no decision point after the policy's first turn"
NOT_ASKED: Final = "beyond the calls set aside for scores"
UNMEASURED: Final = "reward unmeasured at a decision point"


@dataclass(frozen=True)
class Paths:
    """What a reward says of the runs.

    Attributes:
        corpus: the m runs whose reward is known at every point, with the points at which it was asked.
        rows: shape (m,), the runs as rows of the whole corpus.
        points: shape (points,), their points as points of the whole corpus.
        reward: shape (points,), the reward of the prefix that ends there.
        whole: shape (n,), over the whole corpus: the reward of all turns of a run, NaN where it is not known.
        left_out: how many runs have no path, by reason.
    """

    corpus: Corpus
    rows: Ints
    points: Ints
    reward: Floats
    whole: Floats
    left_out: dict[str, int]

    def of(self, scores: OutOfFold) -> OutOfFold:
        """Scores of the whole corpus at these runs and points."""
        return OutOfFold(scores.name, scores.z[self.points], scores.fold[self.rows], ())


@dataclass(frozen=True)
class Ranks:
    """A monotone map from rewards to risks in [0, 1].

    Attributes:
        risks: shape (values,), the risks of the training points in rising order.
        below: shape (values + 1,), the weight of those before each.
    """

    risks: Floats
    below: Floats

    @classmethod
    def fit(cls, reward: Floats, weight: Floats) -> Ranks:
        """Rank the rewards of training points."""
        order = np.argsort(-reward, kind="stable")
        return cls(-reward[order], np.concatenate([[0.0], np.cumsum(weight[order])]))

    def __call__(self, reward: Floats) -> Floats:
        """The share of training weight with a lower risk, ties half; 0.5 without any training point."""
        if not len(self.risks):
            return np.full(np.shape(reward), 0.5)
        low = self.below[np.searchsorted(self.risks, -reward, side="left")]
        high = self.below[np.searchsorted(self.risks, -reward, side="right")]
        risk: Floats = np.round((low + high) / (2 * self.below[-1]), 6)
        return risk


def ask_paths(corpus: Corpus, reward: Reward, *, calls: int, seed: int) -> Paths:
    """Ask for the reward of every prefix, and of every whole run.

    Args:
        corpus: the trajectories.
        reward: the black box.
        calls: how many calls this may take; runs beyond them, in random order, are left out.
        seed: of that order.
    """
    after = _after_writing(corpus)
    counts = after.points.counts
    candidates = np.flatnonzero(counts > 0)
    order = np.random.default_rng([seed, 3]).permutation(candidates)
    asked = np.sort(order[np.cumsum(counts[order] + 1) <= calls])
    values = _ask(after, reward, asked)
    whole = np.full(len(corpus), np.nan)
    whole[asked] = [path[-1] for path in values]
    known = np.array([not np.isnan(path[:-1]).any() for path in values], dtype=bool)
    rows = asked[known] if len(asked) else asked
    left_out = {
        NOTHING_WRITTEN: len(corpus) - len(candidates),
        NOT_ASKED: len(candidates) - len(asked),
        UNMEASURED: len(asked) - len(rows),
    }
    kept = [path[:-1] for path, there in zip(values, known, strict=True) if there]
    places = ranges(after.points.offsets[rows], counts[rows])
    return Paths(
        after.take(rows),
        rows,
        np.flatnonzero(_written(corpus))[places],
        np.concatenate([np.zeros(0), *kept]),
        whole,
        {reason: count for reason, count in left_out.items() if count},
    )


def score_paths(paths: Paths, fold: Ints, folds: int, *, alpha: float) -> tuple[OutOfFold, list[Ranks]]:
    """Risks of the runs under one assignment to folds, with an operating point from the training successes.

    Args:
        paths: what the reward says.
        fold: shape (m,), fold of each run.
        folds: how many folds there are.
        alpha: rate of false alarms that τ aims at.

    Returns:
        The scores, and the map of each fold.
    """
    corpus = paths.corpus
    counts = corpus.points.counts
    weight = np.repeat(1.0 / counts, counts)
    of_point = np.repeat(fold, counts)
    z = np.full(len(corpus.points), np.nan)
    fits, maps = [], []
    for index in range(folds):
        test, train = np.flatnonzero(fold == index), np.flatnonzero(fold != index)
        ranks = Ranks.fit(paths.reward[of_point != index], weight[of_point != index])
        risk = ranks(paths.reward)
        z[of_point == index] = risk[of_point == index]
        r4 = running_maximum(risk, corpus.points.offsets)
        tau = threshold(r4[train[corpus.failed[train] == 0]], alpha=alpha)
        spread = float(r4[test].std()) if len(test) else 0.0
        split = Split(test, train, np.zeros(len(train), dtype=np.int64))
        fits.append(FoldFit(split, 0.0, False, tau, None, spread))
        maps.append(ranks)
    return OutOfFold(NAME, z, fold, tuple(fits)), maps


def _ask(after: Corpus, reward: Reward, rows: Ints) -> list[Floats]:
    """Rewards of the prefixes of each run, and last of the whole run; NaN where unmeasured."""
    prefixes, sizes = [], []
    for row in rows:
        run = visible(after.trajectories[row])
        ends = (
            after.points.end[after.points.offsets[row] : after.points.offsets[row + 1]] - after.offsets[row]
        )
        prefixes += [*(visible(run, int(end)) for end in ends), run]
        sizes.append(len(ends) + 1)
    answers = np.array(
        [np.nan if isinstance(a, Failure) else a for a in reward.ask(prefixes)], dtype=np.float64
    )
    return np.split(answers, np.cumsum(sizes)[:-1]) if sizes else []


def _written(corpus: Corpus) -> npt.NDArray[np.bool_]:
    """Points whose prefix holds a turn that the policy wrote."""
    written: npt.NDArray[np.bool_] = corpus.count_in_prefix(corpus.writer == WRITER_CODE["policy"]) > 0
    return written


def _after_writing(corpus: Corpus) -> Corpus:
    """The same runs with the points before the policy's first turn left out; some may have none."""
    kept = _written(corpus)
    before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    points = DecisionPoints(before[corpus.points.offsets], corpus.points.end[kept], corpus.points.run[kept])
    return replace(corpus, points=points)
