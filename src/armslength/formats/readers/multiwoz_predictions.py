"""Answers of trained systems to the users of MultiWOZ dialogues: one file a system, dialogues by id.

- The user's turns are those of the human dialogue (MultiWOZ's ``test.json``, looked for near the file), whatever the
  system said; without that file only the system's turns are read, and there is no outcome.
- What changes in the state is the policy's call ``state``, before the text of that turn.
- Texts have placeholders instead of values; success is recomputed from them (`multiwoz_placeholders`).

Tests: ``tests/formats/readers/test_multiwoz_predictions.py``.
Reference: ``docs/reference/formats/multiwoz_predictions.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Trajectory, Turn

from ..content import plain
from ..findings import Findings
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.beside import find_nearby
from ..storage.outline import Outline, outline
from ..storage.rows import Row, decode, read_keyed_rows
from ..storage.sources import Source
from .multiwoz import Multiwoz, State, goal_key, load_database, state_turn, wanted_of
from .multiwoz_outcome import Database, as_object, goal_domains, why_no_label
from .multiwoz_placeholders import Answer, Finder, placeholders_met

_TEST: Final = (
    "multiwoz/data/multiwoz/test.json",
    "data/multiwoz/test.json",
    "multiwoz/test.json",
    "test.json",
)
_KEY: Final = re.compile(r"([A-Za-z]+\d+(?:\.json)?)\[\]\.response")


class Prediction(msgspec.Struct):
    """What a system wrote in one turn."""

    response: Any = None
    state: Any = None
    active_domains: Any = None


class _Said(msgspec.Struct):
    text: Any = None


class _Human(msgspec.Struct):
    goal: Any = None
    log: list[_Said] = []


class _Users(NamedTuple):
    """The human dialogues by id, and the database."""

    dialogues: Mapping[str, _Human]
    database: Database
    finder: Finder


_DECODER = msgspec.json.Decoder(list[Prediction])
_HUMAN = msgspec.json.Decoder(_Human)


class MultiwozPredictions:
    """Reader of systems' answers to MultiWOZ dialogues."""

    name = "multiwoz_predictions"
    left_out = ("active_domains", "slots of the state that did not change")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Lists of answers with states, by dialogue id."""
        for key in head.keys:
            match = _KEY.fullmatch(key)
            if match and f"{match[1]}[].state" in head.keys:
                return None
        return head.why_not("ID[].response", "ID[].state") or "not keyed by dialogue"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a system's dialogues as trajectories."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    users = _load_users(source, findings)
    names: set[str] = set()
    for key, row in read_keyed_rows(source, findings):
        answers = decode(row, _DECODER, findings)
        if answers is None:
            continue
        name = distinct(key, row.position, names, row.at, findings)
        yield _run(row, name, answers, users, policy=source.stem, findings=findings)
    missing = sorted(users.dialogues.keys() - {_id(name) for name in names})
    if missing and names:
        found = f"{len(missing)} without, such as {missing[0]}"
        findings.add("DIALOGUE_MISSING", source.name, found=found, expected="answers to each dialogue")


def _load_users(source: Source, findings: Findings) -> _Users:
    found = find_nearby(source, _TEST)
    if found is None or Multiwoz().detect(outline(found.head()), found.name) is not None:
        findings.add("USER_TURNS_MISSING", source.name, expected=f"{_TEST[0]} in a folder above")
        return _Users({}, {}, Finder({}))
    humans = {
        _id(key): human
        for key, row in read_keyed_rows(found, findings)
        if (human := decode(row, _HUMAN, findings)) is not None
    }
    database = load_database(found, findings)
    return _Users(humans, database, Finder(database))


def _id(key: str) -> str:
    return key.lower().removesuffix(".json")


def _run(
    row: Row, name: str, answers: Sequence[Prediction], users: _Users, *, policy: str, findings: Findings
) -> Run:
    human = users.dialogues.get(_id(name))
    said = [plain(turn.text) for turn in human.log[::2]] if human else []
    if human and len(said) != len(answers):
        expected = f"{len(said)}, as in the human dialogue"
        findings.add("TURNS_UNALIGNED", row.at, found=f"{len(answers)} system turns", expected=expected)
    elif human is None and users.dialogues:
        findings.add(
            "USER_TURNS_MISSING", row.at, found=f"no {_id(name)}", expected="a dialogue of test.json"
        )
    goal = as_object(human.goal) if human else {}
    return Run(
        format=MultiwozPredictions.name,
        at=row.at,
        id=name,
        task=goal_key(goal) or f"dialogue-{_id(name)}",
        policy=policy,
        turns=tuple(_turns(said, answers)),
        messages={"user": len(said), "system": len(answers)},
        labels=_labels(goal, answers, users),
        label="success",
        definition=wanted_of(goal),
        lookup=fields_of(
            {"id": name, "system": policy, "domains": "+".join(d for d, _ in goal_domains(goal))}
        ),
    )


def _turns(said: Sequence[str], answers: Sequence[Prediction]) -> Iterator[Turn]:
    """User and system in turn; what one of them is longer by stands at the end."""
    state: State = {}
    for index, (user, answer) in enumerate(zip_longest(said, answers)):
        if user is not None:
            yield Turn("user", "user", user, 2 * index)
        if answer is not None:
            now = {domain: as_object(slots) for domain, slots in as_object(answer.state).items()}
            yield from state_turn(state, now, 2 * index + 1)
            state = now
            yield Turn("assistant", "policy", plain(answer.response), 2 * index + 1)


def _labels(goal: dict[str, Any], answers: Sequence[Prediction], users: _Users) -> dict[str, Label]:
    reason = why_no_label(goal, users.database)
    if reason is not None:
        return {name: Label(None, reason, "A") for name in ("success", "inform", "requests")}
    written = [
        Answer(
            plain(answer.response),
            as_object(answer.state),
            [d for d in answer.active_domains if isinstance(d, str)]
            if isinstance(answer.active_domains, list)
            else None,
        )
        for answer in answers
    ]
    met = placeholders_met(goal, written, users.finder)
    return {
        "success": Label(not met.missing, grade="A"),
        "inform": Label(met.inform, grade="A"),
        "requests": Label(met.requests, grade="A"),
    }
