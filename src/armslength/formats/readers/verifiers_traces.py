"""Traces of verifiers v1: a message graph, of which one path from root to leaf is the run.

- The last path counts, as in the tool's own transcripts: before it stand histories that the harness rewrote or
  compacted, and subagents. A compaction that nothing resumed from is not the last path.
- ``sampled`` says whether a model wrote a message: an assistant's message that was not sampled was put there, and what
  was sampled under another role is the policy's all the same.
- User messages before the first sampled one are the task's.

Tests: ``tests/formats/readers/test_verifiers_traces.py``. Reference: ``docs/reference/formats/verifiers.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from armslength.records import StepReward, Turn

from ..findings import Findings
from ..labelled import tool_names
from ..messages import Message, MessageRules, to_turns
from ..rewards import step_rewards


class Node(msgspec.Struct, gc=False):
    """A message, the one before it, and other links."""

    parent: Any = None
    semantic_parents: Any = None
    message: Message | None = None
    sampled: Any = None


class Agent(msgspec.Struct):
    """Who ran: its name, its settings, and whether it is the policy."""

    name: Any = None
    config: Any = None
    trainable: Any = None


class Task(msgspec.Struct):
    """What was to be done; its data (which hold the answer) are only digested."""

    type: Any = None
    key: Any = None
    hash: Any = None
    data: Any = None


class Call(msgspec.Struct):
    """A call of the model."""

    model: Any = None


class Trace(msgspec.Struct):
    """What one agent did."""

    id: Any = None
    task: Task | None = None
    agent: Agent | None = None
    tools: Any = None
    nodes: list[Node] | None = None
    calls: list[Call] | None = None
    rewards: Any = None
    metrics: Any = None
    info: Any = None
    ok: Any = None
    is_timeout: Any = None
    stop_condition: Any = None
    errors: Any = None


def final_path(nodes: Sequence[Node], at: str, findings: Findings) -> list[int]:
    """The path of the graph that is the run.

    Args:
        nodes: of a trace; each parent stands before its children.
        at: what findings call the trace.
        findings: where a parent that is not there is recorded, and a note if other paths were left out.

    Returns:
        Indexes of nodes from the root to the leaf.
    """
    parents = [_parent(index, node, at, findings) for index, node in enumerate(nodes)]
    inner = set(parents)
    leaves = [index for index in range(len(nodes)) if index not in inner]
    if len(leaves) > 1:
        findings.note("BRANCHES_LEFT_OUT", at)
    attempts = {leaf for leaf in leaves if _is_compaction_attempt(nodes[leaf])}
    index = next((leaf for leaf in reversed(leaves) if leaf not in attempts), leaves[-1] if leaves else None)
    path: list[int] = []
    while index is not None:
        path.append(index)
        index = parents[index]
    return path[::-1]


def trace_turns(
    nodes: Sequence[Node], path: Sequence[int], tools: object, rules: MessageRules, at: str
) -> tuple[Turn, ...]:
    """Turns of a path; a turn's step is the index of its message on the path."""
    chosen = [nodes[index] for index in path]
    first = next((step for step, node in enumerate(chosen) if node.sampled is True), len(chosen))
    messages = [_message(node, step < first) for step, node in enumerate(chosen)]
    called = {
        call["id"] for message in messages for call in _calls(message) if isinstance(call.get("id"), str)
    }
    for message in messages:
        if message.role == "tool" and type(message.tool_call_id) is str and message.tool_call_id in called:
            message.name = None  # its call has the full name
    names = (
        [_full_name(tool) for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else None
    )
    return to_turns(messages, rules, at, tool_names(names))


def turn_rewards(trace: Trace, path: Sequence[int], at: str, findings: Findings) -> tuple[StepReward, ...]:
    """Rewards of ``info.turn_rewards``: one for each sampled message of the trace, or of its path."""
    values = trace.info.get("turn_rewards") if isinstance(trace.info, dict) else None
    if not isinstance(values, list):
        return ()
    nodes = trace.nodes or []
    step_of = {index: step for step, index in enumerate(path) if nodes[index].sampled is True}
    sampled = [index for index, node in enumerate(nodes) if node.sampled is True]
    if len(values) == len(sampled):
        values = [value for value, index in zip(values, sampled, strict=True) if index in step_of]
    return step_rewards(values, list(step_of.values()), "info.turn_rewards", at, findings)


def _parent(index: int, node: Node, at: str, findings: Findings) -> int | None:
    if node.parent is None or (type(node.parent) is int and 0 <= node.parent < index):
        return node.parent
    findings.add(
        "PARENT_UNKNOWN", f"{at} nodes[{index}]", found=f"{node.parent!r:.40}", expected="an earlier node"
    )
    return None


def _is_compaction_attempt(node: Node) -> bool:
    links = node.semantic_parents if isinstance(node.semantic_parents, list) else ()
    return any(isinstance(link, dict) and link.get("type") == "compaction_attempt" for link in links)


def _message(node: Node, given: bool) -> Message:
    message = node.message or Message()
    message.sampled = True if node.sampled is True else None
    if (message.role == "assistant" and node.sampled is not True) or (message.role == "user" and given):
        message.is_copied_context = True
    if isinstance(message.tool_calls, list):
        message.tool_calls = [_call(call) for call in message.tool_calls]
    return message


def _calls(message: Message) -> list[dict[str, Any]]:
    calls = message.tool_calls if isinstance(message.tool_calls, list) else ()
    return [call for call in calls if isinstance(call, dict)]


def _call(call: object) -> object:
    """A call with its provider's namespace in its name; a custom tool takes free text."""
    if not isinstance(call, dict):
        return call
    full = _full_name(call)
    if call.get("type") == "custom":
        return {"id": call.get("id"), "custom": {"name": full, "input": call.get("arguments")}}
    return {**call, "name": full}


def _full_name(tool: dict[str, Any]) -> object:
    space, name = tool.get("namespace"), tool.get("name")
    return f"{space}.{name}" if isinstance(space, str) and space and isinstance(name, str) else name
