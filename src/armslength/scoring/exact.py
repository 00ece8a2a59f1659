"""The exact path: integer weights, integer sums, then correctly rounded operations in a fixed order (DESIGN 3a).

A prefix scored alone, in a batch, on one thread or on two gives the same bits on any processor. For degree 0 a score
is a sum over roles of means over turns of one integer a turn (its `turn value`), so an attack that changes turns
changes a few integers and nothing else. Every step after the integers is monotone, hence a bound on the integers is a
bound on the score, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from armslength.encoders import UNIT, Vectors
from armslength.geometry import Spans, readable
from armslength.records import READ_ROLES, Authorship, Corpus, Role

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Weights are rounded to this share of the largest one.
GRID = 2.0**-10


@dataclass(frozen=True)
class ExactHead:
    """A linear head of degree 0 whose scores are exact.

    Attributes:
        authorship: what it reads.
        weights: shape (roles, d), integers of magnitude at most 1/GRID.
        step: the log-odds that one unit of weight times one unit of vector is worth.
        intercept: log-odds of a prefix whose levels are all zero.
    """

    authorship: Authorship
    weights: Ints
    step: float
    intercept: float

    @property
    def roles(self) -> tuple[Role, ...]:
        """Roles in the order of `weights`."""
        return READ_ROLES[self.authorship]

    @classmethod
    def round(cls, authorship: Authorship, coefficients: Floats, intercept: float) -> ExactHead:
        """Cut fitted weights to the grid.

        Args:
            authorship: what the head reads.
            coefficients: shape (roles × d,), per unit of a mean unit vector.
            intercept: log-odds at zero.
        """
        largest = float(np.abs(coefficients).max(initial=0.0))
        grid = largest * GRID or 1.0  # weights too small for a grid are no weights
        weights = np.rint(coefficients / grid).astype(np.int64).reshape(len(READ_ROLES[authorship]), -1)
        return cls(authorship, weights, grid / UNIT, float(intercept))

    def lowest_value(self, role: Role) -> int:
        """The sphere bound: no text of this role, however written, has a lower turn value.

        A vector on the integer grid is at most half a unit a dimension longer than `UNIT`; the product is bounded by
        Cauchy and rounded outward.
        """
        weights = self.weights[self.roles.index(role)]
        norm = math.isqrt(int((weights * weights).sum())) + 1 if weights.any() else 0
        return -norm * (UNIT + math.isqrt(len(weights)) // 2 + 1)


def turn_values(head: ExactHead, corpus: Corpus, vectors: Vectors | Floats) -> Ints:
    """The integer that each turn contributes: its role's weights times its vector.

    Args:
        head: the head.
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors of `corpus.texts`; as float64 where one corpus is scored often.

    Returns:
        Shape (turns,); 0 for a turn that the head does not read.
    """
    # Products of integers below 2**53 are exact in float64, whatever BLAS does with their order.
    products = vectors.astype(np.float64, copy=False) @ head.weights.T.astype(np.float64)
    values = np.zeros(corpus.turns, dtype=np.int64)
    for role, mask in enumerate(readable(corpus, head.authorship)):
        values[mask] = products[corpus.text[mask], role].astype(np.int64)
    return values


class Totals(NamedTuple):
    """Sums of the turn values that each decision point sees, role by role in the head's order.

    Attributes:
        sums: shape (…, points) each, integers.
        counts: shape (…, points) each, how many turns they are of.
    """

    sums: tuple[Ints, ...]
    counts: tuple[Ints, ...]


def score(head: ExactHead, spans: Spans, values: Ints) -> Floats:
    """Log-odds of failure at every decision point.

    Args:
        head: the head.
        spans: `geometry.prefix_spans` of the corpus for the head's authorship.
        values: shape (turns,) or (draws, turns), from `turn_values` or an attack.

    Returns:
        Shape (points,) or (draws, points).
    """
    return score_totals(head, totals(spans, values))


def totals(spans: Spans, values: Ints) -> Totals:
    """What `score` makes its means of; arguments as there."""
    sums = []
    for turns, low, high in zip(*spans, strict=True):
        running = np.zeros((*values.shape[:-1], len(turns) + 1), dtype=np.int64)
        np.cumsum(values[..., turns], axis=-1, out=running[..., 1:])
        sums.append(running[..., high] - running[..., low])
    counts = tuple(high - low for low, high in zip(spans.low, spans.high, strict=True))
    return Totals(tuple(sums), counts)


def score_totals(head: ExactHead, seen: Totals) -> Floats:
    """Log-odds of failure from sums and counts, shape (…, points); the one place where integers become floats."""
    z = np.full(seen.sums[0].shape, head.intercept)
    for total, count in zip(*seen, strict=True):
        floats = total.astype(np.float64)
        mean = np.divide(floats, count, out=np.zeros_like(floats), where=count > 0)
        z = z + head.step * mean
    return z


def running_maximum(z: Floats, offsets: Ints) -> Floats:
    """R4: the largest score of each trajectory; `z` of shape (…, points), the result (…, n)."""
    return np.maximum.reduceat(z, offsets[:-1], axis=-1)
