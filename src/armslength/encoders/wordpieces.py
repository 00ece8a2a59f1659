"""Text → word pieces: lower case, no accents, greedy longest match (the vocabulary of BERT base uncased).

Only Python's own Unicode tables decide, so a text can never inject a control piece: a literal ``[SEP]`` is three
plain pieces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_DROPPED = {code: None for code in range(128) if code < 32 and chr(code) not in "\t\n\r"} | {127: None}
_CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF))
_INVISIBLE = frozenset(("Cc", "Cf", "Co", "Cs", "Mn"))
_MAX_WORD = 100  # a longer run without a break is no word of any language


class WordPieces:
    """Splits texts into rows of a vocabulary.

    Args:
        vocabulary: the pieces; ``##`` marks one that goes on inside a word.
        max_pieces: only so many pieces of a text are kept.
    """

    def __init__(self, vocabulary: Sequence[str], *, max_pieces: int = 512) -> None:
        self.vocabulary = tuple(vocabulary)
        self.max_pieces = max_pieces
        self._row = {piece: row for row, piece in enumerate(vocabulary)}
        self._known: dict[str, tuple[int, ...]] = {}

    def rows(self, text: str) -> list[int]:
        """Rows of the pieces of `text`; a word with an unknown piece adds nothing."""
        found: list[int] = []
        known, most = self._known, self.max_pieces
        for word in split_words(text):
            pieces = known.get(word)
            if pieces is None:
                pieces = known[word] = self._pieces(word)
            found += pieces
            if len(found) >= most:
                return found[:most]
        return found

    def _pieces(self, word: str) -> tuple[int, ...]:
        if len(word) > _MAX_WORD:
            return ()
        rows: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                row = self._row.get(prefix + word[start:end])
                if row is not None:
                    rows.append(row)
                    start = end
                    break
            else:
                return ()
        return tuple(rows)


def split_words(text: str) -> list[str]:
    """Lower-cased words and single punctuation marks, without accents and invisible characters."""
    lowered = text.lower()
    if lowered.isascii():
        return _ASCII_WORD.findall(lowered.translate(_ASCII_DROPPED))
    return "".join(map(_visible, unicodedata.normalize("NFD", lowered))).split()


def _visible(character: str) -> str:
    code = ord(character)
    if code < 128:
        if character.isalnum() or character in " \t\n\r":
            return character
        return "" if code in _ASCII_DROPPED else f" {character} "
    category = unicodedata.category(character)
    if code == 0xFFFD or category in _INVISIBLE:
        return ""
    if category == "Zs":
        return " "
    if category[0] == "P" or any(low <= code <= high for low, high in _CJK):
        return f" {character} "
    return character
