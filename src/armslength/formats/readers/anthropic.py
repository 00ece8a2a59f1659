"""Anthropic rows: ``system`` beside ``messages`` whose content is a text or typed blocks.

A result rides in a user message, a result of the provider's own tools in an assistant message: each block is a
turn of its own with its own writer.

Tests: ``tests/formats/readers/test_anthropic.py``. Reference: ``docs/reference/formats/anthropic.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from armslength.records import Trajectory

from ..findings import Findings
from ..labelled import LabelledRow, holders, owner_of, run_of_row, tool_names
from ..messages import Message, MessageRules, count_roles, to_turns
from ..protocol import ReadOptions
from ..runs import Run, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import decode_rows, read_rows, report_repeats
from ..storage.sources import Source

#: Keys that only Anthropic's blocks have.
_BLOCK_KEYS: Final = ("tool_use_id", "input", "thinking", "signature", "cache_control")


class AnthropicRow(LabelledRow, gc=False):
    """A row: the system text, the messages, and the last reply where it is kept apart."""

    system: Any = None
    messages: list[Message] | None = None
    response: Message | None = None


_DECODER = msgspec.json.Decoder(AnthropicRow)


class Anthropic:
    """Reader of Anthropic messages."""

    name = "anthropic"
    left_out = (
        "tool schemas",
        "images and documents",
        "signatures",
        "token counts",
        "fields that users added",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Messages beside a ``system``, or with blocks that only Anthropic has."""
        why = owner_of(head) or head.why_not("messages[].role")
        if why is not None:
            return why
        blocks = any(f"messages[].content[].{key}" in head.keys for key in _BLOCK_KEYS)
        return None if blocks or "system" in head.keys else "no system and no block of a call or a result"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rows as trajectories."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    rules = MessageRules(source.name, findings, options.roles, lone_user_is_task=True)
    names: set[str] = set()
    for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
        if decoded.messages is None:
            findings.add("ROW_INVALID", row.at, found="no messages", expected="messages")
            continue
        messages = _all_messages(decoded)
        report_repeats(row, _authorities(decoded), findings)
        turns = to_turns(messages, rules, row.at, tool_names(decoded.tools))
        yield run_of_row(
            Anthropic.name, row, decoded, turns, count_roles(messages), names=names, findings=findings
        )


def _all_messages(row: AnthropicRow) -> list[Message]:
    first = [Message(role="system", content=row.system)] if row.system else []
    last = [row.response] if row.response is not None else []
    return [*first, *(row.messages or []), *last]


def _authorities(row: AnthropicRow) -> dict[str, int]:
    """Keys that must not be hidden; a block's type says who wrote it."""
    stored = [*(row.messages or []), *([row.response] if row.response is not None else [])]
    types = holders([row.system, row.tools, *(message.content for message in stored)], "type")
    return {**row.authorities(len(stored)), "type": types}
