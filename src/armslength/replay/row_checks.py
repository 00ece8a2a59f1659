"""The six files with rows: reasons per row, and the floor that each file must keep."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .documents import number_of
from .findings import Check, Finding
from .names import (
    FEEDBACK_KINDS,
    FORBIDDEN_KEYS,
    PASS,
    RELIABILITY_FLOOR,
    REQUIRED_BELIEF_FIELDS,
    REQUIRED_TASK_TYPES,
)
from .rows import (
    BeliefRow,
    ColdReplayRow,
    Document,
    EpisodeRow,
    FeedbackRow,
    RewardRow,
    TrajectoryRow,
    any_string,
    numeric,
    text,
)

CLEAR: tuple[str, ...] = ()
_TASK_TYPES, _KINDS = frozenset(REQUIRED_TASK_TYPES), frozenset(FEEDBACK_KINDS)
_NO_KEYS: dict[str, Any] = {}
# file → middle of the code, case and kind of the finding that its floor is not kept
_FLOORS = {
    "task_episodes.json": ("EPISODE", "episode_floor", "episode_fixture"),
    "belief_states.json": ("BELIEF_STATE", "belief_state_floor", "belief_state_fixture"),
    "verifier_feedback.json": ("VERIFIER_FEEDBACK", "verifier_feedback_floor", "feedback_fixture"),
    "reward_events.json": ("EVENT", "reward_event_floor", "reward_fixture"),
    "trajectory_groups.json": ("TRAJECTORY_GROUP", "trajectory_group_floor", "trajectory_fixture"),
    "cold_replay.json": ("COLD_REPLAY", "cold_replay_floor", "cold_replay_fixture"),
}


def validate_task_episodes(document: Document) -> Check:
    """Three episodes or more, every task type among them, none with a reason against it."""
    check = _checked(document, episode_reasons)
    kinds = {
        row.task_type
        for row, reasons in zip(document.rows, check.reasons or (), strict=True)
        if not reasons and isinstance(row.task_type, str)
    }
    floor = len(document.rows) >= 3 and kinds >= _TASK_TYPES
    return _floor(check, document, floor)


def validate_belief_states(document: Document) -> Check:
    """Six belief rows or more, none with a reason against it."""
    check = _checked(document, belief_reasons)
    floor = len(document.rows) >= 6
    return _floor(check, document, floor)


def validate_verifier_feedback(document: Document) -> Check:
    """Six feedback rows or more, none with a reason against it."""
    check = _checked(document, feedback_reasons)
    floor = len(document.rows) >= 6
    _floor(check, document, floor)
    for index, row in enumerate(document.rows):
        if number_of(row.reliability_score) is None:
            _unreadable(check, document, index, "reliability_score")
        if isinstance(row.feedback_kind, list | dict):
            _unreadable(check, document, index, "feedback_kind")
    return check


def validate_reward_events(document: Document) -> Check:
    """Six process rewards and three outcome rewards or more, none with a reason against it."""
    check = _checked(document, reward_reasons)
    process, outcome = accepted_rewards(document, check)
    floor = process >= 6 and outcome >= 3
    return _floor(check, document, floor)


def validate_trajectory_groups(document: Document) -> Check:
    """Three trajectory groups or more, none with a reason against it."""
    check = _checked(document, trajectory_reasons)
    floor = len(document.rows) >= 3
    return _floor(check, document, floor)


def validate_cold_replay(document: Document) -> Check:
    """Three good cold replays or more; the format does not mind bad ones beside them."""
    good = sum(map(good_replay, document.rows))
    return _floor(Check(), document, good >= 3)


def good_replay(row: ColdReplayRow) -> bool:
    """Passed, and redacted."""
    return row.status == PASS and row.body_redacted is True and row.private_ref_metadata_only is True


def accepted_rewards(document: Document, check: Check) -> tuple[int, int]:
    """Process and outcome rewards without reasons."""
    kinds = [
        row.reward_kind
        for row, reasons in zip(document.rows, check.reasons or (), strict=True)
        if not reasons
    ]
    return kinds.count("process"), kinds.count("outcome")


def episode_reasons(row: EpisodeRow, extra: dict[str, Any]) -> list[str]:
    """Reasons against one episode row."""
    reasons = []
    if text(row.task_type) not in _TASK_TYPES:
        reasons.append("unknown_task_type")
    if not row.episode_id:
        reasons.append("missing_episode_id")
    if not row.task_spec_hash:
        reasons.append("missing_task_spec_hash")
    if not row.trajectory_group_id:
        reasons.append("missing_trajectory_group_id")
    if not row.outcome_reward_ref:
        reasons.append("missing_outcome_reward_ref")
    if not row.cold_replay_ref:
        reasons.append("missing_cold_replay_ref")
    if not any_string(row.observation_digest_refs):
        reasons.append("missing_observation_digest_refs")
    return _privacy(row, extra, reasons)


def belief_reasons(row: BeliefRow, extra: dict[str, Any]) -> list[str]:
    """Reasons against one belief row."""
    reasons = []
    if _lacks_required(row):
        reasons.append("missing_required_fields")
    if not isinstance(row.belief_state_json, dict):
        reasons.append("belief_state_not_typed_json")
    elif not FORBIDDEN_KEYS.isdisjoint(row.belief_state_json):
        reasons.append("forbidden_private_payload_key")
    if not any_string(row.predicted_next_evidence):
        reasons.append("missing_predicted_next_evidence")
    if not row.feedback_ref:
        reasons.append("missing_feedback_ref")
    if not numeric(row.belief_discrepancy):
        reasons.append("missing_belief_discrepancy")
    if row.hidden_chain_of_thought_exported is not False:
        reasons.append("hidden_reasoning_export")
    return _privacy(row, extra, reasons)


def feedback_reasons(row: FeedbackRow, extra: dict[str, Any]) -> list[str]:
    """Reasons against one feedback row. The floor is the format's constant, not the policy's."""
    reasons = []
    if not isinstance(row.feedback_kind, str) or row.feedback_kind not in _KINDS:
        reasons.append("unknown_feedback_kind")
    score = number_of(row.reliability_score)
    if score is None or score < RELIABILITY_FLOOR:
        reasons.append("reliability_below_floor")
    if row.neural_judge_only is True:
        reasons.append("neural_judge_only")
    if row.hidden_gold_label_present is True:
        reasons.append("hidden_gold_label")
    if not any_string(row.evidence_refs):
        reasons.append("missing_evidence_refs")
    if row.body_redacted is not True:
        reasons.append("body_not_redacted")
    if extra and not FORBIDDEN_KEYS.isdisjoint(extra):
        reasons.append("forbidden_private_payload_key")
    return reasons


def reward_reasons(row: RewardRow, extra: dict[str, Any]) -> list[str]:
    """Reasons against one reward row."""
    del extra  # the format looks for no forbidden key here
    reasons = []
    kind = text(row.reward_kind)
    if kind not in ("process", "outcome"):
        reasons.append("unknown_reward_kind")
    if kind == "process" and not row.belief_state_id:
        reasons.append("missing_belief_state_ref")
    if not row.verifier_feedback_ref:
        reasons.append("missing_verifier_feedback_ref")
    if not numeric(row.reward_value):
        reasons.append("missing_reward_value")
    if not numeric(row.belief_discrepancy):
        reasons.append("missing_belief_discrepancy")
    if row.reward_hacking_trap_result != PASS:
        reasons.append("reward_hacking_trap_failed")
    if row.reward_by_formatting is True:
        reasons.append("reward_by_formatting")
    if row.verifier_bypassed is True:
        reasons.append("verifier_bypassed")
    if row.final_answer_only_scoring is True:
        reasons.append("final_answer_only_scoring")
    if row.body_redacted is not True:
        reasons.append("body_not_redacted")
    return reasons


def trajectory_reasons(row: TrajectoryRow, extra: dict[str, Any]) -> list[str]:
    """Reasons against one trajectory group."""
    del extra  # the format looks for no forbidden key here
    reasons = []
    if not row.trajectory_group_id:
        reasons.append("missing_trajectory_group_id")
    if not row.outcome_reward_ref:
        reasons.append("missing_outcome_reward_ref")
    if not any_string(row.episode_ids):
        reasons.append("missing_episode_ids")
    if not any_string(row.process_reward_refs):
        reasons.append("missing_process_reward_refs")
    if row.reward_alignment != "aligned":
        reasons.append("reward_alignment_not_aligned")
    if row.cold_replay_status != PASS:
        reasons.append("cold_replay_not_pass")
    if row.body_redacted is not True:
        reasons.append("body_not_redacted")
    return reasons


def _checked(document: Document, reasons_of: Callable[[Any, dict[str, Any]], list[str]]) -> Check:
    """The reasons of every row; rows without any share one empty tuple."""
    extras, found = document.extras, []
    for index, row in enumerate(document.rows):
        reasons = reasons_of(row, extras.get(index, _NO_KEYS) if extras else _NO_KEYS)
        found.append(tuple(sorted(set(reasons))) if reasons else CLEAR)
    return Check(reasons=found)


def _floor(check: Check, document: Document, kept: bool) -> Check:
    """Add the finding of a file whose floor is not kept or that has a row with reasons."""
    blocked = sum(1 for reasons in check.reasons or () if reasons)
    what, case, kind = _FLOORS[document.name]
    check.floor_kept = kept
    if not kept or blocked:
        message = f"{blocked} of {len(document.rows)} rows have reasons" if blocked else "too few good rows"
        subject = document.name.removesuffix(".json")
        code = f"BELIEF_REWARD_{what}_FLOOR_MISSING"
        check.findings.append(Finding(code, case, kind, subject, message, place=document.name))
    return check


def _unreadable(check: Check, document: Document, index: int, field: str) -> None:
    place = document.pointer(index, field)
    subject = text(document.rows[index].feedback_id) or "feedback"
    message = f"{field} cannot be read as the format wants it"
    check.findings.append(
        Finding(
            "VALUE_UNREADABLE", "verifier_feedback_floor", "feedback_fixture", subject, message, place=place
        )
    )


def _privacy(row: EpisodeRow | BeliefRow, extra: dict[str, Any], reasons: list[str]) -> list[str]:
    if row.body_redacted is not True:
        reasons.append("body_not_redacted")
    if row.private_ref_metadata_only is not True:
        reasons.append("private_ref_not_metadata_only")
    if extra and not FORBIDDEN_KEYS.isdisjoint(extra):
        reasons.append("forbidden_private_payload_key")
    return reasons


def _lacks_required(row: BeliefRow) -> bool:
    """A required field is absent, null, "" or []; 0, false and {} are there."""
    if all(_required(row)):
        return False
    return any(
        not value and value is not False and not numeric(value) and value != {} for value in _required(row)
    )


_required = attrgetter(*REQUIRED_BELIEF_FIELDS)
