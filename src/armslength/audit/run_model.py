"""What `audit.json` holds about single runs: a row for each, and the text of a few."""

from __future__ import annotations

import msgspec


class RunScore(msgspec.Struct, frozen=True):
    """What one head says of one run.

    Attributes:
        end, highest: log-odds at R1 and R4.
        threshold: τ of the run's fold; None where there is none.
        alert_at: the decision point, from 1, at which the running alert went up; None without one.
    """

    end: float
    highest: float
    threshold: float | None
    alert_at: int | None


class RunRow(msgspec.Struct, frozen=True):
    """One measured run: where it stands in the input, and what the heads say of it.

    Attributes:
        at: file and record.
        points: K, its decision points.
        fold: the outer fold that scored it, under the first fold seed.
    """

    id: str
    at: str
    task: str
    group: str
    policy: str
    failed: bool
    stratum: str
    points: int
    fold: int
    scores: dict[str, RunScore]


class ExampleTurn(msgspec.Struct, frozen=True):
    """A turn of an example.

    Attributes:
        step: index of the message in the record.
        text: clipped.
        z: log-odds at the decision point that the turn closes; None where it closes none.
        z_after: the same after the substitution.
        replaced_by: what the adversary puts in its place; None where it stays.
    """

    role: str
    writer: str
    step: int
    text: str
    z: float | None = None
    z_after: float | None = None
    replaced_by: str | None = None


class Example(msgspec.Struct, frozen=True):
    """A run with its score path.

    Attributes:
        kind: ``caught``, ``silenced``, ``missed`` or ``false alarm``.
        head: whose scores are shown.
        threshold: τ of its fold.
        left_out: turns in the middle that are not shown.
    """

    kind: str
    head: str
    at: str
    id: str
    task: str
    failed: bool
    threshold: float | None
    turns: list[ExampleTurn]
    left_out: int
