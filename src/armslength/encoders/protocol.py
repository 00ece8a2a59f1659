"""What an encoder is: text → integer vectors of length one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.int16]

#: The integer that stands for 1.0: vectors are unit vectors times this, rounded.
UNIT = 32767


class Encoder(Protocol):
    """A frozen encoder: nothing about it depends on the data that it encodes."""

    name: str
    dimensions: int

    @property
    def digest(self) -> str:
        """SHA-256 of everything that decides the vectors."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length `UNIT` up to rounding, or zero for a text without content; shape (n, dimensions)."""
        ...
