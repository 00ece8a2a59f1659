"""When two runs are the same, or nearly so."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from .turn import Turn

_DROPPED = {code: None for code in range(128) if not chr(code).isalnum()}


def turns_digest(turns: Iterable[Turn]) -> bytes:
    """Digest of a sequence of (role, writer, text): equal for runs that are identical turn by turn."""
    hasher = hashlib.blake2b(digest_size=16)
    for turn in turns:
        for part in (turn.role, turn.writer, turn.text):
            data = part.encode("utf-8", "surrogatepass")
            hasher.update(len(data).to_bytes(8, "little"))
            hasher.update(data)
    return hasher.digest()


def near_digest(turns: Iterable[Turn]) -> bytes:
    """Digest of what others than the policy said before the end, with case, blanks and punctuation folded.

    It decides which runs share a group, hence the folds: nothing that the policy wrote may enter, and no terminal,
    which may tell the label. Digits stay: tasks that differ in their numbers alone are different tasks.
    """
    said = (turn for turn in turns if turn.writer != "policy" and turn.role != "terminal")
    folded = "\0".join(f"{turn.role}\0{turn.text.lower().translate(_DROPPED)}" for turn in said)
    return hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).digest()
