"""Steps of an ATIF trajectory as turns.

- One agent step is the turns of one step: reasoning, reply, calls, then what the observation returned.
- A result answers the call that it names. One that names none answers its step: scaffolds that send several commands
  at once show one screen for all of them.
- A call that declares the task done is terminal with its result, as the last act.

Tests: ``tests/formats/readers/test_atif.py``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Role, Turn, Writer, WriterSource, imitates_result

from ..calls import Call, arguments_text
from ..canonical import canonical
from ..content import content_text, plain
from ..findings import Findings
from ..messages import TERMINAL_CALLS
from ..pairing import OpenCalls

#: Calls by which an agent says that it is done, in the harnesses that write this format.
FINISHING: Final = TERMINAL_CALLS | {"finish", "mark_task_complete"}

#: The same in a reply of an agent whose calls stand in its text.
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
    steps: Sequence[Step], at: str, findings: Findings, tools: Collection[str] | None = None
) -> tuple[Turn, ...]:
    """Split steps into turns.

    Args:
        steps: of one trajectory.
        at: what findings call the trajectory.
        findings: where odd steps are recorded.
        tools: the names of the tools that the agent has, where the file lists them.

    Returns:
        Turns in the order of the record; a turn's step is the index of its step.
    """
    turns: list[Turn] = []
    agents = [index for index, step in enumerate(steps) if step.source == "agent"]
    asked = handed = False
    for index, step in enumerate(steps):
        place = f"{at} steps[{index}]"
        text = content_text(step.message, findings, place)
        made: list[Turn] = []
        if step.source == "agent":
            made += _agent(step, text, index, place, findings)
        elif step.source == "user":
            writer: Writer = "unknown" if handed else "user" if asked else "task"
            made.append(Turn("user", writer, text, index, writer_source="role" if handed else "field"))
            asked = True
        else:
            made.append(_other(step, text, index, place, findings))
        is_last = not agents or index == agents[-1]
        calls = OpenCalls(findings, at, tools)
        made += _results(step, made, index, calls, findings=findings, place=place, is_last=is_last)
        handed = step.handovers > 0
        copied = bool(step.is_copied_context) and step.source != "system"
        turns += [msgspec.structs.replace(turn, writer="task") for turn in made] if copied else made
    return _end(turns, steps, agents)


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


def _other(step: Step, text: str, index: int, place: str, findings: Findings) -> Turn:
    if step.source == "system":
        return Turn("system", "task", text, index, writer_source="field")
    findings.add("ROLE_UNKNOWN", place, found=canonical(step.source), expected="system, user or agent")
    return Turn("unknown", "unknown", text, index)


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
    own = [Call(turn.name or "", turn.call_id, turn.text) for turn in made if turn.role == "tool_call"]
    calls.add(own, index)
    results = [result for result in step.results if result.get("content") is not None]
    turns: list[Turn] = []
    for result in results:
        named = result.get("source_call_id")
        call = calls.answer(named, None, index) if named else own[0] if len(own) == 1 else None
        source: WriterSource = "unpaired" if named and call is None else "field"
        text = content_text(result["content"], findings, place)
        turns.append(
            Turn(
                "tool_result", "world", calls.visible(text, call), index, call.name if call else None,
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
    return tuple(
        msgspec.structs.replace(turn, role="terminal") if turn.role in ending.get(turn.step, ()) else turn
        for turn in turns
    )
