"""The label that verifiers' rewards give, in both versions.

Tests: ``tests/formats/readers/test_verifiers.py``. Reference: ``docs/reference/formats/verifiers.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import msgspec

from armslength.records import Grade

from ..findings import Findings
from ..outcomes import NEEDS_RULE, judge
from ..runs import Label, label_of
from ..storage.rows import decode, read_rows
from ..storage.sources import Source

#: Conditions that end a rollout because its turns were used up, in both versions.
TURN_LIMITS = frozenset({"max_turns_reached", "max_turns"})
#: Beginnings of conditions that end a rollout because something else was used up.
_OTHER_LIMITS = ("max_", "timeout", "agent_timeout", "prompt_too_long")


class _Rewards(msgspec.Struct):
    reward: Any = None
    rewards: Any = None
    traces: list[_Rewards] | None = None


_DECODER = msgspec.json.Decoder(_Rewards)


def all_binary(source: Source) -> bool:
    """Whether every finite reward of a file is 0 or 1: only then a 1 says success, and a 0 failure."""
    findings = Findings()
    rows = (decode(row, _DECODER, findings) for row in read_rows(source, findings))
    return all(judge(value).reason != NEEDS_RULE for row in rows if row is not None for value in _values(row))


def reward_label(value: object, *, binary: bool, judged: bool) -> Label:
    """The label of a reward.

    Args:
        value: the total reward.
        binary: what `all_binary` says of the file.
        judged: whether a model judged some of it.
    """
    grade: Grade = "C" if judged else "B"
    label = label_of(value)
    if not binary and (label.success is not None or label.reason == NEEDS_RULE):
        return Label(None, NEEDS_RULE, grade)
    return label._replace(grade=grade)


def total(rewards: object) -> float | None:
    """The sum of score times weight of named rewards, as verifiers adds them up; None if none was scored."""
    if not isinstance(rewards, dict):
        return None
    values = [_value(reward) for reward in rewards.values() if isinstance(reward, dict)]
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None


def limit_of(condition: object, *, truncated: bool) -> str | None:
    """The stratum of a failure, if the rollout ended because something was used up."""
    if isinstance(condition, str):
        if condition in TURN_LIMITS:
            return "step limit"
        if condition.startswith(_OTHER_LIMITS):
            return "limit"
    return "limit" if truncated else None


def is_judge(names: Iterable[object]) -> bool:
    """Whether one of these names of rewards or metrics is a judge's."""
    return any(isinstance(name, str) and "judge" in name.casefold() for name in names)


def _value(reward: dict[str, Any]) -> float | None:
    score, weight = reward.get("score"), reward.get("weight", 1.0)
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    if not isinstance(weight, int | float):
        return None
    try:
        return float(score) * float(weight)
    except OverflowError:  # a whole number beyond any float
        return math.nan


def _values(row: _Rewards) -> Iterable[object]:
    if row.reward is not None:
        yield row.reward
    for trace in (row, *(row.traces or ())):
        value = total(trace.rewards)
        if value is not None:
            yield value
