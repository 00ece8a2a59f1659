"""Attacks by query: what only policy text says is silenced, what evidence says stays."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from armslength.attacks import Reward, ask_paths, attack_by_query, score_paths
from armslength.records import Corpus, Outcome, Trajectory, Turn

GOOD, BAD = "all is arranged", "sadly it is lost"


def run(task, success, telling):
    """Three steps; the role `telling` says how it goes, every time, and nothing else does."""
    plain = {"assistant": "I look", "tool_result": "four rows"}
    said = plain | {telling: GOOD if success else BAD}
    turns = [Turn("user", "user", f"wish {task} {success}", 0)]
    for step in range(1, 4):
        turns += [
            Turn("assistant", "policy", f"{said['assistant']} t{task} {step} {success}", step),
            Turn("tool_call", "policy", f"look {task}", step),
            Turn("tool_result", "world", f"{said['tool_result']} {task} {step}", step),
        ]
    name = f"t{task}"
    return Trajectory(f"{task}/{success}", name, name, "p", tuple(turns), Outcome(success, "x", "A"))


def cheerful(trajectory):
    """Share of good turns among those that say anything."""
    good, bad = (sum(word in turn.text for turn in trajectory.turns) for word in (GOOD, BAD))
    return (good - bad) / max(good + bad, 1)


def world(telling):
    return [run(task, won, telling) for task in range(40) for won in (True, False)]


def attacked(telling, function=cheerful, budget=100_000, runs=None):
    corpus = Corpus.build(runs or world(telling))
    reward = Reward(function, budget)
    paths = ask_paths(corpus, reward, calls=budget, seed=1)
    fold = corpus.task.codes[paths.rows] % 5
    scores, maps = score_paths(paths, fold, 5, alpha=0.2)
    queried = attack_by_query(paths, scores, maps, reward, seed=1)
    return queried, {(effect.writable, effect.kind): effect for effect in queried.effects}, reward


def test_what_only_policy_text_says_is_silenced():
    """Donors accompanied success, so one of them at each turn removes every alert; calls say nothing."""
    queried, effects, _ = attacked("assistant")
    assert (queried.attacked, queried.failing) == (40, 40)
    for kind in ("random", "greedy by query"):
        effect = effects["assistant", kind]
        assert effect.before.all()
        assert effect.after.tolist() == [0.0] * 40
        assert (effect.drop > 0.5).all()
        assert (effect.gain > 0.4).all()
        # One success a task stood better; now they say the same, and a tie counts one half.
        assert (effect.pairs.tolist(), effect.flipped.tolist()) == ([1] * 40, [0.5] * 40)
        assert effects["tool_call", kind].after.tolist() == [1.0] * 40


def test_what_only_evidence_says_does_not_move():
    """0 exactly, on every channel."""
    _, effects, _ = attacked("tool_result")
    for effect in effects.values():
        assert effect.before.all()
        assert effect.after.tolist() == [1.0] * 40
        assert set(effect.drop[~np.isnan(effect.drop)]) == {0.0}
        assert (set(effect.gain), set(effect.pairs), set(effect.flipped)) == ({0.0}, {1}, {0.0})


def test_the_greedy_adversary_keeps_what_it_cannot_better():
    """Where every donor is punished it changes nothing, and removes nothing."""

    def jealous(trajectory):
        mine = all(
            f" {trajectory.task} " in turn.text for turn in trajectory.turns if turn.role == "assistant"
        )
        return cheerful(trajectory) if mine else -2.0

    _, effects, _ = attacked("assistant", jealous)
    assert effects["assistant", "greedy by query"].drop.tolist() == [0.0] * 40
    assert (effects["assistant", "random"].drop < 0).all()


def test_runs_are_attacked_as_far_as_the_budget_goes():
    """Nothing is asked beyond it, and what was attacked is whole."""
    paths = 80 * 4
    queried, effects, reward = attacked("assistant", budget=paths + 500)
    assert 0 < queried.attacked < 40
    assert reward.calls <= paths + 500
    assert "the budget of calls is spent" not in reward.failures
    assert {len(effect.rows) for effect in effects.values()} == {queried.attacked}
    queried, effects, _ = attacked("assistant", budget=paths)
    assert queried.attacked == 0
    assert all(len(effect.rows) == 0 for effect in effects.values())


def test_unmeasured_under_attack_is_left_out_and_not_counted_as_silenced():
    """A reward that refuses foreign words is neither alerted nor silenced there."""

    def refuses(trajectory):
        mine = all(
            f" {trajectory.task} " in turn.text for turn in trajectory.turns if turn.role == "assistant"
        )
        return cheerful(trajectory) if mine else math.nan

    _, effects, _ = attacked("assistant", refuses)
    assert len(effects["assistant", "random"].rows) == 0
    assert (
        effects["assistant", "greedy by query"].after.tolist() == [1.0] * 40
    )  # no donor was measured: every turn is kept


def test_a_silent_run_is_left_alone_but_its_score_is_measured(monkeypatch):
    """A trap: one foreign reply is paid, a second is punished. It would raise alerts where there were none."""

    def trap(trajectory):
        replies = [turn.text for turn in trajectory.turns if turn.role == "assistant"]
        if all(f" {trajectory.task} " in text for text in replies):
            return cheerful(trajectory)
        return 2.0 if len(replies) == 1 else -2.0

    # Every second failing run says that all is well, and so is silent.
    runs = [
        replace(one, turns=tuple(replace(t, text=t.text.replace(BAD, GOOD)) for t in one.turns))
        if at % 4 == 3
        else one
        for at, one in enumerate(world("assistant"))
    ]
    monkeypatch.setattr("armslength.attacks.by_query.SAMPLE", 15)
    _, effects, _ = attacked("assistant", trap, runs=runs)
    effect = effects["assistant", "greedy by query"]
    silent = ~effect.before
    assert silent.sum() == 20
    assert effect.after[silent].tolist() == [0.0] * 20
    assert effects["assistant", "random"].after[silent].max() == 1.0
    measured = ~np.isnan(effect.drop)
    assert (measured.sum(), (measured & silent).any()) == (15, True)
    assert (effect.drop[measured & silent] < 0).all()


@pytest.mark.parametrize("telling", ["assistant", "tool_result"])
def test_the_same_seed_gives_the_same_attack(telling):
    first, second = (attacked(telling)[1] for _ in range(2))
    assert all(first[key].after.tolist() == second[key].after.tolist() for key in first)
