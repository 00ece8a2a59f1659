"""What a score may owe its figure to instead of what was said: length, skeleton, tool names, policy, task (method 1.5).

Each is fitted on the same points, weights and folds as the head. None has to be beaten; those that are not are named.

Tests: ``tests/heads/test_explanations.py``.
"""

from __future__ import annotations

import hashlib
from typing import Final

import numpy as np
import numpy.typing as npt

from armslength.records import ROLES, Corpus

from .readers import FloatReader

Floats = npt.NDArray[np.float64]

#: Columns for the names of tools. They are hashed, so that no list of names has to be fitted.
BUCKETS: Final = 256

_SPOKEN: Final = ("user", "assistant", "tool_call", "tool_result")


def length(corpus: Corpus) -> FloatReader:
    """How many turns and decision points there were so far, on a log scale; shape (points, 2)."""
    turns = corpus.count_in_prefix(np.ones(corpus.turns, dtype=bool))
    points = np.arange(len(corpus.points)) - corpus.points.offsets[corpus.points.trajectory] + 1
    return FloatReader("length", np.log1p(np.stack([turns, points], axis=1).astype(np.float64)))


def skeleton(corpus: Corpus) -> FloatReader:
    """Who spoke so far and how often, and who spoke last, without a word; shape (points, 12)."""
    counts = np.stack(
        [corpus.count_in_prefix(corpus.role == ROLES.index(role)) for role in _SPOKEN], axis=1
    ).astype(np.float64)
    last = corpus.role[corpus.points.end - 1]
    spoke_last = np.stack([last == ROLES.index(role) for role in _SPOKEN], axis=1)
    return FloatReader("skeleton", np.concatenate([np.log1p(counts), counts > 0, spoke_last], axis=1))


def tool_names(corpus: Corpus) -> FloatReader | None:
    """Which tools were called so far, as shares of the calls, names alone; shape (points, at most `BUCKETS`).

    Returns:
        None where nobody called a tool.
    """
    calls = np.flatnonzero(corpus.role == ROLES.index("tool_call"))
    if not len(calls):
        return None
    texts, which = np.unique(corpus.text[calls], return_inverse=True)
    bucket = np.array([_bucket(corpus.texts[text].partition(" ")[0]) for text in texts])[which]
    found = np.unique(bucket)
    counts = np.empty((len(corpus.points), len(found)))
    for column, value in enumerate(found):
        flags = np.zeros(corpus.turns, dtype=bool)
        flags[calls[bucket == value]] = True
        counts[:, column] = corpus.count_in_prefix(flags)
    total = counts.sum(1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    return FloatReader("tool-call names", shares)


def policy_prior(corpus: Corpus) -> FloatReader | None:
    """Which policy ran, fitted: its failure rate in the training fold; shape (points, policies).

    Returns:
        None where there is one policy.
    """
    names = len(corpus.policy.names)
    if names < 2:
        return None
    return FloatReader("policy prior", np.eye(names)[corpus.policy.codes[corpus.points.trajectory]])


def task_identity(corpus: Corpus) -> Floats:
    """Failure rate of the other runs of a run's task: how much difficulty alone tells, seen from outside.

    Returns:
        Shape (n,); NaN for the only run of its task. It uses outcomes of test runs and is no score that anybody could
        have had; runs of one task that fail have lower values than those that do not, so it has no figure within tasks.
    """
    task = corpus.task.codes
    runs = np.bincount(task)[task]
    failures = np.bincount(task, corpus.failed)[task] - corpus.failed
    rate: Floats = np.divide(failures, runs - 1, out=np.full(len(corpus), np.nan), where=runs > 1)
    return rate


def _bucket(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=2).digest()
    return int.from_bytes(digest, "big") % BUCKETS
