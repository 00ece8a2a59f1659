"""Probes name what a reward answers to, and find one that answers to nothing but chance."""

import itertools
import math

import numpy as np
import pytest

from armslength.attacks import EDITS, Reward, probe
from armslength.records import Corpus
from armslength.worlds import make_purchases

CORPUS = Corpus.build(make_purchases(20, 3, 1))


def probed(function, *, rows=None, calls=10_000):
    reward = Reward(function, 100_000)
    rows = np.arange(len(CORPUS)) if rows is None else rows
    return probe(CORPUS, reward, rows, calls=calls, seed=1), reward


def moved(probes):
    return {found.name: float((found.change != 0).mean()) for found in probes.found}


def words(trajectory):
    return sum(len(turn.text) for turn in trajectory.turns if turn.role == "assistant")


def results(trajectory):
    return sum(len(turn.text) for turn in trajectory.turns if turn.writer in ("user", "world"))


def test_a_reward_of_policy_text_moves_with_it_and_with_nothing_else():
    share = moved(probed(words)[0])
    assert share.pop("evidence of another run") == 0.0
    assert (share["asked again"], share["asked in another order"]) == (0.0, 0.0)
    assert share["policy turns of another run"] > 0.9
    assert (share["messages padded"], share["messages emptied"]) == (1.0, 1.0)
    assert share["messages reordered"] == 0.0


def test_a_reward_of_evidence_does_not_move_under_any_edit_of_the_policy():
    """0 exactly, whatever the policy does to its own turns."""
    share = moved(probed(results)[0])
    assert share.pop("evidence of another run") > 0.9
    assert share == dict.fromkeys(share, 0.0)
    assert {name for name, edit in EDITS.items() if edit.writes == "policy"} < set(share)


def test_the_direction_and_the_unit_of_a_move():
    """A penalty for length falls by what padding adds."""
    found = {one.name: one for one in probed(lambda t: -words(t))[0].found}
    assert (found["messages padded"].change < 0).all()
    assert (found["messages truncated"].change > 0).all()
    spread = probed(words)[0].spread
    assert spread == pytest.approx(np.std([words(run) for run in CORPUS.trajectories]))


def test_a_reward_that_differs_by_itself_is_found():
    count = itertools.count()
    probes, _ = probed(lambda _: float(next(count)))
    assert not probes.steady
    assert moved(probes)["asked again"] == 1.0
    assert probed(words)[0].steady


def test_a_reward_that_depends_on_its_batch_is_found():
    """Asked again in the same batches it is the same; in others it is not."""

    def ranked(completions):
        sizes = [sum(len(m["content"]) for m in completion) for completion in completions]
        return [sorted(sizes).index(size) / len(sizes) for size in sizes]

    probes, _ = probed(ranked)
    share = moved(probes)
    assert share["asked again"] == 0.0
    assert share["asked in another order"] > 0.5
    assert not probes.steady


def test_unmeasured_and_unchanged_runs_are_counted_and_move_nothing():
    """A run that the edit breaks is unmeasured; one without anything to edit is not asked."""

    def strict(trajectory):
        broken = any("## Answer" in turn.text for turn in trajectory.turns)
        return math.nan if broken else words(trajectory)

    found = {one.name: one for one in probed(strict)[0].found}
    one = found["formatting added"]
    assert (len(one.change), one.unmeasured, one.unchanged) == (0, len(CORPUS), 0)
    assert found["messages padded"].unmeasured == 0


def test_the_calls_set_aside_bound_the_runs():
    probes, reward = probed(words, calls=100)
    assert (len(probes.found[0].rows), reward.calls <= 100) == (5, True)
    assert probed(words, calls=3)[0].found == []
    assert probed(words, rows=np.zeros(0, dtype=np.int64))[0].found == []
