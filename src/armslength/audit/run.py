"""The main job: trajectories in, a verdict with all its figures out.

This module only wires the rooms together, in the order in which data flows; every figure is made in one of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from armslength.attacks import ActiveTest, active_test, attack
from armslength.certificates import ceilings
from armslength.encoders import Encoder, StaticTable, Vectors
from armslength.heads import (
    LevelReader,
    OutOfFold,
    Reader,
    Split,
    cross_fit,
    error_rate,
    first_run,
    grouped_splits,
    same_turn,
)
from armslength.heads.folds import INNER, OUTER
from armslength.records import Authorship, Corpus, Trajectory
from armslength.statistics import group_weights

from . import figures
from .model import SCHEMA, Audit, Control, Leak, Provenance, Settings, Verdict
from .resamples import MIN_PAIRS, READS, Concordance, Resamples
from .verdict import judge, unmeasured
from .versions import commit, versions

HEADS: tuple[Authorship, ...] = ("all-role", "recorded", "strict")

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What a caller may choose; see `armslength.audit`."""

    authorship: Authorship = "strict"
    alpha: float = 0.10
    fold_seeds: int = 1
    resamples: int = 2000
    end: str = "policy"
    command: str = ""
    seed: int | None = None
    threads: int | None = None


def run_audit(
    trajectories: Iterable[Trajectory], *, options: Options, encoder: Encoder | None, progress: Progress
) -> Audit:
    """Audit the three heads on these trajectories; arguments as `armslength.audit`."""
    progress("reading")
    read: list[Trajectory] = []
    fingerprint = hashlib.sha256()
    for trajectory in trajectories:
        read.append(trajectory)
        fingerprint.update(repr((trajectory.id, trajectory.task, trajectory.policy, trajectory.outcome)).encode("utf-8", "replace"))
        for turn in trajectory.turns:
            fingerprint.update(turn.text.encode("utf-8", "surrogatepass"))
    corpus = Corpus.build(read)
    seed = int(fingerprint.hexdigest()[:8], 16) if options.seed is None else options.seed
    encoder = encoder or StaticTable()
    job = _Job(len(read), read, corpus, encoder, options, seed, fingerprint.hexdigest(), progress)
    reason = figures.why_unmeasured(corpus)
    if reason:
        return job.nothing(reason)
    # One BLAS thread: float fits are then the same bytes on every run; folds run beside each other instead.
    with threadpool_limits(1):
        return job.measure()


class _Job:
    """The steps of one audit, with what they share."""

    def __init__(
        self, read: int, trajectories: Sequence[Trajectory], corpus: Corpus, encoder: Encoder,
        options: Options, seed: int, digest: str, progress: Progress,
    ) -> None:  # fmt: skip
        self.read, self.trajectories, self.corpus, self.encoder = read, trajectories, corpus, encoder
        self.options, self.seed, self.digest, self.progress = options, seed, digest, progress
        self.threads = options.threads or os.cpu_count() or 1

    def measure(self) -> Audit:
        """Encode, fit, attack, certify, summarise, judge."""
        corpus, options = self.corpus, self.options
        self.progress(f"encoding {len(corpus.texts):,} texts")
        vectors = self.encoder.encode(corpus.texts)
        splits = self._splits()
        rng = np.random.default_rng([self.seed, 1])
        resamples = Resamples(corpus, group_weights(len(corpus.group.names), resamples=options.resamples, rng=rng))
        heads = {name: self._fit(LevelReader(corpus, vectors, name), splits) for name in HEADS}
        rivals = {reader.name: self._fit(reader, splits) for reader in self._rivals(vectors)}
        self.progress("bootstrap")
        read = {
            name: {at: resamples.concordance(runs, at) for at in READS} for name, runs in {**heads, **rivals}.items()
        }
        active = active_test(self.encoder, seed=self.seed)
        attacks, bounds = [], []
        for name in HEADS:
            self.progress(f"attacking the {name} head")
            effects, limits = self._attack(vectors, heads[name])
            if active.passed:
                attacks += [figures.attack_row(resamples, name, effect, len(splits)) for effect in effects]
            bounds += [figures.ceiling_row(resamples, name, effect, len(splits)) for effect in limits]
        rows = figures.rival_rows(resamples, read, tuple(rivals), HEADS, self.options.authorship)
        verdicts = {
            name: judge(
                figures.evidence(resamples, name, read[name], rows, attacks, bounds, options.end), min_pairs=MIN_PAIRS
            )
            for name in HEADS
        }
        return Audit(
            schema=SCHEMA,
            verdict=verdicts[options.authorship],
            verdicts={name: verdict.word for name, verdict in verdicts.items()},
            data=figures.data(resamples, self.read, heads[options.authorship]),
            scores=[figures.score_row(resamples, name, at, read[name][at], self.encoder.name) for name in HEADS for at in READS],
            rivals=rows,
            explanations=[],
            alerts=[figures.alert_row(resamples, name, heads[name], options.alpha) for name in HEADS],
            attacks=attacks,
            steering=[],
            ceilings=bounds,
            controls=[_active_control(active), self._interference(vectors, heads)],
            leak=self._leak(resamples, read["all-role"]["R1"]),
            settings=self._settings(),
            provenance=self._provenance(),
        )  # fmt: skip

    def nothing(self, reason: str) -> Audit:
        """The result where nothing can be measured."""
        verdict: Verdict = unmeasured(reason)
        return Audit(
            schema=SCHEMA, verdict=verdict, verdicts=dict.fromkeys(HEADS, "unmeasured"),
            data=figures.empty_data(self.corpus, self.read), scores=[], rivals=[], explanations=[], alerts=[],
            attacks=[], steering=[], ceilings=[], controls=[], leak=None, settings=self._settings(),
            provenance=self._provenance(),
        )  # fmt: skip

    def _splits(self) -> list[list[Split]]:
        return [
            grouped_splits(self.corpus.group.codes, seed=self.seed + index) for index in range(self.options.fold_seeds)
        ]

    def _fit(self, reader: Reader, splits: Sequence[Sequence[Split]]) -> list[OutOfFold]:
        self.progress(f"fitting {reader.name}")
        return [
            cross_fit(reader, self.corpus, folds, alpha=self.options.alpha, threads=self.threads) for folds in splits
        ]

    def _rivals(self, vectors: Vectors) -> list[Reader]:
        readers: list[Reader] = [first_run(self.corpus, vectors), same_turn(self.corpus, vectors)]
        errors = error_rate(self.corpus)
        return [*readers, errors] if errors else readers

    def _attack(self, vectors: Vectors, runs: Sequence[OutOfFold]) -> tuple[list[figures.Effect], list[figures.Effect]]:
        channels = tuple(figures.CHANNELS)
        effects = [attack(self.corpus, vectors, run, channels=channels, seed=self.seed + i) for i, run in enumerate(runs)]
        limits = [ceilings(self.corpus, vectors, run, channels=channels) for run in runs]
        return figures.over_seeds(effects), figures.over_seeds(limits)

    def _interference(self, vectors: Vectors, heads: dict[Authorship, list[OutOfFold]]) -> Control:
        """Refit the strict head with every policy-written text replaced: not a bit may move (method 1.17)."""
        del vectors
        changed = figures.rewrite_policy(self.corpus)
        reader = LevelReader(changed, self.encoder.encode(changed.texts), "strict")
        again = cross_fit(reader, changed, self._splits()[0], alpha=self.options.alpha, threads=self.threads)
        same = np.array_equal(again.z, heads["strict"][0].z)
        detail = "strict head refitted and rescored with all policy-written text replaced: " + (
            "every score bit-identical" if same else "scores moved"
        )
        return Control("non-interference", bool(same), None, detail)

    def _leak(self, resamples: Resamples, honest: Concordance) -> Leak:
        self.progress("leak of terminal turns")
        # On the runs that the honest figure rests on, so that the two can be compared.
        corpus = Corpus.build(self.corpus.trajectories, keep_terminal=True)
        reader = LevelReader(corpus, self.encoder.encode(corpus.texts), "with-terminal")
        folds = grouped_splits(corpus.group.codes, seed=self.seed)
        run = cross_fit(reader, corpus, folds, alpha=self.options.alpha, threads=self.threads)
        told = Resamples(corpus, resamples.weights)
        return Leak(told.pooled(told.concordance([run], "R1").pooled), resamples.pooled(honest.pooled))

    def _settings(self) -> Settings:
        options = self.options
        return Settings(
            options.authorship, options.alpha, OUTER, INNER, options.fold_seeds, options.resamples, figures.DRAWS,
            options.end, self.encoder.name,
        )  # fmt: skip

    def _provenance(self) -> Provenance:
        digests = {"trajectories": self.digest, "encoder": self.encoder.digest}
        return Provenance(self.options.command, versions(), digests, self.seed, commit())


def _active_control(active: ActiveTest) -> Control:
    detail = (
        f"planted channel: the pool maximum removes {active.planted:.2f} of the alerts (at least 0.99 needed); null head: "
        f"{active.null:.2f} (at most 0.01); success {'grows' if active.monotone else 'does not grow'} with the budget"
    )
    return Control("active test", active.passed, None, detail)
