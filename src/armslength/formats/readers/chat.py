"""OpenAI chat rows: JSONL (or one array) of objects with ``messages``, or ``prompt`` and ``completion``.

Tests: ``tests/formats/readers/test_chat.py``. Reference: ``docs/reference/formats/chat.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from armslength.records import Trajectory

from ..findings import Findings
from ..labelled import CRASH_FIELDS, LabelledRow, owner_of, run_of_row, tool_names
from ..messages import Message, MessageRules, count_roles, to_turns
from ..protocol import ReadOptions
from ..runs import Run, key_of, to_trajectories
from ..sides import sides
from ..storage.outline import Outline
from ..storage.rows import Row, decode_rows, read_rows, report_repeats
from ..storage.sources import Source


class ChatRow(LabelledRow, gc=False):
    """A row: messages, or a prompt and a completion; several rows of one ``rollout_id`` are an episode."""

    messages: list[Message] | None = None
    prompt: list[Message] | str | None = None
    completion: list[Message] | str | None = None
    rollout_id: Any = None


class _Decoded(NamedTuple):
    at: Row
    row: ChatRow
    messages: list[Message]


_DECODER = msgspec.json.Decoder(ChatRow)


class Chat:
    """Reader of OpenAI chat rows."""

    name = "chat"
    left_out = ("tool schemas", "images, audio and files", "token counts", "fields that users added")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Objects with messages, or with a prompt and a completion, that no other tool wrote."""
        owner = owner_of(head)
        if owner is not None:
            return owner
        if head.why_not("prompt", "completion") is None:
            return None
        if any(key.startswith("messages[].") for key in head.keys) and "messages[].role" not in head.keys:
            return "messages without a role"
        return head.why_not("messages")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rows as trajectories."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    rules = MessageRules(source.name, findings, options.roles, lone_user_is_task=True)
    names: set[str] = set()
    for row, decoded, messages in _episodes(_decoded(source, findings), findings):
        turns = to_turns(messages, rules, row.at, tool_names(decoded.tools))
        yield run_of_row(
            Chat.name, row, decoded, turns, count_roles(messages), names=names, findings=findings
        )


def _decoded(source: Source, findings: Findings) -> Iterator[_Decoded]:
    for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
        messages = _messages(decoded, row.at, findings)
        if messages is None:
            expected = "messages, or prompt and completion"
            findings.add("ROW_INVALID", row.at, found="no messages", expected=expected)
            continue
        report_repeats(row, decoded.authorities(len(messages)), findings)
        yield _Decoded(row, decoded, messages)


def _episodes(rows: Iterator[_Decoded], findings: Findings) -> Iterator[_Decoded]:
    """Rows as episodes: trainers that work step by step write one row a turn, all with one ``rollout_id``."""
    done: set[str] = set()
    for rollout, members in groupby(rows, key=lambda item: key_of(item.row.rollout_id)):
        if rollout is None:
            yield from members
            continue
        pieces = list(members)
        if rollout in done:
            found = f"rollout {rollout} again"
            findings.add("ROLLOUT_SPLIT", pieces[0].at.at, found=found, expected="its rows in one piece")
        done.add(rollout)
        yield _joined(pieces)


def _joined(members: list[_Decoded]) -> _Decoded:
    """One episode of the rows of a rollout: the longest history once, and what the last row does not say from before.

    An error of any row is the episode's. Rewards that differ from row to row are step rewards; otherwise the reward is
    the episode's, whether trainers write it on every row or on the last.
    """
    messages: list[Message] = []
    for _, _, more in members:
        messages = more if more[: len(messages)] == messages else [*messages, *more]
    rows = [row for _, row, _ in members]
    at, last, _ = members[-1]
    rewards = [row.reward for row in rows]
    for name in LabelledRow.__struct_fields__:
        values = [getattr(row, name) for row in rows]
        if name in CRASH_FIELDS:
            values = [value or None for value in values]  # an empty error takes none back
        setattr(last, name, _last_said(values))
    if _differ(rewards):
        last.reward = rewards
    return _Decoded(at, last, messages)


def _last_said(values: list[Any]) -> object:
    """The last value that is there and not null; else null if one is, else what stands for no value."""
    said = [value for value in values if value is not None and value is not UNSET]
    return said[-1] if said else None if None in values else values[-1]


def _differ(rewards: list[Any]) -> bool:
    """Whether rewards have several values; one that is no number equals another."""
    said = [reward for reward in rewards if reward is not None and reward is not UNSET]
    return any(reward != said[0] and (reward == reward or said[0] == said[0]) for reward in said)  # noqa: PLR0124


def _messages(row: ChatRow, at: str, findings: Findings) -> list[Message] | None:
    if row.messages is not None:
        return row.messages
    if row.prompt is None or row.completion is None:
        return None
    both = sides(row.prompt, row.completion, at, findings)
    if both.decoded:
        findings.add("MESSAGES_AS_TEXT", at, found="messages as JSON in texts", expected="lists")
    return [*both.prompt, *both.completion]
