"""Geometry of the drawings: where each dot, bar and tick of a small SVG stands. The templates only print it.

Every row takes the full width (its name above it), so that a drawing reads the same on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from armslength.audit import Estimate

from .numbers import clip, figure, is_measured

WIDTH = 340.0
_MARGIN = 8.0
_ROW = 36.0
_AXIS = 26.0
_LONGEST_NAME = 30


class Row(NamedTuple):
    """One score or bar of a drawing.

    Attributes:
        name, text: what stands above it, left and right.
        tone: class of its colour.
        top, middle: y of the line of text and of the mark.
        start, end, low, high: x of the axis' origin, the value and the interval; None where there is none.
    """

    name: str
    text: str
    tone: str
    top: float
    middle: float
    start: float
    end: float | None
    low: float | None
    high: float | None


class Tick(NamedTuple):
    """A mark on the axis."""

    x: float
    text: str


class Drawing(NamedTuple):
    """A drawing: its size in user units, its rows, its ticks, and the x of the line of guessing (forest only)."""

    title: str
    width: float
    height: float
    rows: list[Row]
    ticks: list[Tick]
    guess: float | None


class Entry(NamedTuple):
    """What a row shows: its name, the estimate, and the class of its colour."""

    name: str
    estimate: Estimate
    tone: str


def forest(title: str, entries: Sequence[Entry]) -> Drawing:
    """Dots with intervals on an axis of AUC, with a line at 0.5.

    Args:
        title: what the drawing shows, for readers who do not see it.
        entries: the scores, top to bottom.

    Returns:
        The drawing; its axis ends at 1 and starts at the tenth below the lowest bound, at 0.4 or below.
    """
    bounds = [
        b for e in entries for b in (e.estimate.value, e.estimate.low) if b is not None and math.isfinite(b)
    ]
    start = max(0.0, math.floor(min([0.4, *bounds]) * 10) / 10)
    scale = _Scale(start, 1.0)
    ticks = [Tick(scale(t / 10), f"{t / 10:.1f}") for t in range(round(10 * start), 11)]
    rows = _rows(entries, scale, percent=False)
    return Drawing(title, WIDTH, _height(rows), rows, ticks, scale(0.5))


def bars(title: str, entries: Sequence[Entry], *, percent: bool) -> Drawing:
    """Bars from zero, to scale.

    Args:
        title: what the drawing shows, for readers who do not see it.
        entries: the bars, top to bottom.
        percent: whether the axis is a share from 0 to 100 %; else it ends above the largest value.

    Returns:
        The drawing. Values below zero are drawn to the left of the origin.
    """
    values = [e.estimate.value or 0.0 for e in entries if is_measured(e.estimate)]
    step = 0.25 if percent else _step(max([*values, 0.0]) - min([*values, 0.0]))
    top = 1.0 if percent else max(1, math.ceil(max([*values, 0.0]) / step)) * step
    bottom = min(0, math.floor(min([*values, 0.0]) / step)) * step
    scale = _Scale(bottom, top)
    steps = range(round(bottom / step), round(top / step) + 1)
    ticks = [Tick(scale(i * step), f"{100 * i * step:.0f} %" if percent else f"{i * step:g}") for i in steps]
    rows = _rows(entries, scale, percent=percent)
    return Drawing(title, WIDTH, _height(rows), rows, ticks, None)


class _Scale:
    """Values to x."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def __call__(self, value: float) -> float:
        inside = min(max(value, self.start), self.end)
        return round(_MARGIN + (inside - self.start) / (self.end - self.start) * (WIDTH - 2 * _MARGIN), 1)

    def maybe(self, value: float | None) -> float | None:
        return None if value is None or not math.isfinite(value) else self(value)


def _rows(entries: Sequence[Entry], scale: _Scale, *, percent: bool) -> list[Row]:
    rows = []
    for index, (name, estimate, tone) in enumerate(entries):
        words = figure(estimate, "runs", percent=percent)
        text = f"{words.value} {words.interval}".strip() if words.measured else f"{words.value} unmeasured"
        top = 13 + index * _ROW
        rows.append(
            Row(
                _short(name), text, tone, top, top + 11, scale(0.0),
                scale.maybe(estimate.value), scale.maybe(estimate.low), scale.maybe(estimate.high),
            )
        )  # fmt: skip
    return rows


def _height(rows: Sequence[Row]) -> float:
    return len(rows) * _ROW + _AXIS


def _step(span: float) -> float:
    """A round distance between ticks that gives at most six of them."""
    if span < 1e-300:  # nothing to divide, or too little for a double
        return 0.5
    power = 10.0 ** math.floor(math.log10(span / 5))
    return next(m * power for m in (1, 2, 5, 10) if span / (m * power) <= 5)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{clip(name[: _LONGEST_NAME - 1])}…"
