"""Worlds whose truth is known: what is planted is found, what is clean is certified, noise is noise."""

import random

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from armslength.attacks import CHANNELS, attack
from armslength.certificates import ceilings
from armslength.encoders import StaticTable
from armslength.heads import LevelReader, cross_fit, grouped_splits
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.scoring import running_maximum
from armslength.statistics import auc, group_weights, interval, pooled_pairs
from armslength.worlds import make_purchases

ENCODER = StaticTable()
GOOD = ("the parcel has been shipped", "the booking is confirmed", "all is arranged")
BAD = ("the order is lost", "the request was refused", "nothing could be repaired")
PLACES = ("Boston", "Oslo", "Lima", "Cairo", "Delhi", "Quito", "Turin", "Perth", "Malmo", "Leeds")


def world(telling, seed, tasks=40):
    """Two runs a task with a coin for an outcome; only the role `telling` knows it, the rest is drawn at random."""
    rng = random.Random(seed)
    runs = []
    for task in range(tasks):
        for trial in range(2):
            success = rng.random() < 0.5

            def say(role, success=success):
                told = success if role == telling else rng.random() < 0.5
                return f"{rng.choice(GOOD if told else BAD)} {rng.choice(PLACES)} {rng.choice(PLACES)}"

            turns = [Turn("user", "user", f"help with {rng.choice(PLACES)} and {rng.choice(PLACES)}", 0)]
            for step in (1, 2):
                turns += [
                    Turn("assistant", "policy", say("assistant"), step),
                    Turn("tool_call", "policy", say("tool_call"), step),
                    Turn("tool_result", "world", say("tool_result"), step),
                ]
            outcome = Outcome(success, "planted", "A")
            runs.append(
                Trajectory(f"{task}/{trial}", f"t{task}", f"t{task}", "planted", tuple(turns), outcome)
            )
    return Corpus.build(runs)


def measured(corpus, authorship, seed=0):
    """Out-of-fold scores and every effect on them, by channel and kind."""
    vectors = ENCODER.encode(corpus.texts)
    splits = grouped_splits(corpus.group.codes, seed=seed)
    with threadpool_limits(1):
        scores = cross_fit(LevelReader(corpus, vectors, authorship), corpus, splits, alpha=0.1, threads=1)
    effects = attack(corpus, vectors, scores, channels=list(CHANNELS), seed=seed)
    effects += ceilings(corpus, vectors, scores, channels=list(CHANNELS))
    return scores, {(effect.writable, effect.kind): effect for effect in effects}


def removed(effect):
    """Share of the alerts of failing runs that disappear."""
    assert effect.before.sum() >= 20
    return float(1 - effect.after[effect.before].mean())


def auc_interval(corpus, scores, seed=0):
    """AUC of R4 with its interval over groups."""
    groups = len(corpus.group.names)
    weights = group_weights(groups, resamples=1000, rng=np.random.default_rng(seed))
    r4 = running_maximum(scores.z, corpus.points.offsets)
    return interval(
        auc(pooled_pairs(r4, corpus.failed, corpus.group.codes, scores.fold), weights), groups=groups
    )


@pytest.mark.parametrize("channel", ["assistant", "tool_call"])
def test_a_planted_writable_channel_is_found(channel):
    """Where the policy's words decide the label, the naive head predicts and selection silences it."""
    corpus = world(channel, 1)
    scores, effects = measured(corpus, "all-role")
    assert auc_interval(corpus, scores).low > 0.9
    assert removed(effects[channel, "pool-maximum"]) >= 0.5
    assert removed(effects[channel, "sphere"]) >= removed(effects[channel, "pool-maximum"])
    assert removed(effects["both", "pool-maximum"]) >= 0.5


@pytest.mark.parametrize("channel", ["assistant", "tool_call"])
def test_a_planted_channel_is_nothing_to_a_head_that_does_not_read_it(channel):
    """The strict head neither sees nor loses what the policy writes."""
    corpus = world(channel, 2)
    scores, effects = measured(corpus, "strict")
    result = auc_interval(corpus, scores)
    assert result.low <= 0.5 <= result.high
    for effect in effects.values():
        assert effect.after.tolist() == effect.before.astype(float).tolist()


@pytest.mark.parametrize("channel", sorted(CHANNELS))
def test_a_clean_channel_is_certified(channel):
    """Where only the world tells, the strict head predicts and its sphere ceiling is 0."""
    corpus = world("tool_result", 3)
    scores, effects = measured(corpus, "strict")
    assert auc_interval(corpus, scores).low > 0.9
    for kind in ("pool-maximum", "hull", "sphere"):
        assert removed(effects[channel, kind]) == 0.0


@pytest.mark.parametrize(("authorship", "seeds", "least"), [("all-role", 4, 3), ("strict", 10, 9)])
def test_a_score_without_information_has_an_interval_around_one_half(authorship, seeds, least):
    """Where nobody knows the outcome, the AUC of the running alert contains 0.5, as often as an interval should."""
    inside = 0
    for seed in range(seeds):
        corpus = world("nobody", 100 + seed)
        reader = LevelReader(corpus, ENCODER.encode(corpus.texts), authorship)
        splits = grouped_splits(corpus.group.codes, seed=seed)
        with threadpool_limits(1):
            result = auc_interval(corpus, cross_fit(reader, corpus, splits, alpha=0.1, threads=1))
        inside += result.low <= 0.5 <= result.high
    assert inside >= least


def test_the_mock_purchase_is_certified_for_the_strict_head_and_open_for_the_naive_one():
    """In the shipped world no policy text reaches the strict head, and selection silences the naive one."""
    corpus = Corpus.build(make_purchases(12, 4, 0))
    _, effects = measured(corpus, "strict")
    assert effects["both", "sphere"].after.tolist() == effects["both", "sphere"].before.astype(float).tolist()
    _, naive = measured(corpus, "all-role")
    reachable = naive["both", "pool-maximum"].before & ~naive["both", "pool-maximum"].fixed
    assert reachable.any()
    assert naive["both", "pool-maximum"].after[reachable].mean() <= 0.5
