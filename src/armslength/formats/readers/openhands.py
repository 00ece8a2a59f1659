"""OpenHands runs: the V0 export, one array of events, and the SDK's conversations, one file an event.

A conversation is read with its first file; its other files are no runs of their own.

Tests: ``tests/formats/readers/test_openhands.py``. Reference: ``docs/reference/formats/openhands.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from armslength.records import Trajectory, Turn

from ..canonical import canonical, digest
from ..content import plain
from ..findings import Findings
from ..protocol import ReadOptions
from ..runs import Run, fields_of, key_of, to_trajectories
from ..storage.beside import read_beside
from ..storage.outline import Outline, outline
from ..storage.rows import decode, read_rows
from ..storage.sources import Source
from .openhands_export import Event, export_label, export_policy, export_turns, last_state
from .openhands_sdk import ended_by, sdk_turns

_EVENT_FILE: Final = re.compile(r"(?:^|/)event-(\d{5,9})-[^/]+\.json$")
_DECODER: Final = msgspec.json.Decoder(dict[str, Any])


class OpenHands:
    """Reader of OpenHands' exports and conversations."""

    name = "openhands"
    left_out = (
        "tokens, costs and timestamps",
        "raw responses of the model, but for its calls and its reasoning",
        "extras of observations",
        "changes of state and other events of the harness",
        "the state of the conversation, but for the model",
    )

    def detect(self, head: Outline, path: str) -> str | None:
        """An array of events with sources, or a numbered file that holds one event."""
        if _EVENT_FILE.search(path):
            return head.why_not("id", "timestamp", "source")
        if head.opening != "[":
            return "no array"
        return head.why_not("id", "timestamp", "source", "action", "args")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read an export, or a conversation if this is its first file."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    head = outline(source.head())
    if head.opening == "{" and _EVENT_FILE.search(source.name):
        first, files = _conversation(source.path.absolute().parent)
        if source.path.name != first:
            findings.note("READ_WITH_FIRST", source.name)
            return
        _report_gaps(source, files, findings)
        decoded = [read_beside(source, name, _DECODER, findings) for _, name in files]
        make = _sdk_run
    else:
        decoded = [decode(row, _DECODER, findings) for row in read_rows(source, findings)]
        make = _export_run
    events = [event for event in decoded if event is not None]
    if events:
        yield make(source, events, findings)


def _export_run(source: Source, events: list[Event], findings: Findings) -> Run:
    turns = export_turns(events, source.name, findings)
    policy = export_policy(events)
    label = export_label(events)
    state = last_state(events)
    return Run(
        format=OpenHands.name,
        at=source.name,
        id=source.label,
        task=_task(turns),
        policy=policy,
        turns=turns,
        messages=_count(events, "action", "observation"),
        labels={"task_completed": label} if label else {},
        lookup=fields_of({"policy": policy, "agent_state": state}),
    )


def _sdk_run(source: Source, events: list[Event], findings: Findings) -> Run:
    turns = sdk_turns(events, source.name, findings)
    state = read_beside(source, "../base_state.json", _DECODER, findings) or {}
    lookup = fields_of(state)
    model = lookup("agent.llm.model")
    policy = model if isinstance(model, str) and model else "unknown"
    ending = ended_by(events)
    return Run(
        format=OpenHands.name,
        at=source.name,
        id=key_of(state.get("id")) or source.path.absolute().parent.parent.name,
        task=_task(turns),
        policy=policy,
        turns=turns,
        messages=_count(events, "kind"),
        stratum="step limit" if ending == "step limit" else None,
        lookup=fields_of({"policy": policy, "execution_status": state.get("execution_status")}),
        excluded="crashed" if ending == "crashed" else None,
    )


def _task(turns: tuple[Turn, ...]) -> str:
    """What the user, or the benchmark under his name, asked first."""
    asked = next((turn.text for turn in turns if turn.role == "user"), "")
    return f"prompt-{digest(canonical(asked))}"


def _count(events: list[Event], *keys: str) -> dict[str, int]:
    """Events by source and kind."""
    return dict(
        Counter(
            f"{plain(event.get('source'))}:{plain(next((event[k] for k in keys if k in event), ''))}"
            for event in events
        )
    )


def _conversation(folder: Path) -> tuple[str, tuple[tuple[int, str], ...]]:
    """The file that a conversation is read with, and all its files in order."""
    return _listed(folder, folder.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _listed(folder: Path, _: int) -> tuple[str, tuple[tuple[int, str], ...]]:
    """As `_conversation`; a folder is listed once, not once a file."""
    found = ((_EVENT_FILE.search(path.name), path) for path in folder.iterdir())
    files = sorted((int(match[1]), path.name) for match, path in found if match and path.is_file())
    return next((name for _, name in files if _is_event(folder / name)), ""), tuple(files)


def _is_event(path: Path) -> bool:
    """Whether a file will be given to this reader at all: an empty or broken one is not."""
    head = outline(Source(path, path.name, path.name).head())
    return OpenHands().detect(head, path.name) is None and head.opening == "{"


def _report_gaps(source: Source, files: tuple[tuple[int, str], ...], findings: Findings) -> None:
    numbers = {number for number, _ in files}
    missing = max(numbers) + 1 - len(numbers)
    if missing:
        first = next(number for number in range(max(numbers) + 1) if number not in numbers)
        findings.add(
            "EVENTS_MISSING", source.name, found=f"{missing} missing, the first is {first}",
            expected="events from 0 on without a gap",
        )  # fmt: skip
