"""The rules by which dialogue corpora give outcomes: the readers' labels and `armslength.recompute` share them."""

from __future__ import annotations

from .readers import casino_outcome, deal_outcome, star_labels

__all__ = ["casino_outcome", "deal_outcome", "star_labels"]
