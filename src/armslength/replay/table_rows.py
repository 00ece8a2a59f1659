"""The rows of the receipts' tables; fields of each stand in the order of their names."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class EpisodeOut(Struct, gc=False):
    """Fields of all tables stand in the order of their names."""

    body_in_receipt: bool
    cold_replay_ref: Any
    computed_verdict: str
    episode_id: str
    observation_digest_count: int
    outcome_reward_ref: Any
    reason_codes: tuple[str, ...]
    task_type: str
    trajectory_group_id: Any


class BeliefOut(Struct, gc=False):
    """One belief row."""

    belief_discrepancy: Any
    belief_state_id: str
    body_in_receipt: bool
    computed_verdict: str
    episode_id: Any
    feedback_ref: Any
    observation_digest_ref: Any
    predicted_next_evidence_count: int
    reason_codes: tuple[str, ...]
    step_id: Any
    trajectory_group_id: Any


class FeedbackOut(Struct, gc=False):
    """One feedback row."""

    body_in_receipt: bool
    computed_verdict: str
    episode_id: Any
    evidence_ref_count: int
    feedback_id: str
    feedback_kind: Any
    reason_codes: tuple[str, ...]
    reliability_score: Any


class RewardOut(Struct, gc=False):
    """One reward row; `value_verdict` is absent in profile ``reference``, which recomputes no number."""

    belief_discrepancy: Any
    belief_state_id: Any
    body_in_receipt: bool
    computed_verdict: str
    episode_id: Any
    reason_codes: tuple[str, ...]
    reward_event_id: str
    reward_hacking_trap_result: Any
    reward_kind: str
    reward_value: Any
    value_verdict: Any
    verifier_feedback_ref: Any


class TrajectoryOut(Struct, gc=False):
    """One trajectory row."""

    body_in_receipt: bool
    cold_replay_status: Any
    computed_verdict: str
    episode_ids: Any
    outcome_reward_ref: Any
    process_reward_ref_count: int
    reason_codes: tuple[str, ...]
    reward_alignment: Any
    trajectory_group_id: str


class ReplayOut(Struct, gc=False):
    """One cold replay row."""

    body_in_receipt: bool
    evidence_refs: Any
    private_ref_metadata_only: bool
    reason_codes: tuple[str, ...]
    replay_id: Any
    status: Any
    trajectory_group_id: Any


class StepOut(Struct, gc=False):
    """One step: its public belief summary, its reward, whether it recomputes, and the seven traps."""

    admitted: bool
    belief_state_id: str
    belief_summary: Any
    body_in_receipt: bool
    episode_id: str
    process_reward_ref: str
    reason_codes: tuple[str, ...]
    recompute_verdict: str
    reward_value: Any
    step_id: Any
    traps: dict[str, str]
    value_verdict: str
