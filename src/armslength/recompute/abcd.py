"""ABCD: whether the agent pressed the buttons of the intent's flow in their order, with right values.

- The flow is that of ``kb.json``; values are checked where ``ontology.json`` lies beside it, and a note says where not.
- The corpus declares nothing: an outcome stands alone, but for attempts that `synthetic_attempts` makes of the flows.
- ``kb.json`` flattens the branches of the guidelines (by membership level, by policy): who shortens a flow with good
  reason fails here.

Tests: ``tests/recompute/test_abcd_flows.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from armslength.formats.dialogues import abcd_flows
from armslength.records import Trajectory

from .abcd_attempts import SYNTHETIC
from .abcd_values import Ontology, facts_of, judge_value, plain, read_ontology
from .calls import Call, calls_of
from .environment import Environment, Unavailable
from .protocol import Recomputed, is_of
from .state import ABSENT, Difference

_FLOWS: Final = ("kb.json", "data/kb.json")
_ONTOLOGY: Final = ("ontology.json", "data/ontology.json")
#: The notes of a verdict.
UNCHECKED: Final = "no ontology.json: values are not checked"
MADE_UP: Final = "synthetic attempt"


class Abcd:
    """Recomputes conversations of ABCD."""

    name = "abcd"

    def handles(self, trajectory: Trajectory) -> bool:
        """Conversations that the reader of ABCD read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The flow and the values by the pressed buttons."""
        stated = _stated(trajectory, environment)
        required = _flow(stated.get("intent"), environment)
        calls = calls_of(trajectory.turns)
        pressed = [call.name for call in calls]
        met = abcd_flows.compliance(required, pressed)
        wrong = [
            Difference(f"flow/{place}", required[place], _instead(required[place], pressed))
            for place in met.unmatched
        ]
        ontology = environment.once("abcd ontology", lambda: _ontology(environment))
        counts = Counter({"buttons": len(calls)})
        values = list(_values(trajectory, calls, stated, ontology)) if ontology else []
        for value in values:
            counts[{True: "values right", False: "values wrong", None: "values unchecked"}[value.right]] += 1
        wrong += [
            Difference(value.at, value.expected, value.text) for value in values if value.right is False
        ]
        notes = [MADE_UP] if trajectory.id.startswith(SYNTHETIC) else []
        notes += [] if ontology else [UNCHECKED]
        return Recomputed(success=not wrong, differences=tuple(wrong), calls=counts, notes=tuple(notes))


class _Value(NamedTuple):
    """A value that was entered, what the scenario says instead, and whether it is right."""

    at: str
    text: str
    expected: object
    right: bool | None


def _stated(trajectory: Trajectory, environment: Environment) -> Mapping[str, Any]:
    key = trajectory.origin.task_digest if trajectory.origin else None
    stated = environment.stated.get(key or "")
    if not isinstance(stated, Mapping):
        raise Unavailable("scenario unknown")
    return stated


def _flow(intent: object, environment: Environment) -> Sequence[str]:
    """The buttons that the intent asks for.

    Raises:
        Unavailable: there is no ``kb.json``, or it has no flow for the intent.
    """
    flows = environment.once("abcd flows", lambda: environment.nearby(*_FLOWS))
    if intent is None:
        raise Unavailable("no intent")
    flow = flows.get(intent) if isinstance(flows, dict) else None
    if not isinstance(flow, list) or not all(isinstance(button, str) for button in flow):
        raise Unavailable("intent without a flow")
    return flow


def _ontology(environment: Environment) -> Ontology | None:
    try:
        return read_ontology(environment.nearby(*_ONTOLOGY))
    except Unavailable:
        return None


def _instead(button: str, pressed: Sequence[str]) -> object:
    return f"{button} in another order" if button in pressed else ABSENT


def _values(
    trajectory: Trajectory, calls: Sequence[Call], stated: Mapping[str, Any], ontology: Ontology
) -> Iterator[_Value]:
    """Every value that was entered with a button."""
    facts = facts_of(stated.get("scenario"), stated.get("subflow"))
    for place, call in enumerate(calls):
        given = (call.arguments or {}).get("values")
        slots = ontology.slots.get(call.name, ())
        heard = " ".join(
            plain(turn.text) for turn in trajectory.turns if turn.writer == "user" and turn.step < call.step
        )
        known = sorted({value for slot in slots for value in facts.get(slot, ())})
        for number, value in enumerate(given if isinstance(given, list) else ()):
            text = value if isinstance(value, str) else str(value)
            right = judge_value(text, slots, ontology, facts, heard)
            yield _Value(f"buttons/{place}/{call.name}/values/{number}", text, known, right)
