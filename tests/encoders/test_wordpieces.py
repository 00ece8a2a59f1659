"""Word pieces: a slow greedy reference against ours, on any text."""

import unicodedata
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.encoders import WordPieces, split_words

VOCABULARY = (
    (files("armslength.encoders") / "static" / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
)
ROW = {piece: row for row, piece in enumerate(VOCABULARY)}
REAL = WordPieces(VOCABULARY)
TINY = WordPieces(["a", "##a", "ab", "##ba", "b", "##b", ".", "c"], max_pieces=6)
IDEOGRAPHS = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2FA1F), (0xF900, 0xFAFF)]

texts = st.one_of(
    st.text(max_size=60),
    st.text(alphabet=st.characters(max_codepoint=0x17F), max_size=60),
    st.lists(
        st.sampled_from(
            ["Order", "ÉTÉ", "naïve", "[SEP]", "日本", "don't", "\t", "\x00", "İ", "ß", "#1", "🙂"]
        )
    ).map(" ".join),
)
thorough = settings(max_examples=500, deadline=None)


def slow_words(text):
    """Words one character at a time, by the written rule."""
    words, open_word = [], ""
    for character in unicodedata.normalize("NFD", text.lower()):
        code, category = ord(character), unicodedata.category(character)
        invisible = code == 0xFFFD or (
            category in {"Cc", "Cf", "Co", "Cs", "Mn"} and character not in "\t\n\r"
        )
        ascii_mark = 33 <= code < 127 and not character.isalnum()
        alone = ascii_mark or (code > 127 and category.startswith("P"))
        alone = alone or any(low <= code <= high for low, high in IDEOGRAPHS)
        if invisible:
            continue
        if character.isspace() or alone:
            words += [open_word] if open_word else []
            words += [character] if alone else []
            open_word = ""
        else:
            open_word += character
    return [*words, open_word] if open_word else words


def slow_rows(words, row, most):
    """The longest piece that fits, again and again; a word that cannot be covered adds nothing."""
    found = []
    for word in words:
        rest, mark, pieces = word, "", []
        while rest:
            fitting = [n for n in range(1, len(rest) + 1) if mark + rest[:n] in row]
            if not fitting:
                pieces = []
                break
            pieces.append(row[mark + rest[: fitting[-1]]])
            rest, mark = rest[fitting[-1] :], "##"
        found += pieces if len(word) <= 100 else []
    return found[:most]


@thorough
@given(texts)
def test_words_equal_a_slow_reference(text):
    """Case, accents, invisible characters, blanks, marks and ideographs, one rule at a time."""
    assert split_words(text) == slow_words(text)


@thorough
@given(texts)
def test_rows_equal_a_slow_reference(text):
    """The real vocabulary gives the same rows as a greedy search of all prefixes."""
    assert REAL.rows(text) == slow_rows(slow_words(text), ROW, 512)


@thorough
@given(st.text(alphabet="abcd. ", max_size=20))
def test_rows_of_a_tiny_vocabulary(text):
    """Greedy choices that lead into a dead end drop the word, and only so many pieces are kept."""
    row = {piece: n for n, piece in enumerate(["a", "##a", "ab", "##ba", "b", "##b", ".", "c"])}
    assert TINY.rows(text) == slow_rows(slow_words(text), row, 6)


@pytest.mark.parametrize("text", ["[SEP]", "[CLS]", "[PAD]", "[UNK]", "[MASK]"])
def test_a_control_piece_cannot_be_written(text):
    """A literal control token is brackets and plain pieces."""
    inner = slow_rows([text[1:-1].lower()], ROW, 512)
    assert REAL.rows(text) == [ROW["["], *inner, ROW["]"]]
    assert text not in ROW


@pytest.mark.parametrize("mark", ["\ufffd", "\u200b", "\u0301", "\x07", "\ue000", "\u00ad"])
def test_invisible_characters_vanish_inside_a_word(mark):
    """A replacement mark, a joiner, an accent or a control joins what stands around it."""
    assert split_words(f"or{mark}der") == ["order"]


def test_a_longest_word():
    """A word of a hundred characters counts; one more and it is no word."""
    assert len(REAL.rows("a" * 100)) > 0
    assert REAL.rows("a" * 101) == []


def test_only_so_many_pieces_are_kept():
    """The first 512 pieces count."""
    assert REAL.rows("order " * 600) == REAL.rows("order") * 512


def test_rows_do_not_depend_on_what_was_read_before():
    """The memory of known words changes nothing."""
    text = "Unfathomable café, order #12!"
    assert REAL.rows(text) == WordPieces(VOCABULARY).rows(text)
