"""τ-bench, retail and airline: the reward from the calls, the initial database and the task.

A run succeeds if it ended by a signal, its final database equals the one after the task's expected actions, and each
expected output occurs in a message of the policy to the user.

- Only the first call of a message is executed.
- The user's ``###STOP###`` ends a run, and so does a transfer to a human, whatever its arguments; nothing after it
  counts.
- Arguments are taken as they are written. A harness that writes each as a text hides whether the policy gave a list or
  its text: then a note says what the outcome is if such texts are lists.
- The task is found by its content: in the environment's lists, or as the run's file states it, which a note says.

Tests: ``tests/recompute/test_tau_reward.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from armslength.formats import canonical, digest, tau_definition
from armslength.records import Trajectory, Turn

from . import tau_airline, tau_retail
from .calls import Call, calls_of, is_call, says, texts_of, until_end, with_lists
from .environment import Environment, Unavailable
from .execute import execute
from .protocol import Recomputed, is_of, verdict
from .state import ABSENT, Difference, State, differences
from .tasks import STATED_BY_FILE, Database, expected_state, read_actions, read_texts

_DOMAINS: Final = {"retail": tau_retail, "airline": tau_airline}
_TRANSFER: Final = "transfer_to_human_agents"
_STOP: Final = "###STOP###"
#: The note of a run whose harness wrote lists as texts: the outcome if they are read as lists follows.
LISTS_AS_TEXTS: Final = "lists are written as texts; read as lists"


class TauBench:
    """Recomputes runs of τ-bench."""

    name = "tau_bench"

    def handles(self, trajectory: Trajectory) -> bool:
        """Runs that the reader of τ-bench read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The outcome by the rule of the reward."""
        origin = trajectory.origin
        if origin is None or origin.excluded:
            raise Unavailable(origin.excluded or "" if origin else "origin unknown")
        key = origin.task_digest
        task = _task(key, environment)
        domain = task.domain or trajectory.task.partition("/")[0]
        database = _database(domain, environment)
        _check_user(task.definition.get("user_id"), database)
        actions = read_actions(
            task.definition.get("actions"), "kwargs"
        )  # a transfer among them changes nothing
        expected = expected_state(environment, (self.name, domain, key), database, actions)
        turns, ended = _until_end(trajectory.turns)
        unmet = [] if ended else [Difference("end", "a signal that ends the run", ABSENT)]
        unmet += _unsaid(turns, read_texts(task.definition.get("outputs")))

        def outcome(calls: Sequence[Call]) -> Recomputed:
            found = State(database.tables)
            executed = execute(found, database.tools, calls)
            return verdict([*differences(expected.state, found), *unmet], executed, expected.notes)

        made = _with_other_reading(outcome, calls_of(turns))
        return made if task.domain else replace(made, notes=(*made.notes, STATED_BY_FILE))


def _with_other_reading(outcome: Callable[[Sequence[Call]], Recomputed], calls: Sequence[Call]) -> Recomputed:
    """The outcome of the calls as they are written; where lists stand as texts, a note says what follows from lists."""
    made = outcome(calls)
    read = [with_lists(call) for call in calls]
    if read == calls:
        return made
    other = "success" if outcome(read).success else "failure"
    return replace(made, notes=(*made.notes, f"{LISTS_AS_TEXTS}: {other}"))


class _Task(NamedTuple):
    """What a task expects, and the domain whose lists hold it; None where none does."""

    definition: Mapping[str, Any]
    domain: str | None


def _task(key: str | None, environment: Environment) -> _Task:
    listed = environment.once("tau_bench tasks", lambda: _listed(environment))
    if key in listed:
        return listed[key]
    stated = environment.stated.get(key or "")
    if not isinstance(stated, Mapping):
        raise Unavailable("task unknown")
    return _Task(stated, None)


def _listed(environment: Environment) -> dict[str | None, _Task]:
    """The tasks of the environment's lists by their digests; a list that cannot be read lists nothing."""
    made: dict[str | None, _Task] = {}
    for domain in _DOMAINS:
        for name in environment.files(domain, "tasks*.json"):
            for task in environment.listed(name):
                definition = tau_definition(task)
                if definition is not None:
                    made.setdefault(digest(canonical(definition)), _Task(definition, domain))
    return made


def _database(domain: str, environment: Environment) -> Database:
    """A domain's initial database, read once.

    Raises:
        Unavailable: the domain is not known, or its database is not there.
    """
    if domain not in _DOMAINS:
        raise Unavailable(f"domain {domain}")
    room = _DOMAINS[domain]
    names = {table: f"{domain}/{table}.json" for table in room.TABLES}
    return environment.once(("tau_bench", domain), lambda: Database(environment.tables(names), room.TOOLS))


def _check_user(user_id: object, database: Database) -> None:
    """A database without the task's user is another one: all calls would be refused, the expected ones as well."""
    if user_id is not None and not (isinstance(user_id, str) and user_id in database.tables["users"]):
        raise Unavailable(f"the database has no user {user_id}")


def _until_end(turns: Sequence[Turn]) -> tuple[Sequence[Turn], bool]:
    """The turns that were executed, up to the end, and whether the run ended by a signal."""
    first = next((turn.step for turn in turns if turn.writer == "policy"), len(turns))

    def ends(turn: Turn) -> bool:
        said = turn.writer == "user" and turn.step > first and _STOP in turn.text
        return said or (is_call(turn) and turn.name == _TRANSFER)

    return until_end(_first_calls(turns), ends)


def _first_calls(turns: Sequence[Turn]) -> list[Turn]:
    """The turns without those calls of a message that nobody executes."""
    steps: set[int] = set()
    kept: list[Turn] = []
    for turn in turns:
        if is_call(turn):
            if turn.step in steps:
                continue
            steps.add(turn.step)
        kept.append(turn)
    return kept


def _unsaid(turns: Sequence[Turn], outputs: Sequence[str]) -> list[Difference]:
    """The expected outputs that no message without a call holds."""
    calling = {turn.step for turn in turns if is_call(turn)}
    texts = [text for step, text in texts_of(turns) if step not in calling]
    return [Difference("outputs", output, ABSENT) for output in outputs if not says(texts, output)]
