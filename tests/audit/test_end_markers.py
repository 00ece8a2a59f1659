"""Words of the end: found where they are planted, and not where the same word warns all along."""

import numpy as np
import pytest

from armslength.audit.end_markers import end_markers
from armslength.audit.resamples import Resamples
from armslength.records import Corpus, Outcome, Trajectory, Turn
from armslength.statistics import group_weights


def control_of(texts_of, n=80):
    """The control on runs of four results each, whose texts a function of (run, failed, turn) gives."""
    corpus = Corpus.build(
        Trajectory(
            str(i), f"t{i}", f"t{i}", "p",
            tuple(
                turn
                for t in range(4)
                for turn in (
                    Turn("tool_call", "policy", f"look {i} {t}", t),
                    Turn("tool_result", "world", f"row {i} {t} {texts_of(i, i % 2 == 1, t)}", t),
                )
            ),
            Outcome(i % 2 == 0, "made up", "A"),
        )
        for i in range(n)
    )  # fmt: skip
    weights = group_weights(len(corpus.group.names), resamples=50, rng=np.random.default_rng(1))
    return end_markers(Resamples(corpus, weights))


def test_a_word_of_failures_ends_is_found():
    found = control_of(lambda _, failed, t: "Aborted!" if failed and t == 3 else "fine")
    assert not found.passed
    assert "aborted (40 runs, AUC 1.00" in found.detail
    assert found.estimate.value == 1.0


def test_a_word_of_successes_ends_is_found_too():
    found = control_of(lambda _, failed, t: "thanks" if not failed and t == 3 else "fine")
    assert "thanks (40 runs, AUC 1.00" in found.detail


def test_a_word_that_warns_all_along_is_no_marker():
    found = control_of(lambda _, failed, __: "error" if failed else "fine")
    assert (found.passed, found.estimate) == (True, None)
    assert found.detail.startswith("none of ")


def test_a_word_without_information_is_no_marker():
    assert control_of(lambda i, _, t: "done" if t == 3 and i % 4 < 2 else "fine").passed


def test_a_rare_word_is_not_looked_at():
    assert control_of(lambda i, failed, t: "gone" if failed and t == 3 and i < 30 else "fine").passed


def test_one_turn_runs_have_no_before():
    """Whatever stands in the only turns is their end; nothing breaks where nothing comes before."""
    corpus = Corpus.build(
        Trajectory(str(i), f"t{i}", f"t{i}", "p", (Turn("user", "user", "bad" if i % 2 else f"good {i}", 0),),
                   Outcome(i % 2 == 0, "made up", "A"))
        for i in range(60)
    )  # fmt: skip
    weights = group_weights(len(corpus.group.names), resamples=50, rng=np.random.default_rng(1))
    assert end_markers(Resamples(corpus, weights)).estimate.value == pytest.approx(1.0)
