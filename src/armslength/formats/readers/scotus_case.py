"""The file of a Supreme Court case: which party won, and for which party each advocate spoke.

- The label is the winning party's name compared with the parties' names; what does not compare is no label.
- An advocate's party is what his description says; only where it says nothing does the order of the sections count.
- A friend of the court who argues for the first party is neither its advocate nor evidence.

Tests: ``tests/formats/readers/test_scotus.py``. Reference: ``docs/reference/formats/scotus.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec

from ..findings import Findings
from ..runs import Label, key_of
from ..storage.beside import read_beside
from ..storage.sources import Source

#: ``friend``: a friend of the court who supports the first party, or does not say whom.
Side = Literal["first", "second", "friend"]

HEARING: Final = re.compile(r"-t\d{1,3}(?=\.|$)", re.ASCII)

_FIRST: Final = r"petitioner|appellant|plaintiff"
_SECOND: Final = r"respondent|appellee|defendant"
_SUPPORT: Final = r"\bsupport(?:ing|\s+of)\s+(?:the\s+)?"
#: The first that is found in a description decides.
_RULES: Final[tuple[tuple[re.Pattern[str], Side], ...]] = (
    (re.compile(rf"{_SUPPORT}(?:{_FIRST}|vacatur|reversal|neither)"), "friend"),
    (re.compile(rf"{_SUPPORT}(?:{_SECOND}|judgment\s+below)"), "second"),
    (re.compile(rf"\bamic.*(?:{_SECOND})|(?:{_SECOND}).*\bamic"), "second"),
    (re.compile(r"\bamic|\bintervenor$"), "friend"),
    (re.compile(_FIRST), "first"),
    (re.compile(_SECOND), "second"),
)


class Person(msgspec.Struct, gc=False):
    """An advocate or a speaker."""

    ID: Any = None
    name: Any = None
    identifier: Any = None

    @property
    def keys(self) -> tuple[str, ...]:
        """What the person is known by: files disagree on identifiers, and on spaces and points in names."""
        given = (("ID", key_of(self.ID)), ("id", key_of(self.identifier)))
        names = [f"{kind} {value}" for kind, value in given if value]
        return (*names, f"name {_bare(self.name)}") if _bare(self.name) else tuple(names)


class _Advocate(msgspec.Struct, gc=False):
    advocate: Person | None = None
    advocate_description: Any = None


class _Decision(msgspec.Struct, gc=False):
    winning_party: Any = None


class Case(msgspec.Struct):
    """The parts of a case that are read."""

    first_party: Any = None
    second_party: Any = None
    advocates: list[_Advocate | None] | None = None
    decisions: list[_Decision | None] | None = None


_DECODER = msgspec.json.Decoder(Case)


def read_case(hearing: Source, findings: Findings) -> Case | None:
    """The case of a hearing, from the file beside it; None with a finding if there is none that can be read."""
    name = HEARING.sub("", hearing.path.name, count=1)
    known = name != hearing.path.name
    if not known or not hearing.path.with_name(name).is_file():
        expected = f"a file {name} beside it" if known else "a name that ends in -t01"
        findings.add("CASE_MISSING", hearing.name, found="no file of the case", expected=expected)
        return None
    return read_beside(hearing, name, _DECODER, findings)


def label_of_case(case: Case) -> Label:
    """Whether the first party won."""
    if not case.decisions:
        return Label(None, "no_decision")
    winners = {
        decision.winning_party for decision in case.decisions if decision and _bare(decision.winning_party)
    }
    if not winners:
        return Label(None, "no_winner_named")
    found = {
        _is_first(_bare(winner), _bare(case.first_party), _bare(case.second_party)) for winner in winners
    }
    if len(found) > 1:
        return Label(None, "mixed")
    success = found.pop()
    return Label(success, None if success is not None else "unmatched")


def described_sides(case: Case) -> dict[str, Side]:
    """Sides by the keys of a person, where the description of an advocate says for whom he speaks."""
    sides: dict[str, Side | None] = {}
    for entry in case.advocates or []:
        if entry is None or entry.advocate is None or not isinstance(entry.advocate_description, str):
            continue
        side = _described(entry.advocate_description)
        for key in entry.advocate.keys:
            sides[key] = side if sides.setdefault(key, side) == side else None
    return {key: side for key, side in sides.items() if side is not None}


def sides_by_order(leads: Sequence[str | None], known: Mapping[str, Side]) -> dict[str, Side]:
    """Sides of advocates whom no description names, from whose section comes when.

    Args:
        leads: who spoke most in each section; None where no advocate is named.
        known: sides that descriptions gave.

    Returns:
        The one who opens, if no advocate of the first party is known; then the only other one, if none of the second
        party is known. Of two others one may be a friend of the court: neither is told.
    """
    made: dict[str, Side] = {}
    if len(leads) < 2:
        return made
    if leads[0] is not None and leads[0] not in known and "first" not in known.values():
        made[leads[0]] = "first"
    others = {lead for lead in leads if lead not in known and lead not in made}
    if len(others) == 1 and "second" not in known.values() and "first" in {*known.values(), *made.values()}:
        (other,) = others
        if other is not None:
            made[other] = "second"
    return made


def _described(description: str) -> Side | None:
    text = description.casefold()
    return next((side for pattern, side in _RULES if pattern.search(text)), None)


def _is_first(winner: str, first: str, second: str) -> bool | None:
    """Whether a winner is the first party: the same name, else one name inside the other; None if unclear."""
    if (winner == first) != (winner == second):
        return winner == first
    hits = [bool(party) and (winner in party or party in winner) for party in (first, second)]
    return hits[0] if hits[0] != hits[1] else None


def _bare(name: object) -> str:
    """A name without case, spaces and punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.casefold()) if isinstance(name, str) else ""
