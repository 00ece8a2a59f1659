"""Types and ranges: what every field of every row must be. One table, checked column by column."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from msgspec import UNSET

from armslength.replay.formulas import rational
from armslength.replay.names import FEEDBACK_KINDS, PASS, REQUIRED_TASK_TYPES
from armslength.replay.rows import Document

from .ids import LONGEST_NAME, is_name, visible
from .keys import problems
from .sink import Sink

Range = tuple[float, float]
BELIEF_KEYS = frozenset({"candidate_next_actions", "known_facts", "uncertainties"})
MOST_FACTS, LONGEST_SUMMARY = 60, 4000
LONGEST_FACT = 240  # characters: a public fact is a phrase; a train of thought is not


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value.

    Attributes:
        clean: whether a whole column holds nothing else, given the types in it and whether the file is plain;
            quick, and never true where `problem` finds something.
        problem: (code, message) against one value, or None.
    """

    clean: Callable[[list[Any], frozenset[type], bool], bool]
    problem: Callable[[Any], tuple[str, str] | None]


def check_fields(documents: Mapping[str, Document], ranges: Mapping[str, Range], sink: Sink) -> None:
    """Check every field of every row against the table.

    Args:
        documents: the six files with rows, by name.
        ranges: field → lowest and highest number that the policy declares; [0, 1] where it declares none.
        sink: takes FIELD_MISSING, ID_NOT_STRING, FLAG_MISSING, FLAG_NOT_BOOLEAN, FLAG_WRONG, VALUE_NOT_ALLOWED,
            REWARD_VALUE_OUT_OF_RANGE, DISCREPANCY_OUT_OF_RANGE, RELIABILITY_INVALID, the EMPTY codes of lists,
            LIST_ITEM_NOT_TEXT, and the BELIEF codes.
    """
    for name, table in _TABLE.items():
        document = documents[name]
        for key, fixed in table.items():
            kind = fixed or _ratio(_RANGE_CODES[key], *ranges.get(key, (0.0, 1.0)))
            column = document.column(key)
            if kind.clean(column, document.types(key), document.plain):
                continue
            for index, value in enumerate(column):
                found = kind.problem(value)
                if found is not None:
                    sink.row(found[0], document, index, key, found[1])
                    for code, message in problems("", value, free=False):
                        sink.row(code, document, index, key, message)


def declared_ranges(policy: Any, sink: Sink) -> dict[str, Range]:
    """The ``value_ranges`` of a policy: field → lowest and highest number (VALUE_RANGE_INVALID)."""
    declared = policy.get("value_ranges", {}) if isinstance(policy, dict) else {}
    found: dict[str, Range] = {}
    listed: dict[str, Any] = declared if isinstance(declared, dict) else {"": None}
    for key, limits in listed.items():
        try:
            low, high = (rational(limit) for limit in (limits if isinstance(limits, list) else ()))
            if key != "reward_value" or not low < high:
                raise ValueError
            found[key] = (float(low), float(high))
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            message = (
                "a pair of rationals for reward_value is expected; reliability and discrepancy lie in [0, 1]"
            )
            sink.file("VALUE_RANGE_INVALID", "reward_policy.json", f"value_ranges/{key}", message)
    return found


def _id() -> Kind:
    def problem(value: Any) -> tuple[str, str] | None:
        if value is UNSET or value is None:
            return "FIELD_MISSING", "the field is not there"
        if not isinstance(value, str):
            return "ID_NOT_STRING", f"ids and references are text, not {type(value).__name__}"
        if not value.strip():
            return "FIELD_MISSING", "the field is blank"
        if not is_name(value):
            return (
                "ID_TOO_LONG",
                f"an id or reference has at most {LONGEST_NAME} characters and is no sentence",
            )
        if not visible(value):
            return "ID_INVISIBLE_CHARACTER", "the id holds a character that cannot be seen"
        return None

    def clean(column: list[Any], types: frozenset[type], plain: bool) -> bool:
        return types <= {str} and _all_visible(column, plain) and _all_names(column)

    return Kind(clean, problem)


def _flag(wanted: bool, wrong: str = "FLAG_WRONG") -> Kind:
    def problem(value: Any) -> tuple[str, str] | None:
        if value is UNSET or value is None:
            return "FLAG_MISSING", f"the flag must be there and be {str(wanted).lower()}"
        if not isinstance(value, bool):
            return "FLAG_NOT_BOOLEAN", f"true or false is expected, not {type(value).__name__}"
        return None if value is wanted else (wrong, f"the flag must be {str(wanted).lower()}")

    def clean(column: list[Any], types: frozenset[type], plain: bool) -> bool:
        del plain
        return types <= {bool} and (not wanted) not in column

    return Kind(clean, problem)


def _one_of(*allowed: str) -> Kind:
    def problem(value: Any) -> tuple[str, str] | None:
        if isinstance(value, str) and value in allowed:
            return None
        return "VALUE_NOT_ALLOWED", f"one of {', '.join(allowed)} is expected"

    def clean(column: list[Any], types: frozenset[type], plain: bool) -> bool:
        del plain
        return types <= {str} and set(column) <= set(allowed)

    return Kind(clean, problem)


def _ratio(code: str, low: float, high: float) -> Kind:
    def problem(value: Any) -> tuple[str, str] | None:
        number = type(value) in (int, float)
        if number and (isinstance(value, int) or math.isfinite(value)) and low <= value <= high:
            return None
        return code, f"a finite number from {low:g} to {high:g} is expected"

    def clean(column: list[Any], types: frozenset[type], plain: bool) -> bool:
        del plain
        if not types <= {float} or not all(map(math.isfinite, column)):
            return False
        return not column or (min(column) >= low and max(column) <= high)

    return Kind(clean, problem)


def _texts(empty: str) -> Kind:
    def problem(value: Any) -> tuple[str, str] | None:
        if not isinstance(value, list) or not value:
            return empty, "a list of references is expected, with one at least"
        if not all(isinstance(item, str) for item in value):
            return "LIST_ITEM_NOT_TEXT", "the list holds something that is no text"
        if not all(item.strip() for item in value):
            return empty, "the list holds a blank"
        if not all(map(is_name, value)):
            return "ID_TOO_LONG", f"a reference has at most {LONGEST_NAME} characters and is no sentence"
        if not all(map(visible, value)):
            return "ID_INVISIBLE_CHARACTER", "the list holds a character that cannot be seen"
        return (
            ("LIST_ITEM_REPEATED", "the list names one thing twice") if len(set(value)) < len(value) else None
        )

    def clean(column: list[Any], types: frozenset[type], plain: bool) -> bool:
        if not types <= {list} or not all(column):
            return False
        items = list(chain.from_iterable(column))
        single = len(items) == len(column)
        distinct = single or all(
            len(set(value)) == len(value) for value in column if set(map(type, value)) <= {str}
        )
        texts = set(map(type, items)) <= {str} and _all_visible(items, plain)
        return distinct and texts and _all_names(items)

    return Kind(clean, problem)


def _belief() -> Kind:
    def problem(value: Any) -> tuple[str, str] | None:
        if not isinstance(value, dict):
            return "FIELD_MISSING", "a belief summary is an object"
        unknown = sorted(set(value) - BELIEF_KEYS)
        if unknown:
            return (
                "UNKNOWN_BELIEF_KEY",
                f"a belief summary holds {', '.join(sorted(BELIEF_KEYS))} and nothing else",
            )
        if BELIEF_KEYS - set(value) or not any(value.values()):
            return "BELIEF_EMPTY", "the belief summary lacks a list or holds nothing"
        found = [found for _, items in sorted(value.items()) if (found := _facts(items)) is not None]
        return found[0] if found else _crowd(value)

    def clean(column: list[Any], types: frozenset[type], plain: bool) -> bool:
        if not types <= {dict} or any(value.keys() != BELIEF_KEYS for value in column):
            return False
        lists = list(chain.from_iterable(value.values() for value in column))
        if not set(map(type, lists)) <= {list} or not all(lists):
            return False
        items = list(chain.from_iterable(lists))
        if not set(map(type, items)) <= {str} or not _all_visible(items, plain):
            return False
        many = max(map(len, lists), default=0) * len(BELIEF_KEYS)
        fact = max(map(len, items), default=0)
        return fact <= LONGEST_FACT and many <= MOST_FACTS and many * fact <= LONGEST_SUMMARY

    return Kind(clean, problem)


def _crowd(value: dict[str, list[str]]) -> tuple[str, str] | None:
    """A summary is short: many facts in a row can hold what one long text may not."""
    items = list(chain.from_iterable(value.values()))
    if len(items) > MOST_FACTS or sum(map(len, items)) > LONGEST_SUMMARY:
        limit = f"at most {MOST_FACTS} facts and {LONGEST_SUMMARY} characters"
        return "BELIEF_TEXT_LONG", f"a belief summary has {limit} in all"
    return None


def _all_visible(items: list[str], plain: bool) -> bool:
    """Whether all texts hold something to see; `plain` files can hold no invisible character."""
    if not all(items):
        return False
    joined = "".join(items)
    return (plain or joined.isprintable()) and (" " not in joined or all(map(str.strip, items)))


def _all_names(items: list[str]) -> bool:
    return max(map(len, items), default=0) <= LONGEST_NAME and not any(" " in item for item in items)


def _facts(items: Any) -> tuple[str, str] | None:
    if not isinstance(items, list) or not all(isinstance(item, str) and item.strip() for item in items):
        return "BELIEF_ITEM_NOT_TEXT", "a belief summary holds lists of texts"
    if any(len(item) > LONGEST_FACT or "\n" in item for item in items):
        return "BELIEF_TEXT_LONG", f"a public fact has one line of at most {LONGEST_FACT} characters"
    if not all(map(visible, items)):
        return "BELIEF_ITEM_NOT_TEXT", "a public fact holds a character that cannot be seen"
    return None


_RANGE_CODES = {
    "reward_value": "REWARD_VALUE_OUT_OF_RANGE",
    "belief_discrepancy": "DISCREPANCY_OUT_OF_RANGE",
    "reliability_score": "RELIABILITY_INVALID",
}
_ID, _FALSE = _id(), _flag(False)
_REDACTED: dict[str, Kind | None] = {
    "body_redacted": _flag(True, "BODY_NOT_REDACTED"),
    "private_ref_metadata_only": _flag(True, "PRIVATE_REF_NOT_METADATA_ONLY"),
}
# file → field → kind; None stands for a number, whose range the policy may declare.
_TABLE: dict[str, dict[str, Kind | None]] = {
    "task_episodes.json": {
        "episode_id": _ID,
        "task_type": _one_of(*REQUIRED_TASK_TYPES),
        "task_spec_hash": _ID,
        "trajectory_group_id": _ID,
        "outcome_reward_ref": _ID,
        "cold_replay_ref": _ID,
        "observation_digest_refs": _texts("OBSERVATION_EMPTY"),
        **_REDACTED,
    },
    "belief_states.json": {
        "belief_state_id": _ID,
        "episode_id": _ID,
        "step_id": _ID,
        "observation_digest_ref": _ID,
        "feedback_ref": _ID,
        "trajectory_group_id": _ID,
        "belief_state_json": _belief(),
        "predicted_next_evidence": _texts("PREDICTION_EMPTY"),
        "belief_discrepancy": None,
        "hidden_chain_of_thought_exported": _FALSE,
        **_REDACTED,
    },
    "verifier_feedback.json": {
        "feedback_id": _ID,
        "episode_id": _ID,
        "feedback_kind": _one_of(*FEEDBACK_KINDS),
        "reliability_score": None,
        "evidence_refs": _texts("EVIDENCE_EMPTY"),
        "neural_judge_only": _FALSE,
        "hidden_gold_label_present": _FALSE,
        **_REDACTED,
    },
    "reward_events.json": {
        "reward_event_id": _ID,
        "episode_id": _ID,
        "belief_state_id": _ID,
        "trajectory_group_id": _ID,
        "verifier_feedback_ref": _ID,
        "reward_kind": _one_of("process", "outcome"),
        "reward_value": None,
        "belief_discrepancy": None,
        "reward_hacking_trap_result": _one_of(PASS),
        "reward_by_formatting": _FALSE,
        "verifier_bypassed": _FALSE,
        "final_answer_only_scoring": _FALSE,
        **_REDACTED,
    },
    "trajectory_groups.json": {
        "trajectory_group_id": _ID,
        "episode_ids": _texts("TRAJECTORY_EPISODES_EMPTY"),
        "process_reward_refs": _texts("TRAJECTORY_REWARDS_EMPTY"),
        "outcome_reward_ref": _ID,
        "reward_alignment": _one_of("aligned"),
        "cold_replay_status": _one_of(PASS),
        **_REDACTED,
    },
    "cold_replay.json": {
        "replay_id": _ID,
        "trajectory_group_id": _ID,
        "status": _one_of(PASS),
        "evidence_refs": _texts("COLD_REPLAY_NO_EVIDENCE"),
        **_REDACTED,
    },
}
