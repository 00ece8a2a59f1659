"""Spans of the public trace and their digests, made column by column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from .chains import Chain
from .names import PASS
from .rows import BeliefRow, RewardRow, absent_as_none

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
    chains: list[Chain],
    raws: list[BeliefRow],
    names: list[str],
    known: list[bool],
    *,
    bundle_id: str,
    plain: bool,
) -> list[Span]:
    """One span a belief, column by column; `raws` are the rows as they stand in the file."""
    beliefs = [chain.belief for chain in chains]
    feedback_refs = [belief.feedback_ref for belief in beliefs]
    trajectory_ids = [belief.trajectory_group_id for belief in beliefs]
    replay_refs = [(c.replay.replay_id or None) if c.replay is not None else None for c in chains]
    reward_refs = [c.reward.reward_event_id if c.reward is not None else "" for c in chains]
    values = [absent_as_none(c.reward.reward_value) if c.reward is not None else None for c in chains]
    traps = [
        absent_as_none(c.reward.reward_hacking_trap_result) if c.reward is not None else None for c in chains
    ]
    discrepancies = [absent_as_none(raw.belief_discrepancy) for raw in raws]
    digested = map(
        _Digested,
        discrepancies,
        names,
        replay_refs,
        feedback_refs,
        [absent_as_none(raw.observation_digest_ref) for raw in raws],
        [absent_as_none(raw.predicted_next_evidence) for raw in raws],
        reward_refs,
        values,
        trajectory_ids,
    )
    outcome_refs = [c.trajectory.outcome_reward_ref if c.trajectory is not None else "" for c in chains]
    columns = (
        repeat("belief_state_process_reward_step"),
        repeat("microcosm_public_fixture"),
        feedback_refs,
        discrepancies,
        names,
        repeat(False),
        replay_refs,
        repeat(0),
        [belief.episode_id for belief in beliefs],
        [absent_as_none(c.feedback.feedback_kind) if c.feedback is not None else None for c in chains],
        feedback_refs,
        [raw.hidden_chain_of_thought_exported is True for raw in raws],
        [digest_of(item, plain) for item in digested],
        [belief.observation_digest_ref for belief in beliefs],
        [_outcome(c.reward) for c in chains],
        outcome_refs,
        [
            absent_as_none(c.outcome.reward_value) if k and c.outcome else None
            for c, k in zip(chains, known, strict=True)
        ],
        [raw.private_ref_metadata_only is True for raw in raws],
        reward_refs,
        [ref or UNSET for ref in replay_refs],
        traps,
        values,
        range(len(chains)),
        repeat(bundle_id or "public_belief_state_process_reward_trace"),
        repeat("belief_state_process_reward_replay_bundle"),
        [f"span:{name}" for name in names],
        reward_refs,
        [[ref] if ref else [] for ref in trajectory_ids],
        repeat("belief_state_process_reward_replay"),
        range(len(chains)),
    )
    return list(map(Span, *columns))


def _outcome(reward: RewardRow | None) -> str:
    verified = (
        reward is not None and reward.reward_hacking_trap_result == PASS and reward.verifier_bypassed is False
    )
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


def numbers_agree(beliefs: list[BeliefRow], rewards: list[RewardRow]) -> bool:
    """Whether both JSON writers print these numbers alike: they differ on very small and very large ones."""
    numbers = [row.belief_discrepancy for row in beliefs] + [row.reward_value for row in rewards]
    if set(map(type, numbers)) <= {float} and numbers and min(numbers) >= 1e-4 and max(numbers) < 1e16:
        return True
    return all(type(x) is not float or x == 0 or 1e-4 <= abs(x) < 1e16 for x in numbers)
