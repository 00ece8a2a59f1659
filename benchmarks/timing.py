"""Timing one call: the best of a few, in wall seconds."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(call: Callable[[], object], *, times: int = 3) -> float:
    """The quickest of `times` calls."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best
