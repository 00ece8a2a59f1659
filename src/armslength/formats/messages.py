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

from .calls import read_calls
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
    splitter = _Splitter(rules, at, tools)
    for step, message in enumerate(messages):
        splitter.add(message, step)
    return splitter.finish(len(messages))


def holds_terminal_token(text: str) -> bool:
    """Whether a message ends the episode by what it says."""
    return "###" in text and any(token in text for token in TERMINAL_TOKENS)


def mark_last_act(turns: list[Turn], calls: Collection[str] = TERMINAL_CALLS) -> None:
    """A terminal call and its result are terminal if nothing but terminal turns follows.

    Args:
        turns: of a whole record, changed in place.
        calls: the tools by which a policy ends an episode.
    """
    for i in range(len(turns) - 1, -1, -1):
        turn = turns[i]
        if turn.role == "terminal":
            continue
        if turn.name not in calls or turn.role not in ("tool_call", "tool_result"):
            return
        turns[i] = msgspec.structs.replace(turn, role="terminal")


class _Splitter:
    """The turns of one record, message by message."""

    __slots__ = ("at", "calls", "findings", "rules", "turns")

    def __init__(self, rules: MessageRules, at: str, tools: Collection[str] | None) -> None:
        self.rules = rules
        self.findings = rules.findings
        self.at = at
        self.turns: list[Turn] = []
        self.calls = OpenCalls(rules.findings, at, tools)

    def add(self, message: Message, step: int) -> None:
        """Append the turns of one message; a message with blocks is several."""
        if message.sampled is True:
            message = self._sampled(message, step)
        before, content = len(self.turns), message.content
        if type(content) is list and has_blocks(content):
            for piece in split_blocks(content, message.role):
                self._add_plain(Message(**piece), step)
        else:
            self._add_plain(message, step)
        if (
            message.is_demo or message.is_copied_context or message.sampled is False
        ) and message.role != "system":
            self.turns[before:] = [_by_field(turn, "task") for turn in self.turns[before:]]
        elif message.sampled is True:
            self.turns[before:] = [
                _by_field(turn, "policy") if turn.writer == "policy" else turn for turn in self.turns[before:]
            ]

    def finish(self, steps: int) -> tuple[Turn, ...]:
        """The turns, when all messages were added."""
        self.calls.close(TERMINAL_CALLS, last=steps - 1 if self.rules.open_at_end else None)
        if self.rules.lone_user_is_task:
            _mark_task(self.turns)
        mark_last_act(self.turns)
        return tuple(self.turns)

    def _sampled(self, message: Message, step: int) -> Message:
        """A message that the record says the model wrote: the policy's, whatever its role says."""
        name = message.role
        if type(name) is str and (_ROLE_OF.get(name) or self.rules.roles.get(name)) == "assistant":
            return message
        self.findings.add(
            "SAMPLED_ROLE",
            self._place(step),
            found=canonical(name),
            expected="assistant, since it was sampled",
        )
        return msgspec.structs.replace(message, role="assistant")

    def _add_plain(self, message: Message, step: int) -> None:
        name, text = message.role, message.content
        role = (_ROLE_OF.get(name) if type(name) is str else None) or _other_role(name, self.rules)
        if type(text) is not str:
            text = "" if text is None else content_text(text, self.findings, self._place(step))
        ends = role != "system" and holds_terminal_token(text)
        if role == "assistant":
            self._add_reply(message, text, step, "terminal" if ends else "assistant")
        elif role == "tool_result":
            self._add_result(message, text, step, "terminal" if ends else "tool_result")
        else:
            self.turns.append(Turn("terminal" if ends else role, WRITER_OF[role], text, step))
            if role == "user":
                self._add_user_extras(message, text, step)

    def _add_reply(self, message: Message, text: str, step: int, role: Role) -> None:
        """The policy's message: reasoning first, calls last."""
        turns = self.turns
        before = len(turns)
        if message.reasoning_content or message.reasoning:
            turns.append(Turn(role, "policy", plain(message.reasoning_content or message.reasoning), step))
        if text.startswith("<think>"):
            thought, _, text = text[len("<think>") :].partition("</think>")
            turns.append(Turn(role, "policy", thought.strip(), step))
            text = text.lstrip()
        if text:
            turns.append(Turn(role, "policy", text, step))
            if imitates_result(text):
                self.findings.note("IMITATED_OBSERVATION", self.at)
        if message.refusal:
            turns.append(Turn(role, "policy", plain(message.refusal), step))
        if message.tool_calls or message.function_call:
            self._add_calls(message, step, "terminal" if role == "terminal" else "tool_call")
        if len(turns) == before:
            turns.append(Turn(role, "policy", "", step))
            if message.content == "":
                self.findings.note("EMPTY_REPLY", self.at)  # the record is whole: the model said nothing
            else:
                self.findings.add("MESSAGE_EMPTY", self._place(step), expected="content or tool calls")

    def _add_calls(self, message: Message, step: int, role: Role) -> None:
        calls = read_calls(message.tool_calls, message.function_call, self.findings, self._place(step))
        for call in calls:
            self.turns.append(Turn(role, "policy", call.text, step, call.name, call.id))
        self.calls.add(calls[:1] if self.rules.first_call_only else calls, step)

    def _add_user_extras(self, message: Message, text: str, step: int) -> None:
        """Calls that the user makes; text that looks like a result is reported, but stays the user's."""
        if imitates_result(text):
            self.findings.add("USER_HOLDS_RESULT", self._place(step), expected="a tool message")
        if message.tool_calls:
            calls = read_calls(message.tool_calls, None, self.findings, self._place(step))
            self.turns += [Turn("tool_call", "user", call.text, step, call.name, call.id) for call in calls]
            self.calls.add(calls, step)

    def _add_result(self, message: Message, text: str, step: int, role: Role) -> None:
        call_id, name, prefix = message.tool_call_id, message.name, self.rules.error_prefix
        call = self.calls.answer(call_id, name, step)
        if type(call_id) is not str:
            call_id = None
        if type(name) is not str:
            name = call.name if call else None
        error = _explicit_error(message) if prefix is None else text.startswith(prefix)
        source: WriterSource = "unpaired" if call is None else "role"
        visible = self.calls.visible(text, call, name)
        self.turns.append(Turn(role, "world", visible, step, name, call_id, error, source))

    def _place(self, step: int) -> str:
        return f"{self.at} messages[{step}]"


def _by_field(turn: Turn, writer: Writer) -> Turn:
    """A turn of which the record says who wrote it: the model of this run, or none (demonstrations, copied context)."""
    return msgspec.structs.replace(turn, writer=writer, writer_source="field")


def _other_role(name: object, rules: MessageRules) -> Role:
    role = rules.roles.get(name) if isinstance(name, str) else None
    if role is not None:
        return role
    rules.findings.add(
        "ROLE_UNKNOWN", rules.file, found=canonical(name), expected="a listed role, or --role NAME=ROLE"
    )
    return "unknown"


def _explicit_error(message: Message) -> bool | None:
    value = message.error if message.is_error is None else message.is_error
    return None if value is None else bool(value)


def _mark_task(turns: list[Turn]) -> None:
    """A record with one user message holds the task's text there, not a person's."""
    users = [i for i, turn in enumerate(turns) if turn.writer == "user" and turn.role != "tool_call"]
    if len(users) == 1:
        turn = turns[users[0]]
        turns[users[0]] = Turn(turn.role, "task", turn.text, turn.step)
