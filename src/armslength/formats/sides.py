"""A prompt and a completion as messages: lists of them, texts, or lists that a writer stored as JSON inside texts.

A policy may write any text, also one that reads like a list of messages. A completion's text is therefore decoded
only where the prompt beside it was stored in the same way; how it looks never makes a user or a tool of it.

Tests: ``tests/formats/test_sides.py``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from .findings import Findings
from .messages import Message

Stored = list[Message] | str | None

_LIST: Final = msgspec.json.Decoder(list[Message])


class Sides(NamedTuple):
    """The messages of both sides, and whether they had been stored as text."""

    prompt: list[Message]
    completion: list[Message]
    decoded: bool


def sides(prompt: Stored, completion: Stored, at: str, findings: Findings) -> Sides:
    """Messages of a prompt and its completion.

    Args:
        prompt: as the record holds it; None is no message.
        completion: likewise.
        at: what findings call the record.
        findings: where it is noted that the policy imitates messages of others.

    Returns:
        Both sides. A text is one message, the prompt's of the user, the completion's of the assistant.
    """
    listed = _listed(prompt)
    given = listed or _messages(prompt, "user")
    if not isinstance(completion, str) or not completion.startswith("["):
        return Sides(given, _messages(completion, "assistant"), bool(listed))
    said = _listed(completion)
    if listed and said is not None:
        return Sides(given, said, decoded=True)
    if not listed and any(message.role != "assistant" for message in said or ()):
        findings.note("IMITATED_OBSERVATION", at)
    return Sides(given, [Message("assistant", completion)], bool(listed))


def _messages(stored: Stored, role: str) -> list[Message]:
    if isinstance(stored, str):
        return [Message(role, stored)]
    return stored or []


def _listed(stored: Stored) -> list[Message] | None:
    """The messages that a text holds as JSON; None if it holds none."""
    if not isinstance(stored, str) or not stored.startswith("["):
        return None
    try:
        messages = _LIST.decode(stored)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return messages if all(message.role is not None for message in messages) else None
