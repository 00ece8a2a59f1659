"""What a policy did, from the turns of its record: calls with their arguments, and what it told the user.

- Recorded results are kept beside the calls for a later comparison and enter nothing else.
- Arguments are JSON, or a literal of Python where a harness wrote it so; nothing is evaluated.

Tests: ``tests/recompute/test_visible_calls.py``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from armslength.formats import canonical, parse
from armslength.records import Turn

#: Longer texts of arguments are not read as a literal of Python.
_LONGEST_LITERAL: Final = 100_000


class Call(NamedTuple):
    """A call of the policy.

    Attributes:
        name: of the tool.
        arguments: by name; None where they cannot be read as such.
        step: of the message that holds it.
        result: the turn that the record gives as its result, or None.
        is_literal: whether the harness wrote the arguments as a literal of Python.
    """

    name: str
    arguments: dict[str, Any] | None
    step: int
    result: Turn | None = None
    is_literal: bool = False


def until_end(turns: Sequence[Turn], ends: Callable[[Turn], bool]) -> tuple[Sequence[Turn], bool]:
    """The turns up to the one that ends the run, and whether there is such a turn."""
    for position, turn in enumerate(turns):
        if ends(turn):
            return turns[: position + 1], True
    return turns, False


def is_call(turn: Turn) -> bool:
    """Whether a turn is a call of the policy; a call that ends an episode is a terminal turn with a name."""
    return turn.writer == "policy" and turn.name is not None and turn.role in ("tool_call", "terminal")


def calls_of(turns: Sequence[Turn]) -> list[Call]:
    """The policy's calls in their order, each with the result that the record gives.

    A result answers the open call of its identifier; where it has none, the first open one.
    """
    calls: list[Call] = []
    waiting: list[tuple[int, str | None]] = []
    for turn in turns:
        if is_call(turn):
            waiting.append((len(calls), turn.call_id))
            arguments, is_literal = _read_arguments(turn)
            calls.append(Call(turn.name or "", arguments, turn.step, is_literal=is_literal))
        elif turn.writer == "world" and waiting:
            answered = next((pair for pair in waiting if turn.call_id in (None, pair[1])), None)
            if answered is not None:
                waiting.remove(answered)
                calls[answered[0]] = calls[answered[0]]._replace(result=turn)
    return calls


def read_arguments(turn: Turn) -> dict[str, Any] | None:
    """The arguments of a call's text; None if they are no mapping from names."""
    return _read_arguments(turn)[0]


def with_lists(call: Call) -> Call:
    """A call whose arguments are a literal, with those texts read as lists that are literals of lists.

    A harness that writes each argument as a text hides whether the policy gave a list or its text.
    """
    if not call.is_literal or call.arguments is None:
        return call
    read = {name: _as_list(value) for name, value in call.arguments.items()}
    return call if read == call.arguments else call._replace(arguments=read)


def texts_of(turns: Sequence[Turn]) -> list[tuple[int, str]]:
    """What the policy told the user, with the message's step: of thought and reply, which follows it, the reply."""
    made: dict[int, str] = {}
    for turn in turns:
        if turn.name is None and turn.role in ("assistant", "terminal") and turn.writer == "policy":
            made[turn.step] = turn.text
    return list(made.items())


def says(texts: Sequence[str], wanted: str) -> bool:
    """Whether a string occurs in one of the texts: in any case, and without the commas of the texts."""
    return any(wanted.lower() in text.lower().replace(",", "") for text in texts)


def _read_arguments(turn: Turn) -> tuple[dict[str, Any] | None, bool]:
    """The arguments, and whether they are a literal of Python and no JSON."""
    text = turn.text[len(turn.name or "") + 1 :]
    is_literal = False
    try:
        value = parse(text)
    except ValueError:
        value, is_literal = _literal(text), True
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return None, False
    return value, is_literal


def _as_list(value: Any) -> Any:  # noqa: ANN401 - an argument
    read = _literal(value) if isinstance(value, str) and value.startswith("[") else None
    return read if isinstance(read, list) else value


def _literal(text: str) -> object:
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        return parse(canonical(ast.literal_eval(text)))  # what JSON cannot hold, no environment was given
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
