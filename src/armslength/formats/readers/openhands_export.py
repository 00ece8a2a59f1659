"""OpenHands' V0 export: an array of actions and observations.

- An action of the source ``agent`` is the policy's call, told in the words of the model where they were kept.
- An observation names its action by ``cause``; its own source does not say who wrote it.
- Changes of the agent's state, and requests for context, are the harness's bookkeeping and no turns.

Tests: ``tests/formats/readers/test_openhands.py``. Reference: ``docs/reference/formats/openhands.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from armslength.records import Role, Turn

from ..calls import Call, arguments_text, read_calls
from ..canonical import canonical
from ..content import content_text, plain
from ..findings import Findings
from ..runs import Label, fields_of, key_of
from .openhands_turns import TurnMaker, speaker, text_or_none

Event = dict[str, Any]

_MESSAGE: Final = "tool_call_metadata.model_response.choices.0.message"

_BOOKKEEPING: Final = frozenset(
    {"change_agent_state", "recall", "null", "start", "pause", "resume", "stop", "condensation_request"}
)
_NO_CALL: Final = _BOOKKEEPING | {"system", "message", "condensation"}
_SILENT: Final = frozenset({"agent_state_changed", "null"})
#: What the harness tells the model without having been asked.
_TOLD: Final = frozenset({"recall", "microagent", "workspace_context"})
#: Arguments of an action that are the harness's own.
_OWN: Final = frozenset({"thought", "confirmation_state", "security_risk", "hidden"})


def export_turns(events: Sequence[Event], at: str, findings: Findings) -> tuple[Turn, ...]:
    """Turns of an export; a turn's step is the index of its event."""
    calls = {i: _call(event, f"{at}[{i}]", findings) for i, event in enumerate(events) if _is_call(event)}
    by_id = {call.id: call for call in calls.values()}
    maker = TurnMaker(findings, at, {call.name for call in calls.values()})
    reasoned: set[str] = set()
    for step, event in enumerate(events):
        if step in calls:
            _add_reasoning(maker, event, step, reasoned)
            maker.call(calls[step], step, speaker(event.get("source")), _shown_id(event))
        elif "action" in event:
            _add_action(maker, event, step, reasoned)
        elif "observation" in event:
            _add_observation(maker, event, step, by_id)
        else:
            _add_unknown(maker, event, step)
    return maker.finish(len(events) - 1)


def export_policy(events: Sequence[Event]) -> str:
    """The model that answered first."""
    models = (_field(event, "tool_call_metadata.model_response.model") for event in events)
    return next((model for model in models if isinstance(model, str) and model), "unknown")


def export_label(events: Sequence[Event]) -> Label | None:
    """What the policy says of its own success when it finishes; None where it says nothing."""
    said = [_field(event, "args.task_completed") for event in events if event.get("action") == "finish"]
    word = plain(said[-1]).casefold() if said else ""
    known = {"true": True, "false": False, "partial": False}
    return Label(known[word], grade="C") if word in known else None


def last_state(events: Sequence[Event]) -> object:
    """The last state of the agent that the export names."""
    states = (_field(event, "extras.agent_state") for event in reversed(events))
    return next((state for state in states if isinstance(state, str)), None)


def _is_call(event: Event) -> bool:
    """Whether an action is a call of a tool, the policy's or the user's own."""
    kind = event.get("action")
    return isinstance(kind, str) and kind not in _NO_CALL and event.get("source") in ("agent", "user")


def _call(event: Event, at: str, findings: Findings) -> Call:
    """The call as the model wrote it, else the action and its arguments; named by the event's id."""
    key, shown = key_of(event.get("id")), _shown_id(event)
    stored = _of(_field(event, _MESSAGE), "tool_calls")
    own = [one for one in stored if shown and _of(one, "id") == shown] if isinstance(stored, list) else []
    for written in read_calls(own[:1], None, findings, at):
        return Call(written.name, key, written.text)
    args = event.get("args")
    kept = {k: v for k, v in args.items() if k not in _OWN} if isinstance(args, dict) else args
    name = text_or_none(_field(event, "tool_call_metadata.function_name")) or plain(event.get("action"))
    return Call(name, key, f"{name} {arguments_text(kept, findings, at)}")


def _add_action(maker: TurnMaker, event: Event, step: int, reasoned: set[str]) -> None:
    """An action that is no call."""
    kind, writer = event.get("action"), speaker(event.get("source"))
    if kind == "system":
        maker.say("system", "task", _told(maker, _field(event, "args.content"), step), step)
    elif kind == "condensation":
        maker.say("system", "unknown", plain(_field(event, "args.summary")), step)
    elif kind == "message":
        _add_reasoning(maker, event, step, reasoned)
        text = _told(maker, _field(event, "args.content"), step)
        if writer == "policy":
            maker.reply(text, step)
        else:
            role: Role = "unknown" if writer == "unknown" else "user"
            maker.say(role, writer, text, step)
    elif not isinstance(kind, str) or kind not in _BOOKKEEPING:
        _add_unknown(maker, event, step)


def _add_reasoning(maker: TurnMaker, event: Event, step: int, reasoned: set[str]) -> None:
    """What the policy thought before it acted; calls of one response share its reasoning, told once."""
    if event.get("source") != "agent":
        return
    name = key_of(_field(event, "tool_call_metadata.model_response.id"))
    if name is None or name not in reasoned:
        maker.say("assistant", "policy", plain(_of(_field(event, _MESSAGE), "reasoning_content")), step)
    if name is not None:
        reasoned.add(name)
    is_argument = event.get("action") == "think" and _shown_id(event) is not None
    if not is_argument:
        maker.say("assistant", "policy", plain(_field(event, "args.thought")), step)


def _add_observation(maker: TurnMaker, event: Event, step: int, called: dict[str | None, Call]) -> None:
    kind = text_or_none(event.get("observation"))
    cause = key_of(event.get("cause"))
    call = called.get(cause) if cause is not None else None
    if call is None and kind in _SILENT:
        return
    text = _told(maker, event.get("content"), step)
    if call is None and kind in _TOLD:
        maker.say("system", "world", text, step)
        return
    maker.result(
        text, step,
        key=cause, name=text_or_none(_field(event, "tool_call_metadata.function_name")),
        shown_id=_shown_id(event), writer="user" if kind == "user_rejected" else "world",
        error=_is_error(event),
    )  # fmt: skip


def _is_error(event: Event) -> bool | None:
    """What the event says of itself: an error, a command's exit code (-1: it still runs), a flag."""
    if event.get("observation") == "error":
        return True
    code = _field(event, "extras.metadata.exit_code")
    if type(code) is int:
        return None if code == -1 else code != 0
    flag, success = _field(event, "extras.error"), event.get("success")
    return flag if isinstance(flag, bool) else not success if isinstance(success, bool) else None


def _add_unknown(maker: TurnMaker, event: Event, step: int) -> None:
    found = plain(event.get("action") or event.get("observation") or list(event))
    maker.findings.add(
        "EVENT_UNKNOWN", f"{maker.at}[{step}]", found=found, expected="an action or an observation"
    )
    maker.say("unknown", "unknown", canonical(event), step)


def _told(maker: TurnMaker, content: object, step: int) -> str:
    """A content's text; the export stores texts only, anything else is a finding."""
    return content_text(content, maker.findings, f"{maker.at}[{step}]")


def _shown_id(event: Event) -> str | None:
    return text_or_none(_field(event, "tool_call_metadata.tool_call_id"))


def _field(event: Event, path: str) -> Any:  # noqa: ANN401
    """What stands at a path, or None."""
    value = fields_of(event)(path)
    return value if isinstance(value, dict | list | str | int | float | bool) else None


def _of(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, dict) else None
