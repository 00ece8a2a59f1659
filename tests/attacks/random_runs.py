"""Random runs with random vectors under random heads: what attacks and ceilings are tried on."""

import numpy as np

from armslength.attacks import MAIN_RUNG, AttackedRuns
from armslength.encoders import UNIT
from armslength.geometry import prefix_spans
from armslength.heads import FoldFit, OutOfFold, Split, grouped_splits
from armslength.records import READ_ROLES, Corpus, Outcome, Trajectory, Turn
from armslength.scoring import ExactHead, running_maximum, score, turn_values

D = 6
NO_PEERS = (np.zeros(0, dtype=np.int64), np.zeros(0))
KINDS = {
    "u": ("user", "user"),
    "a": ("assistant", "policy"),
    "c": ("tool_call", "policy"),
    "r": ("tool_result", "world"),
}


def run_of(name, kinds, *, success, task=None, group=None):
    """A run from a string of kinds; every turn has a text of its own, spelled in letters."""
    letters = "".join("abcdefghij"[int(c)] for c in f"{name:05d}")
    turns = tuple(Turn(*KINDS[kind], f"{letters} {'x' * t}", t) for t, kind in enumerate(kinds))
    task = str(name) if task is None else str(task)
    return Trajectory(
        str(name),
        task,
        str(group) if group is not None else task,
        "p",
        turns,
        Outcome(success, "made up", "A"),
    )


def random_corpus(rng, runs, *, tasks=None, groups=None):
    """Runs that begin with the user; outcomes are coins; tasks and groups are dealt at random where wanted."""
    return Corpus.build(
        run_of(
            i,
            "u" + "".join(rng.choice(list("uacr"), size=rng.integers(1, 9))),
            success=bool(rng.integers(2)),
            task=None if tasks is None else rng.integers(tasks),
            group=None if groups is None else f"group {rng.integers(groups)}",
        )
        for i in range(runs)
    )


def random_vectors(rng, corpus):
    vectors = rng.normal(size=(len(corpus.texts), D))
    return np.rint(vectors / np.linalg.norm(vectors, axis=1, keepdims=True) * UNIT).astype(np.int16)


def on_main_rung(effects):
    return {effect.kind: effect for effect in effects if effect.pool == MAIN_RUNG}


def random_head(rng, authorship, *, blind=()):
    """Random weights; zero on the blind roles."""
    weights = rng.normal(size=(len(READ_ROLES[authorship]), D))
    for role in set(blind) & set(READ_ROLES[authorship]):
        weights[READ_ROLES[authorship].index(role)] = 0
    return ExactHead.round(authorship, weights.ravel(), float(rng.normal()))


def random_scores(rng, corpus, vectors, authorship, **head):
    """Out-of-fold scores of random heads, one a fold, with thresholds in the middle of their scores."""
    z, fold, fits = np.zeros(len(corpus.points)), np.zeros(len(corpus), dtype=np.int64), []
    for index, split in enumerate(grouped_splits(corpus.group.codes, seed=int(rng.integers(1000)))):
        one = random_head(rng, authorship, **head)
        scored = score(one, prefix_spans(corpus, authorship), turn_values(one, corpus, vectors))
        r4 = running_maximum(scored, corpus.points.offsets)
        fits.append(FoldFit(split, 1.0, False, float(np.quantile(r4, 0.4)), one, float(r4.std())))
        mine = np.isin(corpus.points.trajectory, split.test)
        z[mine], fold[split.test] = scored[mine], index
    return OutOfFold(authorship, z, fold, tuple(fits))


def runs_of(corpus, vectors, head, tau):
    values = turn_values(head, corpus, vectors)
    rows = np.arange(len(corpus))
    fit = FoldFit(Split(rows, rows[:0], rows[:0]), 1.0, False, tau, head, 1.0)
    return AttackedRuns(rows, corpus, values, head, fit, values, NO_PEERS)
