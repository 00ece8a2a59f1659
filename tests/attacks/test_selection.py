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
    ON_EVERY_RUNG,
    RUNGS,
    DonorPool,
    Target,
    apply,
    attack,
    denial,
    policy_turns,
)
from armslength.geometry import prefix_spans
from armslength.heads import FoldFit, OutOfFold, grouped_splits
from armslength.records import (
    ROLE_CODE,
    WRITABLE_ROLES,
    WRITER_CODE,
    Corpus,
)
from armslength.scoring import running_maximum, score, turn_values

from .random_runs import (
    on_main_rung,
    random_corpus,
    random_head,
    random_scores,
    random_vectors,
    run_of,
    runs_of,
)

ORDER = ("random", "best-of-5", "best-of-20", "best-of-100", "pool-maximum")


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
        role: DonorPool(
            rng.integers(-(10**7), 10**7, donors), np.full(donors, 9), runs.writable_turns(role) * 0
        )
        for role in WRITABLE_ROLES
    }
    values, places, choices = {}, [], []
    for role in CHANNELS[channel]:
        turns = runs.writable_turns(role)
        own = runs.values[turns]
        target = Target(own, pools[role], np.zeros((1, 0, 0), int), own)
        values |= ADVERSARIES["pool-maximum"](runs, {role: target})
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
            replace(runs, fit=fit), values,
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
    effects = on_main_rung(attack(corpus, vectors, scores, channels=[channel], seed=0))
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
        effects = on_main_rung(attack(corpus, vectors, scores, channels=[channel], seed=seed))
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
    effects = attack(corpus, vectors, scores, channels=[channel], seed=0)
    assert len(effects) == len(ADVERSARIES) + (len(RUNGS) - 1) * len(ON_EVERY_RUNG)


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
        seen.append((runs, values, names["pool"]))
        return apply(runs, values, **names)

    monkeypatch.setattr("armslength.attacks.selection.apply", spy)
    attack(corpus, vectors, scores, channels=["both"], seed=seed)
    owner = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    checked = 0
    for runs, values, rung in seen:
        for role, replaced in values.items():
            turns = runs.writable_turns(role)
            home = runs.rows[np.searchsorted(runs.corpus.offsets, turns, side="right") - 1]
            donors = np.flatnonzero(policy_turns(corpus, role))
            for row in replaced:
                for at, (value, own) in enumerate(zip(row, runs.values[turns], strict=True)):
                    if value == own:
                        continue
                    givers = owner[donors[runs.every[donors] == value]]
                    allowed = np.isin(givers, runs.fit.split.train) & (
                        (corpus.failed[givers] == 0) | (rung == "any")
                    )
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


def test_gains_and_overtaken_peers_equal_their_definitions():
    """Run by run: the fall of the risk at the end, and the successes of the task that the run no longer trails."""
    rng = np.random.default_rng(8)
    corpus = random_corpus(rng, 90, tasks=12)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    ends = scores.z[corpus.points.offsets[1:] - 1]
    effects = on_main_rung(attack(corpus, vectors, scores, channels=["both"], seed=0))
    keep, most = effects["keep"], effects["pool-maximum"]
    assert set(keep.gain.tolist()) == set(keep.flipped.tolist()) == {0.0}
    assert most.flipped.sum() > 0
    assert (most.gain >= 0).all()
    for index, row in enumerate(keep.rows):
        peers = (corpus.failed == 0) & (corpus.task.codes == corpus.task.codes[row])
        peers &= scores.fold == scores.fold[row]
        assert keep.pairs[index] == most.pairs[index] == (ends[peers] < ends[row]).sum()
        after = (
            ends[row]
            + np.log1p(-most.gain[index] * (1 + np.exp(-ends[row])))
            - np.log1p(most.gain[index] * (1 + np.exp(ends[row])))
        )  # the end whose risk is lower by the gain
        passed = [
            (after < end) + 0.5 * np.isclose(after, end, atol=1e-9) for end in ends[peers] if end < ends[row]
        ]
        assert most.flipped[index] == pytest.approx(sum(passed))


def test_denial_is_the_attack_on_a_head_that_says_the_opposite():
    """Successes raised as high as turns of failures raise them, against every assignment; created alerts only."""
    rng = np.random.default_rng(6)
    corpus = random_corpus(rng, 60)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    effects = {
        (e.writable, e.kind): e for e in denial(corpus, vectors, scores, channels=["assistant"], seed=0)
    }
    most = effects["assistant", "pool-maximum"]
    assert sorted(most.rows.tolist()) == np.flatnonzero(corpus.failed == 0).tolist()
    assert (most.after >= most.before).all()
    assert (most.after > most.before).any()
    assert (effects["assistant", "random"].after <= most.after).all()
    for fit in scores.fits:
        values = turn_values(fit.head, corpus, vectors)
        owner, train = corpus.owner, fit.split.train[corpus.failed[fit.split.train] == 1]
        mine = policy_turns(corpus, "assistant")
        highest = values[mine & np.isin(owner, train)].max()
        raised = np.where(mine, np.maximum(values, highest), values)
        z = score(fit.head, prefix_spans(corpus, "all-role"), raised)
        alert = running_maximum(z, corpus.points.offsets) > fit.threshold
        rows = np.flatnonzero(np.isin(most.rows, fit.split.test))
        assert most.after[rows].tolist() == alert[most.rows[rows]].astype(float).tolist()


def test_the_seed_decides_the_donors():
    """The same seed gives the same effects; another one moves random substitution."""
    rng = np.random.default_rng(4)
    corpus = random_corpus(rng, 60)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    first, again, other = (
        on_main_rung(attack(corpus, vectors, scores, channels=["both"], seed=s)) for s in (1, 1, 2)
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
    effects = on_main_rung(attack(corpus, vectors, scores, channels=["tool_call"], seed=0))
    assert len(effects["keep"].rows) == corpus.failed.sum()
    assert {len(e.rows) for kind, e in effects.items() if kind != "keep"} == {0}
