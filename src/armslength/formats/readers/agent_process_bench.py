"""AgentProcessBench: agent runs whose single steps people have labelled; also files with the labels alone.

- A label of a step, keyed by the index of its message, is a step reward and never enters a turn.
- The first user message is the benchmark's. What the scaffold says under the user's role is the world's.

Tests: ``tests/formats/readers/test_agent_process_bench.py``.
Reference: ``docs/reference/formats/agent_process_bench.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from armslength.records import StepReward, Trajectory, Turn

from ..findings import Findings
from ..labelled import tool_names
from ..messages import Message, MessageRules, count_roles, to_turns
from ..names import distinct
from ..protocol import ReadOptions
from ..rewards import policy_steps, step_rewards_by_key
from ..runs import Label, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import Row, decode_rows, read_rows
from ..storage.sources import Source

#: What the scaffold answers to a message without a call.
NO_CALL: Final = "No effective tool call detected"

_RIGHT, _WRONG, _NEITHER = 1, -1, 0


class ProcessRow(msgspec.Struct):
    """A run with its labels, or the labels alone."""

    messages: list[Message] | None = None
    step_labels: Any = None
    final_label: Any = None
    data_source: Any = None
    dataset: Any = None
    query_index: Any = None
    sample_index: Any = None
    total_index: Any = None
    record_id: Any = None
    tools: Any = None


_DECODER = msgspec.json.Decoder(ProcessRow)


class AgentProcessBench:
    """Reader of AgentProcessBench files."""

    name = "agent_process_bench"
    left_out = ("ground_truth and answer_text", "tool_metrics", "schemas of tools")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Rows with step labels, or with the numbers of a query and of a sample beside messages."""
        for keys in (("step_labels", "final_label"), ("query_index", "sample_index", "messages[].role")):
            if head.why_not(*keys) is None:
                return None
        return head.why_not("step_labels", "final_label")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read the runs of a file."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    rules = MessageRules(source.name, findings, options.roles, open_at_end=True)
    names: set[str] = set()
    for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
        yield _run(row, decoded, rules, names, findings)


def _run(row: Row, decoded: ProcessRow, rules: MessageRules, names: set[str], findings: Findings) -> Run:
    messages = decoded.messages or []
    turns = _turns(messages, rules, row.at, decoded.tools)
    origin = key_of(decoded.data_source) or key_of(decoded.dataset) or "unknown"
    query = key_of(decoded.query_index)
    sample = decoded.sample_index if type(decoded.sample_index) is int else None
    name = f"{origin}:{query}:{sample}" if query and sample is not None else key_of(decoded.record_id)
    return Run(
        format=AgentProcessBench.name,
        at=row.at,
        id=distinct(name or str(row.position), row.position, names, row.at, findings),
        task=f"{origin}:{query or name or row.position}",
        policy="unknown",
        turns=turns,
        messages=count_roles(messages),
        labels={"final_label": _label(decoded.final_label)},
        lookup=fields_of({key: getattr(decoded, key) for key in decoded.__struct_fields__[1:-1]}),
        rewards=_rewards(decoded.step_labels, turns, row.at, findings),
        trial=sample if turns else None,  # labels alone are no second record of the attempt
        excluded=None if turns else "labels without text",
    )


def _turns(messages: list[Message], rules: MessageRules, at: str, tools: object) -> tuple[Turn, ...]:
    """The first user message asks the question; the scaffold's own words are known by their text.

    The question explains the shapes of calls and results: it is read like a system message, in which neither a result
    nor the end of a run is looked for.
    """
    asks = next((i for i, message in enumerate(messages) if message.role == "user"), None)
    read = [
        msgspec.structs.replace(message, role="system") if i == asks else message
        for i, message in enumerate(messages)
    ]
    return tuple(
        msgspec.structs.replace(turn, role="user", writer="task")
        if turn.step == asks
        else msgspec.structs.replace(turn, writer="world")
        if turn.role == "user" and turn.text.startswith(NO_CALL)
        else turn
        for turn in to_turns(read, rules, at, tool_names(tools))
    )


def _label(stored: object) -> Label:
    """What people said of the whole run."""
    if type(stored) is not int or stored not in (_RIGHT, _WRONG, _NEITHER):
        return Label(None, "outcome null" if stored is None else "no label of 1, 0 and -1", found=stored)
    return Label(None, "neither right nor wrong") if stored == _NEITHER else Label(stored == _RIGHT)


def _rewards(stored: object, turns: tuple[Turn, ...], at: str, findings: Findings) -> tuple[StepReward, ...]:
    """Labels by message; without text every index is taken for a step."""
    if stored is None:
        return ()
    if not isinstance(stored, dict):
        found = type(stored).__name__
        findings.add("REWARDS_UNALIGNED", f"{at} step_labels", found=found, expected="labels by message")
        return ()
    steps = (
        policy_steps(turns) if turns else [int(key) for key in stored if key.isdecimal() and len(key) < 10]
    )
    return step_rewards_by_key(stored, steps, "step_labels", at, findings)
