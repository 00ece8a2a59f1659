"""Operating points: the threshold that keeps false alarms near a rate (method 1.6)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def threshold(successes: Floats, *, alpha: float) -> float | None:
    """The order statistic ⌈(n+1)(1−α)⌉ of the running maxima of n training successes.

    An alert is a score strictly above it, so at exchangeability at most a share α of new successes alerts.

    Args:
        successes: shape (n,), running maxima (R4) of successes, inner out of fold.
        alpha: rate of false alarms per trajectory.

    Returns:
        None where the order statistic lies beyond the sample (``too few successes``): then nothing alerts.
    """
    # 1e-9: 70 × 0.9 must not round up to 64.
    rank = max(1, math.ceil((len(successes) + 1) * (1 - alpha) - 1e-9))
    if rank > len(successes):
        return None
    return float(np.sort(successes)[rank - 1])
