"""Events of an OpenHands SDK conversation as turns.

- ``source`` says who spoke, but an ``AgentErrorEvent`` of the source ``agent`` is the scaffold's.
- What the scaffold adds to a message or a result (``extended_content``) is a turn of its own.
- An action of null was never executed: its tool may be one that the policy made up.

Tests: ``tests/formats/readers/test_openhands.py``. Reference: ``docs/reference/formats/openhands.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from armslength.records import Turn, Writer

from ..calls import Call, read_calls
from ..canonical import canonical
from ..content import content_text, plain
from ..findings import Findings
from ..labelled import tool_names
from .openhands_turns import TurnMaker, speaker, text_or_none

Event = dict[str, Any]

_BOOKKEEPING: Final = frozenset(
    {
        "CondensationRequest",
        "ConversationErrorEvent",
        "ConversationStateUpdateEvent",
        "HookExecutionEvent",
        "InterruptEvent",
        "LLMCompletionLogEvent",
        "PauseEvent",
        "StreamingDeltaEvent",
        "TokenEvent",
    }
)
_RESULTS: Final = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})
_LIMIT: Final = "MaxIterationsReached"


def sdk_turns(events: Sequence[Event], at: str, findings: Findings) -> tuple[Turn, ...]:
    """Turns of a conversation; a turn's step is the position of its event."""
    maker = TurnMaker(findings, at, _tools(events))
    for step, event in enumerate(events):
        kind = event.get("kind")
        if kind == "SystemPromptEvent":
            for part in ("system_prompt", "dynamic_context"):
                maker.say("system", "task", _text(maker, event.get(part), step), step)
        elif kind == "MessageEvent":
            _add_message(maker, event, step)
        elif kind == "ActionEvent":
            _add_action(maker, event, step)
        elif isinstance(kind, str) and kind in _RESULTS:
            _add_result(maker, event, step)
        elif kind in ("Condensation", "CondensationSummaryEvent"):
            maker.say("system", "unknown", plain(event.get("summary")), step)
        elif not isinstance(kind, str) or kind not in _BOOKKEEPING:
            maker.findings.add(
                "EVENT_UNKNOWN", f"{at} event {step}", found=plain(kind), expected="a listed kind"
            )
            maker.say("unknown", "unknown", canonical(event), step)
    return maker.finish(len(events) - 1)


def ended_by(events: Sequence[Event]) -> Literal["crashed", "step limit"] | None:
    """Whether an error of the conversation is the last that happened in it, and which."""
    for event in reversed(events):
        kind = event.get("kind")
        if kind == "ConversationErrorEvent":
            return "step limit" if event.get("code") == _LIMIT else "crashed"
        if not isinstance(kind, str) or kind not in _BOOKKEEPING:
            return None
    return None


def _tools(events: Sequence[Event]) -> frozenset[str]:
    """Tools that exist: those that are listed, and those that were executed."""
    listed = [
        tool_names(event.get("tools")) or () for event in events if event.get("kind") == "SystemPromptEvent"
    ]
    executed = (event.get("tool_name") for event in events if event.get("action") is not None)
    return frozenset().union(*listed, (name for name in executed if isinstance(name, str)))


def _add_message(maker: TurnMaker, event: Event, step: int) -> None:
    message = event.get("llm_message")
    message = message if isinstance(message, dict) else {}
    writer = speaker(event.get("source"))
    if event.get("sender") and writer != "policy":
        writer = "unknown"  # another agent may speak under the user's name
    text = _text(maker, message.get("content"), step)
    if writer == "policy":
        _add_reasoning(maker, message, step)
        maker.reply(text, step)
    else:
        maker.say("user", writer, text, step)
    maker.say("system", "world", _text(maker, event.get("extended_content"), step), step)


def _add_reasoning(maker: TurnMaker, holder: Event, step: int) -> None:
    blocks = holder.get("thinking_blocks")
    thoughts = (
        [block.get("thinking") for block in blocks if isinstance(block, dict)]
        if isinstance(blocks, list)
        else []
    )
    told = text_or_none(holder.get("reasoning_content"))
    maker.say("assistant", "policy", told or "\n".join(filter(None, map(text_or_none, thoughts))), step)


def _add_action(maker: TurnMaker, event: Event, step: int) -> None:
    writer = speaker(event.get("source"))
    if writer == "policy":
        _add_reasoning(maker, event, step)
    maker.say("assistant", writer, _text(maker, event.get("thought"), step), step)
    shown = text_or_none(event.get("tool_call_id"))
    stored = event.get("tool_call") or {
        "name": event.get("tool_name"),
        "arguments": _without_kind(event.get("action")),
    }
    for call in read_calls([stored], None, maker.findings, f"{maker.at} event {step}"):
        maker.call(Call(call.name, shown or call.id, call.text), step, writer, shown or call.id)


def _add_result(maker: TurnMaker, event: Event, step: int) -> None:
    kind, observation = event.get("kind"), event.get("observation")
    error: bool | None = None
    writer: Writer = "world"
    if kind == "AgentErrorEvent":
        text, error = plain(event.get("error")), True
    elif kind == "UserRejectObservation":
        text = plain(event.get("rejection_reason"))
        writer = "world" if event.get("rejection_source") == "hook" else "user"
    else:
        held = observation if isinstance(observation, dict) else {"content": observation}
        text = _text(maker, held["content"], step) if "content" in held else canonical(_without_kind(held))
        error = held["is_error"] if isinstance(held.get("is_error"), bool) else None
    call_id = text_or_none(event.get("tool_call_id"))
    name = text_or_none(event.get("tool_name"))
    maker.result(text, step, key=call_id, name=name, shown_id=call_id, writer=writer, error=error)
    maker.say("system", "world", _text(maker, event.get("extended_content"), step), step)


def _without_kind(held: object) -> object:
    """The fields of an action or an observation; its kind is the SDK's, and its error is told apart."""
    if not isinstance(held, dict):
        return held
    return {key: value for key, value in held.items() if key not in ("kind", "is_error")}


def _text(maker: TurnMaker, content: object, step: int) -> str:
    """A text, a part with a text, or a list of such parts."""
    parts = [content] if isinstance(content, dict) else content
    return content_text(parts, maker.findings, f"{maker.at} event {step}")
