"""The public trace: one metadata-only span per belief, and an audit of its references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from .chains import Chain, Indexes
from .findings import Finding
from .names import AUTHORITY_CEILING, BLOCKED, PASS
from .rows import (
    LAYOUTS,
    BeliefRow,
    Document,
    FeedbackRow,
    RewardRow,
    shown_value,
    strings,
    text,
)
from .spans import RAW_FIELDS, Span, digest_of, make_spans, numbers_agree

_PREFIX, _KIND = "PUBLIC_TRACE_BELIEF_REWARD_", "public_agent_execution_trace"
_COVERAGE: dict[str, Callable[[Any], Any]] = {
    "belief_state_summary_coverage": lambda span: span.belief_state_id,
    "process_reward_ref_coverage": lambda span: span.process_reward_ref,
    "cold_replay_receipt_coverage": lambda span: span.cold_replay_receipt_ref,
    "no_hidden_reasoning_export_coverage": lambda span: not span.hidden_reasoning_exported,
    "metadata_only_private_ref_coverage": lambda span: span.private_ref_metadata_only,
}


def build_public_belief_state_process_reward_trace(
    documents: dict[str, Document], indexes: Indexes, *, bundle_id: str
) -> dict[str, Any]:
    """Order the beliefs, make one span of each and audit what the spans refer to.

    Args:
        documents: the eight positive files by name.
        indexes: `Indexes.build` of them.
        bundle_id: session of the spans; empty in a fixture without a bundle manifest.

    Returns:
        The trace. ``spans`` are structs, ready to be encoded; ``status`` is ``blocked`` if the audit found
        anything. No reasoning text and no body is in it.

    Source: the reference format, ``docs/reference/replay-format.md``.
    """
    beliefs: list[BeliefRow] = documents["belief_states.json"].rows
    rewards: list[RewardRow] = documents["reward_events.json"].rows
    outcomes = {
        row.reward_event_id for row in indexes.rows["reward_events.json"] if row.reward_kind == "outcome"
    }
    plain = all(documents[name].plain for name in LAYOUTS) and _is_plain(bundle_id)
    plain = plain and numbers_agree(beliefs, rewards)
    steps = sorted(
        zip(indexes.chains, beliefs, strict=True),
        key=lambda step: (step[0].belief.episode_id, step[0].belief.step_id, step[0].belief.belief_state_id),
    )
    chains, raws = [step[0] for step in steps], [step[1] for step in steps]
    names = [chain.belief.belief_state_id or f"belief_state_{i}" for i, chain in enumerate(chains)]
    known = [c.trajectory is not None and c.trajectory.outcome_reward_ref in outcomes for c in chains]
    findings: list[Finding] = []
    for chain, name, outcome_known in zip(chains, names, known, strict=True):
        _audit(chain, name, outcome_known, findings)
    spans = make_spans(chains, raws, names, known, bundle_id=bundle_id, plain=plain)
    return _trace(documents["projection_protocol.json"].value, spans, findings, bundle_id, plain)


def _audit(chain: Chain, name: str, outcome_known: bool, findings: list[Finding]) -> None:
    """What the references of a belief lack, and what its flags admit; in the order of the format."""
    belief, feedback, reward, replay = chain.belief, chain.feedback, chain.reward, chain.replay
    if (
        outcome_known
        and feedback is not None
        and reward is not None
        and _flags(belief, feedback, reward) == _CLEAN_FLAGS
        and chain.episode is not None
        and replay is not None
        and replay.status == PASS
    ):
        return
    lacking = {
        "EPISODE_REF_MISSING": chain.episode is None,
        "FEEDBACK_REF_MISSING": feedback is None,
        "PROCESS_REF_MISSING": reward is None,
        "TRAJECTORY_REF_MISSING": chain.trajectory is None,
        "OUTCOME_REF_MISSING": not outcome_known,
        "COLD_REPLAY_REF_MISSING": replay is None or replay.status != PASS,
        "HIDDEN_REASONING_EXPORT": belief.hidden_chain_of_thought_exported is not False,
        "PRIVATE_REF_NOT_METADATA_ONLY": belief.private_ref_metadata_only is not True,
        "NEURAL_JUDGE_ONLY": feedback is not None and feedback.neural_judge_only is True,
        "HIDDEN_GOLD_LABEL": feedback is not None and feedback.hidden_gold_label_present is True,
        "FORMAT_REWARD": reward is not None and reward.reward_by_formatting is True,
        "VERIFIER_BYPASS": reward is not None and reward.verifier_bypassed is True,
        "FINAL_ANSWER_ONLY": reward is not None and reward.final_answer_only_scoring is True,
        "TRAP_FAILED": reward is not None and reward.reward_hacking_trap_result != PASS,
    }
    if True in lacking.values():
        for code, holds in lacking.items():
            if holds:
                _found(findings, code, name)


def _flags(belief: BeliefRow, feedback: FeedbackRow, reward: RewardRow) -> tuple[Any, ...]:
    return (
        belief.hidden_chain_of_thought_exported is False,
        belief.private_ref_metadata_only is True,
        feedback.neural_judge_only is True,
        feedback.hidden_gold_label_present is True,
        reward.reward_by_formatting is True,
        reward.verifier_bypassed is True,
        reward.final_answer_only_scoring is True,
        reward.reward_hacking_trap_result == PASS,
    )


_CLEAN_FLAGS = (True, True, False, False, False, False, False, True)


def _found(findings: list[Finding], code: str, subject: str) -> None:
    message = f"span of {subject}: {code.lower().replace('_', ' ')}"
    findings.append(Finding(_PREFIX + code, "public_trace", _KIND, subject, message))


def _trace(
    protocol: Any, spans: list[Span], findings: list[Finding], bundle_id: str, plain: bool
) -> dict[str, Any]:
    protocol = protocol if isinstance(protocol, dict) else {}
    lost = {finding.error_code.removeprefix(_PREFIX) for finding in findings}
    digest = digest_of(spans, plain)
    if not plain:  # what the digest is over may hold what a receipt may not: NaN, lists, objects
        for span in spans:
            for name in RAW_FIELDS:
                setattr(span, name, shown_value(getattr(span, name)))
    return {
        "audit": {
            "body_in_receipt": False,
            "coverage": {"body_in_receipt": False}
            | {name: all(map(covered, spans)) for name, covered in _COVERAGE.items()}
            | {
                "feedback_ref_coverage": "FEEDBACK_REF_MISSING" not in lost,
                "outcome_reward_ref_coverage": "OUTCOME_REF_MISSING" not in lost,
            },
            "finding_count": len(findings),
            "findings": findings,
        },
        "authority_ceiling": AUTHORITY_CEILING,
        "body_in_receipt": False,
        "bundle_id": bundle_id,
        "protocol_id": text(protocol.get("protocol_id")),
        "schema_version": "public_agent_execution_trace_refactor_v0",
        "source_refs": strings(protocol.get("source_refs")),
        "source_symbols": strings(protocol.get("source_symbols")),
        "span_count": len(spans),
        "spans": spans,
        "status": BLOCKED if findings else PASS,
        "summary": {
            "action_kind_counts": {"belief_state_process_reward_step": len(spans)} if spans else {},
            "finding_count": len(findings),
            "outcome_counts": dict(sorted(Counter(span.outcome for span in spans).items())),
            "session_count": 1,
            "total_span_count": len(spans),
            "trace_digest": digest,
        },
        "target_refs": strings(protocol.get("target_refs")),
        "target_symbols": strings(protocol.get("target_symbols")),
    }


def _is_plain(content: str) -> bool:
    return content.isascii() and content.isprintable() and "\\" not in content and '"' not in content


__all__ = ["Span", "build_public_belief_state_process_reward_trace"]
