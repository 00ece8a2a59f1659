"""The active test passes, and fails when what it tests is broken."""

import pytest
from threadpoolctl import threadpool_limits

from armslength.attacks import ADVERSARIES, active_test
from armslength.encoders import StaticTable

ENCODER = StaticTable()


def run(seed=0):
    with threadpool_limits(1):
        return active_test(ENCODER, seed=seed)


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_it_passes(seed):
    """The planted channel is silenced, the null head is not, and success grows with the budget."""
    found = run(seed)
    assert found.passed
    assert found.planted >= 0.99
    assert found.null == 0.0
    assert found.monotone


def test_an_adversary_that_does_nothing_fails_it(monkeypatch):
    """Where the pool maximum keeps every turn, nothing is found on the planted channel."""
    monkeypatch.setitem(ADVERSARIES, "pool-maximum", ADVERSARIES["keep"])
    found = run()
    assert (found.passed, found.planted) == (False, 0.0)


def test_a_pool_that_is_never_used_fails_it(monkeypatch):
    """Without donors no run counts as attacked, and nothing was shown."""
    monkeypatch.setattr("armslength.attacks.ladder.Ladder.pool", lambda *_: None)
    found = run()
    assert (found.passed, found.planted) == (False, -1.0)


def test_a_keep_that_changes_turns_fails_it(monkeypatch):
    """The adversary that must do nothing is caught when it does something."""
    monkeypatch.setitem(ADVERSARIES, "keep", ADVERSARIES["best-of-100"])
    assert not run().passed
