"""Rows by id, and what each belief leads to: the one place where references are looked up."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from msgspec import Struct

from .rows import (
    LAYOUTS,
    BeliefRow,
    ColdReplayRow,
    Document,
    EpisodeRow,
    FeedbackRow,
    RewardRow,
    TrajectoryRow,
    joined_rows,
)

Row = TypeVar("Row")


class Chain(Struct, gc=False):
    """What one belief leads to; None for what is not there."""

    belief: BeliefRow
    episode: EpisodeRow | None
    feedback: FeedbackRow | None
    reward: RewardRow | None
    trajectory: TrajectoryRow | None
    outcome: RewardRow | None
    replay: ColdReplayRow | None


@dataclass(frozen=True, slots=True)
class Indexes:
    """Rows by id, with references as text; of two rows with one id the later counts (strictly, it is refused).

    Attributes:
        rows: file → its rows as `joined_rows` gives them, in file order.
        chains: what each belief leads to, in file order.
        listed: trajectory → its process rewards; `members` its episodes.
    """

    rows: dict[str, list[Any]]
    episodes: dict[str, EpisodeRow]
    beliefs: dict[str, BeliefRow]
    feedback: dict[str, FeedbackRow]
    rewards: dict[str, RewardRow]
    process_of_belief: dict[str, RewardRow]
    trajectories: dict[str, TrajectoryRow]
    replays: dict[str, ColdReplayRow]
    replay_of_trajectory: dict[str, ColdReplayRow]
    listed: dict[str, Container[str]]
    members: dict[str, Container[str]]
    chains: list[Chain]

    @classmethod
    def build(cls, documents: dict[str, Document]) -> Indexes:
        """Index all rows once."""
        rows = {name: joined_rows(documents[name]) for name in LAYOUTS}
        episodes = _by("episode_id", rows["task_episodes.json"])
        feedback = _by("feedback_id", rows["verifier_feedback.json"])
        rewards = _by("reward_event_id", rows["reward_events.json"])
        process = [row for row in rows["reward_events.json"] if row.reward_kind == "process"]
        of_belief = _by("belief_state_id", process)
        trajectories = _by("trajectory_group_id", rows["trajectory_groups.json"])
        of_trajectory = _by("trajectory_group_id", rows["cold_replay.json"])
        chains = []
        for belief in rows["belief_states.json"]:
            trajectory = trajectories.get(belief.trajectory_group_id)
            chains.append(
                Chain(
                    belief,
                    episodes.get(belief.episode_id),
                    feedback.get(belief.feedback_ref),
                    of_belief.get(belief.belief_state_id),
                    trajectory,
                    rewards.get(trajectory.outcome_reward_ref) if trajectory is not None else None,
                    of_trajectory.get(belief.trajectory_group_id),
                )
            )
        return cls(
            rows=rows,
            episodes=episodes,
            beliefs=_by("belief_state_id", rows["belief_states.json"]),
            feedback=feedback,
            rewards=rewards,
            process_of_belief=of_belief,
            trajectories=trajectories,
            replays=_by("replay_id", rows["cold_replay.json"]),
            replay_of_trajectory=of_trajectory,
            listed={key: _searchable(row.process_reward_refs) for key, row in trajectories.items()},
            members={key: _searchable(row.episode_ids) for key, row in trajectories.items()},
            chains=chains,
        )


def _searchable(refs: list[str]) -> Container[str]:
    """A list to look things up in: a set where it is long, so that a long trajectory costs no square."""
    return frozenset(refs) if len(refs) > 8 else refs


def _by(field: str, rows: Iterable[Row]) -> dict[str, Row]:
    key = attrgetter(field)
    return {value: row for row in rows if (value := key(row))}
