"""From scores and effects to rows of the result: each function makes one kind of row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from armslength.attacks import CHANNELS, DRAWS, Effect, join
from armslength.heads import FoldFit, OutOfFold
from armslength.records import READ_ROLES, WRITABLE_ROLES, WRITER_CODE, Authorship, Corpus
from armslength.statistics import MIN_GROUPS

from .model import (
    Alert,
    Atom,
    Attack,
    Ceiling,
    Data,
    Estimate,
    Label,
    Rival,
    Score,
    Stratum,
)
from .resamples import MIN_PAIRS, Concordance, Resamples, read_path
from .verdict import Evidence

__all__ = ["CHANNELS", "DRAWS", "Effect"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DEGREES = [0]
MIN_ALERTS = 20
MIN_CLASS = 5
READ = "R4"


def why_unmeasured(corpus: Corpus) -> str | None:
    """The reason why no head can be fitted, or None."""
    failures = int(corpus.failed.sum())
    successes = len(corpus) - failures
    groups = len(np.unique(corpus.group.codes))
    if not len(corpus):
        return "no trajectory has an outcome and a decision point"
    if not failures or not successes:
        return f"only one class: {successes} successes and {failures} failures"
    if groups == 1:
        return "one task group: folds by group are impossible"
    if groups < 5:
        return f"{groups} task groups: five folds by group are impossible"
    if min(failures, successes) < MIN_CLASS:
        return f"too few of one class: {successes} successes and {failures} failures, {MIN_CLASS} of each are needed"
    return None


def data(resamples: Resamples, read: int, headline: Sequence[OutOfFold]) -> Data:
    """What was measured, what was left out, and the strata of failures."""
    corpus = resamples.corpus
    base = empty_data(corpus, read)
    counts = corpus.points.counts
    median = {name: float(np.median(counts[corpus.failed == value])) for name, value in (("success", 0), ("failure", 1))}
    names = [name for name in corpus.stratum.names if name]
    strata = {}
    if names:
        for name in [*names, ""]:
            strata[name or "other failures"] = _stratum(resamples, headline, name)
    fields = {field: getattr(base, field) for field in base.__struct_fields__}
    return Data(**{**fields, "median_points": median, "strata": strata})


def empty_data(corpus: Corpus, read: int) -> Data:
    """The counts, without figures."""
    outcomes = [t.outcome for t in corpus.trajectories if t.outcome]
    unknown = int((corpus.writer == WRITER_CODE["unknown"]).sum())
    label = Label(
        sorted({o.source for o in outcomes}),
        sorted({o.grade for o in outcomes}),
        Estimate(None, None, None, 0, 0, "doing nothing is not measured by this version"),
    )
    return Data(
        trajectories=read, measured=len(corpus), groups=len(np.unique(corpus.group.codes)),
        failures=int(corpus.failed.sum()), policies=len(np.unique(corpus.policy.codes)),
        decision_points=len(corpus.points), median_points={"success": None, "failure": None},
        excluded=corpus.excluded.reasons, duplicates=[(d.at, d.same_as) for d in corpus.excluded.duplicates],
        unknown_writer_turns=unknown, strata={}, label=label,
    )  # fmt: skip


def _stratum(resamples: Resamples, headline: Sequence[OutOfFold], name: str) -> Stratum:
    corpus = resamples.corpus
    inside = corpus.stratum.codes == corpus.stratum.names.index(name)
    rows = np.flatnonzero((corpus.failed == 0) | inside)
    failures = int((corpus.failed[rows] == 1).sum())
    figures = [resamples.pooled(resamples.concordance(headline, read, rows).pooled, rows) for read in ("R1", "R4")]
    return Stratum(failures, *figures)


def score_row(resamples: Resamples, head: Authorship, read: str, found: Concordance, encoder: str) -> Score:
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
    heads: Sequence[Authorship],
    headline: Authorship,
) -> list[Rival]:
    """Every rival at every read, with the paired differences of all heads to it."""
    rows = []
    for name in rivals:
        for at, found in read[name].items():
            differences = {head: resamples.pooled(read[head][at].pooled - found.pooled) for head in heads}
            within = resamples.within(read[headline][at].within - found.within, found.pairs)
            rows.append(
                Rival(
                    name, at, resamples.pooled(found.pooled), resamples.within(found.within, found.pairs),
                    differences[headline], within, dict(differences),
                )
            )  # fmt: skip
    return rows


def alert_row(resamples: Resamples, head: str, runs: Sequence[OutOfFold], alpha: float) -> Alert:
    """The operating point of a head on R4, and what alerts at it."""
    corpus = resamples.corpus
    alerted = np.mean([read_path(run.z, corpus, READ) > run.thresholds() for run in runs], axis=0)
    early = np.mean([_before_writable(corpus, run, head) for run in runs], axis=0)
    everyone, failed = np.arange(len(corpus)), corpus.failed.astype(np.float64)
    fits = [fit for run in runs for fit in run.fits]
    alerts = round(float(alerted @ failed))
    return Alert(
        head=head, degrees=DEGREES, read=READ, alpha=alpha,
        realised=resamples.share(alerted * (1 - failed), 1 - failed, everyone, n=int((1 - failed).sum())),
        realised_by_fold=_realised_by_fold(corpus, runs[0]),
        largest_atom=_largest_atom(corpus, runs[0]),
        alerts=alerts,
        caught=resamples.share(alerted * failed, failed, everyone, n=int(failed.sum())),
        before_anything_writable=resamples.share(early * failed, alerted * failed, everyone, n=alerts),
        folds_without_threshold=sum(fit.threshold is None for fit in fits),
        penalties=[fit.penalty for fit in fits],
        penalties_at_edge=sum(fit.at_edge for fit in fits),
    )  # fmt: skip


def _before_writable(corpus: Corpus, run: OutOfFold, head: str) -> npt.NDArray[np.bool_]:
    """Whether an alert was up at a point whose prefix holds no policy turn that the head reads."""
    roles = [role for role in WRITABLE_ROLES if role in READ_ROLES[head]]  # type: ignore[index]
    written = np.concatenate([[0], np.cumsum(_policy_mask(corpus, roles))])
    points = corpus.points
    untouched = written[points.end] == written[corpus.offsets[points.trajectory]]
    early: npt.NDArray[np.bool_] = read_path(np.where(untouched, run.z, -np.inf), corpus, READ) > run.thresholds()
    return early


def _policy_mask(corpus: Corpus, roles: Sequence[str]) -> npt.NDArray[np.bool_]:
    from armslength.records import ROLE_CODE

    wanted = np.isin(corpus.role, [ROLE_CODE[role] for role in roles])  # type: ignore[index]
    return wanted & (corpus.writer == WRITER_CODE["policy"])


def _realised_by_fold(corpus: Corpus, run: OutOfFold) -> list[float | None]:
    alerted = read_path(run.z, corpus, READ) > run.thresholds()
    rates: list[float | None] = []
    for fit in run.fits:
        good = fit.split.test[corpus.failed[fit.split.test] == 0]
        rates.append(float(alerted[good].mean()) if len(good) else None)
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


def attack_row(resamples: Resamples, head: str, effect: Effect, seeds: int) -> Attack:
    """What an adversary achieves: removed, created, net and drop of z, or the count alone below `MIN_ALERTS`."""
    before = effect.before.astype(np.float64)
    lost, made = before * (1 - effect.after), (1 - before) * effect.after
    reachable = before * ~effect.fixed
    of_alerts = _Share(resamples, effect, before, seeds)
    return Attack(
        head, DEGREES, READ, effect.writable, effect.kind, effect.pool,
        removed=of_alerts(lost), created=of_alerts(made),
        created_of_silent=_Share(resamples, effect, 1 - before, seeds)(made),
        net=of_alerts(lost - made),
        removed_after_writable=_Share(resamples, effect, reachable, seeds)(lost * ~effect.fixed),
        z_drop=_drop(resamples, effect, seeds),
    )  # fmt: skip


def ceiling_row(resamples: Resamples, head: str, effect: Effect, seeds: int) -> Ceiling:
    """What no selection or no text could exceed."""
    before = effect.before.astype(np.float64)
    value = _Share(resamples, effect, before, seeds)(before * (1 - effect.after))
    return Ceiling(head, DEGREES, effect.writable, effect.kind, value, _drop(resamples, effect, seeds))


class _Share:
    """Shares of some runs, refused below `MIN_ALERTS`."""

    def __init__(self, resamples: Resamples, effect: Effect, whole: Floats, seeds: int) -> None:
        self._resamples, self._effect, self._whole = resamples, effect, whole
        self._n = round(float(whole.sum()) / seeds)

    def __call__(self, part: Floats) -> Estimate:
        if self._n < MIN_ALERTS:
            reason = f"{self._n} alerts, fewer than {MIN_ALERTS}: no number"
            return Estimate(None, None, None, self._n, 0, reason)
        return self._resamples.share(part, self._whole, self._effect.rows, n=self._n)


def _drop(resamples: Resamples, effect: Effect, seeds: int) -> Estimate:
    open_run = ~np.isnan(effect.drop)
    n = round(int(open_run.sum()) / seeds)
    if not n:
        return Estimate(None, None, None, 0, 0, "no failing run has a decision point after a writable turn")
    return resamples.share(np.where(open_run, effect.drop, 0.0), open_run.astype(np.float64), effect.rows, n=n)


def over_seeds(effects: Sequence[Sequence[Effect]]) -> list[Effect]:
    """Effects of all fold seeds as one, channel by channel and kind by kind."""
    return [join(same) for same in zip(*effects, strict=True)]


def evidence(
    resamples: Resamples,
    head: str,
    read: Mapping[str, Concordance],
    rivals: Sequence[Rival],
    attacks: Sequence[Attack],
    ceilings: Sequence[Ceiling],
    end: str,
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
    )


def rewrite_policy(corpus: Corpus) -> Corpus:
    """The same corpus with every policy-written text replaced by one that no run holds."""
    mine = corpus.writer == WRITER_CODE["policy"]
    text = np.where(mine, len(corpus.texts), corpus.text)
    return replace(corpus, text=text, texts=(*corpus.texts, "the policy wrote something else here, at length and in other words"))
