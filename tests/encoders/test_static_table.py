"""The static table: expected vectors, the same bits alone and in a batch, the integer grid."""

import hashlib
import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from armslength.encoders import UNIT, StaticTable, WordPieces

SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", "../shared"))
EXPECTED = SHARED / "encoder" / "expected.json"
ENCODER = StaticTable()
TEXTS = [
    "",
    "order",
    "Where is my order #W2378156?",
    "sold " * 300,
    "   \t\n",
    "\x00\u200b",
    "日本語 text",
    "…!?",
]
needs_expected = pytest.mark.skipif(
    not EXPECTED.exists() and os.environ.get("CI") != "true", reason="the expected vectors are not here"
)


@pytest.fixture(scope="module")
def expected():
    return json.loads(EXPECTED.read_text(encoding="utf-8"))


@needs_expected
def test_expected_rows(expected):
    """The five texts give the pieces of the reference reader."""
    assert [ENCODER.rows(text) for text in expected["texts"]] == expected["token_ids"]


@needs_expected
def test_expected_vectors_to_the_bit(expected):
    """The five vectors are those of the reference reader, every bit of every float."""
    vectors = ENCODER.unit(expected["texts"])
    assert vectors[:, :8].tolist() == expected["first8"]
    digests = [hashlib.sha256(vector.astype("<f8").tobytes()).hexdigest() for vector in vectors]
    assert digests == expected["sha256_of_float64_bytes"]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_text_alone_and_in_a_batch_is_the_same_to_the_bit(threads):
    """Neighbours, order and threads change no bit."""
    with threadpool_limits(threads):
        batch = ENCODER.unit(TEXTS[::-1])[::-1]
        for text, together in zip(TEXTS, batch, strict=True):
            assert ENCODER.unit([text])[0].tobytes() == together.tobytes()
            assert ENCODER.encode([text])[0].tolist() == np.rint(together * UNIT).astype(int).tolist()


def test_a_batch_larger_than_a_chunk(monkeypatch):
    """Where a batch is cut changes nothing."""
    whole = ENCODER.encode(TEXTS)
    monkeypatch.setattr("armslength.encoders.static_table._CHUNK", 3)
    assert ENCODER.encode(TEXTS).tobytes() == whole.tobytes()


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00\x01", "\u200b", "a" * 101])
def test_a_text_without_content_is_zero(text):
    """No piece, no vector."""
    assert not ENCODER.unit([text]).any()
    assert not ENCODER.encode([text]).any()


def test_nothing_gives_no_vector():
    """An empty list of texts has a vector array of no rows."""
    assert ENCODER.encode([]).shape == (0, 256)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=5))
def test_vectors_lie_on_the_integer_grid_and_have_length_one(texts):
    """Every cell fits 16 bits and lies within half a unit of the unit vector; so does the length."""
    exact, grid = ENCODER.unit(texts), ENCODER.encode(texts)
    assert grid.dtype == np.int16
    assert (np.abs(grid - exact * UNIT) <= 0.5).all()
    for text, vector in zip(texts, grid.astype(np.int64), strict=True):
        length = math.sqrt(int((vector * vector).sum()))
        assert (abs(length - UNIT) <= 8) if ENCODER.rows(text) else length == 0


def test_the_grid_is_symmetric():
    """One unit stands for 1.0 in both directions and fits 16 bits."""
    assert (np.iinfo(np.int16).max, np.iinfo(np.int16).min + 1) == (UNIT, -UNIT)


def test_the_digest_names_the_vectors():
    """The same table has the same digest, and it is a SHA-256."""
    assert ENCODER.digest == StaticTable().digest
    assert len(bytes.fromhex(ENCODER.digest)) == 32


def test_the_digest_covers_the_vocabulary(monkeypatch):
    """Another order of the pieces is another encoder."""
    monkeypatch.setattr(
        "armslength.encoders.static_table.WordPieces", lambda pieces: WordPieces(list(reversed(pieces)))
    )
    other = StaticTable()
    assert other.encode(["order"]).tolist() != ENCODER.encode(["order"]).tolist()
    assert other.digest != ENCODER.digest
