"""Exact scores: the same bits alone, in a batch, on any threads and in fractions; monotone; bounded."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from armslength.encoders import UNIT, StaticTable
from armslength.geometry import prefix_spans
from armslength.records import READ_ROLES, ROLES, WRITERS, Corpus, Outcome, Trajectory, Turn, may_read
from armslength.scoring import ExactHead, running_maximum, score, turn_values

KINDS = [("user", "user"), ("assistant", "policy"), ("tool_call", "policy"), ("tool_result", "world")]
AUTHORSHIPS = ["all-role", "recorded", "strict"]
seeds = st.integers(0, 2**32 - 1)


def corpus_of(rng, runs, longest):
    """Random runs that begin with the user; every turn has a text of its own."""
    return Corpus.build(
        Trajectory(
            str(i), str(i), str(i), "someone",
            (
                Turn("user", "user", f"{i}", 0),
                *(Turn(*KINDS[rng.integers(4)], f"{i} {t}", t) for t in range(rng.integers(longest))),
            ),
            Outcome(True, "made up", "A"),
        )
        for i in range(runs)
    )  # fmt: skip


def vectors_of(rng, texts, d):
    """Random unit vectors on the integer grid."""
    vectors = rng.normal(size=(texts, d))
    return np.rint(vectors / np.linalg.norm(vectors, axis=1, keepdims=True) * UNIT).astype(np.int16)


def head_of(rng, authorship, d):
    coefficients = rng.normal(size=len(READ_ROLES[authorship]) * d) * 10.0 ** rng.integers(-3, 3)
    return ExactHead.round(authorship, coefficients, float(rng.normal()))


def scored(head, corpus, vectors):
    return score(head, prefix_spans(corpus, head.authorship), turn_values(head, corpus, vectors))


@pytest.mark.parametrize("authorship", AUTHORSHIPS)
def test_alone_in_a_batch_and_on_any_threads(authorship):
    """Neighbours, BLAS threads and the kind of the vectors change no bit of a score."""
    rng = np.random.default_rng(7)
    corpus = corpus_of(rng, 120, 30)
    vectors, head = vectors_of(rng, len(corpus.texts), 256), head_of(rng, authorship, 256)
    with threadpool_limits(1):
        one = scored(head, corpus, vectors)
    with threadpool_limits(2):
        assert scored(head, corpus, vectors).tobytes() == one.tobytes()
        assert scored(head, corpus, vectors.astype(np.float64)).tobytes() == one.tobytes()
        for row in range(len(corpus)):
            first, last = corpus.points.offsets[row : row + 2]
            alone = corpus.take(np.array([row]))
            assert scored(head, alone, vectors).tobytes() == one[first:last].tobytes()


def nearest(value):
    """A fraction as the nearest float: Python's division is correctly rounded."""
    return value.numerator / value.denominator


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from(AUTHORSHIPS), st.sampled_from([1, 3, 16]))
def test_scores_equal_fractions_rounded_where_the_rule_says(seed, authorship, d):
    """One rounding for each role's mean, its product with the step, and its sum: as in exact arithmetic."""
    rng = np.random.default_rng(seed)
    corpus = corpus_of(rng, 3, 9)
    vectors, head = vectors_of(rng, len(corpus.texts), d), head_of(rng, authorship, d)
    expected = []
    for point, row in enumerate(corpus.points.trajectory):
        z = head.intercept
        for role, weights in zip(head.roles, head.weights.tolist(), strict=True):
            values = [
                sum(w * int(v) for w, v in zip(weights, vectors[corpus.text[t]], strict=True))
                for t in range(corpus.offsets[row], corpus.points.end[point])
                if ROLES[corpus.role[t]] == role and may_read(authorship, role, WRITERS[corpus.writer[t]])
            ]
            mean = nearest(Fraction(sum(values), len(values))) if values else 0.0
            z = nearest(Fraction(z) + Fraction(nearest(Fraction(head.step) * Fraction(mean))))
        expected.append(z)
    assert scored(head, corpus, vectors).tolist() == expected


@settings(max_examples=150, deadline=None)
@given(seeds, st.sampled_from(AUTHORSHIPS), st.integers(0, 10**7), st.data())
def test_lowering_a_turn_never_raises_a_score(seed, authorship, fall, data):
    """Every step after the integers is monotone, whatever is lowered and by however little."""
    rng = np.random.default_rng(seed)
    corpus = corpus_of(rng, 4, 9)
    vectors, head = vectors_of(rng, len(corpus.texts), 4), head_of(rng, authorship, 4)
    values = turn_values(head, corpus, vectors)
    lowered = values.copy()
    for turn in data.draw(st.lists(st.integers(0, corpus.turns - 1), min_size=1, max_size=4)):
        lowered[turn] -= fall
    spans = prefix_spans(corpus, authorship)
    before, after = score(head, spans, values), score(head, spans, lowered)
    assert (after <= before).all()
    assert (
        running_maximum(after, corpus.points.offsets) <= running_maximum(before, corpus.points.offsets)
    ).all()


def test_draws_are_scored_as_each_alone():
    """A stack of draws has the bits of its members."""
    rng = np.random.default_rng(2)
    corpus = corpus_of(rng, 9, 9)
    head, spans = head_of(rng, "all-role", 3), prefix_spans(corpus, "all-role")
    draws = rng.integers(-(10**7), 10**7, (5, corpus.turns))
    together = score(head, spans, draws)
    assert [z.tobytes() for z in together] == [score(head, spans, values).tobytes() for values in draws]


@settings(max_examples=200, deadline=None)
@given(seeds, st.integers(1, 300))
def test_no_quantised_vector_lies_below_the_sphere(seed, d):
    """Neither random vectors nor the one that points straight against the weights fall below the bound."""
    rng = np.random.default_rng(seed)
    head = head_of(rng, "strict", d)
    against = -head.weights / np.maximum(np.linalg.norm(head.weights, axis=1, keepdims=True), 1)
    adversarial = np.rint(against * UNIT).astype(np.int64)
    for index, role in enumerate(head.roles):
        weights, bound = head.weights[index], head.lowest_value(role)
        tried = [*vectors_of(rng, 20, d).astype(np.int64), adversarial[index]]
        assert all(int(weights @ vector) >= bound for vector in tried)
        assert -bound <= (math.sqrt(int(weights @ weights)) + 1) * (UNIT + math.sqrt(d) / 2 + 1) + 1


def test_the_sphere_is_outward_where_every_cell_rounds_outward():
    """Weights along a vector whose cells all round away from zero stay above the bound."""
    for d in range(1, 400):
        vector = np.full(d, math.ceil(UNIT / math.sqrt(d)), dtype=np.int64)
        if vector[0] - UNIT / math.sqrt(d) > 0.5:
            continue
        head = ExactHead.round("strict", -np.ones(2 * d), 0.0)
        assert int(head.weights[0] @ vector) >= head.lowest_value("user")


def test_the_sphere_holds_for_texts_that_the_encoder_really_makes():
    """The text that a head was fitted against is not below the bound of that head."""
    vectors = (
        StaticTable()
        .encode(["the order has shipped", "sorry, that failed", "zebra", "日本"])
        .astype(np.int64)
    )
    for vector in vectors:
        head = ExactHead.round("strict", np.tile(-vector.astype(np.float64), 2), 0.0)
        assert (vectors @ head.weights[0]).min() >= head.lowest_value("user")


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.floats(-1e300, 1e300, allow_subnormal=False), min_size=2, max_size=12).filter(
        lambda c: max(map(abs, c)) > 1e-290 or not any(c)
    )
)
def test_weights_are_integers_of_at_most_1024(coefficients):
    """The largest weight is 1024 exactly, and each lies within half a step of its coefficient."""
    coefficients = np.array(coefficients[: len(coefficients) // 2 * 2])
    head = ExactHead.round("strict", coefficients, 0.0)
    assert np.abs(head.weights).max() == (1024 if coefficients.any() else 0)
    grid = np.abs(coefficients).max() / 1024 if coefficients.any() else 1.0
    assert (np.abs(head.weights.ravel() - coefficients / grid) <= 0.5).all()


def test_a_head_without_weights_scores_its_intercept():
    """Zero weights give the intercept at every point and a sphere of zero."""
    corpus = corpus_of(np.random.default_rng(0), 5, 9)
    head = ExactHead.round("all-role", np.zeros(8), 0.25)
    vectors = vectors_of(np.random.default_rng(0), len(corpus.texts), 2)
    assert set(scored(head, corpus, vectors).tolist()) == {0.25}
    assert [head.lowest_value(role) for role in head.roles] == [0, 0, 0, 0]


def test_turns_that_a_head_does_not_read_have_no_value():
    """A policy turn is worth nothing to the strict head."""
    rng = np.random.default_rng(0)
    corpus = corpus_of(rng, 20, 9)
    values = turn_values(head_of(rng, "strict", 8), corpus, vectors_of(rng, len(corpus.texts), 8))
    assert not values[corpus.writer == WRITERS.index("policy")].any()
    assert values[corpus.writer == WRITERS.index("user")].all()


def test_the_running_maximum_is_that_of_each_run():
    """R4 never looks into the next run."""
    z = np.array([[1.0, 3.0, 2.0, -5.0], [0.0, -1.0, 4.0, 7.0]])
    assert running_maximum(z, np.array([0, 2, 3, 4])).tolist() == [[3.0, 2.0, -5.0], [0.0, 4.0, 7.0]]
