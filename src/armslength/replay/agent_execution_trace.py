"""The public trace: one metadata-only span per belief, and an audit of its references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from .chains import BoolArray, Indexes, IntArray, column, raised
from .findings import Finding
from .names import AUTHORITY_CEILING, BLOCKED, PASS
from .rows import (
    LAYOUTS,
    BeliefRow,
    Document,
    label,
    shown_value,
    strings,
)
from .spans import RAW_FIELDS, Span, digest_of, make_spans, numbers_agree

_BELIEF, _FEEDBACK, _REWARD = "belief_states.json", "verifier_feedback.json", "reward_events.json"
_DIGESTED_NUMBERS = (
    (_BELIEF, "belief_discrepancy"),
    (_REWARD, "reward_value"),
    (_REWARD, "reward_hacking_trap_result"),
    (_FEEDBACK, "feedback_kind"),
)
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
        indexes: the rows of them, joined.
        bundle_id: session of the spans; empty in a fixture without a bundle manifest.

    Returns:
        The trace. ``spans`` are structs, ready to be encoded; ``status`` is ``blocked`` if the audit found
        anything. No reasoning text and no body is in it.

    Source: the reference format, ``docs/reference/replay-format.md``.
    """
    raws: list[BeliefRow] = documents[_BELIEF].rows
    plain = all(documents[name].plain for name in LAYOUTS) and _is_plain(bundle_id)
    plain = plain and numbers_agree(documents[name].column(field) for name, field in _DIGESTED_NUMBERS)
    rows = indexes.rows[_BELIEF]
    keys = list(
        zip(*(column(rows, key) for key in ("episode_id", "step_id", "belief_state_id")), strict=True)
    )
    order = sorted(range(len(rows)), key=keys.__getitem__)
    rank = np.empty(len(rows), np.int64)
    rank[order] = np.arange(len(rows))
    ids = zip(column(rows, "belief_state_id"), rank.tolist(), strict=True)
    names = [key or f"belief_state_{index}" for key, index in ids]
    known = _outcome_known(indexes)
    spans = make_spans(indexes, raws, rank.tolist(), names, known, bundle_id=bundle_id, plain=plain)
    audited = sorted(raised(_audit(indexes, known)), key=lambda found: rank[found[0]])
    findings = [_finding(code, names[row]) for row, codes in audited for code in codes]
    protocol = documents["projection_protocol.json"].value
    return _trace(protocol, [spans[row] for row in order], findings, bundle_id, plain)


def _finding(code: str, name: str) -> Finding:
    message = f"span of {name}: {code.lower().replace('_', ' ')}"
    return Finding(_PREFIX + code, "public_trace", _KIND, name, message)


def _outcome_known(indexes: Indexes) -> BoolArray:
    """Per belief, whether the outcome reward that its trajectory names is one (of two with one id either counts)."""
    kinds = [row.reward_kind == "outcome" for row in indexes.rows[_REWARD]]
    outcomes = np.unique(indexes.codes[_REWARD, "reward_event_id"][:-1][np.array(kinds, bool)])
    named = indexes.codes["trajectory_groups.json", "outcome_reward_ref"][indexes.trajectory]
    return np.isin(named, outcomes) & (indexes.trajectory >= 0)


def _audit(indexes: Indexes, known: BoolArray) -> dict[str, BoolArray]:
    """What the references of a belief lack, and what its flags admit; in the order of the format."""
    i = indexes

    def flags(file: str, rows: IntArray, field: str, value: object) -> BoolArray:
        """Whether a flag of the row that a belief leads to is `value`; false where there is no row."""
        found = [item is value for item in column(i.rows[file], field)]
        return np.array([*found, False])[rows]

    own = np.arange(len(i.rows[_BELIEF]))
    passes = np.array([*(row.status == PASS for row in i.rows["cold_replay.json"]), False])[i.replay]
    clear = np.array([*(row.reward_hacking_trap_result == PASS for row in i.rows[_REWARD]), True])[i.reward]
    return {
        "EPISODE_REF_MISSING": i.episode < 0,
        "FEEDBACK_REF_MISSING": i.feedback < 0,
        "PROCESS_REF_MISSING": i.reward < 0,
        "TRAJECTORY_REF_MISSING": i.trajectory < 0,
        "OUTCOME_REF_MISSING": ~known,
        "COLD_REPLAY_REF_MISSING": ~passes,
        "HIDDEN_REASONING_EXPORT": ~flags(_BELIEF, own, "hidden_chain_of_thought_exported", False),
        "PRIVATE_REF_NOT_METADATA_ONLY": ~flags(_BELIEF, own, "private_ref_metadata_only", True),
        "NEURAL_JUDGE_ONLY": flags(_FEEDBACK, i.feedback, "neural_judge_only", True),
        "HIDDEN_GOLD_LABEL": flags(_FEEDBACK, i.feedback, "hidden_gold_label_present", True),
        "FORMAT_REWARD": flags(_REWARD, i.reward, "reward_by_formatting", True),
        "VERIFIER_BYPASS": flags(_REWARD, i.reward, "verifier_bypassed", True),
        "FINAL_ANSWER_ONLY": flags(_REWARD, i.reward, "final_answer_only_scoring", True),
        "TRAP_FAILED": ~clear,
    }


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
        "protocol_id": label(protocol.get("protocol_id")),
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
