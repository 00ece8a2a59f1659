"""The closed registry of rational formulas from which a policy may declare that numbers are derived.

A policy file in the reference format may hold ``value_formulas``: quantity → ``{"name": …, "args": {…}}``.
Quantities and names are looked up here and nowhere else; there is no expression language. Everything is
computed in exact rationals of the decimal text of the row's numbers, and a row's number must be the double
nearest to the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

# 3/8, 0.95, 1e-3: short enough that nobody waits for the digits of 1e30000000.
_RATIONAL = re.compile(r"[+-]?[0-9]{1,60}(/[0-9]{1,60}|(\.[0-9]{1,60})?([eE][+-]?[0-9]{1,3})?)")
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """What a formula may read: the recorded facts that one number follows from.

    Attributes:
        feedback_kind: kind of the cited feedback.
        reliability: reliability of the cited feedback.
        discrepancy: belief discrepancy of the step.
        predicted: references of the evidence that the belief predicted.
        evidence: references of the evidence that the cited feedback read.
        process_values: the process rewards of the trajectory, in its order.
        outcome_value: the outcome reward of the trajectory.
    """

    feedback_kind: str = ""
    reliability: Fraction = ZERO
    discrepancy: Fraction = ZERO
    predicted: frozenset[str] = frozenset()
    evidence: frozenset[str] = frozenset()
    process_values: tuple[Fraction, ...] = ()
    outcome_value: Fraction = ZERO


Formula = Callable[[StepFacts, Mapping[str, Fraction]], Fraction]


class FormulaError(ValueError):
    """A declaration names no formula of the registry, or gives it wrong arguments; `field` says where."""

    def __init__(self, code: str, field: str, message: str) -> None:
        self.code = code
        self.field = field
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Declared:
    """One declared formula with its arguments, ready to be computed."""

    quantity: str
    name: str
    args: Mapping[str, Fraction]
    formula: Formula

    def value(self, facts: StepFacts) -> Fraction:
        """The number that follows from these facts."""
        return self.formula(facts, self.args)


def declared_formulas(value_formulas: object) -> dict[str, Declared]:
    """Read the ``value_formulas`` of a policy.

    Args:
        value_formulas: the object as it stands in the policy file.

    Returns:
        quantity → formula; empty where nothing is declared.

    Raises:
        FormulaError: a quantity or name that the registry does not have, or wrong arguments
            (VALUE_FORMULA_UNKNOWN, VALUE_FORMULA_ARGUMENTS).
    """
    if not isinstance(value_formulas, dict):
        raise FormulaError("VALUE_FORMULA_ARGUMENTS", "value_formulas", "an object of formulas is expected")
    return {quantity: _declared(quantity, entry) for quantity, entry in sorted(value_formulas.items())}


def rational(text: object) -> Fraction:
    """The exact rational of ``"3/8"``, ``"0.95"`` or a JSON number's shortest decimal text.

    Raises:
        ValueError: it is none of these, or not finite.
    """
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise ValueError(f"{type(text).__name__} is no number")
    written = repr(text) if isinstance(text, float) else text
    if isinstance(written, str) and not _RATIONAL.fullmatch(written):
        raise ValueError("not a rational of sensible length")
    return Fraction(written)


def _declared(quantity: str, entry: object) -> Declared:
    field = f"value_formulas.{quantity}"
    if quantity not in REGISTRY:
        raise FormulaError("VALUE_FORMULA_UNKNOWN", field, f"quantities are {', '.join(REGISTRY)}")
    if not isinstance(entry, dict) or not set(entry) <= {"name", "args"}:
        raise FormulaError("VALUE_FORMULA_ARGUMENTS", field, "an object with name and args is expected")
    name, raw = entry.get("name"), entry.get("args", {})
    if not isinstance(name, str) or name not in REGISTRY[quantity]:
        raise FormulaError(
            "VALUE_FORMULA_UNKNOWN", f"{field}.name", f"formulas are {', '.join(REGISTRY[quantity])}"
        )
    formula, wanted = REGISTRY[quantity][name]
    if not isinstance(raw, dict) or set(raw) != set(wanted):
        raise FormulaError(
            "VALUE_FORMULA_ARGUMENTS", f"{field}.args", f"arguments are {', '.join(wanted) or 'none'}"
        )
    args: dict[str, Fraction] = {}
    for key, text in raw.items():
        try:
            args[key] = rational(text)
        except (ValueError, ZeroDivisionError):
            raise FormulaError(
                "VALUE_FORMULA_ARGUMENTS", f"{field}.args.{key}", "a rational such as 3/8 is expected"
            ) from None
    if not all(ZERO <= value <= ONE for value in args.values()):
        raise FormulaError("VALUE_FORMULA_ARGUMENTS", f"{field}.args", "rationals from 0 to 1 are expected")
    return Declared(quantity, name, args, formula)


def _by_feedback_kind(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    return args.get(facts.feedback_kind, ZERO)


def _missed_predictions(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    """Share of the predicted evidence that the cited feedback did not read."""
    del args
    return Fraction(len(facts.predicted - facts.evidence), max(1, len(facts.predicted)))


def _set_distance(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    """One minus the share that predicted and read evidence have in common (Jaccard distance)."""
    del args
    union = facts.predicted | facts.evidence
    return ONE - Fraction(len(facts.predicted & facts.evidence), max(1, len(union)))


def _agreement(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    del args
    return ONE - facts.discrepancy


def _reliable_agreement(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    del args
    return facts.reliability * (ONE - facts.discrepancy)


def _mean_process_reward(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    del args
    return sum(facts.process_values, ZERO) / max(1, len(facts.process_values))


def _least_process_reward(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    del args
    return min(facts.process_values, default=ZERO)


def _gap_within(facts: StepFacts, args: Mapping[str, Fraction]) -> Fraction:
    """1 where mean process reward and outcome reward lie at most ``limit`` apart, else 0."""
    gap = abs(_mean_process_reward(facts, {}) - facts.outcome_value)
    return ONE if gap <= args["limit"] else ZERO


_KINDS = ("deterministic_verifier", "observed_environment_feedback")
_FROM_STEP: dict[str, tuple[Formula, tuple[str, ...]]] = {
    "agreement": (_agreement, ()),
    "reliable_agreement": (_reliable_agreement, ()),
}
# quantity → name → formula and the arguments it takes. `outcome_reward_value` falls back to `reward_value`.
REGISTRY: dict[str, dict[str, tuple[Formula, tuple[str, ...]]]] = {
    "reliability_score": {"by_feedback_kind": (_by_feedback_kind, _KINDS)},
    "belief_discrepancy": {
        "missed_predictions": (_missed_predictions, ()),
        "set_distance": (_set_distance, ()),
    },
    "reward_value": _FROM_STEP,
    "outcome_reward_value": _FROM_STEP
    | {
        "mean_process_reward": (_mean_process_reward, ()),
        "least_process_reward": (_least_process_reward, ()),
    },
    "reward_alignment": {"gap_within": (_gap_within, ("limit",))},
}


def nearest_double(value: Fraction) -> float:
    """The double nearest to a rational (ties to even)."""
    return value.numerator / value.denominator


def as_number(value: Any) -> Fraction | None:
    """A row's JSON number as a rational of its decimal text; None for anything else."""
    try:
        return rational(value) if type(value) in (int, float) else None
    except (ValueError, OverflowError):
        return None
