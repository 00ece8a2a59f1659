"""Which other tasks a wrongly joined τ²-bench conversation fits: by its user, and by the state that its calls reach.

Tests: ``tests/recompute/test_tau2_fits.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Sequence

from armslength.formats import has_sign
from armslength.records import Trajectory

from .calls import calls_of
from .environment import Environment, Unavailable
from .execute import execute
from .protocol import Fits
from .state import State, differences
from .tasks import expected_state, read_actions
from .tau2_world import ListedTask, database_of, listed_tasks


def fits_of(trajectory: Trajectory, domain: str, environment: Environment) -> Fits:
    """The other tasks of the domain that a run fits; states are compared where there is a database."""
    named = trajectory.origin.task_id if trajectory.origin else None
    others = [task for task in listed_tasks(domain, environment) if task.id != named]
    text = trajectory.turns
    users = _ids([task for task in others if has_sign(text, task.signs)])
    try:
        return Fits(users, _ids(_reached(trajectory, others, domain, environment)))
    except Unavailable as reason:
        return Fits(users, None, str(reason))


def _reached(
    trajectory: Trajectory, tasks: Sequence[ListedTask], domain: str, environment: Environment
) -> list[ListedTask]:
    """The tasks whose expected state is the one that the run's calls reach."""
    database = database_of(domain, environment)
    state = State(database.tables)
    execute(state, database.tools, calls_of(trajectory.turns))
    made: list[ListedTask] = []
    for task in tasks:
        actions = read_actions(task.definition["actions"], "arguments")
        expected = expected_state(environment, (domain, task.key), database, actions).state
        if expected.touched == state.touched and not differences(expected, state):
            made.append(task)
    return made


def _ids(tasks: Sequence[ListedTask]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(task.id for task in tasks))
