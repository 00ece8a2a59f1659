"""Prefix features at all decision points, against computing each prefix by itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from timing import seconds

from armslength.encoders import UNIT, StaticTable
from armslength.geometry import levels, prefix_spans
from armslength.records import Corpus
from armslength.worlds import make_purchases


def feature_rows(tasks: int) -> Iterator[tuple]:
    """Equal to 1e-12, then timed."""
    corpus = Corpus.build(make_purchases(min(tasks, 200), 6, 0))
    vectors = StaticTable().encode(corpus.texts)

    def ours():
        return levels(vectors, corpus, prefix_spans(corpus, "all-role"))

    def direct():
        spans = prefix_spans(corpus, "all-role")
        rows = []
        for point in range(len(corpus.points)):
            parts = []
            for turns, low, high in zip(*spans, strict=True):
                mine = turns[low[point] : high[point]]
                part = vectors[corpus.text[mine]].astype(np.float64) / UNIT
                parts.append(part.mean(0) if len(mine) else np.zeros(vectors.shape[1]))
            rows.append(np.concatenate(parts))
        return np.array(rows)

    assert np.abs(ours() - direct()).max() < 1e-12
    yield (
        f"prefix features of {len(corpus.points):,} decision points, four roles", "each prefix by itself",
        seconds(ours), seconds(direct, times=1), "≥ 20×", "equal to 1e-12",
    )  # fmt: skip
