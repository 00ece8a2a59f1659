"""Steps of an ATIF trajectory as turns.

- One agent step is the turns of one step: reasoning, reply, calls, then what the observation returned.
- A result answers the call that it names. One that names none answers its step: scaffolds that send several commands
  at once show one screen for all of them.
- A call that declares the task done is terminal with its result, as the last act; a message with a terminal token is
  so with the calls of its step, and a result with one.
- A result that refers to a subagent's trajectory is that agent's answer: its writer is unknown.

Tests: ``tests/formats/readers/test_atif.py``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Role, Turn, Writer, WriterSource, imitates_result

from ..calls import Call, arguments_text
from ..canonical import canonical
from ..content import content_text, plain
from ..findings import Findings
from ..messages import TERMINAL_CALLS, WRITER_OF, holds_terminal_token, mark_last_act
from ..pairing import OpenCalls

#: Calls by which an agent says that it is done, in the harnesses that write this format.
FINISHING: Final = TERMINAL_CALLS | {"finish", "mark_task_complete"}

#: What a source stands for, by the role that the caller gave it.
_SOURCE_OF: Final[dict[Role | None, str]] = {"system": "system", "user": "user", "assistant": "agent"}

#: What such a call says, in a reply of an agent whose calls stand in its text.
_SAYS_DONE: Final = re.compile(r'"task_complete"\s*:\s*true\b')


class Step(msgspec.Struct):
    """A step; loosely typed, since what is odd is mapped and counted, not refused."""

    source: Any = None
    message: Any = None
    reasoning_content: Any = None
    tool_calls: Any = None
    observation: Any = None
    model_name: Any = None
    is_copied_context: Any = None
    llm_call_count: Any = None

    @property
    def calls(self) -> list[Any]:
        """The stored calls."""
        return self.tool_calls if isinstance(self.tool_calls, list) else []

    @property
    def results(self) -> list[dict[str, Any]]:
        """The stored results of the observation."""
        stored = self.observation.get("results") if isinstance(self.observation, dict) else None
        return [result for result in stored if isinstance(result, dict)] if isinstance(stored, list) else []

    @property
    def handovers(self) -> int:
        """How many subagent trajectories the observation refers to."""
        refs = [result.get("subagent_trajectory_ref") for result in self.results]
        return sum(len(ref) if isinstance(ref, list) else 1 for ref in refs if ref)


def to_turns(
    steps: Sequence[Step],
    at: str,
    findings: Findings,
    *,
    tools: Collection[str] | None = None,
    roles: Mapping[str, Role],
) -> tuple[Turn, ...]:
    """Split steps into turns.

    Args:
        steps: of one trajectory.
        at: what findings call the trajectory.
        findings: where odd steps are recorded.
        tools: the names of the tools that the agent has, where the file lists them.
        roles: what sources stand for that the format does not list.

    Returns:
        Turns in the order of the record; a turn's step is the index of its step.
    """
    turns: list[Turn] = []
    sources = [_source(step, roles) for step in steps]
    agents = [index for index, source in enumerate(sources) if source == "agent"]
    asked = handed = False
    for index, (step, source) in enumerate(zip(steps, sources, strict=True)):
        place = f"{at} steps[{index}]"
        text = content_text(step.message, findings, place)
        if source == "agent":
            made = list(_agent(step, text, index, place, findings))
        elif source == "user":
            writer: Writer = "unknown" if handed else "user" if asked else "task"
            made = [Turn("user", writer, text, index, writer_source="role" if handed else "field")]
            asked = True
        else:
            made = [_other(step, text, index, roles, findings=findings, place=place)]
        made = _marked(made, source, step, text)
        is_last = not agents or index == agents[-1]
        calls = OpenCalls(findings, at, tools)
        made += _results(step, made, index, calls, findings=findings, place=place, is_last=is_last)
        handed = step.handovers > 0
        copied = bool(step.is_copied_context) and source != "system"
        turns += [msgspec.structs.replace(turn, writer="task") for turn in made] if copied else made
    return _end(turns, steps, agents)


def _source(step: Step, roles: Mapping[str, Role]) -> str | None:
    """The source in the format's own words; None for one that is none of them."""
    source = step.source if isinstance(step.source, str) else ""
    return source if source in _SOURCE_OF.values() else _SOURCE_OF.get(roles.get(source))


def _marked(made: list[Turn], source: str | None, step: Step, text: str) -> list[Turn]:
    """What a step says, with whose word its writer is and whether it ends the run."""
    if source != step.source:
        made = [msgspec.structs.replace(turn, writer_source="role") for turn in made]
    if source != "system" and holds_terminal_token(text):
        made = [msgspec.structs.replace(turn, role="terminal") for turn in made]
    return made


def _agent(step: Step, text: str, index: int, place: str, findings: Findings) -> Iterator[Turn]:
    """The agent's own turns; a step that no model call made is the scaffold's script."""
    scripted = step.llm_call_count == 0 and type(step.llm_call_count) is int
    writer: Writer = "task" if scripted else "policy"
    reasoning = plain(step.reasoning_content)
    if reasoning:
        yield Turn("assistant", writer, reasoning, index, writer_source="field")
    if text:
        yield Turn("assistant", writer, text, index, writer_source="field")
        if imitates_result(text):
            findings.note("IMITATED_OBSERVATION", place.partition(" steps[")[0])
    for call in step.calls:
        made = _call(call, place, findings)
        yield Turn("tool_call", writer, made.text, index, made.name, made.id, writer_source="field")
    if not (reasoning or text or step.calls):
        findings.add("MESSAGE_EMPTY", place, expected="a message, reasoning or calls")
        yield Turn("assistant", writer, "", index, writer_source="field")


def _call(stored: object, place: str, findings: Findings) -> Call:
    if not isinstance(stored, dict):
        findings.add("CALL_UNREADABLE", place, found=type(stored).__name__, expected="an object")
        return Call("", None, canonical(stored))
    name, call_id = stored.get("function_name"), stored.get("tool_call_id")
    if not isinstance(name, str) or not name:
        findings.add("CALL_WITHOUT_NAME", place, expected="a function_name")
        name = ""
    text = f"{name} {arguments_text(stored.get('arguments'), findings, place)}"
    return Call(name, call_id if isinstance(call_id, str) else None, text)


def _other(
    step: Step, text: str, index: int, roles: Mapping[str, Role], *, findings: Findings, place: str
) -> Turn:
    """A step of the system, or of a source that the format does not list."""
    name = step.source if isinstance(step.source, str) else ""
    role = "system" if name == "system" else roles.get(name)
    if role is None:
        expected = "system, user or agent, or --role NAME=ROLE"
        findings.add("ROLE_UNKNOWN", place, found=canonical(step.source), expected=expected)
        role = "unknown"
    source: WriterSource = "field" if name == "system" else "role"
    return Turn(role, WRITER_OF[role], text, index, writer_source=source)


def _results(
    step: Step,
    made: Sequence[Turn],
    index: int,
    calls: OpenCalls,
    *,
    findings: Findings,
    place: str,
    is_last: bool,
) -> list[Turn]:
    """What the observation of a step returned; references to subagents alone have no text."""
    own = [Call(turn.name or "", turn.call_id, turn.text) for turn in made if turn.name is not None]
    calls.add(own, index)
    results = [result for result in step.results if result.get("content") is not None]
    turns: list[Turn] = []
    for result in results:
        named = result.get("source_call_id")
        call = calls.answer(named, None, index) if named else own[0] if len(own) == 1 else None
        source: WriterSource = "unpaired" if named and call is None else "field"
        text = content_text(result["content"], findings, place)
        role: Role = "terminal" if holds_terminal_token(text) else "tool_result"
        writer: Writer = "unknown" if result.get("subagent_trajectory_ref") else "world"
        turns.append(
            Turn(
                role, writer, calls.visible(text, call), index, call.name if call else None,
                call.id if call else None, writer_source=source,
            )
        )  # fmt: skip
    if any(result.get("source_call_id") for result in results) or not (results or is_last):
        calls.close(FINISHING)
    return turns


def _end(turns: list[Turn], steps: Sequence[Step], agents: Sequence[int]) -> tuple[Turn, ...]:
    """Mark the last act: the agent's last steps, as long as they do nothing but declare the task done."""
    ending: dict[int, tuple[Role, ...]] = {}
    for index in reversed(agents):
        step = steps[index]
        names = [call.get("function_name") if isinstance(call, dict) else None for call in step.calls]
        if names and all(isinstance(name, str) and name in FINISHING for name in names):
            ending[index] = ("tool_call", "tool_result")
        elif not names and isinstance(step.message, str) and _SAYS_DONE.search(step.message):
            ending[index] = ("assistant", "tool_result")
        else:
            break
    made = [
        msgspec.structs.replace(turn, role="terminal") if turn.role in ending.get(turn.step, ()) else turn
        for turn in turns
    ]
    mark_last_act(made, FINISHING)
    return tuple(made)
