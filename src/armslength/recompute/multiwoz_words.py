"""What a MultiWOZ wizard told in words: entities of the database that he named, and slots to which he gave a value.

- An entity is told by its name in the text, a train by its id. A slot is told by the value that a named, booked or else
  a fitting row has in it.
- Words that a wizard uses to ask as well (areas, kinds of food, parking) count in sentences that are no questions.
- Names and values are compared without case, punctuation, leading zeros and British spelling.

Tests: ``tests/recompute/test_multiwoz_words.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from armslength.formats.dialogues import multiwoz_outcome as rules

_NOT_WORD: Final = re.compile(r"[\W_]+")
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s+")
_AFTERNOON: Final = re.compile(r"\b(\d{1,2})\s*:\s*(\d{2})\s*(am|pm|a\.m\.?|p\.m\.?)(?=\W|$)", re.ASCII)
_NUMBERS: Final = {
    name: str(number)
    for number, name in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    )
}
_SPELLINGS: Final = {
    "center": "centre",
    "theater": "theatre",
    "guest house": "guesthouse",
    "moderately": "moderate",
    "inexpensive": "cheap",
}
_TRAIN: Final = re.compile(r"\btr\d{4}\b", re.ASCII)
_MONEY: Final = re.compile(r"[£$]\s*\d|\d\s*(?:gbp|pounds?|euros?|dollars?)\b", re.ASCII)
_DURATION: Final = re.compile(r"\b\d+\s*-?\s*(?:minutes?|mins?|hours?|hrs?)\b", re.ASCII)
#: Slots whose value has a form of its own: any such value counts, since prices and durations add up and are rounded.
_FORMS: Final = {"price": _MONEY, "duration": _DURATION, "trainID": _TRAIN}
#: A table is held for some minutes, which is no journey's duration.
_TABLE: Final = re.compile(r"\btable|\breserved|\bhold")
_PHONE: Final = re.compile(r"\b\d{10,11}\b", re.ASCII)
#: What says something of a slot whose values no row tells apart.
_MENTIONS: Final = {
    "internet": ("internet", "wifi", "wi fi"),
    "parking": ("parking", "park your"),
    "entrance fee": ("entrance", "admission", "fee", "free", "pounds", "pound"),
}
#: Slots whose value belongs to one entity: the words need not name it.
_OF_ONE: Final = ("phone", "postcode", "address")
#: Slots whose value stands in the text as the row has it.
_AS_STORED: Final = ("area", "food", "pricerange", "type")
_COLOURS: Final = ("black", "white", "red", "yellow", "blue", "grey")
_CARS: Final = ("toyota", "skoda", "bmw", "honda", "ford", "audi", "lexus", "volvo", "volkswagen", "tesla")


class Words:
    """What a wizard said, in the forms in which it is searched.

    Args:
        texts: of the wizard, in order.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        lowered = [_in_full(text.lower()) for text in texts]
        sentences = [sentence for text in lowered for sentence in _SENTENCE.split(text)]
        self.raw = "\n".join(lowered)
        self.all = f" {plain(self.raw)} "
        self.stated = f" {plain(' '.join(s for s in sentences if not s.rstrip().endswith('?')))} "
        self.squeezed = _NOT_WORD.sub("", self.raw)
        self.of_travel = "\n".join(s for s in sentences if not _TABLE.search(s))

    def say(self, value: object, *, stated: bool = False) -> bool:
        """Whether a value stands in the text, in a sentence that is no question if `stated`."""
        text = plain(str(value))
        return bool(text) and f" {text} " in (self.stated if stated else self.all)


def told_by_words(
    goal: Mapping[str, Any], state: Mapping[str, Any], words: Words, database: rules.Database
) -> dict[str, rules.Told]:
    """What was told of each domain of a goal.

    Args:
        goal: as MultiWOZ gives it.
        state: what is filled in at the end; it says which entity is spoken of where the words name none.
        words: of the wizard.
        database: rows of every domain of the goal but taxi.
    """
    return {
        domain: _told(domain, wanted, rules.as_object(state.get(domain)), words, database.get(domain, ()))
        for domain, wanted in rules.goal_domains(goal)
    }


def due_rows(
    goal: Mapping[str, Any], state: Mapping[str, Any], words: Words, database: rules.Database, domain: str
) -> list[Mapping[str, Any]]:
    """The rows whose values should have been told: those that are spoken of, else those that fit the goal."""
    wanted, last = rules.as_object(goal.get(domain)), rules.as_object(state.get(domain))
    rows = database.get(domain, ())
    return _chosen(domain, wanted, last, _named(domain, words, rows), rows)


def plain(text: str) -> str:
    """A text in small letters without punctuation, leading zeros and differences of spelling."""
    words = _NOT_WORD.sub(" ", text.lower().replace("&", " and ")).split()
    made = " ".join(
        word.lstrip("0") or "0" if word.isdecimal() else _NUMBERS.get(word, word) for word in words
    )
    for other, ours in _SPELLINGS.items():
        made = made.replace(other, ours)
    return made


def _told(
    domain: str,
    wanted: Mapping[str, Any],
    last: Mapping[str, Any],
    words: Words,
    rows: Sequence[Mapping[str, Any]],
) -> rules.Told:
    named = _named(domain, words, rows)
    chosen = _chosen(domain, wanted, last, named, rows)
    asked = [slot for slot in rules.as_list(wanted.get("reqt")) if isinstance(slot, str)]
    booked = rules.as_list(rules.as_object(last.get("book")).get("booked"))
    given = [slot for slot in asked if _gives(slot, words, rows if slot in _OF_ONE else [*chosen, *booked])]
    if domain == "taxi" and "phone" in asked and _PHONE.search(words.raw):
        given.append("phone")
    return rules.Told(named, frozenset(given))


def _named(domain: str, words: Words, rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The entities of a domain whose names stand in the words."""
    if domain == "train":
        return frozenset(_TRAIN.findall(words.raw))
    names = (str(row.get("name")) for row in rows)
    return frozenset(rules.normal(name) for name in names if words.say(_plain_name(name)))


def _chosen(
    domain: str,
    wanted: Mapping[str, Any],
    last: Mapping[str, Any],
    named: frozenset[str],
    rows: Sequence[Mapping[str, Any]],
) -> list[Mapping[str, Any]]:
    """The rows that are named, booked or filled in; where none is, those that fit the goal."""
    key = rules.key_slot(domain)
    filled = rules.normal(rules.as_object(last.get("semi")).get(key, ""))
    spoken_of = named | rules.booked_names(domain, last) | {filled}
    chosen = [row for row in rows if rules.normal(row.get(key)) in spoken_of]
    allowed = rules.alternatives(wanted)
    return chosen or [row for row in rows if any(rules.fits(row, limits) for limits in allowed)]


@lru_cache(maxsize=1 << 12)
def _plain_name(name: str) -> str:
    return name.lower().removeprefix("the ")


def _gives(slot: str, words: Words, rows: Iterable[object]) -> bool:
    """Whether the words give a value to a slot: the one of a row, or one that can only be meant so."""
    if slot in _MENTIONS:
        return any(words.say(mention, stated=True) for mention in _MENTIONS[slot])
    if slot == "car type":
        return any(words.say(car) for car in _CARS) or any(words.say(f"{colour} car") for colour in _COLOURS)
    if slot in _FORMS:
        return _FORMS[slot].search(words.of_travel) is not None
    values = {str(row.get(slot) or "") for row in rows if isinstance(row, Mapping)} - {"", "?"}
    return any(_says_value(slot, value, words) for value in values)


def _says_value(slot: str, value: str, words: Words) -> bool:
    if slot in ("phone", "postcode"):
        return _NOT_WORD.sub("", value.lower()) in words.squeezed
    if slot == "address":
        parts = [plain(part) for part in value.split(",")]
        return any(words.say(part) for part in parts if " " in part or len(parts) == 1)
    if slot == "stars":
        return any(words.say(form) for form in (f"{value} star", f"{value} stars", f"rating of {value}"))
    return words.say(value, stated=slot in _AS_STORED)


def _in_full(text: str) -> str:
    """Times of the afternoon as the database writes them."""

    def full(match: re.Match[str]) -> str:
        hour = int(match[1])
        late = match[3].startswith("p") and hour < 12
        return f"{hour + 12 if late else hour}:{match[2]} "

    return _AFTERNOON.sub(full, text)
