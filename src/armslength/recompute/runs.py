"""Recomputing the runs of files, one at a time as they are read; nothing is deduplicated.

Tests: ``tests/recompute/test_run_reports.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from armslength.formats import Findings, ReadOptions, read_files
from armslength.records import Trajectory

from .environment import Environment, Environments, Unavailable
from .protocol import Recomputed, Recomputer
from .registry import recomputers
from .state import Difference


@dataclass(frozen=True)
class RunReport:
    """A run's declared outcome beside the recomputed one.

    Attributes:
        file: its path relative to the one that was given.
        task: the task's name in the file's own words.
        trial: which attempt at the task this is.
        declared: the success that the file declares; None where it declares none.
        recomputed: the outcome by the run's visible actions.
        declared_points: the points that the file declares; None where it declares none.
        id: the run's name, unique in its file.
    """

    file: str
    task: str
    trial: int | None
    declared: bool | None
    recomputed: Recomputed
    declared_points: float | None = None
    id: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether both say the same, of success and of points; None where what is declared is not recomputed."""
        made = self.recomputed
        stated = ((self.declared, made.success), (self.declared_points, made.points))
        pairs = [(theirs, ours) for theirs, ours in stated if theirs is not None]
        if any(ours is not None and theirs != ours for theirs, ours in pairs):
            return False
        return None if not pairs or any(ours is None for _, ours in pairs) else True

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What the run did not reach, and points that are declared and not reached."""
        stated, ours = self.declared_points, self.recomputed.points
        if None in (stated, ours) or stated == ours:
            return self.recomputed.differences
        return (*self.recomputed.differences, Difference("points", ours, stated))

    def to_json(self) -> dict[str, object]:
        """A mapping that JSON can write."""
        made = self.recomputed
        return {
            "file": self.file,
            "id": self.id,
            "task": self.task,
            "trial": self.trial,
            "declared": self.declared,
            "recomputed": made.success,
            "declared_points": self.declared_points,
            "recomputed_points": made.points,
            "difference": [difference.to_json() for difference in self.differences] or None,
            "reason": made.reason,
            "notes": list(made.notes),
            "calls": dict(sorted(made.calls.items())),
            "fits": made.fits._asdict() if made.fits else None,
        }


def recompute_files(
    paths: Sequence[Path | str] | Path | str,
    *,
    environment: Path | None = None,
    options: ReadOptions | None = None,
    findings: Findings | None = None,
) -> Iterator[RunReport]:
    """Recompute the outcomes of all runs of files and folders, in their order.

    Args:
        paths: files and folders.
        environment: the folder with databases and tasks; the nearest ``environment`` folder of each file if None.
        options: what the caller says about the input.
        findings: collects what is wrong in the files.

    Returns:
        One report a run.

    Raises:
        InputError: as `armslength.formats.read_files`; the environment does not exist (PATH_MISSING).
    """
    for name, trajectory, own in with_environments(paths, environment, options, findings):
        yield _report(name, trajectory, recompute(trajectory, own))


def with_environments(
    paths: Sequence[Path | str] | Path | str,
    environment: Path | None,
    options: ReadOptions | None,
    findings: Findings | None,
) -> Iterator[tuple[str, Trajectory, Environment]]:
    """The runs of files, each with its file's name and its corpus's environment; arguments as `recompute_files`."""
    stated: dict[str, object] = {}
    environments = Environments(environment, stated)
    for file in read_files(paths, replace(options or ReadOptions(), tasks=stated), findings):
        own = environments.of(file.path)
        for trajectory in file.trajectories:
            yield file.name, trajectory, own


def recompute(
    trajectory: Trajectory, environment: Environment, among: Sequence[Recomputer] | None = None
) -> Recomputed:
    """Recompute the outcome of one run.

    Args:
        trajectory: as its reader gave it.
        environment: of its corpus.
        among: the recomputers to ask, in this order; all that are installed if None.

    Returns:
        The outcome; unmeasured with a reason where it cannot be recomputed.
    """
    for recomputer in recomputers() if among is None else among:
        if recomputer.handles(trajectory):
            try:
                return recomputer.recompute(trajectory, environment)
            except Unavailable as reason:
                return Recomputed(success=None, reason=str(reason))
            except RecursionError:
                return Recomputed(success=None, reason="nested too deep")
            except ValueError as error:  # whole numbers of thousands of digits have no text
                return Recomputed(success=None, reason=f"values that cannot be compared: {error}")
    known = trajectory.origin.format if trajectory.origin else "unknown"
    return Recomputed(success=None, reason=f"no recomputer for format {known}")


def _report(file: str, trajectory: Trajectory, recomputed: Recomputed) -> RunReport:
    origin = trajectory.origin
    return RunReport(
        file=file,
        task=(origin.task_id if origin else None) or trajectory.task,
        trial=trajectory.trial,
        declared=origin.declared if origin else None,
        declared_points=origin.declared_points if origin else None,
        id=trajectory.id,
        recomputed=recomputed,
    )
