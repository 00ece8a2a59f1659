"""The default encoder: a static table of word-piece vectors, 256 dimensions, read with numpy alone.

A text's vector is the sum of its pieces' integer rows times a scale per column, divided by its length. The sum and
the product are exact, so one square root and one division a cell are all that is rounded: the same bits everywhere.
Source of the table: ``encoders/static/NOTICE``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from .protocol import UNIT, Vectors
from .wordpieces import WordPieces

_CHUNK = 1 << 12  # texts whose float vectors are held at once


class StaticTable:
    """The static word-piece table as an encoder.

    Attributes:
        name: what reports call it.
        dimensions: 256.
    """

    name = "static word pieces, 256 dimensions"

    def __init__(self) -> None:
        folder = files("armslength.encoders") / "static"
        with (folder / "table.int8.npy").open("rb") as stream:
            self._table = np.load(stream, allow_pickle=False).astype(np.float32)
        with (folder / "scale.f64.npy").open("rb") as stream:
            self._scale: npt.NDArray[np.float64] = np.load(stream, allow_pickle=False)
        vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self._pieces = WordPieces(vocabulary)
        self.dimensions = self._table.shape[1]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the table, its scale, the vocabulary and how many pieces of a text are kept."""
        pieces = f"{self._pieces.max_pieces}\n{chr(10).join(self._pieces.vocabulary)}".encode()
        return hashlib.sha256(
            self._table.astype(np.int8).tobytes() + self._scale.tobytes() + pieces
        ).hexdigest()

    def rows(self, text: str) -> list[int]:
        """Rows of the table that make up `text`."""
        return self._pieces.rows(text)

    def unit(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Vectors of length one, or zero for a text without content; shape (n, 256)."""
        vectors = self._sums(texts) * self._scale  # exact: integers times multiples of 2**-24
        length = np.sqrt((vectors * vectors).sum(1, keepdims=True))  # pairwise sum, not BLAS
        unit: npt.NDArray[np.float64] = np.divide(
            vectors, length, out=np.zeros_like(vectors), where=length > 0
        )
        return unit

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors on the integer grid of 1/32767; shape (n, 256)."""
        out = np.empty((len(texts), self.dimensions), dtype=np.int16)
        for start in range(0, len(texts), _CHUNK):
            part = texts[start : start + _CHUNK]
            out[start : start + len(part)] = np.rint(self.unit(part) * UNIT)
        return out

    def _sums(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Sums of integer rows: at most 512 × 127, so float32 holds them exactly."""
        sums = np.zeros((len(texts), self.dimensions))
        for index, text in enumerate(texts):
            rows = self.rows(text)
            if rows:
                sums[index] = np.add.reduce(self._table.take(rows, 0), 0)
        return sums
