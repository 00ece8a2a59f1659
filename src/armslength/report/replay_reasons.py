"""Where a reason of the replay lies: which link of a chain it breaks, and the field to look at."""

from __future__ import annotations

from typing import Final

# Reason of a chain that does not close → (the box that its link leads to, the field to look at).
CHAIN: Final[dict[str, tuple[str, str]]] = {
    "episode_ref_missing": ("belief", "episode_id of the belief"),
    "feedback_ref_missing": ("feedback", "feedback_ref of the belief"),
    "feedback_episode_mismatch": ("feedback", "feedback_ref of the belief, episode_id of the feedback"),
    "process_reward_ref_missing": ("reward", "belief_state_id of the rewards"),
    "process_reward_episode_mismatch": ("reward", "episode_id of the reward"),
    "process_reward_feedback_mismatch": ("reward", "verifier_feedback_ref of the reward"),
    "belief_discrepancy_mismatch": ("reward", "belief_discrepancy of reward and belief"),
    "process_reward_trajectory_mismatch": ("trajectory", "trajectory_group_id of the reward"),
    "trajectory_ref_missing": ("trajectory", "trajectory_group_id of the belief"),
    "trajectory_episode_mismatch": ("trajectory", "episode_ids of the trajectory"),
    "trajectory_process_reward_missing": ("trajectory", "process_reward_refs of the trajectory"),
    "outcome_reward_ref_missing": ("outcome", "outcome_reward_ref of the trajectory"),
    "outcome_reward_kind_mismatch": ("outcome", "reward_kind of the outcome reward"),
    "outcome_reward_episode_mismatch": ("outcome", "episode_id of the outcome reward"),
    "outcome_reward_trajectory_mismatch": ("outcome", "trajectory_group_id of the outcome reward"),
    "outcome_reward_feedback_missing": ("outcome", "verifier_feedback_ref of the outcome reward"),
    "outcome_reward_feedback_episode_mismatch": ("outcome", "verifier_feedback_ref of the outcome reward"),
    "cold_replay_ref_missing": ("cold replay", "trajectory_group_id of the cold replays"),
    "cold_replay_not_pass": ("cold replay", "status of the cold replay"),
    "episode_cold_replay_ref_missing": ("cold replay", "cold_replay_ref of the episode"),
    "episode_cold_replay_trajectory_mismatch": ("cold replay", "cold_replay_ref of the episode"),
}
_ROW: Final[dict[str, str]] = {
    "missing_observation_digest_refs": "observation_digest_refs",
    "body_not_redacted": "body_redacted",
    "private_ref_not_metadata_only": "private_ref_metadata_only",
    "forbidden_private_payload_key": "the key",
    "missing_required_fields": "each field of a belief",
    "belief_state_not_typed_json": "belief_state_json",
    "hidden_reasoning_export": "hidden_chain_of_thought_exported",
    "unknown_feedback_kind": "feedback_kind",
    "reliability_below_floor": "reliability_score",
    "hidden_gold_label": "hidden_gold_label_present",
    "unknown_reward_kind": "reward_kind",
    "unknown_task_type": "task_type",
    "missing_belief_state_ref": "belief_state_id",
    "reward_hacking_trap_failed": "reward_hacking_trap_result",
    "reward_alignment_not_aligned": "reward_alignment",
    "cold_replay_not_pass": "cold_replay_status",
}


def field_of(reason: str) -> str:
    """The field that a reason against a row is about.

    Args:
        reason: as the checks of the six files with rows name it.

    Returns:
        The field's name; many reasons are called after it.
    """
    return _ROW.get(reason, reason.removeprefix("missing_"))
