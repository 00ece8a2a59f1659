"""Attack by selection: exact against brute force, never below what it may not be, donors only from elsewhere."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.attacks import (
    ADVERSARIES,
    CHANNELS,
    DonorPool,
    FailingRuns,
    Target,
    apply,
    attack,
    policy_turns,
)
from armslength.encoders import UNIT
from armslength.geometry import prefix_spans
from armslength.heads import FoldFit, OutOfFold, Split, grouped_splits
from armslength.records import (
    READ_ROLES,
    ROLE_CODE,
    WRITABLE_ROLES,
    WRITER_CODE,
    Corpus,
    Outcome,
    Trajectory,
    Turn,
)
from armslength.scoring import ExactHead, running_maximum, score, turn_values

D = 6
KINDS = {
    "u": ("user", "user"),
    "a": ("assistant", "policy"),
    "c": ("tool_call", "policy"),
    "r": ("tool_result", "world"),
}
ORDER = ("random", "best-of-5", "best-of-20", "best-of-100", "pool-maximum")


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
    return FailingRuns(rows, corpus, values, head, fit, values)


@settings(max_examples=80, deadline=None)
@given(
    st.text("uacr", min_size=1, max_size=6).filter(lambda k: sum(c in "ac" for c in k) <= 4),
    st.sampled_from(sorted(CHANNELS)),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
)
def test_the_pool_maximum_equals_brute_force(kinds, channel, donors, seed):
    """At every point it is the least score of all assignments of donors or own turns: none silences more."""
    rng = np.random.default_rng(seed)
    corpus = Corpus.build([run_of(1, "u" + kinds, success=False)])
    head = random_head(rng, "all-role")
    runs = runs_of(corpus, random_vectors(rng, corpus), head, 0.0)
    pools = {
        role: DonorPool("p", rng.integers(-(10**7), 10**7, donors), np.full(donors, 9))
        for role in WRITABLE_ROLES
    }
    values, places, choices = {}, [], []
    for role in CHANNELS[channel]:
        turns = runs.writable_turns(role)
        target = Target(
            runs.values[turns], np.zeros(len(turns), np.int64), pools[role], np.zeros((1, 0, 0), int)
        )
        values[role] = ADVERSARIES["pool-maximum"](target)
        places += turns.tolist()
        choices += [[*pools[role].values.tolist(), int(runs.values[t])] for t in turns]
    spans = prefix_spans(corpus, "all-role")
    tried = np.repeat(runs.values[None], int(np.prod([len(c) for c in choices])), axis=0)
    tried[:, places] = np.array(list(itertools.product(*choices))).reshape(len(tried), -1)
    every = score(head, spans, tried)
    best = runs.values.copy()
    for role, replaced in values.items():
        best[runs.writable_turns(role)] = replaced[0]
    assert score(head, spans, best).tobytes() == every.min(0).tobytes()
    for tau in every.ravel():
        fit = FoldFit(runs.fit.split, 1.0, False, float(tau), head, 1.0)
        effect = apply(
            FailingRuns(runs.rows, corpus, runs.values, head, fit, runs.every), values,
            writable=channel, kind="pool-maximum", pool="p",
        )  # fmt: skip
        assert bool(effect.after[0] == 0) == bool((every.max(1) <= tau).any())


@pytest.mark.parametrize("authorship", ["all-role", "recorded", "strict"])
@pytest.mark.parametrize("seed", range(3))
def test_keeping_every_turn_changes_nothing(authorship, seed):
    """M(keep) is 0: every alert stays, no score moves."""
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, 60)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, authorship)
    for effect in attack(corpus, vectors, scores, channels=list(CHANNELS), seed=seed):
        if effect.kind == "keep":
            assert effect.after.tolist() == effect.before.astype(float).tolist()
            assert set(effect.drop[~np.isnan(effect.drop)].tolist()) == {0.0}
            alerted = running_maximum(scores.z, corpus.points.offsets) > scores.thresholds()
            assert effect.before.tolist() == alerted[effect.rows].tolist()
    assert sorted(effect.rows.tolist()) == np.flatnonzero(corpus.failed == 1).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_head_that_reads_no_writable_role_cannot_be_moved(seed):
    """Whatever the adversary and the channel, no alert and no score of the strict head changes."""
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, 60)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "strict")
    for effect in attack(corpus, vectors, scores, channels=list(CHANNELS), seed=seed):
        assert effect.after.tolist() == effect.before.astype(float).tolist()
        assert set(effect.drop[~np.isnan(effect.drop)].tolist()) == {0.0}


@pytest.mark.parametrize("channel", ["assistant", "tool_call"])
def test_the_recorded_head_moves_by_calls_only(channel):
    """The head that trusts the record of calls is untouched by words and moved by calls."""
    rng = np.random.default_rng(1)
    corpus = random_corpus(rng, 80)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "recorded")
    effects = {e.kind: e for e in attack(corpus, vectors, scores, channels=[channel], seed=0)}
    moved = np.nan_to_num(effects["pool-maximum"].drop) > 0
    assert moved.any() == (channel == "tool_call")


def test_alerts_never_change_where_the_weights_of_the_channel_are_zero():
    """A head that reads the policy with weight 0 has M = 0 to the bit."""
    rng = np.random.default_rng(2)
    corpus = random_corpus(rng, 80)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role", blind=WRITABLE_ROLES)
    for effect in attack(corpus, vectors, scores, channels=list(CHANNELS), seed=0):
        assert effect.after.tolist() == effect.before.astype(float).tolist()


def test_scores_never_change_where_the_weights_of_the_channel_are_zero():
    """The drop of a head that reads the policy with weight 0 is 0 exactly, also averaged over draws."""
    rng = np.random.default_rng(2)
    corpus = random_corpus(rng, 80)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role", blind=WRITABLE_ROLES)
    for effect in attack(corpus, vectors, scores, channels=list(CHANNELS), seed=0):
        assert set(effect.drop[~np.isnan(effect.drop)].tolist()) == {0.0}


@pytest.mark.parametrize("seed", range(4))
def test_success_grows_with_the_budget(seed):
    """For every run, more donors never leave more alerts and never lower the score less."""
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, 80)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    for channel in CHANNELS:
        effects = {e.kind: e for e in attack(corpus, vectors, scores, channels=[channel], seed=seed)}
        for less, more in itertools.pairwise(ORDER):
            assert (effects[more].after <= effects[less].after).all()
            gain = np.nan_to_num(effects[more].drop) - np.nan_to_num(effects[less].drop)
            assert gain.min() >= -1e-12
        assert (effects["pool-maximum"].after <= effects["keep"].after).all()
        assert (np.nan_to_num(effects["pool-maximum"].drop) >= 0).all()


@pytest.mark.parametrize("channel", sorted(CHANNELS))
def test_effects_equal_their_definitions(monkeypatch, channel):
    """Alerts before and after, alerts that are fixed, and the fall of z, run by run and point by point."""
    rng = np.random.default_rng(12)
    corpus = random_corpus(rng, 60)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    roles = [ROLE_CODE[role] for role in CHANNELS[channel]]

    def spy(runs, values, **names):
        effect = apply(runs, values, **names)
        changed = np.repeat(runs.values[None], max(map(len, values.values())), axis=0)
        for role, replaced in values.items():
            changed[:, runs.writable_turns(role)] = replaced
        spans = prefix_spans(runs.corpus, "all-role")
        before, after = score(runs.head, spans, runs.values), score(runs.head, spans, changed)
        points, tau = runs.corpus.points, runs.fit.threshold
        for i in range(len(runs.corpus)):
            mine = range(points.offsets[i], points.offsets[i + 1])
            wrote = [
                np.isin(runs.corpus.role[runs.corpus.offsets[i] : points.end[p]], roles).any() for p in mine
            ]
            falls = [(before[p] - after[:, p]).mean() for p, w in zip(mine, wrote, strict=True) if w]
            assert effect.before[i] == any(before[p] > tau for p in mine)
            assert effect.fixed[i] == any(before[p] > tau for p, w in zip(mine, wrote, strict=True) if not w)
            assert effect.after[i] == np.mean([any(z[p] > tau for p in mine) for z in after])
            drop = np.mean(falls) / runs.fit.spread if falls else np.nan
            assert effect.drop[i] == pytest.approx(drop, abs=1e-12, nan_ok=True)
        return effect

    monkeypatch.setattr("armslength.attacks.selection.apply", spy)
    assert len(attack(corpus, vectors, scores, channels=[channel], seed=0)) == len(ADVERSARIES)


def test_alerts_before_anything_writable_are_fixed():
    """No adversary silences an alert that was up before the first writable turn."""
    rng = np.random.default_rng(3)
    corpus = random_corpus(rng, 120)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    effects = attack(corpus, vectors, scores, channels=list(CHANNELS), seed=0)
    assert any(effect.fixed.any() for effect in effects)
    for effect in effects:
        assert (effect.after[effect.fixed] == 1).all()
        assert effect.before[effect.fixed].all()


@pytest.mark.parametrize("seed", range(3))
def test_donors_come_from_other_tasks_and_groups_that_trained_and_succeeded(monkeypatch, seed):
    """Groups are no tasks here, so tasks cross folds; each foreign value belongs to an allowed donor."""
    rng = np.random.default_rng(seed)
    corpus = random_corpus(rng, 120, tasks=6, groups=20)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    seen = []

    def spy(runs, values, **names):
        seen.append((runs, values, names["kind"]))
        return apply(runs, values, **names)

    monkeypatch.setattr("armslength.attacks.selection.apply", spy)
    attack(corpus, vectors, scores, channels=["both"], seed=seed)
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    checked = 0
    for runs, values, _ in seen:
        for role, replaced in values.items():
            turns = runs.writable_turns(role)
            home = runs.rows[np.searchsorted(runs.corpus.offsets, turns, side="right") - 1]
            donors = np.flatnonzero(policy_turns(corpus, role))
            for row in replaced:
                for at, (value, own) in enumerate(zip(row, runs.values[turns], strict=True)):
                    if value == own:
                        continue
                    givers = owner[donors[runs.every[donors] == value]]
                    allowed = np.isin(givers, runs.fit.split.train) & (corpus.failed[givers] == 0)
                    allowed &= corpus.task.codes[givers] != corpus.task.codes[home[at]]
                    allowed &= corpus.group.codes[givers] != corpus.group.codes[home[at]]
                    assert allowed.any()
                    checked += 1
    assert checked > 1000


def test_without_a_donor_for_every_target_nothing_is_replaced():
    """A pool that cannot serve a target is no pool: every adversary keeps the turns."""
    rng = np.random.default_rng(0)
    corpus = random_corpus(rng, 40, tasks=1, groups=10)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    for effect in attack(corpus, vectors, scores, channels=["both"], seed=0):
        assert effect.after.tolist() == effect.before.astype(float).tolist()


def test_the_seed_decides_the_donors():
    """The same seed gives the same effects; another one moves random substitution."""
    rng = np.random.default_rng(4)
    corpus = random_corpus(rng, 60)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    first, again, other = (
        {e.kind: e for e in attack(corpus, vectors, scores, channels=["both"], seed=s)} for s in (1, 1, 2)
    )
    assert first["random"].drop.tobytes() == again["random"].drop.tobytes()
    assert first["random"].drop.tobytes() != other["random"].drop.tobytes()
    assert first["pool-maximum"].drop.tobytes() == other["pool-maximum"].drop.tobytes()


def test_a_rival_without_an_exact_head_is_refused():
    """Floats are not attacked."""
    rng = np.random.default_rng(0)
    corpus = random_corpus(rng, 20)
    fit = FoldFit(grouped_splits(corpus.group.codes, seed=0)[0], 1.0, False, 0.0, None, 1.0)
    scores = OutOfFold("rival", np.zeros(len(corpus.points)), np.zeros(len(corpus), dtype=np.int64), (fit,))
    with pytest.raises(TypeError, match="rival has no exact head"):
        attack(corpus, random_vectors(rng, corpus), scores, channels=["both"], seed=0)


def test_a_channel_without_donors_is_not_withstood():
    """Where no success gives a donor, every adversary but keep is measured on no run."""
    rng = np.random.default_rng(3)
    corpus = random_corpus(rng, 60)
    silent = np.repeat(corpus.failed == 0, np.diff(corpus.offsets)) & (corpus.role == ROLE_CODE["tool_call"])
    writer = np.where(silent, WRITER_CODE["unknown"], corpus.writer).astype(np.int8)
    corpus = replace(corpus, writer=writer)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    effects = {e.kind: e for e in attack(corpus, vectors, scores, channels=["tool_call"], seed=0)}
    assert len(effects["keep"].rows) == corpus.failed.sum()
    assert [len(e.rows) for kind, e in effects.items() if kind != "keep"] == [0] * 5
