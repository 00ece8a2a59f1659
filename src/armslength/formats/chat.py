"""OpenAI chat rows: JSONL (or one array) of objects with ``messages``, or ``prompt`` and ``completion``.

Tests: ``tests/formats/test_chat.py``. Reference: ``docs/reference/formats/chat.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from armslength.records import Trajectory

from .findings import Findings
from .labelled import LabelledRow, run_of_row, tool_names
from .messages import Message, MessageRules, count_roles, to_turns
from .outline import Outline
from .protocol import ReadOptions
from .rows import decode, read_rows
from .runs import to_trajectory
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


class ChatRow(LabelledRow, gc=False):
    """A row: messages, or a prompt and a completion."""

    messages: list[Message] | None = None
    prompt: list[Message] | str | None = None
    completion: list[Message] | str | None = None


_DECODER = msgspec.json.Decoder(ChatRow)
_LIST = msgspec.json.Decoder(list[Message])


class Chat:
    """Reader of OpenAI chat rows."""

    name = "chat"
    left_out = ("tool schemas", "images, audio and files", "token counts", "fields that users added")

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
            turns = to_turns(messages, rules, row.at, tool_names(decoded.tools))
            run = run_of_row(
                self.name, row, decoded, turns, count_roles(messages), names=names, findings=findings
            )
            trajectory = to_trajectory(run, options, findings)
            if trajectory is not None:
                yield trajectory


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
