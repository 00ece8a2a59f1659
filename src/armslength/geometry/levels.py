"""Levels: the mean vector of each role over a range of turns, for all decision points in one pass (method 1.4).

Prefix sums are integers, so a prefix computed alone and in a batch is the same to the bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from armslength.encoders import UNIT, Vectors
from armslength.records import (
    READ_ROLES,
    ROLE_CODE,
    WRITER_CODE,
    WRITERS,
    Authorship,
    Corpus,
    may_read,
)

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK = 64  # rows summed at once
_MOST_IN_32_BITS = 65_535  # turns of length UNIT in a 32-bit sum


class Spans(NamedTuple):
    """For each role that is read, its turns and which of them each decision point sees.

    Attributes:
        turns: global indices of the role's readable turns, one array a role.
        low, high: shape (points,) each a role; point p sees ``turns[low[p]:high[p]]``.
    """

    turns: tuple[Ints, ...]
    low: tuple[Ints, ...]
    high: tuple[Ints, ...]


def prefix_spans(corpus: Corpus, authorship: Authorship) -> Spans:
    """What each decision point's whole prefix holds."""
    points = corpus.points
    return _spans(corpus, authorship, corpus.offsets[points.trajectory], points.end)


def current_run_spans(corpus: Corpus, authorship: Authorship) -> Spans:
    """What the evidence run that ends at each decision point holds."""
    return _spans(corpus, authorship, corpus.points.run, corpus.points.end)


def first_run_spans(corpus: Corpus, authorship: Authorship) -> Spans:
    """What the first scored evidence run of each point's trajectory holds, and nothing later."""
    points = corpus.points
    first = points.offsets[points.trajectory]
    return _spans(corpus, authorship, points.run[first], points.end[first])


def levels(vectors: Vectors, corpus: Corpus, spans: Spans, *, absent: float = 0.0) -> Floats:
    """Mean vectors of each role over the turns that each decision point sees.

    Args:
        vectors: shape (texts, d), integer unit vectors of `corpus.texts`.
        corpus: the trajectories.
        spans: from one of the functions above.
        absent: what a role without a turn gets; 0 by definition, NaN where absence must be told apart.

    Returns:
        Shape (points, roles × d), roles side by side.
    """
    size = vectors.shape[1]
    out = np.full((len(corpus.points), len(spans.turns) * size), absent)
    for index, (turns, low, high) in enumerate(zip(*spans, strict=True)):
        count = high - low
        # Sums may wrap around in 32 bits; the difference of two is exact as long as it fits itself.
        kind = np.int32 if count.max(initial=0) <= _MOST_IN_32_BITS else np.int64
        sums = _running_sums(vectors[corpus.text[turns]], kind)
        seen = sums[high]
        seen -= sums[low]
        block = out[:, index * size : (index + 1) * size]
        np.divide(seen, (count * float(UNIT))[:, None], out=block, where=(count > 0)[:, None])
    return out


class EvidenceBefore:
    """The direction of all evidence before a turn: the sum of the vectors of the user's and the world's turns.

    Args:
        vectors: shape (texts, d), integer unit vectors of `corpus.texts`.
        corpus: the trajectories.
    """

    def __init__(self, vectors: Vectors, corpus: Corpus) -> None:
        self._corpus = corpus
        evidence = np.logical_or.reduce(readable(corpus, "strict"))
        self._before = np.concatenate([[0], np.cumsum(evidence)])
        self._sums = _running_sums(vectors[corpus.text[evidence]], np.int64)

    def of(self, turns: Ints) -> npt.NDArray[np.float32]:
        """Unit vectors, shape (turns, d); zero where nothing was said before."""
        start = self._corpus.offsets[self._corpus.owner[turns]]
        seen = (self._sums[self._before[turns]] - self._sums[self._before[start]]).astype(np.float32)
        size = np.linalg.norm(seen, axis=1, keepdims=True)
        unit: npt.NDArray[np.float32] = np.divide(seen, size, out=np.zeros_like(seen), where=size > 0)
        return unit


def _running_sums(rows: Vectors, kind: type[np.int32 | np.int64]) -> Ints | npt.NDArray[np.int32]:
    """Sums of the first 0, 1, … n rows, shape (n + 1, d).

    In blocks that stay in cache, then block by block: down whole columns every step would miss it.
    """
    count, size = rows.shape
    blocks = -(-(count + 1) // _BLOCK)
    sums = np.zeros((blocks * _BLOCK, size), dtype=kind)
    sums[1 : count + 1] = rows
    tiled = sums.reshape(blocks, _BLOCK, size)
    np.cumsum(tiled, axis=1, out=tiled)
    tiled[1:] += np.cumsum(tiled[:-1, -1], axis=0, dtype=kind)[:, None]
    return sums[: count + 1]


def readable(corpus: Corpus, authorship: Authorship) -> tuple[npt.NDArray[np.bool_], ...]:
    """For each role that the authorship reads, which turns of the corpus it reads; shape (turns,) each."""
    masks = []
    for role in READ_ROLES[authorship]:
        writers = [WRITER_CODE[w] for w in WRITERS if may_read(authorship, role, w)]
        masks.append((corpus.role == ROLE_CODE[role]) & np.isin(corpus.writer, writers))
    return tuple(masks)


def _spans(corpus: Corpus, authorship: Authorship, start: Ints, end: Ints) -> Spans:
    turns, low, high = [], [], []
    for mask in readable(corpus, authorship):
        before = np.concatenate([[0], np.cumsum(mask)])
        turns.append(np.flatnonzero(mask))
        low.append(before[start])
        high.append(before[end])
    return Spans(tuple(turns), tuple(low), tuple(high))
