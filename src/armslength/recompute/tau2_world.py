"""Where τ²-bench's databases and tasks lie in an environment: folders ``retail``, ``retail_…``, one with ``db.json``.

Tests: ``tests/recompute/test_tau2_reward.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from armslength.formats import canonical, digest, tau2_definition, user_signs

from . import tau2_retail
from .environment import NAME, Environment, Unavailable, as_table
from .tasks import Database

_TOOLS: Final = {"retail": tau2_retail.TOOLS}
_TABLES: Final = ("orders", "users", "products")


class ListedTask(NamedTuple):
    """A task of an environment's list.

    Attributes:
        id: its name.
        key: digest of what it expects; two versions of a task have two.
        definition: what it expects.
        signs: what tells that a conversation is with its user.
    """

    id: str
    key: str
    definition: Mapping[str, Any]
    signs: frozenset[str]


def database_of(domain: str, environment: Environment) -> Database:
    """A domain's initial database, read once.

    Raises:
        Unavailable: nothing recomputes the domain, or its database is not there or not a single one.
    """
    return environment.once(("tau2_bench", domain), lambda: _read_database(domain, environment))


def listed_tasks(domain: str, environment: Environment) -> Sequence[ListedTask]:
    """The tasks of all lists of a domain, read once; two lists' equal tasks stand once."""
    return environment.once(("tau2_bench tasks", domain), lambda: _read_tasks(domain, environment))


def listed_definitions(domain: str, environment: Environment) -> Mapping[str, Mapping[str, Any]]:
    """What the listed tasks of a domain expect, by digest."""
    return environment.once(
        ("tau2_bench definitions", domain),
        lambda: {task.key: task.definition for task in listed_tasks(domain, environment)},
    )


def _read_database(domain: str, environment: Environment) -> Database:
    if environment.folder is None:
        raise Unavailable("no environment folder")
    if domain not in _TOOLS:
        raise Unavailable(f"domain {domain} is not recomputed")
    found = [name for folder in environment.folders(domain) for name in environment.files(folder, "db.json")]
    if len(found) != 1:
        raise Unavailable(f"{len(found) or 'no'} databases {NAME}/{domain}*/db.json")
    stored = environment.json(found[0])
    tables = stored if isinstance(stored, dict) else {}
    return Database(
        {table: as_table(tables.get(table), f"{NAME}/{found[0]} {table}") for table in _TABLES},
        _TOOLS[domain],
    )


def _read_tasks(domain: str, environment: Environment) -> Sequence[ListedTask]:
    made: dict[tuple[str, str], ListedTask] = {}
    for folder in environment.folders(domain):
        for name in environment.files(folder, "tasks*.json"):
            for task in environment.listed(name):
                definition = tau2_definition(task)
                if definition is None or not isinstance(task, dict):
                    continue
                key, named = digest(canonical(definition)), str(task.get("id"))
                made.setdefault((named, key), ListedTask(named, key, definition, user_signs(task)))
    return list(made.values())
