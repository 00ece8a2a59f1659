"""A sample of an Inspect log: its parts, keys in it that hide another value, and calls that an agent answered.

The events are most of a log. They are skipped once and compared once, and opened only where a tool's event says that
its call opened an agent's span.

Tests: ``tests/formats/readers/test_inspect_ai.py``. Reference: ``docs/reference/formats/inspect.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from ..findings import Findings
from ..storage.members import report_repeated_members, without_value
from ..storage.rows import Row, decode, report_repeats
from .inspect_messages import InspectMessage

#: The key of a tool's event that names the span of the agent that its call ran, and the key with a name.
_AGENT_SPAN: Final = b'"agent_span_id"'
_NAMED: Final = re.compile(_AGENT_SPAN + rb'\s*:\s*"')


class _Transcript(msgspec.Struct):
    content: Any = None


class _Known(msgspec.Struct):
    """The parts of a sample that every way of reading it gives alike; the target is none of them."""

    id: Any = None
    epoch: Any = None
    input: Any = None
    message_refs: list[tuple[int, int]] | None = None
    score: Any = None
    metadata: Any = None
    attachments: Any = None
    transcript: _Transcript | None = None
    error: Any = None
    limit: Any = None
    invalidation: Any = None


class Sample(_Known):
    """The parts of a sample that are read."""

    messages: list[InspectMessage] | None = None
    scores: Any = None


class _Cut(_Known):
    """A sample of which some parts are still bytes, so that they can be searched by themselves."""

    messages: msgspec.Raw = msgspec.Raw(b"null")
    scores: msgspec.Raw = msgspec.Raw(b"null")
    events: msgspec.Raw = msgspec.Raw(b"[]")


class _Event(msgspec.Struct, gc=False):
    event: Any = None
    id: Any = None
    agent_span_id: Any = None


class _Events(msgspec.Struct):
    events: list[_Event] | None = None


class ReadSample(NamedTuple):
    """A sample, and the ids of the calls that an agent answered: a model wrote what they returned."""

    sample: Sample
    by_agents: frozenset[str]


_SAMPLE: Final = msgspec.json.Decoder(Sample)
_CUT: Final = msgspec.json.Decoder(_Cut)
_MESSAGES: Final = msgspec.json.Decoder(list[InspectMessage] | None)
_ANY: Final = msgspec.json.Decoder(Any)
_EVENTS: Final = msgspec.json.Decoder(_Events)


def read_sample(row: Row, findings: Findings) -> ReadSample | None:
    """Decode a sample; None with a finding if it cannot be read.

    Args:
        row: of the sample.
        findings: where the reason is recorded, and keys that stand twice in what says who wrote a message or how the
            sample ended.
    """
    row = row._replace(data=bytes(row.data))
    if not findings.strict:
        try:
            cut = _CUT.decode(row.data)
            messages, scores = _MESSAGES.decode(cut.messages), _ANY.decode(cut.scores)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            pass
        else:
            known = {name: getattr(cut, name) for name in _Known.__struct_fields__}
            sample = Sample(**known, messages=messages, scores=scores)
            _report_repeats(row, cut, sample, findings)
            return ReadSample(sample, _answered(row))
    slow = decode(row, _SAMPLE, findings)
    return None if slow is None else ReadSample(slow, _answered(row))


def report_message_repeats(row: Row, messages: Sequence[InspectMessage], findings: Findings) -> None:
    """Look for keys that stand twice in messages and say who wrote one."""
    report_repeats(row, dict.fromkeys(("role", "source"), len(messages)), findings)


def _report_repeats(row: Row, cut: _Cut, sample: Sample, findings: Findings) -> None:
    rest = without_value(bytes(row.data), "events", cut.events)
    report_repeated_members(rest, ("messages", "scores"), row.at, findings)
    report_message_repeats(row._replace(data=cut.messages), sample.messages or (), findings)
    count = len(sample.scores) if isinstance(sample.scores, dict) else 0
    report_repeats(row._replace(data=cut.scores), {"value": count}, findings)


def _answered(row: Row) -> frozenset[str]:
    searched = bytes(row.data)
    if _AGENT_SPAN not in searched or not _NAMED.search(searched):
        return frozenset()
    read = decode(
        row, _EVENTS, Findings()
    )  # of events in another shape nothing is said: they are not read else
    events = read.events if read is not None and read.events else ()
    return frozenset(
        event.id for event in events
        if event.event == "tool" and event.agent_span_id and isinstance(event.id, str)
    )  # fmt: skip
