"""The traps, planted: each case is put into a passing step and sent through the validators of real rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from armslength.replay.chains import Indexes
from armslength.replay.names import EXPECTED_NEGATIVE_CASES, FORBIDDEN_KEYS, NEGATIVE_INPUT_NAMES
from armslength.replay.row_checks import belief_reasons, feedback_reasons, reward_reasons
from armslength.replay.rows import BeliefRow, Document, FeedbackRow, RewardRow, text
from armslength.replay.traps import NegativeCases, case_of, negative_rows

from .ids import is_name, visible
from .keys import forbidden, problems
from .sink import Sink

# Reason of a real row → the trap that it falls into.
TRAP_OF_REASON = {
    "hidden_reasoning_export": "BELIEF_REWARD_HIDDEN_COT_EXPORT",
    "forbidden_private_payload_key": "BELIEF_REWARD_HIDDEN_COT_EXPORT",
    "neural_judge_only": "BELIEF_REWARD_NEURAL_JUDGE_ONLY_LABEL",
    "hidden_gold_label": "BELIEF_REWARD_HIDDEN_GOLD_LABEL",
    "reward_by_formatting": "BELIEF_REWARD_FORMAT_REWARD_HACK",
    "reward_hacking_trap_failed": "BELIEF_REWARD_FORMAT_REWARD_HACK",
    "verifier_bypassed": "BELIEF_REWARD_VERIFIER_BYPASS",
    "missing_verifier_feedback_ref": "BELIEF_REWARD_VERIFIER_BYPASS",
    "benchmark_performance_claim": "BELIEF_REWARD_BENCHMARK_CLAIM",
    "final_answer_only_scoring": "BELIEF_REWARD_FINAL_ANSWER_ONLY",
}
TRAPS: dict[str, str] = {codes[0]: case for case, codes in EXPECTED_NEGATIVE_CASES.items()}
# What to change in a passing step for each trap, where no planted file says so.
_PLANTS: dict[str, dict[str, Any]] = {
    "hidden_chain_of_thought_export": {"hidden_chain_of_thought_exported": True},
    "neural_judge_only_process_label": {"neural_judge_only": True},
    "hidden_gold_label": {"hidden_gold_label_present": True},
    "reward_by_formatting": {"reward_by_formatting": True},
    "verifier_bypass": {"verifier_bypassed": True},
    "benchmark_performance_claim": {"benchmark_performance_claim": True},
    "final_answer_only_scoring": {"final_answer_only_scoring": True},
}
_IGNORED = frozenset({"case_id", "expected_negative_case_id", "body_redacted", "private_ref_metadata_only"})
# What a planted row may set; anything else it carries would go in by the side door.
_SETTINGS = frozenset(
    {
        *(key for plant in _PLANTS.values() for key in plant),
        "verifier_receipt_ref",
        "verifier_feedback_ref",
        "verifier_feedback_required",
        "reward_hacking_trap_result",
    }
)
_MOST_CASES = 8


@dataclass(frozen=True, slots=True)
class Step:
    """The three rows that one process reward rests on, and their keys that the format does not know."""

    belief: BeliefRow
    feedback: FeedbackRow
    reward: RewardRow
    extras: tuple[dict[str, Any], dict[str, Any], dict[str, Any]] = ({}, {}, {})


@dataclass(slots=True)
class Planted:
    """Case → the codes that planting it into a passing step raised; `clean` what the unchanged step raised."""

    raised: dict[str, list[str]] = field(default_factory=dict)
    clean: list[str] = field(default_factory=list)


def plant_traps(
    documents: Mapping[str, Document], indexes: Indexes, negatives: NegativeCases | None, sink: Sink
) -> Planted:
    """Plant each trap into a passing step; each must raise exactly its code, and the clean twin none.

    Args:
        documents: all documents by name; the seven planted files where the mode has them.
        indexes: the rows, joined.
        negatives: what the planted files raised by the format's own rule; None in bundle mode.
        sink: takes TRAP_NO_PASSING_STEP, TRAP_NOT_FIRED, TRAP_CODE_MISMATCH,
            TRAP_CASE_MISPLACED.
    """
    step = _passing_step(documents, indexes)
    planted = Planted()
    if step is None:
        sink.file(
            "TRAP_NO_PASSING_STEP", "belief_states.json", "", "no step passes, so no trap can be planted"
        )
    else:
        planted.clean = fallen_into(step)
    for name in NEGATIVE_INPUT_NAMES:
        case = name.removesuffix(".json")
        for at, change in _changes(documents.get(name), case, sink):
            raised = fallen_into(_with(step, change)) if step is not None else []
            planted.raised[case] = sorted({*planted.raised.get(case, []), *raised})
            if step is not None and raised != EXPECTED_NEGATIVE_CASES[case]:
                message = f"planted into a passing step it raises {', '.join(raised) or 'nothing'}"
                sink.file("TRAP_CODE_MISMATCH" if raised else "TRAP_NOT_FIRED", name, at, message)
    for case, expected in EXPECTED_NEGATIVE_CASES.items() if negatives is not None else ():
        observed = negatives.observed.get(case) if negatives is not None else None
        if observed is None:
            sink.file("TRAP_NOT_FIRED", f"{case}.json", "", "the planted case raises no code")
        elif observed != expected:
            sink.file("TRAP_CODE_MISMATCH", f"{case}.json", "", f"it raises {', '.join(observed)}")
    return planted


def fallen_rows(rows: Sequence[tuple[Any, dict[str, Any]]]) -> set[str]:
    """The traps that single rows (a belief, a feedback, a reward) fall into, each with its unknown keys."""
    checks: dict[type, Callable[[Any, dict[str, Any]], list[str]]] = {
        BeliefRow: belief_reasons,
        FeedbackRow: feedback_reasons,
        RewardRow: reward_reasons,
    }
    found: set[str] = set()
    for row, extra in rows:
        found |= {
            TRAP_OF_REASON[reason] for reason in checks[type(row)](row, extra) if reason in TRAP_OF_REASON
        }
        if extra.get("benchmark_performance_claim") is True:
            found.add("BELIEF_REWARD_BENCHMARK_CLAIM")
        if any(forbidden(key) is not None for key in extra):
            found.add("BELIEF_REWARD_HIDDEN_COT_EXPORT")
    return found


def fallen_into(step: Step) -> list[str]:
    """The traps that a step falls into, by the validators of real rows; sorted codes."""
    rows = (step.belief, step.feedback, step.reward)
    return sorted(fallen_rows(list(zip(rows, step.extras, strict=True))))


def _changes(document: Document | None, case: str, sink: Sink) -> list[tuple[str, dict[str, Any]]]:
    """What to change for this case: the planted rows of its file, or the built-in plant."""
    if document is None:
        return [("", _PLANTS[case])]
    rows = negative_rows(document.value)
    for at, row in rows:
        if case_of(row) != case:
            sink.file(
                "TRAP_CASE_MISPLACED",
                document.name,
                at.lstrip("/"),
                f"the file plants {case} and nothing else",
            )
        _check_labels(document.name, at.lstrip("/"), row, sink)
        _check_minimal(document.name, at.lstrip("/"), row, sink)
    if len(rows) > _MOST_CASES:
        sink.file(
            "TRAP_NOT_MINIMAL", document.name, "negative_cases", f"at most {_MOST_CASES} cases are expected"
        )
    value = document.value
    listed = value.get("negative_cases", []) if isinstance(value, dict) else None
    beside = value.items() if isinstance(value, dict) and listed else ()
    for key, item in beside:
        for code, message in problems(key, item, free=True) if key != "negative_cases" else ():
            sink.file(code, document.name, key, message)
    if not isinstance(listed, list) or any(not isinstance(item, dict) for item in listed):
        sink.file("ROW_NOT_OBJECT", document.name, "negative_cases", "planted cases are objects in a list")
    return [(at.lstrip("/"), {key: row[key] for key in row if key not in _IGNORED}) for at, row in rows]


def _check_labels(name: str, at: str, row: dict[str, Any], sink: Sink) -> None:
    """What a planted row says beside its flags."""
    if row.get("body_redacted", True) is not True:
        sink.file("BODY_NOT_REDACTED", name, f"{at}/body_redacted", "the flag must be true")
    for key in ("case_id", "expected_negative_case_id"):
        if key in row and not (isinstance(row[key], str) and visible(row[key]) and is_name(row[key])):
            sink.file("ID_NOT_STRING", name, f"{at}/{key}", "a name to see is expected")


def _check_minimal(name: str, at: str, row: dict[str, Any], sink: Sink) -> None:
    """A planted row sets the flags of its trap and nothing else; a forbidden key may be there, but no text under it."""
    for key, value in row.items():
        if key in FORBIDDEN_KEYS and not isinstance(value, str | list | dict):
            continue
        known = key in _SETTINGS or key in _IGNORED or key == "negative_cases"
        if (
            known
            and not isinstance(value, list | dict)
            and not (isinstance(value, str) and not is_name(value))
        ):
            continue
        if key == "negative_cases":
            continue
        of_rows = any(key in kind.__struct_fields__ for kind in (BeliefRow, FeedbackRow, RewardRow))
        found = list(problems(key, value, free=True))
        if of_rows or known or not found:
            found.append(("TRAP_NOT_MINIMAL", "a planted row sets the flags of its trap and nothing else"))
        for code, message in found:
            sink.file(code, name, f"{at}/{key}", message)


def _with(step: Step, change: dict[str, Any]) -> Step:
    """The step with a planted row's fields laid over the rows that have them; others stand beside the reward."""
    rows: list[Any] = [step.belief, step.feedback, step.reward]
    extra = dict(step.extras[2])
    for key, value in change.items():
        home = next((i for i, row in enumerate(rows) if key in row.__struct_fields__), None)
        if home is None:
            extra[key] = value
        else:
            rows[home] = msgspec.structs.replace(rows[home], **{key: value})
    return Step(rows[0], rows[1], rows[2], (step.extras[0], step.extras[1], extra))


def _passing_step(documents: Mapping[str, Document], indexes: Indexes) -> Step | None:
    """The first step, by belief id, that no row check has anything against."""
    beliefs: list[BeliefRow] = documents["belief_states.json"].rows
    for belief in sorted(beliefs, key=lambda row: text(row.belief_state_id)):
        feedback = indexes.feedback_rows.get(text(belief.feedback_ref))
        reward = indexes.process_of_belief.get(text(belief.belief_state_id))
        if feedback is None or reward is None:
            continue
        if not (belief_reasons(belief, {}) or feedback_reasons(feedback, {}) or reward_reasons(reward, {})):
            return Step(belief, feedback, reward)
    return None
