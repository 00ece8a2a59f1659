"""Messages of Inspect samples as turns: who wrote one is what its ``source`` says, never its role.

- ``input``: the task's text, a copied assistant turn too. ``generate``: the policy. ``operator``: a person.
- No source: a solver put the message there. What it wrote may be anybody's text (a critique by the evaluated
  model stands in a user message; scaffold text carries the model's name), so its writer is unknown, unless it
  repeats the sample's input, or carries a tool's content.
- A tool that is an agent returns what a model wrote: unknown, where the sample's events say that it is one.
- ``attachment://`` references are replaced before anything is read.

Tests: ``tests/formats/readers/test_inspect_messages.py``. Reference: ``docs/reference/formats/inspect.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Turn

from ..content import plain
from ..findings import Findings
from ..messages import Message, MessageRules, to_turns

#: The content behind a reference, or None.
Resolve = Callable[[str], str | None]

_REFERENCES: Final = ("attachment://", "tc://")


class InspectMessage(Message, gc=False):
    """A message as Inspect stores it; a tool's name is its ``function``."""

    source: Any = None
    function: Any = None
    tool_error: Any = None


def inspect_turns(
    messages: Sequence[InspectMessage],
    given: object,
    resolve: Resolve,
    rules: MessageRules,
    at: str,
    *,
    by_agents: frozenset[str] = frozenset(),
) -> tuple[Turn, ...]:
    """Turns of a sample.

    Args:
        messages: of the sample; they are put into OpenAI's shape in place.
        given: the sample's ``input``, a text or messages.
        resolve: finds attachments.
        rules: of the file.
        at: what findings call the sample.
        by_agents: ids of the calls that an agent answered: what it returned is another model's text.

    Returns:
        Turns with their writers by `source`; a turn's step is the index of its message.
    """
    texts = _Texts(resolve, rules.findings, at)
    for step, message in enumerate(messages):
        _prepare(message, texts, f"{at} messages[{step}]", rules.findings)
    turns = to_turns(messages, rules, at, _tools(messages))
    calls = {turn.call_id for turn in turns if turn.role == "tool_call"}
    task = _task_texts(given, texts)
    made = (_by_source(turn, messages[turn.step], task, calls) for turn in turns)
    return tuple(
        msgspec.structs.replace(turn, writer="unknown", writer_source="field")
        if turn.writer == "world" and turn.call_id in by_agents
        else turn
        for turn in made
    )


class _Texts:
    """Texts with references replaced by what they stand for."""

    def __init__(self, resolve: Resolve, findings: Findings, at: str) -> None:
        self._resolve = resolve
        self._findings = findings
        self._at = at

    def __call__(self, value: object) -> object:
        """A text, or what a list or an object holds, without references."""
        if type(value) is str:
            return self._text(value) if value.startswith(_REFERENCES) else value
        if type(value) is list:
            return [self(item) for item in value]
        if type(value) is dict:
            return {key: self(item) for key, item in value.items()}
        return value

    def _text(self, value: str) -> str:
        found = self._resolve(value.partition("://")[2])
        if found is None:
            self._findings.add("ATTACHMENT_MISSING", self._at, found=value, expected="an attachment")
            return value
        return found


def _prepare(message: InspectMessage, texts: _Texts, at: str, findings: Findings) -> None:
    """Put a message into the shape of OpenAI's."""
    if type(message.content) is list:
        message.content = [part for part in message.content if _kind(part) != "data"]
        if message.role == "assistant":
            _split_reasoning(message, texts)
    message.content = texts(message.content)
    if message.tool_calls:
        message.tool_calls = texts(message.tool_calls)
        for call in message.tool_calls if type(message.tool_calls) is list else ():
            if type(call) is dict and call.get("parse_error"):
                findings.add("ARGUMENTS_NOT_JSON", at, found="parse_error", expected="arguments that parse")
    if message.role == "tool":
        _prepare_result(message)
    if message.source == "input":
        message.is_copied_context = True
    if type(message.content) is list and any(_kind(part) == "tool_use" for part in message.content):
        message.content = _blocks(message)
        message.tool_calls = message.reasoning_content = None


def _prepare_result(message: InspectMessage) -> None:
    """A failed call's result is its error's message: that is what Inspect shows to the model, not the content."""
    failed = message.error if message.error is not None else message.tool_error or None
    shown = failed.get("message") if isinstance(failed, dict) else failed
    message.name = message.function
    message.is_error = failed is not None
    message.content = shown if isinstance(shown, str) and shown else message.content


def _tools(messages: Sequence[InspectMessage]) -> frozenset[str]:
    """The tools of a sample that exist: those that were called, without those that Inspect did not find."""
    called = [message for message in messages if type(message.function) is str]
    missing = {
        message.function for message in called
        if message.is_error and message.content == f"Tool {message.function} not found"
    }  # fmt: skip
    return frozenset(message.function for message in called) - missing


def _split_reasoning(message: InspectMessage, texts: _Texts) -> None:
    """Reasoning is a turn of its own; of redacted reasoning the summary is all that there is to read."""
    parts = [part for part in message.content if _kind(part) == "reasoning"]
    if parts:
        message.content = [part for part in message.content if _kind(part) != "reasoning"]
        shown = (part.get("summary") if part.get("redacted") else part.get("reasoning") for part in parts)
        message.reasoning_content = "\n".join(plain(texts(text)) or "[redacted thinking]" for text in shown)


def _blocks(message: InspectMessage) -> list[Any]:
    """Content with calls of the provider's own tools and their results as blocks, then the ordinary calls."""
    made: list[Any] = []
    if message.reasoning_content:
        made.append({"type": "thinking", "thinking": message.reasoning_content})
    for part in message.content:
        if _kind(part) != "tool_use":
            made.append(part)
            continue
        made.append({**part, "input": part.get("arguments")})
        made.append(
            {
                "type": "tool_result",
                "tool_use_id": part.get("id"),
                "content": part.get("result"),
                "is_error": part.get("error") is not None,
            }
        )
    for call in message.tool_calls if type(message.tool_calls) is list else ():
        if type(call) is dict:
            made.append(
                {
                    "type": "tool_use",
                    "id": call.get("id"),
                    "name": call.get("function"),
                    "input": call.get("arguments"),
                }
            )
    return made


def _by_source(turn: Turn, message: InspectMessage, task: frozenset[str], calls: set[str | None]) -> Turn:
    source = message.source
    if turn.writer_source == "field":  # a message of the input
        return turn
    if turn.writer == "policy":
        writer = "policy" if source == "generate" else "unknown"
        return msgspec.structs.replace(turn, writer=writer, writer_source="field")
    if turn.writer != "user":
        return turn
    if source == "operator":
        return msgspec.structs.replace(turn, writer_source="field")
    if message.tool_call_id:
        ids = message.tool_call_id if type(message.tool_call_id) is list else [message.tool_call_id]
        call = next((call for call in ids if type(call) is str), None)
        return msgspec.structs.replace(
            turn, role="tool_result", writer="world", call_id=call,
            writer_source="field" if call in calls else "unpaired",
        )  # fmt: skip
    return msgspec.structs.replace(turn, writer="task" if turn.text in task else "unknown")


def _task_texts(given: object, texts: _Texts) -> frozenset[str]:
    """What the sample's input says; a message without a source that repeats it is the task's."""
    if type(given) is not list:
        return frozenset((plain(texts(given)),))
    contents = (item.get("content") for item in given if type(item) is dict and item.get("role") == "user")
    return frozenset(plain(texts(content)) for content in contents if type(content) is str)


def _kind(part: object) -> object:
    return part.get("type") if isinstance(part, dict) else None
