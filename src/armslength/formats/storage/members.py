"""The members of a JSON object that is a whole file: where they stand, and keys that stand twice.

A decoder keeps the last member of a key and says nothing of the others, be they all the runs of a file.

Tests: ``tests/formats/storage/test_rows.py``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

import msgspec

from ..findings import Findings

_BLANK: Final = re.compile(r"[ \t\r\n,]*")
_RAW_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _harmless(_: str) -> int:
    return 0


#: Reads a value at a position for its extent alone: numbers are not converted, so long digits are no obstacle.
scan: Final = json.JSONDecoder(
    strict=False, parse_int=_harmless, parse_float=_harmless, parse_constant=_harmless
).raw_decode


def skip(text: str, position: int) -> int:
    """The position after blanks and commas."""
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position


def is_all(data: bytes, members: Collection[tuple[str, msgspec.Raw]]) -> bool:
    """Whether members make up the whole object: a decoder keeps only the last of those with one key.

    Blanks do not count, and are left out of texts, too, on both sides.
    """

    def size(part: bytes) -> int:
        return len(part.translate(None, b" \t\r\n"))

    inner = sum(size(key.encode("utf-8", "surrogatepass")) + size(bytes(raw)) + 4 for key, raw in members)
    return size(data) == inner + 1 + (not members)


def find_members(text: str) -> Iterator[tuple[str, int]]:
    """Keys of an object, each with the position of its value, up to the object's end or its tear."""
    position = skip(text, 0) + 1
    try:
        while text[skip(text, position)] != "}":
            key, position = scan(text, skip(text, position))
            position = skip(text, position)
            if not isinstance(key, str) or text[position] != ":":
                return
            position = skip(text, position + 1)
            yield key, position
            _, position = scan(text, position)
    except (ValueError, RecursionError, IndexError):
        return


def report_repeated_members(data: bytes, keys: Collection[str], at: str, findings: Findings) -> None:
    """Look for members of a file's object that stand twice, torn or not.

    Args:
        data: the file.
        keys: whose members must not be hidden by a second one.
        at: what findings call the file.
        findings: where repeated keys are recorded (DUPLICATE_KEY).
    """
    if all(data.count(f'"{key}"'.encode()) < 2 for key in keys):
        return
    try:
        if is_all(data, _RAW_OBJECT.decode(data).items()):
            return
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    counts = Counter(key for key, _ in find_members(data.decode("utf-8", "replace")))
    for key in keys:
        if counts[key] > 1:
            findings.add("DUPLICATE_KEY", at, found=key, expected="each key once; the last one was taken")
