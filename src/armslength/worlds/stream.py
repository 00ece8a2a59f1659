"""The stream of purchases: tasks in order, several runs of each."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from ..errors import InputError
from ..records import Trajectory
from .episode import play
from .policies import POLICIES, assign
from .tasks import draw_tasks


def make_purchases(tasks: int, trials: int, seed: int) -> Iterator[Trajectory]:
    """Runs of the mock purchase, made one at a time.

    Args:
        tasks: number of tasks, at least 1.
        trials: runs of each task, at least 1; the four policies take turns.
        seed: any whole number from 0; the same arguments give the same bytes.

    Yields:
        ``tasks * trials`` trajectories, all runs of a task together.

    Raises:
        InputError: a number is out of range (WORLD_SIZE_INVALID).
    """
    for name, value, least in (("tasks", tasks, 1), ("trials", trials, 1), ("seed", seed, 0)):
        if value < least:
            raise InputError("WORLD_SIZE_INVALID", at=name, found=str(value), expected=f"{least} or more")
    return _make(tasks, trials, seed)


def _make(tasks: int, trials: int, seed: int) -> Iterator[Trajectory]:
    for task in draw_tasks(tasks, seed):
        rng = Random(f"{task.id}-runs")  # noqa: S311 - data, not secrets
        offset = rng.randrange(len(POLICIES))
        for trial in range(trials):
            yield play(task, assign(trial, offset), trial, rng)
