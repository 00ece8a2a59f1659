"""The exact pool maximum and both ceilings, against greedy substitution search on the same head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from timing import seconds

from armslength.attacks import CHANNELS, Ladder, apply, failing_runs, join
from armslength.certificates import ceilings
from armslength.encoders import StaticTable
from armslength.geometry import prefix_spans
from armslength.heads import LevelReader, cross_fit, grouped_splits
from armslength.records import Corpus
from armslength.scoring import running_maximum, score
from armslength.worlds import make_purchases

RUNS_TIMED, ONE_BY_ONE = 12, 1


def attack_rows(tasks: int) -> Iterator[tuple]:
    """Time all folds; the searches on a few runs, scaled to the same number; M is never lower."""
    corpus = Corpus.build(make_purchases(min(tasks, 200), 6, 0))
    vectors = StaticTable().encode(corpus.texts)
    splits = grouped_splits(corpus.group.codes, seed=0)
    scores = cross_fit(LevelReader(corpus, vectors, "all-role"), corpus, splits, alpha=0.1, threads=2)

    ladder, rng = Ladder(corpus, vectors), np.random.default_rng(0)

    def pool(runs):
        return ladder.pool("successful", runs, "assistant", rng)

    def exact():
        effects = []
        for runs in failing_runs(corpus, vectors, scores):
            own = runs.values[runs.writable_turns("assistant")]
            values = {"assistant": np.minimum(own, pool(runs).lowest())[None]}
            effects.append(apply(runs, values, writable="assistant", kind="pool-maximum", pool="successful"))
        return join(effects), ceilings(corpus, vectors, scores, channels=tuple(CHANNELS))

    ours = seconds(exact)
    runs = failing_runs(corpus, vectors, scores)[0]
    failing = sum(len(part.rows) for part in failing_runs(corpus, vectors, scores))
    donors = np.unique(pool(runs).values)
    best = exact()[0]
    for row in range(RUNS_TIMED):
        z, tau = _greedy(runs, row, donors, batched=True), runs.fit.threshold
        assert z >= _pool_r4(runs, row, donors)
        assert (best.after[list(best.rows).index(runs.rows[row])] == 0) or z > tau
    batched = seconds(lambda: [_greedy(runs, r, donors, batched=True) for r in range(RUNS_TIMED)], times=1)
    single = seconds(lambda: [_greedy(runs, r, donors, batched=False) for r in range(ONE_BY_ONE)], times=1)
    work = (
        f"pool maximum and hull and sphere on all channels, {failing:,} failing runs, {len(donors):,} donors"
    )
    yield work, "greedy search, batched", ours, batched * failing / RUNS_TIMED, "≥ 100×", _note(RUNS_TIMED)
    yield (
        work,
        "greedy search, one query a time",
        ours,
        single * failing / ONE_BY_ONE,
        "≥ 1,000×",
        _note(ONE_BY_ONE),
    )


def _note(runs):
    return f"peer timed on {runs} runs, one channel; M never lower"


def _one(runs, row):
    part = runs.corpus.take(np.array([row]))
    first = runs.corpus.offsets[row]
    values = runs.values[first : runs.corpus.offsets[row + 1]].copy()
    turns = runs.writable_turns("assistant") - first
    turns = turns[(turns >= 0) & (turns < len(values))]
    return part, values, turns


def _greedy(runs, row, donors, *, batched):
    """R4 after replacing each assistant turn, in order, by the donor that lowers R4 (then the last z) most."""
    part, values, turns = _one(runs, row)
    spans, offsets = prefix_spans(part, "all-role"), part.points.offsets
    for turn in turns:
        tried = np.repeat(values[None], len(donors), 0)
        tried[:, turn] = donors
        queries = [tried] if batched else list(tried)
        z = np.vstack([score(runs.head, spans, query) for query in queries])
        order = np.lexsort((z[:, -1], running_maximum(z, offsets)[:, 0]))
        values = tried[order[0]]
    return float(running_maximum(score(runs.head, spans, values), offsets)[0])


def _pool_r4(runs, row, donors):
    part, values, turns = _one(runs, row)
    values[turns] = np.minimum(values[turns], donors.min())
    return float(
        running_maximum(score(runs.head, prefix_spans(part, "all-role"), values), part.points.offsets)[0]
    )
