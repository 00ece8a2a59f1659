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

from armslength.formats import parse
from armslength.records import Turn

from .calls import Call
from .state import State

Tool = Callable[..., object]
Tools = Mapping[str, Tool]

#: What a tool returns whose result is not compared: nothing depends on it, and nobody recomputes it.
NOT_COMPARED: Final = object()

_ERRORS: Final = (TypeError, LookupError, ValueError, AttributeError, ArithmeticError, RecursionError)


class Refusal(Exception):  # noqa: N818 - an answer of the environment, no error of ours
    """A tool refuses a call; the state stays as it is."""


class Unequal(NamedTuple):
    """A recorded result that is not the one that the call has on the recomputed state.

    Attributes:
        step: of the call's message.
        tool: its name.
        recorded: the beginning of the recorded result.
        recomputed: the beginning of ours.
    """

    step: int
    tool: str
    recorded: str
    recomputed: str


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
            if not _is_error(call.result):
                counts["unknown tool answered"] += 1
                foreign[call.name] = None
            continue
        same = _is_recorded(call.result, became, value)
        counts["equal" if same else "unequal"] += 1
        if not same:
            ours = f"{became}: {value}" if became != "done" else str(value)
            unequal.append(Unequal(call.step, call.name, call.result.text[:_SHOWN], ours[:_SHOWN]))
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


_SHOWN: Final = 200
_SAYS_ERROR: Final = ("Error", "Unknown action")


def _not_compared(_: State, /, **__: object) -> object:
    return NOT_COMPARED


def _is_recorded(recorded: Turn, became: str, value: object) -> bool:
    """Errors equal errors, whatever their text; values equal as JSON, where 5 is 5.0 and null is a key left out."""
    failed = _is_error(recorded)
    if failed or became != "done":
        return failed and became != "done"
    if isinstance(value, str):
        return value == recorded.text
    try:
        stored = parse(recorded.text)
        return stored == value or _without_nulls(stored) == _without_nulls(value)
    except ValueError:
        return False


def _is_error(recorded: Turn) -> bool:
    return bool(recorded.error) or recorded.text.startswith(_SAYS_ERROR)


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
