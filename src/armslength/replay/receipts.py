"""The receipt files: counts, verdicts, references, never a body."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from . import names
from .documents import number_of
from .findings import Finding, ordered
from .result import Result
from .rows import label, shown_value, strings
from .summaries import freshness, profile_summary, trace_summary, values_summary
from .tables import row_tables, step_rows
from .writing import UNDATED, encode, write_dated

ANTI_CLAIM = (
    "A pass says that recorded rewards reconstruct from recorded references. It says nothing of the agent's quality, "
    "of benchmarks, or of the truth of what was recorded."
)
_CONTRADICTED = "STORED_RESULT_CONTRADICTED"
# What may differ between two results of the same inputs.
_VOLATILE = frozenset({"command", "created_at", "receipt_paths", "receipt_reused", "recomputed_status"})


def _write_receipts(
    result: Result, out_dir: Path, acceptance_out: Path | None, *, compare_stored: bool = False
) -> None:
    """Write the files of the mode, each in one step; an unchanged file keeps its time and is left alone."""
    if result.options.mode == "bundle":
        path = out_dir / names.BUNDLE_RESULT_NAME
        data = encode(result_receipt(result, row_tables(result), [path]))
        if compare_stored:
            data = _against_stored(result, path, data)
        write_dated(path, data)
        return
    acceptance = acceptance_out or out_dir / names.ACCEPTANCE_NAME
    paths = [out_dir / name for name in (names.RESULT_NAME, names.BOARD_NAME, names.VALIDATION_NAME)]
    paths.append(acceptance)
    tables = row_tables(result)
    parts = [
        result_receipt(result, tables, paths),
        board_receipt(result, tables, paths),
        validation_receipt(result, paths),
        acceptance_receipt(result, paths),
    ]
    for path, part in zip(paths, parts, strict=True):
        write_dated(path, encode(part))


def result_receipt(result: Result, tables: dict[str, list[Any]], paths: Iterable[Path]) -> dict[str, Any]:
    """The whole result: everything found, the row tables, the trace with its spans."""
    protocol, policy = _value(result, "projection_protocol.json"), _value(result, "reward_policy.json")
    bundle = result.options.mode == "bundle"
    steps = {"step_rows": step_rows(result)} if result.strict is not None else {}
    return (
        _common(result, paths)
        | tables
        | steps
        | {
            "accepted_negative_cases": [],
            "allowed_process_reward_sources": sorted(
                set(strings(policy.get("allowed_process_reward_sources")))
            ),
            "body_import_classification": "extension_of_existing_public_refactor",
            "bundle_id": result.bundle_id,
            "command": result.options.command,
            "error_codes": result.error_codes,
            "expected_negative_cases": [] if bundle else sorted(names.EXPECTED_NEGATIVE_CASES),
            "findings": result.findings,
            "freshness_basis": freshness(result),
            "input_mode": result.options.input_mode,
            "minimum_reliability_score": _number(policy.get("minimum_reliability_score")),
            "missing_negative_cases": result.negatives.missing if result.negatives is not None else [],
            "observed_negative_cases": result.negatives.observed if result.negatives is not None else {},
            "product_path_role": "replay_of_recorded_process_rewards",
            "projection_receipt_refs": strings(protocol.get("projection_receipt_refs")),
            "protocol_id": label(protocol.get("protocol_id")),
            "public_agent_execution_trace": result.trace,
            "public_runtime_refs": strings(protocol.get("public_runtime_refs")),
            "receipt_reused": result.stored == "same",
            "reward_policy_id": label(policy.get("policy_id")),
            "schema_version": names.BUNDLE_RESULT_SCHEMA if bundle else names.RESULT_SCHEMA,
            "source_open_body_import_refs": strings(protocol.get("source_open_body_import_refs")),
            "source_pattern_ids": strings(protocol.get("source_pattern_ids")),
            "source_refs": strings(protocol.get("source_refs")),
            "target_refs": strings(protocol.get("target_refs")),
            "target_symbols": strings(protocol.get("target_symbols")),
            "values": values_summary(result),
        }
        | result.counts()
    )


def board_receipt(result: Result, tables: dict[str, list[Any]], paths: Iterable[Path]) -> dict[str, Any]:
    """Counts, the five mechanics, and the rows that are blocked; the tables stand in the result file."""
    counts = result.counts()
    mechanics = {
        "typed_belief_summaries_not_hidden_reasoning": counts["accepted_belief_state_count"],
        "verifier_backed_process_reward": counts["accepted_feedback_count"],
        "process_and_outcome_joint_replay": counts["reward_event_count"],
        "reward_hacking_traps_and_cold_replay": counts["cold_replay_pass_count"],
        "semantic_recompute_chain": counts["semantic_recompute_verified_count"],
    }
    return (
        _common(result, paths)
        | counts
        | {name: [row for row in rows if row.reason_codes] for name, rows in tables.items()}
        | {
            "board_id": "belief_state_process_reward_replay_public_board",
            "input_mode": result.options.input_mode,
            "mechanics": [
                {"authority": "counts_only", "count": count, "mechanic_id": name}
                for name, count in mechanics.items()
            ],
            "public_agent_execution_trace": trace_summary(result),
            "rows": "blocked rows only; the result file holds all",
            "schema_version": "belief_state_process_reward_replay_board_v1",
            "values": values_summary(result),
        }
    )


def validation_receipt(result: Result, paths: Iterable[Path]) -> dict[str, Any]:
    """Which planted cases were expected, observed and missing, and the counts."""
    negatives = result.negatives
    return (
        _common(result, paths)
        | result.counts()
        | {
            "negative_case_coverage": {
                "expected": sorted(names.EXPECTED_NEGATIVE_CASES),
                "missing": negatives.missing
                if negatives is not None
                else sorted(names.EXPECTED_NEGATIVE_CASES),
                "observed": negatives.observed if negatives is not None else {},
            },
            "planted_traps": _planted(result),
            "public_agent_execution_trace": trace_summary(result),
            "schema_version": "belief_state_process_reward_replay_validation_receipt_v1",
        }
    )


def acceptance_receipt(result: Result, paths: Iterable[Path]) -> dict[str, Any]:
    """The sign-off: which planted cases are accepted, and what is missing."""
    return _common(result, paths) | {
        "accepted_negative_cases": sorted(names.EXPECTED_NEGATIVE_CASES),
        "error_codes": result.error_codes,
        "missing_negative_cases": result.negatives.missing if result.negatives is not None else [],
        "public_agent_execution_trace": trace_summary(result),
        "schema_version": "belief_state_process_reward_replay_fixture_acceptance_v1",
    }


def _against_stored(result: Result, path: Path, data: bytes) -> bytes:
    """Compare with a stored result of the same inputs: the same, or contradicted and blocked."""
    try:
        stored = json.loads(path.read_bytes())
        fresh = json.loads(data)
    except (OSError, ValueError, RecursionError):
        return data
    basis = stored.get("freshness_basis") if isinstance(stored, dict) else None
    same_inputs = (
        isinstance(basis, dict) and basis.get("basis_digest") == fresh["freshness_basis"]["basis_digest"]
    )
    known = same_inputs and all(
        stored.get(key) == fresh[key] for key in ("schema_version", "organ_id", "input_mode")
    )
    if not known:
        return data
    stored = _before_comparison(stored)
    differing = sorted(key for key in {*stored, *fresh} - _VOLATILE if stored.get(key) != fresh.get(key))
    result.stored = "contradicted" if differing else "same"
    if differing and result.options.profile == "strict":
        shown = path.name
        message = f"the stored result differs from the recomputed one in {', '.join(differing[:8])}"
        result.findings = ordered(
            [
                *result.findings,
                Finding(_CONTRADICTED, "stored_result", "receipt", shown, message, place=shown),
            ]
        )
        result.status = names.BLOCKED
    return encode(result_receipt(result, row_tables(result), [path]) | {"recomputed_status": fresh["status"]})


def _before_comparison(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored result without what an earlier comparison added to it."""
    if "recomputed_status" not in stored:
        return stored
    findings, codes = stored.get("findings"), stored.get("error_codes")
    if not isinstance(findings, list) or not isinstance(codes, list):
        return stored
    findings = [f for f in findings if not isinstance(f, dict) or f.get("error_code") != _CONTRADICTED]
    codes = [code for code in codes if code != _CONTRADICTED]
    return stored | {"status": stored["recomputed_status"], "findings": findings, "error_codes": codes}


def _common(result: Result, paths: Iterable[Path]) -> dict[str, Any]:
    """What all four files say."""
    modules = result.modules.to_json()
    landed = result.modules.status == names.PASS
    return {
        "anti_claim": ANTI_CLAIM,
        "authority_ceiling": names.AUTHORITY_CEILING,
        "body_copied_material_count": result.modules.verified if landed else 0,
        "body_import_status": "extension_of_existing_public_refactor_landed",
        "body_import_verification": {
            "public_trace_span_count": result.trace.get("span_count", 0),
            "public_trace_status": result.trace.get("status", names.BLOCKED),
            "trace_digest": result.trace.get("summary", {}).get("trace_digest"),
            "verification_status": "verified" if result.trace else "not_reached",
        },
        "body_in_receipt": False,
        "body_material_status": modules["source_module_import_status"],
        "created_at": UNDATED.decode(),
        "fixture_id": names.FIXTURE_ID,
        "organ_id": names.ORGAN_ID,
        "receipt_paths": [path.name for path in paths],
        "secret_exclusion_scan": result.scan.to_json(),
        "semantic_recompute_status": result.recompute.status,
        "source_module_imports": modules,
        "source_module_manifest_ref": result.modules.shown,
        "source_module_manifest_status": result.modules.status,
        "source_open_body_imports": {
            "body_material_count": result.modules.verified if landed else 0,
            "body_material_ids": result.modules.module_ids if landed else [],
            "body_text_exported_in_receipts": False,
            "status": result.modules.status,
        },
        "status": result.status,
        "validator_id": names.VALIDATOR_ID,
    } | profile_summary(result)


def _planted(result: Result) -> dict[str, Any]:
    if result.strict is None:
        return {"reason": "profile reference plants no trap into passing rows"}
    return {"clean_twin": result.strict.planted.clean, "raised": result.strict.planted.raised}


def _value(result: Result, name: str) -> dict[str, Any]:
    document = result.documents.get(name)
    return document.value if document is not None and isinstance(document.value, dict) else {}


def _number(value: Any) -> Any:
    return shown_value(number_of(value))
