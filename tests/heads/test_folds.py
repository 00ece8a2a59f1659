"""Folds partition the rows and never split a group."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.heads import grouped_splits


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 12), min_size=8, max_size=60).filter(lambda g: len(set(g)) > 1),
    st.integers(0, 99),
)
def test_folds_partition_rows_and_keep_groups_whole(group, seed):
    """Each row is tested once, and no group is on two sides, outside or inside."""
    group = np.array(group)
    splits = grouped_splits(group, seed=seed)
    assert len(splits) == min(5, len(np.unique(group)))
    assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(len(group)))
    for split in splits:
        assert sorted([*split.test, *split.train]) == list(range(len(group)))
        assert not set(group[split.test]) & set(group[split.train])
        assert len(split.inner) == len(split.train)
        owners = {}
        for inner, code in zip(split.inner, group[split.train], strict=True):
            assert owners.setdefault(code, inner) == inner
        assert set(split.inner) == set(range(min(4, len(np.unique(group[split.train])))))


def test_folds_are_balanced():
    """Groups of one size are dealt evenly."""
    splits = grouped_splits(np.repeat(np.arange(50), 3), seed=1)
    assert [len(s.test) for s in splits] == [30] * 5
    assert [np.bincount(s.inner).tolist() for s in splits] == [[30] * 4] * 5


def test_a_seed_decides_the_folds():
    """The same seed gives the same folds, another seed gives others."""
    group = np.arange(40)
    first, again, other = (grouped_splits(group, seed=s) for s in (1, 1, 2))
    assert [s.test.tolist() for s in first] == [s.test.tolist() for s in again]
    assert [s.test.tolist() for s in first] != [s.test.tolist() for s in other]


def test_names_of_groups_play_no_part():
    """Codes with gaps give the folds of codes without."""
    group = np.repeat(np.arange(15), 2)
    plain, sparse = grouped_splits(group, seed=3), grouped_splits(group * 7 + 100, seed=3)
    assert [s.test.tolist() for s in plain] == [s.test.tolist() for s in sparse]
