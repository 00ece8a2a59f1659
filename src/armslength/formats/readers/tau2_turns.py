"""τ²-bench messages as turns: who wrote which, and what ends a conversation.

- The record says who makes a call (``requestor``): the user may call tools as well. Such a call is the user's, its
  result the world's.
- The greeting that opens a conversation is the harness's, whoever's role it has.
- ``check_for_stop`` asks whether the user may end the conversation: the call and its result, which lists the terminal
  tokens, are terminal wherever they stand.
- A transfer to a human is the policy's last act also where its farewell and the user's token follow.

Tests: ``tests/formats/readers/test_tau2_bench.py``. Reference: ``docs/reference/formats/tau2_bench.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from armslength.records import Turn, Writer

from ..canonical import canonical
from ..messages import Message, MessageRules, to_turns

#: What the harness lets the assistant say first.
GREETING: Final = "Hi! How can I help you today?"
#: Tools that decide whether the conversation ends, and do nothing else.
STOP_CHECKS: Final = frozenset({"check_for_stop"})

_TRANSFER: Final = "transfer_to_human_agents"
_WRITER_OF: Final[dict[object, Writer]] = {"assistant": "policy", "user": "user"}


class Tau2Message(Message, gc=False):
    """A message; a result's own id is the id of its call."""

    id: Any = None
    requestor: Any = None


def tau2_turns(messages: Sequence[Tau2Message], rules: MessageRules, at: str) -> tuple[Turn, ...]:
    """Turns of a conversation; a turn's step is the index of its message."""
    for message in messages:
        if message.role == "tool" and message.tool_call_id is None:
            message.tool_call_id = message.id
    turns: list[Turn] = []
    seen: Counter[int] = Counter()
    for turn in to_turns(messages, rules, at):
        message = messages[turn.step]
        position = seen[turn.step]
        seen[turn.step] += turn.role == "tool_call"
        if turn.name in STOP_CHECKS and "user" in (message.role, message.requestor):
            turns.append(msgspec.structs.replace(turn, role="terminal", error=None))
        elif turn.role == "tool_call":
            turns.append(_with_requestor(turn, message, position, rules, at))
        elif turn.role == "user" and not turn.text and message.tool_calls:
            continue  # a message that holds nothing but calls
        elif turn.step == 0 and turn.role == "assistant" and turn.text == GREETING:
            turns.append(msgspec.structs.replace(turn, writer="task"))
        else:
            turns.append(turn)
    _mark_transfer(turns)
    return tuple(turns)


def _with_requestor(turn: Turn, message: Tau2Message, position: int, rules: MessageRules, at: str) -> Turn:
    """A call with the writer that the record names; where that is not the message's own role, nobody knows."""
    stored = message.tool_calls[position] if isinstance(message.tool_calls, list) else None
    requestor = stored.get("requestor") if isinstance(stored, dict) else None
    if requestor is None:
        return turn
    if requestor == message.role and requestor in ("assistant", "user"):
        return msgspec.structs.replace(turn, writer=_WRITER_OF[requestor], writer_source="field")
    rules.findings.add(
        "REQUESTOR_UNCLEAR", f"{at} messages[{turn.step}]",
        found=f"{canonical(requestor)} in a message of {canonical(message.role)}", expected="the message's own role",
    )  # fmt: skip
    return msgspec.structs.replace(turn, writer="unknown", writer_source="field")


def _mark_transfer(turns: list[Turn]) -> None:
    """A transfer is terminal if only the policy's own words and terminal turns follow it."""
    if not turns or turns[-1].role != "terminal":
        return
    for i in range(len(turns) - 1, -1, -1):
        turn = turns[i]
        if turn.role == "terminal" or (turn.role == "assistant" and turn.writer == "policy"):
            continue
        if turn.name != _TRANSFER or turn.role not in ("tool_call", "tool_result"):
            return
        turns[i] = msgspec.structs.replace(turn, role="terminal")
