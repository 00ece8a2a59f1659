"""Runs whose declared outcome is replaced by the recomputed one.

Tests: ``tests/recompute/test_labels.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from armslength.formats import Findings, ReadOptions
from armslength.records import Outcome, Trajectory

from .environment import Environment
from .runs import recompute, with_environments

#: The name of the label that this room gives, and the source of its outcomes.
RECOMPUTED: Final = "recomputed"


def read_recomputed(
    paths: Sequence[Path | str] | Path | str,
    options: ReadOptions | None = None,
    findings: Findings | None = None,
    *,
    environment: Path | None = None,
) -> Iterator[Trajectory]:
    """Read runs as `armslength.formats.read` does, with outcomes recomputed from their visible actions.

    Args:
        paths: files and folders.
        options: what the caller says about the input; ``label`` and ``success`` choose among declared outcomes and
            are not looked at.
        findings: collects what is wrong in the files.
        environment: the folder with databases and tasks; the nearest ``environment`` folder of each file if None.

    Returns:
        Trajectories whose outcome has grade A and the source ``recomputed``. One that cannot be recomputed has none,
        with the reason; what the file declared stays in its origin.

    Raises:
        InputError: as `recompute_files`.
    """
    options = replace(options or ReadOptions(), label=None, success=None)
    for _, trajectory, own in with_environments(paths, environment, options, findings):
        yield _relabelled(trajectory, own)


def _relabelled(trajectory: Trajectory, environment: Environment) -> Trajectory:
    origin = trajectory.origin
    if origin is None or origin.excluded:
        return trajectory
    made = recompute(trajectory, environment)
    if made.success is None:
        without = msgspec.structs.replace(origin, unlabelled=f"not recomputed: {made.reason}")
        return msgspec.structs.replace(trajectory, outcome=None, origin=without)
    stratum = trajectory.outcome.stratum if trajectory.outcome and not made.success else None
    return msgspec.structs.replace(trajectory, outcome=Outcome(made.success, RECOMPUTED, "A", stratum))
