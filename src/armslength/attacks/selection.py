"""Attack by selection: substitute the policy's turns in recorded runs and see which alerts disappear (method 1.7).

Evidence, number and order of turns stay; the writable turns take other values. Every head is attacked on the
trajectories that its fold did not train on.

Tests: ``tests/attacks/test_selection.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import ROLE_CODE, WRITABLE_ROLES, Corpus, Role
from armslength.scoring import running_maximum, score

from .adversaries import ADVERSARIES, DRAWS, MOST_DRAWN, ON_EVERY_RUNG, Target, Targets
from .ladder import RUNGS, Ladder
from .runs import AttackedRuns, failing_runs, policy_turns, successful_runs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: The sets of roles that an attack may write, by the name that results carry.
CHANNELS: dict[str, tuple[Role, ...]] = {
    "assistant": ("assistant",),
    "tool_call": ("tool_call",),
    "both": WRITABLE_ROLES,
}

#: The rung on which every adversary stands.
MAIN_RUNG: Final = "successful"


@dataclass(frozen=True)
class Effect:
    """What one adversary did to the runs.

    Attributes:
        writable: name of the channel.
        kind: name of the adversary, or of the ceiling.
        pool: where the donors came from.
        rows: shape (m,), the attacked trajectories, as rows of the corpus.
        before: shape (m,), whether R4 alerted without attack.
        fixed: shape (m,), whether an alert was up before anything writable.
        after: shape (m,), share of draws in which R4 alerts under attack.
        drop: shape (m,), fall of z at points with a writable turn, mean per run, in standard deviations of the fold's
            R4; NaN where a run has no such point.
        gain: shape (m,), fall of the risk at the end, mean over draws: what the run's reward rises by.
        pairs: shape (m,), peers of the same task and the other outcome below which the run stands at the end.
        flipped: shape (m,), how many of them it overtakes, mean over draws; a tie counts one half.
    """

    writable: str
    kind: str
    pool: str
    rows: Ints
    before: Flags
    fixed: Flags
    after: Floats
    drop: Floats
    gain: Floats
    pairs: Ints
    flipped: Floats


#: The columns of an effect that have one entry a run.
_COLUMNS: Final = tuple(field.name for field in fields(Effect)[3:])


def attack(
    corpus: Corpus, vectors: Vectors, scores: OutOfFold, *, channels: Sequence[str], seed: int
) -> list[Effect]:
    """Every adversary on every channel, and the ladder: failing runs that would look good.

    Args:
        corpus: the trajectories.
        vectors: shape (texts, d), integer unit vectors.
        scores: out-of-fold scores of an exact head.
        channels: names in `CHANNELS`.
        seed: of the random donors; the same for all heads and channels, so that they can be compared.

    Returns:
        One effect a channel, rung and adversary, over all failing runs.
    """
    runs, ladder = failing_runs(corpus, vectors, scores), Ladder(corpus, vectors)
    effects: list[Effect] = []
    for rung in (MAIN_RUNG, *(name for name in RUNGS if name != MAIN_RUNG)):
        names = tuple(ADVERSARIES) if rung == MAIN_RUNG else ON_EVERY_RUNG
        targets = [_targets(ladder, rung, part, [seed, fold]) for fold, part in enumerate(runs)]
        effects += _effects(runs, targets, channels=channels, names=names, pool=rung)
    return effects


def denial(
    corpus: Corpus, vectors: Vectors, scores: OutOfFold, *, channels: Sequence[str], seed: int
) -> list[Effect]:
    """The other direction: successful runs that turns of failing ones would make look bad; arguments as `attack`."""
    runs, ladder = successful_runs(corpus, vectors, scores), Ladder(corpus, vectors, outcome=1)
    # The highest value is the lowest of the negated ones.
    turned = [replace(part, values=-part.values, every=-part.every) for part in runs]
    targets = [_targets(ladder, MAIN_RUNG, part, [seed, fold]) for fold, part in enumerate(turned)]
    return _effects(runs, targets, channels=channels, names=ON_EVERY_RUNG, pool="of failing runs", sign=-1)


def _effects(
    runs: Sequence[AttackedRuns],
    targets: Sequence[Targets],
    *,
    channels: Sequence[str],
    names: Sequence[str],
    pool: str,
    sign: int = 1,
) -> list[Effect]:
    """Adversaries on the runs of all folds, each on every channel; values are taken times `sign`."""
    joined = []
    for channel in channels:
        for name in names:
            effects = []
            for part, of_role in zip(runs, targets, strict=True):
                on = {role: of_role[role] for role in CHANNELS[channel]}
                values = {role: sign * new for role, new in ADVERSARIES[name](part, on).items()}
                effect = apply(part, values, writable=channel, kind=name, pool=pool)
                served = name == "keep" or all(target.served for target in on.values())
                effects += [effect if served else _empty(effect)]
            joined += [join(effects)] if effects else []
    return joined


def _empty(effect: Effect) -> Effect:
    """The same attack on no run; a fold without donors adds nothing to it, because unattacked is not withstood."""
    return replace(effect, **{name: getattr(effect, name)[:0] for name in _COLUMNS})


def _targets(ladder: Ladder, rung: str, runs: AttackedRuns, seed: Sequence[int]) -> Targets:
    """The targets of every writable role, with the donors that are drawn for them."""
    return {role: _target(ladder, rung, runs, role, [*seed, ROLE_CODE[role]]) for role in WRITABLE_ROLES}


def _target(ladder: Ladder, rung: str, runs: AttackedRuns, role: Role, seed: Sequence[int]) -> Target:
    own = runs.values[runs.writable_turns(role)]
    rng = np.random.default_rng(seed)
    pool = ladder.pool(rung, runs, role, rng) if len(own) else None
    if pool is None:
        return Target(own, None, np.zeros((0, len(own), 0), dtype=np.int64), own)
    main = rung == MAIN_RUNG
    size = MOST_DRAWN if main else 5
    drawn = np.stack([pool.draw(size, rng) for _ in range(DRAWS)])
    return Target(own, pool, drawn, ladder.typical(runs, role) if main else own)


def apply(runs: AttackedRuns, values: Mapping[Role, Ints], *, writable: str, kind: str, pool: str) -> Effect:
    """Score the runs with these turn values in the writable places.

    Args:
        runs: the runs of one fold.
        values: for each writable role, shape (draws, turns of that role).
        writable: name of the channel, for the effect.
        kind: name of the adversary or ceiling, for the effect.
        pool: name of the donors, for the effect.
    """
    draws = max((len(v) for v in values.values()), default=1)
    changed = np.repeat(runs.values[None], draws, axis=0)
    writes = np.zeros(runs.corpus.turns, dtype=bool)
    for role, replaced in values.items():
        changed[:, runs.writable_turns(role)] = replaced
    # Points after a turn that the head reads; for a head that reads none of the channel, after any turn of it.
    for role in [r for r in values if r in runs.head.roles] or values:
        writes |= policy_turns(runs.corpus, role)
    open_point = runs.corpus.count_in_prefix(writes) > 0
    offsets, tau = runs.corpus.points.offsets, runs.threshold
    before, after = runs.before, score(runs.head, runs.spans, changed)
    untouched = np.where(open_point, -np.inf, before)
    falls = before - after
    # The mean of equal draws may be off by a rounding; it lies between the smallest and the largest of them.
    fall = np.where(open_point, np.clip(falls.mean(0), falls.min(0), falls.max(0)), 0.0)
    count = np.add.reduceat(open_point, offsets[:-1], dtype=np.int64)
    total = np.add.reduceat(fall, offsets[:-1])
    mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    end = after[:, runs.last]
    gains = _risk(before[runs.last]) - _risk(end)
    pairs, flipped = _overtaken(runs, end)
    return Effect(
        writable, kind, pool, runs.rows,
        before=running_maximum(before, offsets) > tau,
        fixed=running_maximum(untouched, offsets) > tau,
        after=(running_maximum(after, offsets) > tau).mean(0),
        drop=mean / runs.fit.spread if runs.fit.spread > 0 else np.full(len(mean), np.nan),
        gain=np.clip(gains.mean(0), gains.min(0), gains.max(0)),
        pairs=pairs,
        flipped=flipped,
    )  # fmt: skip


def _overtaken(runs: AttackedRuns, end: Floats) -> tuple[Ints, Floats]:
    """Peers that stood better at the end, and how many of them still do not after the attack."""
    run, peer = runs.peers
    better = runs.before[runs.last][run] > peer
    run, peer = run[better], peer[better]
    over = ((end[:, run] < peer) + 0.5 * (end[:, run] == peer)).mean(0)
    pairs = np.bincount(run, minlength=len(runs.rows)).astype(np.int64)
    return pairs, np.bincount(run, weights=over, minlength=len(runs.rows)).astype(np.float64)


def _risk(z: Floats) -> Floats:
    risk: Floats = 1 / (1 + np.exp(-np.clip(z, -700, 700)))
    return risk


def join(effects: Sequence[Effect]) -> Effect:
    """The effects of all folds as one."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(effect, name) for effect in effects]) for name in _COLUMNS
    }
    return replace(effects[0], **columns)
