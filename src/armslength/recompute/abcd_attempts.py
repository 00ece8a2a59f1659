"""Attempts at ABCD's flows that nobody made: conversations in the corpus's format, labelled synthetic.

Of each flow a correct attempt, one without a button, one with two buttons in the other order, one with a wrong value.
Five real conversations say little of a rule; these say whether it tells right from wrong, and nothing of people.

Tests: ``tests/recompute/test_abcd_flows.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from armslength.formats import digest

#: How the id of a synthetic conversation begins.
SYNTHETIC: Final = "synthetic-"

Press = tuple[str, list[str]]

_NAMES: Final = ("ada quill", "ben harrow", "cleo marsh", "dag lindt", "eva stone", "finn oakes", "gus tarn")
_LEVELS: Final = ("guest", "bronze", "silver", "gold")
_STATES: Final = ("in transit", "delivered", "order received", "out for delivery")


class SyntheticAttempt(NamedTuple):
    """A conversation that was made up.

    Attributes:
        kind: ``correct``, ``dropped``, ``swapped`` or ``wrong value``.
        complies: whether the flow is followed with right values.
        conversation: as the corpus's files hold it.
    """

    kind: str
    complies: bool
    conversation: dict[str, Any]


def synthetic_attempts(
    flows: Mapping[str, Sequence[str]], seed: int, *, slots: Mapping[str, Sequence[str]] | None = None
) -> list[SyntheticAttempt]:
    """Make attempts at flows.

    Args:
        flows: the buttons by intent, as ``kb.json`` has them.
        seed: other seeds drop, swap and change other things; the same one gives the same attempts.
        slots: the slots of each button, as `read_ontology` reads them; without them no value is entered.

    Returns:
        Up to four attempts of each flow: a flow of one button has no order, one without checked values no wrong one.
    """
    return [
        SyntheticAttempt(kind, kind == "correct", _conversation(intent, kind, scenario, presses))
        for intent, flow in sorted(flows.items())
        for scenario in [_scenario(f"{seed}/{intent}", intent)]
        for kind, presses in _variants(flow, scenario, f"{seed}/{intent}", slots or {})
    ]


def _variants(
    flow: Sequence[str], scenario: Mapping[str, Any], seed: str, slots: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, list[Press]]]:
    facts = _facts(scenario)
    right: list[Press] = [
        (button, [facts[slot] for slot in slots.get(button, ()) if slot in facts]) for button in flow
    ]
    yield "correct", right
    if right:
        place = _draw(f"{seed}/dropped", len(right))
        yield "dropped", right[:place] + right[place + 1 :]
    pairs = [place for place in range(len(right) - 1) if right[place][0] != right[place + 1][0]]
    if pairs:
        place = pairs[_draw(f"{seed}/swapped", len(pairs))]
        yield "swapped", [*right[:place], right[place + 1], right[place], *right[place + 2 :]]
    entered = [(place, number) for place, (_, values) in enumerate(right) for number in range(len(values))]
    if entered:
        place, number = entered[_draw(f"{seed}/wrong", len(entered))]
        button, values = right[place]
        other = _other(values[number])
        changed = (button, [*values[:number], other, *values[number + 1 :]])
        yield "wrong value", [*right[:place], changed, *right[place + 1 :]]


def _other(value: str) -> str:
    """A value of the same kind that is not this one: the next of its list, or one character more."""
    for listed in (_NAMES, _LEVELS, _STATES):
        if value in listed:
            return listed[(listed.index(value) + 1) % len(listed)]
    return f"{value}9"


def _scenario(seed: str, intent: str) -> dict[str, Any]:
    """A customer who does not exist; every value follows from the seed."""
    name = _NAMES[_draw(f"{seed}/name", len(_NAMES))]
    number = _draw(f"{seed}/number", 900_000) + 100_000
    user = f"{name.split(' ')[0]}{number}"
    street = f"{number % 9_000} sample ave"
    zip_code = f"{number % 90_000 + 10_000}"
    return {
        "personal": {
            "customer_name": name, "username": user, "email": f"{user}@example.com", "account_id": f"acc{number}",
            "phone": f"(555) 555-{number % 10_000:04d}", "member_level": _LEVELS[number % len(_LEVELS)],
        },
        "order": {
            "payment_method": "credit card", "order_id": f"{number}7{number % 1_000:03d}",
            "street_address": street, "zip_code": zip_code,
            "full_address": f"{street}  sampleton, zz {zip_code}", "shipping_status": _STATES[number % len(_STATES)],
        },
        "product": {"names": ["guess boots"], "amounts": [49]},
        "flow": "synthetic",
        "subflow": f"{intent}_1",
    }  # fmt: skip


def _facts(scenario: Mapping[str, Any]) -> dict[str, str]:
    """What an agent enters into a slot, by the slot's name in the ontology."""
    personal, order, question = scenario["personal"], scenario["order"], scenario["subflow"]
    return {
        **personal,
        **order,
        "membership_level": personal["member_level"],
        "shipping_option": order["shipping_status"],
        "product": scenario["product"]["names"][0],
        "amount": str(scenario["product"]["amounts"][0]),
        "single_item_query": question,
        "storewide_query": question,
    }


def _conversation(
    intent: str, kind: str, scenario: dict[str, Any], presses: Sequence[Press]
) -> dict[str, Any]:
    lines: list[tuple[str, str, list[Any]]] = [
        ("customer", "I have a question.", [intent, None, None, [], -1]),
        ("agent", "Let me look.", [intent, "retrieve_utterance", None, [], 0]),
        *(
            ("action", f"{button} was pressed.", [intent, "take_action", button, values, -1])
            for button, values in presses
        ),
        ("agent", "Goodbye.", [intent, "end_conversation", None, [], -1]),
    ]
    return {
        "convo_id": f"{SYNTHETIC}{intent}-{kind.replace(' ', '-')}",
        "scenario": scenario,
        "original": [[speaker, text] for speaker, text, _ in lines],
        "delexed": [
            {
                "speaker": speaker,
                "text": text.lower(),
                "turn_count": count,
                "targets": targets,
                "candidates": [],
            }
            for count, (speaker, text, targets) in enumerate(lines, 1)
        ],
    }


def _draw(seed: str, count: int) -> int:
    """A number below `count` that follows from the seed."""
    return int(digest(seed)[:12], 16) % count
