"""A run as trainers hand it to a reward function: the prompt, and the completion as a list of messages.

- The prompt is everything before the policy's first turn; the completion is all that follows.
- Text and calls that the policy wrote in one step are one assistant message; calls carry arguments as an object and no
  ids; a result is a ``tool`` message with the tool's name.
- Every call makes new lists: a function that changes what it is given changes nothing for the next one.

Tests: ``tests/attacks/test_conversations.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from armslength.formats.canonical import parse
from armslength.records import Trajectory, Turn

Message = dict[str, Any]

_ROLES: Final = {"tool_call": "assistant", "tool_result": "tool"}


class Conversation(NamedTuple):
    """The two halves of a run, as messages."""

    prompt: list[Message]
    completion: list[Message]


def conversation(run: Trajectory) -> Conversation:
    """Split a run where the policy first writes, and write both halves as messages.

    Args:
        run: without terminal turns, or with them: they are messages of the role ``terminal``.

    Returns:
        Prompt and completion; a run in which the policy wrote nothing has an empty completion.
    """
    first = next((at for at, turn in enumerate(run.turns) if turn.writer == "policy"), len(run.turns))
    return Conversation(_messages(run.turns[:first]), _messages(run.turns[first:]))


def _messages(turns: Sequence[Turn]) -> list[Message]:
    messages: list[Message] = []
    last: Turn | None = None
    for turn in turns:
        if turn.role == "tool_call":
            if last is None or not _continues(last, turn):
                role = "assistant" if turn.writer == "policy" else turn.writer
                messages.append({"role": role, "content": ""})
            messages[-1].setdefault("tool_calls", []).append(_call(turn))
        else:
            message: Message = {"role": _ROLES.get(turn.role, turn.role), "content": turn.text}
            messages.append(message | {"name": turn.name} if turn.role == "tool_result" else message)
        last = turn
    return messages


def _continues(last: Turn, call: Turn) -> bool:
    """Whether a call belongs to the message of the turn before it."""
    same = (last.step, last.writer) == (call.step, call.writer)
    return same and last.role in ("assistant", "user", "tool_call")


def _call(turn: Turn) -> Message:
    name, _, arguments = turn.text.partition(" ")
    try:
        given = parse(arguments) if arguments else {}
    except ValueError:
        given = arguments
    return {"type": "function", "function": {"name": turn.name or name, "arguments": given}}
