"""The second encoder: words weighted by how rare they are, cut to the directions in which texts differ most.

It is fitted on the training fold's texts, each once, and for a restricted head on the evidence alone (method 1.3).

Tests: ``tests/heads/test_tfidf.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from armslength.encoders import UNIT, Vectors
from armslength.geometry import levels, prefix_spans, readable
from armslength.records import Authorship, Corpus

from .readers import FloatReader

Ints = npt.NDArray[np.int64]

#: Directions that are kept.
DIMENSIONS: Final = 128
#: Words that fewer texts hold are left out, and of the others only so many are taken.
_FEWEST, _WORDS = 2, 30_000


@dataclass(frozen=True)
class TfidfReader:
    """Degree 0 of every role that an authorship reads, over vectors that are fitted with the head.

    Attributes:
        corpus: the trajectories.
        authorship: what is read.
        seed: of the decomposition.
    """

    corpus: Corpus
    authorship: Authorship
    seed: int

    @property
    def name(self) -> str:
        """Names the encoder: its figures are no other's."""
        return f"{self.authorship}, TF-IDF"

    def fit(self, rows: Ints) -> FloatReader:
        """Fit the encoder on the texts that these trajectories hold, and read all with it."""
        corpus = self.corpus
        read = np.logical_or.reduce(readable(corpus, self.authorship))
        inside = np.zeros(len(corpus), dtype=bool)
        inside[rows] = True
        own = np.unique(corpus.text[read & inside[corpus.owner]])
        every = np.unique(corpus.text[read])
        vectors = np.zeros((len(corpus.texts), DIMENSIONS), dtype=np.int16)
        vectors[every] = _encoded([corpus.texts[i] for i in own], [corpus.texts[i] for i in every], self.seed)
        spans = prefix_spans(corpus, self.authorship)
        return FloatReader(self.name, levels(vectors, corpus, spans))


def _encoded(known: list[str], texts: list[str], seed: int) -> Vectors:
    """Integer unit vectors of `texts` by an encoder fitted on `known`; zero for a text without a known word."""
    out = np.zeros((len(texts), DIMENSIONS), dtype=np.int16)
    weigh = TfidfVectorizer(min_df=_FEWEST, max_features=_WORDS, sublinear_tf=True, dtype=np.float32)
    try:
        table = weigh.fit_transform(known)
    except ValueError:  # no word occurs in two texts: nothing can be told apart
        return out
    size = min(DIMENSIONS, table.shape[1] - 1, table.shape[0] - 1)
    if size < 1:
        return out
    found = TruncatedSVD(size, random_state=seed).fit(table).transform(weigh.transform(texts))
    length = np.linalg.norm(found, axis=1, keepdims=True)
    # A text without a known word has no direction, whatever rounding leaves of it.
    unit = np.divide(found, length, out=np.zeros_like(found), where=length > 1e-6)
    out[:, :size] = np.rint(unit * UNIT).astype(np.int16)
    return out
