"""Prefix features at all decision points, against computing each prefix by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from timing import seconds

from armslength.encoders import UNIT, StaticTable
from armslength.geometry import levels, prefix_spans
from armslength.records import Corpus, Trajectory
from armslength.worlds import make_purchases


def feature_rows(tasks: int) -> Iterator[tuple]:
    """The runs as they are, and joined into long ones: what a prefix costs grows with its length only by itself."""
    runs = list(make_purchases(min(tasks, 200), 6, 0))
    for joined in (1, 20):
        yield _row(Corpus.build(_join(runs, joined)))


def _join(runs: Sequence[Trajectory], count: int) -> Iterator[Trajectory]:
    for start in range(0, len(runs), count):
        first = runs[start]
        turns = tuple(turn for run in runs[start : start + count] for turn in run.turns)
        yield Trajectory(first.id, first.task, first.group, first.policy, turns, first.outcome)


def _row(corpus: Corpus) -> tuple:
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
    length = len(corpus.points) / len(corpus)
    return (
        f"prefix features of {len(corpus.points):,} decision points, {length:.0f} a run, four roles",
        "each prefix by itself", seconds(ours), seconds(direct, times=1), "≥ 20×", "equal to 1e-12",
    )  # fmt: skip
