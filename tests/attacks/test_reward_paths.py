"""A reward as a score path: where it is asked, what becomes of its numbers, and who is left out."""

import numpy as np
import pytest

from armslength.attacks import Ranks, Reward, ask_paths, score_paths
from armslength.heads import OutOfFold
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.worlds import make_purchases


def run(number, values, success=True):
    """A wish, then for each value a reply and a result that names it, then a farewell and the end."""
    turns = [Turn("user", "user", f"wish {number}", 0)]
    for step, value in enumerate(values, 1):
        turns += [
            Turn("assistant", "policy", f"reply {number} {step}", step),
            Turn("tool_result", "world", f"result {value}", step),
        ]
    turns += [Turn("assistant", "policy", "bye", 90), Turn("terminal", "policy", "###STOP###", 91)]
    task = f"t{number}"
    return Trajectory(f"r{number}", task, task, "p", tuple(turns), Outcome(success, "x", "A"))


def latest(trajectory):
    """What the latest result names; a word is no number."""
    return float([t for t in trajectory.turns if t.role == "tool_result"][-1].text.split()[-1])


def asked(runs, function=latest, calls=1000):
    corpus = Corpus.build(runs)
    return corpus, ask_paths(corpus, Reward(function, 1000), calls=calls, seed=1)


def test_it_is_asked_at_the_points_after_the_policys_first_turn():
    """The wish alone is a decision point without anything to reward; the end and the farewell are no point."""
    seen = []

    def watch(trajectory):
        seen.append([turn.text for turn in trajectory.turns])
        return 1.0

    corpus, paths = asked([run(0, [3, 5])], watch)
    assert len(corpus.points) == 3
    assert paths.points.tolist() == [1, 2]
    first = ["wish 0", "reply 0 1", "result 3"]
    assert seen == [first, [*first, "reply 0 2", "result 5"], [*first, "reply 0 2", "result 5", "bye"]]


def test_the_path_and_the_whole():
    _, paths = asked([run(0, [3, 5]), run(1, [2])])
    assert paths.reward.tolist() == [3.0, 5.0, 2.0]
    assert paths.whole.tolist() == [5.0, 2.0]
    assert paths.left_out == {}


def test_a_run_with_an_unmeasured_point_is_left_out_and_counted():
    """Its whole may be known all the same."""
    silent = Trajectory("s", "s", "s", "p", (Turn("user", "user", "hi", 0),), Outcome(True, "x", "A"))
    _, paths = asked([run(0, ["bad", 4]), silent, run(1, [2])])
    assert paths.rows.tolist() == [2]
    assert np.isnan(paths.whole).tolist() == [False, True, False]
    assert paths.left_out == {
        "no decision point after the policy's first turn": 1, "reward unmeasured at a decision point": 1,
    }  # fmt: skip


def test_runs_beyond_the_calls_are_left_out():
    _, paths = asked([run(number, [1, 2]) for number in range(10)], calls=10)
    assert (len(paths.rows), paths.left_out) == (3, {"beyond the calls set aside for scores": 7})


def test_nothing_asked_is_no_error():
    _, paths = asked([run(0, [1])], calls=0)
    assert (len(paths.rows), len(paths.reward)) == (0, 0)


def test_scores_of_the_corpus_are_read_at_the_same_points():
    corpus, paths = asked([run(0, [3, 5]), run(1, ["bad"]), run(2, [2])])
    scores = OutOfFold("x", np.arange(len(corpus.points)) * 1.0, np.array([0, 1, 2]), ())
    assert paths.of(scores).z.tolist() == [1.0, 2.0, 6.0]
    assert paths.of(scores).fold.tolist() == [0, 2]


def test_ranks_are_shares_of_training_weight_with_ties_half():
    """High rewards are low risks; a value between two training values falls between their ranks."""
    ranks = Ranks.fit(np.array([4.0, 1.0, 2.0, 2.0]), np.ones(4))
    assert ranks(np.array([9.0, 4.0, 3.0, 2.0, 1.0, 0.0])).tolist() == [0.0, 0.125, 0.25, 0.5, 0.875, 1.0]
    assert Ranks.fit(np.zeros(0), np.zeros(0))(np.array([1.0])).tolist() == [0.5]


def test_a_fold_ranks_by_its_training_folds_alone():
    """Another reward in the test fold moves no map and no threshold of that fold."""
    runs = [run(number, [number % 7, number % 5], success=number % 2 == 0) for number in range(40)]
    fold = np.arange(40) % 4
    _, paths = asked(runs)
    scores, maps = score_paths(paths, fold, 4, alpha=0.2)
    changed = paths.reward.copy()
    changed[np.repeat(fold, 2) == 1] += 100
    _, others = score_paths(
        type(paths)(paths.corpus, paths.rows, paths.points, changed, paths.whole, {}), fold, 4, alpha=0.2
    )
    assert maps[1].risks.tolist() == others[1].risks.tolist()
    assert maps[0].risks.tolist() != others[0].risks.tolist()
    expected = maps[1](paths.reward[2:4])
    assert scores.z[2:4].tolist() == expected.tolist()
    assert all(fit.threshold is not None for fit in scores.fits)


def test_a_perfect_reward_ranks_every_failure_above_every_success():
    runs = list(make_purchases(20, 3, 1))
    won = {t.id for t in runs if t.outcome.success}
    _, paths = asked(runs, lambda trajectory: float(trajectory.id in won))
    scores, _ = score_paths(paths, np.arange(len(paths.rows)) % 5, 5, alpha=0.1)
    last = scores.z[paths.corpus.points.offsets[1:] - 1]
    assert last[paths.corpus.failed == 1].min() > last[paths.corpus.failed == 0].max()
    assert scores.fits[0].spread == pytest.approx(0.25, abs=0.05)  # two ranks, half a unit apart
