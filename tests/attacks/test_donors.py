"""Donor pools: never of the target's own task, and only such as fit the target."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.attacks import ADVERSARIES, ContextPool, DonorPool, StagedPool, Target
from armslength.attacks.adversaries import pool_maximum

codes = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@settings(max_examples=200, deadline=None)
@given(codes, codes, st.integers(0, 99))
def test_no_donor_of_the_same_task(donors, targets, seed):
    """With values that name their task, no drawn and no lowest value names the target's."""
    task, target = np.array(donors), np.array(targets)
    rng = np.random.default_rng(seed)
    context = rng.normal(size=(len(task) + len(target), 3)).astype(np.float32)
    near = ContextPool(task * 10, task, context[: len(task)], target, context[len(task) :])
    pool = DonorPool(task * 10, task, target)
    assert near.serves() == pool.serves()
    if not pool.serves():
        assert all(set(donors) <= {t} for t in targets if t in donors)
        return
    for one in (pool, near):
        drawn = one.draw(7, np.random.default_rng(seed))
        assert drawn.shape == (len(target), 7)
        assert not (drawn == target[:, None] * 10).any()
        assert np.isin(drawn, pool.values).all()
        assert (one.lowest() != target * 10).all()
    assert pool.lowest().tolist() == [min(d for d in donors if d != t) * 10 for t in targets]


@pytest.mark.parametrize("donors", [1, 2, 7, 40])
def test_the_same_context_is_the_nearest_quarter(donors):
    """Against sorting each target's donors of other tasks by likeness."""
    rng = np.random.default_rng(donors)
    context, own = rng.normal(size=(donors, 4)), rng.normal(size=(30, 4))
    task, target = rng.integers(0, 5, donors), rng.integers(5, 9, 30)
    target[:3] = task[0] if donors > 2 else 9
    values = rng.permutation(1000)[:donors]
    pool = ContextPool(values, task, context.astype(np.float32), target, own.astype(np.float32))
    assert pool.serves()
    drawn, lowest = pool.draw(400, rng), pool.lowest()
    for i in range(30):
        other = np.flatnonzero(task != target[i])
        nearest = sorted(other, key=lambda d: -(context[d] @ own[i]))[: -(-len(other) // 4)]
        assert set(drawn[i].tolist()) == set(values[nearest].tolist())
        assert lowest[i] == values[nearest].min()


def test_the_same_stage_asks_the_pool_of_that_stage():
    stage = np.array([2, 0, 2])
    pools = [
        DonorPool(np.array([10, 11]), np.array([0, 1]), np.array([5])),
        DonorPool(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)),
        DonorPool(np.array([30, 29]), np.array([0, 1]), np.array([5, 1])),
    ]
    pool = StagedPool(stage, pools)
    assert pool.serves()
    assert pool.lowest().tolist() == [29, 10, 30]
    drawn = pool.draw(50, np.random.default_rng(0))
    assert [set(row) for row in drawn.tolist()] == [{30, 29}, {10, 11}, {30}]
    assert not StagedPool(
        np.array([1]), [pools[0], DonorPool(*[np.zeros(0, int)] * 2, np.array([1]))]
    ).serves()


def test_every_allowed_donor_is_drawn_about_equally_often():
    """Draws are uniform over the donors of other tasks."""
    pool = DonorPool(np.arange(6), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 9]))
    drawn = pool.draw(12_000, np.random.default_rng(0))
    assert np.bincount(drawn[0], minlength=6)[:2].tolist() == [0, 0]
    assert np.abs(np.bincount(drawn[0])[2:] / 12_000 - 1 / 4).max() < 0.02
    assert np.abs(np.bincount(drawn[1]) / 12_000 - 1 / 6).max() < 0.02


def test_an_empty_pool_serves_nobody():
    """No donor, no substitution."""
    none = np.zeros(0, dtype=np.int64)
    empty = DonorPool(none, none, np.array([1]))
    assert (len(empty), empty.serves()) == (0, False)


def target(own, pool, drawn):
    return {"assistant": Target(np.array(own), pool, drawn, np.array(own) + 1)}


def test_best_of_more_looks_at_the_same_donors_first():
    """Budgets are nested, so success is monotone by construction."""
    drawn = np.random.default_rng(0).integers(-99, 99, (10, 4, 100))
    pool = DonorPool(np.arange(3), np.arange(3), np.full(4, 9))
    targets = target([0] * 4, pool, drawn)
    for name, count in (("random", 1), ("best-of-5", 5), ("best-of-20", 20), ("best-of-100", 100)):
        assert ADVERSARIES[name](None, targets)["assistant"].tolist() == drawn[:, :, :count].min(-1).tolist()
    assert ADVERSARIES["keep"](None, targets)["assistant"].tolist() == [[0] * 4]
    assert ADVERSARIES["greedy"](None, targets)["assistant"].tolist() == np.minimum(0, drawn.min(-1)).tolist()
    assert ADVERSARIES["success-typical"](None, targets)["assistant"].tolist() == [[1] * 4]


def test_the_pool_maximum_never_takes_a_worse_turn():
    """Keeping a turn is always a legal move."""
    pool = DonorPool(np.array([5, 3]), np.array([0, 1]), np.array([7, 1, 7]))
    targets = target([9, 4, 1], pool, np.zeros((1, 3, 0), dtype=np.int64))
    assert pool_maximum(targets["assistant"]).tolist() == [[3, 4, 1]]


def test_without_donors_every_turn_stays():
    targets = target([9, 4], None, np.zeros((0, 2, 0), dtype=np.int64))
    for name in ("random", "greedy", "success-typical", "pool-maximum"):
        assert ADVERSARIES[name](None, targets)["assistant"].tolist() == [[9, 4]]
