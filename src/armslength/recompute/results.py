"""Recorded results beside those that the calls have on the recomputed state: whether the state is the recorded one.

Errors equal errors, whatever their text; values equal as JSON, where 5 is 5.0 and a null is a key left out. No outcome
depends on this.

Tests: ``tests/recompute/test_results.py``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from armslength.formats import parse
from armslength.records import Turn

from .state import Difference, compare

_SHOWN: Final = 200
_ERRORS: Final = ("Error", "Unknown action")


class Unequal(NamedTuple):
    """A recorded result that is not the one that the call has on the recomputed state.

    Attributes:
        step: of the call's message.
        tool: its name.
        at: the first place where they differ; empty where they differ as a whole.
        recorded: what the record has there.
        recomputed: what the recomputed state has there.
    """

    step: int
    tool: str
    at: str
    recorded: object
    recomputed: object


def is_error(recorded: Turn) -> bool:
    """Whether a recorded result is an error, by its field or by its text."""
    return bool(recorded.error) or recorded.text.startswith(_ERRORS)


def first_difference(recorded: Turn, became: str, value: object) -> Difference | None:
    """Where a recorded result first differs from ours; None where it does not.

    Args:
        recorded: the result's turn.
        became: what became of the call on the recomputed state: ``done`` or why not.
        value: its result, or the reason.

    Returns:
        A difference whose expected value is ours.
    """
    failed = is_error(recorded)
    if failed or became != "done":
        same = failed and became != "done"
        return None if same else Difference("", _whole(became, value), recorded.text[:_SHOWN])
    if isinstance(value, str):
        return None if value == recorded.text else Difference("", value[:_SHOWN], recorded.text[:_SHOWN])
    try:
        stored = parse(recorded.text)
        return None if stored == value else _first_place(_without_nulls(value), _without_nulls(stored))
    except (ValueError, RecursionError):
        return Difference("", _whole(became, value), recorded.text[:_SHOWN])


def _first_place(ours: object, stored: object) -> Difference | None:
    places = compare("", ours, stored)
    return next((place for place in places if place.expected != place.found), None)


def _whole(became: str, value: object) -> str:
    try:
        return (str(value) if became == "done" else f"{became}: {value}")[:_SHOWN]
    except (ValueError, RecursionError):  # numbers and nesting that have no text
        return "a value that cannot be printed"


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
