"""Outcomes of chat rows: what counts as a success, and why a row has none.

Nothing is guessed: a text counts by a declared table, a number only if it is 0 or 1, and everything else is
unlabelled with a reason. ``success`` rules are comparisons ``FIELD OP NUMBER``; nothing is evaluated.

Tests: ``tests/formats/test_outcomes.py``.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from armslength.errors import InputError
from armslength.records import Outcome

from .findings import Findings

#: Row fields that may hold the outcome; the first that has a value counts.
LABEL_FIELDS: Final = ("success", "outcome", "label", "resolved", "reward", "score")

SUCCESS_WORDS: Final = frozenset(
    {
        "true",
        "1",
        "yes",
        "c",
        "correct",
        "pass",
        "passed",
        "resolved",
        "solved",
        "success",
        "succeeded",
        "successful",
    }
)
FAILURE_WORDS: Final = frozenset(
    {
        "false",
        "0",
        "no",
        "i",
        "incorrect",
        "fail",
        "failed",
        "failure",
        "unresolved",
        "unsolved",
        "unsuccessful",
    }
)

NEEDS_RULE: Final = "needs --success"

_OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_RULE: Final = re.compile(
    r"\s*([A-Za-z_][\w.-]*)\s*(>=|<=|==|!=|>|<)\s*([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)\s*"
)


@dataclass(frozen=True)
class SuccessRule:
    """A comparison that says when a run succeeded."""

    field: str
    symbol: str
    bound: float

    def __str__(self) -> str:
        return f"{self.field}{self.symbol}{self.bound:g}"

    def holds(self, value: float) -> bool:
        """Whether the value satisfies the comparison."""
        return _OPERATORS[self.symbol](value, self.bound)


class Judgement(NamedTuple):
    """Success or failure, or None with the reason why there is no outcome."""

    success: bool | None
    reason: str | None = None


@lru_cache(maxsize=8)
def parse_rule(text: str | None) -> SuccessRule | None:
    """Read a success rule.

    Args:
        text: such as ``reward>=1``, or None.

    Returns:
        The rule, or None if there is no text.

    Raises:
        InputError: the text is no comparison of a field with a number (SUCCESS_RULE).
    """
    if text is None:
        return None
    match = _RULE.fullmatch(text)
    if match is None:
        raise InputError("SUCCESS_RULE", found=text, expected="FIELD OP NUMBER, such as reward>=1")
    return SuccessRule(match[1], match[2], float(match[3]))


def judge(value: object, rule: SuccessRule | None = None) -> Judgement:
    """What a label's value says.

    Args:
        value: of the field, as JSON gave it.
        rule: the caller's comparison; only numbers can satisfy it.

    Returns:
        The judgement. A boolean or a text is never taken for a number.
    """
    if rule is not None or value is None:
        return judge_number(value, rule)
    if isinstance(value, bool):
        return Judgement(value)
    if isinstance(value, str):
        return _judge_word(value)
    number = _finite(value)
    if isinstance(number, str):
        return Judgement(None, number)
    return Judgement(number == 1) if number in (0, 1) else Judgement(None, NEEDS_RULE)


def judge_number(value: object, rule: SuccessRule | None) -> Judgement:
    """What a reward says where the format has numbers only: 1 is success, any other number is failure."""
    if value is None:
        return Judgement(None, "outcome null")
    number = _finite(value)
    if isinstance(number, str):
        return Judgement(None, number)
    return Judgement(rule.holds(number) if rule else number == 1)


def outcome_of(
    judgement: Judgement, source: str, at: str, value: object, findings: Findings
) -> Outcome | None:
    """The outcome of a judgement, of grade B; one finding if a value was there that says nothing."""
    if judgement.success is not None:
        return Outcome(judgement.success, source, "B")
    if judgement.reason != "outcome null":
        found = f"{value!r:.80}" if not isinstance(value, int) else type(value).__name__
        if isinstance(value, int | float) and abs(value) < 1e15:  # exact for whole numbers of any size
            found = f"{value!r}"
        findings.add("OUTCOME_UNCLEAR", f"{at} {source}", found=found, expected=judgement.reason or "")
    return None


def _judge_word(value: str) -> Judgement:
    word = value.strip().casefold()
    if word in SUCCESS_WORDS:
        return Judgement(True)
    if word in FAILURE_WORDS:
        return Judgement(False)
    return Judgement(None, "outcome text not listed")


def _finite(value: object) -> float | str:
    """The value as a number, or why it is none."""
    if isinstance(value, bool):
        return "outcome is a boolean"
    if isinstance(value, str):
        return "outcome is a text"
    if not isinstance(value, int | float):
        return "outcome is no single value"
    try:
        number = float(value)
    except OverflowError:
        return "outcome not finite"
    return number if math.isfinite(number) else "outcome not finite"
