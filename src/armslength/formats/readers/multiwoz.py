"""MultiWOZ dialogues with goals, states and acts: one JSON object, dialogues by id.

- Every second turn is the system's, beginning with the second: a person who plays the policy.
- What changes in the state is the policy's call ``state``; a new booking is its call ``book``, and the reference
  that the booking program issued is the world's result, both before the text of that turn.
- The goal, its text and the acts enter no turn; the success is recomputed from them (`multiwoz_outcome`).

Tests: ``tests/formats/readers/test_multiwoz.py``. Reference: ``docs/reference/formats/multiwoz.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Trajectory, Turn

from ..canonical import canonical, digest
from ..content import plain
from ..findings import Findings
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.beside import find_nearby
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_document, read_keyed_rows
from ..storage.sources import Source
from .multiwoz_outcome import LOOKED_UP, Database, as_list, as_object, goal_domains, goal_met, why_no_label

State = dict[str, dict[str, Any]]

_OPEN: Final = ("", "not mentioned", None)
#: What the booking program draws or issues; the rest of a booking the policy chose.
_ISSUED: Final = {"taxi": ("type", "phone"), "": ("reference",)}
_LOG: Final = re.compile(r"(.+)\.log\[\]\.metadata")


class LogTurn(msgspec.Struct):
    """What one side said; the state and the acts stand with the system's turns."""

    text: Any = None
    metadata: Any = None
    dialog_act: Any = None


class MultiwozDialogue(msgspec.Struct):
    """A dialogue and what the user wanted."""

    goal: Any = None
    log: list[LogTurn] | None = None


_DECODER = msgspec.json.Decoder(MultiwozDialogue)
_ROWS = msgspec.json.Decoder(list[dict[str, Any]])


class Multiwoz:
    """Reader of MultiWOZ dialogues."""

    name = "multiwoz"
    left_out = ("the goal and its text", "dialog_act", "span_info", "slots of the state that did not change")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Dialogues by id, with a goal and a log whose turns have states."""
        for key in head.keys:
            match = _LOG.fullmatch(key)
            if match and head.why_not(f"{match[1]}.goal", f"{match[1]}.log[].text") is None:
                return None
        return head.why_not("ID.goal", "ID.log[].metadata") or "not keyed by dialogue"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read dialogues as trajectories."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    database = load_database(source, findings)
    names: set[str] = set()
    for key, row in read_keyed_rows(source, findings):
        dialogue = decode(row, _DECODER, findings)
        if dialogue is None:
            continue
        if dialogue.log is None:
            findings.add("ROW_INVALID", row.at, found="no log", expected="a MultiWOZ dialogue")
            continue
        name = distinct(key, row.position, names, row.at, findings)
        yield _run(row, name, as_object(dialogue.goal), dialogue.log, database, findings=findings)


def load_database(source: Source, findings: Findings) -> Database:
    """The rows by domain of the nearest ``db`` folder; a domain without a file is a finding and has none."""
    database: dict[str, Sequence[Mapping[str, Any]]] = {}
    for domain in LOOKED_UP:
        found = find_nearby(source, (f"db/{domain}_db.json",))
        rows = read_document(found, _ROWS, findings) if found else None
        if rows is None:
            findings.add(
                "DATABASE_MISSING", source.name, expected=f"db/{domain}_db.json beside the file or above"
            )
        else:
            database[domain] = rows
    return database


def wanted_of(goal: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a goal wants, without the words in which the user was told; None if that is nothing."""
    return {key: value for key, value in goal.items() if value and key not in ("message", "topic")} or None


def goal_key(goal: Mapping[str, Any]) -> str | None:
    """The key of a goal."""
    wanted = wanted_of(goal)
    return f"goal-{digest(canonical(wanted))}" if wanted else None


def state_turn(before: State, after: State, step: int) -> list[Turn]:
    """The policy's call that changes the state; nothing where it stays as it is. A slot that was left is empty."""
    change: State = {}
    for domain in sorted({*before, *after}):
        old, new = before.get(domain, {}), after.get(domain, {})
        slots = {slot: new.get(slot, "") for slot in sorted({*old, *new}) if old.get(slot) != new.get(slot)}
        if slots:
            change[domain] = slots
    return [Turn("tool_call", "policy", f"state {canonical(change)}", step, "state")] if change else []


def _run(
    row: Row,
    name: str,
    goal: dict[str, Any],
    log: Sequence[LogTurn],
    database: Database,
    *,
    findings: Findings,
) -> Run:
    domains = [domain for domain, _ in goal_domains(goal)]
    fields: dict[str, object] = {"id": name, "domains": "+".join(domains), "domain_count": len(domains)}
    labels, missing = _labels(goal, log, database)
    return Run(
        format=Multiwoz.name,
        at=row.at,
        id=name,
        task=goal_key(goal) or f"dialogue-{name}",
        policy="wizard",
        turns=tuple(_turns(log, row.at, findings)),
        messages={"user": (len(log) + 1) // 2, "system": len(log) // 2},
        labels=labels,
        label="success",
        definition=wanted_of(goal),
        declared=labels["success"].success,
        lookup=fields_of(fields | {"missing": "+".join(missing)}),
    )


def _labels(
    goal: dict[str, Any], log: Sequence[LogTurn], database: Database
) -> tuple[dict[str, Label], tuple[str, ...]]:
    reason = why_no_label(goal, database)
    if reason is not None:
        names = ("success", "booked", "inform", "requests")
        return {name: Label(None, reason, "A") for name in names}, ()
    system = log[1::2]
    state = as_object(system[-1].metadata) if system else {}
    met = goal_met(goal, state, [turn.dialog_act for turn in system], database)
    labels = {
        "success": Label(not met.missing, grade="A"),
        "booked": Label(met.booked, grade="A"),
        "inform": Label(met.inform, grade="A"),
        "requests": Label(met.requests, grade="A"),
    }
    return labels, met.missing


def _turns(log: Sequence[LogTurn], at: str, findings: Findings) -> list[Turn]:
    turns: list[Turn] = []
    state: State = {}
    seen: set[str] = set()
    for step, said in enumerate(log):
        is_system = step % 2 == 1
        if bool(said.metadata) != is_system:
            expected = "a state with every second turn, which is the system's, and with no other"
            findings.add("SPEAKER_UNCLEAR", f"{at} log[{step}]", expected=expected)
            turns.append(Turn("unknown", "unknown", plain(said.text), step))
            continue
        if is_system:
            now = _state_of(as_object(said.metadata))
            turns += state_turn(state, now, step)
            turns += _bookings(as_object(said.metadata), seen, step)
            state = now
            turns.append(Turn("assistant", "policy", plain(said.text), step))
        else:
            turns.append(Turn("user", "user", plain(said.text), step))
    return turns


def _state_of(metadata: Mapping[str, Any]) -> State:
    """The filled slots by domain; those of a booking are called ``book`` and their name."""
    state: State = {}
    for domain, parts in metadata.items():
        semi, book = as_object(as_object(parts).get("semi")), as_object(as_object(parts).get("book"))
        slots = semi | {f"book {slot}": value for slot, value in book.items() if slot != "booked"}
        state[domain] = {slot: value for slot, value in slots.items() if value not in _OPEN}
    return state


def _bookings(metadata: Mapping[str, Any], seen: set[str], step: int) -> list[Turn]:
    """A call and a result for each booking that was not there before."""
    turns: list[Turn] = []
    for domain, parts in metadata.items():
        for booked in as_list(as_object(as_object(parts).get("book")).get("booked")):
            key = canonical([domain, booked])
            if key in seen or not isinstance(booked, dict):
                continue
            seen.add(key)
            names = _ISSUED.get(domain, _ISSUED[""])
            chosen = {name: value for name, value in booked.items() if name not in names}
            issued = {name: booked[name] for name in names if name in booked}
            text = f"book {canonical(chosen | {'domain': domain})}"
            turns.append(Turn("tool_call", "policy", text, step, "book"))
            if issued:
                turns.append(Turn("tool_result", "world", canonical(issued), step, "book"))
    return turns
