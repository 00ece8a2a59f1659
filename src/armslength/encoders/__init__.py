"""Text → integer unit vectors."""

from .protocol import UNIT, Encoder, Vectors
from .static_table import StaticTable
from .wordpieces import WordPieces, split_words

__all__ = ["UNIT", "Encoder", "StaticTable", "Vectors", "WordPieces", "split_words"]
