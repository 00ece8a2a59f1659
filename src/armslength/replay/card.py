"""The card: a compact public summary with handles, without the heavy payload."""

from __future__ import annotations

from typing import Any

from . import names
from .result import Result
from .summaries import freshness, profile_summary, trace_summary, values_summary


def result_card(result: Result) -> dict[str, Any]:
    """A compact public card: counts, status, freshness and handles; the heavy payload stays off it."""
    counts, basis, trace = result.counts(), freshness(result), trace_summary(result)
    recompute = {
        "semantic_recompute_blocked_count": counts["semantic_recompute_blocked_count"],
        "semantic_recompute_status": result.recompute.status,
        "semantic_recompute_verified_count": counts["semantic_recompute_verified_count"],
    }
    modules = result.modules.to_json()
    missing = result.negatives.missing if result.negatives is not None else []
    return {
        "authority_boundary": {k: v for k, v in names.AUTHORITY_CEILING.items() if v is False},
        "belief_reward": {
            k: v for k, v in counts.items() if k not in ("reward_event_count", "cold_replay_count")
        }
        | recompute,
        "body_floor": {
            "belief_body_in_card": False,
            "body_in_receipt": False,
            "feedback_body_in_card": False,
            "reward_body_in_card": False,
            "source_module_body_in_card": False,
        },
        "bundle_id": result.bundle_id,
        "command_speed": {
            "freshness_digest": basis["basis_digest"],
            "freshness_input_count": basis["input_count"],
            "freshness_missing_path_count": basis["missing_path_count"],
            "receipt_reused": result.stored == "same",
        },
        "error_codes": result.error_codes,
        "input_mode": result.options.input_mode,
        "omission_receipt": {
            "full_payload_drilldown": "the result file among receipt_paths",
            "omitted_full_payload_keys": list(names.CARD_OMITTED_FULL_PAYLOAD_KEYS),
        },
        "organ_id": names.ORGAN_ID,
        "schema_version": names.CARD_SCHEMA,
        "status": result.status,
        "validation": recompute
        | {
            "body_import_status": "extension_of_existing_public_refactor_landed",
            "body_material_classes": modules["body_material_classes"],
            "body_material_count": result.modules.verified,
            "body_material_status": modules["source_module_import_status"],
            "error_code_count": len(result.error_codes),
            "expected_negative_case_count": len(names.EXPECTED_NEGATIVE_CASES)
            if result.negatives is not None
            else 0,
            "finding_count": len(result.findings),
            "missing_negative_case_count": len(missing),
            "public_trace_span_count": trace.get("span_count", 0),
            "public_trace_status": trace.get("status", names.BLOCKED),
            "secret_blocking_hit_count": result.scan.blocking,
            "source_module_manifest_ref": result.modules.shown,
            "source_module_manifest_status": result.modules.status,
        },
        "values": values_summary(result),
    } | profile_summary(result)
