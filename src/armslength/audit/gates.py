"""Gates: figures of an audit that must hold, for a pipeline that stops where they do not.

A gate is judged by the unfavourable end of the figure's interval: a wide interval passes nothing.

Tests: ``tests/audit/test_gates.py``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from armslength.errors import InputError

from .model import BEST_OF_5, Audit, Estimate
from .verdict import CALLS_TRIED

_OPERATORS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_GATE: Final = re.compile(r"\s*([a-z][a-z0-9_]*)\s*(<=|>=|<|>)\s*([-+]?\d+(?:\.\d+)?)\s*")

#: What a gate may be about, on the headline head; `ceiling` and `best_of_5` are the worst channel's.
FIGURES: Final = (
    "auc", "auc_r4", "auc_within", "auc_within_r4", "ceiling", "best_of_5", "one_more_call", "stop_control",
    "false_alarms", "caught",
)  # fmt: skip

_STEERING: Final = {"one_more_call": ("one more call", CALLS_TRIED), "stop_control": ("stop control", None)}


class Gate(NamedTuple):
    """A comparison of a figure with a number."""

    text: str
    figure: str
    operator: str
    bound: float


class Judged(NamedTuple):
    """A gate, whether it holds, and the figure in words."""

    gate: Gate
    holds: bool
    why: str


def parse_gate(text: str) -> Gate:
    """Read ``FIGURE OP NUMBER``, such as ``ceiling<=0.1``.

    Raises:
        InputError: it cannot be read, or names no figure (GATE_OPTION).
    """
    found = _GATE.fullmatch(text)
    if found is None or found[1] not in FIGURES:
        expected = f"FIGURE OP NUMBER with a figure of {', '.join(FIGURES)} and <=, >=, < or >"
        raise InputError("GATE_OPTION", found=text, expected=expected)
    return Gate(text.strip(), found[1], found[2], float(found[3]))


def judge_gate(gate: Gate, result: Audit) -> Judged:
    """Whether a gate holds in an audit.

    Args:
        gate: as `parse_gate` returned it.
        result: the audit.

    Returns:
        The judgement. An unmeasured figure, and one without an interval, holds no gate.
    """
    found = _estimates(gate.figure, result)
    upwards = gate.operator.startswith(">")
    if not found:
        return Judged(gate, False, "not in the result")
    for estimate in found:
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return Judged(gate, False, estimate.text())
    worst = min(found, key=lambda e: _end(e, upwards=upwards) * (1 if upwards else -1))
    end = _end(worst, upwards=upwards)
    holds = _OPERATORS[gate.operator](end, gate.bound)
    return Judged(gate, holds, f"{worst.text()}, judged by its {'lower' if upwards else 'upper'} end")


def _end(estimate: Estimate, *, upwards: bool) -> float:
    end = estimate.low if upwards else estimate.high
    return float("nan") if end is None else end


def _estimates(figure: str, result: Audit) -> list[Estimate]:
    head = result.headline
    if figure.startswith("auc"):
        read = "R4" if figure.endswith("_r4") else "R1"
        rows = [row for row in result.scores if (row.head, row.read) == (head, read)]
        return [row.auc_within_task if "within" in figure else row.auc for row in rows]
    if figure == "ceiling":
        return [row.value for row in result.ceilings if (row.head, row.kind) == (head, "sphere")]
    if figure == "best_of_5":
        return [row.removed for row in result.attacks if row.head == head and row.adversary in BEST_OF_5]
    if figure in _STEERING:
        wanted = _STEERING[figure]
        return [r.removed for r in result.steering if r.head == head and (r.kind, r.best_of) == wanted]
    alerts = [row for row in result.alerts if row.head == head]
    return [row.realised if figure == "false_alarms" else row.caught for row in alerts]
