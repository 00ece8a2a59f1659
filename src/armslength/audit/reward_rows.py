"""The user's own reward, asked as a black box, as the headline of an audit (method 1.18).

It is read as one more head named ``reward``, on the runs and at the points where it is measured: the same folds,
resamples, rivals and verdict. What it lacks as a black box, above all a ceiling, is unmeasured and says so.

Of the budget of calls, half is for the score paths, a quarter for the probes, and what is left for the attacks.

Tests: ``tests/audit/test_own_reward.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from msgspec.structs import replace

from armslength.attacks import (
    CHANNELS,
    GIVEN_UP,
    GREEDY,
    SPENT,
    Effect,
    Paths,
    Queried,
    Ranks,
    Reward,
    ask_paths,
    attack_by_query,
    probe,
    score_paths,
)
from armslength.heads import OutOfFold
from armslength.records import Authorship

from .aggregation_rows import aggregations
from .data_rows import why_unmeasured
from .landmark_rows import landmarks
from .manipulation_rows import attack_row, ceiling_row
from .model import Attack, Audit, Ceiling, Estimate, Rival, Score, Steering
from .options import Options
from .prediction_rows import alert_row, task_row
from .resamples import MIN_PAIRS, READS, Concordance, Resamples
from .reward_account import account, told
from .reward_model import OWN_REWARD
from .steering_rows import stop_control
from .verdict import Evidence, judge, unmeasured

BLACK_BOX: Final = "a black box is only asked: no bound on what a text could do to it"

_HEADLINE = cast("Authorship", OWN_REWARD)


@dataclass(frozen=True)
class Measured:
    """What the audit of the heads made, and the reward is compared with.

    Attributes:
        resamples: of all measured trajectories.
        folds: a head's scores, one for each assignment to folds.
        others: scores of rivals and explanations by name.
        absent: rivals that the data do not allow.
        doubts: why the evidence may be none.
        options: what the caller chose.
        seed: of everything random.
    """

    resamples: Resamples
    folds: Sequence[OutOfFold]
    others: Mapping[str, Sequence[OutOfFold]]
    absent: Sequence[str]
    doubts: Sequence[str]
    options: Options
    seed: int


def with_reward(
    result: Audit, measured: Measured, function: Callable[..., Any], progress: Callable[[str], None]
) -> Audit:
    """Ask, probe and attack the reward, and make it the headline.

    Args:
        result: the audit of the heads.
        measured: what it was made of.
        function: the user's reward.
        progress: called with a short text at each step.

    Returns:
        The audit with rows named ``reward`` and a verdict on it.
    """
    reward = Reward(function, measured.options.reward_calls)
    corpus = measured.resamples.corpus
    try:
        progress(f"asking {reward.name}")
        paths = ask_paths(corpus, reward, calls=reward.budget // 2, seed=measured.seed)
        progress(f"probing {reward.name}")
        known = np.flatnonzero(~np.isnan(paths.whole))
        probes = probe(corpus, reward, known, calls=min(reward.budget // 4, reward.left), seed=measured.seed)
        made = result
        reason = _why_unmeasured(paths, reward)
        queried = Queried([], 0, int(paths.corpus.failed.sum()))
        if reason is None:
            job = _Rows(result, measured, paths)
            progress(f"attacking {reward.name}")
            queried = attack_by_query(paths, job.runs[0], job.maps, reward, seed=measured.seed)
            made = job.add(queried)
        else:
            made = _without_rows(result, reason)
    finally:
        reward.close()
    found = account(reward, paths, queried, probes, resamples=measured.resamples, folds=measured.folds)
    return told(made, found, function)


def _why_unmeasured(paths: Paths, reward: Reward) -> str | None:
    if len(paths.corpus):
        reason = why_unmeasured(paths.corpus)
        return reason and f"on the runs whose reward is measured, {reason}"
    if not reward.calls:
        return "no run has a decision point at which the reward could be asked within the budget"
    asked = {reason: n for reason, n in reward.failures.items() if reason not in (SPENT, GIVEN_UP)}
    worst, count = max(asked.items(), key=lambda item: item[1])
    return f"no run has a measured reward: {worst}, {count:,} times"


def _without_rows(result: Audit, reason: str) -> Audit:
    """The audit of the heads with a verdict on a reward that cannot be compared with anything."""
    none = Estimate(None, None, None, 0, 0, reason)

    def row(of: Rival) -> Rival:
        differences = {**of.differences, OWN_REWARD: none}
        return replace(of, difference=none, difference_within_task=none, differences=differences)

    rivals, explanations = ([row(of) for of in rows] for rows in (result.rivals, result.explanations))
    return replace(result, verdict=unmeasured(reason), rivals=rivals, explanations=explanations)


class _Rows:
    """Rows of a measured reward."""

    def __init__(self, result: Audit, measured: Measured, paths: Paths) -> None:
        self.result, self.measured, self.paths = result, measured, paths
        self.resamples = Resamples(paths.corpus, measured.resamples.weights)
        self.runs: list[OutOfFold] = []
        self.maps: list[Ranks] = []
        for run in measured.folds:
            scores, maps = score_paths(
                paths, run.fold[paths.rows], len(run.fits), alpha=measured.options.alpha
            )
            self.runs.append(scores)
            self.maps = self.maps or maps
        self.found = {at: self.resamples.concordance(self.runs, at) for at in READS}

    def add(self, queried: Queried) -> Audit:
        """The result with the reward's rows first and the verdict on it."""
        result, options, resamples = self.result, self.measured.options, self.resamples
        named = {OWN_REWARD: self.runs}
        alert = alert_row(resamples, "all-role", self.runs, options.alpha)
        alert = replace(alert, head=OWN_REWARD, degrees=[], penalties=[], penalties_at_edge=0)
        attacks = [self._attack(effect) for effect in queried.effects]
        stop = stop_control(resamples, OWN_REWARD, self.runs)
        rivals = [self._compared(row) for row in result.rivals]
        explanations = [self._compared(row) for row in result.explanations]
        early = {effect.writable: self._before_writable(effect) for effect in queried.effects}
        ceilings = [replace(_no_ceiling(channel), before_writable=early[channel]) for channel in CHANNELS]
        verdict = judge(self._evidence(rivals, explanations, attacks, [stop]), min_pairs=MIN_PAIRS)
        return replace(
            result,
            verdict=verdict,
            scores=[*(self._score(at, found) for at, found in self.found.items()), *result.scores],
            rivals=rivals,
            explanations=explanations,
            landmarks=[*landmarks(resamples, named), *result.landmarks],
            aggregations=[*aggregations(resamples, named), *result.aggregations],
            alerts=[alert, *result.alerts],
            attacks=[*attacks, *result.attacks],
            steering=[stop, *result.steering],
            ceilings=[*ceilings, *result.ceilings],
        )

    def _before_writable(self, effect: Effect) -> Estimate:
        """Share of alerts that were up before any turn of the channel."""
        return ceiling_row(self.resamples, "all-role", effect, 1).before_writable

    def _attack(self, effect: Effect) -> Attack:
        row = replace(attack_row(self.resamples, OWN_REWARD, effect, 1), degrees=[])
        if row.z_drop.value is None and not any(fit.spread for fit in self.runs[0].fits):
            return replace(row, z_drop=replace(row.z_drop, reason="the reward is the same for every run"))
        return row

    def _score(self, read: str, found: Concordance) -> Score:
        spread = (min(found.by_seed), max(found.by_seed)) if len(found.by_seed) > 1 else None
        pooled = self.resamples.pooled(found.pooled)
        within = self.resamples.within(found.within, found.pairs)
        return Score(OWN_REWARD, "black box", [], "none", read, pooled, within, found.pairs, spread)

    def _compared(self, row: Rival) -> Rival:
        """A rival or explanation with the paired difference of the reward to it, on the same runs and points."""
        if row.name not in self.measured.others:
            own = task_row(self.resamples, {_HEADLINE: self.runs}, headline=_HEADLINE)
            none = Estimate(None, None, None, 0, 0, "no task has two runs whose reward is measured")
            difference, within = (own.difference, own.difference_within_task) if own else (none, none)
        else:
            other = [self.paths.of(run) for run in self.measured.others[row.name]]
            theirs, mine = self.resamples.concordance(other, row.read), self.found[row.read]
            difference = self.resamples.pooled(mine.pooled - theirs.pooled)
            within = self.resamples.within(mine.within - theirs.within, theirs.pairs)
        differences = {**row.differences, OWN_REWARD: difference}
        return replace(row, difference=difference, difference_within_task=within, differences=differences)

    def _evidence(
        self,
        rivals: Sequence[Rival],
        explanations: Sequence[Rival],
        attacks: Sequence[Attack],
        steering: Sequence[Steering],
    ) -> Evidence:
        by_read: dict[str, dict[str, Estimate]] = {at: {} for at in READS}
        for row in rivals:
            by_read[row.read][row.name] = row.difference
        scores = [self._score(at, found) for at, found in self.found.items()]
        return Evidence(
            head=OWN_REWARD,
            auc={row.read: row.auc for row in scores},
            within={row.read: row.auc_within_task for row in scores},
            pairs=self.found["R1"].pairs,
            rivals=by_read,
            spheres={"anything it writes": _no_ceiling("both").value},
            cheap={row.writable: row.removed for row in attacks if row.adversary == GREEDY},
            end=self.measured.options.end,
            absent=tuple(self.measured.absent),
            doubts=tuple(self.measured.doubts),
            explanations={row.name: row.difference for row in explanations if row.read == "R4"},
            steering=steering,
        )


def _no_ceiling(channel: str) -> Ceiling:
    none = Estimate(None, None, None, 0, 0, BLACK_BOX)
    return Ceiling(OWN_REWARD, [], channel, "sphere", none, none, none)
