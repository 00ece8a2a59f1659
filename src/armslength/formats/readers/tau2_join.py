"""Whether a τ²-bench file's conversations belong to the tasks that they name.

A task names its user; in a conversation about the task that name, user id or address is said or looked up. Where it
is not, nobody can tell whether the run is the task's: it has no outcome. A file in which most users never occur has
its task ids joined to other conversations: then a user that does occur may do so by chance, and no run of the file has
an outcome.

In the public exports, which are sound, the user occurs in 1,374 of 1,375 conversations; in the two public files with
wrong joins in 4 of 164. The border of one half lies far from both.

Tests: ``tests/formats/readers/test_tau2_bench.py``. Reference: ``docs/reference/formats/tau2_bench.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from armslength.records import Turn

from ..content import plain

#: A file whose share of runs with their task's user is lower has its tasks wrongly joined.
LOWEST_SHARE: Final = 0.5
#: In fewer runs a single odd conversation would decide.
FEWEST_RUNS: Final = 3

_USER_ID = re.compile(r"\b([a-z]+)_([a-z]+)_\d{2,}\b")
_ADDRESS = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.\w+)+")
_NAME = re.compile(r"\b(?:you are|you're|name is|named|called)\s+([A-Z][\w'-]+)\s+([A-Z][\w'-]+)", re.ASCII)
_OPENING = re.compile(r"\b(?:You are|You're|Your)\b")


def user_signs(task: object) -> frozenset[str]:
    """What tells that a conversation is with the task's user: ids, addresses and names, in lower case.

    Args:
        task: as the file stores it.

    Returns:
        The signs that the user's instructions hold; none where they name nobody. The expected actions are not looked
        at: they say what the policy should do, not who speaks.
    """
    scenario = task.get("user_scenario") if isinstance(task, dict) else None
    instructions = scenario.get("instructions") if isinstance(scenario, dict) else scenario
    parts = list(instructions.values()) if isinstance(instructions, dict) else [instructions]
    text = _OPENING.sub(lambda found: found.group().lower(), "\n".join(plain(part) for part in parts))
    signs: set[str] = set(_ADDRESS.findall(text))
    for first, last in [*_USER_ID.findall(text), *_NAME.findall(text)]:
        signs |= {f"{first} {last}", f"{first}_{last}_"}
    return frozenset(sign.lower() for sign in signs)


def has_sign(turns: Iterable[Turn], signs: frozenset[str]) -> bool | None:
    """Whether one of the signs occurs in a run; None where the task has none or nobody spoke."""
    text = "\n".join(turn.text for turn in turns).lower()
    return any(sign in text for sign in signs) if signs and text else None


def is_wrongly_joined(found: Sequence[bool | None]) -> bool:
    """Whether the runs of a file belong to other tasks than they name, given `has_sign` of each."""
    known = [value for value in found if value is not None]
    return len(known) >= FEWEST_RUNS and sum(known) < LOWEST_SHARE * len(known)
