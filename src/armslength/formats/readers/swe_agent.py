"""SWE-agent ``.traj`` files: one run a file; its ``history`` is read.

- A ``user`` message before the policy's first is the task; every later one is what the scaffold answered: the output
  of a command where a command was open, else a reminder. Nobody but the scaffold writes to the agent.
- Demonstrations are not the policy's: messages that say so (``is_demo``), and all messages before the one that holds
  the first response of ``trajectory``.
- A text agent's command is a call of its own where the stored ``thought`` and ``action`` are exactly the message.
- Of several attempts the first is read: the number of tries must not tell the label.

Tests: ``tests/formats/readers/test_swe_agent.py``. Reference: ``docs/reference/formats/swe_agent.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Trajectory, Turn

from ..canonical import parse
from ..findings import Findings
from ..messages import Message, MessageRules, count_roles, to_turns
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import read_document
from ..storage.sources import Source
from .swe_reports import exit_label, exit_status, resolved

#: Exits that are the infrastructure's fault, not the policy's.
_CRASHES: Final = frozenset({"exit_api", "exit_environment_error", "exit_error", "early_exit"})
_LIMITS: Final = ("exit_cost", "exit_context", "exit_total_execution_time")
#: How versions before 1.0 name a run's folder: ``<model>__<data>__…__install-1``.
_RUN_FOLDER: Final = re.compile(r"(.+?)__.+__install-\d")
_MARKS: Final = re.compile(r"[\s`]|</?command>")


class SweMessage(Message, gc=False):
    """A message, with what the harness parsed out of it."""

    thought: Any = None
    action: Any = None
    tool_call_ids: Any = None


class _Step(msgspec.Struct):
    response: Any = None


class Attempt(msgspec.Struct):
    """The parts of a run that are read."""

    history: list[SweMessage] | None = None
    trajectory: list[_Step] | None = None
    info: Any = None
    replay_config: Any = None


class TrajFile(Attempt):
    """A file: a run, or several attempts at the same task."""

    attempts: list[Attempt] | None = None


_DECODER = msgspec.json.Decoder(TrajFile)


class SweAgent:
    """Reader of SWE-agent's ``.traj`` files."""

    name = "swe_agent"
    left_out = (
        "trajectory (states, queries, execution times; its texts are in history)",
        "replay_config",
        "info.submission and edited files",
        "attempts after the first",
        "model_stats",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """A ``trajectory`` of actions and observations, or a ``history`` that names agents."""
        if "query_idx" in head.keys:
            return "looks like an InterCode run (query_idx)"
        if head.why_not("trajectory[].action", "trajectory[].observation") is None:
            return None
        if head.why_not("attempts[].trajectory", "attempts[].history") is None:
            return None
        return head.why_not("history[].role", "history[].agent")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a run as one trajectory."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    decoded = read_document(source, _DECODER, findings)
    if decoded is None:
        return
    attempt: Attempt = decoded.attempts[0] if decoded.attempts else decoded
    if attempt.history is None:
        findings.add("ROW_INVALID", source.name, found="no history", expected="a SWE-agent run")
        return
    yield _run(attempt, attempt.history, source, options, findings)


def _run(
    attempt: Attempt, history: list[SweMessage], source: Source, options: ReadOptions, findings: Findings
) -> Run:
    instance, policy = source.stem.removesuffix(".traj"), _policy(attempt, source)
    info = attempt.info if isinstance(attempt.info, dict) else {}
    status = exit_status(info)
    folders = source.path.absolute().parents[:2]
    report = resolved(source, instance, policy, findings, aliases=[folder.name for folder in folders])
    if report.reason == "no report":
        report = Label(None, "no verified outcome")
    return Run(
        format=SweAgent.name,
        at=source.name,
        id=source.label.removesuffix(".traj"),
        task=instance,
        policy=policy,
        turns=_turns(history, attempt.trajectory or [], source.name, options, findings),
        messages=count_roles(history),
        labels={"resolved": report, "exit_status": exit_label(status, "submitted")},
        label="resolved",
        stratum="step limit" if status and any(limit in status for limit in _LIMITS) else None,
        lookup=fields_of({"instance_id": instance, "policy": policy, "info": info}),
        excluded="crashed" if status in _CRASHES or not history else None,
    )


def _policy(attempt: Attempt, source: Source) -> str:
    """The model that the run's folder is named after, else that of the stored configuration."""
    named = _RUN_FOLDER.match(source.folder)
    if named:
        return named[1]
    value = attempt.replay_config
    if isinstance(value, str):
        try:
            value = parse(value)
        except ValueError:
            value = None
    for key in ("agent", "model", "name"):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else "unknown"


def _turns(
    history: Sequence[SweMessage],
    steps: Sequence[_Step],
    at: str,
    options: ReadOptions,
    findings: Findings,
) -> tuple[Turn, ...]:
    start = _start(history, steps)
    messages: list[Message] = []
    is_open = False
    for message in history:
        made = _as_message(message, is_open=is_open)
        is_open = bool(made.tool_calls) if made.role == "assistant" else is_open and made.role == "system"
        messages.append(made)
    # The harness refuses calls of tools that it does not have, so every tool that was called exists.
    tools = {name for message in messages for name in _called(message)}
    turns = to_turns(messages, MessageRules(at, findings, options.roles), at, tools)
    return tuple(_settled(turn, history[turn.step], start) for turn in turns)


def _start(history: Sequence[SweMessage], steps: Sequence[_Step]) -> int:
    """Where the run's own first response stands; what is before it is the task or a demonstration."""
    own = [i for i, m in enumerate(history) if m.role == "assistant" and not m.is_demo]
    if steps and isinstance(steps[0].response, str):
        same = (i for i in own if history[i].content == steps[0].response)
        return next(same, own[0] if own else len(history))
    return own[0] if own else len(history)


def _as_message(message: SweMessage, *, is_open: bool) -> Message:
    """A message in the form of function-calling agents; `is_open`: a command waits for its output."""
    if message.role == "tool" and message.tool_call_id is None and isinstance(message.tool_call_ids, list):
        ids = message.tool_call_ids
        return msgspec.structs.replace(message, tool_call_id=ids[0] if ids else None)
    if message.role == "user" and is_open:
        return msgspec.structs.replace(message, role="tool")
    if message.role == "assistant" and not message.tool_calls and _is_split(message):
        words = message.action.split(None, 1)
        command = {"name": words[0], "input": words[1].rstrip() if len(words) > 1 else ""}
        return msgspec.structs.replace(
            message, content=message.thought.strip(), tool_calls=[{"custom": command}]
        )
    return message


def _is_split(message: SweMessage) -> bool:
    """Whether thought and action are the whole message, apart from the marks around the command."""
    text, thought, action = message.content, message.thought, message.action
    if not (
        isinstance(text, str) and isinstance(thought, str) and isinstance(action, str) and action.strip()
    ):
        return False
    before, found, after = text.rpartition(action.rstrip("\n"))
    return bool(found) and _MARKS.sub("", before + after) == _MARKS.sub("", thought)


def _called(message: Message) -> Iterator[str]:
    for call in message.tool_calls if isinstance(message.tool_calls, list) else ():
        inner = call.get("function") or call.get("custom") if isinstance(call, dict) else None
        if isinstance(inner, dict) and isinstance(inner.get("name"), str):
            yield inner["name"]


def _settled(turn: Turn, message: SweMessage, start: int) -> Turn:
    """Who wrote a turn, by its place."""
    if turn.role in ("tool_call", "terminal") and turn.text.endswith(" "):
        turn = msgspec.structs.replace(turn, text=turn.text.rstrip())  # a command without arguments
    if message.is_demo or turn.role == "system":
        return turn
    if turn.step < start:
        return msgspec.structs.replace(turn, writer="task")
    return msgspec.structs.replace(turn, writer="world") if turn.role == "user" else turn
