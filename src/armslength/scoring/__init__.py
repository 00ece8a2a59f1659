"""Exact scores of linear heads; needs numpy only."""

from .exact import GRID, ExactHead, Totals, running_maximum, score, score_totals, totals, turn_values

__all__ = [
    "GRID",
    "ExactHead",
    "Totals",
    "running_maximum",
    "score",
    "score_totals",
    "totals",
    "turn_values",
]
