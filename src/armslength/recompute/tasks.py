"""From the expected actions of a task to the state that a run has to reach.

Tests: ``tests/recompute/test_tau_reward.py``, ``tests/recompute/test_tau2_reward.py``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Final, NamedTuple

from .calls import Call
from .environment import Environment, Unavailable
from .execute import Tools, run
from .state import State, Tables

#: The note of a verdict whose task stands in no list of the environment.
STATED_BY_FILE: Final = "task stated by the run's file alone"

#: How the names of tools begin that only look something up: nothing follows where they find nothing.
_LOOKUPS: Final = ("find_", "get_", "list_", "search_")


class Database(NamedTuple):
    """The initial tables of a domain, and the tools that change them."""

    tables: Tables
    tools: Tools


class Expected(NamedTuple):
    """What a task's expected actions reach.

    Attributes:
        state: the one after them.
        notes: which of them the environment refuses.
    """

    state: State
    notes: tuple[str, ...]


def expected_state(
    environment: Environment, key: Hashable, database: Database, actions: Sequence[Call]
) -> Expected:
    """Execute a task's expected actions, once for each key; one that is refused changes nothing."""
    return environment.once(("expected", key), lambda: _execute(database, actions))


def read_actions(stored: object, arguments: str) -> list[Call]:
    """A task's expected actions.

    Args:
        stored: a list of objects with a name and arguments.
        arguments: the key of the arguments.

    Raises:
        Unavailable: they are no such list.
    """
    calls: list[Call] = []
    for action in stored if isinstance(stored, list) else [None]:
        name = action.get("name") if isinstance(action, Mapping) else None
        given = action.get(arguments) if isinstance(action, Mapping) else None
        if not isinstance(name, str) or not isinstance(given, dict):
            raise Unavailable("the task's expected actions cannot be read")
        calls.append(Call(name, given, len(calls)))
    return calls


def read_texts(stored: object) -> list[str]:
    """The strings that a task wants to be said; none if it names none.

    Raises:
        Unavailable: they are no list of texts.
    """
    texts = [] if stored is None else stored
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Unavailable("the task's expected outputs cannot be read")
    return texts


def _execute(database: Database, actions: Sequence[Call]) -> Expected:
    state = State(database.tables)
    became = [run(state, database.tools, action.name, action.arguments)[0] for action in actions]
    refused = dict.fromkeys(
        action.name
        for action, what in zip(actions, became, strict=True)
        if what == "refused" and not action.name.startswith(_LOOKUPS)
    )
    return Expected(state, tuple(f"expected action {name} is refused" for name in refused))
