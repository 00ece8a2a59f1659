"""The names of the reference format: files, codes, closed sets, identities. Values are the format's own."""

from __future__ import annotations

from typing import Final, Literal

Mode = Literal["fixture", "bundle"]
Profile = Literal["strict", "reference"]

INPUT_NAMES: Final = (
    "projection_protocol.json",
    "reward_policy.json",
    "task_episodes.json",
    "belief_states.json",
    "verifier_feedback.json",
    "reward_events.json",
    "trajectory_groups.json",
    "cold_replay.json",
)
NEGATIVE_INPUT_NAMES: Final = (
    "hidden_chain_of_thought_export.json",
    "neural_judge_only_process_label.json",
    "hidden_gold_label.json",
    "reward_by_formatting.json",
    "verifier_bypass.json",
    "benchmark_performance_claim.json",
    "final_answer_only_scoring.json",
)
BUNDLE_MANIFEST_NAME: Final = "bundle_manifest.json"
SOURCE_MODULE_MANIFEST_NAME: Final = "source_module_manifest.json"
SOURCE_MODULES_FOLDER: Final = "source_modules"

EXPECTED_NEGATIVE_CASES: Final[dict[str, list[str]]] = {
    "hidden_chain_of_thought_export": ["BELIEF_REWARD_HIDDEN_COT_EXPORT"],
    "neural_judge_only_process_label": ["BELIEF_REWARD_NEURAL_JUDGE_ONLY_LABEL"],
    "hidden_gold_label": ["BELIEF_REWARD_HIDDEN_GOLD_LABEL"],
    "reward_by_formatting": ["BELIEF_REWARD_FORMAT_REWARD_HACK"],
    "verifier_bypass": ["BELIEF_REWARD_VERIFIER_BYPASS"],
    "benchmark_performance_claim": ["BELIEF_REWARD_BENCHMARK_CLAIM"],
    "final_answer_only_scoring": ["BELIEF_REWARD_FINAL_ANSWER_ONLY"],
}
REQUIRED_TASK_TYPES: Final = ("terminal_investigation", "mock_purchase", "formal_planning_toy")
FEEDBACK_KINDS: Final = ("deterministic_verifier", "observed_environment_feedback")
REQUIRED_BELIEF_FIELDS: Final = (
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
)
FORBIDDEN_KEYS: Final = frozenset(
    {
        "hidden_chain_of_thought",
        "raw_chain_of_thought",
        "private_reasoning_body",
        "provider_payload",
        "hidden_gold_label",
        "gold_answer_body",
        "live_training_run_id",
        "benchmark_submission_id",
    }
)
POLICY_FLAGS: Final = (
    "hidden_reasoning_export_authorized",
    "neural_judge_only_authorized",
    "hidden_gold_label_authorized",
    "live_rl_training_authorized",
    "benchmark_score_claim_authorized",
    "provider_calls_authorized",
    "release_authorized",
)
COPY_FLAGS: Final = ("copied_hidden_reasoning", "copied_provider_payloads", "copied_private_memory_bodies")
RELIABILITY_FLOOR: Final = 0.8
PASS: Final = "pass"  # noqa: S105 - a status
BLOCKED: Final = "blocked"

SOURCE_IMPORT_CLASS: Final = "copied_non_secret_macro_body"
MATERIAL_CLASSES: Final = frozenset(
    {
        "public_macro_control_plane_body",
        "public_macro_pattern_body",
        "public_macro_receipt_body",
        "public_macro_standard_body",
        "public_macro_tool_body",
    }
)
MODULES_LANDED: Final = "copied_non_secret_belief_state_process_reward_macro_body_landed"

ORGAN_ID: Final = "belief_state_process_reward_replay"
FIXTURE_ID: Final = "first_wave.belief_state_process_reward_replay"
VALIDATOR_ID: Final = "validator.microcosm.organs.belief_state_process_reward_replay"
PUBLIC_ROOT_NAME: Final = "microcosm-substrate"
BUNDLE_INPUT_MODE: Final = "exported_belief_state_process_reward_bundle"
RESULT_SCHEMA: Final = "belief_state_process_reward_replay_result_receipt_v1"
BUNDLE_RESULT_SCHEMA: Final = "exported_belief_state_process_reward_bundle_validation_result_v1"
CARD_SCHEMA: Final = "belief_state_process_reward_replay_command_card_v1"
RESULT_NAME: Final = "belief_state_process_reward_replay_result.json"
BOARD_NAME: Final = "belief_state_process_reward_replay_board.json"
VALIDATION_NAME: Final = "belief_state_process_reward_replay_validation_receipt.json"
ACCEPTANCE_NAME: Final = "belief_state_process_reward_replay_fixture_acceptance.json"
BUNDLE_RESULT_NAME: Final = "exported_belief_state_process_reward_bundle_validation_result.json"

AUTHORITY_CEILING: Final[dict[str, object]] = {
    "authority_ceiling": "public_agent_execution_trace_refactor_over_belief_state_process_reward_policy",
    "benchmark_score_claim_authorized": False,
    "hidden_gold_label_authorized": False,
    "hidden_reasoning_export_authorized": False,
    "live_rl_training_authorized": False,
    "neural_judge_only_authorized": False,
    "provider_calls_authorized": False,
    "release_authorized": False,
    "source_mutation_authorized": False,
    "status": PASS,
}
CARD_OMITTED_FULL_PAYLOAD_KEYS: Final = (
    "findings",
    "secret_exclusion_scan",
    "public_agent_execution_trace",
    "authority_ceiling",
    "anti_claim",
    "source_refs",
    "projection_receipt_refs",
    "target_refs",
    "target_symbols",
    "public_runtime_refs",
    "body_import_verification",
    "source_module_imports",
    "source_open_body_imports",
    "episode_rows",
    "belief_state_rows",
    "feedback_rows",
    "reward_rows",
    "trajectory_group_rows",
    "cold_replay_rows",
    "semantic_recompute_rows",
)
