"""The row tables of the receipts: own ids as text, verdict and reasons, never a body."""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter
from typing import Any

import numpy as np
from msgspec import UNSET

from .chains import Indexes, column
from .documents import number_of
from .result import Result
from .rows import Document, RewardRow, short_texts, shown_value, strings
from .semantic import recompute_rows
from .strict.planting import TRAPS, fallen_rows
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
    indexes, against = result.indexes, _Against(result, result.indexes)
    secret = any(hit.path.endswith("belief_states.json") for hit in result.scan.hits)
    own = result.reasons("belief_states.json")
    broken = result.recompute.reasons or []
    reasons = [tuple(sorted(found)) for found in against.chains(broken)] if against.any else broken
    paid = [*indexes.rows["reward_events.json"], _NO_REWARD]
    rewards = [paid[row] for row in indexes.reward.tolist()]
    verdicts = [*result.strict.values.rewards, "value_not_recomputed"]
    beliefs = result.rows("belief_states.json")
    columns = (
        [not (found or against.everywhere) for found in reasons],
        column(indexes.rows["belief_states.json"], "belief_state_id"),
        [None if found or secret else row.belief_state_json for row, found in zip(beliefs, own, strict=True)],
        repeat(False),
        column(indexes.rows["belief_states.json"], "episode_id"),
        column(rewards, "reward_event_id"),
        reasons,
        ["blocked" if found else "verified_semantic_recompute" for found in broken],
        [shown_value(reward.reward_value) for reward in rewards],
        map(shown_value, column(beliefs, "step_id")),
        [_traps(result, row) if found else _ALL_CLEAR for row, found in enumerate(reasons)],
        [verdicts[row] for row in indexes.reward.tolist()],
    )
    return sorted(map(StepOut, *columns), key=attrgetter("belief_state_id"))


_NO_REWARD = RewardRow(reward_event_id="")


class _Against:
    """Reasons against the rows of a chain; and whether the whole folder is blocked.

    Attributes:
        any: whether any row has a reason against it.
        everywhere: something blocks that is of no single row, so no step can be told clean.
    """

    def __init__(self, result: Result, indexes: Indexes) -> None:
        self.result, self.indexes = result, indexes
        self.listings = result.recompute.listings
        self.any = bool(self.listings) or any(map(any, map(result.reasons, indexes.rows)))
        self.any = self.any or any(result.recompute.reasons or ())
        strict = result.strict
        of_rows = sum(map(len, strict.rows.values())) if strict is not None else 0
        self.everywhere = (
            (strict is not None and len(strict.findings) > of_rows)
            or bool(result.modules.findings or result.scan.findings or result.faults)
            or result.scan.blocking > 0
            or any(not check.floor_kept for check in result.checks.values())
            or any(
                check.findings and check.reasons is None and name not in indexes.rows
                for name, check in result.checks.items()
            )
        )

    def chains(self, broken: list[tuple[str, ...]]) -> list[set[str]]:
        """Per belief, all reasons against the rows of its chain, and those that keep it from closing."""
        i, reasons = self.indexes, self.result.reasons
        found = [set(own) for own in broken]
        for name, rows in (
            ("belief_states.json", np.arange(len(found))),
            ("task_episodes.json", i.episode),
            ("verifier_feedback.json", i.feedback),
            ("reward_events.json", i.reward),
            ("trajectory_groups.json", i.trajectory),
            ("reward_events.json", i.outcome),
            ("cold_replay.json", i.replay),
        ):
            against = [*reasons(name), ()]
            for belief, row in enumerate(rows.tolist()):
                found[belief].update(against[row])
        for belief, row in enumerate(i.trajectory.tolist()):
            found[belief].update(self.listings.get(row, ()))
        return found


def _traps(result: Result, belief: int) -> dict[str, str]:
    """Case → whether the step of this belief fell into it, by the validators of real rows."""
    assert result.indexes is not None  # noqa: S101 - a step is only shown where rows were joined
    rows = []
    for name, row in (
        ("belief_states.json", belief),
        ("verifier_feedback.json", int(result.indexes.feedback[belief])),
        ("reward_events.json", int(result.indexes.reward[belief])),
    ):
        if row >= 0:
            rows.append((result.rows(name)[row], result.documents[name].extras.get(row, {})))
    fallen = fallen_rows(rows)
    return {case: "fired" if code in fallen else _CLEAR for code, case in TRAPS.items()}


_ALL_CLEAR = dict.fromkeys(TRAPS.values(), _CLEAR)


class _Columns:
    """The columns of a file, as receipts may show them."""

    def __init__(self, result: Result, name: str) -> None:
        self.document = result.documents.get(name) or Document(name, result.input_dir, name)
        self.rows, self.reasons = self.document.rows, result.reasons(name)

    def shown(self, field: str) -> list[Any]:
        """A field as it stands, lists and objects left out."""
        column = self.document.column(field)
        if self.document.hides and not short_texts(self.document, field):
            column = [self.document.named(value) if isinstance(value, str) else value for value in column]
        return column if self.document.types(field) <= {str} else list(map(shown_value, column))

    def text(self, field: str) -> list[str]:
        """A field as the format reads it for an id."""
        column = self.document.column(field)
        regular = self.document.types(field) <= {str} and short_texts(self.document, field)
        return column if regular else list(map(self.document.named, column))

    def strings(self, field: str) -> list[list[str]]:
        """A list of references."""
        return list(map(strings, self.document.column(field)))

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
