"""Whether the buttons that an agent pressed are those of a flow: exactly these, these in this order, each of them.

Tests: ``tests/formats/readers/test_abcd.py``, ``tests/recompute/test_abcd_flows.py``.
Reference: ``docs/reference/formats/abcd.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Compliance(NamedTuple):
    """What became of a flow.

    Attributes:
        exact: its buttons were pressed and no other ones.
        ordered: they were pressed in its order, whatever else was.
        complete: each of them was pressed.
        unmatched: the places of the flow that no button in its order matches, by a longest common subsequence.
    """

    exact: bool
    ordered: bool
    complete: bool
    unmatched: tuple[int, ...]


def compliance(required: Sequence[str], pressed: Sequence[str]) -> Compliance:
    """Compare pressed buttons with a flow."""
    unmatched = _unmatched(required, pressed)
    return Compliance(
        list(pressed) == list(required), not unmatched, set(required) <= set(pressed), unmatched
    )


def _unmatched(required: Sequence[str], pressed: Sequence[str]) -> tuple[int, ...]:
    """The places of `required` that are in no longest common subsequence that is read from the front."""
    # longest[i][j]: of what follows place i of the flow and place j of the buttons
    longest = [[0] * (len(pressed) + 1) for _ in range(len(required) + 1)]
    for i in range(len(required) - 1, -1, -1):
        for j in range(len(pressed) - 1, -1, -1):
            same = required[i] == pressed[j]
            longest[i][j] = 1 + longest[i + 1][j + 1] if same else max(longest[i + 1][j], longest[i][j + 1])
    i = j = 0
    missing: list[int] = []
    while i < len(required):
        if j < len(pressed) and required[i] == pressed[j]:
            i, j = i + 1, j + 1
        elif j < len(pressed) and longest[i][j + 1] >= longest[i + 1][j]:
            j += 1
        else:
            missing.append(i)
            i += 1
    return tuple(missing)
