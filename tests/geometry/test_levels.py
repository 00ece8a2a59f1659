"""Prefix features equal direct computation, for every kind of span."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.encoders import UNIT
from armslength.geometry import current_run_spans, first_run_spans, levels, prefix_spans, readable, velocities
from armslength.records import READ_ROLES, ROLES, WRITERS, Corpus, Outcome, Trajectory, Turn, may_read

WORDS = [f"text {n}" for n in range(9)]
turns_of = st.lists(
    st.builds(Turn, st.sampled_from(ROLES), st.sampled_from(WRITERS), st.sampled_from(WORDS), st.just(0)),
    max_size=10,
)
corpora = st.lists(turns_of, min_size=1, max_size=5).map(
    lambda runs: Corpus.build(
        Trajectory(f"{i}", f"{i}", f"{i}", "someone", tuple(turns), Outcome(True, "made up", "A"))
        for i, turns in enumerate(runs)
    )
)
AUTHORSHIPS = list(READ_ROLES)
KINDS = {"prefix": prefix_spans, "current run": current_run_spans, "first run": first_run_spans}


def seen(corpus, kind, point):
    """First and last turn, exclusive, that a point sees; by definition."""
    row = int(np.searchsorted(corpus.points.offsets, point, side="right")) - 1
    if kind == "prefix":
        return int(corpus.offsets[row]), int(corpus.points.end[point])
    at = point if kind == "current run" else int(corpus.points.offsets[row])
    return int(corpus.points.run[at]), int(corpus.points.end[at])


def direct(corpus, vectors, authorship, kind, absent):
    """The mean of each role's readable vectors, one prefix at a time."""
    d = vectors.shape[1]
    out = np.full((len(corpus.points), len(READ_ROLES[authorship]) * d), absent)
    for point in range(len(corpus.points)):
        start, end = seen(corpus, kind, point)
        for block, role in enumerate(READ_ROLES[authorship]):
            mine = [
                vectors[corpus.text[t]].astype(np.float64) / UNIT
                for t in range(start, end)
                if ROLES[corpus.role[t]] == role and may_read(authorship, role, WRITERS[corpus.writer[t]])
            ]
            if mine:
                out[point, block * d : (block + 1) * d] = np.mean(mine, axis=0)
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("absent", [0.0, np.nan], ids=["zero", "missing"])
@settings(max_examples=120, deadline=None)
@given(corpora, st.sampled_from(AUTHORSHIPS), st.integers(0, 2**32 - 1))
def test_features_equal_direct_computation(kind, absent, corpus, authorship, seed):
    """Means by integer prefix sums are the means, to 1e-12, and an absent role is what it is told to be."""
    shape = (len(corpus.texts), 3)
    vectors = np.random.default_rng(seed).integers(-UNIT, UNIT + 1, shape).astype(np.int16)
    found = levels(vectors, corpus, KINDS[kind](corpus, authorship), absent=absent)
    expected = direct(corpus, vectors, authorship, kind, absent)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(corpora, st.sampled_from(AUTHORSHIPS))
def test_readable_turns_are_those_of_the_table(corpus, authorship):
    """The masks say turn by turn what `may_read` says."""
    masks = readable(corpus, authorship)
    cells = [(ROLES[r], WRITERS[w]) for r, w in zip(corpus.role, corpus.writer, strict=True)]
    for role, mask in zip(READ_ROLES[authorship], masks, strict=True):
        assert mask.tolist() == [cell[0] == role and may_read(authorship, *cell) for cell in cells]


def test_a_prefix_alone_has_the_bits_it_has_in_a_batch():
    """Sums are integers, so other runs and later turns change no bit."""
    rng = np.random.default_rng(0)
    runs = [
        Trajectory(
            str(i), str(i), str(i), "p",
            tuple(
                Turn(*rng.choice([("user", "user"), ("assistant", "policy")]), f"{i} {t}", 0) for t in range(30)
            ),
            Outcome(True, "made up", "A"),
        )
        for i in range(6)
    ]  # fmt: skip
    corpus = Corpus.build(runs)
    vectors = rng.integers(-UNIT, UNIT + 1, (len(corpus.texts), 5)).astype(np.int16)
    whole = levels(vectors, corpus, prefix_spans(corpus, "all-role"))
    for row in range(len(corpus)):
        alone = corpus.take(np.array([row]))
        found = levels(vectors, alone, prefix_spans(alone, "all-role"))
        first, last = corpus.points.offsets[row : row + 2]
        assert found.tobytes() == whole[first:last].tobytes()


def test_the_largest_sums_do_not_overflow():
    """A hundred thousand turns of the largest integer have the mean one, exactly."""
    turns = tuple(Turn("user", "user", "same", 0) for _ in range(100_000))
    corpus = Corpus.build([Trajectory("1", "1", "1", "p", turns, Outcome(True, "made up", "A"))])
    found = levels(np.full((1, 2), UNIT, dtype=np.int16), corpus, prefix_spans(corpus, "strict"))
    assert found.tolist() == [[1.0, 1.0, 0.0, 0.0]]


@settings(max_examples=150, deadline=None)
@given(corpora, st.sampled_from(AUTHORSHIPS), st.integers(0, 2**32 - 1))
def test_velocities_equal_direct_computation(corpus, authorship, seed):
    """Σ p v / Σ p² over each role's own turns of the prefix, with p from −1 to 1; zero below two turns."""
    vectors = np.random.default_rng(seed).integers(-UNIT, UNIT + 1, (len(corpus.texts), 3)).astype(np.int16)
    got = velocities(vectors, corpus, prefix_spans(corpus, authorship))
    for point in range(len(corpus.points)):
        start, end = seen(corpus, "prefix", point)
        for block, role in enumerate(READ_ROLES[authorship]):
            mine = [
                vectors[corpus.text[t]].astype(np.float64) / UNIT
                for t in range(start, end)
                if ROLES[corpus.role[t]] == role and may_read(authorship, role, WRITERS[corpus.writer[t]])
            ]
            n = len(mine)
            p = [2 * j / (n - 1) - 1 for j in range(n)] if n > 1 else []
            slope = (
                sum(q * v for q, v in zip(p, mine, strict=True)) / sum(q * q for q in p)
                if n > 1
                else np.zeros(3)
            )
            assert np.allclose(got[point, block * 3 : block * 3 + 3], slope, atol=1e-12)


def test_velocity_is_that_of_the_roles_own_turns():
    """Turns of others between them stretch nothing."""
    plain = [Turn("user", "user", word, 0) for word in WORDS[:3]]
    padded = [
        t
        for turn in plain
        for t in (turn, Turn("assistant", "policy", "well", 0), Turn("system", "task", "s", 0))
    ]
    made = []
    for turns in (plain, padded):
        corpus = Corpus.build([Trajectory("1", "1", "1", "p", tuple(turns), Outcome(True, "x", "A"))])
        vectors = np.array([[len(text) * 100, ord(text[-1])] for text in corpus.texts], dtype=np.int16)
        made.append(velocities(vectors, corpus, prefix_spans(corpus, "strict"))[-1])
    assert made[0].tolist() == made[1].tolist()
    assert made[0].any()
