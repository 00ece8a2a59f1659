"""Controls by scoring other arrangements of the same turns with the heads as they are (method 1.17).

- Shuffled turns: a head of degree 0 reads means, so at the end of a run the order cannot matter, to the bit. What it
  loses as a running alert is what the order is worth.
- Roles swapped: if results read with the user's weights, and users with the results', told as much, the head would not
  know what it reads.

Tests: ``tests/audit/test_order_controls.py``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armslength.encoders import Vectors
from armslength.geometry import prefix_spans, readable
from armslength.heads import OutOfFold
from armslength.records import READ_ROLES, Authorship, Corpus
from armslength.scoring import ExactHead, score, turn_values

from .model import Control, Estimate
from .permuted_labels import shuffled_within
from .resamples import Floats, Ints, Resamples


def shuffled_turns(
    resamples: Resamples, vectors: Vectors, honest: OutOfFold, *, authorship: Authorship, seed: int
) -> Control:
    """Deal each run's turns of a role out anew among their places, and score again.

    Args:
        resamples: of the measured trajectories.
        vectors: shape (texts, d), integer unit vectors.
        honest: out-of-fold scores of an exact head.
        authorship: what the head reads.
        seed: of the shuffle.

    Returns:
        Whether every score at the end is the same to the bit; the estimate is the AUC of the running alert.
    """
    corpus = resamples.corpus
    shuffled = replace(corpus, text=_shuffled(corpus, authorship, np.random.default_rng([seed, 5])))
    z = _rescored(honest, shuffled, vectors)
    last = corpus.points.offsets[1:] - 1
    same = np.array_equal(z[last], honest.z[last])
    found = resamples.concordance([replace(honest, z=z)], "R4")
    plain = resamples.concordance([honest], "R4")
    worth = resamples.pooled(found.pooled - plain.pooled)
    what = "every score at the end bit-identical" if same else "scores at the end moved"
    detail = (
        f"{authorship} head on shuffled turns: {what}; AUC of the running alert {worth.text(signed=True)}"
    )
    return Control("shuffled turns", bool(same), resamples.pooled(found.pooled), detail)


def roles_swapped(
    resamples: Resamples, vectors: Vectors, honest: OutOfFold, *, authorship: Authorship
) -> Control:
    """Score with the weights of the evidence roles exchanged; passed where that tells no more than the head.

    Arguments as `shuffled_turns`.
    """
    corpus = resamples.corpus
    turns = readable(corpus, authorship)
    roles = [READ_ROLES[authorship].index(role) for role in ("user", "tool_result")]
    if not all(turns[role].any() for role in roles):
        none = Estimate(None, None, None, len(corpus), 0, "one of the two roles is silent")
        return Control(
            "roles swapped", True, none, "users and results do not both speak: nothing to exchange"
        )

    def swap(head: ExactHead) -> ExactHead:
        weights = head.weights.copy()
        weights[roles] = weights[roles[::-1]]
        return replace(head, weights=weights)

    fits = tuple(replace(fit, head=swap(fit.head)) for fit in honest.fits if fit.head is not None)
    z = _rescored(replace(honest, fits=fits), corpus, vectors)
    found = resamples.concordance([replace(honest, z=z)], "R1")
    plain = resamples.concordance([honest], "R1")
    gain = resamples.pooled(found.pooled - plain.pooled)
    exchanged = "with the weights of users and results exchanged"
    detail = f"AUC at the end {exchanged}, minus the head's: {gain.text(signed=True)}"
    return Control("roles swapped", gain.low is None or gain.low <= 0, resamples.pooled(found.pooled), detail)


def _shuffled(corpus: Corpus, authorship: Authorship, rng: np.random.Generator) -> Ints:
    """The texts of the turns, those before a run's last point dealt out anew within run and role."""
    text = corpus.text.copy()
    ends = corpus.points.end[corpus.points.offsets[1:] - 1]
    seen = np.arange(corpus.turns) < ends[corpus.owner]
    for mask in readable(corpus, authorship):
        places = np.flatnonzero(mask & seen)
        text[places] = shuffled_within(corpus.text[places], corpus.owner[places], rng)
    return text


def _rescored(scores: OutOfFold, corpus: Corpus, vectors: Vectors) -> Floats:
    """Scores of the folds' heads on other texts or with other weights, shape (points,)."""
    z, floats = scores.z.copy(), vectors.astype(np.float64)
    fold_of_point = scores.fold[corpus.points.trajectory]
    for index, fit in enumerate(scores.fits):
        if fit.head is not None:
            spans = prefix_spans(corpus, fit.head.authorship)
            mine = fold_of_point == index
            z[mine] = score(fit.head, spans, turn_values(fit.head, corpus, floats))[mine]
    return z
