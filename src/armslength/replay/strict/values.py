"""Numbers: where the policy declares a formula, derive and compare; where it declares none, say so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from armslength.replay.chains import Indexes
from armslength.replay.formulas import (
    Declared,
    FormulaError,
    StepFacts,
    as_number,
    declared_formulas,
    nearest_double,
)
from armslength.replay.rows import Document, FeedbackRow, strings, text

from .sink import Sink

_DIFFERENCES = {
    "reliability_score": "RELIABILITY_NOT_RECONSTRUCTED",
    "belief_discrepancy": "DISCREPANCY_NOT_RECONSTRUCTED",
    "reward_value": "REWARD_VALUE_NOT_RECONSTRUCTED",
}
_SHORT = 12
RECOMPUTED, NOT_RECOMPUTED, DIFFERS = "value_recomputed", "value_not_recomputed", "value_differs"


@dataclass(slots=True)
class Values:
    """What recomputing the numbers gave.

    Attributes:
        declared: quantity → formula of the policy.
        rewards: per reward row, ``value_recomputed``, ``value_not_recomputed`` or ``value_differs``.
        not_recomputed: rows of each quantity that no formula covers.
        required: whether such rows block.
    """

    declared: dict[str, Declared] = field(default_factory=dict)
    rewards: list[str] = field(default_factory=list)
    not_recomputed: dict[str, int] = field(default_factory=dict)
    required: bool = False


def recompute_values(
    documents: Mapping[str, Document], indexes: Indexes, sink: Sink, *, require: bool
) -> Values:
    """Derive every number that a declared formula covers, and compare.

    Args:
        documents: the eight positive files by name.
        indexes: the rows of them, joined.
        sink: takes VALUE_FORMULA_UNKNOWN, VALUE_FORMULA_ARGUMENTS, RELIABILITY_NOT_RECONSTRUCTED,
            DISCREPANCY_NOT_RECONSTRUCTED, REWARD_VALUE_NOT_RECONSTRUCTED, ALIGNMENT_NOT_RECONSTRUCTED and,
            where `require` is set, VALUE_NOT_RECOMPUTED.
        require: block what cannot be recomputed.

    Numbers are compared as doubles: a row's number must be the one nearest to the exact rational.
    """
    policy = documents["reward_policy.json"].value
    found = policy.get("value_formulas", {}) if isinstance(policy, dict) else {}
    try:
        declared = declared_formulas(found)
    except FormulaError as error:
        sink.file(error.code, "reward_policy.json", error.field.replace(".", "/"), str(error))
        declared = {}
    if "reward_value" in declared:
        declared.setdefault("outcome_reward_value", declared["reward_value"])
    values = Values(declared, required=require)
    _feedback(documents["verifier_feedback.json"], indexes, values, sink)
    _beliefs(documents["belief_states.json"], indexes, values, sink)
    _rewards(documents["reward_events.json"], indexes, values, sink)
    _alignment(documents["trajectory_groups.json"], indexes, values, sink)
    return values


def _feedback(document: Document, indexes: Indexes, values: Values, sink: Sink) -> None:
    formula = values.declared.get("reliability_score")
    if formula is None:
        _uncovered(document, range(len(document.rows)), "reliability_score", values, sink)
        return
    known: dict[str, Fraction] = {}
    for index, row in enumerate(indexes.rows[document.name]):
        kind = text(row.feedback_kind)
        if kind not in known:
            known[kind] = formula.value(StepFacts(feedback_kind=kind))
        derived = known[kind]
        if not _agrees(row.reliability_score, derived):
            _differs(document, index, "reliability_score", derived, sink)


def _beliefs(document: Document, indexes: Indexes, values: Values, sink: Sink) -> None:
    formula = values.declared.get("belief_discrepancy")
    if formula is None:
        _uncovered(document, range(len(document.rows)), "belief_discrepancy", values, sink)
        return
    for index, row in enumerate(indexes.rows[document.name]):
        feedback = indexes.feedback_rows.get(row.feedback_ref)
        evidence = feedback.evidence_refs if feedback is not None else []
        facts = StepFacts(
            predicted=frozenset(strings(row.predicted_next_evidence)), evidence=frozenset(evidence)
        )
        derived = formula.value(facts)
        if not _agrees(row.belief_discrepancy, derived):
            _differs(document, index, "belief_discrepancy", derived, sink)


def _rewards(document: Document, indexes: Indexes, values: Values, sink: Sink) -> None:
    formulas = {
        "process": values.declared.get("reward_value"),
        "outcome": values.declared.get("outcome_reward_value"),
    }
    values.rewards = [NOT_RECOMPUTED] * len(document.rows)
    known: dict[tuple[Any, ...], Fraction] = {}  # many steps state the same few numbers
    left = []
    feedback_rows, nothing = indexes.feedback_rows, FeedbackRow()
    for index, row in enumerate(indexes.rows[document.name]):
        formula = formulas.get(text(row.reward_kind))
        if formula is None:
            left.append(index)
            continue
        feedback = feedback_rows.get(row.verifier_feedback_ref, nothing)
        stated = (feedback.reliability_score, row.belief_discrepancy)
        numbers = tuple(number if type(number) in (int, float) else None for number in stated)
        paid = _process_values(row.trajectory_group_id, indexes) if row.reward_kind == "outcome" else ()
        key = (formula.name, text(feedback.feedback_kind), *numbers, *map(type, numbers), paid)
        derived = known.get(key)
        if derived is None:
            reliability, discrepancy = (as_number(number) or Fraction(0) for number in numbers)
            facts = StepFacts(text(feedback.feedback_kind), reliability, discrepancy, process_values=paid)
            derived = known[key] = formula.value(facts)
        agrees = _agrees(row.reward_value, derived)
        values.rewards[index] = RECOMPUTED if agrees else DIFFERS
        if not agrees:
            _differs(document, index, "reward_value", derived, sink)
    _uncovered(document, left, "reward_value", values, sink)
    if "belief_discrepancy" in values.declared:
        _outcome_discrepancy(document, indexes, sink)


def _outcome_discrepancy(document: Document, indexes: Indexes, sink: Sink) -> None:
    """Where discrepancies are derived, a reward states that of the belief it cites (the format asks process only)."""
    for index, row in enumerate(indexes.rows[document.name]):
        belief = indexes.beliefs.get(row.belief_state_id)
        if belief is not None and row.belief_discrepancy != belief.belief_discrepancy:
            message = "the discrepancy is not that of the cited belief"
            sink.row("DISCREPANCY_NOT_RECONSTRUCTED", document, index, "belief_discrepancy", message)


def _alignment(document: Document, indexes: Indexes, values: Values, sink: Sink) -> None:
    formula = values.declared.get("reward_alignment")
    if formula is None:
        _uncovered(document, range(len(document.rows)), "reward_alignment", values, sink)
        return
    for index, row in enumerate(indexes.rows[document.name]):
        outcome = indexes.rewards.get(row.outcome_reward_ref)
        number = as_number(outcome.reward_value) if outcome is not None else None
        facts = StepFacts(
            process_values=_process_values(row.trajectory_group_id, indexes),
            outcome_value=number or Fraction(0),
        )
        if number is None or (formula.value(facts) == 1) is not (row.reward_alignment == "aligned"):
            message = f"{formula.name} does not give this label"
            sink.row("ALIGNMENT_NOT_RECONSTRUCTED", document, index, "reward_alignment", message)


def _process_values(trajectory_id: str, indexes: Indexes) -> tuple[Fraction, ...]:
    """The process rewards that a trajectory lists, in its order, as rationals."""
    trajectory = indexes.trajectories.get(trajectory_id)
    refs = trajectory.process_reward_refs if trajectory is not None else []
    numbers = (as_number(indexes.rewards[ref].reward_value) for ref in refs if ref in indexes.rewards)
    return tuple(number for number in numbers if number is not None)


def _agrees(stated: Any, derived: Fraction) -> bool:
    try:
        return type(stated) in (int, float) and bool(stated == nearest_double(derived))
    except OverflowError:  # beyond every double
        return False


def _differs(document: Document, index: int, key: str, derived: Fraction, sink: Sink) -> None:
    message = f"the declared formula gives {_readable(derived)}, the row states another number"
    sink.row(_DIFFERENCES[key], document, index, key, message)


def _readable(value: Fraction) -> str:
    """A short fraction as it is, a long one as the number that the row should hold."""
    try:
        written = str(value)
        return written if len(written) <= _SHORT else repr(nearest_double(value))
    except (ValueError, OverflowError):  # more digits than the interpreter prints, or beyond every double
        return "a number too long to show"


def _uncovered(document: Document, rows: Any, key: str, values: Values, sink: Sink) -> None:
    values.not_recomputed[key] = len(rows)
    if values.required:
        for index in rows:
            message = f"no declared formula covers {key}, and values are required"
            sink.row("VALUE_NOT_RECOMPUTED", document, index, key, message)
