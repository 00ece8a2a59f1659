"""Canonical JSON and digests: the one way in which a value becomes text here."""

from __future__ import annotations

import hashlib
import json
import re

import msgspec

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
_lenient = json.JSONDecoder(strict=False)
_decode = msgspec.json.Decoder().decode
_encode_quickly = msgspec.json.Encoder(order="sorted").encode
# The two writers differ in how they print floats (1e-7 and 1e-07), so the quick one is left to what has none.
_MAYBE_FLOAT = re.compile(r"\d[.eE]").search


def canonical(value: object) -> str:
    """JSON with sorted keys, no blanks and text as it is.

    Args:
        value: what a JSON reader returned.

    Returns:
        The text; ``"[unprintable value]"`` for nesting or numbers beyond what can be written.
    """
    try:
        return _encode(value)
    except (RecursionError, ValueError):
        return "[unprintable value]"


def canonical_text(text: str) -> str:
    """Canonical JSON of JSON text, as `canonical` would write it.

    Args:
        text: any.

    Returns:
        The canonical form.

    Raises:
        ValueError: the text is not JSON, or it is JSON of a text (which may be JSON once more).
    """
    try:
        value = _decode(text)
        if type(value) is dict and _MAYBE_FLOAT(text) is None:
            return _encode_quickly(value).decode()
    except (msgspec.DecodeError, ValueError, RecursionError, OverflowError):
        value = parse(text)
    if isinstance(value, str):
        raise ValueError("a text")
    return canonical(value)


def parse(text: str) -> object:
    """Read JSON text, also such with control characters and lone surrogates.

    Raises:
        ValueError: the text is not JSON, or nested too deep.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    try:
        value, end = _lenient.raw_decode(text.strip())
    except RecursionError:
        raise ValueError("nested too deep") from None
    if end != len(text.strip()):
        raise ValueError("more than one JSON value")
    return value


def digest(text: str) -> str:
    """Sixteen hexadecimal digits that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
