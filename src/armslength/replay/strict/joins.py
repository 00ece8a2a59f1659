"""Joins: every reference resolves to one row of the right kind and episode, and nothing lies outside a chain."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from armslength.replay.chains import BoolArray, Indexes, IntArray, raised
from armslength.replay.row_checks import good_replay
from armslength.replay.rows import Document

from .sink import Sink

_EPISODE, _BELIEF, _FEEDBACK = "task_episodes.json", "belief_states.json", "verifier_feedback.json"
_REWARD, _TRAJECTORY, _REPLAY = "reward_events.json", "trajectory_groups.json", "cold_replay.json"

# code → field to look at and what is wrong there
_WORDS = {
    "EPISODE_WITHOUT_STEPS": ("episode_id", "no belief belongs to this episode"),
    "ORPHAN_EPISODE": ("trajectory_group_id", "the episode names a trajectory that is not there"),
    "EPISODE_TRAJECTORY_MISMATCH": (
        "trajectory_group_id",
        "the trajectory that the episode names does not list it",
    ),
    "EPISODE_OUTCOME_MISSING": (
        "outcome_reward_ref",
        "the episode names an outcome reward that is not there",
    ),
    "EPISODE_OUTCOME_MISMATCH": (
        "outcome_reward_ref",
        "the outcome reward belongs to another episode, or to no trajectory",
    ),
    "EPISODE_COLD_REPLAY_MISMATCH": (
        "cold_replay_ref",
        "the episode's cold replay is not there or is of another trajectory",
    ),
    "BELIEF_TRAJECTORY_MISMATCH": (
        "trajectory_group_id",
        "the belief and its episode name different trajectories",
    ),
    "BELIEF_REWARDED_TWICE": ("belief_state_id", "more than one process reward pays for this step"),
    "FEEDBACK_REUSED": ("feedback_ref", "other steps rest on the same feedback"),
    "ORPHAN_FEEDBACK": ("feedback_id", "no step cites this feedback, or its episode is not there"),
    "ORPHAN_PROCESS_REWARD": (
        "belief_state_id",
        "the reward pays for a belief or a trajectory that is not there",
    ),
    "PROCESS_REWARD_NOT_LISTED": ("reward_event_id", "the trajectory does not list this process reward"),
    "OUTCOME_RELABELLED": ("reward_kind", "a trajectory takes this process reward for its outcome"),
    "SECOND_OUTCOME_REWARD": (
        "reward_event_id",
        "the trajectory has another outcome reward and does not name this one",
    ),
    "ORPHAN_OUTCOME_REWARD": ("reward_event_id", "the trajectory does not name this outcome reward"),
    "OUTCOME_BELIEF_MISMATCH": (
        "belief_state_id",
        "the outcome reward cites a belief of another episode, or none",
    ),
    "OUTCOME_FEEDBACK_MISMATCH": (
        "verifier_feedback_ref",
        "the outcome reward rests on the feedback of another step than the one it names",
    ),
    "ORPHAN_TRAJECTORY": ("episode_ids", "no step of a listed episode leads to this trajectory"),
    "TRAJECTORY_EPISODE_FOREIGN": (
        "episode_ids",
        "a listed episode is not there or belongs to another trajectory",
    ),
    "OUTCOME_LISTED_AS_PROCESS": ("process_reward_refs", "a listed process reward is an outcome reward"),
    "COLD_REPLAY_CONFLICT": ("trajectory_group_id", "more than one cold replay speaks for this trajectory"),
    "TRAJECTORY_OUTCOME_MISMATCH": (
        "outcome_reward_ref",
        "the trajectory's outcome reward is not there, of another kind, or of another trajectory",
    ),
    "ORPHAN_COLD_REPLAY": ("replay_id", "no episode names this cold replay, or its trajectory is not there"),
    "COLD_REPLAY_NOT_GOOD": ("status", "the cold replay did not pass or is not redacted"),
}


def check_joins(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """Check every reference in both directions. Source: ``docs/reference/replay-format.md``."""
    for name, masks in (
        (_EPISODE, _episodes(indexes)),
        (_BELIEF, _beliefs(indexes)),
        (_FEEDBACK, _feedback(indexes)),
        (_REWARD, _rewards(indexes)),
        (_TRAJECTORY, _trajectories(indexes)),
        (_REPLAY, _replays(indexes)),
    ):
        for index, codes in raised(masks):
            for code in codes:
                field, message = _WORDS[code]
                sink.row(code, documents[name], index, field, message)


def _episodes(i: Indexes) -> dict[str, BoolArray]:
    own, trajectory_id = _field(i, _EPISODE, "episode_id"), _field(i, _EPISODE, "trajectory_group_id")
    trajectory = i.row_of[_TRAJECTORY][trajectory_id]
    outcome_ref = _field(i, _EPISODE, "outcome_reward_ref")
    outcome = i.row_of[_REWARD][outcome_ref]
    replay = i.row_of[_REPLAY][_field(i, _EPISODE, "cold_replay_ref")]
    strange = (i.codes[_REWARD, "episode_id"][outcome] != own) | (_named_by(i)[outcome_ref] != trajectory_id)
    return {
        "EPISODE_WITHOUT_STEPS": _uses(i, _BELIEF, "episode_id")[own] == 0,
        "ORPHAN_EPISODE": trajectory < 0,
        "EPISODE_TRAJECTORY_MISMATCH": (trajectory >= 0) & ~i.listed("episode_ids", trajectory, own),
        "EPISODE_OUTCOME_MISSING": outcome < 0,
        "EPISODE_OUTCOME_MISMATCH": (outcome >= 0) & strange,
        "EPISODE_COLD_REPLAY_MISMATCH": (replay < 0)
        | (i.codes[_REPLAY, "trajectory_group_id"][replay] != trajectory_id),
    }


def _beliefs(i: Indexes) -> dict[str, BoolArray]:
    trajectory_of_episode = i.codes[_EPISODE, "trajectory_group_id"][i.episode]
    process = np.bincount(
        _field(i, _REWARD, "belief_state_id")[_is_kind(i, "process")], minlength=i.size
    )  # of the empty text there is nothing to count twice: such rows have other codes
    feedback_ref = _field(i, _BELIEF, "feedback_ref")
    return {
        "BELIEF_TRAJECTORY_MISMATCH": (i.episode >= 0)
        & (trajectory_of_episode != _field(i, _BELIEF, "trajectory_group_id")),
        "BELIEF_REWARDED_TWICE": process[_field(i, _BELIEF, "belief_state_id")] > 1,
        "FEEDBACK_REUSED": _uses(i, _BELIEF, "feedback_ref")[feedback_ref] > 1,
    }


def _feedback(i: Indexes) -> dict[str, BoolArray]:
    own = _field(i, _FEEDBACK, "feedback_id")
    of_outcomes = _field(i, _REWARD, "verifier_feedback_ref")[_is_kind(i, "outcome")]
    cited = (_uses(i, _BELIEF, "feedback_ref") + np.bincount(of_outcomes, minlength=i.size))[own] > 0
    return {
        "ORPHAN_FEEDBACK": ~cited | (i.row_of[_EPISODE][_field(i, _FEEDBACK, "episode_id")] < 0),
    }


def _rewards(i: Indexes) -> dict[str, BoolArray]:
    own, trajectory_id = _field(i, _REWARD, "reward_event_id"), _field(i, _REWARD, "trajectory_group_id")
    belief = i.row_of[_BELIEF][_field(i, _REWARD, "belief_state_id")]
    trajectory = i.row_of[_TRAJECTORY][trajectory_id]
    process = _is_kind(i, "process")
    orphan = (belief < 0) | (trajectory < 0)
    unnamed = ~process & (_named_by(i)[own] != trajectory_id)
    outcomes = np.bincount(trajectory_id[_is_kind(i, "outcome")], minlength=i.size)[trajectory_id]
    elsewhere = (belief < 0) | (i.codes[_BELIEF, "episode_id"][belief] != _field(i, _REWARD, "episode_id"))
    feedback_ref = _field(i, _REWARD, "verifier_feedback_ref")
    # An outcome may rest on the feedback of the step that it names, or on one of its own.
    of_other_step = (i.codes[_BELIEF, "feedback_ref"][belief] != feedback_ref) & (
        _uses(i, _BELIEF, "feedback_ref")[feedback_ref] > 0
    )
    return {
        "ORPHAN_PROCESS_REWARD": process & orphan,
        "PROCESS_REWARD_NOT_LISTED": process & ~orphan & ~i.listed("process_reward_refs", trajectory, own),
        "OUTCOME_RELABELLED": process & (_named_by(i)[own] != -1),
        "SECOND_OUTCOME_REWARD": unnamed & (outcomes > 1),
        "ORPHAN_OUTCOME_REWARD": unnamed & (outcomes <= 1),
        "OUTCOME_BELIEF_MISMATCH": ~process & elsewhere,
        "OUTCOME_FEEDBACK_MISMATCH": ~process & ~elsewhere & of_other_step,
    }


def _trajectories(i: Indexes) -> dict[str, BoolArray]:
    own, outcome_ref = (
        _field(i, _TRAJECTORY, "trajectory_group_id"),
        _field(i, _TRAJECTORY, "outcome_reward_ref"),
    )
    count = len(own)
    owners, members = i.items[_TRAJECTORY, "episode_ids"]
    stepped = _any(owners, _uses(i, _BELIEF, "episode_id")[members] > 0, count)
    episode = i.row_of[_EPISODE][members]
    foreign = (episode < 0) | (i.codes[_EPISODE, "trajectory_group_id"][episode] != own[owners])
    listing, refs = i.items[_TRAJECTORY, "process_reward_refs"]
    rewards = i.row_of[_REWARD][refs]
    other_kind = (rewards >= 0) & ~np.append(_is_kind(i, "process"), True)[rewards]
    outcome = i.row_of[_REWARD][outcome_ref]
    not_its_own = ~np.append(_is_kind(i, "outcome"), False)[outcome]
    not_its_own |= i.codes[_REWARD, "trajectory_group_id"][outcome] != own
    return {
        "ORPHAN_TRAJECTORY": ~stepped,
        "TRAJECTORY_EPISODE_FOREIGN": _any(owners, foreign, count),
        "OUTCOME_LISTED_AS_PROCESS": _any(listing, other_kind | (refs == outcome_ref[listing]), count),
        "COLD_REPLAY_CONFLICT": _uses(i, _REPLAY, "trajectory_group_id")[own] > 1,
        "TRAJECTORY_OUTCOME_MISMATCH": (outcome < 0) | not_its_own,
    }


def _replays(i: Indexes) -> dict[str, BoolArray]:
    own, trajectory_id = _field(i, _REPLAY, "replay_id"), _field(i, _REPLAY, "trajectory_group_id")
    named = _uses(i, _EPISODE, "cold_replay_ref")[own] > 0
    return {
        "ORPHAN_COLD_REPLAY": ~named | (i.row_of[_TRAJECTORY][trajectory_id] < 0),
        "COLD_REPLAY_NOT_GOOD": ~np.fromiter(map(good_replay, i.rows[_REPLAY]), bool, len(own)),
    }


def _field(i: Indexes, file: str, field: str) -> IntArray:
    """The codes of one field, a row each."""
    return i.codes[file, field][:-1]


def _uses(i: Indexes, file: str, field: str) -> IntArray:
    """Code → how many rows of a file have it in this field."""
    return np.bincount(_field(i, file, field), minlength=i.size)


def _named_by(i: Indexes) -> IntArray:
    """Code of a reward → code of the trajectory that names it as its outcome; −1 where none does, −2 where several."""
    refs, owners = _field(i, _TRAJECTORY, "outcome_reward_ref"), _field(i, _TRAJECTORY, "trajectory_group_id")
    found = np.full(i.size, -1, np.int64)
    found[refs] = owners
    found[refs[found[refs] != owners]] = -2
    return found


def _is_kind(i: Indexes, kind: str) -> BoolArray:
    rewards = i.rows[_REWARD]
    return np.fromiter((row.reward_kind == kind for row in rewards), bool, len(rewards))


def _any(owners: IntArray, holds: BoolArray, count: int) -> BoolArray:
    """Per row, whether something holds for any of its items."""
    return np.bincount(owners[holds], minlength=count) > 0
