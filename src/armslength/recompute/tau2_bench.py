"""τ²-bench retail: the reward from the calls, the initial database and the task. The airline database is not public.

The reward is a product of the parts that the task names. ``DB``: the final database equals the one after the expected
actions. ``COMMUNICATE``: each string occurs in a text of the assistant. ``ACTION``: each expected call was made.

- All calls of a message are executed. The user has no tool that changes the database.
- The user's terminal token in a message without calls ends a run; a run that nothing ends has reward 0.
- Assertions that another model judges are unmeasured, unless another part fails: then the product is 0 all the same.
- A run that its reader refuses, since its conversation is another task's, has no outcome; `tau2_fits` explains it.

Tests: ``tests/recompute/test_tau2_reward.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from armslength.formats import TERMINAL_TOKENS
from armslength.records import Trajectory, Turn

from .calls import Call, calls_of, says, texts_of, until_end
from .environment import Environment, Unavailable
from .execute import execute
from .protocol import Recomputed, is_of, verdict
from .state import ABSENT, Difference, State, differences
from .tasks import STATED_BY_FILE, expected_state, read_actions, read_texts
from .tau2_fits import fits_of
from .tau2_world import database_of, listed_definitions

_CRASHED: Final = "crashed"
#: Parts of a reward that nothing recomputes, by the key of what they assert.
_ASSERTED: Final = {"NL_ASSERTION": "nl_assertions", "ENV_ASSERTION": "env_assertions"}
_KNOWN: Final = frozenset({"DB", "COMMUNICATE", "ACTION", *_ASSERTED})


class Tau2Bench:
    """Recomputes runs of τ²-bench."""

    name = "tau2_bench"

    def handles(self, trajectory: Trajectory) -> bool:
        """Runs that the reader of τ²-bench read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The outcome by the rule of the reward."""
        origin = trajectory.origin
        domain = trajectory.task.partition("/")[0]
        if origin is None or origin.excluded == _CRASHED:
            raise Unavailable(_CRASHED)
        if origin.excluded:
            fits = fits_of(trajectory, domain, environment)
            return Recomputed(success=None, reason=origin.excluded, fits=fits)
        key = origin.task_digest or ""
        listed = listed_definitions(domain, environment)
        task = listed.get(key) or environment.stated.get(key)
        if not isinstance(task, Mapping):
            raise Unavailable("task unknown")
        return _recompute(trajectory, task, environment, () if key in listed else (STATED_BY_FILE,))


def _recompute(
    trajectory: Trajectory, task: Mapping[str, Any], environment: Environment, notes: Sequence[str]
) -> Recomputed:
    domain = trajectory.task.partition("/")[0]
    database = database_of(domain, environment)
    basis = read_texts(task.get("reward_basis"))
    turns, ended = _until_end(trajectory.turns)
    state = State(database.tables)
    calls = calls_of(turns)
    executed = execute(state, database.tools, calls)
    wrong = [] if ended else [Difference("end", "the user's signal", ABSENT)]
    if "DB" in basis:
        key = (domain, trajectory.origin and trajectory.origin.task_digest)
        actions = read_actions(task.get("actions"), "arguments")
        expected = expected_state(environment, key, database, actions)
        wrong += differences(expected.state, state)
        notes = (*expected.notes, *notes)
    if "COMMUNICATE" in basis:
        wrong += _unsaid(turns, read_texts(task.get("communicate_info")))
    if "ACTION" in basis:
        wrong += _not_called(calls, task)
    if not wrong:
        _check_all_is_measured(basis, task)
    return verdict(wrong, executed, notes)


def _until_end(turns: Sequence[Turn]) -> tuple[Sequence[Turn], bool]:
    """The turns up to the user's signal, and whether there is one."""
    calling = {turn.step for turn in turns if turn.writer == "user" and turn.name is not None}

    def ends(turn: Turn) -> bool:
        said = turn.writer == "user" and turn.name is None and turn.step not in calling
        return said and any(token in turn.text for token in TERMINAL_TOKENS)

    return until_end(turns, ends)


def _unsaid(turns: Sequence[Turn], wanted: Sequence[str]) -> list[Difference]:
    texts = [text for _, text in texts_of(turns)]
    return [Difference("outputs", text, ABSENT) for text in wanted if not says(texts, text)]


def _not_called(calls: Sequence[Call], task: Mapping[str, Any]) -> list[Difference]:
    """The expected calls that were not made, in the arguments that the task compares."""
    made: list[Difference] = []
    for action in task.get("actions") or ():
        name, arguments, compared = action["name"], action["arguments"], action.get("compare_args")
        if not any(call.name == name and _same(call.arguments, arguments, compared) for call in calls):
            made.append(Difference("calls", {"name": name, "arguments": arguments}, ABSENT))
    return made


def _same(given: Mapping[str, Any] | None, expected: Mapping[str, Any], compared: object) -> bool:
    if given is None or not isinstance(compared, list):
        return given == expected
    return all(given.get(key) == expected.get(key) for key in compared)


def _check_all_is_measured(basis: Sequence[str], task: Mapping[str, Any]) -> None:
    """Refuse to call a run a success while a part of the reward is not recomputed."""
    for part in basis:
        if part not in _KNOWN:
            raise Unavailable(f"part {part} of the reward")
        if part in _ASSERTED and task.get(_ASSERTED[part]):
            raise Unavailable(f"{part}: assertions that are not recomputed")
