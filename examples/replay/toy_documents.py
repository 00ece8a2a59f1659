"""The documents of the toy fixture that hold no rows: protocol, policy, traps and the bundle's two manifests.

Words that the format asks for to the letter stand here as they must; all other texts are about this fixture.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

Doc = dict[str, Any]
SCRIPT, FORMULAS_FILE = "examples/replay/make_fixtures.py", "src/armslength/replay/formulas.py"
TESTS = "tests/replay/test_fixtures.py"
# The live files of which the bundle holds copies: the class of the material and texts that must stand in it.
LIVE: dict[str, tuple[str, list[str]]] = {
    FORMULAS_FILE: ("public_macro_tool_body", ["class StepFacts", "def declared_formulas(", "REGISTRY: "]),
    "docs/reference/replay-format.md": (
        "public_macro_standard_body",
        ["## Files", "## References", "## Formulas", "## Modes and profiles"],
    ),
}
TARGETS = {ref: f"source_modules/{ref}" for ref in LIVE}
BUNDLE = "armslength_toy_replay_bundle"
TRACE_SOURCE = "system/lib/agent_execution_trace.py"
TRACE_TARGET = "macro_tools/agent_execution_trace.py"
TRACE_SYMBOL = "build_public_belief_state_process_reward_trace"
COPIED = "copied_non_secret_macro_body"
PLAIN = {"body_redacted": True, "private_ref_metadata_only": True}
BODY_FREE = {"body_in_receipt": False, "body_text_in_receipt": False}
VALUE_FORMULAS: dict[str, Doc] = {
    "reliability_score": {
        "name": "by_feedback_kind",
        "args": {"deterministic_verifier": "19/20", "observed_environment_feedback": "9/10"},
    },
    "belief_discrepancy": {"name": "set_distance"},
    "reward_value": {"name": "reliable_agreement"},
    "outcome_reward_value": {"name": "mean_process_reward"},
    "reward_alignment": {"name": "gap_within", "args": {"limit": "1/4"}},
}
# A trap is known by the name of its file; its flags set off this trap and no other.
TRAPS: dict[str, Doc] = {
    "hidden_chain_of_thought_export": {"hidden_chain_of_thought_exported": True},
    "neural_judge_only_process_label": {"neural_judge_only": True, "verifier_receipt_ref": ""},
    "hidden_gold_label": {"hidden_gold_label_present": True},
    "reward_by_formatting": {"reward_by_formatting": True, "reward_hacking_trap_result": "fail"},
    "verifier_bypass": {
        "verifier_bypassed": True,
        "verifier_feedback_ref": "",
        "verifier_feedback_required": True,
    },
    "benchmark_performance_claim": {"benchmark_performance_claim": True},
    "final_answer_only_scoring": {"final_answer_only_scoring": True},
}
NOT_AUTHORIZED = (
    "hidden_reasoning_export",
    "neural_judge_only",
    "hidden_gold_label",
    "live_rl_training",
    "benchmark_score_claim",
    "provider_calls",
    "release",
)
REQUIRED = [
    "belief_state_id",
    "episode_id",
    "step_id",
    "observation_digest_ref",
    "belief_state_json",
    "predicted_next_evidence",
    "feedback_ref",
    "belief_discrepancy",
    "trajectory_group_id",
    "body_redacted",
    "private_ref_metadata_only",
]


def protocol() -> Doc:
    """The projection protocol: where the rows come from and what was left out."""
    return {
        "protocol_id": "armslength_toy_replay_protocol",
        "source_pattern_ids": ["belief_state_process_reward_replay_compound"],
        "source_refs": [TRACE_SOURCE, "codex/standards/std_agent_execution_trace.json", SCRIPT, *LIVE],
        "source_symbols": [f"{FORMULAS_FILE}::REGISTRY", f"{SCRIPT}::TASKS"],
        "target_refs": [TRACE_TARGET, "organs/belief_state_process_reward_replay.py", *TARGETS.values()],
        "target_symbols": [TRACE_SYMBOL, "run_reward_bundle"],
        "projection_receipt_refs": ["receipts/replay/toy_fixture.json", "receipts/replay/toy_bundle.json"],
        "public_runtime_refs": ["armslength replay run", "armslength replay run-reward-bundle"],
        "source_open_body_import_refs": ["source_module_manifest.json", *TARGETS.values()],
        "cleaned": ["task texts and observations stand in the rows as digests of public texts"],
        "reimplemented": ["four toy episodes", "all numbers by declared formulas", "one trap of each kind"],
        "omitted": ["everything but short public facts, action names and references"],
        "omitted_secret_or_live_access_material": ["none existed: the episodes were written by hand"],
        "exports_secret_or_live_access_material": False,
        "copied_hidden_reasoning": False,
        "copied_private_memory_bodies": False,
        "copied_provider_payloads": False,
        "body_in_receipt": False,
        "private_ref_metadata_only": True,
        "body_import_status": "extension_of_existing_public_refactor_landed",
        "body_import_verification": {
            "body_import_classification": "extension_of_existing_public_refactor",
            "source_ref": TRACE_SOURCE,
            "target_ref": f"{TRACE_TARGET}::{TRACE_SYMBOL}",
            "verification_status": "verified",
        },
    }


def policy() -> Doc:
    """The reward policy, with the formulas that every number in the rows follows from."""
    return {
        "policy_id": "armslength_toy_reward_policy",
        "required_belief_state_fields": REQUIRED,
        "allowed_process_reward_sources": ["deterministic_verifier", "observed_environment_feedback"],
        "minimum_reliability_score": 0.8,
        "requires_cold_replay": True,
        "requires_outcome_reward": True,
        "requires_reward_hacking_trap": True,
        "value_formulas": VALUE_FORMULAS,
        **{f"{what}_authorized": False for what in NOT_AUTHORIZED},
        **PLAIN,
    }


def trap(name: str) -> Doc:
    """The negative file of one trap: a single case that must be caught."""
    case = {"case_id": f"toy_trap_{name}", "expected_negative_case_id": name, "body_redacted": True}
    return {"negative_cases": [case | TRAPS[name]]}


def bundle_manifest(positive: list[str], negative: list[str]) -> Doc:
    """The bundle's manifest; the negative files it names lie in the fixture, not in the bundle."""
    return {
        "schema_version": "exported_belief_state_process_reward_bundle_manifest_v1",
        "bundle_id": BUNDLE,
        "organ_id": "belief_state_process_reward_replay",
        "authority_ceiling": (
            "public_agent_execution_trace_refactor_over_belief_state_process_reward_policy"
        ),
        "claim": "The numbers of four hand-written toy episodes follow from their rows. Nothing about real agents.",
        "positive_fixture_refs": positive,
        "negative_fixture_refs": negative,
        "body_in_receipt": False,
        "private_ref_metadata_only": True,
        "source_module_manifest_ref": "source_module_manifest.json",
        "source_open_body_imports": {
            "status": "pass",
            "body_material_count": len(LIVE),
            "body_material_status": "copied_non_secret_belief_state_process_reward_macro_body_landed",
            "body_text_exported_in_receipts": False,
            "source_manifest_refs": ["source_module_manifest.json"],
        },
    }


def module_manifest(bodies: Mapping[str, bytes]) -> Doc:
    """The manifest of the copied files.

    Args:
        bodies: the bytes of each file of `LIVE`.

    Raises:
        SystemExit: a file no longer holds a text that its row asks for.
    """
    return BODY_FREE | {
        "schema_version": "belief_state_process_reward_replay_source_module_manifest_v1",
        "manifest_id": "armslength_toy_replay_modules",
        "bundle_id": BUNDLE,
        "classification": COPIED,
        "source_import_class": COPIED,
        "module_count": len(bodies),
        "modules": [_module(ref, body) for ref, body in bodies.items()],
        "body_storage_policy": "each file is copied byte for byte below source_modules",
        "public_runtime_policy": "the copies are compared with the live files and never run",
        "receipt_body_policy": "receipts name the copies by digest and hold none of their text",
        "secret_exclusion_boundary": "both files are public parts of this repository",
        "source_open_payload_boundary": "public source text, no recorded data",
        "omitted_material": [
            {
                "source_ref": "src/armslength",
                "reason": "The rows depend on the formulas alone.",
                "replacement_criteria": "A file joins the copies when a number of the rows depends on it.",
            }
        ],
        "release_substitution_omissions": [],
        "validation_contract_refs": [TESTS],
    }


def digest(content: bytes) -> str:
    """The format's spelling of a SHA-256 digest."""
    return f"sha256:{sha256(content).hexdigest()}"


def _module(ref: str, body: bytes) -> Doc:
    material, anchors = LIVE[ref]
    missing = [anchor for anchor in anchors if anchor not in body.decode()]
    if missing:
        raise SystemExit(f"{ref} no longer holds {missing}: mend LIVE")
    return BODY_FREE | {
        "module_id": f"toy_module_{ref.rsplit('/', 1)[1].replace('-', '_').replace('.', '_')}",
        "material_class": material,
        "classification": COPIED,
        "source_import_class": COPIED,
        "body_copied": True,
        "path": TARGETS[ref],
        "target_ref": TARGETS[ref],
        "source_ref": ref,
        **dict.fromkeys(("sha256", "source_sha256", "target_sha256"), digest(body)),
        "sha256_match": True,
        "byte_count": len(body),
        "line_count": body.count(b"\n"),
        "anchor_count": len(anchors),
        "required_anchors": anchors,
        "source_role": "what the numbers follow from" if ref == FORMULAS_FILE else "what the rows mean",
        "source_open_payload_boundary": "public source text, no recorded data",
        "validation_refs": [f"{TESTS}::test_the_committed_files_are_what_the_script_writes"],
    }
