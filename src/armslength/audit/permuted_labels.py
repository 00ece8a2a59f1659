"""Labels that were shuffled: what is fitted on them must tell nothing (method 1.17).

Tests: ``tests/audit/test_permuted_labels.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armslength.heads import OutOfFold
from armslength.records import Corpus

from .model import Control
from .resamples import MIN_PAIRS, Ints, Resamples


def permuted_labels(
    resamples: Resamples, pairs: int, fit: Callable[[Corpus], OutOfFold], *, seed: int
) -> Control:
    """Fit on shuffled outcomes and look whether the score knows the shuffled outcomes of the test folds.

    Args:
        resamples: of the measured trajectories.
        pairs: comparable pairs within tasks.
        fit: cross-fits the strict head on a corpus.
        seed: of the shuffling.

    Returns:
        A control that passes if the interval of the AUC holds 0.5, which chance alone denies once in twenty. Where
        pairs are enough, outcomes are shuffled and compared within tasks, so that difficulty stays; else over all.
    """
    within = pairs >= MIN_PAIRS
    corpus, rng = resamples.corpus, np.random.default_rng([seed, 2])
    blocks = corpus.task.codes if within else np.zeros(len(corpus), dtype=np.int64)
    shuffled = replace(corpus, failed=shuffled_within(corpus.failed, blocks, rng))
    found = Resamples(shuffled, resamples.weights)
    concordance = found.concordance([fit(shuffled)], "R1")
    estimate = (
        found.within(concordance.within, concordance.pairs) if within else found.pooled(concordance.pooled)
    )
    where = "within tasks" if within else "over all runs"
    detail = f"strict head fitted on outcomes shuffled {where}: AUC {estimate.text()}, 0.5 expected"
    low, high = estimate.low, estimate.high
    holds = low is None or high is None or low <= 0.5 <= high
    return Control("permuted labels", holds, estimate, detail)


def shuffled_within(values: Ints, blocks: Ints, rng: np.random.Generator) -> Ints:
    """The values in another order, each within its block; shape (n,) both."""
    order = np.lexsort([rng.random(len(values)), blocks])
    made = np.empty_like(values)
    made[np.argsort(blocks, kind="stable")] = values[order]
    return made
