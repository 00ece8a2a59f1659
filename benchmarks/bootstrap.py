"""2,000 group-bootstrap AUCs and a paired difference, against a loop over scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from timing import seconds

from armslength.statistics import auc, group_weights, pooled_pairs

RUNS, GROUPS, FOLDS, RESAMPLES, SAMPLE = 4000, 800, 5, 2000, 40


def bootstrap_rows(tasks: int) -> Iterator[tuple]:
    """Equal to 1e-12 on a sample of resamples, then timed."""
    from sklearn.metrics import roc_auc_score

    del tasks
    rng = np.random.default_rng(0)
    group = rng.integers(0, GROUPS, RUNS)
    group[:GROUPS] = np.arange(GROUPS)
    fold = group % FOLDS
    failed = rng.integers(0, 2, RUNS)
    scores = [np.round(rng.normal(size=RUNS) + failed, 2) for _ in range(2)]
    weights = group_weights(GROUPS, resamples=RESAMPLES, rng=rng)

    def ours():
        one, other = (auc(pooled_pairs(score, failed, group, fold), weights) for score in scores)
        return one, one - other

    def one_of_sklearn(score, row):
        weight = weights[row][group]
        wins = pairs = 0.0
        for f in range(FOLDS):
            mine = fold == f
            share = weight[mine & (failed == 1)].sum() * weight[mine & (failed == 0)].sum()
            wins += share * roc_auc_score(failed[mine], score[mine], sample_weight=weight[mine])
            pairs += share
        return wins / pairs

    found, difference = ours()
    for row in range(SAMPLE):
        theirs = [one_of_sklearn(score, row) for score in scores]
        assert abs(found[row] - theirs[0]) < 1e-12
        assert abs(difference[row] - (theirs[0] - theirs[1])) < 1e-12
    part = seconds(lambda: [one_of_sklearn(s, r) for r in range(SAMPLE) for s in scores], times=2)
    yield (
        f"{RESAMPLES:,} bootstrap AUCs of two scores and their difference, {RUNS:,} runs, {GROUPS} groups",
        "loop over sklearn.metrics.roc_auc_score", seconds(ours), part * (RESAMPLES + 1) / SAMPLE, "≥ 35×",
        f"peer timed on {SAMPLE} resamples; equal to 1e-12",
    )  # fmt: skip
