"""Words that tell the outcome only at the very end: what a harness prints when it stops (method 1.17).

Tests: ``tests/audit/test_end_markers.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple

import numpy as np

from armslength.records import Corpus

from .model import Control, Estimate
from .resamples import Floats, Resamples

#: The last so many turns of a run are its end.
LAST: Final = 2

#: Words in fewer runs' ends than this are not looked at.
MIN_RUNS: Final = 20

#: A marker tells the outcome at the end by at least so many standard errors, and earlier by at most so many.
STRONG: Final = 5.0
WEAK: Final = 2.0

#: The control fails if the presence of one word alone has an AUC whose interval lies above this.
TELLING: Final = 0.70

#: So many are listed.
LISTED: Final = 10

_WORD: Final = re.compile(r"[^\W_]+")


class _Found(NamedTuple):
    word: str
    at_end: Estimate
    runs: int
    strength: float


def end_markers(resamples: Resamples) -> Control:
    """Search for words that predict the outcome in the last turns and not in the turns just before.

    Args:
        resamples: of the measured trajectories.

    Returns:
        A control that fails if one such word alone tells much. Its detail lists the strongest with the AUC of their
        presence.
    """
    corpus = resamples.corpus
    at_end, before = _words(corpus)
    total = Counter(word for words in at_end for word in words)
    candidates = sorted(word for word, runs in total.items() if runs >= MIN_RUNS)
    column = {word: index for index, word in enumerate(candidates)}
    strong, weak = (_strength(_presence(words, column), len(column), corpus) for words in (at_end, before))
    marked = [word for word, j in column.items() if abs(strong[j]) >= STRONG and abs(weak[j]) <= WEAK]
    marked.sort(key=lambda word: -abs(strong[column[word]]))
    found = [_measure(resamples, word, at_end, float(strong[column[word]])) for word in marked[:LISTED]]
    where = f"the last {LAST} turns"
    if not found:
        detail = f"none of {len(candidates):,} words tells the outcome in {where} alone"
        return Control("end markers", True, None, detail)
    listed = ", ".join(f"{f.word} ({f.runs} runs, AUC {f.at_end.text()})" for f in found)
    detail = f"{len(marked)} of {len(candidates):,} words tell the outcome in {where} and not just before: {listed}"
    telling = any(f.at_end.low is not None and f.at_end.low > TELLING for f in found)
    return Control("end markers", not telling, found[0].at_end, detail)


def _words(corpus: Corpus) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """The words of each run's last turns, and of as many before them: there a word is as likely to stand."""
    of_text = [frozenset(_WORD.findall(text.lower())) for text in corpus.texts]
    ends, before = [], []
    for start, stop in zip(corpus.offsets[:-1], corpus.offsets[1:], strict=True):
        texts = corpus.text[start:stop]
        ends.append(frozenset[str]().union(*(of_text[text] for text in texts[-LAST:])))
        before.append(frozenset[str]().union(*(of_text[text] for text in texts[-2 * LAST : -LAST])))
    return ends, before


def _presence(words: list[frozenset[str]], column: dict[str, int]) -> list[list[int]]:
    """The columns of the words that each run holds."""
    return [[column[word] for word in found if word in column] for found in words]


def _strength(present: list[list[int]], size: int, corpus: Corpus) -> Floats:
    """How far the share of failures with a word lies from that of successes, in standard errors; shape (words,)."""
    with_word = np.zeros((2, size))
    for row, failed in zip(present, corpus.failed, strict=True):
        with_word[failed, row] += 1
    sizes = np.bincount(corpus.failed, minlength=2)[:, None]
    share = with_word / np.maximum(sizes, 1)
    pooled = with_word.sum(0) / max(int(sizes.sum()), 1)
    error = np.sqrt(pooled * (1 - pooled) * (1 / np.maximum(sizes, 1)).sum())
    strength: Floats = np.divide(share[1] - share[0], error, out=np.zeros(size), where=error > 0)
    return strength


def _measure(resamples: Resamples, word: str, at_end: list[frozenset[str]], strength: float) -> _Found:
    corpus = resamples.corpus
    there = np.array([word in words for words in at_end])
    score = np.where(there, 1.0, 0.0) * (1.0 if strength > 0 else -1.0)
    one_fold = np.zeros(len(corpus), dtype=np.int64)  # nothing was fitted: all runs can be compared
    estimate = resamples.pooled(resamples.concordance_of([(score, one_fold)]).pooled)
    return _Found(word, estimate, int(there.sum()), strength)
