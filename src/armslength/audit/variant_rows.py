"""The headline head made otherwise: another degree, another encoder, whole policies left out (method 1.5).

They show what the figure owes to a choice. None of them is attacked, and none enters the verdict.

Tests: ``tests/audit/test_variants.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from armslength.encoders import Vectors
from armslength.heads import (
    FittedReader,
    LevelReader,
    OutOfFold,
    Reader,
    Split,
    grouped_splits,
    with_velocity,
)
from armslength.heads.tfidf import DIMENSIONS, TfidfReader
from armslength.records import Authorship

from .model import Estimate, Variant
from .resamples import READS, Resamples

#: What the folds leave out as a whole.
GROUPS: Final = "groups"
POLICIES: Final = "policies"

Fit = Callable[[Reader | FittedReader, Sequence[Split]], OutOfFold]


class _Plan(NamedTuple):
    name: str
    degrees: list[int]
    encoder: str
    left_out: str
    reader: Reader | FittedReader
    splits: Sequence[Sequence[Split]]


def variants(
    resamples: Resamples,
    vectors: Vectors,
    head: Sequence[OutOfFold],
    fit: Fit,
    *,
    authorship: Authorship,
    encoder: str,
    splits: Sequence[Sequence[Split]],
    seed: int,
) -> list[Variant]:
    """Fit and measure every variant of one head.

    Args:
        resamples: of the measured trajectories.
        vectors: shape (texts, d), integer unit vectors.
        head: the head's scores, one for each fold seed.
        fit: fits a reader on the folds of one seed.
        authorship: what the head reads.
        encoder: name of the encoder behind `vectors`.
        splits: the folds of each seed.
        seed: of the encoder that is fitted, and of the folds that leave policies out.

    Returns:
        One row a variant and read, each with its difference to the head.
    """
    corpus = resamples.corpus
    level = LevelReader(corpus, vectors, authorship)
    plans = [
        _Plan("degree 1", [1], encoder, GROUPS, with_velocity(corpus, vectors, authorship, [1]), splits),
        _Plan(
            "degrees 0 and 1", [0, 1], encoder, GROUPS, with_velocity(corpus, vectors, authorship, [0, 1]), splits
        ),
        _Plan(
            "second encoder", [0], f"TF-IDF, {DIMENSIONS} dimensions", GROUPS,
            TfidfReader(corpus, authorship, seed % (1 << 32)), splits,
        ),
    ]  # fmt: skip
    policies = corpus.policy.codes
    if len(corpus.policy.names) > 1:
        seeds = range(seed, seed + len(splits))
        held_out = [grouped_splits(resamples.group, seed=one, held_out=policies) for one in seeds]
        plans.append(_Plan("policies left out", [0], encoder, POLICIES, level, held_out))
    rows = [row for plan in plans for row in _rows(resamples, head, fit, plan, authorship)]
    if len(corpus.policy.names) < 2:
        none = Estimate(None, None, None, len(corpus), 0, "one policy: none can be left out")
        rows += [
            Variant("policies left out", authorship, [0], encoder, POLICIES, read, none, none, none)
            for read in READS
        ]
    return rows


def _rows(
    resamples: Resamples, head: Sequence[OutOfFold], fit: Fit, plan: _Plan, authorship: str
) -> list[Variant]:
    runs = [fit(plan.reader, splits) for splits in plan.splits]
    rows = []
    for read in READS:
        found, plain = resamples.concordance(runs, read), resamples.concordance(head, read)
        rows.append(
            Variant(
                plan.name, authorship, plan.degrees, plan.encoder, plan.left_out, read,
                resamples.pooled(found.pooled), resamples.within(found.within, found.pairs),
                resamples.pooled(found.pooled - plain.pooled),
            )
        )  # fmt: skip
    return rows
