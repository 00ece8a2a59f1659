"""Shuffled outcomes: kept in number, told by nothing honest, and told by a score that saw them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.audit.permuted_labels import permuted_labels, shuffled_within
from armslength.audit.resamples import Resamples
from armslength.heads import OutOfFold
from armslength.records import Corpus
from armslength.statistics import group_weights
from armslength.worlds import make_purchases


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=40), st.integers(0, 99))
def test_each_block_keeps_its_outcomes(rows, seed):
    failed, blocks = np.array(rows).T
    made = shuffled_within(failed, blocks, np.random.default_rng(seed))
    for block in set(blocks.tolist()):
        assert sorted(made[blocks == block]) == sorted(failed[blocks == block])


def test_blocks_are_really_shuffled():
    failed, blocks = np.arange(60), np.repeat([2, 0, 1], 20)
    made = shuffled_within(failed, blocks, np.random.default_rng(0))
    assert not np.array_equal(made, failed)
    assert {tuple(sorted(made[i : i + 20])) for i in (0, 20, 40)} == {
        tuple(range(i, i + 20)) for i in (0, 20, 40)
    }


@pytest.fixture(scope="module")
def resamples():
    corpus = Corpus.build(make_purchases(60, 6, 3))
    weights = group_weights(len(corpus.group.names), resamples=200, rng=np.random.default_rng(1))
    return Resamples(corpus, weights)


def score(corpus, values):
    z = values[corpus.points.trajectory].astype(float)
    return OutOfFold("strict", z, np.arange(len(corpus)) % 5, ())


@pytest.mark.parametrize("pairs", [0, 10_000])
def test_a_score_that_knows_the_honest_outcomes_is_no_leak(resamples, pairs):
    """It tells the outcomes as they were; the shuffled ones it cannot know."""
    honest = resamples.corpus.failed
    control = permuted_labels(resamples, pairs, lambda corpus: score(corpus, honest), seed=4)
    assert control.passed
    assert control.estimate.low <= 0.5 <= control.estimate.high
    assert ("within tasks" if pairs else "over all runs") in control.detail


@pytest.mark.parametrize("pairs", [0, 10_000])
def test_a_leak_is_found(resamples, pairs):
    """A fit that hands the test runs' own outcomes through."""
    control = permuted_labels(resamples, pairs, lambda corpus: score(corpus, corpus.failed), seed=4)
    assert not control.passed
    assert control.estimate.value == 1.0


def test_the_seed_decides(resamples):
    seen = []

    def fit(corpus):
        seen.append(corpus.failed)
        return score(corpus, corpus.failed)

    for seed in (1, 1, 2):
        permuted_labels(resamples, 0, fit, seed=seed)
    assert np.array_equal(seen[0], seen[1])
    assert not np.array_equal(seen[0], seen[2])
    assert replace(resamples.corpus).failed.sum() == seen[0].sum()
