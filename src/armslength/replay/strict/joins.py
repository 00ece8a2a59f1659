"""Joins: every reference resolves to one row of the right kind and episode, and nothing lies outside a chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter

from armslength.replay.chains import Indexes
from armslength.replay.row_checks import good_replay
from armslength.replay.rows import Document

from .sink import Sink


@dataclass(frozen=True, slots=True)
class Uses:
    """How often each row is cited, counted once over all rows."""

    steps_of_episode: Counter[str]
    process_of_belief: Counter[str]
    beliefs_of_feedback: Counter[str]
    outcomes_of_trajectory: Counter[str]
    replays_of_trajectory: Counter[str]
    feedback_of_outcome: frozenset[str]
    trajectory_of_outcome: dict[str, str]
    replay_of_episode: frozenset[str]

    @classmethod
    def count(cls, indexes: Indexes) -> Uses:
        """Count all citations."""
        rows = indexes.rows
        beliefs, rewards = rows["belief_states.json"], rows["reward_events.json"]
        outcomes = [row for row in rewards if row.reward_kind == "outcome"]
        process = [row for row in rewards if row.reward_kind == "process"]
        return cls(
            Counter(map(attrgetter("episode_id"), beliefs)),
            Counter(map(attrgetter("belief_state_id"), process)),
            Counter(map(attrgetter("feedback_ref"), beliefs)),
            Counter(map(attrgetter("trajectory_group_id"), outcomes)),
            Counter(map(attrgetter("trajectory_group_id"), rows["cold_replay.json"])),
            frozenset(row.verifier_feedback_ref for row in outcomes),
            {row.outcome_reward_ref: row.trajectory_group_id for row in rows["trajectory_groups.json"]},
            frozenset(row.cold_replay_ref for row in rows["task_episodes.json"]),
        )


def check_joins(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """Check every reference in both directions. Source: DESIGN's joins, docs/reference/replay-format.md."""
    uses = Uses.count(indexes)
    _episodes(documents["task_episodes.json"], indexes, uses, sink)
    _beliefs(documents["belief_states.json"], indexes, uses, sink)
    _feedback(documents["verifier_feedback.json"], indexes, uses, sink)
    _rewards(documents["reward_events.json"], indexes, uses, sink)
    _trajectories(documents["trajectory_groups.json"], indexes, uses, sink)
    _replays(documents["cold_replay.json"], indexes, uses, sink)


def _episodes(document: Document, indexes: Indexes, uses: Uses, sink: Sink) -> None:
    for index, row in enumerate(indexes.rows[document.name]):
        key, trajectory_id = row.episode_id, row.trajectory_group_id
        if key not in uses.steps_of_episode:
            message = "no belief belongs to this episode"
            sink.row("EPISODE_WITHOUT_STEPS", document, index, "episode_id", message)
        trajectory = indexes.trajectories.get(trajectory_id)
        if trajectory is None:
            message = "the episode names a trajectory that is not there"
            sink.row("ORPHAN_EPISODE", document, index, "trajectory_group_id", message)
        elif key not in indexes.members[trajectory_id]:
            message = "the trajectory that the episode names does not list it"
            sink.row("EPISODE_TRAJECTORY_MISMATCH", document, index, "trajectory_group_id", message)
        outcome_ref = row.outcome_reward_ref
        outcome = indexes.rewards.get(outcome_ref)
        if outcome is None:
            message = "the episode names an outcome reward that is not there"
            sink.row("EPISODE_OUTCOME_MISSING", document, index, "outcome_reward_ref", message)
        elif outcome.episode_id != key or uses.trajectory_of_outcome.get(outcome_ref) != trajectory_id:
            message = "the outcome reward belongs to another episode, or to no trajectory"
            sink.row("EPISODE_OUTCOME_MISMATCH", document, index, "outcome_reward_ref", message)
        replay = indexes.replays.get(row.cold_replay_ref)
        if replay is None or replay.trajectory_group_id != trajectory_id:
            message = "the episode's cold replay is not there or is of another trajectory"
            sink.row("EPISODE_COLD_REPLAY_MISMATCH", document, index, "cold_replay_ref", message)


def _beliefs(document: Document, indexes: Indexes, uses: Uses, sink: Sink) -> None:
    for index, row in enumerate(indexes.rows[document.name]):
        key, feedback_ref = row.belief_state_id, row.feedback_ref
        episode = indexes.episodes.get(row.episode_id)
        if episode is not None and episode.trajectory_group_id != row.trajectory_group_id:
            message = "the belief and its episode name different trajectories"
            sink.row("BELIEF_TRAJECTORY_MISMATCH", document, index, "trajectory_group_id", message)
        if uses.process_of_belief[key] > 1:
            message = f"{uses.process_of_belief[key]} process rewards pay for this one step"
            sink.row("BELIEF_REWARDED_TWICE", document, index, "belief_state_id", message)
        if uses.beliefs_of_feedback[feedback_ref] > 1:
            message = "other steps rest on the same feedback"
            sink.row("FEEDBACK_REUSED", document, index, "feedback_ref", message)


def _feedback(document: Document, indexes: Indexes, uses: Uses, sink: Sink) -> None:
    for index, row in enumerate(indexes.rows[document.name]):
        key = row.feedback_id
        cited = key in uses.beliefs_of_feedback or key in uses.feedback_of_outcome
        if not cited or row.episode_id not in indexes.episodes:
            message = "no step cites this feedback, or its episode is not there"
            sink.row("ORPHAN_FEEDBACK", document, index, "feedback_id", message)


def _rewards(document: Document, indexes: Indexes, uses: Uses, sink: Sink) -> None:
    for index, row in enumerate(indexes.rows[document.name]):
        key, trajectory_id = row.reward_event_id, row.trajectory_group_id
        belief = indexes.beliefs.get(row.belief_state_id)
        if row.reward_kind == "process":
            if belief is None or trajectory_id not in indexes.trajectories:
                message = "the reward pays for a belief or a trajectory that is not there"
                sink.row("ORPHAN_PROCESS_REWARD", document, index, "belief_state_id", message)
            elif key not in indexes.listed[trajectory_id]:
                message = "the trajectory does not list this process reward"
                sink.row("PROCESS_REWARD_NOT_LISTED", document, index, "reward_event_id", message)
            if key in uses.trajectory_of_outcome:
                message = "a trajectory takes this process reward for its outcome"
                sink.row("OUTCOME_RELABELLED", document, index, "reward_kind", message)
            continue
        if uses.trajectory_of_outcome.get(key) != trajectory_id:
            if uses.outcomes_of_trajectory[trajectory_id] > 1:
                message = "the trajectory has another outcome reward and does not name this one"
                sink.row("SECOND_OUTCOME_REWARD", document, index, "reward_event_id", message)
            else:
                message = "the trajectory does not name this outcome reward"
                sink.row("ORPHAN_OUTCOME_REWARD", document, index, "reward_event_id", message)
        if belief is None or belief.episode_id != row.episode_id:
            message = "the outcome reward cites a belief of another episode, or none"
            sink.row("OUTCOME_BELIEF_MISMATCH", document, index, "belief_state_id", message)
        elif row.verifier_feedback_ref != belief.feedback_ref:
            _own_feedback(document, index, row.verifier_feedback_ref, uses, sink)


def _own_feedback(document: Document, index: int, feedback_ref: str, uses: Uses, sink: Sink) -> None:
    """An outcome may rest on the feedback of the step that it names, or on one of its own."""
    if feedback_ref in uses.beliefs_of_feedback:
        message = "the outcome reward rests on the feedback of another step than the one it names"
        sink.row("OUTCOME_FEEDBACK_MISMATCH", document, index, "verifier_feedback_ref", message)


def _trajectories(document: Document, indexes: Indexes, uses: Uses, sink: Sink) -> None:
    for index, row in enumerate(indexes.rows[document.name]):
        key, outcome_ref = row.trajectory_group_id, row.outcome_reward_ref
        listed, members = row.process_reward_refs, row.episode_ids
        if not any(member in uses.steps_of_episode for member in members):
            message = "no step of a listed episode leads to this trajectory"
            sink.row("ORPHAN_TRAJECTORY", document, index, "episode_ids", message)
        for member in members:
            episode = indexes.episodes.get(member)
            if episode is None or episode.trajectory_group_id != key:
                message = "a listed episode is not there or belongs to another trajectory"
                sink.row("TRAJECTORY_EPISODE_FOREIGN", document, index, "episode_ids", message)
        if outcome_ref in listed:
            message = "the trajectory lists its outcome reward as a process reward"
            sink.row("OUTCOME_LISTED_AS_PROCESS", document, index, "process_reward_refs", message)
        for ref in listed:
            reward = indexes.rewards.get(ref)
            if reward is not None and ref != outcome_ref and reward.reward_kind != "process":
                message = "a listed process reward is of another kind"
                sink.row("OUTCOME_LISTED_AS_PROCESS", document, index, "process_reward_refs", message)
        if uses.replays_of_trajectory[key] > 1:
            message = "more than one cold replay speaks for this trajectory"
            sink.row("COLD_REPLAY_CONFLICT", document, index, "trajectory_group_id", message)
        outcome = indexes.rewards.get(outcome_ref)
        if outcome is None or outcome.reward_kind != "outcome" or outcome.trajectory_group_id != key:
            message = (
                "the trajectory's outcome reward is not there, of another kind, or of another trajectory"
            )
            sink.row("TRAJECTORY_OUTCOME_MISMATCH", document, index, "outcome_reward_ref", message)


def _replays(document: Document, indexes: Indexes, uses: Uses, sink: Sink) -> None:
    for index, row in enumerate(indexes.rows[document.name]):
        trajectory_id = row.trajectory_group_id
        if row.replay_id not in uses.replay_of_episode or trajectory_id not in indexes.trajectories:
            message = "no episode names this cold replay, or its trajectory is not there"
            sink.row("ORPHAN_COLD_REPLAY", document, index, "replay_id", message)
        if not good_replay(row):
            message = "the cold replay did not pass or is not redacted"
            sink.row("COLD_REPLAY_NOT_GOOD", document, index, "status", message)
