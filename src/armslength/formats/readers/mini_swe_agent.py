"""mini-SWE-agent runs: one JSON document a run, ``info`` and ``messages``.

- The first ``user`` message is the task; every later one is the scaffold's: the output of a command in text agents
  (format 1.0), a reminder that a response had no valid call otherwise.
- The call that holds the harness's word for submitting, as the last act, and the ``exit`` message are terminal.
- A reminder that the policy called a tool that does not exist is shown without that name: the policy made it up.
- A result signals an error by its return code, which the format states.

Tests: ``tests/formats/readers/test_mini_swe_agent.py``. Reference: ``docs/reference/formats/mini_swe_agent.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Trajectory, Turn, Writer

from ..canonical import canonical, digest
from ..content import content_text
from ..findings import Findings
from ..made_up import MadeUpNames
from ..messages import Message, MessageRules, count_roles, to_turns
from ..protocol import ReadOptions
from ..runs import Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import read_document
from ..storage.sources import Source
from .swe_reports import exit_label, exit_status, resolved

_SUBMITS: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_LIMITS: Final = frozenset({"LimitsExceeded", "TimeExceeded", "ContextWindowExceededError"})
#: An exit named after an exception is the infrastructure's, unless it is one of the limits.
_CRASH: Final = re.compile(r"(Error|Exception|Timeout)$")
_RETURN_CODE: Final = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>")
_EXCEPTION: Final = ("<exception>", "</exception>")
_COMMAND: Final = ("```bash", "\n```")
_LINE_END: Final = re.compile(r"[ \t\r]*\n")
_TOOLS: Final = frozenset({"bash"})
#: How a reminder begins to name a tool that does not exist, and how it ends; the response is often not stored.
_UNKNOWN_TOOL: Final = "Unknown tool '"
_ENDS_NAME: Final = "'."


class MiniMessage(Message, gc=False):
    """A message, with what the harness recorded about it."""

    extra: Any = None


class MiniFile(msgspec.Struct):
    """The parts of a run that are read."""

    info: Any = None
    messages: list[MiniMessage] | None = None
    instance_id: Any = None


_DECODER = msgspec.json.Decoder(MiniFile)


class MiniSweAgent:
    """Reader of mini-SWE-agent runs."""

    name = "mini_swe_agent"
    left_out = (
        "info.submission and info.config",
        "raw responses, costs and timestamps (extra)",
        "the evaluation's report, but for resolved",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Messages under a ``trajectory_format``, or under an ``info`` with the harness's version."""
        if head.why_not("info", "trajectory_format") is None or head.why_not("info.mini_version") is None:
            return None
        return head.why_not("info", "messages", "trajectory_format") or "no trajectory_format"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a run as one trajectory."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    decoded = read_document(source, _DECODER, findings)
    if decoded is None:
        return
    if decoded.messages is None:
        findings.add("ROW_INVALID", source.name, found="no messages", expected="a mini-SWE-agent run")
        return
    yield _run(decoded, decoded.messages, source, options, findings)


def _run(
    decoded: MiniFile,
    messages: list[MiniMessage],
    source: Source,
    options: ReadOptions,
    findings: Findings,
) -> Run:
    info = decoded.info if isinstance(decoded.info, dict) else {}
    model = fields_of(info)("config.model.model_name")
    policy = model if isinstance(model, str) and model else "unknown"
    status = exit_status(info)
    instance = key_of(decoded.instance_id)
    turns = _turns(messages, source.name, options, findings)
    if instance is None and source.stem.endswith(".traj"):
        instance = source.stem.removesuffix(".traj")
    return Run(
        format=MiniSweAgent.name,
        at=source.name,
        id=source.label.removesuffix(".traj"),
        task=instance or f"prompt-{digest(canonical([t.text for t in turns if t.writer == 'task']))}",
        policy=policy,
        turns=turns,
        messages=count_roles(messages),
        labels={
            "resolved": resolved(source, instance or "", policy, findings),
            "exit_status": exit_label(status, "Submitted"),
        },
        label="resolved",
        stratum="step limit" if status in _LIMITS else None,
        lookup=fields_of({"instance_id": instance, "policy": policy, "info": info}),
        excluded="crashed" if not messages or _is_crash(status) else None,
    )


def _is_crash(status: str | None) -> bool:
    return status is not None and status not in _LIMITS and _CRASH.search(status) is not None


def _turns(
    stored: Sequence[MiniMessage], at: str, options: ReadOptions, findings: Findings
) -> tuple[Turn, ...]:
    messages: list[Message] = []
    has_calls = any(message.role == "tool" or message.tool_calls for message in stored)
    open_id: object = None
    is_open = False
    for message in stored:
        made: Message = message
        if message.role == "assistant":
            made = message if has_calls else _with_call(message, findings, at)
            is_open, open_id = bool(made.tool_calls), _last_id(made)
        elif message.role == "tool" or (is_open and message.role == ("exit" if has_calls else "user")):
            text = content_text(message.content, findings, at)
            made = msgspec.structs.replace(
                message, role="tool", content=text, error=_is_error(text, message.extra),
                tool_call_id=message.tool_call_id or open_id,
            )  # fmt: skip
            is_open = is_open and message.role == "tool"  # a message's other calls may still be answered
        messages.append(made)
    rules = MessageRules(at, findings, {"exit": "terminal", **options.roles})
    return _settled(to_turns(messages, rules, at, _TOOLS), stored, MadeUpNames(findings, at, _TOOLS))


def _with_call(message: MiniMessage, findings: Findings, at: str) -> Message:
    """A text agent's message with its command as a call; the harness takes one block and no more."""
    text = content_text(message.content, findings, at)
    blocks = list(_commands(text))
    if len(blocks) != 1:
        return message
    ((start, command, end),) = blocks
    call = {"function": {"name": "bash", "arguments": {"command": command.lstrip("\n")}}}
    rest = (text[:start] + text[end:]).strip()
    return msgspec.structs.replace(message, content=rest, tool_calls=[call])


def _commands(text: str) -> Iterator[tuple[int, str, int]]:
    """Blocks of a text: where each begins, its command, where it ends. Linear, however many are never closed."""
    opens, closes = _COMMAND
    start = text.find(opens)
    while start >= 0:
        position = start + len(opens)
        line_end = _LINE_END.match(text, position)
        if line_end is not None:
            end = text.find(closes, line_end.end())
            if end < 0:
                return  # what opens later is not closed either
            yield start, text[line_end.end() : end], end + len(closes)
            position = end + len(closes)
        start = text.find(opens, position)


def _last_id(message: Message) -> object:
    calls = message.tool_calls
    last = calls[-1] if isinstance(calls, list) and calls else None
    return last.get("id") if isinstance(last, dict) else None


def _is_error(text: str, extra: object) -> bool | None:
    """Whether the return code that the result states is not 0; None where it states none."""
    found = _RETURN_CODE.match(text)
    opens, closes = _EXCEPTION
    position = len(text) - len(text.lstrip())
    if text.startswith(opens, position):
        while found is None and (position := text.find(closes, position)) >= 0:
            position += len(closes)
            found = _RETURN_CODE.match(text, position)
    code = int(found[1]) if found else extra.get("returncode") if isinstance(extra, dict) else None
    return code != 0 if type(code) is int else None


def _settled(turns: Sequence[Turn], stored: Sequence[MiniMessage], names: MadeUpNames) -> tuple[Turn, ...]:
    """Who wrote what the scaffold put under ``user`` and ``exit``; and which turns are the end."""
    last = max((i for i, turn in enumerate(turns) if turn.writer == "policy"), default=-1)
    submits = last >= 0 and turns[last].role == "tool_call" and any(s in turns[last].text for s in _SUBMITS)
    first_user = next((step for step, message in enumerate(stored) if message.role == "user"), -1)
    made: list[Turn] = []
    for i, turn in enumerate(turns):
        if turn.role == "tool_call":
            names.add(turn.name or "")
        is_exit = stored[turn.step].role == "exit"
        if is_exit or (submits and i >= last):
            writer: Writer = turn.writer if turn.writer == "policy" else "world"
            made.append(msgspec.structs.replace(turn, role="terminal", writer=writer, error=None))
        elif turn.role == "user":
            is_task = turn.step == first_user
            text = turn.text if is_task else _reminder(turn.text, names)
            made.append(msgspec.structs.replace(turn, writer="task" if is_task else "world", text=text))
        else:
            made.append(turn)
    return tuple(made)


def _reminder(text: str, names: MadeUpNames) -> str:
    """A reminder of the harness's without the name of a tool that does not exist, whether its call is stored or not."""
    start = text.find(_UNKNOWN_TOOL) + len(_UNKNOWN_TOOL)
    end = text.rfind(_ENDS_NAME)
    name = text[start:end] if len(_UNKNOWN_TOOL) <= start < end else None
    return names.masked_of_all(text, name)
