"""What heads and rivals read."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.encoders import UNIT
from armslength.heads import FloatReader, LevelReader, error_rate, first_run, same_turn
from armslength.records import Corpus, Outcome, Trajectory, Turn

D = 2
KINDS = {
    "u": ("user", "user", None),
    "a": ("assistant", "policy", None),
    "c": ("tool_call", "policy", None),
    "r": ("tool_result", "world", False),
    "e": ("tool_result", "world", True),
    "?": ("tool_result", "world", None),
}


def corpus_of(*runs):
    """Runs from strings of kinds; every turn has a text of its own."""
    return Corpus.build(
        Trajectory(
            str(i), str(i), str(i), "p",
            tuple(
                Turn(KINDS[kind][0], KINDS[kind][1], f"{i} {t}", t, error=KINDS[kind][2])
                for t, kind in enumerate(run)
            ),
            Outcome(True, "made up", "A"),
        )
        for i, run in enumerate(runs)
    )  # fmt: skip


def vectors_of(corpus):
    return np.random.default_rng(0).integers(-UNIT, UNIT, (len(corpus.texts), D)).astype(np.int16)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text("uacre?", max_size=9), min_size=1, max_size=4))
def test_error_features_equal_a_loop(runs):
    """Share and number of signalled errors so far and whether the last signal was one, at every point."""
    corpus = corpus_of(*runs)
    kept = [runs[int(t.id)] for t in corpus.trajectories]
    expected = []
    for point, row in enumerate(corpus.points.trajectory):
        seen = kept[row][: corpus.points.end[point] - corpus.offsets[row]]
        signals = [kind == "e" for kind in seen if kind in "re"]
        share = sum(signals) / len(signals) if signals else 0.0
        expected.append([share, float(sum(signals)), float(bool(signals) and signals[-1])])
    reader = error_rate(corpus)
    if any(kind in "re" for run in kept for kind in run):
        assert reader.features.tolist() == expected
    else:
        assert reader is None


def test_the_same_turn_rival_reads_the_current_run_only():
    """What came before the policy's last turn plays no part, and a silent role is missing."""
    corpus = corpus_of("uar", "ur")
    vectors = vectors_of(corpus) / UNIT
    features = same_turn(corpus, vectors_of(corpus)).features
    nothing = [np.nan] * D
    expected = [[*vectors[0], *nothing], [*nothing, *vectors[2]], [*vectors[3], *vectors[4]]]
    np.testing.assert_allclose(features, expected, rtol=0, atol=1e-15)


def test_the_first_run_rival_reads_nothing_later():
    """Every point of a run has the features of its first."""
    corpus = corpus_of("uararu", "ru")
    features = first_run(corpus, vectors_of(corpus)).features
    first = corpus.points.offsets[corpus.points.trajectory]
    np.testing.assert_array_equal(features, features[first])
    np.testing.assert_array_equal(features[first], same_turn(corpus, vectors_of(corpus)).features[first])


def test_the_same_turn_rival_has_no_presence_flag():
    """Points that differ in which role is absent, with the present one at its mean, score the same."""
    fill = np.array([0.3, -0.2, 0.7, 0.1])
    features = np.array([[0.3, -0.2, np.nan, np.nan], [np.nan, np.nan, 0.7, 0.1], [np.nan] * 4])
    z, head = FloatReader("same turn", features).score(np.array([2.0, -1.0, 0.5, 3.0]), 0.125, fill)
    assert head is None
    assert len(set(z.tolist())) == 1


def test_float_scores_are_cut_before_they_are_compared():
    """Scores that differ by the order of a sum are equal."""
    features = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    z, _ = FloatReader("x", features).score(np.ones(3), 0.0, np.zeros(3))
    assert z.tolist() == [0.6, 0.6]


@pytest.mark.parametrize(("authorship", "roles"), [("all-role", 4), ("recorded", 3), ("strict", 2)])
def test_a_level_reader_scores_what_it_was_fitted_on(authorship, roles):
    """The exact score of a head lies within its rounding of the dot product with the features."""
    corpus = corpus_of("uacrar", "uar", "rarae")
    reader = LevelReader(corpus, vectors_of(corpus), authorship)
    weights = np.random.default_rng(1).normal(size=roles * D)
    z, head = reader.score(weights, 0.5, np.zeros(roles * D))
    slack = roles * D * np.abs(weights).max() / 2048
    assert (reader.name, head.authorship) == (authorship, authorship)
    assert np.abs(z - (reader.features @ weights + 0.5)).max() <= slack
