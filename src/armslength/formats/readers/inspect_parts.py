"""What a sample of an Inspect log says beside its messages: keys that hide another value, calls that an agent answered.

Both are looked for in the bytes first, since most samples have neither and the events are most of a log.

Tests: ``tests/formats/readers/test_inspect_ai.py``. Reference: ``docs/reference/formats/inspect.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ..findings import Findings
from ..storage.members import report_repeated_members
from ..storage.rows import Row, decode, report_repeats
from .inspect_messages import InspectMessage

#: A tool event says here which agent's span its call opened.
_BY_AGENT: Final = re.compile(rb'"agent_span_id"\s*:\s*"')


class _Parts(msgspec.Struct):
    """The parts of a sample in which a key that stands twice hides a label, or who wrote a message."""

    messages: msgspec.Raw = msgspec.Raw(b"[]")
    scores: msgspec.Raw = msgspec.Raw(b"{}")


class _Event(msgspec.Struct, gc=False):
    event: Any = None
    id: Any = None
    agent_span_id: Any = None


class _Events(msgspec.Struct):
    events: list[_Event] | None = None


_PARTS: Final = msgspec.json.Decoder(_Parts)
_EVENTS: Final = msgspec.json.Decoder(_Events)


def report_sample_repeats(
    row: Row, messages: Sequence[InspectMessage], scores: object, findings: Findings
) -> None:
    """Look for keys that stand twice in the parts that say who wrote what and how the sample ended."""
    try:
        parts = _PARTS.decode(row.data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return  # the sample was read slowly, and searched
    report_repeated_members(bytes(row.data), ("messages", "scores"), row.at, findings)
    report_message_repeats(row._replace(data=parts.messages), messages, findings)
    count = len(scores) if isinstance(scores, dict) else 0
    report_repeats(row._replace(data=parts.scores), {"value": count}, findings)


def report_message_repeats(row: Row, messages: Sequence[InspectMessage], findings: Findings) -> None:
    """The same for a list of messages."""
    report_repeats(row, dict.fromkeys(("role", "source"), len(messages)), findings)


def calls_of_agents(row: Row) -> frozenset[str]:
    """The ids of the calls whose tool was an agent, by the sample's own events: a model wrote what they returned."""
    if not _BY_AGENT.search(bytes(row.data)):
        return frozenset()
    read = decode(
        row, _EVENTS, Findings()
    )  # of events in another shape nothing is said: they are not read else
    events = read.events if read is not None and read.events else ()
    return frozenset(
        event.id for event in events
        if event.event == "tool" and event.agent_span_id and isinstance(event.id, str)
    )  # fmt: skip
