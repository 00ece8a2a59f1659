"""The row tables of the receipts: own ids as text, verdict and reasons, never a body."""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter
from typing import Any

from msgspec import UNSET

from .documents import number_of
from .result import Result
from .rows import shown_value, strings, text
from .semantic import recompute_rows
from .strict.planting import TRAP_OF_REASON, TRAPS
from .table_rows import (
    BeliefOut,
    EpisodeOut,
    FeedbackOut,
    ReplayOut,
    RewardOut,
    StepOut,
    TrajectoryOut,
)

_CLEAR = "clear"


def row_tables(result: Result) -> dict[str, list[Any]]:
    """The seven tables of the format, each sorted by its own id (cold replays as they came)."""
    recomputed = recompute_rows(result.recompute, result.indexes) if result.indexes is not None else []
    return {
        "belief_state_rows": sorted(_beliefs(result), key=attrgetter("belief_state_id")),
        "cold_replay_rows": _replays(result),
        "episode_rows": sorted(_episodes(result), key=attrgetter("episode_id")),
        "feedback_rows": sorted(_feedback(result), key=attrgetter("feedback_id")),
        "reward_rows": sorted(_rewards(result), key=attrgetter("reward_event_id")),
        "trajectory_group_rows": sorted(_trajectories(result), key=attrgetter("trajectory_group_id")),
        "semantic_recompute_rows": recomputed,
    }


def step_rows(result: Result) -> list[StepOut]:
    """One row a belief, sorted by belief id; strict profile only.

    A step is admitted if no row of its chain (episode, belief, feedback, reward, trajectory, outcome, cold
    replay) has a reason against it and no file-wide finding blocks.
    """
    if result.strict is None or result.indexes is None:
        return []
    indexes, against = result.indexes, _Against(result)
    verdicts = dict(
        zip(map(id, result.rows("reward_events.json")), result.strict.values.rewards, strict=True)
    )
    rows = []
    chains = zip(
        result.rows("belief_states.json"),
        result.reasons("belief_states.json"),
        result.recompute.reasons or (),
        strict=True,
    )
    for belief, own, broken in chains:
        key = text(belief.belief_state_id)
        reward = indexes.process_of_belief.get(key)
        reasons = {*own, *broken}
        if against.rows:
            reasons |= against.chain(belief, reward, indexes)
        fallen = {TRAP_OF_REASON[reason] for reason in reasons if reason in TRAP_OF_REASON} if reasons else ()
        rows.append(
            StepOut(
                admitted=not reasons and not against.everywhere,
                belief_state_id=key,
                belief_summary=None if own else belief.belief_state_json,
                body_in_receipt=False,
                episode_id=text(belief.episode_id),
                process_reward_ref=text(reward.reward_event_id) if reward is not None else "",
                reason_codes=tuple(sorted(reasons)) if reasons else (),
                recompute_verdict="blocked" if broken else "verified_semantic_recompute",
                reward_value=shown_value(reward.reward_value) if reward is not None else None,
                step_id=shown_value(belief.step_id),
                traps=_traps(fallen) if fallen else _ALL_CLEAR,
                value_verdict=verdicts.get(id(reward), "value_not_recomputed"),
            )
        )
    rows.sort(key=lambda row: row.belief_state_id)
    return rows


class _Against:
    """Reasons against rows by the row itself, to collect those of a chain; and what concerns no single row."""

    def __init__(self, result: Result) -> None:
        self.rows: dict[int, tuple[str, ...]] = {}
        for name in result.checks:
            if result.documents[name].value is None or result.rows(name):
                for row, reasons in zip(result.rows(name), result.reasons(name), strict=True):
                    if reasons:
                        self.rows[id(row)] = reasons
        of_rows = sum(len(codes) for codes in result.strict.rows.values()) if result.strict is not None else 0
        strict = len(result.strict.findings) if result.strict is not None else 0
        self.everywhere = strict > of_rows or bool(result.modules.findings) or result.scan.blocking > 0

    def chain(self, belief: Any, reward: Any, indexes: Any) -> set[str]:
        trajectory = indexes.trajectories.get(text(belief.trajectory_group_id))
        rows = [
            indexes.episodes.get(text(belief.episode_id)),
            indexes.feedback.get(text(belief.feedback_ref)),
            reward,
            trajectory,
            indexes.rewards.get(text(trajectory.outcome_reward_ref)) if trajectory is not None else None,
            indexes.replay_of_trajectory.get(text(belief.trajectory_group_id)),
        ]
        return {reason for row in rows for reason in self.rows.get(id(row), ())}


def _traps(fallen: Any) -> dict[str, str]:
    return {case: "fired" if code in fallen else _CLEAR for code, case in TRAPS.items()}


_ALL_CLEAR = _traps(())


class _Columns:
    """The columns of a file, as receipts may show them."""

    def __init__(self, result: Result, name: str) -> None:
        self.rows, self.reasons = result.rows(name), result.reasons(name)

    def shown(self, field: str) -> list[Any]:
        """A field as it stands, lists and objects left out."""
        column = list(map(attrgetter(field), self.rows))
        return column if set(map(type, column)) <= {str} else list(map(shown_value, column))

    def text(self, field: str) -> list[str]:
        """A field as the format reads it for an id."""
        column = list(map(attrgetter(field), self.rows))
        return column if set(map(type, column)) <= {str} else list(map(text, column))

    def strings(self, field: str) -> list[list[str]]:
        """A list of references."""
        return list(map(strings, map(attrgetter(field), self.rows)))

    def verdicts(self, accepted: str) -> list[str]:
        """Accepted, or blocked where a row has reasons."""
        return ["blocked" if found else accepted for found in self.reasons]


def _episodes(result: Result) -> list[EpisodeOut]:
    c = _Columns(result, "task_episodes.json")
    columns = (
        repeat(False),
        c.shown("cold_replay_ref"),
        c.verdicts("accepted_episode"),
        c.text("episode_id"),
        map(len, c.strings("observation_digest_refs")),
        c.shown("outcome_reward_ref"),
        c.reasons,
        c.text("task_type"),
        c.shown("trajectory_group_id"),
    )
    return list(map(EpisodeOut, *columns))


def _beliefs(result: Result) -> list[BeliefOut]:
    c = _Columns(result, "belief_states.json")
    columns = (
        c.shown("belief_discrepancy"),
        c.text("belief_state_id"),
        repeat(False),
        c.verdicts("accepted_belief_state"),
        c.shown("episode_id"),
        c.shown("feedback_ref"),
        c.shown("observation_digest_ref"),
        map(len, c.strings("predicted_next_evidence")),
        c.reasons,
        c.shown("step_id"),
        c.shown("trajectory_group_id"),
    )
    return list(map(BeliefOut, *columns))


def _feedback(result: Result) -> list[FeedbackOut]:
    c = _Columns(result, "verifier_feedback.json")
    scores = [shown_value(number_of(row.reliability_score)) for row in c.rows]
    columns = (
        repeat(False),
        c.verdicts("accepted_feedback"),
        c.shown("episode_id"),
        map(len, c.strings("evidence_refs")),
        c.text("feedback_id"),
        c.shown("feedback_kind"),
        c.reasons,
        scores,
    )
    return list(map(FeedbackOut, *columns))


def _rewards(result: Result) -> list[RewardOut]:
    c = _Columns(result, "reward_events.json")
    verdicts: Any = result.strict.values.rewards if result.strict is not None else repeat(UNSET)
    columns = (
        c.shown("belief_discrepancy"),
        c.shown("belief_state_id"),
        repeat(False),
        c.verdicts("accepted_reward_event"),
        c.shown("episode_id"),
        c.reasons,
        c.text("reward_event_id"),
        c.shown("reward_hacking_trap_result"),
        c.text("reward_kind"),
        c.shown("reward_value"),
        verdicts,
        c.shown("verifier_feedback_ref"),
    )
    return list(map(RewardOut, *columns))


def _trajectories(result: Result) -> list[TrajectoryOut]:
    c = _Columns(result, "trajectory_groups.json")
    columns = (
        repeat(False),
        c.shown("cold_replay_status"),
        c.verdicts("accepted_trajectory_group"),
        c.strings("episode_ids"),
        c.shown("outcome_reward_ref"),
        map(len, c.strings("process_reward_refs")),
        c.reasons,
        c.shown("reward_alignment"),
        c.text("trajectory_group_id"),
    )
    return list(map(TrajectoryOut, *columns))


def _replays(result: Result) -> list[ReplayOut]:
    c = _Columns(result, "cold_replay.json")
    columns = (
        repeat(False),
        c.strings("evidence_refs"),
        [row.private_ref_metadata_only is True for row in c.rows],
        c.reasons,
        c.shown("replay_id"),
        c.shown("status"),
        c.shown("trajectory_group_id"),
    )
    return list(map(ReplayOut, *columns))
