"""One more call: evidence that a policy brings about instead of writing it (method 1.8).

A call with a result that this very tool returned in a training run that succeeded is put in before a decision point.
Averages are diluted by it. The policy chooses where: at its first turn if it speaks before the world does, else after
any decision point. The result makes a decision point of its own, after which the run goes on as it was.

Tests: ``tests/attacks/test_more_calls.py``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Calls, Corpus
from armslength.scoring import ExactHead, Totals, running_maximum, score_totals, totals

from .adversaries import DRAWS
from .runs import AttackedRuns, policy_turns
from .steered import TRIED, Steered, steer, successful_calls

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


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
    return steer(corpus, vectors, scores, _of_fold, seed=seed, stream=3)


def _of_fold(corpus: Corpus, calls: Calls, runs: AttackedRuns, rng: np.random.Generator) -> list[Steered]:
    donors, task, offsets = (
        successful_calls(corpus, calls, runs),
        corpus.task.codes,
        runs.corpus.points.offsets,
    )
    call, result = runs.every[donors.call], runs.every[donors.result]
    seen, opens = totals(runs.spans, runs.values), _speaks_first(runs.corpus)
    alerted = np.flatnonzero(running_maximum(runs.before, offsets) > runs.threshold)
    able = np.zeros(len(alerted), dtype=bool)
    after = np.ones((len(TRIED), len(alerted)))
    for index, run in enumerate(alerted):
        row, points = runs.rows[run], slice(offsets[run], offsets[run + 1])
        same_tool = np.isin(donors.tool, calls.tool[calls.owner == row])
        choices = np.flatnonzero(same_tool & (task[donors.owner] != task[row]))
        if not len(choices):
            continue
        able[index] = True
        picked = rng.choice(choices, size=(DRAWS, max(TRIED)))
        own = Totals(*(tuple(part[points] for part in parts) for parts in seen))
        highest = highest_after(runs.head, own, call[picked], result[picked], opens=bool(opens[run]))
        after[:, index] = [(highest[:, :count].min(1) > runs.threshold).mean() for count in TRIED]
    rows = runs.rows[alerted]
    return [Steered(count, rows, able, share) for count, share in zip(TRIED, after, strict=True)]


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


def _speaks_first(corpus: Corpus) -> Flags:
    """Whether the policy wrote something before the evidence that the first point ends with, shape (n,)."""
    wrote = policy_turns(corpus, "assistant") | policy_turns(corpus, "tool_call")
    before = np.concatenate([[0], np.cumsum(wrote)])
    first = corpus.points.offsets[:-1]
    spoke: Flags = before[corpus.points.run[first]] > before[corpus.offsets[:-1]]
    return spoke
