"""Donor pools: never of the target's own task."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.attacks import ADVERSARIES, DonorPool, Target

codes = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(codes, codes, st.integers(0, 99))
def test_no_donor_of_the_same_task(donors, targets, seed):
    """With values that name their task, no drawn and no lowest value names the target's."""
    task, target = np.array(donors), np.array(targets)
    pool = DonorPool("p", task * 10, task)
    if not pool.serves(np.unique(target)):
        assert all(set(donors) <= {t} for t in targets if t in donors)
        return
    drawn = pool.draw(target, 7, np.random.default_rng(seed))
    assert drawn.shape == (len(target), 7)
    assert not (drawn == target[:, None] * 10).any()
    assert np.isin(drawn, pool.values).all()
    assert pool.lowest(target).tolist() == [min(d for d in donors if d != t) * 10 for t in targets]


def test_every_allowed_donor_is_drawn_about_equally_often():
    """Draws are uniform over the donors of other tasks."""
    pool = DonorPool("p", np.arange(6), np.array([0, 0, 1, 1, 2, 2]))
    drawn = pool.draw(np.array([0, 9]), 12_000, np.random.default_rng(0))
    assert np.bincount(drawn[0], minlength=6)[:2].tolist() == [0, 0]
    assert np.abs(np.bincount(drawn[0])[2:] / 12_000 - 1 / 4).max() < 0.02
    assert np.abs(np.bincount(drawn[1]) / 12_000 - 1 / 6).max() < 0.02


def test_an_empty_pool_serves_nobody():
    """No donor, no substitution."""
    empty = DonorPool("p", np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    assert (len(empty), empty.serves(np.array([1]))) == (0, False)


def test_best_of_more_looks_at_the_same_donors_first():
    """Budgets are nested, so success is monotone by construction."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(-99, 99, (10, 4, 100))
    pool = DonorPool("p", np.arange(3), np.arange(3))
    target = Target(np.zeros(4, dtype=np.int64), np.full(4, 9), pool, drawn)
    for name, count in (("random", 1), ("best-of-5", 5), ("best-of-20", 20), ("best-of-100", 100)):
        assert ADVERSARIES[name](target).tolist() == drawn[:, :, :count].min(-1).tolist()
    assert ADVERSARIES["keep"](target).tolist() == [[0] * 4]


def test_the_pool_maximum_never_takes_a_worse_turn():
    """Keeping a turn is always a legal move."""
    pool = DonorPool("p", np.array([5, 3]), np.array([0, 1]))
    target = Target(np.array([9, 4, 1]), np.array([7, 1, 7]), pool, np.zeros((1, 3, 0), dtype=np.int64))
    assert ADVERSARIES["pool-maximum"](target).tolist() == [[3, 4, 1]]
