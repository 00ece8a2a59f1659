"""Call author: a call is replaced by one of the same tool from a success elsewhere, and brings its own result."""

import numpy as np
import pytest

from armslength.attacks import TRIED, call_author, failing_runs
from armslength.records import Corpus, Outcome, Trajectory, Turn, find_calls
from armslength.scoring import running_maximum, score

from .random_runs import random_scores, random_vectors

TOOLS = ("look", "book", "rare")


def run(rng, number, tasks):
    """Each run calls tools that most others call, too; one tool is called in a single task only."""
    turns = [Turn("user", "user", f"hello {number}", 0)]
    for step in range(rng.integers(1, 6)):
        task = number % tasks
        name = "rare" if task == 0 else TOOLS[rng.integers(2)]
        turns += [
            Turn("tool_call", "policy", f"{name} {number} {step}", step, name),
            Turn("tool_result", "world", f"result {number} {step}", step, name),
            Turn("assistant", "policy", f"so {number} {step}", step),
        ]
    return Trajectory(
        str(number), str(task), str(task), "p", tuple(turns), Outcome(bool(rng.integers(2)), "made up", "A")
    )


@pytest.fixture(scope="module", params=["strict", "recorded", "all-role"])
def data(request):
    rng = np.random.default_rng(4)
    corpus = Corpus.build(run(rng, i, 15) for i in range(90))
    vectors = random_vectors(rng, corpus)
    return corpus, vectors, random_scores(rng, corpus, vectors, request.param)


def test_only_pairs_of_one_call_and_its_result_are_taken(monkeypatch, data):
    """A changed call and its result come from one call of the tool, in a training success of another task."""
    corpus, vectors, scores = data
    calls, seen = find_calls(corpus), []
    monkeypatch.setattr(
        "armslength.attacks.other_calls.score",
        lambda head, spans, values: seen.append(values) or score(head, spans, values),
    )
    call_author(corpus, vectors, scores, seed=1)
    checked = 0
    for fold, runs in enumerate(failing_runs(corpus, vectors, scores)):
        turns = np.concatenate([np.arange(corpus.offsets[r], corpus.offsets[r + 1]) for r in runs.rows])
        place = {int(turn): local for local, turn in enumerate(turns)}
        good = np.isin(calls.owner, runs.fit.split.train) & (corpus.failed[calls.owner] == 0)
        for values in seen[fold * len(TRIED) : (fold + 1) * len(TRIED)]:
            touched = np.zeros(len(turns), dtype=bool)
            for call, result, owner, tool in zip(
                calls.call, calls.result, calls.owner, calls.tool, strict=True
            ):
                if int(call) not in place:
                    continue
                at, back = place[int(call)], place[int(result)]
                touched[[at, back]] = True
                given = (
                    good & (calls.tool == tool) & (corpus.task.codes[calls.owner] != corpus.task.codes[owner])
                )
                allowed = {
                    (int(runs.every[c]), int(runs.every[r]))
                    for c, r in zip(calls.call[given], calls.result[given], strict=True)
                } | {(int(runs.every[call]), int(runs.every[result]))}
                got = set(zip(values[:, at].tolist(), values[:, back].tolist(), strict=True))
                assert got <= allowed
                assert max(c + r for c, r in got) <= runs.every[call] + runs.every[result]
                checked += len(got - {(int(runs.every[call]), int(runs.every[result]))})
            assert (values[:, ~touched] == runs.values[~touched]).all()
    assert checked > 50


def test_rows_are_alerts_on_failures_and_a_tool_of_one_task_alone_is_not_able(data):
    corpus, vectors, scores = data
    effects = call_author(corpus, vectors, scores, seed=1)
    alerted = running_maximum(scores.z, corpus.points.offsets) > scores.thresholds()
    assert sorted(effects[0].rows) == np.flatnonzero(alerted & (corpus.failed == 1)).tolist()
    calls = find_calls(corpus)
    for row, able in zip(effects[0].rows, effects[0].able, strict=True):
        tools = {calls.names[code] for code in calls.tool[calls.owner == row]}
        assert able == bool(tools - {"rare"})
    assert not effects[0].able.all()
    assert [effect.best_of for effect in effects] == list(TRIED)


def test_equal_seeds_give_equal_rows(data):
    for one, other in zip(call_author(*data, seed=2), call_author(*data, seed=2), strict=True):
        assert np.array_equal(one.after, other.after)
