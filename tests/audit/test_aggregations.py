"""Aggregations: each equals a loop, and the first and the highest are the reads they are named after."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.audit.aggregation_rows import AGGREGATIONS, aggregate
from armslength.records import Corpus, Outcome, Trajectory, Turn

LOOPS = {
    "last": lambda path: path[-1],
    "mean": lambda path: sum(path) / len(path),
    "min": min,
    "max": max,
    "sum": sum,
    "potential difference": lambda path: path[-1] - path[0],
}
PATHS = st.lists(st.lists(st.floats(-9, 9), min_size=1, max_size=6), min_size=1, max_size=5)


def corpus_of(lengths):
    return Corpus.build(
        Trajectory(
            str(i), f"t{i}", f"t{i}", "p",
            tuple(
                Turn(role, writer, f"{i} {t} {role}", t)
                for t in range(n)
                for role, writer in (("user", "user"), ("assistant", "policy"))
            ),
            Outcome(True, "made up", "A"),
        )
        for i, n in enumerate(lengths)
    )  # fmt: skip


@pytest.mark.parametrize("kind", AGGREGATIONS)
@given(PATHS)
def test_each_equals_a_loop(kind, paths):
    corpus = corpus_of([len(path) for path in paths])
    made = aggregate(np.concatenate(paths), corpus, kind)
    assert made == pytest.approx([LOOPS[kind](path) for path in paths], abs=1e-6)


@given(PATHS)
def test_potential_differences_telescope(paths):
    """The sum of the steps is the last minus the first."""
    corpus = corpus_of([len(path) for path in paths])
    steps = [sum(b - a for a, b in itertools.pairwise(path)) for path in paths]
    assert aggregate(np.concatenate(paths), corpus, "potential difference") == pytest.approx(steps, abs=1e-6)


def test_last_and_max_are_the_reads_at_the_end_and_of_the_alert(audited):
    for kind, read in (("last", "R1"), ("max", "R4")):
        rows = {row.head: (row.auc, row.auc_within_task) for row in audited.aggregations if row.kind == kind}
        assert rows == {
            row.head: (row.auc, row.auc_within_task) for row in audited.scores if row.read == read
        }
    assert {row.kind for row in audited.aggregations} == set(AGGREGATIONS)
