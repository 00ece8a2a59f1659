"""The main job: trajectories in, a verdict with all its figures out.

This module only wires the rooms together, in the order in which data flows; every figure is made in one of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from threadpoolctl import threadpool_limits

from armslength.attacks import DRAWS, active_test
from armslength.encoders import Encoder, StaticTable, Vectors
from armslength.heads import (
    INNER,
    OUTER,
    PENALTIES,
    FittedReader,
    LevelReader,
    OutOfFold,
    Reader,
    Split,
    cross_fit,
    error_rate,
    first_run,
    grouped_splits,
    length,
    policy_prior,
    same_turn,
    skeleton,
    tool_names,
)
from armslength.records import Authorship, Corpus, Trajectory, turns_digest
from armslength.statistics import group_weights

from .aggregation_rows import aggregations
from .data_rows import data, nothing_measured, rewrite_policy, why_unmeasured
from .end_markers import end_markers
from .evidence_controls import evidence_controls
from .examples import examples
from .landmark_rows import landmarks
from .manipulation import manipulate
from .manipulation_rows import active_control
from .model import SCHEMA, Audit, Control, Leak, Provenance, Settings, Variant
from .options import Options
from .order_controls import roles_swapped, shuffled_turns
from .permuted_labels import permuted_labels
from .prediction_rows import alert_row, evidence, rival_rows, score_row, task_row
from .resamples import MIN_PAIRS, READS, Resamples
from .reward_rows import Measured, with_reward
from .run_rows import run_rows
from .verdict import judge
from .versions import commit, versions

HEADS: tuple[Authorship, ...] = ("all-role", "recorded", "strict")

#: What a head must beat; a name that no reader has is a rival that the data do not allow.
RIVALS = ("first evidence run", "same turn", "error rate")

Progress = Callable[[str], None]


def run_audit(
    trajectories: Iterable[Trajectory], *, options: Options, encoder: Encoder | None, progress: Progress
) -> Audit:
    """Audit the three heads on these trajectories; arguments as `armslength.audit`."""
    progress("reading")
    read: list[Trajectory] = []
    fingerprint = hashlib.sha256()
    for trajectory in trajectories:
        read.append(trajectory)
        about = (trajectory.id, trajectory.task, trajectory.group, trajectory.policy, trajectory.trial)
        errors = [turn.error for turn in trajectory.turns]
        fingerprint.update(repr((*about, trajectory.outcome, errors)).encode("utf-8", "surrogatepass"))
        fingerprint.update(turns_digest(trajectory.turns))
    job = _Job(
        read=len(read),
        corpus=Corpus.build(read),
        encoder=encoder or StaticTable(),
        options=options,
        digest=fingerprint.hexdigest(),
        progress=progress,
    )
    reason = why_unmeasured(job.corpus)
    if reason:
        return job.nothing(reason)
    # One BLAS thread: float fits are then the same bytes on every run; folds run beside each other instead.
    with threadpool_limits(1):
        return job.measure()


@dataclass(frozen=True)
class _Job:
    """The steps of one audit, with what they share."""

    read: int
    corpus: Corpus
    encoder: Encoder
    options: Options
    digest: str
    progress: Progress

    @property
    def seed(self) -> int:
        """The caller's seed, or one derived from the digest of the trajectories."""
        return int(self.digest[:8], 16) if self.options.seed is None else self.options.seed

    def measure(self) -> Audit:
        """Encode, fit, attack, certify, summarise, judge."""
        options = self.options
        self.progress(f"encoding {len(self.corpus.texts):,} texts")
        vectors = self.encoder.encode(self.corpus.texts)
        heads: dict[Authorship, list[OutOfFold]] = {
            name: self._fit(LevelReader(self.corpus, vectors, name)) for name in HEADS
        }
        rivals = {reader.name: self._fit(reader) for reader in self._rivals(vectors)}
        explanations = {reader.name: self._fit(reader) for reader in self._explanations()}
        self.progress("bootstrap")
        resamples = self._resamples()
        named = {str(name): runs for name, runs in heads.items()}
        everyone = {**named, **rivals, **explanations}
        read = {name: {at: resamples.concordance(r, at) for at in READS} for name, r in everyone.items()}
        self.progress("control by refitting: active test")
        active = active_test(self.encoder, seed=self.seed)
        moved = manipulate(
            resamples, vectors, heads, seed=self.seed, printed=active.passed, progress=self.progress
        )
        whether_evidence = evidence_controls(resamples)
        rows = rival_rows(resamples, read, tuple(rivals), heads=HEADS, headline=options.authorship)
        explained = rival_rows(resamples, read, tuple(explanations), heads=HEADS, headline=options.authorship)
        by_task = task_row(resamples, heads, headline=options.authorship)
        explained = [*explained, by_task] if by_task else explained
        absent = [rival for rival in RIVALS if rival not in rivals]
        doubts = [control.detail for control in whether_evidence if not control.passed]
        found = {
            name: evidence(
                resamples,
                name,
                read[name],
                rivals=rows,
                attacks=moved.attacks,
                ceilings=moved.ceilings,
                end=options.end,
                absent=absent,
                doubts=doubts,
                explanations=explained,
                steering=[row for row in moved.steering if row.head == name],
            )
            for name in HEADS
        }
        verdicts = {name: judge(found[name], min_pairs=MIN_PAIRS) for name in HEADS}
        rows_of_runs = run_rows(self.corpus, named)
        result = Audit(
            schema=SCHEMA,
            verdict=verdicts[options.authorship],
            verdicts={name: verdict.word for name, verdict in verdicts.items()},
            data=data(resamples, self.read, heads[options.authorship]),
            scores=[
                score_row(resamples, name, at, read[name][at], encoder=self.encoder.name)
                for name in HEADS
                for at in READS
            ],
            rivals=rows,
            explanations=explained,
            variants=self._variants(resamples, vectors, heads[options.authorship]),
            landmarks=landmarks(resamples, named),
            aggregations=aggregations(resamples, named),
            alerts=[alert_row(resamples, name, heads[name], options.alpha) for name in HEADS],
            **moved._asdict(),
            controls=[
                active_control(active),
                self._interference(heads["strict"][0]),
                shuffled_turns(resamples, vectors, heads["strict"][0], authorship="strict", seed=self.seed),
                roles_swapped(resamples, vectors, heads["strict"][0], authorship="strict"),
                self._permuted(resamples, vectors, heads["strict"][0], read["strict"]["R1"].pairs),
                *whether_evidence,
                end_markers(resamples),
            ],
            leak=self._leak(resamples, heads["all-role"][0]),
            examples=examples(self.corpus, vectors, heads, rows_of_runs, headline=options.authorship)
            if options.examples
            else [],
            runs=rows_of_runs,
            settings=self._settings(),
            provenance=self._provenance(),
        )
        if options.reward is None:
            return result
        others = {**rivals, **explanations}
        measured = Measured(resamples, heads["strict"], others, absent, doubts, options, self.seed)
        return with_reward(result, measured, options.reward, self.progress)

    def nothing(self, reason: str) -> Audit:
        """The result where nothing can be measured."""
        return nothing_measured(
            self.corpus,
            self.read,
            reason,
            heads=HEADS,
            settings=self._settings(),
            provenance=self._provenance(),
        )

    @cached_property
    def _splits(self) -> list[list[Split]]:
        seeds = range(self.seed, self.seed + self.options.fold_seeds)
        return [grouped_splits(self.corpus.group.codes, seed=seed) for seed in seeds]

    def _resamples(self) -> Resamples:
        rng = np.random.default_rng([self.seed, 1])
        groups = len(self.corpus.group.names)
        return Resamples(self.corpus, group_weights(groups, resamples=self.options.resamples, rng=rng))

    def _fit(self, reader: Reader) -> list[OutOfFold]:
        self.progress(f"fitting {reader.name}")
        return [self._cross_fit(reader, self.corpus, splits) for splits in self._splits]

    def _cross_fit(
        self,
        reader: Reader | FittedReader,
        corpus: Corpus,
        splits: Sequence[Split],
        penalties: Sequence[float] = PENALTIES,
    ) -> OutOfFold:
        threads = self.options.threads or os.cpu_count() or 1
        return cross_fit(
            reader, corpus, splits, alpha=self.options.alpha, threads=threads, penalties=penalties
        )

    def _rivals(self, vectors: Vectors) -> list[Reader]:
        readers: list[Reader] = [first_run(self.corpus, vectors), same_turn(self.corpus, vectors)]
        errors = error_rate(self.corpus)
        return [*readers, errors] if errors else readers

    def _explanations(self) -> list[Reader]:
        made = (
            length(self.corpus),
            skeleton(self.corpus),
            tool_names(self.corpus),
            policy_prior(self.corpus),
        )
        return [reader for reader in made if reader is not None]

    def _variants(self, resamples: Resamples, vectors: Vectors, head: Sequence[OutOfFold]) -> list[Variant]:
        if not self.options.variants:
            return []
        from .variant_rows import variants  # scikit-learn takes a while to load

        def fit(reader: Reader | FittedReader, splits: Sequence[Split]) -> OutOfFold:
            self.progress(f"fitting {reader.name}")
            return self._cross_fit(reader, self.corpus, splits)

        return variants(
            resamples, vectors, head, fit, authorship=self.options.authorship, encoder=self.encoder.name,
            splits=self._splits, seed=self.seed,
        )  # fmt: skip

    def _interference(self, scores: OutOfFold) -> Control:
        """Refit the strict head with every policy-written text replaced: not a bit may move (method 1.17)."""
        self.progress("control by refitting: non-interference")
        changed = rewrite_policy(self.corpus)
        reader = LevelReader(changed, self.encoder.encode(changed.texts), "strict")
        same = np.array_equal(self._cross_fit(reader, changed, self._splits[0]).z, scores.z)
        what = "every score bit-identical" if same else "scores moved"
        detail = f"strict head refitted and rescored with all policy-written text replaced: {what}"
        return Control("non-interference", bool(same), None, detail)

    def _permuted(self, resamples: Resamples, vectors: Vectors, honest: OutOfFold, pairs: int) -> Control:
        self.progress("control by refitting: permuted labels")
        # With penalties that the honest head took: the question is what leaks, not which penalty is best.
        penalties = sorted({fit.penalty for fit in honest.fits})
        reader = LevelReader(self.corpus, vectors, "strict")

        def fit(shuffled: Corpus) -> OutOfFold:
            return self._cross_fit(reader, shuffled, self._splits[0], penalties)

        return permuted_labels(resamples, pairs, fit, seed=self.seed)

    def _leak(self, resamples: Resamples, honest: OutOfFold) -> Leak:
        self.progress("control by refitting: leak of terminal turns")
        # On the runs and folds of the first seed, with penalties that the honest head took there.
        corpus = Corpus.build(self.corpus.trajectories, keep_terminal=True)
        reader = LevelReader(corpus, self.encoder.encode(corpus.texts), "with-terminal")
        penalties = sorted({fit.penalty for fit in honest.fits})
        run = self._cross_fit(reader, corpus, self._splits[0], penalties)
        told = Resamples(corpus, resamples.weights).concordance([run], "R1")
        plain = resamples.concordance([honest], "R1")
        return Leak(resamples.pooled(told.pooled), resamples.pooled(plain.pooled))

    def _settings(self) -> Settings:
        options = self.options
        return Settings(
            options.authorship, options.alpha, OUTER, INNER, options.fold_seeds, options.resamples, DRAWS,
            options.end, self.encoder.name,
        )  # fmt: skip

    def _provenance(self) -> Provenance:
        digests = {"trajectories": self.digest, "encoder": self.encoder.digest}
        return Provenance(self.options.command, versions(), digests, self.seed, commit())
