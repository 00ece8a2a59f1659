"""Does it predict: the scores, the rivals, their paired differences, and the leak of terminal turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from armslength.audit import Audit, Estimate, Rival, Score

from . import words
from .figures import Drawing, Entry, forest
from .numbers import Figure, clip, figure, is_measured

T = TypeVar("T")

_FIRST = ("R4", "R2@0.5", "R1")
_DRAWN = ("R4", "R1")
_WORTH_SAYING = 0.02
_SMALLEST = 0.005


class Cell(NamedTuple):
    """A figure under the heading of its column, with a note of its own; no figure where the result has no such row."""

    heading: str
    figure: Figure | None
    note: str = ""


class Line(NamedTuple):
    """A row of a table: the score's name, what it reads, its class, and its cells."""

    name: str
    about: str
    tone: str
    cells: list[Cell]


class Prediction(NamedTuple):
    """Section 2 of the page."""

    headings: list[str]
    lines: list[Line]
    differences: list[Line]
    every_head: list[Line]
    explanations: list[Line]
    explanation_differences: list[Line]
    variants: list[Line]
    landmarks: list[Line]
    aggregations: list[Line]
    drawings: list[Drawing]
    drawn_on: str


def prediction(result: Audit) -> Prediction:
    """What section 2 shows.

    Args:
        result: the audit.

    Returns:
        Tables and drawings; empty where no head was fitted.
    """
    reads = _reads(result)
    heads = _by_name([(row.head, row.read, row) for row in result.scores])
    order = sorted(heads, key=lambda name: name != result.headline)
    tones = {name: "headline" if name == result.headline else "head" for name in order}
    rivals = _by_name([(row.name, row.read, row) for row in result.rivals])
    explained = _by_name([(row.name, row.read, row) for row in result.explanations])
    lines = [Line(words.score(n), words.reads_of(n) and f"reads {words.reads_of(n)}", tones[n],
                  _auc_cells(heads[n], reads)) for n in order]  # fmt: skip
    lines += [_rival(f"rival: {name}", _auc_cells(rows, reads)) for name, rows in rivals.items()]
    drawn = {at: entries for at in _DRAWN if (entries := _entries(result, at))}
    return Prediction(
        headings=[words.read(at) for at in reads],
        lines=lines,
        differences=[_rival(name, _difference_cells(rows, reads)) for name, rows in rivals.items()],
        every_head=[_rival(name, _every_head(rows, order)) for name, rows in rivals.items()],
        explanations=[_rival(name, _auc_cells(rows, reads)) for name, rows in explained.items()],
        explanation_differences=[
            _rival(name, _difference_cells(rows, reads)) for name, rows in explained.items()
        ],
        variants=_variants(result),
        landmarks=_landmarks(result, order),
        aggregations=_aggregations(result, order),
        drawings=[forest(f"AUC, {words.read(at)}", entries) for at, entries in drawn.items()],
        drawn_on=_drawn_on([entry.estimate for entries in drawn.values() for entry in entries]),
    )


def _variants(result: Audit) -> list[Line]:
    """A row for each variant of the headline head, with its difference to it."""
    found = _by_name([(row.name, row.read, row) for row in result.variants])
    lines = []
    for name, rows in found.items():
        about = next(iter(rows.values()))
        cells = [Cell(words.read(at), figure(row.auc, "runs")) for at, row in rows.items()]
        cells += [
            Cell(f"minus the head, {words.read(at)}", figure(row.difference, "runs", signed=True))
            for at, row in rows.items()
        ]
        what = f"{clip(about.encoder, 60)}; whole {clip(about.left_out, 40)} left out"
        lines.append(Line(clip(name, 80), what, "head", cells))
    return lines


def _landmarks(result: Audit, order: Sequence[str]) -> list[Line]:
    """A row for each landmark: who is still going, how many of them fail, what each head tells."""
    found = _by_name([(row.read, row.head, row) for row in result.landmarks])
    lines = []
    for at, rows in found.items():
        first = next(rows[head] for head in order if head in rows)
        cells = [Cell("failures among them", figure(first.base_rate, "runs"))]
        cells += [Cell(words.score(head), figure(rows[head].auc, "runs")) for head in order if head in rows]
        lines.append(Line(words.read(at), "", "head", cells))
    return lines


def _aggregations(result: Audit, order: Sequence[str]) -> list[Line]:
    """A row for each way of making one number of a run's scores."""
    found = _by_name([(row.kind, row.head, row) for row in result.aggregations])
    lines = []
    for kind, rows in found.items():
        heads = [head for head in order if head in rows]
        cells = [Cell(words.score(head), figure(rows[head].auc, "runs")) for head in heads]
        cells += [
            Cell(f"within task, {words.score(head)}", figure(rows[head].auc_within_task, "pairs"))
            for head in heads
        ]
        lines.append(Line(clip(kind, 80), "", "head", cells))
    return lines


def _rival(name: str, cells: list[Cell]) -> Line:
    return Line(clip(name, 80), "", "rival", cells)


def _drawn_on(estimates: Sequence[Estimate]) -> str:
    """What all figures of the drawings rest on; empty where it is not the same for all."""
    sizes = {figure(estimate, "runs").size for estimate in estimates}
    return sizes.pop() if len(sizes) == 1 else ""


class Told(NamedTuple):
    """Section 6 of the page: the two figures of the leak and what they say."""

    with_terminal: Figure
    without_terminal: Figure
    sentence: str


def leak(result: Audit) -> Told | None:
    """What section 6 shows.

    Args:
        result: the audit.

    Returns:
        The two figures with a sentence, or None where the leak was not measured.
    """
    if result.leak is None:
        return None
    told, honest = result.leak.with_terminal, result.leak.without_terminal
    sentence = "The two cannot be compared: one of them is unmeasured."
    if is_measured(told) and is_measured(honest):
        difference = (told.value or 0.0) - (honest.value or 0.0)
        sentence = "Here the terminal turns would have added next to nothing to the figure."
        if difference > _WORTH_SAYING:
            sentence = "The first figure is the higher one: part of it may only read how the run ended."
        elif difference < -_WORTH_SAYING:
            sentence = "Here the terminal turns would have lowered the figure."
        size = (
            format(difference, "+z.2f").replace("-", "−") if abs(difference) >= _SMALLEST else "below 0.005"
        )
        sentence += f" The difference is {size}, without an interval of its own."
    return Told(figure(told, "runs"), figure(honest, "runs"), sentence)


def _reads(result: Audit) -> list[str]:
    found = dict.fromkeys([*(row.read for row in result.scores), *(row.read for row in result.rivals)])
    return sorted(found, key=lambda at: _FIRST.index(at) if at in _FIRST else len(_FIRST))


def _by_name(rows: Sequence[tuple[str, str, T]]) -> dict[str, dict[str, T]]:
    found: dict[str, dict[str, T]] = {}
    for name, at, row in rows:
        found.setdefault(name, {})[at] = row
    return found


def _auc_cells(rows: dict[str, Score] | dict[str, Rival], reads: Sequence[str]) -> list[Cell]:
    cells = []
    for at in reads:
        row = rows.get(at)
        spread = row.spread_over_seeds if isinstance(row, Score) else None
        note = f"{spread[0]:.2f} to {spread[1]:.2f} over fold seeds" if spread else ""
        cells.append(Cell(words.read(at), figure(row.auc, "runs") if row else None, note))
    for at in reads:
        row = rows.get(at)
        within = figure(row.auc_within_task, "pairs") if row else None
        cells.append(Cell(f"within task, {words.read(at)}", within))
    return cells


def _difference_cells(rows: dict[str, Rival], reads: Sequence[str]) -> list[Cell]:
    cells = [_difference(words.read(at), rows[at].difference if at in rows else None, "runs") for at in reads]
    return cells + [
        _difference(
            f"within task, {words.read(at)}", rows[at].difference_within_task if at in rows else None, "pairs"
        )
        for at in reads
    ]


def _every_head(rows: dict[str, Rival], heads: Sequence[str]) -> list[Cell]:
    return [
        _difference(
            f"{head}, {words.read(at)}", rows[at].differences.get(head) if at in rows else None, "runs"
        )
        for head in heads
        for at in _DRAWN
    ]


def _difference(heading: str, estimate: Estimate | None, unit: str) -> Cell:
    if estimate is None:
        return Cell(heading, None)
    note = ""
    if is_measured(estimate) and estimate.low is not None and estimate.high is not None:
        note = "beaten" if estimate.low > 0 else "does better" if estimate.high < 0 else "not beaten"
    return Cell(heading, figure(estimate, unit, signed=True), note)


def _entries(result: Audit, at: str) -> list[Entry]:
    chosen = result.headline
    heads = sorted((row for row in result.scores if row.read == at), key=lambda row: row.head != chosen)
    entries = [
        Entry(words.score(row.head), row.auc, "headline" if row.head == chosen else "head") for row in heads
    ]
    return entries + [
        Entry(f"rival: {row.name}", row.auc, "rival") for row in result.rivals if row.read == at
    ]
