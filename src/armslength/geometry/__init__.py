"""Vectors → features of every prefix."""

from .levels import Spans, current_run_spans, first_run_spans, levels, prefix_spans, readable

__all__ = ["Spans", "current_run_spans", "first_run_spans", "levels", "prefix_spans", "readable"]
