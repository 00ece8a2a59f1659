"""Vectors → features of every prefix."""

from .levels import (
    EvidenceBefore,
    Spans,
    current_run_spans,
    first_run_spans,
    levels,
    prefix_spans,
    readable,
)

__all__ = [
    "EvidenceBefore",
    "Spans",
    "current_run_spans",
    "first_run_spans",
    "levels",
    "prefix_spans",
    "readable",
]
