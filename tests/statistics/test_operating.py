"""The threshold is an exact order statistic."""

import math
from fractions import Fraction

import numpy as np
import pytest

from armslength.statistics import threshold

ALPHAS = ["0.001", "0.01", "0.05", "0.07", "0.1", "0.15", "0.2", "0.3", "0.35", "0.4", "0.5", "0.7", "0.9"]


@pytest.mark.parametrize(
    "alpha",
    ["0.1", "0.05", "0.01", "0.2", "0.3", "0.5", "0.07", "0.001", "0.9", "0.7", "0.4", "0.15", "0.35"],
)
def test_the_order_statistic_equals_exact_arithmetic(alpha):
    """For every n the rank is that of fractions, and none where it lies beyond the sample."""
    rng = np.random.default_rng(0)
    share = 1 - Fraction(alpha)
    for n in [*range(400), 999, 1999, 4999, 9999, 99_999]:
        rank = math.ceil((n + 1) * share)
        expected = float(rank) if rank <= n else None
        assert threshold(rng.permutation(n) + 1.0, alpha=float(alpha)) == expected, n


@pytest.mark.parametrize(("n", "expected"), [(8, None), (9, 9.0), (18, 18.0), (19, 18.0), (69, 63.0)])
def test_known_ranks(n, expected):
    """At one in ten, nine successes are the fewest, and 70 × 0.9 is 63."""
    assert threshold(np.arange(1.0, n + 1), alpha=0.1) == expected


def test_at_most_alpha_of_exchangeable_successes_alert():
    """Leaving each success out in turn, at most a share α lies above the threshold of the others."""
    rng = np.random.default_rng(3)
    for n in (20, 57, 200):
        scores = np.round(rng.normal(size=n), 1)
        above = [scores[i] > threshold(np.delete(scores, i), alpha=0.1) for i in range(n)]
        assert np.mean(above) <= 0.1


def test_the_input_is_left_as_it_was():
    """The threshold sorts a copy."""
    scores = np.array([3.0, 1.0, 2.0] * 5)
    before = scores.copy()
    threshold(scores, alpha=0.2)
    assert scores.tolist() == before.tolist()


def test_a_rate_next_to_one_takes_the_smallest_success():
    """The rank is never below the first."""
    assert threshold(np.arange(1.0, 10.0), alpha=1 - 1e-12) == 1.0
