"""OpenAI chat messages as turns: what a message means, whoever stored it.

- One message with reasoning, text and two calls is four turns of one step.
- A role names who wrote a turn only where it is listed; any other role is ``unknown``.
- A message with a terminal token is terminal as a whole; a terminal call is so only as the last act.

Tests: ``tests/formats/test_messages.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from armslength.records import Role, Turn, Writer

from .calls import Call, read_calls
from .canonical import canonical
from .findings import Findings

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
    "assistant": "assistant",
    "tool": "tool_result",
    "function": "tool_result",
}
_MEDIA: Final = {"image_url": "image", "input_image": "image", "input_audio": "audio"}


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


@dataclass(frozen=True)
class MessageRules:
    """How a format reads messages.

    Attributes:
        file: what findings call the file.
        findings: where odd messages are recorded.
        roles: what unlisted role names stand for.
        error_prefix: a result signals an error by this beginning; None if only an explicit field does.
        lone_user_is_task: a single user message is the task's text.
    """

    file: str
    findings: Findings
    roles: Mapping[str, Role] = field(default_factory=dict)
    error_prefix: str | None = None
    lone_user_is_task: bool = False


def count_roles(messages: Sequence[Message]) -> dict[str, int]:
    """Number of messages by the record's own role names."""
    names = [message.role for message in messages]
    try:
        counts = Counter(names)
    except TypeError:  # a role that is a list or an object
        return dict(Counter(_plain(name) for name in names))
    return {_plain(name): count for name, count in counts.items()}


def to_turns(messages: Sequence[Message], rules: MessageRules, at: str) -> tuple[Turn, ...]:
    """Split messages into turns.

    Args:
        messages: of one record.
        rules: of the format.
        at: what findings call the record.

    Returns:
        Turns in the order of the record; a turn's step is the index of its message.
    """
    turns: list[Turn] = []
    open_calls: list[Call] = []
    findings, error_prefix = rules.findings, rules.error_prefix
    for step, message in enumerate(messages):
        name, text = message.role, message.content
        role = (_ROLE_OF.get(name) if type(name) is str else None) or _other_role(name, rules)
        if type(text) is not str:
            text = "" if text is None else _content_text(text, findings, f"{at} messages[{step}]")
        ends = role != "system" and "###" in text and any(token in text for token in TERMINAL_TOKENS)
        if role == "assistant":
            calls = _assistant(turns, message, text, step, ends=ends, findings=findings, at=at)
            open_calls = calls or open_calls
        elif role == "tool_result":
            call = _answered(message.tool_call_id, open_calls) if open_calls else None
            turns.append(_result(message, text, step, call, error_prefix, ends=ends))
        else:
            turns.append(Turn("terminal" if ends else role, WRITER_OF[role], text, step))
            if role == "user" and (message.tool_calls or text.startswith("API output:")):
                turns += _user_extras(message, text, step, findings, at)
    if rules.lone_user_is_task:
        _mark_task(turns)
    _mark_last_act(turns)
    return tuple(turns)


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
    if message.reasoning_content:
        turns.append(Turn(role, "policy", _plain(message.reasoning_content), step))
    if text:
        turns.append(Turn(role, "policy", text, step))
    if message.refusal:
        turns.append(Turn(role, "policy", _plain(message.refusal), step))
    if message.tool_calls or message.function_call:
        calls = read_calls(message.tool_calls, message.function_call, findings, f"{at} messages[{step}]")
        call_role: Role = "terminal" if ends else "tool_call"
        for call in calls:
            turns.append(Turn(call_role, "policy", call.text, step, call.name, call.id))
    if len(turns) == before:
        turns.append(Turn(role, "policy", "", step))
        findings.add("MESSAGE_EMPTY", f"{at} messages[{step}]", expected="content or tool calls")
    return calls


def _user_extras(message: Message, text: str, step: int, findings: Findings, at: str) -> list[Turn]:
    """Calls that the user makes; text that looks like a result is reported, but stays the user's."""
    if text.startswith("API output:"):
        findings.add(
            "USER_HOLDS_RESULT", f"{at} messages[{step}]", found="API output:", expected="a tool message"
        )
    if not message.tool_calls:
        return []
    calls = read_calls(message.tool_calls, None, findings, f"{at} messages[{step}]")
    return [Turn("tool_call", "user", call.text, step, call.name, call.id) for call in calls]


def _answered(call_id: object, open_calls: list[Call]) -> Call | None:
    """The call that a result answers, by identifier, or the first open one if it carries none."""
    for call in open_calls:
        if call.id == call_id or call_id is None:
            open_calls.remove(call)
            return call
    return None


def _result(
    message: Message, text: str, step: int, call: Call | None, error_prefix: str | None, *, ends: bool
) -> Turn:
    call_id = message.tool_call_id if type(message.tool_call_id) is str else None
    name = message.name if type(message.name) is str else (call.name if call else None)
    error = _explicit_error(message) if error_prefix is None else text.startswith(error_prefix)
    return Turn("terminal" if ends else "tool_result", "world", text, step, name, call_id, error)


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


def _plain(value: object) -> str:
    return value if type(value) is str else canonical(value)


def _content_text(content: object, findings: Findings, at: str) -> str:
    """Text of a content that is no string: parts are joined, media become a marker."""
    if not isinstance(content, list):
        findings.add("CONTENT_NOT_TEXT", at, found=type(content).__name__, expected="text or parts")
        return canonical(content)
    return "\n".join(_part_text(part, findings, at) for part in content)


def _part_text(part: object, findings: Findings, at: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, dict) and isinstance(kind, str):
        for key in ("text", "content", "refusal", "thinking"):
            if isinstance(part.get(key), str) and kind in _TEXT_PARTS:
                return str(part[key])
        if kind not in _KNOWN_MEDIA:
            findings.add("CONTENT_PART_UNKNOWN", at, found=kind, expected="a text part or known media")
        return f"[{_MEDIA.get(kind, kind)}]"
    findings.add("CONTENT_NOT_TEXT", at, found="a part without a type", expected="parts with a type")
    return canonical(part)


_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text", "refusal", "thinking"})
_KNOWN_MEDIA: Final = frozenset({*_MEDIA, "image", "audio", "file", "input_file", "video_url"})
