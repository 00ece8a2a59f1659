"""The drawings: to scale, inside their frame, and readable in both colour schemes."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.audit import Estimate
from armslength.report.figures import WIDTH, Entry, bars, forest

CSS = files("armslength.report").joinpath("templates/style.css").read_text()


def entry(value: float | None, low: float | None = None, high: float | None = None) -> Entry:
    return Entry("name", Estimate(value, low, high, 9, 3), "head")


def test_bars_are_to_scale():
    """Lengths are proportional to values."""
    rows = bars("title", [entry(0.25), entry(0.5), entry(1.0)], percent=True).rows
    lengths = [row.end - row.start for row in rows]
    assert lengths == pytest.approx([lengths[2] / 4, lengths[2] / 2, lengths[2]], abs=0.1)


def test_forest_marks_guessing_and_its_axis_reaches_the_lowest_bound():
    """0.5 stands between the ticks beside it, and no bound is cut off."""
    drawing = forest("title", [entry(0.6, 0.23, 0.8)])
    at = {tick.text: tick.x for tick in drawing.ticks}
    assert drawing.guess == at["0.5"]
    assert at["0.2"] < drawing.rows[0].low < at["0.3"]


def test_unmeasured_rows_have_words_and_no_mark():
    """A row without a value is drawn as words only."""
    row = bars("title", [entry(None), entry(0.5)], percent=True).rows[0]
    assert (row.end, row.low, row.high, row.text) == (None, None, None, "– unmeasured")


@given(st.lists(st.floats(-50, 500), min_size=1, max_size=6), st.booleans())
def test_nothing_leaves_the_frame(values: list[float], percent: bool):
    """Whatever the values, marks and ticks stay inside the drawing, and ticks stay few."""
    drawing = bars("title", [entry(v, v - 1, v + 1) for v in values], percent=percent)
    marks = [x for row in drawing.rows for x in (row.start, row.end, row.low, row.high) if x is not None]
    assert all(0 <= x <= WIDTH for x in [*marks, *(tick.x for tick in drawing.ticks)])
    assert percent or len(drawing.ticks) <= 8


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(scheme: str):
    """Every colour of text keeps 4.5 to 1 (WCAG AA) against the paper and against cards."""
    light, dark = re.findall(r":root\{(?:color-scheme:light dark;)?(--paper:[^}]*)\}", CSS)[:2]
    colours = dict(re.findall(r"--(\w+):#(\w{6})", {"light": light, "dark": dark}[scheme]))
    for name in ("ink", "soft", "blue", "red", "green", "amber", "grey"):
        for ground in ("paper", "card"):
            assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)


def _contrast(one: str, other: str) -> float:
    first, second = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (first + 0.05) / (second + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
