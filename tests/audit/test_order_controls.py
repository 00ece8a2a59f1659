"""Shuffled turns and swapped roles, on worlds where what they must find is known."""

import random
from dataclasses import replace

import numpy as np
import pytest

from armslength.audit.order_controls import roles_swapped, shuffled_turns
from armslength.audit.resamples import Resamples
from armslength.encoders import StaticTable
from armslength.heads import LevelReader, cross_fit, grouped_splits
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.statistics import group_weights

WORDS = {True: ["shipped", "booked", "paid"], False: ["refused", "lost", "error"]}


def made(*, mute=False):
    """A result tells the outcome, a user says the opposite; both more clearly as the run goes on."""
    rng = random.Random(2)
    runs = []
    for i in range(80):
        success = i % 2 == 0
        turns = []
        for step in range(4):
            sure = rng.random() < 0.5 + step / 8
            told = rng.choice(WORDS[success == sure])
            turns.append(Turn("assistant", "policy", "well", step))
            turns.append(Turn("tool_result", "world", f"{told} {rng.choice('abcdefgh')} {i}", step))
            if not mute:
                turns.append(Turn("user", "user", f"{rng.choice(WORDS[success != sure])} {i} {step}", step))
        turns.append(Turn("assistant", "policy", "bye", 9))
        turns.append(Turn("assistant", "policy", "never scored", 9))
        runs.append(Trajectory(str(i), f"t{i}", f"t{i}", "p", tuple(turns), Outcome(success, "x", "A")))
    corpus = Corpus.build(runs)
    vectors = StaticTable().encode(corpus.texts)
    splits = grouped_splits(corpus.group.codes, seed=1)
    scores = cross_fit(LevelReader(corpus, vectors, "strict"), corpus, splits, alpha=0.1, threads=1)
    weights = group_weights(len(corpus.group.names), resamples=100, rng=np.random.default_rng(0))
    return Resamples(corpus, weights), vectors, scores


@pytest.fixture(scope="module")
def world():
    return made()


def test_shuffling_moves_no_score_at_the_end_but_running_ones(world):
    control = shuffled_turns(*world, authorship="strict", seed=3)
    assert control.passed
    assert "every score at the end bit-identical" in control.detail
    resamples, _, honest = world
    assert control.estimate.value != resamples.concordance([honest], "R4").pooled[0]


def test_a_score_that_is_not_the_heads_own_fails_it(world):
    resamples, vectors, honest = world
    moved = replace(honest, z=np.nextafter(honest.z, np.inf))
    control = shuffled_turns(resamples, vectors, moved, authorship="strict", seed=3)
    assert not control.passed
    assert "scores at the end moved" in control.detail


def test_a_head_that_knows_its_roles_loses_by_exchanging_them(world):
    control = roles_swapped(*world, authorship="strict")
    resamples, _, honest = world
    assert control.passed
    assert control.estimate.value < resamples.concordance([honest], "R1").pooled[0] - 0.2


def test_a_head_with_its_roles_mixed_up_is_caught(world):
    """A head fitted well and then exchanged by mistake: exchanging it back tells more."""
    resamples, vectors, honest = world
    fits = tuple(replace(f, head=replace(f.head, weights=f.head.weights[::-1].copy())) for f in honest.fits)
    mixed = replace(honest, z=-honest.z, fits=fits)
    assert not roles_swapped(resamples, vectors, mixed, authorship="strict").passed


def test_one_silent_role_leaves_nothing_to_exchange():
    control = roles_swapped(*made(mute=True), authorship="strict")
    assert (control.passed, control.estimate.value) == (True, None)
