"""Rows of the result that say how scores predict and at which operating point they alert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from armslength.attacks import policy_turns
from armslength.heads import FoldFit, OutOfFold, task_identity
from armslength.records import READ_ROLES, WRITABLE_ROLES, Authorship, Corpus

from .model import Alert, Atom, Attack, Ceiling, Estimate, Rival, Score, Steering
from .resamples import DEGREES, READ, Concordance, Resamples, read_path
from .verdict import Evidence

Floats = npt.NDArray[np.float64]


def score_row(
    resamples: Resamples, head: Authorship, read: str, found: Concordance, *, encoder: str
) -> Score:
    """How a head predicts at one read."""
    spread = (min(found.by_seed), max(found.by_seed)) if len(found.by_seed) > 1 else None
    return Score(
        head, head, DEGREES, encoder, read, resamples.pooled(found.pooled),
        resamples.within(found.within, found.pairs), found.pairs, spread,
    )  # fmt: skip


def rival_rows(
    resamples: Resamples,
    read: Mapping[str, Mapping[str, Concordance]],
    rivals: Sequence[str],
    *,
    heads: Sequence[Authorship],
    headline: Authorship,
) -> list[Rival]:
    """Every rival at every read, with the paired differences of all heads to it."""
    rows = []
    for name in rivals:
        for at, found in read[name].items():
            differences: dict[str, Estimate] = {
                head: resamples.pooled(read[head][at].pooled - found.pooled) for head in heads
            }
            within = resamples.within(read[headline][at].within - found.within, found.pairs)
            rows.append(
                Rival(
                    name, at, resamples.pooled(found.pooled), resamples.within(found.within, found.pairs),
                    differences[headline], within, differences,
                )
            )  # fmt: skip
    return rows


def task_row(
    resamples: Resamples, heads: Mapping[Authorship, Sequence[OutOfFold]], *, headline: Authorship
) -> Rival | None:
    """Task identity at R4, on the runs whose task has others; None where no task has two runs.

    It leaves the run itself out, which forces it to be wrong within a task: no figure is shown there.
    """
    corpus = resamples.corpus
    values = task_identity(corpus)
    rows = np.flatnonzero(~np.isnan(values))
    if not len(rows):
        return None
    found = resamples.concordance_of([(values, run.fold) for run in heads[headline]], rows)
    differences: dict[str, Estimate] = {
        name: resamples.pooled(resamples.concordance(runs, READ, rows).pooled - found.pooled, rows)
        for name, runs in heads.items()
    }
    none = Estimate(None, None, None, 0, 0, "leaves the run itself out: 0 by construction")
    return Rival(
        "task identity",
        READ,
        resamples.pooled(found.pooled, rows),
        none,
        differences[headline],
        none,
        differences,
    )


def alert_row(resamples: Resamples, head: Authorship, runs: Sequence[OutOfFold], alpha: float) -> Alert:
    """The operating point of a head on R4, and what alerts at it."""
    corpus = resamples.corpus
    # A fold without a threshold alerts nobody: its runs are left out, or the rates would be diluted towards 0.
    armed = np.array([np.isfinite(run.thresholds()) for run in runs]).astype(np.float64)
    alerted = np.array([read_path(run.z, corpus, READ) > run.thresholds() for run in runs]).sum(0)
    early = np.array([_before_writable(corpus, run, head) for run in runs]).sum(0)
    everyone, failed = np.arange(len(corpus)), corpus.failed.astype(np.float64)
    fits = [fit for run in runs for fit in run.fits]
    alerts = round(float(alerted @ failed) / len(runs))

    def share(part: Floats, whole: Floats) -> Estimate:
        n = round(float(whole.sum()) / len(runs))
        reason = None if armed.any() else "too few successes: no fold has a threshold"
        return resamples.share(part, whole, everyone, n=n, reason=reason)

    return Alert(
        head=head, degrees=DEGREES, read=READ, alpha=alpha,
        realised=share(alerted * (1 - failed), armed.sum(0) * (1 - failed)),
        realised_by_fold=_realised_by_fold(corpus, runs[0]),
        largest_atom=_largest_atom(corpus, runs[0]),
        alerts=alerts,
        caught=share(alerted * failed, armed.sum(0) * failed),
        before_anything_writable=share(early * failed, alerted * failed),
        folds_without_threshold=sum(fit.threshold is None for fit in fits),
        penalties=[fit.penalty for fit in fits],
        penalties_at_edge=sum(fit.at_edge for fit in fits),
    )  # fmt: skip


def _before_writable(corpus: Corpus, run: OutOfFold, head: Authorship) -> npt.NDArray[np.bool_]:
    """Whether an alert was up at a point whose prefix holds no policy turn that the head reads."""
    written = np.zeros(corpus.turns, dtype=bool)
    for role in set(WRITABLE_ROLES) & set(READ_ROLES[head]):
        written |= policy_turns(corpus, role)
    untouched = corpus.count_in_prefix(written) == 0
    early: npt.NDArray[np.bool_] = (
        read_path(np.where(untouched, run.z, -np.inf), corpus, READ) > run.thresholds()
    )
    return early


def _realised_by_fold(corpus: Corpus, run: OutOfFold) -> list[float | None]:
    alerted = read_path(run.z, corpus, READ) > run.thresholds()
    rates: list[float | None] = []
    for fit in run.fits:
        good = fit.split.test[corpus.failed[fit.split.test] == 0]
        armed = fit.threshold is not None and len(good) > 0
        rates.append(float(alerted[good].mean()) if armed else None)
    return rates


def _largest_atom(corpus: Corpus, run: OutOfFold) -> Atom | None:
    """The most frequent value of R4 in any fold, by share of the fold's runs."""
    r4 = read_path(run.z, corpus, READ)

    def atom(fit: FoldFit) -> Atom:
        values, failed = r4[fit.split.test], corpus.failed[fit.split.test]
        found, count = np.unique(values, return_counts=True)
        value = found[count.argmax()]
        has = values == value
        sides = [float(has[failed == side].mean()) if (failed == side).any() else None for side in (0, 1)]
        distance = None
        if fit.threshold is not None and fit.spread > 0:
            distance = float((value - fit.threshold) / fit.spread)
        return Atom(float(has.mean()), sides[0], sides[1], distance)

    return max((atom(fit) for fit in run.fits if len(fit.split.test)), key=lambda a: a.share, default=None)


def evidence(
    resamples: Resamples,
    head: str,
    read: Mapping[str, Concordance],
    *,
    rivals: Sequence[Rival],
    attacks: Sequence[Attack],
    ceilings: Sequence[Ceiling],
    end: str,
    absent: Sequence[str],
    doubts: Sequence[str],
    explanations: Sequence[Rival],
    steering: Sequence[Steering],
) -> Evidence:
    """What the verdict on a head rests on."""
    by_read: dict[str, dict[str, Estimate]] = {}
    for row in rivals:
        by_read.setdefault(row.read, {})[row.name] = row.differences[head]
    return Evidence(
        head=head,
        auc={at: resamples.pooled(found.pooled) for at, found in read.items()},
        within={at: resamples.within(found.within, found.pairs) for at, found in read.items()},
        pairs=read["R1"].pairs,
        rivals=by_read,
        spheres={c.writable: c.value for c in ceilings if c.head == head and c.kind == "sphere"},
        cheap={a.writable: a.removed for a in attacks if a.head == head and a.adversary == "best-of-5"},
        end=end,
        absent=tuple(absent),
        doubts=tuple(doubts),
        explanations={row.name: row.differences[head] for row in explanations if row.read == READ},
        steering=steering,
    )
