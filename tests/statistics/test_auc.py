"""AUC over comparable pairs: against loops over pairs, scikit-learn, and repetition of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from armslength.statistics import auc, pooled_pairs, within_pairs

quick = settings(max_examples=200, deadline=None)
rows = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(0, 1), st.integers(0, 4), st.integers(0, 2), st.integers(0, 2)),
    min_size=1,
    max_size=24,
)
ONES = np.ones((1, 5), dtype=np.int64)


def columns(table):
    score, *codes = np.array(table).T
    return score.astype(np.float64), *(column.astype(np.int64) for column in codes)


def concordance(pairs):
    """Share of concordant pairs of (failure, success) scores, ties one half; NaN without a pair."""
    pairs = list(pairs)
    wins = sum((bad > good) + 0.5 * (bad == good) for bad, good in pairs)
    return wins / len(pairs) if pairs else np.nan


def slow(score, failed, *blocks):
    """All pairs of rows that agree in every block."""
    n = range(len(score))
    return concordance(
        (score[i], score[j])
        for i in n
        for j in n
        if failed[i] == 1 and failed[j] == 0 and all(block[i] == block[j] for block in blocks)
    )


def repeat(weights, group, *arrays):
    """Rows as often as their group was drawn, and the number of the copy that each one is."""
    times = weights[group]
    copy = np.concatenate([np.arange(k) for k in times]) if len(times) else times
    return [np.repeat(array, times) for array in arrays], copy.astype(np.int64)


def same(actual, expected):
    assert actual == pytest.approx(expected, abs=1e-12, nan_ok=True)


@quick
@given(rows)
def test_pooled_auc_counts_pairs_of_one_fold(table):
    """Every pair of a failure and a success of the same fold counts once."""
    score, failed, group, fold, _ = columns(table)
    same(auc(pooled_pairs(score, failed, group, fold), ONES)[0], slow(score, failed, fold))


@quick
@given(rows)
def test_within_auc_counts_pairs_of_one_task(table):
    """Only pairs of one fold and one task count, whatever their groups."""
    score, failed, group, fold, task = columns(table)
    pairs = within_pairs(score, failed, group, fold, task)
    same(auc(pairs, ONES)[0], slow(score, failed, fold, task))
    expected = sum(
        failed[i] > failed[j] and fold[i] == fold[j] and task[i] == task[j]
        for i in range(len(score))
        for j in range(len(score))
    )
    assert pairs.total == expected


@pytest.mark.parametrize("decimals", [8, 1, 0], ids=["no ties", "some ties", "many ties"])
def test_one_fold_equals_scikit_learn(decimals):
    """In one fold the AUC is scikit-learn's, with and without ties, and with weights."""
    rng = np.random.default_rng(1)
    failed, group = rng.integers(0, 2, 200), rng.integers(0, 30, 200)
    score = np.round(rng.normal(size=200) + failed, decimals)
    weights = np.concatenate([np.ones((1, 30), dtype=np.int64), rng.multinomial(30, np.full(30, 1 / 30), 5)])
    found = auc(pooled_pairs(score, failed, group, np.zeros(200, dtype=np.int64)), weights)
    expected = [roc_auc_score(failed, score, sample_weight=w[group]) for w in weights]
    assert found == pytest.approx(expected, abs=1e-12)


@quick
@given(rows, st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_weights_equal_repetition_of_rows(table, drawn):
    """A group drawn w times counts as w copies of its rows."""
    score, failed, group, fold, _ = columns(table)
    weights = np.array(drawn)
    (again, bad, place), _ = repeat(weights, group, score, failed, fold)
    found = auc(pooled_pairs(score, failed, group, fold), weights[None])[0]
    same(found, slow(again, bad, place))


@quick
@given(rows, st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_copies_are_new_groups_where_tasks_lie_in_groups(table, drawn):
    """Where a task lies in one group, a copy's runs pair with runs of the same copy only."""
    score, failed, group, fold, task = columns(table)
    task = group * 3 + task
    weights = np.array(drawn)
    pairs = within_pairs(score, failed, group, fold, task)
    (again, bad, place, copied), copy = repeat(weights, group, score, failed, fold, task)
    assert pairs.linear
    same(auc(pairs, weights[None])[0], slow(again, bad, place, copied, copy))


@quick
@given(rows, st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_tasks_across_groups_weigh_by_both_groups(table, drawn):
    """Where a task spans groups, such as users, a pair weighs the product of its groups' draws."""
    score, failed, group, fold, task = columns([*table, (0, 0, 0, 9, 1), (0, 1, 1, 9, 1)])
    weights = np.array(drawn)
    pairs = within_pairs(score, failed, group, fold, task)
    (again, bad, place, shared), _ = repeat(weights, group, score, failed, fold, task)
    assert not pairs.linear
    same(auc(pairs, weights[None])[0], slow(again, bad, place, shared))


@quick
@given(rows, st.integers(1, 7))
def test_equal_weights_equal_no_weights(table, weight):
    """Every group drawn equally often gives the statistic of the data, to the bit."""
    score, failed, group, fold, task = columns(table)
    for pairs in (pooled_pairs(score, failed, group, fold), within_pairs(score, failed, group, fold, task)):
        once, often = auc(pairs, np.concatenate([ONES, ONES * weight]))
        assert once == often or (np.isnan(once) and np.isnan(often))


def test_folds_are_never_pooled():
    """Scores that are perfect in each fold stay perfect when one fold lies far above the other."""
    score, failed = np.array([1.0, 0.0, 101.0, 100.0]), np.array([1, 0, 1, 0])
    group, fold = np.array([0, 1, 2, 3]), np.array([0, 0, 1, 1])
    assert auc(pooled_pairs(score, failed, group, fold), np.ones((1, 4), dtype=np.int64)).tolist() == [1.0]


def test_without_a_pair_there_is_no_value():
    """One class gives NaN, which callers turn into a reason."""
    one = np.ones(3, dtype=np.int64)
    pairs = pooled_pairs(np.arange(3.0), one, np.arange(3), one)
    assert (np.isnan(auc(pairs, one[None]))).all()
    assert pairs.total == 0
