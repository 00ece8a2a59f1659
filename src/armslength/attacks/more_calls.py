"""One more call: evidence that a policy brings about instead of writing it (method 1.8).

A call with a result that this very tool returned in a training run that succeeded is put in before a decision point.
Averages are diluted by it. The policy chooses where: at its first turn if it speaks before the world does, else after
any decision point. The result makes a decision point of its own, after which the run goes on as it was.

Tests: ``tests/attacks/test_more_calls.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Calls, Corpus, find_calls
from armslength.scoring import ExactHead, Totals, score_totals, totals

from .adversaries import DRAWS
from .selection import FailingRuns, failing_runs, policy_turns

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: How many calls are tried for each run; the best is taken.
TRIED: Final = (1, 5, 20)


@dataclass(frozen=True)
class Steered:
    """What one way of steering did to the failing runs that alerted.

    Attributes:
        best_of: how many calls were tried.
        rows: shape (m,), failing trajectories with an alert, as rows of the corpus.
        able: shape (m,), whether the training folds hold a result of a tool that the run calls.
        after: shape (m,), share of draws in which R4 still alerts.
    """

    best_of: int
    rows: Ints
    able: Flags
    after: Floats


class _Donors(NamedTuple):
    """Calls of training successes: the values that call and result would add, by tool and task."""

    call: Ints
    result: Ints
    tool: Ints
    task: Ints


def one_more_call(corpus: Corpus, vectors: Vectors, scores: OutOfFold, *, seed: int) -> list[Steered]:
    """Try it on every failing run with an alert.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        scores: out-of-fold scores of an exact head.
        seed: of the calls that are drawn.

    Returns:
        One effect for each number in `TRIED`; a smaller number tries the first of the larger one's calls.
    """
    calls = find_calls(corpus)
    found: list[tuple[int, bool, Floats]] = []
    for fold, runs in enumerate(failing_runs(corpus, vectors, scores)):
        if runs.fit.threshold is not None:
            rng = np.random.default_rng([seed, fold, len(TRIED)])
            found += _of_fold(corpus, calls, runs, runs.fit.threshold, rng)
    rows = np.array([row for row, *_ in found], dtype=np.int64)
    able = np.array([can for _, can, _ in found], dtype=bool)
    after = np.array([share for *_, share in found]).reshape(-1, len(TRIED))
    return [Steered(count, rows, able, after[:, index]) for index, count in enumerate(TRIED)]


def _of_fold(
    corpus: Corpus, calls: Calls, runs: FailingRuns, tau: float, rng: np.random.Generator
) -> list[tuple[int, bool, Floats]]:
    donors = _donors(corpus, calls, runs)
    own_tools = [np.unique(calls.tool.codes[calls.owner == row]) for row in runs.rows]
    seen = totals(runs.spans, runs.values)
    opens = _speaks_first(runs.corpus)
    offsets = runs.corpus.points.offsets
    found = []
    for index, row in enumerate(runs.rows):
        points = slice(offsets[index], offsets[index + 1])
        if runs.before[points].max() <= tau:
            continue
        allowed = np.isin(donors.tool, own_tools[index]) & (donors.task != corpus.task.codes[row])
        choices = np.flatnonzero(allowed)
        if not len(choices):
            found.append((int(row), False, np.ones(len(TRIED))))
            continue
        picked = rng.choice(choices, size=(DRAWS, max(TRIED)))
        own = Totals(*(tuple(part[points] for part in parts) for parts in seen))
        highest = highest_after(
            runs.head, own, donors.call[picked], donors.result[picked], opens=bool(opens[index])
        )
        share = [float((highest[:, :count].min(1) > tau).mean()) for count in TRIED]
        found.append((int(row), True, np.array(share)))
    return found


def highest_after(head: ExactHead, seen: Totals, call: Ints, result: Ints, *, opens: bool) -> Floats:
    """The lowest R4 that a run can have after one more call, put in at the best place.

    Args:
        head: the head.
        seen: sums and counts at the run's points, shape (points,) a role.
        call: shape (…,), the value of the added call.
        result: shape (…,), the value of what it brings.
        opens: whether the policy speaks before the first point, so that it can call there.

    Returns:
        Shape (…,).
    """
    added = {"tool_call": call, "tool_result": result}
    sums, counts, sums_new, counts_new = [], [], [], []
    for role, total, count in zip(head.roles, *seen, strict=True):
        more = added.get(role, np.zeros_like(result))[..., None]
        one = int(role in added)
        sums.append(total + more)
        counts.append(count + one)
        # The point that the result makes: what was seen at the point before, and the call with its result.
        sums_new.append(np.concatenate([[0], total[:-1]]) + more)
        counts_new.append(np.concatenate([[0], count[:-1]]) + one)
    plain = score_totals(head, seen)
    later = score_totals(head, Totals(tuple(sums), tuple(counts)))
    new = score_totals(head, Totals(tuple(sums_new), tuple(counts_new)))
    before = np.concatenate([[-np.inf], np.maximum.accumulate(plain)[:-1]])
    after = np.flip(np.maximum.accumulate(np.flip(later, -1), -1), -1)
    highest = np.maximum(np.maximum(after, new), before)
    best: Floats = highest[..., 0 if opens else 1 :].min(-1, initial=plain.max())
    return best


def _donors(corpus: Corpus, calls: Calls, runs: FailingRuns) -> _Donors:
    train = runs.fit.split.train
    good = np.zeros(len(corpus), dtype=bool)
    good[train[corpus.failed[train] == 0]] = True
    kept = good[calls.owner]
    return _Donors(
        runs.every[calls.call[kept]],
        runs.every[calls.result[kept]],
        calls.tool.codes[kept],
        corpus.task.codes[calls.owner[kept]],
    )


def _speaks_first(corpus: Corpus) -> Flags:
    """Whether the policy wrote something before the evidence that the first point ends with, shape (n,)."""
    wrote = policy_turns(corpus, "assistant") | policy_turns(corpus, "tool_call")
    before = np.concatenate([[0], np.cumsum(wrote)])
    first = corpus.points.offsets[:-1]
    spoke: Flags = before[corpus.points.run[first]] > before[corpus.offsets[:-1]]
    return spoke
