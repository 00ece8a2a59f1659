"""The fitted encoder: what it learns, it learns from the training rows alone."""

from dataclasses import replace

import numpy as np
import pytest

from armslength.heads import cross_fit, grouped_splits
from armslength.heads.tfidf import TfidfReader
from armslength.records import Corpus, Outcome, Trajectory, Turn

GOOD = ["booked shipped paid", "shipped found paid", "booked found sent"]
BAD = ["refused lost error", "error empty lost", "refused empty broken"]


def corpus_of(changes=None, runs=40, telling=True):
    """A user's words and a result tell the outcome; `changes` replaces what one run says."""
    made = []
    for i in range(runs):
        success = i % 2 == 0
        words = (GOOD if success or not telling else BAD)[i % 3]
        said = (changes or {}).get(i, words)
        turns = (
            Turn("user", "user", said, 0),
            Turn("assistant", "policy", f"policy word{i} word{i % 5}", 1),
            Turn("tool_result", "world", f"{said} result number{i}", 2),
        )
        made.append(Trajectory(str(i), f"t{i}", f"t{i}", "p", turns, Outcome(success, "x", "A")))
    return Corpus.build(made)


def fit(corpus, authorship="strict"):
    splits = grouped_splits(corpus.group.codes, seed=3)
    return cross_fit(TfidfReader(corpus, authorship, 0), corpus, splits, alpha=0.1, threads=1), splits


def test_it_finds_words_that_tell():
    scores, _ = fit(corpus_of())
    corpus = corpus_of()
    ends = scores.z[corpus.points.offsets[1:] - 1]
    for fold in range(5):  # folds have intercepts of their own
        mine = scores.fold == fold
        assert ends[mine & (corpus.failed == 1)].min() > ends[mine & (corpus.failed == 0)].max()


def test_noise_in_test_rows_moves_nothing_that_was_fitted():
    """Other words in one test run: all other runs of its fold keep their scores to the bit, and so does τ."""
    corpus = corpus_of()
    plain, splits = fit(corpus)
    changed = int(splits[0].test[0])
    noisy, _ = fit(corpus_of({changed: "shipped lost zebra quagga"}))
    same = np.isin(corpus.points.trajectory, splits[0].test[1:])
    assert noisy.z[same].tobytes() == plain.z[same].tobytes()
    assert noisy.fits[0].threshold == plain.fits[0].threshold
    other = np.isin(corpus.points.trajectory, splits[1].test)
    assert noisy.z[other].tobytes() != plain.z[other].tobytes()


def test_a_restricted_encoder_learns_no_word_of_the_policy():
    plain, _ = fit(corpus_of())
    corpus = corpus_of()
    texts = tuple(text.replace("policy", "zebra quagga") for text in corpus.texts)
    changed, _ = fit(replace(corpus, texts=texts))
    assert changed.z.tobytes() == plain.z.tobytes()


@pytest.mark.parametrize("said", ["x", "", "only{i} once{i}"])
def test_texts_without_common_words_are_no_error(said):
    corpus = corpus_of({i: said.format(i=i) for i in range(40)})
    scores, _ = fit(corpus)
    assert np.isfinite(scores.z).all()
