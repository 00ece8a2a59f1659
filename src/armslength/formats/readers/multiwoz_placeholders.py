"""Whether a system that writes placeholders instead of values met a MultiWOZ goal.

- *inform*: for each domain but taxi, the rows that the state finds when a venue was last offered (a placeholder of a
  name, for a train of its id) all lie within the rows that the goal allows. A venue that the user names, and a train
  that the goal neither books nor wants the id of, need not be offered.
- *requests*: a placeholder of each requested slot occurs while its domain is spoken of. Parking, internet, stars and
  type are not asked for: not every system writes a placeholder of its own for them.

Tests: ``tests/formats/readers/test_multiwoz_predictions.py``.
Reference: ``docs/reference/formats/multiwoz_predictions.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..canonical import canonical
from .multiwoz_outcome import (
    DOMAINS,
    LOOKED_UP,
    Database,
    agrees,
    alternatives,
    as_list,
    as_object,
    goal_domains,
    normal,
)

#: Placeholders that answer a request, without ``value_`` and blanks.
ANSWERS: Final[Mapping[str, frozenset[str]]] = {
    "phone": frozenset({"phone"}),
    "address": frozenset({"address"}),
    "postcode": frozenset({"postcode"}),
    "area": frozenset({"area"}),
    "food": frozenset({"food"}),
    "price": frozenset({"price"}),
    "entrance fee": frozenset({"price", "fee"}),
    "pricerange": frozenset({"pricerange", "price"}),
    "trainID": frozenset({"id"}),
    "car type": frozenset({"car", "type"}),
    "leaveAt": frozenset({"leave", "leaveat", "time"}),
    "arriveBy": frozenset({"arrive", "arriveby", "time"}),
    "duration": frozenset({"duration", "time"}),
}

#: What the database has a column for, by what systems call it.
_COLUMNS: Final[Mapping[str, str]] = {
    "leave": "leaveAt",
    "leaveat": "leaveAt",
    "arrive": "arriveBy",
    "arriveby": "arriveBy",
    **{name: name for name in ("area", "departure", "destination", "food", "internet", "name", "parking")},
    **{name: name for name in ("pricerange", "stars", "type")},
}
_OPEN: Final = frozenset({"", "notmentioned", "none"})
_PLACEHOLDER: Final = re.compile(r"\[([^\[\]]+)\]")


class Answer(NamedTuple):
    """What a system wrote in one turn."""

    text: str
    state: Mapping[str, Any]
    active: Sequence[str] | None = None


class Offered(NamedTuple):
    """Which parts of a goal were met, and what was missing as ``domain/kind/slot``."""

    inform: bool
    requests: bool
    missing: tuple[str, ...]


class Finder:
    """The rows of a database that fit constraints, as their numbers.

    Systems and goals ask for the same values again and again, of columns with few values: each value of a column is
    compared once with each that is asked for.

    Args:
        database: rows by domain.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._columns: dict[tuple[str, str], list[tuple[object, set[int]]]] = {}
        self._fitting: dict[tuple[str, str, str], frozenset[int]] = {}

    def rows(self, domain: str, constraints: Mapping[str, Any]) -> frozenset[int]:
        """The rows of a domain that fit all constraints."""
        found = frozenset(range(len(self._database[domain])))
        for slot, value in constraints.items():
            key = (domain, slot, canonical(value))
            if key not in self._fitting:
                fitting = (rows for stored, rows in self._values(domain, slot) if agrees(slot, stored, value))
                self._fitting[key] = frozenset().union(*fitting)
            found &= self._fitting[key]
        return found

    def columns(self, domain: str) -> frozenset[str]:
        """What the rows of a domain have a value for."""
        return frozenset(self._database[domain][0] if self._database[domain] else ())

    def _values(self, domain: str, slot: str) -> list[tuple[object, set[int]]]:
        """The different values of a column with the rows that have them; a row without one has None."""
        if (domain, slot) not in self._columns:
            values: dict[str, tuple[object, set[int]]] = {}
            for number, row in enumerate(self._database[domain]):
                stored = row.get(slot)
                values.setdefault(canonical(stored), (stored, set()))[1].add(number)
            self._columns[domain, slot] = list(values.values())
        return self._columns[domain, slot]


def placeholders_met(goal: Mapping[str, Any], answers: Sequence[Answer], finder: Finder) -> Offered:
    """Compare a system's turns with a goal.

    Args:
        goal: as MultiWOZ gives it.
        answers: the system's turns, in order.
        finder: for a database with every domain of the goal but taxi.

    Returns:
        What was met.
    """
    slots = list(_slots_by_domain(answers))
    unmet: list[str] = []
    unanswered: list[str] = []
    for domain, wanted in goal_domains(goal):
        if domain in LOOKED_UP and not _fits(domain, wanted, answers, slots, finder):
            unmet.append(f"{domain}/no_offered_entity_fits")
        given = {slot for turn in slots for slot in turn.get(domain, ())}
        unanswered += [
            f"{domain}/request/{slot}"
            for slot in as_list(wanted.get("reqt"))
            if isinstance(slot, str) and slot in ANSWERS and not ANSWERS[slot] & given
        ]
    return Offered(not unmet, not unanswered, tuple(sorted({*unmet, *unanswered})))


def _slots_by_domain(answers: Iterable[Answer]) -> Iterator[dict[str, set[str]]]:
    """The placeholders of each turn by domain: the one that they name, else those that the turn is about."""
    before: Mapping[str, Any] = {}
    about: list[str] = []
    for answer in answers:
        changed = [domain for domain, slots in answer.state.items() if slots != before.get(domain)]
        about = list(answer.active) if answer.active is not None else changed or about
        before = answer.state
        slots: dict[str, set[str]] = {}
        for name in _PLACEHOLDER.findall(answer.text):
            prefix, _, rest = name.partition("_")
            domains = [prefix] if rest and prefix in DOMAINS else about
            for domain in domains:
                slots.setdefault(domain, set()).add(normal(rest or name))
        yield slots


def _fits(
    domain: str,
    wanted: Mapping[str, Any],
    answers: Sequence[Answer],
    slots: Sequence[Mapping[str, set[str]]],
    finder: Finder,
) -> bool:
    """Whether what was last offered lies within what the goal allows."""
    key = "id" if domain == "train" else "name"
    offered = False
    for answer, turn in zip(reversed(answers), reversed(slots), strict=True):
        if key not in turn.get(domain, ()):
            continue
        offered = True
        state = as_object(answer.state.get(domain))
        rows = finder.rows(domain, _constraints(domain, state, finder.columns(domain)))
        if rows:
            return any(rows <= finder.rows(domain, allowed) for allowed in alternatives(wanted))
    return not offered and not _must_offer(domain, wanted)


def _must_offer(domain: str, wanted: Mapping[str, Any]) -> bool:
    """Whether a goal can only be met by naming an entity: not where the user names it."""
    if domain == "train":
        return "book" in wanted or "trainID" in as_list(wanted.get("reqt"))
    return "name" not in as_object(wanted.get("info"))


def _constraints(domain: str, state: Mapping[str, Any], columns: frozenset[str]) -> dict[str, Any]:
    """What a state says of the columns of its domain."""
    constraints: dict[str, Any] = {}
    for slot, value in state.items():
        column = "day" if domain == "train" and slot == "day" else _COLUMNS.get(normal(slot))
        if column in columns and normal(value) not in _OPEN:
            constraints[column] = value
    return constraints
