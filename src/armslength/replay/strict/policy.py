"""The policy and the protocol, held to what they say: floors applied, requirements on, two sources only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from armslength.replay.names import (
    FEEDBACK_KINDS,
    POLICY_FLAGS,
    RELIABILITY_FLOOR,
    REQUIRED_BELIEF_FIELDS,
)
from armslength.replay.rows import BeliefRow, Document

from .ids import visible
from .keys import check_plain_document
from .sink import Sink

_POLICY, _PROTOCOL = "reward_policy.json", "projection_protocol.json"
_REQUIREMENTS = ("requires_cold_replay", "requires_outcome_reward", "requires_reward_hacking_trap")
_POLICY_KEYS = frozenset(
    {
        "policy_id",
        "required_belief_state_fields",
        "allowed_process_reward_sources",
        "minimum_reliability_score",
        "value_formulas",
        "value_ranges",
        "body_redacted",
        "private_ref_metadata_only",
        *_REQUIREMENTS,
        *POLICY_FLAGS,
    }
)
_PROTOCOL_KEYS = frozenset(
    {
        "body_import_status",
        "body_import_verification",
        "body_in_receipt",
        "cleaned",
        "copied_hidden_reasoning",
        "copied_private_memory_bodies",
        "copied_provider_payloads",
        "exports_secret_or_live_access_material",
        "omitted",
        "omitted_secret_or_live_access_material",
        "private_ref_metadata_only",
        "projection_receipt_refs",
        "protocol_id",
        "public_runtime_refs",
        "reimplemented",
        "source_open_body_import_refs",
        "source_pattern_ids",
        "source_refs",
        "source_symbols",
        "target_refs",
        "target_symbols",
    }
)


def check_policy(documents: Mapping[str, Document], sink: Sink) -> None:
    """Apply the policy to the rows, and refuse one that asks for less than the format."""
    value = documents[_POLICY].value
    check_plain_document(_POLICY, value, _POLICY_KEYS, sink)
    policy = value if isinstance(value, dict) else {}
    for key in _REQUIREMENTS:
        if policy.get(key) is not True:
            sink.file("POLICY_REQUIREMENT_OFF", _POLICY, key, "the requirement must be true")
    for key in ("body_redacted", "private_ref_metadata_only"):
        if policy.get(key) is not True:
            sink.file("PRIVATE_REF_NOT_METADATA_ONLY", _POLICY, key, "the flag must be true")
    _named(policy, _POLICY, "policy_id", sink)
    _sources(policy, sink)
    _floor(policy, documents["verifier_feedback.json"], sink)
    required = policy.get("required_belief_state_fields")
    known = set(BeliefRow.__struct_fields__)
    if (
        not _distinct_texts(required, at_least=set(REQUIRED_BELIEF_FIELDS))
        or not set(required or ()) <= known
    ):
        message = "a list of distinct fields of a belief row is expected, with all that the format requires"
        sink.file("POLICY_REQUIREMENT_UNKNOWN", _POLICY, "required_belief_state_fields", message)


def check_protocol(documents: Mapping[str, Document], sink: Sink) -> None:
    """The protocol may not say that it exports secrets, nor hold private references."""
    value = documents[_PROTOCOL].value
    check_plain_document(_PROTOCOL, value, _PROTOCOL_KEYS, sink)
    protocol = value if isinstance(value, dict) else {}
    if protocol.get("exports_secret_or_live_access_material") is not False:
        key = "exports_secret_or_live_access_material"
        sink.file("PROTOCOL_EXPORTS_SECRETS", _PROTOCOL, key, "the flag must be false")
    if protocol.get("private_ref_metadata_only") is not True:
        sink.file(
            "PRIVATE_REF_NOT_METADATA_ONLY", _PROTOCOL, "private_ref_metadata_only", "the flag must be true"
        )
    _named(protocol, _PROTOCOL, "protocol_id", sink)
    _lists(protocol, sink)


_LISTS = (
    "cleaned",
    "omitted",
    "omitted_secret_or_live_access_material",
    "projection_receipt_refs",
    "public_runtime_refs",
    "reimplemented",
    "source_open_body_import_refs",
    "source_pattern_ids",
    "source_refs",
    "source_symbols",
    "target_refs",
    "target_symbols",
)


def _lists(protocol: dict[str, Any], sink: Sink) -> None:
    """The protocol's lists, where they are there, hold distinct texts."""
    for key in _LISTS:
        value = protocol.get(key, [""])
        texts = isinstance(value, list) and all(isinstance(item, str) and visible(item) for item in value)
        if key in protocol and not (texts and value and len(set(value)) == len(value)):
            sink.file("PROTOCOL_LIST_INVALID", _PROTOCOL, key, "a list of distinct texts is expected")
    verification = protocol.get("body_import_verification")
    refs = verification if isinstance(verification, dict) else {}
    for key in ("source_ref", "target_ref"):
        if key in refs and not (isinstance(refs[key], str) and visible(refs[key])):
            sink.file("ID_NOT_STRING", _PROTOCOL, f"body_import_verification/{key}", "a reference is text")


def _named(document: dict[str, Any], name: str, key: str, sink: Sink) -> None:
    value = document.get(key)
    if not isinstance(value, str) or not visible(value):
        sink.file("FIELD_MISSING", name, key, "a name to see is expected")


def _sources(policy: dict[str, Any], sink: Sink) -> None:
    allowed = policy.get("allowed_process_reward_sources")
    if not _distinct_texts(allowed, at_least=set(FEEDBACK_KINDS)) or not set(allowed or ()) <= set(
        FEEDBACK_KINDS
    ):
        message = f"exactly {' and '.join(FEEDBACK_KINDS)} may be sources"
        sink.file("POLICY_SOURCE_NOT_ALLOWED", _POLICY, "allowed_process_reward_sources", message)


def _floor(policy: dict[str, Any], feedback: Document, sink: Sink) -> None:
    key = "minimum_reliability_score"
    floor: Any = policy.get(key)
    number = type(floor) is int or (type(floor) is float and math.isfinite(floor))
    if not number or not RELIABILITY_FLOOR <= floor <= 1:
        message = f"a number from {RELIABILITY_FLOOR} to 1 is expected"
        sink.file("POLICY_RELIABILITY_FLOOR", _POLICY, key, message)
        return
    for index, row in enumerate(feedback.rows):
        score = row.reliability_score
        if type(score) in (int, float) and score < floor:
            message = f"the policy asks for a reliability of {floor}"
            sink.row("POLICY_RELIABILITY_FLOOR", feedback, index, "reliability_score", message)


def _distinct_texts(value: Any, *, at_least: set[str]) -> bool:
    texts = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return texts and len(set(value)) == len(value) and set(value) >= at_least
