"""Rows of messages with what users put beside them: task, policy, outcome, step rewards.

OpenAI chat, Anthropic and Responses rows share these fields, since users add them, not the vendors.

Tests: ``tests/formats/readers/test_chat.py``, ``tests/formats/test_rewards.py``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from armslength.records import StepReward, Turn

from .canonical import canonical, digest, parse
from .findings import Findings
from .names import distinct
from .outcomes import LABEL_FIELDS
from .rewards import policy_steps, step_rewards
from .runs import MISSING, Lookup, Run, fields_of, key_of
from .storage.outline import Outline
from .storage.rows import Row, decode

TASK_FIELDS: Final = ("task", "task_id", "prompt_id")
#: Fields whose list has one value for each step of the policy.
REWARD_FIELDS: Final = ("step_rewards", "turn_rewards", "rewards", "reward", "score")
_OUTCOME_FIELDS: Final = tuple(dict.fromkeys((*LABEL_FIELDS, *REWARD_FIELDS)))
#: Fields that say that the run broke off, if they hold anything.
CRASH_FIELDS: Final = ("error", "exception", "exception_info")

#: Keys of other tools that also write ``messages``: they need readers of their own.
_OWNERS: Final = {
    "suite_name": "an AgentDojo run",
    "trajectory_format": "a mini-SWE-agent run",
    "info.mini_version": "a mini-SWE-agent run",
    "simulations": "a tau2-bench result",
    "reward_info": "a tau2-bench run",
    "step_labels": "a file of step labels",
}

#: What a verifiers rollout has, and keys of which it has at least one; others store prompts and completions, too.
ROLLOUT_KEYS: Final = ("prompt", "completion", "reward", "metrics")
ROLLOUT_MARKS: Final = frozenset({"example_id", "problem_id", "stop_condition"})

_FIELDS = msgspec.json.Decoder(dict[str, Any])


class LabelledRow(msgspec.Struct, gc=False):
    """The fields beside the messages that are read; all others are left out of memory."""

    tools: Any = None
    id: Any = None
    task: Any = None
    task_id: Any = None
    prompt_id: Any = None
    group: Any = None
    policy: Any = None
    model: Any = None
    trial: Any = None
    error: Any = None
    exception: Any = None
    exception_info: Any = None
    success: Any = UNSET
    outcome: Any = UNSET
    label: Any = UNSET
    resolved: Any = UNSET
    reward: Any = UNSET
    score: Any = UNSET
    step_rewards: Any = UNSET
    turn_rewards: Any = UNSET
    rewards: Any = UNSET

    def authorities(self, messages: int) -> dict[str, int]:
        """Keys that say who wrote what and how it ended, and how often each may stand in a row of so many messages."""
        present = [name for name in _OUTCOME_FIELDS if getattr(self, name) is not UNSET]
        return {"role": messages, **dict.fromkeys(present, 1)}


#: Fields that hold what JSON gave; the others of a format's row are decoded further.
_PLAIN: Final = frozenset(LabelledRow.__struct_fields__)


def run_of_row(
    format_name: str,
    row: Row,
    decoded: LabelledRow,
    turns: tuple[Turn, ...],
    messages: Mapping[str, int],
    *,
    names: set[str],
    findings: Findings,
) -> Run:
    """A run from a row's turns and the fields beside its messages.

    Args:
        format_name: of the reader.
        row: where the row stands.
        decoded: its fields.
        turns: its messages as turns.
        messages: number of raw messages by role.
        names: ids of the file so far.
        findings: where a repeated id and rewards that fit no step are recorded.

    Returns:
        The run; a row is decoded in full only if somebody asks for a field that is not listed.
    """
    crashed = any(getattr(decoded, name) for name in CRASH_FIELDS)
    return Run(
        format=format_name,
        at=row.at,
        id=distinct(key_of(decoded.id) or str(row.position), row.position, names, row.at, findings),
        task=_task(decoded, turns, row.at, findings),
        group=key_of(decoded.group),
        policy=key_of(decoded.policy) or key_of(decoded.model) or "unknown",
        turns=turns,
        messages=messages,
        label=_label(decoded),
        lookup=_lookup(row, decoded),
        rewards=_rewards(row, decoded, turns, findings),
        trial=decoded.trial if type(decoded.trial) is int else None,
        excluded="crashed" if crashed else None,
    )


def owner_of(head: Outline) -> str | None:
    """Which other tool wrote a file of messages, where a key of its own tells."""
    if head.why_not(*ROLLOUT_KEYS) is None and ROLLOUT_MARKS & head.keys:
        return f"looks like a verifiers rollout ({min(ROLLOUT_MARKS & head.keys)})"
    return next((f"looks like {owner} ({key})" for key, owner in _OWNERS.items() if key in head.keys), None)


def holders(values: Iterable[object], key: str) -> int:
    """How many objects have a key, at any depth of these values."""
    todo, count = list(values), 0
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            count += key in value
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return count


def tool_names(tools: object) -> frozenset[str] | None:
    """The names of the tools that a row offers, in the shapes of OpenAI, Responses and Anthropic; None if unsaid."""
    if isinstance(tools, str):
        with contextlib.suppress(ValueError):
            tools = parse(tools)
    if not isinstance(tools, list):
        return None
    names: set[str] = set()
    for tool in tools:
        inner = tool.get("function", tool) if isinstance(tool, dict) else None
        name = inner.get("name") if isinstance(inner, dict) else tool
        if isinstance(name, str):
            names.add(name)
    return frozenset(names) or None


def _label(row: LabelledRow) -> str | None:
    """The first label field with a value; one that is null counts only where no other has one."""
    null = None
    for name in LABEL_FIELDS:
        value = getattr(row, name)
        if value is None:
            null = null or name
        elif value is not UNSET and not isinstance(value, list):
            return name
    return null


def _rewards(
    row: Row, decoded: LabelledRow, turns: tuple[Turn, ...], findings: Findings
) -> tuple[StepReward, ...]:
    made: tuple[StepReward, ...] = ()
    for name in REWARD_FIELDS:
        values = getattr(decoded, name)
        if isinstance(values, list):
            made += step_rewards(values, policy_steps(turns), name, row.at, findings)
    return made


def _lookup(row: Row, decoded: LabelledRow) -> Lookup:
    def lookup(name: str) -> object:
        value = getattr(decoded, name) if name in _PLAIN else None
        if value is None and name not in _OUTCOME_FIELDS:  # missing, null, or decoded for a reader's own use
            fields: dict[str, Any] | None = decode(row, _FIELDS, Findings())
            return fields_of(fields or {})(name)
        return MISSING if value is UNSET else _without_gaps(value)

    return lookup


def _without_gaps(value: object) -> object:
    """A value as JSON: what rows of a rollout do not say is null in a list of what they say."""
    return [None if item is UNSET else item for item in value] if isinstance(value, list) else value


def _task(row: LabelledRow, turns: Sequence[Turn], at: str, findings: Findings) -> str:
    for name in TASK_FIELDS:
        value = getattr(row, name)
        key = key_of(value)
        if key:
            if not isinstance(value, dict | list):
                findings.note_type(name, type(value).__name__, at)
            return key
    before: list[list[str]] = []
    for turn in turns:
        if turn.writer == "policy":
            break
        before.append([turn.role, turn.text])
    return f"prompt-{digest(canonical(before))}"
