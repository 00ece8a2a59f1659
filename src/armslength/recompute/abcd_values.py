"""The values that an agent enters with a button, against what the scenario says of the customer.

- The ontology names the slots of each button, and the values that a slot may have at all.
- A value is right if the scenario has it in a slot of the button, if the customer said it before, or if a slot of which
  the scenario says nothing may have it. It is unchecked if a slot of which nothing is known may have any value.

Tests: ``tests/recompute/test_abcd_flows.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

#: What the ontology calls a slot by what the scenario calls it.
_SLOTS: Final = {
    "member_level": "membership_level",
    "shipping_status": "shipping_option",
    "names": "product",
    "amounts": "amount",
}
#: Slots whose value is the question of the FAQ that the scenario is about: its subflow with a number.
_QUESTIONS: Final = ("single_item_query", "storewide_query")
_QUESTION: Final = re.compile(r".+_\d+", re.ASCII)
_NOT_WORD: Final = re.compile(r"[\W_]+")

#: The right values by slot, without case and punctuation.
Facts = Mapping[str, frozenset[str]]


class Ontology(NamedTuple):
    """The slots of each button, and the values of each slot that has a list of them."""

    slots: Mapping[str, Sequence[str]]
    listed: Mapping[str, frozenset[str]]


def read_ontology(stored: object) -> Ontology:
    """An ontology as its file has it; what is of another shape is left out."""
    fields = stored if isinstance(stored, dict) else {}
    values = fields.get("values")
    listed = dict(_lists(values.get("enumerable") if isinstance(values, dict) else None))
    return Ontology(
        {button: names for group in _objects(fields.get("actions")) for button, names in _lists(group)},
        {slot: frozenset(map(plain, texts)) for slot, texts in listed.items()},
    )


def facts_of(scenario: object, subflow: object) -> Facts:
    """What a scenario says, by slot."""
    facts: dict[str, frozenset[str]] = {}
    for group in _objects(scenario):
        for name, value in group.items():
            known = {plain(str(entry)) for entry in (value if isinstance(value, list) else [value])} - {""}
            if known:
                facts[_SLOTS.get(name, name)] = frozenset(known)
    if isinstance(subflow, str) and _QUESTION.fullmatch(subflow):
        facts |= dict.fromkeys(_QUESTIONS, frozenset({plain(subflow)}))
    return facts


def judge_value(
    value: str, slots: Sequence[str], ontology: Ontology, facts: Facts, heard: str
) -> bool | None:
    """Whether a value is right.

    Args:
        value: as it was entered.
        slots: of the button.
        ontology: of the corpus.
        facts: of the scenario.
        heard: what the customer said before, as `plain` makes it.

    Returns:
        None where nothing says so.
    """
    text = plain(value)
    if any(text in facts.get(slot, ()) for slot in slots) or f" {text} " in f" {heard} ":
        return True
    if any(text in ontology.listed.get(slot, ()) for slot in slots if slot in facts):
        return False
    unknown = [slot for slot in slots if slot not in facts]
    if any(text in ontology.listed.get(slot, ()) for slot in unknown):
        return True
    return None if not slots or any(slot not in ontology.listed for slot in unknown) else False


def plain(text: str) -> str:
    """A text without case, and with blanks for punctuation."""
    return _NOT_WORD.sub(" ", text.lower()).strip()


def _objects(stored: object) -> Iterator[dict[str, object]]:
    for value in stored.values() if isinstance(stored, dict) else ():
        if isinstance(value, dict):
            yield value


def _lists(stored: object) -> Iterator[tuple[str, list[str]]]:
    for name, value in stored.items() if isinstance(stored, dict) else ():
        if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            yield name, value
