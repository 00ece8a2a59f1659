"""Spans of the public trace and their digests, made column by column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType

from .chains import BoolArray, Indexes, column
from .names import PASS
from .rows import BeliefRow, FeedbackRow, RewardRow, absent_as_none

RAW_FIELDS = (
    "belief_discrepancy",
    "feedback_kind",
    "outcome_reward_value",
    "reward_hacking_trap_result",
    "reward_value",
)


class _Digested(Struct, gc=False):
    """What the input digest of a span is over; fields in the order of their names."""

    belief_discrepancy: Any
    belief_state_id: str
    cold_replay_ref: Any
    feedback_ref: str
    observation_digest_ref: Any
    predicted_next_evidence: Any
    process_reward_ref: str
    reward_value: Any
    trajectory_group_id: str


class Span(Struct, gc=False):
    """One step of the trace; fields in the order of their names."""

    action_kind: str
    agent: str
    authority_verdict_id: str
    belief_discrepancy: Any
    belief_state_id: str
    body_in_receipt: bool
    cold_replay_receipt_ref: str | None
    duration_ms: int
    episode_id: str
    feedback_kind: Any
    feedback_ref: str
    hidden_reasoning_exported: bool
    input_digest: str
    observation_ref: str
    outcome: str
    outcome_reward_ref: str
    outcome_reward_value: Any
    private_ref_metadata_only: bool
    process_reward_ref: str
    recovery_ref: str | UnsetType
    reward_hacking_trap_result: Any
    reward_value: Any
    sequence_index: int
    session_id: str
    source_ref: str
    span_id: str
    state_transition_ref: str
    target_refs: Sequence[str]
    tool_name: str
    turn_index: int


def make_spans(
    indexes: Indexes,
    raws: list[BeliefRow],
    rank: list[int],
    names: list[str],
    known: BoolArray,
    *,
    bundle_id: str,
    plain: bool,
) -> list[Span]:
    """One span a belief, column by column, in file order; long because a span has thirty columns.

    Args:
        indexes: the rows, joined.
        raws: the belief rows as they stand in the file.
        rank: place of each among the spans.
        names: what the spans are called.
        known: per belief of the file, whether its outcome reward is one.
        bundle_id: session of the spans.
        plain: whether all texts and numbers are such that any JSON writer writes them alike.
    """
    beliefs = indexes.rows["belief_states.json"]
    feedback_refs, trajectory_ids = column(beliefs, "feedback_ref"), column(beliefs, "trajectory_group_id")
    replay_refs = [ref or None for ref in indexes.texts("cold_replay.json", "replay_id", indexes.replay)]
    rewards = [*indexes.rows["reward_events.json"], _NO_REWARD]
    paid = [rewards[row] for row in indexes.reward.tolist()]
    reward_refs = column(paid, "reward_event_id")
    values = list(map(absent_as_none, column(paid, "reward_value")))
    discrepancies = list(map(absent_as_none, column(raws, "belief_discrepancy")))
    feedback = [*indexes.rows["verifier_feedback.json"], FeedbackRow()]
    outcomes = np.where(known, indexes.outcome, -1).tolist()
    digested = map(
        _Digested,
        discrepancies,
        names,
        replay_refs,
        feedback_refs,
        map(absent_as_none, column(raws, "observation_digest_ref")),
        map(absent_as_none, column(raws, "predicted_next_evidence")),
        reward_refs,
        values,
        trajectory_ids,
    )
    columns = (
        repeat("belief_state_process_reward_step"),
        repeat("microcosm_public_fixture"),
        feedback_refs,
        discrepancies,
        names,
        repeat(False),
        replay_refs,
        repeat(0),
        column(beliefs, "episode_id"),
        [absent_as_none(feedback[row].feedback_kind) for row in indexes.feedback.tolist()],
        feedback_refs,
        [raw.hidden_chain_of_thought_exported is True for raw in raws],
        [digest_of(item, plain) for item in digested],
        column(beliefs, "observation_digest_ref"),
        map(_outcome, paid),
        indexes.texts("trajectory_groups.json", "outcome_reward_ref", indexes.trajectory),
        [absent_as_none(rewards[row].reward_value) for row in outcomes],
        [raw.private_ref_metadata_only is True for raw in raws],
        reward_refs,
        [ref or UNSET for ref in replay_refs],
        map(absent_as_none, column(paid, "reward_hacking_trap_result")),
        values,
        rank,
        repeat(bundle_id or "public_belief_state_process_reward_trace"),
        repeat("belief_state_process_reward_replay_bundle"),
        [f"span:{name}" for name in names],
        reward_refs,
        [[ref] if ref else [] for ref in trajectory_ids],
        repeat("belief_state_process_reward_replay"),
        rank,
    )
    return list(map(Span, *columns))


_NO_REWARD = RewardRow(reward_event_id="")


def _outcome(reward: RewardRow) -> str:
    verified = reward.reward_hacking_trap_result == PASS and reward.verifier_bypassed is False
    return "process_reward_verified" if verified else "process_reward_blocked"


def digest_of(value: Any, plain: bool) -> str:
    """SHA-256 over compact ASCII JSON with sorted keys, as the standard writer makes it."""
    if plain:
        data = msgspec.json.encode(value)
    else:
        builtins = _builtins(value)
        data = json.dumps(builtins, sort_keys=True, separators=(",", ":")).encode("ascii")
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _builtins(value: Any) -> Any:
    if isinstance(value, list):
        return [_builtins(item) for item in value]
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    return {name: item for name, item in fields.items() if item is not UNSET}


def numbers_agree(columns: Iterable[list[Any]]) -> bool:
    """Whether both JSON writers print the numbers of these columns alike: they differ on very small and large ones."""
    for numbers in columns:
        kinds = set(map(type, numbers))
        if float not in kinds:
            continue
        if kinds == {float} and min(numbers) >= _LEAST and max(numbers) < _MOST:
            continue
        if not all(type(x) is not float or x == 0 or _LEAST <= abs(x) < _MOST for x in numbers):
            return False
    return True


_LEAST, _MOST = 1e-4, 1e16
