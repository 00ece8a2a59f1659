"""CaSiNo: two people negotiate over camping supplies; a JSON list of dialogues.

- The roles are symmetric, so a dialogue is two trajectories of one group: each participant is the policy once.
- Offers are acts: a call where the policy makes them, the other's words where the other does.
- The first act that ends the talk (accept, walk away) and the offer that it answers are terminal, and all after them;
  points are recomputed from them.
- What the participants wanted, why, how old they are and how they judged each other never enters a turn.

Tests: ``tests/formats/readers/test_casino.py``. Reference: ``docs/reference/formats/casino.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Grade, Role, Trajectory, Turn

from ..canonical import canonical
from ..content import plain
from ..findings import Findings
from ..messages import WRITER_OF
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import MISSING, Label, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import decode, read_rows
from ..storage.sources import Source

SIDES: Final = ("mturk_agent_1", "mturk_agent_2")
_OFFER: Final = "Submit-Deal"
_ACCEPT: Final = "Accept-Deal"
_WALK: Final = "Walk-Away"
_ACTS: Final = frozenset({_OFFER, _ACCEPT, _WALK, "Reject-Deal"})
_COUNT: Final = re.compile(r"\d{1,3}", re.ASCII)
#: Points for a package of an issue by how much it is wanted, and for both where somebody walked away.
_WORTH: Final = {"High": 5, "Medium": 4, "Low": 3}
_WITHOUT_DEAL: Final = 5
_SATISFACTION: Final = {
    "Extremely dissatisfied": 1,
    "Slightly dissatisfied": 2,
    "Undecided": 3,
    "Slightly satisfied": 4,
    "Extremely satisfied": 5,
}
_UNDECIDED: Final = _SATISFACTION["Undecided"]
_LIKENESS: Final = {
    "Extremely dislike": 1,
    "Slightly dislike": 2,
    "Undecided": 3,
    "Slightly like": 4,
    "Extremely like": 5,
}


class Entry(msgspec.Struct, gc=False):
    """A message or an act."""

    text: Any = None
    task_data: Any = None
    id: Any = None


class CasinoDialogue(msgspec.Struct):
    """The parts of a dialogue that are read."""

    dialogue_id: Any = None
    chat_logs: list[Entry] | None = None
    participant_info: Any = None


_DECODER = msgspec.json.Decoder(CasinoDialogue)


class _Act(NamedTuple):
    """An entry as it was seen by both: who, what, the kind of act if it is one, and the role of one who is no side."""

    who: str
    text: str
    act: str | None
    role: Role | None


class _Person(NamedTuple):
    """What is known of a participant and enters no turn: wishes, points, and answers to the questions afterwards."""

    wishes: list[str]
    points: object
    satisfaction: int | None
    likeness: int | None


class _End(NamedTuple):
    """How a dialogue ended: deal or not (None if it has no end), from which entry on, and who got what."""

    deal: bool | None
    begin: int
    packages: Mapping[str, Mapping[str, int]]


class Casino:
    """Reader of CaSiNo dialogues."""

    name = "casino"
    left_out = (
        "reasons for priorities, demographics, personality",
        "strategy annotations",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Dialogues with chat logs whose entries carry data of the task."""
        return head.why_not("dialogue_id", "chat_logs", "chat_logs[].task_data")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read each dialogue as two trajectories, one for each participant."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    names: set[str] = set()
    for row in read_rows(source, findings):
        dialogue = decode(row, _DECODER, findings)
        if dialogue is None:
            continue
        if dialogue.chat_logs is None:
            findings.add("ROW_INVALID", row.at, found="no chat_logs", expected="a CaSiNo dialogue")
            continue
        name = key_of(dialogue.dialogue_id) or f"{source.label}#{row.position}"
        name = distinct(name, row.position, names, row.at, findings)
        yield from _runs(row.at, name, dialogue, options.roles, findings)


def _runs(
    at: str, name: str, dialogue: CasinoDialogue, roles: Mapping[str, Role], findings: Findings
) -> Iterator[Run]:
    """The dialogue as each participant's."""
    entries, info = dialogue.chat_logs or [], dialogue.participant_info
    acts = [_act(entry, f"{at} chat_logs[{step}]", roles, findings) for step, entry in enumerate(entries)]
    end = _end(acts, entries, at, findings)
    people = {side: _person(info, side) for side in SIDES}
    for side, other in (SIDES, SIDES[::-1]):
        own, theirs = people[side], people[other]
        points = _points(end, side, own.wishes)
        if points is not None and own.points not in (None, points):
            place, found = f"{at} {side}", canonical(own.points)
            findings.add("RECOMPUTED_DIFFERS", place, found=found, expected=f"{points} by the deal")
        known = own.wishes and theirs.wishes
        yield Run(
            format=Casino.name,
            at=at,
            id=f"{name}/{side}",
            task=f"{'>'.join(own.wishes)} against {'>'.join(theirs.wishes)}" if known else name,
            group=name,
            policy=side,
            turns=tuple(_turn(act, side, step, end) for step, act in enumerate(acts)),
            messages=dict(Counter(act.who for act in acts)),
            labels={
                "deal": Label(end.deal, "no accepted offer and no walk-away", "A"),
                "satisfied": _satisfied(own, "C"),
                "partner_satisfied": _satisfied(theirs, "B"),
            },
            label="deal",
            lookup=fields_of(
                {
                    "side": side,
                    "points": own.points,
                    "points_recomputed": points,
                    "satisfaction": own.satisfaction,
                    "partner_satisfaction": theirs.satisfaction,
                    "likeness": own.likeness,
                    "partner_likeness": theirs.likeness,
                }
            ),
        )


def _person(info: object, side: str) -> _Person:
    stored = fields_of({"info": info})
    outcomes = f"info.{side}.outcomes"
    points = stored(f"{outcomes}.points_scored")
    return _Person(
        _priorities(stored(f"info.{side}.value2issue")),
        None if points is MISSING else points,
        _level(_SATISFACTION, stored(f"{outcomes}.satisfaction")),
        _level(_LIKENESS, stored(f"{outcomes}.opponent_likeness")),
    )


def _satisfied(person: _Person, grade: Grade) -> Label:
    """What a participant said afterwards; what the policy says of itself is its own word."""
    if person.satisfaction is None:
        return Label(None, "no satisfaction recorded", grade)
    if person.satisfaction == _UNDECIDED:
        return Label(None, "undecided", grade)
    return Label(person.satisfaction > _UNDECIDED, grade=grade)


def _act(entry: Entry, at: str, roles: Mapping[str, Role], findings: Findings) -> _Act:
    """Words are an act only with the data that its button sends: typed words are a message."""
    who, text = plain(entry.id), plain(entry.text)
    role = None if who in SIDES else roles.get(who, "unknown")
    if role == "unknown" and who not in roles:
        findings.add("ROLE_UNKNOWN", at, found=who, expected=f"{' or '.join(SIDES)}, or --role NAME=ROLE")
    if text in _ACTS and entry.task_data:
        return _Act(who, f"{text} {canonical(entry.task_data)}", text, role)
    return _Act(who, text, None, role)


def _end(acts: list[_Act], entries: list[Entry], at: str, findings: Findings) -> _End:
    """The first act that ends the talk, with the offer that lies open before it."""
    last = next((place for place, act in enumerate(acts) if act.act in (_ACCEPT, _WALK)), None)
    if last is None:
        return _End(None, len(acts), {})
    offer = next((place for place in range(last - 1, -1, -1) if acts[place].act), last)
    answered = acts[offer].act == _OFFER and {acts[offer].who, acts[last].who} == set(SIDES)
    if acts[last].act == _WALK:
        return _End(False, offer if answered else last, {})
    if not answered:
        return _End(None, last, {})
    packages = _packages(acts[offer].who, entries[offer].task_data)
    if not packages:
        place, found = f"{at} chat_logs[{offer}]", acts[offer].text
        findings.add("OFFER_UNREADABLE", place, found=found, expected="a number for each issue")
    return _End(True, offer, packages)


def _packages(sender: str, offer: object) -> dict[str, dict[str, int]]:
    """What each side gets by an offer; nothing if it cannot be read. "You" is the sender."""
    fields = fields_of({"offer": offer})
    made: dict[str, dict[str, int]] = {}
    for side in SIDES:
        given = fields(f"offer.issue2{'you' if side == sender else 'they'}get")
        if not isinstance(given, dict):
            return {}
        texts = {issue: plain(count) for issue, count in given.items()}
        if not all(_COUNT.fullmatch(text) for text in texts.values()):
            return {}
        made[side] = {issue: int(text) for issue, text in texts.items()}
    return made


def _points(end: _End, side: str, wishes: list[str]) -> int | None:
    """Points by the accepted offer, those of the rules where somebody walked away; None if unknown."""
    if end.deal is False:
        return _WITHOUT_DEAL
    got = end.packages.get(side)
    if got is None or sorted(got) != sorted(wishes):
        return None
    return sum(worth * got[issue] for worth, issue in zip(_WORTH.values(), wishes, strict=True))


def _turn(act: _Act, side: str, step: int, end: _End) -> Turn:
    if act.role is not None:
        return Turn(act.role, WRITER_OF[act.role], act.text, step, act.act)
    mine = act.who == side
    role: Role = ("tool_call" if act.act else "assistant") if mine else "user"
    if step >= end.begin:
        role = "terminal"
    return Turn(role, "policy" if mine else "user", act.text, step, act.act, writer_source="field")


def _priorities(stored: object) -> list[str]:
    """The issues from the most to the least wanted; nothing if one is not said."""
    if not isinstance(stored, dict):
        return []
    issues = [issue for level in _WORTH if isinstance(issue := stored.get(level), str)]
    return issues if len(issues) == len(_WORTH) else []


def _level(table: Mapping[str, int], word: object) -> int | None:
    return table.get(word) if isinstance(word, str) else None
