"""OpenAI chat messages as turns: what a message means, whoever stored it.

- One message with reasoning, text and two calls is four turns of one step.
- A role names who wrote a turn only where it is listed; any other role is ``unknown``.
- A message with a terminal token is terminal as a whole; a terminal call is so only as the last act.

Tests: ``tests/formats/test_messages.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from armslength.records import Role, Turn, Writer, WriterSource, imitates_result

from .calls import Call, read_calls
from .canonical import canonical
from .content import content_text, has_blocks, plain, split_blocks
from .findings import Findings
from .pairing import OpenCalls

TERMINAL_TOKENS: Final = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
TERMINAL_CALLS: Final = frozenset({"Finish", "submit", "transfer_to_human_agents"})

#: Who writes a turn of a role, where the role is all that is known.
WRITER_OF: Final[dict[Role, Writer]] = {
    "system": "task",
    "user": "user",
    "assistant": "policy",
    "tool_call": "policy",
    "tool_result": "world",
    "terminal": "unknown",
    "unknown": "unknown",
}

_ROLE_OF: Final[dict[str, Role]] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "Human": "user",
    "assistant": "assistant",
    "Assistant": "assistant",
    "ai": "assistant",
    "AI": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "tool": "tool_result",
    "function": "tool_result",
    "ipython": "tool_result",
    "observation": "tool_result",
}


class Message(msgspec.Struct, gc=False):
    """A chat message; loosely typed, since what is odd is mapped and counted, not refused."""

    role: Any = None
    content: Any = None
    name: Any = None
    tool_calls: Any = None
    tool_call_id: Any = None
    function_call: Any = None
    reasoning_content: Any = None
    refusal: Any = None
    error: Any = None
    is_error: Any = None
    reasoning: Any = None
    is_demo: Any = None
    is_copied_context: Any = None
    sampled: Any = None


@dataclass(frozen=True)
class MessageRules:
    """How a format reads messages.

    Attributes:
        file: what findings call the file.
        findings: where odd messages are recorded.
        roles: what unlisted role names stand for.
        error_prefix: a result signals an error by this beginning; None if only an explicit field does.
        lone_user_is_task: a single user message is the task's text.
        first_call_only: the harness executes the first call of a message, and no other.
        open_at_end: a run may end at its limit with calls that nobody executed any more.
    """

    file: str
    findings: Findings
    roles: Mapping[str, Role] = field(default_factory=dict)
    error_prefix: str | None = None
    lone_user_is_task: bool = False
    first_call_only: bool = False
    open_at_end: bool = False


def count_roles(messages: Sequence[Message]) -> dict[str, int]:
    """Number of messages by the record's own role names."""
    names = [message.role for message in messages]
    try:
        counts = Counter(names)
    except TypeError:  # a role that is a list or an object
        return dict(Counter(plain(name) for name in names))
    return {plain(name): count for name, count in counts.items()}


def to_turns(
    messages: Sequence[Message], rules: MessageRules, at: str, tools: Collection[str] | None = None
) -> tuple[Turn, ...]:
    """Split messages into turns.

    Args:
        messages: of one record.
        rules: of the format.
        at: what findings call the record.
        tools: the names of the tools that the record offers, where it lists them.

    Returns:
        Turns in the order of the record; a turn's step is the index of its message.
    """
    turns: list[Turn] = []
    calls = OpenCalls(rules.findings, at, tools)
    for step, message in enumerate(messages):
        before = len(turns)
        if type(message.content) is not str and has_blocks(message.content):
            for piece in split_blocks(message.content, message.role):
                _add(turns, Message(**piece), step, calls, rules=rules, at=at)
        else:
            _add(turns, message, step, calls, rules=rules, at=at)
        if (
            message.is_demo or message.is_copied_context or message.sampled is False
        ) and message.role != "system":
            turns[before:] = [_copied(turn) for turn in turns[before:]]
    calls.close(TERMINAL_CALLS, last=len(messages) - 1 if rules.open_at_end else None)
    if rules.lone_user_is_task:
        _mark_task(turns)
    _mark_last_act(turns)
    return tuple(turns)


def _add(
    turns: list[Turn], message: Message, step: int, calls: OpenCalls, *, rules: MessageRules, at: str
) -> None:
    """Append the turns of one message."""
    name, text, findings = message.role, message.content, rules.findings
    role = (_ROLE_OF.get(name) if type(name) is str else None) or _other_role(name, rules)
    if type(text) is not str:
        text = "" if text is None else content_text(text, findings, f"{at} messages[{step}]")
    ends = role != "system" and "###" in text and any(token in text for token in TERMINAL_TOKENS)
    if role == "assistant":
        made = _assistant(turns, message, text, step, ends=ends, findings=findings, at=at)
        if made:
            calls.add(made[:1] if rules.first_call_only else made, step)
    elif role == "tool_result":
        turns.append(_result(message, text, step, calls, rules.error_prefix, ends=ends))
    else:
        turns.append(Turn("terminal" if ends else role, WRITER_OF[role], text, step))
        if role == "user" and (message.tool_calls or imitates_result(text)):
            calls.add(_user_extras(turns, message, text, step, rules=rules, at=at), step)


def _copied(turn: Turn) -> Turn:
    """A turn that the record says no model of this run produced: a demonstration, or copied context."""
    return msgspec.structs.replace(turn, writer="task", writer_source="field")


def _other_role(name: object, rules: MessageRules) -> Role:
    role = rules.roles.get(name) if isinstance(name, str) else None
    if role is not None:
        return role
    rules.findings.add(
        "ROLE_UNKNOWN", rules.file, found=canonical(name), expected="a listed role, or --role NAME=ROLE"
    )
    return "unknown"


def _assistant(
    turns: list[Turn], message: Message, text: str, step: int, *, ends: bool, findings: Findings, at: str
) -> list[Call]:
    """Append the turns of an assistant message, reasoning first, calls last; return the calls."""
    role: Role = "terminal" if ends else "assistant"
    before = len(turns)
    calls: list[Call] = []
    reasoning = message.reasoning_content or message.reasoning
    if reasoning:
        turns.append(Turn(role, "policy", plain(reasoning), step))
    if text.startswith("<think>"):
        thought, _, text = text[len("<think>") :].partition("</think>")
        turns.append(Turn(role, "policy", thought.strip(), step))
        text = text.lstrip()
    if text:
        turns.append(Turn(role, "policy", text, step))
        if imitates_result(text):
            findings.note("IMITATED_OBSERVATION", at)
    if message.refusal:
        turns.append(Turn(role, "policy", plain(message.refusal), step))
    if message.tool_calls or message.function_call:
        calls = read_calls(message.tool_calls, message.function_call, findings, f"{at} messages[{step}]")
        call_role: Role = "terminal" if ends else "tool_call"
        for call in calls:
            turns.append(Turn(call_role, "policy", call.text, step, call.name, call.id))
    if len(turns) == before:
        turns.append(Turn(role, "policy", "", step))
        if message.content == "":
            findings.note("EMPTY_REPLY", at)  # the record is whole: the model said nothing
        else:
            findings.add("MESSAGE_EMPTY", f"{at} messages[{step}]", expected="content or tool calls")
    return calls


def _user_extras(
    turns: list[Turn], message: Message, text: str, step: int, *, rules: MessageRules, at: str
) -> list[Call]:
    """Calls that the user makes; text that looks like a result is reported, but stays the user's."""
    findings = rules.findings
    if imitates_result(text):
        findings.add("USER_HOLDS_RESULT", f"{at} messages[{step}]", expected="a tool message")
    if not message.tool_calls:
        return []
    calls = read_calls(message.tool_calls, None, findings, f"{at} messages[{step}]")
    turns += [Turn("tool_call", "user", call.text, step, call.name, call.id) for call in calls]
    return calls


def _result(
    message: Message, text: str, step: int, calls: OpenCalls, error_prefix: str | None, *, ends: bool
) -> Turn:
    call = calls.answer(message.tool_call_id, message.name, step)
    call_id = message.tool_call_id if type(message.tool_call_id) is str else None
    name = message.name if type(message.name) is str else (call.name if call else None)
    error = _explicit_error(message) if error_prefix is None else text.startswith(error_prefix)
    source: WriterSource = "unpaired" if call is None else "role"
    role: Role = "terminal" if ends else "tool_result"
    return Turn(role, "world", calls.visible(text, call), step, name, call_id, error, source)


def _explicit_error(message: Message) -> bool | None:
    value = message.error if message.is_error is None else message.is_error
    return None if value is None else bool(value)


def _mark_task(turns: list[Turn]) -> None:
    """A record with one user message holds the task's text there, not a person's."""
    users = [i for i, turn in enumerate(turns) if turn.writer == "user" and turn.role != "tool_call"]
    if len(users) == 1:
        turn = turns[users[0]]
        turns[users[0]] = Turn(turn.role, "task", turn.text, turn.step)


def _mark_last_act(turns: list[Turn]) -> None:
    """A terminal call and its result are terminal if nothing but terminal turns follows."""
    for i in range(len(turns) - 1, -1, -1):
        turn = turns[i]
        if turn.role == "terminal":
            continue
        if turn.name not in TERMINAL_CALLS or turn.role not in ("tool_call", "tool_result"):
            return
        turns[i] = msgspec.structs.replace(turn, role="terminal")
