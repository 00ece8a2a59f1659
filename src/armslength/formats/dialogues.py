"""The rules by which dialogue corpora give outcomes: the readers' labels and `armslength.recompute` share them."""

from __future__ import annotations

from .readers import (
    abcd_flows,
    casino_outcome,
    deal_outcome,
    multiwoz_outcome,
    multiwoz_placeholders,
    star_labels,
)

__all__ = [
    "abcd_flows",
    "casino_outcome",
    "deal_outcome",
    "multiwoz_outcome",
    "multiwoz_placeholders",
    "star_labels",
]
