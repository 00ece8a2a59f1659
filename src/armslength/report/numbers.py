"""Numbers as a reader sees them: the value, its interval, what it rests on, or why there is none."""

from __future__ import annotations

import math
from typing import NamedTuple

from armslength.audit import Estimate

DASH = "–"
_LONGEST = 400


class Figure(NamedTuple):
    """An estimate in words.

    Attributes:
        value: the number, or a dash where it is unmeasured.
        interval: the bounds in brackets, ``no interval``, or nothing where it is unmeasured.
        size: what it rests on, such as ``900 runs, 150 groups``.
        reason: why it is unmeasured or carries no claim; may be empty.
        measured: whether there is a value.
    """

    value: str
    interval: str
    size: str
    reason: str
    measured: bool


def figure(estimate: Estimate, unit: str, *, signed: bool = False, percent: bool = False) -> Figure:
    """Put an estimate into words.

    Args:
        estimate: what to print.
        unit: what its n counts, in the plural, such as ``runs``.
        signed: whether a plus stands before positive values.
        percent: whether the value is a share, to be printed in per cent.

    Returns:
        The words; the dash with its reason where the value is unmeasured or not finite.
    """
    # The n stands beside the reason already.
    reason = clip((estimate.reason or "").removeprefix(f"{estimate.n} {unit}, "))
    size = of(estimate.n, unit) + (f", {of(estimate.groups, 'groups')}" if estimate.groups else "")
    if not is_measured(estimate):
        return Figure(
            DASH,
            "",
            size if estimate.n else "",
            reason or "unmeasured, without a reason",
            False,
        )
    value, low, high = estimate.value or 0.0, estimate.low, estimate.high
    interval = "no interval"
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        interval = f"[{_text(low, signed, percent)}, {_text(high, signed, percent)}]"
    text = _text(value, signed, percent) + (" %" if percent else "")
    return Figure(text, interval, size, reason, True)


def is_measured(estimate: Estimate) -> bool:
    """Whether an estimate has a finite value."""
    return estimate.value is not None and math.isfinite(estimate.value)


def of(count: int, unit: str) -> str:
    """A count with its unit, such as ``1 run`` or ``1,029 pairs``.

    Args:
        count: how many.
        unit: in the plural.

    Returns:
        The words.
    """
    return f"{count:,} {unit.removesuffix('s') if count == 1 else unit}"


def share(value: float | None) -> str:
    """A share in per cent, or a dash.

    Args:
        value: in [0, 1]; None where unmeasured.

    Returns:
        Such as ``10.6 %``.
    """
    return DASH if value is None or not math.isfinite(value) else f"{_text(value, False, True)} %"


def clip(text: str, longest: int = _LONGEST) -> str:
    """Cut text of unknown length, so that no name makes the page unreadable.

    Args:
        text: any text.
        longest: characters to keep.

    Returns:
        The text, or its beginning with a note of how much is missing.
    """
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest:,} more characters)"


def _text(value: float, signed: bool, percent: bool) -> str:
    # A bound just below zero keeps its sign, because verdicts hang on it; zero itself has none.
    number = (100 * value if percent else value) + 0.0
    digits = ".1f" if percent else ".2f"
    return format(number, f"{'+' if signed else ''}{digits}").replace("-", "−")
