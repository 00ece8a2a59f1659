"""Group bootstrap as weights: one set for everything in a run, so that all differences are paired (method 1.16)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Fewer groups than this give no interval: the percentile bootstrap of a handful of groups is too narrow.
MIN_GROUPS = 20


class Interval(NamedTuple):
    """A value with its 95 % percentile interval; the bounds are None where there are too few groups."""

    value: float
    low: float | None
    high: float | None


def group_weights(groups: int, *, resamples: int, rng: np.random.Generator) -> Ints:
    """How often each group is drawn.

    Args:
        groups: number of groups G.
        resamples: number of bootstrap resamples B.
        rng: source of randomness.

    Returns:
        Shape (1 + B, G); the first row is all ones, the data as they are.
    """
    drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=resamples)
    return np.concatenate([np.ones((1, groups), dtype=np.int64), drawn])


def interval(values: Floats, *, groups: int, level: float = 0.95) -> Interval | None:
    """Summarise a statistic over resamples.

    Args:
        values: shape (1 + B,), first the statistic of the data; NaN where a resample left it undefined.
        groups: number of groups behind it.
        level: coverage.

    Returns:
        None where the statistic of the data itself is undefined.
    """
    if np.isnan(values[0]):
        return None
    resampled = values[1:][~np.isnan(values[1:])]
    if groups < MIN_GROUPS or len(resampled) < (len(values) - 1) / 2:
        return Interval(float(values[0]), None, None)
    tail = (1 - level) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    return Interval(float(values[0]), float(low), float(high))


def ratio(numerator: Floats, denominator: Floats, group: Ints, weights: Ints) -> Floats:
    """Σ numerator / Σ denominator in every resample.

    Args:
        numerator: shape (n,).
        denominator: shape (n,).
        group: shape (n,), codes of the resampled groups.
        weights: shape (B, groups).

    Returns:
        Shape (B,); NaN where the denominator vanishes.
    """
    size = weights.shape[1]
    above = weights @ np.bincount(group, numerator, minlength=size)
    below = weights @ np.bincount(group, denominator, minlength=size)
    share: Floats = np.divide(above, below, out=np.full(len(weights), np.nan), where=below != 0)
    return share
