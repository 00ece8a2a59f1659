"""Group bootstrap as weights, intervals and ratios."""

import numpy as np
import pytest

from armslength.statistics import MIN_GROUPS, group_weights, interval, ratio


def test_the_first_row_is_the_data_and_each_resample_draws_as_many_groups():
    """Row 0 is all ones; every other row sums to the number of groups."""
    weights = group_weights(30, resamples=200, rng=np.random.default_rng(0))
    assert weights.shape == (201, 30)
    assert weights[0].tolist() == [1] * 30
    assert weights.sum(1).tolist() == [30] * 201
    assert weights.min() == 0


def test_the_same_seed_gives_the_same_weights():
    """Weights depend on the generator alone."""
    first, again = (group_weights(9, resamples=20, rng=np.random.default_rng(5)) for _ in range(2))
    assert first.tolist() == again.tolist()


def test_a_ratio_equals_that_of_repeated_rows():
    """A group drawn w times enters both sums w times."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 12, 50)
    above, below = rng.integers(0, 5, 50).astype(float), rng.integers(0, 5, 50).astype(float)
    weights = group_weights(12, resamples=40, rng=rng)
    expected = [
        np.repeat(above, w[group]).sum() / np.repeat(below, w[group]).sum() if (w[group] @ below) else np.nan
        for w in weights
    ]
    assert ratio(above, below, group, weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_ratio_over_nothing_is_undefined():
    """Where the denominator vanishes in a resample the ratio is NaN there and only there."""
    weights = np.array([[1, 1], [0, 2]])
    found = ratio(np.array([1.0, 0.0]), np.array([2.0, 0.0]), np.array([0, 1]), weights)
    assert found[0] == 0.5
    assert np.isnan(found[1])


def test_equal_weights_give_the_plain_ratio():
    """All groups drawn twice is the data itself."""
    group, values = np.array([0, 1, 1, 2]), np.array([1.0, 2.0, 4.0, 8.0])
    weights = np.array([[1, 1, 1], [2, 2, 2]])
    assert ratio(values, np.ones(4), group, weights).tolist() == [3.75, 3.75]


def test_the_interval_is_the_percentile_of_the_resamples():
    """The data's own row gives the value and plays no part in the bounds."""
    values = np.concatenate([[-1e9], np.arange(1001.0)])
    assert interval(values, groups=50) == pytest.approx((-1e9, 25.0, 975.0))
    assert interval(values, groups=50, level=0.9) == pytest.approx((-1e9, 50.0, 950.0))


@pytest.mark.parametrize(("groups", "bounded"), [(MIN_GROUPS - 1, False), (MIN_GROUPS, True)])
def test_too_few_groups_give_a_value_without_bounds(groups, bounded):
    """Below twenty groups there is no interval."""
    found = interval(np.arange(100.0), groups=groups)
    assert found.value == 0.0
    assert [found.low is not None, found.high is not None] == [bounded, bounded]


def test_an_undefined_statistic_is_unmeasured():
    """No value of the data gives none at all; mostly undefined resamples give no bounds."""
    values = np.concatenate([[0.5], np.full(60, np.nan), np.full(40, 0.5)])
    assert interval(np.array([np.nan, 1.0, 1.0]), groups=99) is None
    assert interval(values, groups=99) == (0.5, None, None)
    assert interval(values[[0, *range(30, 101)]], groups=99) == (0.5, 0.5, 0.5)
