"""What a head reads, as features of every decision point, and how a fitted head scores them.

A reader is one of two kinds. The heads of the audit read levels of the static table and score exactly; the rivals are
plain floats, cut to 1e-6 before any comparison because the order of a float sum can break ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.geometry import (
    Spans,
    current_run_spans,
    first_run_spans,
    levels,
    prefix_spans,
    readable,
    velocities,
)
from armslength.records import READ_ROLES, Authorship, Corpus
from armslength.scoring import ExactHead, score, turn_values

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0)

#: Heads of at most so many features take λ = 1 instead of choosing.
FEW_FEATURES = 4


class Reader(Protocol):
    """Features of all decision points of a corpus, and the score of a head fitted on them."""

    @property
    def name(self) -> str:
        """What results call the head or rival."""
        ...

    @property
    def features(self) -> Floats:
        """Shape (points, p); NaN is missing and takes the training mean."""
        ...

    def score(self, weights: Floats, intercept: float, fill: Floats) -> tuple[Floats, ExactHead | None]:
        """Log-odds at every decision point, and the exact head where there is one."""
        ...


@runtime_checkable
class FittedReader(Protocol):
    """A reader that learns from the training set itself, such as an encoder that is fitted."""

    @property
    def name(self) -> str:
        """What results call the head."""
        ...

    def fit(self, rows: Ints) -> Reader:
        """The reader that learned from these trajectories and from no other; it reads all of them."""
        ...


@dataclass(frozen=True)
class LevelReader:
    """Degree 0 of every role that an authorship reads; exact."""

    corpus: Corpus
    vectors: Vectors
    authorship: Authorship

    @property
    def name(self) -> str:
        """The head's name is its authorship."""
        return self.authorship

    @cached_property
    def spans(self) -> Spans:
        """What each prefix holds."""
        return prefix_spans(self.corpus, self.authorship)

    @cached_property
    def features(self) -> Floats:
        """Levels, shape (points, roles × d)."""
        return levels(self.vectors, self.corpus, self.spans)

    def score(self, weights: Floats, intercept: float, fill: Floats) -> tuple[Floats, ExactHead]:
        """Round the head to its grid and score exactly; nothing is ever missing, so `fill` is not used."""
        del fill
        head = ExactHead.round(self.authorship, weights, intercept)
        return score(head, self.spans, turn_values(head, self.corpus, self._floats)), head

    @cached_property
    def _floats(self) -> Floats:
        return self.vectors.astype(np.float64)


@dataclass(frozen=True)
class FloatReader:
    """Any features, scored in floats."""

    name: str
    features: Floats

    def score(self, weights: Floats, intercept: float, fill: Floats) -> tuple[Floats, None]:
        """Fill what is missing, sum in a fixed order, cut to 1e-6."""
        filled = np.where(np.isnan(self.features), fill, self.features)
        return np.round((filled * weights).sum(1) + intercept, 6), None


def with_velocity(
    corpus: Corpus, vectors: Vectors, authorship: Authorship, degrees: Sequence[int]
) -> FloatReader:
    """A head of degree 1, or of degrees 0 and 1, of every role that an authorship reads; in floats."""
    spans = prefix_spans(corpus, authorship)
    made = {0: levels, 1: velocities}
    features = np.concatenate([made[degree](vectors, corpus, spans) for degree in degrees], axis=1)
    return FloatReader(f"{authorship}, degree {' and '.join(map(str, degrees))}", features)


def same_turn(corpus: Corpus, vectors: Vectors) -> FloatReader:
    """Rival: the evidence run that ends here, and nothing before.

    A silent role is missing and takes its training mean, so no flag says who spoke last.
    """
    spans = current_run_spans(corpus, "strict")
    return FloatReader("same turn", levels(vectors, corpus, spans, absent=np.nan))


def first_run(corpus: Corpus, vectors: Vectors) -> FloatReader:
    """Rival: the first evidence run, and nothing later."""
    spans = first_run_spans(corpus, "strict")
    return FloatReader("first evidence run", levels(vectors, corpus, spans, absent=np.nan))


def error_rate(corpus: Corpus) -> FloatReader | None:
    """Rival: share and number of tool results that signal an error so far, and whether the last one did.

    Returns:
        None where no tool result of the corpus carries an error signal: the rival is unmeasured.
    """
    results_read = readable(corpus, "strict")[READ_ROLES["strict"].index("tool_result")]
    known = (corpus.error >= 0) & results_read
    if not known.any():
        return None
    seen = corpus.count_in_prefix(known)
    wrong = corpus.count_in_prefix(known & (corpus.error == 1))
    share = np.divide(wrong, seen, out=np.zeros(len(seen)), where=seen > 0)
    before = np.concatenate([[0], np.cumsum(known)])
    latest = np.concatenate([[-1], np.flatnonzero(known)])[before[corpus.points.end]]
    last = (seen > 0) & (corpus.error[latest] == 1)
    return FloatReader(
        "error rate", np.stack([share, wrong.astype(np.float64), last.astype(np.float64)], axis=1)
    )
