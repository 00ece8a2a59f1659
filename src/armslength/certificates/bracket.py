"""Ceilings: what no selection, and no text whatever, could exceed (method 1.8).

floor ≤ pool ≤ hull ≤ sphere holds for every trajectory, to the bit: all four differ only in the integers that they put
in the writable places, and every step after the integers is monotone (T2, method 3.2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from armslength.attacks import CHANNELS, AttackedRuns, Effect, apply, failing_runs, join, policy_turns
from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Corpus, Role

Ints = npt.NDArray[np.int64]


def ceilings(corpus: Corpus, vectors: Vectors, scores: OutOfFold, *, channels: Sequence[str]) -> list[Effect]:
    """Hull and sphere on every channel.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        scores: out-of-fold scores of an exact head.
        channels: names in `attacks.CHANNELS`.

    Returns:
        One effect a channel and kind, over all failing runs; its `after` is a lower bound on the alerts that survive.
    """
    parts: dict[tuple[str, str], list[Effect]] = {}
    for runs in failing_runs(corpus, vectors, scores):
        for channel in channels:
            for kind, bound in (("hull", _hull), ("sphere", _sphere)):
                values = {role: bound(corpus, runs, role)[None] for role in CHANNELS[channel]}
                effect = apply(runs, values, writable=channel, kind=kind, pool="any")
                parts.setdefault((channel, kind), []).append(effect)
    return [join(effects) for effects in parts.values()]


def _hull(corpus: Corpus, runs: AttackedRuns, role: Role) -> Ints:
    """The lowest value among all policy turns of the training folds, or the turn's own where that is lower."""
    own = runs.values[runs.writable_turns(role)]
    trained = np.zeros(len(corpus), dtype=bool)
    trained[runs.fit.split.train] = True
    every = runs.every[policy_turns(corpus, role) & trained[corpus.owner]]
    return np.minimum(own, every.min()) if len(every) else own


def _sphere(corpus: Corpus, runs: AttackedRuns, role: Role) -> Ints:
    """The lowest value of any text."""
    del corpus
    turns = runs.writable_turns(role)
    lowest = runs.head.lowest_value(role) if role in runs.head.roles else 0
    return np.full(len(turns), lowest, dtype=np.int64)
