"""Exact scores of linear heads; needs numpy only."""

from .exact import GRID, ExactHead, running_maximum, score, turn_values

__all__ = ["GRID", "ExactHead", "running_maximum", "score", "turn_values"]
