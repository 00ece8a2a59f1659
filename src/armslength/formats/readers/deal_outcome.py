"""Whether two selections of Deal or No Deal make a deal, and what one is worth.

A selection is a text: so many of each item, or why nothing was taken (``no agreement``, ``disconnect``).

Tests: ``tests/formats/readers/test_deal_or_no_deal.py``, ``tests/recompute/test_deal_points.py``.
Reference: ``docs/reference/formats/deal_or_no_deal.md``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

#: The items in the order of the numbers.
ITEMS: Final = ("book", "hat", "ball")
_TAKEN: Final = re.compile(r"item0=(\d{1,4}) item1=(\d{1,4}) item2=(\d{1,4})", re.ASCII)


def taken(choice: str | None) -> tuple[int, ...] | None:
    """How many of each item a selection takes; None if it takes none of any."""
    match = _TAKEN.fullmatch(choice) if choice is not None else None
    return tuple(map(int, match.groups())) if match else None


def worth(numbers: Sequence[int], values: Sequence[int]) -> int:
    """What so many of each item are worth to whom they have these values."""
    return sum(number * value for number, value in zip(numbers, values, strict=True))


def is_deal(choice: str | None, other: str | None, counts: Sequence[int]) -> bool | None:
    """Whether both sides take numbers of items that add up to what there is.

    Args:
        choice: one side's selection; None if it is unknown.
        other: the other side's, likewise.
        counts: how many there are of each item.

    Returns:
        None where a selection that decides is unknown.
    """
    mine, theirs = taken(choice), taken(other)
    if mine is not None and theirs is not None:
        return all(a + b == count for a, b, count in zip(mine, theirs, counts, strict=True))
    return None if choice is None or (mine is not None and other is None) else False
