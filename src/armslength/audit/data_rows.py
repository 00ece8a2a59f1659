"""Rows of the result that say what was measured, what was left out, and why nothing could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np

from armslength.heads import OUTER, OutOfFold
from armslength.records import WRITER_CODE, Corpus

from .model import SCHEMA, Audit, Data, Estimate, Label, Provenance, Settings, Stratum
from .resamples import Resamples
from .verdict import unmeasured


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
    if groups < OUTER:
        return f"{groups} task groups: five folds by group are impossible"
    spread = [len(np.unique(corpus.group.codes[corpus.failed == side])) for side in (0, 1)]
    if min(spread) < OUTER:
        return f"successes in {spread[0]} and failures in {spread[1]} task groups: {OUTER} of each are needed for folds"
    return None


def data(resamples: Resamples, read: int, headline: Sequence[OutOfFold]) -> Data:
    """What was measured, what was left out, and the strata of failures."""
    corpus = resamples.corpus
    base = empty_data(corpus, read)
    counts = corpus.points.counts
    median = {
        name: float(np.median(counts[corpus.failed == value]))
        for name, value in (("success", 0), ("failure", 1))
    }
    present = {corpus.stratum.names[code] for code in corpus.stratum.codes[corpus.failed == 1]}
    strata = {}
    if present - {""}:
        for name in [*sorted(present - {""}), *(present & {""})]:
            strata[name or "other failures"] = _stratum(resamples, headline, name)
    return msgspec.structs.replace(base, median_points=median, strata=strata)


def empty_data(corpus: Corpus, read: int) -> Data:
    """The counts, without figures."""
    outcomes = [t.outcome for t in corpus.trajectories if t.outcome]
    unknown = int((corpus.writer == WRITER_CODE["unknown"]).sum())
    label = Label(
        ", ".join(sorted({o.source for o in outcomes})),
        ", ".join(sorted({o.grade for o in outcomes})),
        Estimate(None, None, None, 0, 0, "doing nothing is not measured by this version"),
        *_against_declared(corpus),
    )
    return Data(
        trajectories=read, measured=len(corpus), groups=len(np.unique(corpus.group.codes)),
        failures=int(corpus.failed.sum()), policies=len(np.unique(corpus.policy.codes)),
        decision_points=len(corpus.points), median_points={"success": None, "failure": None},
        excluded=corpus.excluded.reasons, duplicates=[(d.at, d.same_as) for d in corpus.excluded.duplicates],
        unknown_writer_turns=unknown, strata={}, label=label,
    )  # fmt: skip


def _against_declared(corpus: Corpus) -> tuple[int, tuple[int, int]]:
    """How many runs declare an outcome, and how many of those count here as a failure, or as a success, instead."""
    declared = [
        (t.origin.declared, t.outcome.success)
        for t in corpus.trajectories
        if t.origin and t.origin.declared is not None and t.outcome
    ]
    return len(declared), (declared.count((True, False)), declared.count((False, True)))


def _stratum(resamples: Resamples, headline: Sequence[OutOfFold], name: str) -> Stratum:
    corpus = resamples.corpus
    inside = corpus.stratum.codes == corpus.stratum.names.index(name)
    rows = np.flatnonzero((corpus.failed == 0) | inside)
    failures = int((corpus.failed[rows] == 1).sum())
    figures = [
        resamples.pooled(resamples.concordance(headline, read, rows).pooled, rows) for read in ("R1", "R4")
    ]
    return Stratum(failures, *figures)


def rewrite_policy(corpus: Corpus) -> Corpus:
    """The same corpus with every policy-written text replaced by one that no run holds."""
    mine = corpus.writer == WRITER_CODE["policy"]
    text = np.where(mine, len(corpus.texts), corpus.text)
    return replace(
        corpus,
        text=text,
        texts=(*corpus.texts, "the policy wrote something else here, at length and in other words"),
    )


def nothing_measured(
    corpus: Corpus,
    read: int,
    reason: str,
    *,
    heads: Sequence[str],
    settings: Settings,
    provenance: Provenance,
) -> Audit:
    """The result where nothing can be measured: what was read and left out, and why there is no figure."""
    return Audit(
        schema=SCHEMA, verdict=unmeasured(reason), verdicts=dict.fromkeys(heads, "unmeasured"),
        data=empty_data(corpus, read), scores=[], rivals=[], explanations=[], variants=[], landmarks=[],
        aggregations=[], alerts=[], attacks=[], ladder=[], denial=[], steering=[], ceilings=[], controls=[], leak=None,
        examples=[], runs=[], settings=settings, provenance=provenance,
    )  # fmt: skip
