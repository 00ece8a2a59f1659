"""Whether a MultiWOZ dialogue met its goal, from the last state, the system's acts and the database.

- *booked*: each booking of the goal stands in the last state with the wanted people, day, time and stay.
- *inform*: in each domain some offered entity of the database fits the goal.
- *requests*: each requested slot was given by an act of the system in that domain.

A value may be the goal's own or the one that the user was told to try first (``fail_info``, ``fail_book``).

Tests: ``tests/formats/readers/test_multiwoz.py``. Reference: ``docs/reference/formats/multiwoz.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

#: Rows by domain.
Database = Mapping[str, Sequence[Mapping[str, Any]]]

DOMAINS: Final = ("restaurant", "hotel", "attraction", "train", "taxi")
#: Domains whose entities are in the database.
LOOKED_UP: Final = DOMAINS[:4]

#: What the acts call a requested slot.
ACT_SLOTS: Final = {
    "phone": "Phone",
    "address": "Addr",
    "postcode": "Post",
    "entrance fee": "Fee",
    "duration": "Time",
    "price": "Ticket",
    "leaveAt": "Leave",
    "arriveBy": "Arrive",
    "trainID": "Id",
    "car type": "Car",
    "stars": "Stars",
    "parking": "Parking",
    "internet": "Internet",
    "food": "Food",
    "pricerange": "Price",
    "area": "Area",
    "type": "Type",
}

_BOOKING_SLOTS: Final = ("people", "day", "time", "stay")
_ANY: Final = frozenset({"dontcare", "dontmind", "donotcare", "doesntmatter", "any", "anywhere"})
_NOT_WORD: Final = re.compile(r"[\W_]+")
_TIME: Final = re.compile(r"\s*(\d{1,2})\s*:\s*(\d{2})\s*")


class Told(NamedTuple):
    """What the system told of a domain.

    Attributes:
        named: entities (of trains the ids), as `normal` makes them.
        given: the slots to which it gave a value, as goals call them.
    """

    named: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


class Met(NamedTuple):
    """Which parts of a goal were met, and what was missing as ``domain/kind/slot``."""

    booked: bool
    inform: bool
    requests: bool
    missing: tuple[str, ...]


def goal_met(
    goal: Mapping[str, Any], state: Mapping[str, Any], acts: Iterable[object], database: Database
) -> Met:
    """Compare a dialogue with its goal.

    Args:
        goal: as the file gives it; domains that are empty or unknown are no part of it.
        state: what the last turn of the system holds by domain (``semi``, ``book``).
        acts: the acts of each turn of the system, by name.
        database: rows of every domain of the goal but taxi.

    Returns:
        What was met.
    """
    pairs = [pair for turn in acts for pair in as_object(turn).items()]
    return goal_met_by(goal, state, {domain: _told(domain, pairs) for domain in DOMAINS}, database)


def goal_met_by(
    goal: Mapping[str, Any], state: Mapping[str, Any], told: Mapping[str, Told], database: Database
) -> Met:
    """Compare what was told and booked with a goal, whatever says what was told.

    Args:
        goal: as the file gives it.
        state: what is filled in at the end, by domain.
        told: by domain.
        database: rows of every domain of the goal but taxi.

    Returns:
        What was met.
    """
    kinds: tuple[list[str], list[str], list[str]] = ([], [], [])
    for domain, wanted in goal_domains(goal):
        last = as_object(state.get(domain))
        kinds[0].extend(f"{domain}/{what}" for what in _unbooked(wanted, last))
        here = told.get(domain, Told())
        if domain in LOOKED_UP and not _is_offered(
            domain, wanted, last, here.named, database.get(domain, ())
        ):
            kinds[1].append(f"{domain}/no_offered_entity_fits")
        kinds[2].extend(
            f"{domain}/request/{slot}" for slot in as_list(wanted.get("reqt")) if str(slot) not in here.given
        )
    missing = tuple(sorted(dict.fromkeys(what for kind in kinds for what in kind)))
    return Met(not kinds[0], not kinds[1], not kinds[2], missing)


def goal_domains(goal: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The domains of a goal with what is wanted in them."""
    found = [(domain, as_object(goal.get(domain))) for domain in DOMAINS]
    return [(domain, wanted) for domain, wanted in found if wanted]


def alternatives(wanted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The constraints that an entity may satisfy: the goal's, or those that the user was told to try first."""
    info, first = as_object(wanted.get("info")), as_object(wanted.get("fail_info"))
    return [info, {**info, **first}] if first else [info]


def fits(row: Mapping[str, Any], constraints: Mapping[str, Any]) -> bool:
    """Whether a row of the database satisfies all constraints."""
    return all(agrees(slot, row.get(slot), value) for slot, value in constraints.items())


def agrees(slot: str, stored: object, wanted: object) -> bool:
    """Whether a value of the database satisfies what is wanted of its slot; times are limits."""
    if is_any(wanted):
        return True
    if slot in ("arriveBy", "leaveAt"):
        have, limit = _minutes(stored), _minutes(wanted)
        if have is None or limit is None:
            return normal(stored) == normal(wanted)
        return have <= limit if slot == "arriveBy" else have >= limit
    return _yes(normal(stored)) == _yes(normal(wanted))


def normal(value: object) -> str:
    """A value without case, blanks, punctuation and leading article."""
    return _normal(value if type(value) is str else str(value))


@lru_cache(maxsize=1 << 16)
def _normal(text: str) -> str:
    return _NOT_WORD.sub("", text.lower().strip().removeprefix("the ").replace("&", "and"))


def is_any(value: object) -> bool:
    """Whether a constraint leaves its slot open."""
    return normal(value) in _ANY


def as_object(value: object) -> dict[str, Any]:
    """The object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def why_no_label(goal: Mapping[str, Any], database: Database) -> str | None:
    """Why success cannot be recomputed, or None if it can."""
    domains = [domain for domain, _ in goal_domains(goal)]
    if not domains:
        return "no goal"
    missing = [domain for domain in domains if domain in LOOKED_UP and domain not in database]
    if missing:
        return f"no database of {', '.join(missing)}"
    asked = {str(slot) for _, wanted in goal_domains(goal) for slot in as_list(wanted.get("reqt"))}
    unknown = sorted(asked - ACT_SLOTS.keys())
    return f"unknown request {', '.join(unknown)}" if unknown else None


def booked_names(domain: str, last: Mapping[str, Any]) -> frozenset[str]:
    """The entities that are booked in a domain, as `normal` makes them."""
    booked = as_list(as_object(last.get("book")).get("booked"))
    key = key_slot(domain)
    return frozenset(normal(entry[key]) for entry in booked if isinstance(entry, dict) and entry.get(key))


def key_slot(domain: str) -> str:
    """The column that names an entity of a domain."""
    return "trainID" if domain == "train" else "name"


def _told(domain: str, pairs: Sequence[tuple[str, object]]) -> Told:
    """What the system's acts say of a domain; those of booking name no domain and count in each but train."""
    slot, prefixes = ("Id", (f"{domain}-",)) if domain == "train" else ("Name", (f"{domain}-", "booking-"))
    named = (
        normal(value)
        for name, items in pairs
        if name.lower().startswith(prefixes)
        for given, value in _pairs(items)
        if given == slot
    )
    given = {slot for name, items in pairs if _informs(name, domain) for slot in _given(items)}
    return Told(frozenset(named), frozenset(slot for slot, act in ACT_SLOTS.items() if act in given))


def _unbooked(wanted: Mapping[str, Any], last: Mapping[str, Any]) -> Iterator[str]:
    book, first = as_object(wanted.get("book")), as_object(wanted.get("fail_book"))
    if not book:
        return
    made = as_object(last.get("book"))
    if not made.get("booked"):
        yield "not_booked"
    for slot in _BOOKING_SLOTS:
        allowed = {normal(source[slot]) for source in (book, first) if slot in source}
        if allowed and normal(made.get(slot, "")) not in allowed:
            yield f"book_slot/{slot}"


def _is_offered(
    domain: str,
    wanted: Mapping[str, Any],
    last: Mapping[str, Any],
    named: frozenset[str],
    rows: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether an entity that was booked, or else one that was named, fits the goal."""
    key, names = key_slot(domain), booked_names(domain, last)
    if not names:
        names = named
        if domain != "train":
            names |= {normal(as_object(last.get("semi")).get("name", ""))}
        elif not names and "book" not in wanted and "trainID" not in as_list(wanted.get("reqt")):
            return True
    choices = alternatives(wanted)
    return any(
        normal(row.get(key)) in names and any(fits(row, constraints) for constraints in choices)
        for row in rows
    )


def _informs(name: str, domain: str) -> bool:
    """Whether an act may give slots of a domain; acts of booking name no domain and count in each."""
    spoken, _, kind = name.lower().partition("-")
    return spoken in (domain, "booking") and kind != "request"


def _given(items: object) -> Iterator[str]:
    return (slot for slot, value in _pairs(items) if value != "?")


def _pairs(items: object) -> Iterator[tuple[str, Any]]:
    for item in as_list(items):
        if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
            yield item[0], item[1]


def _yes(text: str) -> str:
    return "yes" if text == "free" else text


def _minutes(value: object) -> int | None:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) * 60 + int(match[2]) if match else None
