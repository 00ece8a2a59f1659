"""The seven traps: which abuse a row commits, and whether each planted case raises its code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .findings import Finding
from .names import EXPECTED_NEGATIVE_CASES, FORBIDDEN_KEYS, NEGATIVE_INPUT_NAMES
from .rows import Document, label


@dataclass(slots=True)
class NegativeCases:
    """What the planted cases raised.

    Attributes:
        findings: one per planted row and code.
        observed: case id → sorted codes.
        missing: expected case ids that raised nothing.
    """

    findings: list[Finding] = field(default_factory=list)
    observed: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def validate_negative_cases(documents: dict[str, Document]) -> NegativeCases:
    """Read the planted cases and record which codes each raises.

    The format counts *any* code under a case id as observed; the strict profile asks for exactly the expected
    one and plants each case into a passing row (`armslength.replay.strict.planting`).
    """
    result = NegativeCases()
    observed: dict[str, set[str]] = {}
    for name in NEGATIVE_INPUT_NAMES:
        document = documents[name]
        for place, row in negative_rows(document.value):
            case, subject = case_of(row), label(row.get("case_id") or case_of(row) or "negative_case")
            for code in _codes(row):
                observed.setdefault(case, set()).add(code)
                message = "a planted case raised this code"
                result.findings.append(
                    Finding(code, case, "negative_case", subject, message, place=f"{name}#{place}")
                )
    result.observed = {case: sorted(codes) for case, codes in sorted(observed.items())}
    result.missing = sorted(set(EXPECTED_NEGATIVE_CASES) - set(observed))
    return result


def negative_rows(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """The planted rows of a file with their pointers; a file without any is itself the one row."""
    items = value.get("negative_cases") if isinstance(value, dict) else None
    listed = items if isinstance(items, list) else []
    rows = [(f"/negative_cases/{place}", item) for place, item in enumerate(listed) if isinstance(item, dict)]
    return rows or ([("", value)] if isinstance(value, dict) else [])


def case_of(row: dict[str, Any]) -> str:
    """The case that a planted row stands for."""
    return label(row.get("expected_negative_case_id") or row.get("case_id"))


def _codes(row: dict[str, Any]) -> list[str]:
    """The codes that a planted row raises, in the order of the traps."""
    raised = {
        "BELIEF_REWARD_HIDDEN_COT_EXPORT": row.get("hidden_chain_of_thought_exported") is True
        or not FORBIDDEN_KEYS.isdisjoint(row),
        "BELIEF_REWARD_NEURAL_JUDGE_ONLY_LABEL": row.get("neural_judge_only") is True
        and not row.get("verifier_receipt_ref"),
        "BELIEF_REWARD_HIDDEN_GOLD_LABEL": row.get("hidden_gold_label_present") is True,
        "BELIEF_REWARD_FORMAT_REWARD_HACK": row.get("reward_by_formatting") is True
        or row.get("reward_hacking_trap_result") == "fail",
        "BELIEF_REWARD_VERIFIER_BYPASS": row.get("verifier_bypassed") is True
        or (row.get("verifier_feedback_required") is True and not row.get("verifier_feedback_ref")),
        "BELIEF_REWARD_BENCHMARK_CLAIM": row.get("benchmark_performance_claim") is True,
        "BELIEF_REWARD_FINAL_ANSWER_ONLY": row.get("final_answer_only_scoring") is True,
    }
    return [code for code, holds in raised.items() if holds]
