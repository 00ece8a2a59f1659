"""The runs that an attack is tried on: test runs of one outcome, fold by fold, under the head of their fold.

Tests: ``tests/attacks/test_selection.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.geometry import Spans, prefix_spans
from armslength.heads import FoldFit, OutOfFold
from armslength.records import ROLE_CODE, WRITER_CODE, Corpus, Role, ranges
from armslength.scoring import ExactHead, score, turn_values

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class AttackedRuns:
    """The test runs of one fold and one outcome as an attack sees them.

    Attributes:
        rows: their rows in the whole corpus.
        corpus: the runs alone.
        values: their turn values under the fold's head.
        head: the fold's head.
        fit: what the fold fitted.
        every: turn values of the whole corpus, for donors.
        peers: the fold's runs of the same tasks with the other outcome: for each such pair the index of the run here,
            and the peer's score at its end.
    """

    rows: Ints
    corpus: Corpus
    values: Ints
    head: ExactHead
    fit: FoldFit
    every: Ints
    peers: tuple[Ints, Floats]

    @cached_property
    def spans(self) -> Spans:
        """What each decision point of the runs sees."""
        return prefix_spans(self.corpus, self.head.authorship)

    @cached_property
    def before(self) -> Floats:
        """Scores without attack, shape (points of the runs,)."""
        return score(self.head, self.spans, self.values)

    @property
    def threshold(self) -> float:
        """τ of the fold; infinite where there is none, so that nothing alerts."""
        return np.inf if self.fit.threshold is None else self.fit.threshold

    @property
    def last(self) -> Ints:
        """Each run's last decision point."""
        return self.corpus.points.offsets[1:] - 1

    def writable_turns(self, role: Role) -> Ints:
        """Turns of this role that the policy wrote and the head reads, as indices into the runs' turns."""
        return (
            np.flatnonzero(policy_turns(self.corpus, role))
            if role in self.head.roles
            else np.zeros(0, np.int64)
        )


def policy_turns(corpus: Corpus, role: Role) -> Flags:
    """Turns of this role that the policy wrote, shape (turns,)."""
    flags: Flags = (corpus.role == ROLE_CODE[role]) & (corpus.writer == WRITER_CODE["policy"])
    return flags


def failing_runs(corpus: Corpus, vectors: Vectors, scores: OutOfFold) -> list[AttackedRuns]:
    """The failing runs of each fold that has some, with the values of their turns under that fold's head."""
    return _runs_of(corpus, vectors, scores, corpus.failed == 1)


def successful_runs(corpus: Corpus, vectors: Vectors, scores: OutOfFold) -> list[AttackedRuns]:
    """The successful runs, in the same way."""
    return _runs_of(corpus, vectors, scores, corpus.failed == 0)


def _runs_of(corpus: Corpus, vectors: Vectors, scores: OutOfFold, wanted: Flags) -> list[AttackedRuns]:
    floats = vectors.astype(np.float64)
    runs = []
    for fit in scores.fits:
        if fit.head is None:
            msg = f"{scores.name} has no exact head"
            raise TypeError(msg)
        rows = fit.split.test[wanted[fit.split.test]]
        if not len(rows):
            continue
        peers = _peers(corpus, scores, rows, fit.split.test[~wanted[fit.split.test]])
        every = turn_values(fit.head, corpus, floats)
        part = corpus.take(rows)
        turns = ranges(corpus.offsets[rows], np.diff(corpus.offsets)[rows])
        runs.append(AttackedRuns(rows, part, every[turns], fit.head, fit, every, peers))
    return runs


def _peers(corpus: Corpus, scores: OutOfFold, rows: Ints, others: Ints) -> tuple[Ints, Floats]:
    task, ends = corpus.task.codes, scores.z[corpus.points.offsets[1:] - 1]
    by_task: dict[int, list[int]] = {}
    for other in others:
        by_task.setdefault(int(task[other]), []).append(int(other))
    pairs = [(index, other) for index, row in enumerate(rows) for other in by_task.get(int(task[row]), ())]
    index, peer = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return index, ends[peer]
