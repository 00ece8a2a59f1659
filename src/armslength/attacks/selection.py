"""Attack by selection: substitute the policy's turns in failing runs and see which alerts disappear (method 1.7).

Evidence, number and order of turns stay; the writable turns take other values. Every head is attacked on the
trajectories that its fold did not train on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.geometry import Spans, prefix_spans
from armslength.heads import FoldFit, OutOfFold
from armslength.records import ROLE_CODE, WRITABLE_ROLES, WRITER_CODE, Corpus, Role, ranges
from armslength.scoring import ExactHead, running_maximum, score, turn_values

from .adversaries import ADVERSARIES, DRAWS, MOST_DRAWN, Target
from .donors import DonorPool

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: The sets of roles that an attack may write, by the name that results carry.
CHANNELS: dict[str, tuple[Role, ...]] = {
    "assistant": ("assistant",),
    "tool_call": ("tool_call",),
    "both": WRITABLE_ROLES,
}


@dataclass(frozen=True)
class Effect:
    """What one adversary did to the failing runs.

    Attributes:
        writable: name of the channel.
        kind: name of the adversary, or of the ceiling.
        pool: where the donors came from.
        rows: shape (m,), failing trajectories, as rows of the corpus.
        before: shape (m,), whether R4 alerted without attack.
        fixed: shape (m,), whether an alert was up before anything writable.
        after: shape (m,), share of draws in which R4 alerts under attack.
        drop: shape (m,), fall of z at points with a writable turn, mean per run, in standard deviations of the fold's
            R4; NaN where a run has no such point.
    """

    writable: str
    kind: str
    pool: str
    rows: Ints
    before: Flags
    fixed: Flags
    after: Floats
    drop: Floats


@dataclass(frozen=True)
class FailingRuns:
    """The failing test runs of one fold as an attack sees them.

    Attributes:
        rows: their rows in the whole corpus.
        corpus: the runs alone.
        values: their turn values under the fold's head.
        head: the fold's head.
        fit: what the fold fitted.
        every: turn values of the whole corpus, for donors.
    """

    rows: Ints
    corpus: Corpus
    values: Ints
    head: ExactHead
    fit: FoldFit
    every: Ints

    @cached_property
    def spans(self) -> Spans:
        """What each decision point of the runs sees."""
        return prefix_spans(self.corpus, self.head.authorship)

    @cached_property
    def before(self) -> Floats:
        """Scores without attack, shape (points of the runs,)."""
        return score(self.head, self.spans, self.values)

    def writable_turns(self, role: Role) -> Ints:
        """Turns of this role that the policy wrote and the head reads, as indices into the runs' turns."""
        return (
            np.flatnonzero(policy_turns(self.corpus, role))
            if role in self.head.roles
            else np.zeros(0, np.int64)
        )


def policy_turns(corpus: Corpus, role: Role) -> Flags:
    """Turns of this role that the policy wrote, shape (turns,)."""
    flags: Flags = (corpus.role == ROLE_CODE[role]) & (corpus.writer == WRITER_CODE["policy"])
    return flags


def failing_runs(corpus: Corpus, vectors: Vectors, scores: OutOfFold) -> list[FailingRuns]:
    """The failing runs of each fold that has some, with the values of their turns under that fold's head."""
    floats = vectors.astype(np.float64)
    runs = []
    for fit in scores.fits:
        if fit.head is None:
            msg = f"{scores.name} has no exact head"
            raise TypeError(msg)
        rows = fit.split.test[corpus.failed[fit.split.test] == 1]
        if not len(rows):
            continue
        every = turn_values(fit.head, corpus, floats)
        part = corpus.take(rows)
        turns = ranges(corpus.offsets[rows], np.diff(corpus.offsets)[rows])
        runs.append(FailingRuns(rows, part, every[turns], fit.head, fit, every))
    return runs


def successful_pool(corpus: Corpus, runs: FailingRuns, role: Role) -> DonorPool | None:
    """Donors of this role that accompanied success in the training folds; None where some target has no donor."""
    train = runs.fit.split.train
    pool = pool_of(corpus, runs, role, train[corpus.failed[train] == 0], "successful")
    return pool if pool.serves(np.unique(runs.corpus.task.codes)) else None


def pool_of(corpus: Corpus, runs: FailingRuns, role: Role, rows: Ints, name: str) -> DonorPool:
    """Donors of this role from some training trajectories."""
    chosen = np.zeros(len(corpus), dtype=bool)
    chosen[rows] = True
    donors = np.flatnonzero(policy_turns(corpus, role) & chosen[corpus.owner])
    return DonorPool(name, runs.every[donors], corpus.task.codes[corpus.owner[donors]])


def attack(
    corpus: Corpus, vectors: Vectors, scores: OutOfFold, *, channels: Sequence[str], seed: int
) -> list[Effect]:
    """Every adversary on every channel.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        scores: out-of-fold scores of an exact head.
        channels: names in `CHANNELS`.
        seed: of the random donors; the same for all heads and channels, so that they can be compared.

    Returns:
        One effect a channel and adversary, over all failing runs.
    """
    parts: dict[tuple[str, str], list[Effect]] = {}
    for fold, runs in enumerate(failing_runs(corpus, vectors, scores)):
        targets = {
            role: _target(corpus, runs, role, [seed, fold, ROLE_CODE[role]]) for role in WRITABLE_ROLES
        }
        for channel in channels:
            for name, adversary in ADVERSARIES.items():
                values = {role: adversary(targets[role]) for role in CHANNELS[channel]}
                effect = apply(runs, values, writable=channel, kind=name, pool="successful")
                found = parts.setdefault((channel, name), [_empty(effect)])
                if name == "keep" or all(targets[role].served for role in CHANNELS[channel]):
                    found.append(effect)
    return [join(effects) for effects in parts.values()]


def _empty(effect: Effect) -> Effect:
    """The same attack on no run; a fold without donors adds nothing to it, because unattacked is not withstood."""
    fields = ("rows", "before", "fixed", "after", "drop")
    return replace(effect, **{name: getattr(effect, name)[:0] for name in fields})


def _target(corpus: Corpus, runs: FailingRuns, role: Role, seed: Sequence[int]) -> Target:
    turns = runs.writable_turns(role)
    task = runs.corpus.task.codes[runs.corpus.owner[turns]]
    pool = successful_pool(corpus, runs, role)
    if pool is None or not len(turns):
        return Target(runs.values[turns], task, None, np.zeros((0, len(turns), 0), dtype=np.int64))
    rng = np.random.default_rng(seed)
    drawn = np.stack([pool.draw(task, MOST_DRAWN, rng) for _ in range(DRAWS)])
    return Target(runs.values[turns], task, pool, drawn)


def apply(runs: FailingRuns, values: Mapping[Role, Ints], *, writable: str, kind: str, pool: str) -> Effect:
    """Score the runs with these turn values in the writable places.

    Args:
        runs: the failing runs of one fold.
        values: for each writable role, shape (draws, turns of that role).
        writable: name of the channel, for the effect.
        kind: name of the adversary or ceiling, for the effect.
        pool: name of the donors, for the effect.
    """
    offsets = runs.corpus.points.offsets
    draws = max((len(v) for v in values.values()), default=1)
    changed = np.repeat(runs.values[None], draws, axis=0)
    writes = np.zeros(runs.corpus.turns, dtype=bool)
    for role, replaced in values.items():
        changed[:, runs.writable_turns(role)] = replaced
    # Points after a turn that the head reads; for a head that reads none of the channel, after any turn of it.
    for role in [r for r in values if r in runs.head.roles] or values:
        writes |= policy_turns(runs.corpus, role)
    before, after = runs.before, score(runs.head, runs.spans, changed)
    tau = np.inf if runs.fit.threshold is None else runs.fit.threshold
    open_point = runs.corpus.count_in_prefix(writes) > 0
    untouched = np.where(open_point, -np.inf, before)
    falls = before - after
    # The mean of equal draws may be off by a rounding; it lies between the smallest and the largest of them.
    fall = np.where(open_point, np.clip(falls.mean(0), falls.min(0), falls.max(0)), 0.0)
    count = np.add.reduceat(open_point, offsets[:-1], dtype=np.int64)
    total = np.add.reduceat(fall, offsets[:-1])
    mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    return Effect(
        writable, kind, pool, runs.rows,
        before=running_maximum(before, offsets) > tau,
        fixed=running_maximum(untouched, offsets) > tau,
        after=(running_maximum(after, offsets) > tau).mean(0),
        drop=mean / runs.fit.spread if runs.fit.spread > 0 else np.full(len(mean), np.nan),
    )  # fmt: skip


def join(effects: Sequence[Effect]) -> Effect:
    """The effects of all folds as one."""

    def column(name: str) -> Floats:
        return np.concatenate([getattr(effect, name) for effect in effects])

    return replace(
        effects[0],
        rows=column("rows").astype(np.int64),
        before=column("before").astype(bool),
        fixed=column("fixed").astype(bool),
        after=column("after"),
        drop=column("drop"),
    )
