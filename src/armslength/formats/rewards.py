"""Step rewards, in whatever shape a record stores them, as one list of rows.

A reward that is missing, null, not finite, a text or a boolean is a row of its own with the reason: none of them
is 0. A list that does not fit the steps is kept without steps and is a finding.

Tests: ``tests/formats/test_rewards.py``. Reference: ``docs/reference/formats/step-rewards.md``.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TextIO

from msgspec import UnsetType

from armslength.records import StepReward, Trajectory, Turn

from .canonical import canonical
from .findings import Findings

COLUMNS: Final = ("trajectory", "step", "value", "reason", "source", "evidence", "at")

_NO_NUMBER: Final[tuple[tuple[type, str], ...]] = (
    (UnsetType, "missing"),
    (type(None), "null"),
    (bool, "boolean"),
    (str, "text"),
)


def policy_steps(turns: Iterable[Turn]) -> list[int]:
    """The steps of a run that the policy wrote, in order."""
    return list(dict.fromkeys(turn.step for turn in turns if turn.writer == "policy"))


def step_rewards(
    values: Sequence[object], steps: Sequence[int], source: str, at: str, findings: Findings
) -> tuple[StepReward, ...]:
    """Rewards of a list that has one value for each step.

    Args:
        values: as JSON gave them; ``UNSET`` where a key is missing.
        steps: the steps that the values are about, in order.
        source: the field that holds them.
        at: what findings call the record.
        findings: where a list of another length is recorded (REWARDS_UNALIGNED).

    Returns:
        One reward for each value. Where the lengths differ, none of them names a step.
    """
    if len(values) != len(steps):
        findings.add(
            "REWARDS_UNALIGNED", f"{at} {source}", found=f"{len(values)} values",
            expected=f"one for each of {len(steps)} steps",
        )  # fmt: skip
        return tuple(step_reward(None, value, source) for value in values)
    return tuple(step_reward(step, value, source) for step, value in zip(steps, values, strict=True))


def step_rewards_by_key(
    values: Mapping[str, object], steps: Iterable[int], source: str, at: str, findings: Findings
) -> tuple[StepReward, ...]:
    """Rewards of an object whose keys are steps; a key that is no step of the run is a finding."""
    known = set(steps)
    made: list[StepReward] = []
    for key, value in values.items():
        step = int(key) if key.isdecimal() and len(key) < 10 else None
        if step not in known:
            findings.add("REWARDS_UNALIGNED", f"{at} {source}", found=key, expected="a step of the run")
            step = None
        made.append(step_reward(step, value, source))
    return tuple(made)


def step_reward(
    step: int | None, value: object, source: str, evidence: list[str] | None = None
) -> StepReward:
    """One reward; what is no finite number has a reason instead of a value."""
    number, reason = _number(value)
    return StepReward(step, number, source, evidence, reason)


class RewardTable:
    """Writes step rewards as CSV, one row a reward.

    Args:
        file: text file, opened with ``newline=""``.

    Attributes:
        count: rewards written so far.
    """

    def __init__(self, file: TextIO) -> None:
        self._table = csv.writer(file, lineterminator="\n")
        self._table.writerow(COLUMNS)
        self.count = 0

    def add(self, trajectory: Trajectory) -> None:
        """Write the rewards of a run."""
        self.count += len(trajectory.rewards)
        self._table.writerows(reward_rows(trajectory))


def reward_rows(trajectory: Trajectory) -> list[tuple[object, ...]]:
    """The rewards of a run as rows of `COLUMNS`; what is not there is empty."""
    at = trajectory.origin.at if trajectory.origin else ""
    return [
        (
            trajectory.id,
            "" if reward.step is None else reward.step,
            "" if reward.value is None else repr(reward.value),
            reward.reason or "",
            reward.source,
            "" if reward.evidence is None else canonical(reward.evidence),
            at,
        )
        for reward in trajectory.rewards
    ]


def _number(value: object) -> tuple[float | None, str | None]:
    for kind, reason in _NO_NUMBER:
        if isinstance(value, kind):
            return None, reason
    if not isinstance(value, int | float):
        return None, "no number"
    try:
        number = float(value)
    except OverflowError:
        return None, "not finite"
    return (number, None) if math.isfinite(number) else (None, "not finite")
