"""Every measured run with its place in the input and its scores: the way from a figure to file and record.

Tests: ``tests/audit/test_examples.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armslength.heads import OutOfFold
from armslength.records import Corpus

from .resamples import read_path
from .run_model import RunRow, RunScore


def run_rows(corpus: Corpus, heads: Mapping[str, Sequence[OutOfFold]]) -> list[RunRow]:
    """One row a run, in the order of the input, under the first fold seed."""
    first = {name: runs[0] for name, runs in heads.items()}
    scores = {name: _scores(corpus, run) for name, run in first.items()}
    fold = next(iter(first.values())).fold
    return [
        RunRow(
            trajectory.id,
            trajectory.origin.at if trajectory.origin else "",
            trajectory.task,
            trajectory.group,
            trajectory.policy,
            bool(corpus.failed[row]),
            corpus.stratum.names[corpus.stratum.codes[row]],
            int(corpus.points.counts[row]),
            int(fold[row]),
            {name: found[row] for name, found in scores.items()},
        )
        for row, trajectory in enumerate(corpus.trajectories)
    ]


def _scores(corpus: Corpus, run: OutOfFold) -> list[RunScore]:
    end, highest, tau = read_path(run.z, corpus, "R1"), read_path(run.z, corpus, "R4"), run.thresholds()
    over = run.z > tau[corpus.points.trajectory]
    place = np.where(
        over, np.arange(len(over)) - corpus.points.offsets[corpus.points.trajectory] + 1, len(over) + 1
    )
    at = np.minimum.reduceat(place, corpus.points.offsets[:-1])
    return [
        RunScore(
            float(end[row]),
            float(highest[row]),
            float(tau[row]) if np.isfinite(tau[row]) else None,
            int(at[row]) if at[row] <= len(over) else None,
        )
        for row in range(len(corpus))
    ]
