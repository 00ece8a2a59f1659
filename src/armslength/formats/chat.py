"""OpenAI chat rows: JSONL (or one array) of objects with ``messages``, or ``prompt`` and ``completion``.

Tests: ``tests/formats/test_chat.py``. Reference: ``docs/reference/formats/chat.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from armslength.records import Origin, Trajectory, Turn

from .canonical import canonical, digest
from .findings import Findings
from .messages import Message, MessageRules, count_roles, to_turns
from .names import distinct
from .outcomes import LABEL_FIELDS, SuccessRule, judge, outcome_of, parse_rule
from .outline import Outline
from .protocol import ReadOptions
from .rows import Row, decode, read_rows
from .sources import Source

#: Keys of other formats that also hold ``messages``: they need readers of their own.
_FOREIGN: Final = {
    "suite_name": "an AgentDojo run",
    "trajectory_format": "a mini-SWE-agent run",
    "info.mini_version": "a mini-SWE-agent run",
    "simulations": "a tau2-bench result",
    "reward_info": "a tau2-bench run",
    "step_labels": "a file of step labels",
}
_TASK_KEYS: Final = ("task", "task_id", "prompt_id")


class ChatRow(msgspec.Struct, gc=False):
    """The fields of a row that are read; all others are left out of memory."""

    messages: list[Message] | None = None
    prompt: list[Message] | str | None = None
    completion: list[Message] | str | None = None
    id: Any = None
    task: Any = None
    task_id: Any = None
    prompt_id: Any = None
    group: Any = None
    policy: Any = None
    model: Any = None
    trial: Any = None
    success: Any = UNSET
    outcome: Any = UNSET
    label: Any = UNSET
    resolved: Any = UNSET
    reward: Any = UNSET
    score: Any = UNSET


_DECODER = msgspec.json.Decoder(ChatRow)
_LIST = msgspec.json.Decoder(list[Message])
_FIELDS = msgspec.json.Decoder(dict[str, Any])


class Chat:
    """Reader of OpenAI chat rows."""

    name = "chat"

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Objects with messages, or with a prompt and a completion, that no other tool wrote."""
        for key, owner in _FOREIGN.items():
            if key in head.keys:
                return f"looks like {owner} ({key})"
        if head.why_not("prompt", "completion") is None:
            return None
        if any(key.startswith("messages[].") for key in head.keys) and "messages[].role" not in head.keys:
            return "messages without a role"
        return head.why_not("messages")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rows as trajectories."""
        rule = parse_rule(options.success)
        rules = MessageRules(source.name, findings, options.roles, lone_user_is_task=True)
        names: set[str] = set()
        for row in read_rows(source, findings):
            decoded = decode(row, _DECODER, findings)
            if decoded is None:
                continue
            messages = _messages(decoded, row.at, findings)
            if messages is None:
                findings.add(
                    "ROW_INVALID", row.at, found="no messages", expected="messages, or prompt and completion"
                )
                continue
            yield _trajectory(row, decoded, messages, rules=rules, rule=rule, names=names)


def _trajectory(
    row: Row,
    decoded: ChatRow,
    messages: Sequence[Message],
    *,
    rules: MessageRules,
    rule: SuccessRule | None,
    names: set[str],
) -> Trajectory:
    turns = to_turns(messages, rules, row.at)
    label, value = _label(row, decoded, rule)
    judgement = judge(value, rule) if label else None
    outcome = outcome_of(judgement, label, row.at, value, rules.findings) if judgement else None
    if judgement is None:
        unlabelled: str | None = f"no field {rule.field}" if rule else "no outcome field"
    else:
        unlabelled = judgement.reason
    task = _task(decoded, turns)
    name = _key(decoded.id) or str(row.position)
    return Trajectory(
        id=distinct(name, row.position, names, row.at, rules.findings),
        task=task,
        group=_key(decoded.group) or task,
        policy=_key(decoded.policy) or _key(decoded.model) or "unknown",
        turns=turns,
        outcome=outcome,
        trial=decoded.trial if type(decoded.trial) is int else None,
        origin=Origin(
            format=Chat.name,
            at=row.at,
            messages=count_roles(messages),
            declared=outcome.success if outcome else None,
            unlabelled=unlabelled,
        ),
    )


def _messages(row: ChatRow, at: str, findings: Findings) -> list[Message] | None:
    if row.messages is not None:
        return row.messages
    if row.prompt is None or row.completion is None:
        return None
    return [
        *_side(row.prompt, "user", f"{at} prompt", findings),
        *_side(row.completion, "assistant", f"{at} completion", findings),
    ]


def _side(stored: list[Message] | str, role: str, at: str, findings: Findings) -> list[Message]:
    """Messages of a prompt or a completion; a text is one message unless it is a list of them as JSON."""
    if not isinstance(stored, str):
        return stored
    if stored.startswith("[{") and '"role"' in stored:
        try:
            messages = _LIST.decode(stored)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            messages = []
        if messages and all(message.role is not None for message in messages):
            findings.add("MESSAGES_AS_TEXT", at, found="messages as JSON in a text", expected="a list")
            return messages
    return [Message(role, stored)]


def _label(row: Row, decoded: ChatRow, rule: SuccessRule | None) -> tuple[str, object]:
    """The field that holds the outcome and its value; the name is empty if there is none."""
    fields = LABEL_FIELDS if rule is None else (rule.field,)
    for name in fields:
        if name in LABEL_FIELDS:
            value = getattr(decoded, name)
            if value is not UNSET:
                return name, value
        else:
            return _elsewhere(row, name)
    return "", None


def _elsewhere(row: Row, name: str) -> tuple[str, object]:
    """A field that only the caller's rule names, a path with dots where it lies deeper."""
    fields = decode(row, _FIELDS, Findings())
    value: object = fields
    for part in (name,) if fields and name in fields else name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return "", None
        value = value[part]
    return name, value


def _task(row: ChatRow, turns: Sequence[Turn]) -> str:
    for name in _TASK_KEYS:
        key = _key(getattr(row, name))
        if key:
            return key
    before: list[list[str]] = []
    for turn in turns:
        if turn.writer == "policy":
            break
        before.append([turn.role, turn.text])
    return f"prompt-{digest(canonical(before))}"


def _key(value: object) -> str | None:
    """An identifier as text: files disagree on whether a number is one."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    return digest(canonical(value)) if isinstance(value, dict | list) else canonical(value)
