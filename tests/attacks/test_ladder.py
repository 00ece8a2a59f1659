"""The ladder: each rung holds exactly the donors that its definition allows."""

import numpy as np
import pytest

from armslength.attacks import RUNGS, STAGES, Ladder, failing_runs
from armslength.geometry import EvidenceBefore

from .random_runs import random_corpus, random_scores, random_vectors


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(2)
    corpus = random_corpus(rng, 80, tasks=30, groups=20)
    vectors = random_vectors(rng, corpus)
    scores = random_scores(rng, corpus, vectors, "all-role")
    return corpus, vectors, Ladder(corpus, vectors), failing_runs(corpus, vectors, scores)


def stage_of(corpus, turn):
    owner = corpus.owner[turn]
    first, after = corpus.offsets[owner], corpus.offsets[owner + 1]
    return STAGES * (turn - first) // (after - first)


@pytest.mark.parametrize("rung", RUNGS[:3])
def test_draws_come_from_all_donors_of_the_rung_and_from_no_other(data, rung):
    corpus, _, ladder, folds = data
    runs = folds[0]
    targets = ladder.turns_of(runs, "assistant")
    pool = ladder.pool(rung, runs, "assistant", np.random.default_rng(0))
    drawn = pool.draw(600, np.random.default_rng(1))
    lowest = pool.lowest()
    for index, turn in enumerate(targets):
        allowed = [
            donor
            for donor in ladder.donors_of(runs, "assistant", any_outcome=rung == "any")
            if corpus.task.codes[corpus.owner[donor]] != corpus.task.codes[corpus.owner[turn]]
            and (rung != "same stage" or stage_of(corpus, donor) == stage_of(corpus, turn))
        ]
        assert set(drawn[index].tolist()) == set(runs.every[allowed].tolist())
        assert lowest[index] == runs.every[allowed].min()


def test_only_the_loosest_rung_takes_donors_from_failures(data):
    corpus, _, ladder, folds = data
    for runs in folds:
        owner = corpus.owner[ladder.donors_of(runs, "tool_call")]
        assert np.isin(owner, runs.fit.split.train).all()
        assert not corpus.failed[owner].any()
        every = corpus.owner[ladder.donors_of(runs, "tool_call", any_outcome=True)]
        assert corpus.failed[every].any()
        assert np.isin(every, runs.fit.split.train).all()


def test_contexts_are_the_evidence_before_a_turn(data):
    corpus, vectors, _, _ = data
    got = EvidenceBefore(vectors, corpus).of(np.arange(corpus.turns))
    for turn in range(corpus.turns):
        start = corpus.offsets[corpus.owner[turn]]
        said = [t for t in range(start, turn) if corpus.role[t] in (1, 4)]
        expected = vectors[corpus.text[said]].astype(float).sum(0)
        size = np.linalg.norm(expected)
        assert np.allclose(got[turn], expected / size if size else 0.0, atol=1e-6)


def test_the_typical_turn_is_the_donor_nearest_to_the_mean(data):
    corpus, vectors, ladder, folds = data
    for runs in folds:
        donors = ladder.donors_of(runs, "assistant")
        mean = vectors[corpus.text[donors]].astype(float).mean(0)
        likeness = vectors[corpus.text[donors]].astype(float) @ mean
        for turn, value in zip(
            ladder.turns_of(runs, "assistant"), ladder.typical(runs, "assistant"), strict=True
        ):
            other = corpus.task.codes[corpus.owner[donors]] != corpus.task.codes[corpus.owner[turn]]
            assert value == runs.every[donors[other][np.argmax(likeness[other])]]
