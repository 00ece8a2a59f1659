"""The joins of the format: does every belief, feedback, reward, trajectory, outcome and replay form one chain?"""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter

from msgspec import Struct

from .chains import Chain, Indexes
from .findings import Check, Finding
from .names import PASS
from .row_checks import CLEAR
from .rows import BeliefRow, Document, RewardRow, absent_as_none, text

_CODE, _CASE = "BELIEF_REWARD_SEMANTIC_RECOMPUTE_MISMATCH", "semantic_recompute_floor"


class RecomputeRow(Struct, gc=False):
    """The verdict on one belief's chain."""

    belief_state_id: str
    body_in_receipt: bool
    cold_replay_ref: str
    computed_verdict: str
    episode_id: str
    feedback_ref: str
    process_reward_ref: str
    reason_codes: tuple[str, ...]
    trajectory_group_id: str


def validate_semantic_recompute(documents: dict[str, Document], indexes: Indexes) -> Check:
    """Rebuild one chain per belief from the references alone.

    Args:
        documents: the six files with rows, by name.
        indexes: `Indexes.build` of them.

    Returns:
        Reasons per belief row, and a finding per broken listing and per blocked belief.

    Source: the reference format, ``docs/reference/replay-format.md``.
    """
    reasons: list[tuple[str, ...]] = []
    check = Check(reasons=reasons)
    _listings(documents["trajectory_groups.json"], indexes, check)
    beliefs = documents["belief_states.json"]
    for index, chain in enumerate(indexes.chains):
        found = _chain_reasons(chain, indexes)
        reasons.append(tuple(sorted(found)) if found else CLEAR)
        if found:
            message = "the chain of this belief does not close"
            kind, place = "belief_state_semantic_recompute", beliefs.pointer(index)
            subject = chain.belief.belief_state_id
            check.findings.append(
                Finding(_CODE, _CASE, kind, subject, message, place=place, reason_codes=sorted(found))
            )
    return check


def recompute_rows(check: Check, indexes: Indexes) -> list[RecomputeRow]:
    """The verdict row of every belief, sorted by belief id as the format wants it."""
    chains = indexes.chains
    beliefs = [chain.belief for chain in chains]
    reasons = check.reasons or []
    columns = (
        [belief.belief_state_id for belief in beliefs],
        repeat(False),
        [chain.replay.replay_id if chain.replay is not None else "" for chain in chains],
        ["blocked" if found else "verified_semantic_recompute" for found in reasons],
        [belief.episode_id for belief in beliefs],
        [belief.feedback_ref for belief in beliefs],
        [chain.reward.reward_event_id if chain.reward is not None else "" for chain in chains],
        reasons,
        [belief.trajectory_group_id for belief in beliefs],
    )
    return sorted(map(RecomputeRow, *columns), key=attrgetter("belief_state_id"))


def _chain_reasons(chain: Chain, indexes: Indexes) -> list[str]:
    """Everything that keeps one belief's chain from closing."""
    if _closes(chain, indexes):
        return []
    reasons: list[str] = []
    belief, feedback, reward = chain.belief, chain.feedback, chain.reward
    if feedback is None:
        reasons.append("feedback_ref_missing")
    elif feedback.episode_id != belief.episode_id:
        reasons.append("feedback_episode_mismatch")
    if reward is None:
        reasons.append("process_reward_ref_missing")
    else:
        _reward_reasons(reward, belief, reasons)
    if chain.trajectory is None:
        reasons.append("trajectory_ref_missing")
    else:
        trajectory_id = belief.trajectory_group_id
        if belief.episode_id not in indexes.members[trajectory_id]:
            reasons.append("trajectory_episode_mismatch")
        listed = reward.reward_event_id if reward is not None else ""
        if listed and listed not in indexes.listed[trajectory_id]:
            reasons.append("trajectory_process_reward_missing")
        _outcome_reasons(chain, indexes, reasons)
    if chain.replay is None:
        reasons.append("cold_replay_ref_missing")
    elif chain.replay.status != PASS:
        reasons.append("cold_replay_not_pass")
    _episode_reasons(chain, indexes, reasons)
    return reasons


def _closes(chain: Chain, indexes: Indexes) -> bool:
    """Whether nothing keeps the chain from closing: the same as no reasons, in one expression for the usual case."""
    belief, feedback, reward = chain.belief, chain.feedback, chain.reward
    outcome, episode, replay = chain.outcome, chain.episode, chain.replay
    if feedback is None or reward is None or outcome is None or episode is None or replay is None:
        return False
    episode_id, trajectory_id = belief.episode_id, belief.trajectory_group_id
    own, cited = (
        indexes.replays.get(episode.cold_replay_ref),
        indexes.feedback.get(outcome.verifier_feedback_ref),
    )
    return (
        own is not None
        and cited is not None
        and replay.status == PASS
        and outcome.reward_kind == "outcome"
        and feedback.episode_id == reward.episode_id == outcome.episode_id == cited.episode_id == episode_id
        and reward.trajectory_group_id
        == outcome.trajectory_group_id
        == own.trajectory_group_id
        == trajectory_id
        and reward.verifier_feedback_ref == belief.feedback_ref
        and absent_as_none(reward.belief_discrepancy) == absent_as_none(belief.belief_discrepancy)
        and episode_id in indexes.members[trajectory_id]
        and (not reward.reward_event_id or reward.reward_event_id in indexes.listed[trajectory_id])
    )


def _reward_reasons(reward: RewardRow, belief: BeliefRow, reasons: list[str]) -> None:
    if reward.episode_id != belief.episode_id:
        reasons.append("process_reward_episode_mismatch")
    if reward.trajectory_group_id != belief.trajectory_group_id:
        reasons.append("process_reward_trajectory_mismatch")
    if reward.verifier_feedback_ref != belief.feedback_ref:
        reasons.append("process_reward_feedback_mismatch")
    if absent_as_none(reward.belief_discrepancy) != absent_as_none(belief.belief_discrepancy):
        reasons.append("belief_discrepancy_mismatch")


def _outcome_reasons(chain: Chain, indexes: Indexes, reasons: list[str]) -> None:
    outcome, belief = chain.outcome, chain.belief
    if outcome is None:
        reasons.append("outcome_reward_ref_missing")
        return
    if text(outcome.reward_kind) != "outcome":
        reasons.append("outcome_reward_kind_mismatch")
    if outcome.episode_id != belief.episode_id:
        reasons.append("outcome_reward_episode_mismatch")
    if outcome.trajectory_group_id != belief.trajectory_group_id:
        reasons.append("outcome_reward_trajectory_mismatch")
    feedback = indexes.feedback.get(outcome.verifier_feedback_ref)
    if feedback is None:
        reasons.append("outcome_reward_feedback_missing")
    elif feedback.episode_id != belief.episode_id:
        reasons.append("outcome_reward_feedback_episode_mismatch")


def _episode_reasons(chain: Chain, indexes: Indexes, reasons: list[str]) -> None:
    if chain.episode is None:
        reasons.append("episode_ref_missing")
        return
    own = indexes.replays.get(chain.episode.cold_replay_ref)
    if own is None:
        reasons.append("episode_cold_replay_ref_missing")
    elif own.trajectory_group_id != chain.belief.trajectory_group_id:
        reasons.append("episode_cold_replay_trajectory_mismatch")


def _listings(document: Document, indexes: Indexes, check: Check) -> None:
    """Every listed process reward exists, belongs to a belief, and says it is of this trajectory."""

    def found(kind: str, ref: str, message: str, index: int) -> None:
        place = document.pointer(index, "process_reward_refs")
        check.findings.append(Finding(_CODE, _CASE, kind, ref, message, place=place))
        check.listings.setdefault(index, []).append(_CODE)

    for index, row in enumerate(indexes.rows["trajectory_groups.json"]):
        for ref in row.process_reward_refs:
            reward = indexes.rewards.get(ref)
            if reward is None:
                found(
                    "trajectory_process_reward_ref",
                    ref,
                    "the trajectory lists a reward that is not there",
                    index,
                )
                continue
            if reward.belief_state_id not in indexes.beliefs:
                found(
                    "process_reward_belief_ref", ref, "a listed reward names no belief that is there", index
                )
            if reward.trajectory_group_id != row.trajectory_group_id:
                found("process_reward_trajectory_ref", ref, "a listed reward is of another trajectory", index)
