"""Is the evidence evidence? Results without a call and users who write results (method 1.17).

Tests: ``tests/audit/test_evidence_controls.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from armslength.records import Turn, imitates_result

from .model import Control
from .resamples import Resamples

#: Above this share the verdict cannot be ``reward``.
LARGEST_SHARE: Final = 0.05


def evidence_controls(resamples: Resamples) -> list[Control]:
    """Shares of tool results whose call is nowhere in the record and of user turns in the shape of results.

    Args:
        resamples: of the measured trajectories.

    Returns:
        A control each with the share and its interval; where there is nothing to share it passes and says so.
    """
    return [
        _control(
            resamples,
            "results have calls",
            of=lambda turn: turn.role == "tool_result",
            bad=lambda turn: turn.writer_source == "unpaired",
            what="tool results have no matching call in the record",
            nothing="no tool results",
        ),
        _control(
            resamples,
            "users do not write results",
            of=lambda turn: turn.role == "user" and turn.writer != "task",
            bad=lambda turn: imitates_result(turn.text),
            what="user turns are written in the shape of a tool result",
            nothing="no user turns",
        ),
    ]


def _control(
    resamples: Resamples,
    name: str,
    *,
    of: Callable[[Turn], bool],
    bad: Callable[[Turn], bool],
    what: str,
    nothing: str,
) -> Control:
    runs = resamples.corpus.trajectories
    found = [[turn for turn in run.turns if of(turn)] for run in runs]
    whole = np.array([len(turns) for turns in found], dtype=np.float64)
    part = np.array([sum(map(bad, turns)) for turns in found], dtype=np.float64)
    size = int(whole.sum())
    if not size:
        return Control(name, True, None, nothing)
    share = resamples.share(part, whole, np.arange(len(runs)), n=size)
    # The share itself is a count and known even where there are too few tasks for an interval.
    seen = float(part.sum()) / size
    detail = f"{seen:.1%} of {size:,} {what} (at most {LARGEST_SHARE:.0%} allowed)"
    return Control(name, seen <= LARGEST_SHARE, share, detail)
