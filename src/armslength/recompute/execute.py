"""Executing calls on a state: a tool is a function of the state and the call's arguments.

- A tool that refuses, an unknown tool, and arguments that are missing, superfluous or of the wrong type leave the state
  as it is: the environments answer with an error and go on.
- Recorded results are compared afterwards: the share that equals ours shows whether the state is the recorded one.

Tests: ``tests/recompute/test_execute.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .calls import Call
from .results import Unequal, first_difference, is_error
from .state import State

Tool = Callable[..., object]
Tools = Mapping[str, Tool]

#: What a tool returns whose result is not compared: nothing depends on it, and nobody recomputes it.
NOT_COMPARED: Final = object()

_ERRORS: Final = (TypeError, LookupError, ValueError, AttributeError, ArithmeticError, RecursionError)


class Refusal(Exception):  # noqa: N818 - an answer of the environment, no error of ours
    """A tool refuses a call; the state stays as it is."""


class Executed(NamedTuple):
    """What executing calls gave.

    Attributes:
        calls: how many were executed, by what became of them: ``done``, ``refused``, ``unknown tool``,
            ``unreadable arguments``; ``equal`` and ``unequal`` count compared results, ``unknown tool answered`` those
            unknown tools to which the record's environment gave a result.
        unequal: the recorded results that are not ours.
        foreign: the names of the unknown tools that were answered.
    """

    calls: Counter[str]
    unequal: tuple[Unequal, ...]
    foreign: tuple[str, ...] = ()


def execute(state: State, tools: Tools, calls: Iterable[Call]) -> Executed:
    """Execute calls in their order.

    Args:
        state: is changed.
        tools: by name.
        calls: of one run.

    Returns:
        What became of them.
    """
    counts: Counter[str] = Counter()
    unequal: list[Unequal] = []
    foreign: dict[str, None] = {}
    for call in calls:
        became, value = run(state, tools, call.name, call.arguments)
        counts[became] += 1
        if call.result is None or value is NOT_COMPARED:
            continue
        if became == "unknown tool":
            if not is_error(call.result):
                counts["unknown tool answered"] += 1
                foreign[call.name] = None
            continue
        place = first_difference(call.result, became, value)
        counts["unequal" if place else "equal"] += 1
        if place:
            unequal.append(Unequal(call.step, call.name, place.at, place.found, place.expected))
    return Executed(counts, tuple(unequal), tuple(foreign))


def run(state: State, tools: Tools, name: str, arguments: Mapping[str, Any] | None) -> tuple[str, object]:
    """Execute one call: what became of it, and its result or the reason why it failed."""
    if arguments is None:
        return "unreadable arguments", "no mapping from names"
    tool = tools.get(name)
    if tool is None:
        return "unknown tool", name
    try:
        value = tool(state, **arguments)
    except (Refusal, *_ERRORS) as refusal:
        state.roll_back()
        return "refused", str(refusal)
    state.commit()
    return "done", value


def reads(tools: Sequence[str]) -> dict[str, Tool]:
    """Tools that leave the state as it is and whose results are not compared."""
    return dict.fromkeys(tools, _not_compared)


def _not_compared(_: State, /, **__: object) -> object:
    return NOT_COMPARED
