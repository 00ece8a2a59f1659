"""The thirty logistic regressions of one outer fold, against scikit-learn's, one at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from timing import seconds

from armslength.encoders import StaticTable
from armslength.heads import PENALTIES, LevelReader, fit_path, grouped_splits
from armslength.records import Corpus
from armslength.worlds import make_purchases


def fit_rows(tasks: int) -> Iterator[tuple]:
    """Strict head of the demo's data; the reference converges to its default tolerance."""
    from sklearn.linear_model import LogisticRegression

    corpus = Corpus.build(make_purchases(min(tasks, 60), 6, 0))
    features = LevelReader(corpus, StaticTable().encode(corpus.texts), "strict").features
    split = grouped_splits(corpus.group.codes, seed=0)[0]
    owner = corpus.points.trajectory
    rows = np.isin(owner, split.train)
    inner = np.zeros(len(corpus), dtype=int)
    inner[split.train] = split.inner
    weight = (1.0 / corpus.points.counts)[owner[rows]]
    sets = np.stack([*(np.where(inner[owner[rows]] == j, 0.0, weight) for j in range(4)), weight])
    failed = corpus.failed[owner[rows]].astype(float)
    x = features[rows]

    def theirs():
        for one in sets:
            kept = one > 0
            mean = np.average(x[kept], axis=0, weights=one[kept])
            spread = np.sqrt(np.average((x[kept] - mean) ** 2, axis=0, weights=one[kept]))
            standard = (x[kept] - mean) / np.where(spread > 0, spread, 1.0)
            for penalty in PENALTIES:
                head = LogisticRegression(C=1 / penalty, max_iter=2000)
                head.fit(standard, failed[kept], sample_weight=one[kept])

    yield (
        f"thirty logistic fits of a fold, {len(x):,} rows, {x.shape[1]} features", "scikit-learn, one at a time",
        seconds(lambda: fit_path(x, failed, sets, PENALTIES)), seconds(theirs, times=1), "–",
        "equal within the tolerance of a test",
    )  # fmt: skip
