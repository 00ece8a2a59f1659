"""One more call, against brute force: every place and every donor, scored as a conversation of its own."""

import random
from itertools import pairwise

import numpy as np
import pytest

from armslength.attacks import TRIED, failing_runs, one_more_call
from armslength.attacks.more_calls import highest_after
from armslength.encoders import StaticTable
from armslength.geometry import prefix_spans
from armslength.heads import LevelReader, cross_fit, grouped_splits
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.scoring import Totals, running_maximum, score, totals, turn_values

WORDS = {
    True: ["order", "shipped", "booked", "found", "table"],
    False: ["refused", "lost", "error", "empty", "table"],
}
TOOLS = ("look", "book")
ENCODER = StaticTable()


def said(rng, success):
    """Words that mostly tell the outcome."""
    return " ".join(rng.choice(WORDS[success == (rng.random() < 0.8)]) for _ in range(4))


def run(rng, number, *, opens, success):
    """A user and tools in turn; a run that opens calls before anybody spoke."""
    turns = [Turn("user", "task" if opens else "user", "please do it", 0)]
    for step in range(1, rng.randint(3, 6)):
        text, answer = said(rng, success), said(rng, success)
        if rng.random() < 0.6 or (opens and step == 1):
            name = rng.choice(TOOLS)
            turns += [Turn("tool_call", "policy", f"{name} {text}", step, name)]
            turns += [Turn("tool_result", "world", answer, step, name)]
        else:
            turns += [Turn("assistant", "policy", text, step), Turn("user", "user", answer, step)]
    task = f"t{number % 12}"
    return Trajectory(str(number), task, task, "p", tuple(turns), Outcome(success, "x", "A"))


@pytest.fixture(scope="module", params=["strict", "all-role"])
def fitted(request):
    rng = random.Random(5)
    corpus = Corpus.build(run(rng, i, opens=i % 3 == 0, success=i % 2 == 0) for i in range(60))
    vectors = ENCODER.encode(corpus.texts)
    reader = LevelReader(corpus, vectors, request.param)
    scores = cross_fit(reader, corpus, grouped_splits(corpus.group.codes, seed=1), alpha=0.3, threads=1)
    return corpus, vectors, scores


def places(turns):
    """Positions where the policy may call: where a turn of its own begins after somebody else's, or the record."""
    return [
        i
        for i, turn in enumerate(turns)
        if turn.writer == "policy" and (i == 0 or turns[i - 1].writer != "policy")
    ]


def by_hand(trajectory, head, call, result):
    """The lowest R4 over all places, each scored as a conversation of its own."""
    found = []
    for place in places(trajectory.turns):
        turns = (*trajectory.turns[:place], call, result, *trajectory.turns[place:])
        corpus = Corpus.build([Trajectory("x", "t", "t", "p", turns, trajectory.outcome)])
        values = turn_values(head, corpus, ENCODER.encode(corpus.texts))
        z = score(head, prefix_spans(corpus, head.authorship), values)
        found.append(running_maximum(z, corpus.points.offsets)[0])
    return min(found)


def test_equal_to_scoring_every_place_by_hand(fitted):
    corpus, vectors, scores = fitted
    checked = 0
    for runs in failing_runs(corpus, vectors, scores):
        head = runs.head
        pairs = [
            (call, result)
            for owner in runs.fit.split.train[:6]
            for call, result in zip(
                corpus.trajectories[owner].turns, corpus.trajectories[owner].turns[1:], strict=False
            )
            if call.role == "tool_call"
        ][:5]
        donors = Corpus.build(
            [
                Trajectory(
                    "d", "d", "d", "p", tuple(t for pair in pairs for t in pair), Outcome(True, "x", "A")
                )
            ]
        )
        values = turn_values(head, donors, ENCODER.encode(donors.texts)).reshape(-1, 2)
        seen, offsets = totals(runs.spans, runs.values), runs.corpus.points.offsets
        for index, row in enumerate(runs.rows):
            points = slice(offsets[index], offsets[index + 1])
            own = Totals(*(tuple(part[points] for part in parts) for parts in seen))
            trajectory = corpus.trajectories[row]
            opens = trajectory.turns[0].writer == "task"
            got = highest_after(head, own, values[:, 0], values[:, 1], opens=opens)
            plain = runs.before[points].max()
            expected = [min(plain, by_hand(trajectory, head, *pair)) for pair in pairs]
            assert got.tolist() == expected
            checked += sum(value < plain for value in expected)
    assert checked > 20


def test_more_tries_remove_no_less_and_equal_seeds_equal_rows(fitted):
    effects = one_more_call(*fitted, seed=3)
    assert [effect.best_of for effect in effects] == list(TRIED)
    for fewer, more in pairwise(effects):
        assert (more.after <= fewer.after).all()
    assert effects[-1].after.mean() < 1
    for one, other in zip(effects, one_more_call(*fitted, seed=3), strict=True):
        assert np.array_equal(one.after, other.after)
        assert np.array_equal(one.rows, other.rows)


def test_only_alerts_on_failures_are_steered(fitted):
    corpus, _, scores = fitted
    (effect, *_) = one_more_call(*fitted, seed=3)
    r4 = running_maximum(scores.z, corpus.points.offsets)
    assert sorted(effect.rows) == np.flatnonzero((corpus.failed == 1) & (r4 > scores.thresholds())).tolist()
    calls = [any(turn.role == "tool_call" for turn in corpus.trajectories[row].turns) for row in effect.rows]
    assert effect.able.tolist() == calls


def test_a_tool_that_no_other_run_called_brings_nothing(fitted):
    """A donor is a result of a tool that the run itself calls; a run without one stays as it is."""
    corpus, vectors, scores = fitted
    renamed = [
        Trajectory(
            t.id, t.task, t.group, t.policy,
            tuple(
                Turn(u.role, u.writer, u.text, u.step, u.name and f"{u.name}-{t.task}") for u in t.turns
            ),
            t.outcome,
        )
        for t in corpus.trajectories
    ]  # fmt: skip
    for effect in one_more_call(Corpus.build(renamed), vectors, scores, seed=3):
        assert not effect.able.any()
        assert (effect.after == 1).all()
