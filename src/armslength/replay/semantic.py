"""The joins of the format: does every belief, feedback, reward, trajectory, outcome and replay form one chain?"""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter
from typing import Any

import numpy as np
from msgspec import Struct

from .chains import BoolArray, Indexes, column, raised
from .findings import Check, Finding
from .names import PASS
from .row_checks import CLEAR
from .rows import Document, absent_as_none, text

_CODE, _CASE = "BELIEF_REWARD_SEMANTIC_RECOMPUTE_MISMATCH", "semantic_recompute_floor"
_BELIEF, _FEEDBACK, _REWARD = "belief_states.json", "verifier_feedback.json", "reward_events.json"
_EPISODE, _TRAJECTORY, _REPLAY = "task_episodes.json", "trajectory_groups.json", "cold_replay.json"


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
        indexes: the rows of them, joined.

    Returns:
        Reasons per belief row, and a finding per broken listing and per blocked belief.

    Source: the reference format, ``docs/reference/replay-format.md``.
    """
    beliefs = documents[_BELIEF]
    reasons: list[tuple[str, ...]] = [CLEAR] * len(beliefs.rows)
    check = Check(reasons=reasons)
    _listings(documents[_TRAJECTORY], indexes, check)
    for index, found in raised(chain_masks(indexes)):
        reasons[index] = tuple(sorted(found))
        message = "the chain of this belief does not close"
        kind, place = "belief_state_semantic_recompute", beliefs.pointer(index)
        subject = indexes.rows[_BELIEF][index].belief_state_id
        check.findings.append(
            Finding(_CODE, _CASE, kind, subject, message, place=place, reason_codes=sorted(found))
        )
    return check


def recompute_rows(check: Check, indexes: Indexes) -> list[RecomputeRow]:
    """The verdict row of every belief, sorted by belief id as the format wants it."""
    beliefs, reasons = indexes.rows[_BELIEF], check.reasons or []
    columns = (
        column(beliefs, "belief_state_id"),
        repeat(False),
        indexes.texts(_REPLAY, "replay_id", indexes.replay),
        ["blocked" if found else "verified_semantic_recompute" for found in reasons],
        column(beliefs, "episode_id"),
        column(beliefs, "feedback_ref"),
        indexes.texts(_REWARD, "reward_event_id", indexes.reward),
        reasons,
        column(beliefs, "trajectory_group_id"),
    )
    return sorted(map(RecomputeRow, *columns), key=attrgetter("belief_state_id"))


def chain_masks(indexes: Indexes) -> dict[str, BoolArray]:
    """Reason → the beliefs whose chain it keeps from closing, shape (beliefs,) each."""
    codes, i = indexes.codes, indexes
    episode_id, trajectory_id = codes[_BELIEF, "episode_id"][:-1], codes[_BELIEF, "trajectory_group_id"][:-1]
    has_feedback, has_reward, has_trajectory = i.feedback >= 0, i.reward >= 0, i.trajectory >= 0
    has_outcome, has_replay, has_episode = i.outcome >= 0, i.replay >= 0, i.episode >= 0
    reward_code = codes[_REWARD, "reward_event_id"][i.reward]
    outcome_feedback = i.row_of[_FEEDBACK][codes[_REWARD, "verifier_feedback_ref"][i.outcome]]
    own_replay = i.row_of[_REPLAY][codes[_EPISODE, "cold_replay_ref"][i.episode]]
    outcome_kinds = [text(row.reward_kind) == "outcome" for row in i.rows[_REWARD]] + [True]
    passes = [row.status == PASS for row in i.rows[_REPLAY]] + [True]

    def differs(file: str, field: str, rows: Any, other: Any) -> BoolArray:
        found: BoolArray = (rows >= 0) & (codes[file, field][rows] != other)
        return found

    feedback_ref = codes[_BELIEF, "feedback_ref"][:-1]
    return {
        "episode_ref_missing": ~has_episode,
        "feedback_ref_missing": ~has_feedback,
        "feedback_episode_mismatch": differs(_FEEDBACK, "episode_id", i.feedback, episode_id),
        "process_reward_ref_missing": ~has_reward,
        "process_reward_episode_mismatch": differs(_REWARD, "episode_id", i.reward, episode_id),
        "process_reward_trajectory_mismatch": differs(
            _REWARD, "trajectory_group_id", i.reward, trajectory_id
        ),
        "process_reward_feedback_mismatch": differs(_REWARD, "verifier_feedback_ref", i.reward, feedback_ref),
        "belief_discrepancy_mismatch": has_reward & _discrepancies_differ(indexes),
        "trajectory_ref_missing": ~has_trajectory,
        "trajectory_episode_mismatch": has_trajectory & ~i.listed("episode_ids", i.trajectory, episode_id),
        "trajectory_process_reward_missing": has_trajectory
        & (reward_code != 0)
        & ~i.listed("process_reward_refs", i.trajectory, reward_code),
        "outcome_reward_ref_missing": has_trajectory & ~has_outcome,
        "outcome_reward_kind_mismatch": has_outcome & ~np.array(outcome_kinds)[i.outcome],
        "outcome_reward_episode_mismatch": differs(_REWARD, "episode_id", i.outcome, episode_id),
        "outcome_reward_trajectory_mismatch": differs(
            _REWARD, "trajectory_group_id", i.outcome, trajectory_id
        ),
        "outcome_reward_feedback_missing": has_outcome & (outcome_feedback < 0),
        "outcome_reward_feedback_episode_mismatch": has_outcome
        & differs(_FEEDBACK, "episode_id", outcome_feedback, episode_id),
        "cold_replay_ref_missing": ~has_replay,
        "cold_replay_not_pass": has_replay & ~np.array(passes)[i.replay],
        "episode_cold_replay_ref_missing": has_episode & (own_replay < 0),
        "episode_cold_replay_trajectory_mismatch": has_episode
        & differs(_REPLAY, "trajectory_group_id", own_replay, trajectory_id),
    }


def _discrepancies_differ(indexes: Indexes) -> BoolArray:
    """Per belief, whether its process reward states another discrepancy (NaN is never equal, absent is null)."""
    own = list(map(absent_as_none, column(indexes.rows[_BELIEF], "belief_discrepancy")))
    rewards = [*map(absent_as_none, column(indexes.rows[_REWARD], "belief_discrepancy")), None]
    paid = [rewards[row] for row in indexes.reward.tolist()]
    return np.fromiter((a != b for a, b in zip(own, paid, strict=True)), bool, len(own))


def _listings(document: Document, indexes: Indexes, check: Check) -> None:
    """Every listed process reward exists, belongs to a belief, and says it is of this trajectory."""
    owners, refs = indexes.items[_TRAJECTORY, "process_reward_refs"]
    rewards = indexes.row_of[_REWARD][refs]
    known = rewards >= 0
    beliefs = indexes.row_of[_BELIEF][indexes.codes[_REWARD, "belief_state_id"][rewards]]
    foreign = (
        indexes.codes[_REWARD, "trajectory_group_id"][rewards]
        != indexes.codes[_TRAJECTORY, "trajectory_group_id"][owners]
    )
    masks = {
        "trajectory_process_reward_ref": ~known,
        "process_reward_belief_ref": known & (beliefs < 0),
        "process_reward_trajectory_ref": known & foreign,
    }
    for item, kinds in raised(masks):
        owner = int(owners[item])
        first = int(np.searchsorted(owners, owner))
        ref = indexes.rows[_TRAJECTORY][owner].process_reward_refs[item - first]
        place = document.pointer(owner, "process_reward_refs")
        for kind in kinds:
            check.findings.append(Finding(_CODE, _CASE, kind, ref, _WORDS[kind], place=place))
            check.listings.setdefault(owner, []).append(_CODE)


_WORDS = {
    "trajectory_process_reward_ref": "the trajectory lists a reward that is not there",
    "process_reward_belief_ref": "a listed reward names no belief that is there",
    "process_reward_trajectory_ref": "a listed reward is of another trajectory",
}
