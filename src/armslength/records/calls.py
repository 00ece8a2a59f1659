"""Calls of the policy with the results that came back, as indices into a corpus.

Tests: ``tests/records/test_calls.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .corpus import Corpus
from .turn import Trajectory

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Calls:
    """Calls that the policy made and the world answered.

    Attributes:
        call: shape (m,), global index of the turn that called.
        result: shape (m,), global index of the turn that answered.
        owner: shape (m,), row of the trajectory.
        tool: shape (m,), code of the tool.
        names: of the tools.
    """

    call: Ints
    result: Ints
    owner: Ints
    tool: Ints
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.call)

    def where(self, kept: npt.NDArray[np.bool_]) -> Calls:
        """Only the calls that are kept."""
        call, result, owner, tool = (part[kept] for part in (self.call, self.result, self.owner, self.tool))
        return Calls(call, result, owner, tool, self.names)


def find_calls(corpus: Corpus) -> Calls:
    """Pair each result that the world wrote with the policy's call: by identifier, else the last open one of its tool.

    Results without a call of the policy, and calls without a result, are left out.
    """
    found = [
        (start + call, start + result, row, name)
        for row, (trajectory, start) in enumerate(zip(corpus.trajectories, corpus.offsets, strict=False))
        for call, result, name in _pairs(trajectory)
    ]
    names = sorted({name for *_, name in found})
    code = {name: index for index, name in enumerate(names)}
    table = np.array([(*at, code[name]) for *at, name in found], dtype=np.int64).reshape(-1, 4)
    call, result, owner, tool = table.T
    return Calls(call, result, owner, tool, tuple(names))


def _pairs(trajectory: Trajectory) -> Iterator[tuple[int, int, str]]:
    """Positions among the turns that are no terminal, and the tool's name."""
    by_id: dict[str, int] = {}
    by_name: dict[str, list[int]] = {}
    answered: set[int] = set()
    turns = [turn for turn in trajectory.turns if turn.role != "terminal"]
    for index, turn in enumerate(turns):
        name = turn.name or ""
        if turn.role == "tool_call" and turn.writer == "policy":
            by_name.setdefault(name, []).append(index)
            if turn.call_id is not None:
                by_id[turn.call_id] = index
        elif turn.role == "tool_result" and turn.writer == "world":
            call = by_id.get(turn.call_id) if turn.call_id is not None else None
            same = by_name.get(name, []) if call is None else []
            while call is None and same:
                last = same.pop()
                call = last if last not in answered else None
            if call is not None and call not in answered:
                answered.add(call)
                yield call, index, turns[call].name or ""
