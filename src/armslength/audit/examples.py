"""A few runs to look at: what alerted when, what was missed, and which words silence an alert.

Chosen by rule, not by hand: the alert with the longest lead, the failure with the lowest score, the success with the
highest, and the alerts of the all-role head that one other message lowers most.

Tests: ``tests/audit/test_examples.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from armslength.attacks import MAIN_RUNG, Ladder, failing_runs, replace_few
from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Authorship, Corpus, Role
from armslength.scoring import running_maximum, score

from .resamples import Floats
from .run_model import Example, ExampleTurn, RunRow

#: Characters of a turn, and turns of a run, that are shown.
MOST_TEXT: Final = 600
MOST_TURNS: Final = 40

#: How many silenced alerts are shown.
SILENCED: Final = 2

_CHANNEL: Final[Role] = "assistant"
_NAIVE: Final[Authorship] = "all-role"


class _Silenced(NamedTuple):
    """An alert that one message silences: by how much, where, by whose words, and the scores afterwards."""

    drop: float
    row: int
    turn: int
    donor: int
    z: Floats


def examples(
    corpus: Corpus,
    vectors: Vectors,
    heads: Mapping[Authorship, Sequence[OutOfFold]],
    rows: Sequence[RunRow],
    *,
    headline: Authorship,
) -> list[Example]:
    """Choose and cut them.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        heads: their scores, one for each fold seed.
        rows: `run_rows` of the same.
        headline: the head whose alerts are shown.

    Returns:
        At most five; fewer where there is no run of a kind.
    """
    chosen = _of_headline(rows, headline)
    z = heads[headline][0].z
    made = [_example(corpus, rows[row], row, kind=kind, head=headline, z=z) for kind, row in chosen.items()]
    naive = heads[_NAIVE][0]
    for found in _silenced(corpus, vectors, naive)[:SILENCED]:
        row = found.row
        made.append(_example(corpus, rows[row], row, kind="silenced", head=_NAIVE, z=naive.z, silenced=found))
    return made


def _of_headline(rows: Sequence[RunRow], head: str) -> dict[str, int]:
    def lead(row: int) -> int:
        at = rows[row].scores[head].alert_at
        return rows[row].points - at if at is not None else -1

    def highest(row: int) -> float:
        return rows[row].scores[head].highest

    failures = [i for i, row in enumerate(rows) if row.failed]
    caught = [i for i in failures if lead(i) >= 0]
    missed = [i for i in failures if lead(i) < 0]
    false = [i for i, row in enumerate(rows) if not row.failed and lead(i) >= 0]
    chosen = {}
    if caught:
        chosen["caught"] = max(caught, key=lambda i: (lead(i), -i))
    if missed:
        chosen["missed"] = min(missed, key=lambda i: (highest(i), i))
    if false:
        chosen["false alarm"] = max(false, key=lambda i: (highest(i), -i))
    return chosen


def _silenced(corpus: Corpus, vectors: Vectors, scores: OutOfFold) -> list[_Silenced]:
    """Alerts that one replaced message silences, the largest fall of R4 first."""
    ladder, rng = Ladder(corpus, vectors), np.random.default_rng(0)
    found: list[_Silenced] = []
    for runs in failing_runs(corpus, vectors, scores):
        pool = ladder.pool(MAIN_RUNG, runs, _CHANNEL, rng)
        if pool is None:
            continue
        turns = runs.writable_turns(_CHANNEL)
        values = runs.values.copy()
        values[turns] = replace_few(runs, {_CHANNEL: np.minimum(runs.values[turns], pool.lowest())}, 1)[
            _CHANNEL
        ]
        offsets, after = runs.corpus.points.offsets, score(runs.head, runs.spans, values)
        high, low = running_maximum(runs.before, offsets), running_maximum(after, offsets)
        donors = ladder.donors_of(runs, _CHANNEL)
        whole = ladder.turns_of(runs, _CHANNEL)
        for run in np.flatnonzero((high > runs.threshold) & (low <= runs.threshold)):
            at = np.flatnonzero((runs.corpus.owner[turns] == run) & (values[turns] != runs.values[turns]))[0]
            other = corpus.task.codes[corpus.owner[donors]] != corpus.task.codes[runs.rows[run]]
            donor = donors[(runs.every[donors] == values[turns[at]]) & other][0]
            path = after[offsets[run] : offsets[run + 1]]
            found.append(
                _Silenced(float(high[run] - low[run]), int(runs.rows[run]), int(whole[at]), int(donor), path)
            )
    return sorted(found, key=lambda one: (-one.drop, one.row))


def _example(
    corpus: Corpus,
    about: RunRow,
    row: int,
    *,
    kind: str,
    head: str,
    z: Floats,
    silenced: _Silenced | None = None,
) -> Example:
    first, points = corpus.offsets[row], slice(*corpus.points.offsets[row : row + 2])
    path = dict(zip((corpus.points.end[points] - 1).tolist(), z[points].tolist(), strict=True))
    after = dict(zip(path, silenced.z.tolist(), strict=True)) if silenced else {}
    shown: list[ExampleTurn] = []
    turns = [turn for turn in corpus.trajectories[row].turns if turn.role != "terminal"]
    for place, turn in enumerate(turns, start=int(first)):
        donor = silenced.donor if silenced and place == silenced.turn else None
        shown.append(
            ExampleTurn(
                turn.role,
                turn.writer,
                turn.step,
                _cut(turn.text),
                path.get(place),
                after.get(place),
                None if donor is None else _cut(corpus.texts[corpus.text[donor]]),
            )
        )
    keep = _window(shown)
    threshold = about.scores[head].threshold
    return Example(
        kind, head, about.at, about.id, about.task, about.failed, threshold, keep, len(shown) - len(keep)
    )


def _window(turns: list[ExampleTurn]) -> list[ExampleTurn]:
    """The first and the last turns, and between them those that were replaced."""
    if len(turns) <= MOST_TURNS:
        return turns
    half = MOST_TURNS // 2
    middle = [turn for turn in turns[half:-half] if turn.replaced_by is not None]
    return [*turns[:half], *middle, *turns[-half:]]


def _cut(text: str) -> str:
    return (
        text
        if len(text) <= MOST_TEXT
        else f"{text[:MOST_TEXT]} … ({len(text) - MOST_TEXT:,} more characters)"
    )
