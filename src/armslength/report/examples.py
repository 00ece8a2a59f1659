"""The example runs with their score paths, and the runs behind the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from armslength.audit import Audit, Example, RunRow

from .numbers import clip

_KINDS: Final = {
    "caught": "A failure that was caught early",
    "missed": "A failure that was missed",
    "false alarm": "A success that raised an alert",
    "silenced": "An alert that one other message silences",
}
_WRITERS: Final = {
    "policy": "the policy",
    "user": "the user",
    "world": "the world",
    "task": "the task",
    "third_party": "a third party",
}
_WIDTH, _HEIGHT, _MARGIN = 340, 90, 10

#: Runs of each kind that the page lists; all of them stand in ``audit.json``.
MOST_LISTED: Final = 25


class Path(NamedTuple):
    """A score path as a drawing: points of the line, of the line after the substitution, and the threshold."""

    line: str
    after: str
    tau: float | None
    width: int
    height: int


class Told(NamedTuple):
    """A turn as the page shows it."""

    writer: str
    tone: str
    role: str
    step: int
    text: str
    replaced_by: str | None
    score: str


class Shown(NamedTuple):
    """An example as the page shows it."""

    title: str
    about: str
    path: Path | None
    turns: list[Told]
    left_out: int


class Listed(NamedTuple):
    """Runs of one kind: how many there are, and the first of them."""

    title: str
    number: int
    rows: list[tuple[str, str, str, str]]


def examples(result: Audit) -> list[Shown]:
    """What the section of examples shows."""
    return [_shown(example) for example in result.examples]


def listed(result: Audit) -> list[Listed]:
    """The runs behind the headline head's figures, by what happened, each with its place in the input."""
    head = result.settings.authorship
    rows = [row for row in result.runs if head in row.scores]
    kinds = (
        ("Failures with an alert, the earliest first", True, True),
        ("Failures without an alert, the lowest score first", True, False),
        ("Successes with an alert, the highest score first", False, True),
    )
    made = []
    for title, failed, alerted in kinds:
        chosen = [r for r in rows if r.failed == failed and (r.scores[head].alert_at is not None) == alerted]
        chosen.sort(key=lambda row: _order(row, head, failed=failed, alerted=alerted))
        if chosen:
            made.append(Listed(title, len(chosen), [_line(row, head) for row in chosen[:MOST_LISTED]]))
    return made


def _order(row: RunRow, head: str, *, failed: bool, alerted: bool) -> tuple[float, str]:
    score = row.scores[head]
    if failed and alerted:
        return (score.alert_at or 0) - row.points, row.at
    return (score.highest if failed else -score.highest), row.at


def _line(row: RunRow, head: str) -> tuple[str, str, str, str]:
    score = row.scores[head]
    when = "none" if score.alert_at is None else f"{score.alert_at} of {row.points}"
    return clip(row.at, 120), clip(row.task, 60), when, f"{score.highest:.2f}"


def _shown(example: Example) -> Shown:
    end = "failure" if example.failed else "success"
    where = f"{clip(example.at, 120)}, task {clip(example.task, 60)}"
    about = f"{where}: {end}; scores of the {clip(example.head, 40)} head"
    turns = [
        Told(
            _WRITERS.get(turn.writer, "unknown"),
            turn.writer if turn.writer in _WRITERS else "unknown",
            turn.role,
            turn.step,
            turn.text,
            turn.replaced_by,
            "" if turn.z is None else _score(turn.z, turn.z_after, example.threshold),
        )
        for turn in example.turns
    ]
    return Shown(_KINDS.get(example.kind, example.kind), about, _path(example), turns, example.left_out)


def _score(z: float, after: float | None, tau: float | None) -> str:
    alert = " alert" if tau is not None and z > tau else ""
    then = "" if after is None else f", after it {after:.2f}"
    return f"{z:.2f}{alert}{then}"


def _path(example: Example) -> Path | None:
    before = [turn.z for turn in example.turns if turn.z is not None]
    after = [turn.z_after for turn in example.turns if turn.z_after is not None]
    if len(before) < 2:
        return None
    values = [*before, *after, *([example.threshold] if example.threshold is not None else [])]
    low, high = min(values), max(values)
    span = (high - low) or 1.0

    def y(value: float) -> float:
        return round(_HEIGHT - _MARGIN - (_HEIGHT - 2 * _MARGIN) * (value - low) / span, 1)

    def line(points: Sequence[float]) -> str:
        step = (_WIDTH - 2 * _MARGIN) / max(len(points) - 1, 1)
        return " ".join(f"{_MARGIN + step * i:.1f},{y(value)}" for i, value in enumerate(points))

    tau = None if example.threshold is None else y(example.threshold)
    return Path(line(before), line(after) if len(after) == len(before) else "", tau, _WIDTH, _HEIGHT)
