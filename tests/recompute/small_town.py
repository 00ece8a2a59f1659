"""A small town with a database, and dialogues in MultiWOZ's format that meet a goal."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

DATABASE: dict[str, Any] = {
    "restaurant": [
        {"name": "The Blue Door", "area": "north", "food": "thai", "phone": "01000000001", "postcode": "ab12cd",
         "address": "1 Long Lane", "pricerange": "cheap"},
        {"name": "red gate", "area": "south", "food": "thai", "phone": "01000000002", "postcode": "ab12ce",
         "address": "2 Long Lane", "pricerange": "expensive"},
    ],
    "hotel": [{"name": "old mill", "area": "west", "stars": "4", "type": "guesthouse", "internet": "yes",
               "parking": "yes", "pricerange": "cheap", "phone": "01000000003"}],
    "attraction": [{"name": "glass house", "area": "centre", "type": "museum", "entrance fee": "5 pounds"}],
    "train": [
        {"trainID": "TR0001", "day": "monday", "leaveAt": "09:05", "arriveBy": "10:05", "duration": "60 minutes",
         "price": "9.50 pounds", "departure": "a", "destination": "b"},
        {"trainID": "TR0002", "day": "monday", "leaveAt": "17:05", "arriveBy": "18:05", "duration": "60 minutes",
         "price": "9.50 pounds", "departure": "a", "destination": "b"},
    ],
}  # fmt: skip
GOAL = {
    "restaurant": {
        "info": {"area": "north", "food": "thai"}, "reqt": ["phone", "postcode"],
        "book": {"people": "2", "day": "monday", "time": "18:00"},
    },
    "message": ["Go and eat."],
}  # fmt: skip
BOOKED = {
    "booked": [{"name": "blue door", "reference": "REF1"}],
    "people": "2",
    "day": "monday",
    "time": "18:00",
}


def metadata(
    semi: dict[str, Any], book: dict[str, Any] | None = None, domain: str = "restaurant"
) -> dict[str, Any]:
    """A state of one domain."""
    return {domain: {"semi": semi, "book": {"booked": [], **(book or {})}}}


#: What the wizard says and fills in, turn by turn.
SAID: list[tuple[str, dict[str, Any]]] = [
    ("How about the Blue Door?", metadata({"area": "north", "food": "thai"})),
    ("The phone is 01000000001.", metadata({"area": "north", "food": "thai", "name": "blue door"})),
    (
        "Booked, REF1. The postcode is AB1 2CD.",
        metadata({"area": "north", "food": "thai", "name": "blue door"}, BOOKED),
    ),
]


def dialogue(
    said: list[tuple[str, dict[str, Any]]] | None = None, goal: Any = None, acts: Any = None
) -> dict[str, Any]:
    """A dialogue; without acts, so nothing of them can enter an outcome unless a test puts them in."""
    log: list[dict[str, Any]] = []
    for text, state in copy.deepcopy(SAID if said is None else said):
        log += [
            {"text": "and then?", "metadata": {}},
            {"text": text, "metadata": state, "dialog_act": acts or {}},
        ]
    return {"goal": GOAL if goal is None else goal, "log": log}


def write_town(folder: Path, database: dict[str, Any] | None = None) -> None:
    """The database, in the corpus's layout."""
    for domain, rows in (DATABASE if database is None else database).items():
        path = folder / f"multiwoz/data/multiwoz/db/{domain}_db.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(rows))


def write_dialogues(folder: Path, *dialogues: dict[str, Any]) -> Path:
    """A file of dialogues beside the database."""
    path = folder / "multiwoz/data/multiwoz/test.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({f"SNG{number:04d}.json": talk for number, talk in enumerate(dialogues)}))
    return path
