"""A figure with its interval, or the reason why there is none: the unit of every result."""

from __future__ import annotations

import msgspec


class Estimate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure with its 95 % interval.

    Attributes:
        value: None where unmeasured.
        low, high: bounds; None where there are too few groups for an interval.
        n: runs (or alerts, or pairs) behind it.
        groups: resampled groups behind it.
        reason: why it is unmeasured, or why no claim may rest on it.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    groups: int
    reason: str | None = None

    def text(self, *, signed: bool = False) -> str:
        """Value and interval on one line, or why there is none."""
        if self.value is None:
            return f"unmeasured ({self.reason})"
        plus = "+" if signed else ""
        if self.low is None or self.high is None:
            return f"{self.value:{plus}.2f} (no interval)"
        return f"{self.value:{plus}.2f} [{self.low:.2f}, {self.high:.2f}]"
