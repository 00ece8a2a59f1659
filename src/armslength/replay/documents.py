"""The two files without rows: what the export protocol claims and what the reward policy allows."""

from __future__ import annotations

import math
from typing import Any

from .findings import Check, Finding
from .names import COPY_FLAGS, FEEDBACK_KINDS, POLICY_FLAGS, REQUIRED_BELIEF_FIELDS
from .rows import Document, label, strings

_LANDED = "extension_of_existing_public_refactor_landed"
_CLASSIFICATION = "extension_of_existing_public_refactor"
_PATTERN = "belief_state_process_reward_replay_compound"


def validate_projection_protocol(document: Document) -> Check:
    """The protocol names enough sources and targets, and claims to have copied nothing private.

    Source: the reference format, ``docs/reference/replay-format.md``.
    """
    value = document.value if isinstance(document.value, dict) else {}
    subject = label(value.get("protocol_id")) or "projection_protocol"
    check = Check()

    def found(code: str, about: str, message: str) -> None:
        check.findings.append(
            Finding(
                code, "projection_protocol_floor", "projection_protocol", about, message, place=document.name
            )
        )

    gaps = _density_gaps(value)
    if gaps:
        message = "the protocol does not say enough: " + ", ".join(gaps)
        found("BELIEF_REWARD_PROJECTION_PROTOCOL_DENSITY_MISSING", subject, message)
    for flag in COPY_FLAGS:
        if value.get(flag) is not False:
            found("BELIEF_REWARD_PRIVATE_BODY_COPY_CLAIM", flag, f"{flag} must be false")
    return check


def validate_reward_policy(document: Document) -> Check:
    """The policy asks for every field of a belief, allows both sources, and authorises nothing beyond."""
    value = document.value if isinstance(document.value, dict) else {}
    subject = label(value.get("policy_id")) or "reward_policy"
    check = Check()

    def found(code: str, about: str, message: str) -> None:
        check.findings.append(
            Finding(code, "reward_policy_floor", "reward_policy", about, message, place=document.name)
        )

    missing = set(REQUIRED_BELIEF_FIELDS) - set(strings(value.get("required_belief_state_fields")))
    if missing:
        message = f"required_belief_state_fields lacks {', '.join(sorted(missing))}"
        found("BELIEF_REWARD_POLICY_REQUIRED_FIELDS_INCOMPLETE", subject, message)
    if not set(FEEDBACK_KINDS) <= set(strings(value.get("allowed_process_reward_sources"))):
        message = f"allowed_process_reward_sources must name {' and '.join(FEEDBACK_KINDS)}"
        found("BELIEF_REWARD_POLICY_SOURCE_FLOOR_MISSING", subject, message)
    for flag in POLICY_FLAGS:
        if value.get(flag) is not False:
            found("BELIEF_REWARD_POLICY_AUTHORITY_OVERCLAIM", flag, f"{flag} must be false")
    if minimum_reliability(value) is None:
        found("VALUE_UNREADABLE", "minimum_reliability_score", "minimum_reliability_score is no number")
    return check


def minimum_reliability(policy: Any) -> float | None:
    """The policy's floor as the format reads it (a numeric text counts, nothing counts as 0); None if unreadable."""
    return number_of(policy.get("minimum_reliability_score") if isinstance(policy, dict) else None)


def number_of(value: Any) -> float | None:
    """A number as the format reads one: falsy is 0, numeric texts count; None where it would give up."""
    try:
        return float(value or 0)
    except (ValueError, TypeError, OverflowError):
        return None


def finite(value: float) -> bool:
    """Neither NaN nor infinite."""
    return math.isfinite(value)


def _density_gaps(value: dict[str, Any]) -> list[str]:
    """What the protocol should name and does not."""
    sources, targets = strings(value.get("source_refs")), strings(value.get("target_refs"))
    symbols = strings(value.get("target_symbols"))
    verification = value.get("body_import_verification")
    verification = verification if isinstance(verification, dict) else {}
    held = {
        "source_refs (5)": len(sources) >= 5,
        "source_pattern_ids": _PATTERN in strings(value.get("source_pattern_ids")),
        "projection_receipt_refs (2)": len(strings(value.get("projection_receipt_refs"))) >= 2,
        "source of the trace": "system/lib/agent_execution_trace.py" in sources,
        "standard of the trace": "codex/standards/std_agent_execution_trace.json" in sources,
        "target of the trace": _ends(targets, "macro_tools/agent_execution_trace.py"),
        "target of the replay": _ends(targets, "organs/belief_state_process_reward_replay.py"),
        "symbol of the trace": _ends(symbols, "build_public_belief_state_process_reward_trace"),
        "symbol of the replay": _ends(symbols, "run_reward_bundle"),
        "public_runtime_refs": bool(strings(value.get("public_runtime_refs"))),
        "source_open_body_import_refs (3)": len(strings(value.get("source_open_body_import_refs"))) >= 3,
        "reimplemented": bool(strings(value.get("reimplemented"))),
        "omitted": bool(strings(value.get("omitted"))),
        "body_import_status": value.get("body_import_status") == _LANDED,
        "verification_status": verification.get("verification_status") == "verified",
        "body_import_classification": verification.get("body_import_classification") == _CLASSIFICATION,
        "body_in_receipt (false)": value.get("body_in_receipt") is False,
    }
    return [name for name, holds in held.items() if not holds]


def _ends(items: list[str], tail: str) -> bool:
    return any(item.endswith(tail) for item in items)
