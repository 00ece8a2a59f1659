"""What explanations read: each against a loop over the turns before a point."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.heads import length, policy_prior, skeleton, task_identity, tool_names
from armslength.heads.explanations import BUCKETS
from armslength.records import Corpus, Outcome, Trajectory, Turn

KINDS = {
    "u": ("user", "user"),
    "a": ("assistant", "policy"),
    "c": ("tool_call", "policy"),
    "r": ("tool_result", "world"),
    "s": ("system", "task"),
}
RUNS = st.lists(st.text("uacrs", max_size=9), min_size=1, max_size=4)


def corpus_of(runs, *, policies="p", names="f", failed=None, tasks=None):
    """Runs from strings of kinds; every turn has a text of its own, calls take the tools' names in turn."""
    return Corpus.build(
        Trajectory(
            str(i), tasks[i] if tasks else str(i), tasks[i] if tasks else str(i), policies[i % len(policies)],
            tuple(
                Turn(*KINDS[kind], f"{names[t % len(names)] if kind == 'c' else 'text'} {i} {t}", t)
                for t, kind in enumerate(run)
            ),
            Outcome(not (failed and failed[i]), "made up", "A"),
        )
        for i, run in enumerate(runs)
    )  # fmt: skip


def prefixes(corpus, runs):
    """The kinds before each point, and the number of the point in its run."""
    seen = Counter()
    for point, row in enumerate(corpus.points.trajectory):
        seen[row] += 1
        kept = runs[int(corpus.trajectories[row].id)]
        yield kept[: corpus.points.end[point] - corpus.offsets[row]], seen[row]


@settings(max_examples=100, deadline=None)
@given(RUNS)
def test_length_and_skeleton_equal_a_loop(runs):
    corpus = corpus_of(runs)
    lengths, shapes = [], []
    for before, number in prefixes(corpus, runs):
        counts = [before.count(kind) for kind in "uacr"]
        lengths.append([math.log1p(len(before)), math.log1p(number)])
        shapes.append(
            [*map(math.log1p, counts), *(float(n > 0) for n in counts), *(before[-1] == k for k in "uacr")]
        )
    assert np.allclose(length(corpus).features, np.reshape(lengths, (-1, 2)))
    assert np.allclose(skeleton(corpus).features, np.reshape(shapes, (-1, 12)))


@settings(max_examples=100, deadline=None)
@given(RUNS)
def test_tool_names_equal_a_loop(runs):
    """Shares of the calls so far; two names that do not share a bucket have a column each."""
    corpus = corpus_of(runs, names=["look", "buy"])
    expected = []
    for before, _ in prefixes(corpus, runs):
        calls = ["look" if t % 2 == 0 else "buy" for t, kind in enumerate(before) if kind == "c"]
        expected.append(sorted(calls.count(n) / len(calls) if calls else 0.0 for n in ("look", "buy")))
    reader = tool_names(corpus)
    if reader is None:
        assert not any(kind == "c" for run in runs for kind in run if "u" in run or "r" in run)
        return
    padded = [sorted([*row, 0.0, 0.0])[-2:] for row in reader.features.tolist()]
    assert np.allclose(np.reshape(padded, (-1, 2)), np.reshape(expected, (-1, 2)))


def test_many_tools_share_columns():
    corpus = corpus_of(["u" + "c" * 600 + "r"], names=[f"tool{n}" for n in range(600)])
    features = tool_names(corpus).features
    assert features.shape[1] <= BUCKETS
    assert features[-1].sum() == pytest.approx(1)


def test_arguments_are_not_read():
    """The same tools with other arguments are the same."""
    one, two = (corpus_of(["ucr" * 3], names=[f"look {word}"]) for word in ("a", "b"))
    assert np.array_equal(tool_names(one).features, tool_names(two).features)


def test_one_policy_explains_nothing():
    assert policy_prior(corpus_of(["ua", "ur"])) is None
    corpus = corpus_of(["uau", "ur", "u"], policies="pq")
    rows = policy_prior(corpus).features
    assert rows.sum(1).tolist() == [1.0] * len(corpus.points)
    assert rows.argmax(1).tolist() == corpus.policy.codes[corpus.points.trajectory].tolist()


def test_task_identity_leaves_the_run_itself_out():
    runs, failed = ["ua", "uua", "uuua", "ur"], [True, False, True, True]
    values = task_identity(corpus_of(runs, failed=failed, tasks=["x", "x", "x", "y"]))
    assert values[:3].tolist() == [0.5, 1.0, 0.5]
    assert np.isnan(values[3])
