"""Landmarks: the score at a fixed point, among the runs that have it."""

import numpy as np
import pytest

from armslength.audit.landmark_rows import MIN_RUNS, landmarks
from armslength.audit.resamples import Resamples, read_path
from armslength.heads import OutOfFold
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.statistics import group_weights


def corpus_of(lengths):
    """Runs with so many decision points: a user speaks, the policy answers."""
    return Corpus.build(
        Trajectory(
            str(i), f"t{i}", f"t{i}", "p",
            tuple(
                Turn(role, writer, f"{i} {t} {role}", t)
                for t in range(n)
                for role, writer in (("user", "user"), ("assistant", "policy"))
            ),
            Outcome(i % 2 == 0, "made up", "A"),
        )
        for i, n in enumerate(lengths)
    )  # fmt: skip


def test_reads_equal_a_loop():
    corpus = corpus_of([1, 3, 5, 2])
    z = np.arange(len(corpus.points), dtype=float)
    paths = np.split(z, corpus.points.offsets[1:-1])
    for k in (1, 2, 3, 4, 6):
        expected = [path[k - 1] if len(path) >= k else np.nan for path in paths]
        assert np.array_equal(read_path(z, corpus, f"R3@{k}"), expected, equal_nan=True)
    for r in (0, 1, 2, 4, 5):
        expected = [path[-1 - r] if len(path) > r else np.nan for path in paths]
        assert np.array_equal(read_path(z, corpus, f"R1-{r}"), expected, equal_nan=True)
    assert np.array_equal(read_path(z, corpus, "R1-0"), read_path(z, corpus, "R1"))


def test_only_runs_that_have_the_point_count():
    """A score that is right at the second point alone: AUC 1 there, and nothing to tell at the first."""
    corpus = corpus_of([2] * 60 + [1] * 40)
    z = np.zeros(len(corpus.points))
    second = corpus.points.offsets[:-1][:60] + 1
    z[second] = corpus.failed[:60]
    groups = len(corpus.group.names)
    weights = group_weights(groups, resamples=50, rng=np.random.default_rng(1))
    run = OutOfFold("strict", z, np.zeros(len(corpus), dtype=np.int64), ())
    rows = {row.read: row for row in landmarks(Resamples(corpus, weights), {"strict": [run]})}
    assert {name: row.at_risk for name, row in rows.items()} == {
        "R3@1": 100, "R3@2": 60, "R1-0": 100, "R1-1": 60,
    }  # fmt: skip
    assert (rows["R3@1"].auc.value, rows["R3@2"].auc.value, rows["R1-1"].auc.value) == (0.5, 1.0, 0.5)
    assert rows["R3@2"].base_rate.value == pytest.approx(0.5)
    assert (rows["R3@2"].failures, rows["R3@2"].auc.n) == (30, 60)


def test_few_runs_and_one_class_are_no_row():
    corpus = corpus_of([2] * (MIN_RUNS - 1) + [1] * 20)
    weights = group_weights(len(corpus.group.names), resamples=10, rng=np.random.default_rng(1))
    run = OutOfFold("strict", np.zeros(len(corpus.points)), np.zeros(len(corpus), dtype=np.int64), ())
    found = {row.read for row in landmarks(Resamples(corpus, weights), {"strict": [run]})}
    assert found == {"R3@1", "R1-0"}


def test_the_last_point_of_all_is_the_read_at_the_end(audited):
    ends = {row.head: row.auc for row in audited.landmarks if row.read == "R1-0"}
    assert ends == {row.head: row.auc for row in audited.scores if row.read == "R1"}
