"""Few turns: how an adversary silences a running alert with the fewest replaced turns (method 1.7).

A replaced turn lowers every decision point after it, in proportion to how much lower the donor's value is. So from the
first point that still alerts, the turn before it that lowers it most is the one to take. On one role this needs the
fewest turns that can do it (exchange argument, and brute force in the tests); on two it is a good choice, no bound.

Tests: ``tests/attacks/test_few_turns.py``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from armslength.records import Role
from armslength.scoring import Totals, score_totals, totals

from .runs import AttackedRuns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def replace_few(runs: AttackedRuns, best: Mapping[Role, Ints], budget: int) -> dict[Role, Ints]:
    """Replace at most `budget` turns of each run that alerts, until it does not.

    Args:
        runs: the runs of one fold.
        best: for each role that may be written, the lowest value that each of its turns may take.
        budget: turns that may be replaced in one run.

    Returns:
        For each role the values of its turns, shape (turns of that role,).
    """
    tau, offsets = runs.threshold, runs.corpus.points.offsets
    values = runs.values.copy()
    writable = {role: runs.writable_turns(role) for role in best}
    seen = totals(runs.spans, runs.values)
    owners = {role: runs.corpus.owner[turns] for role, turns in writable.items()}
    for row in np.flatnonzero(np.maximum.reduceat(runs.before, offsets[:-1]) > tau):
        points = slice(offsets[row], offsets[row + 1])
        run = _Run(runs, Totals(*(tuple(part[points].copy() for part in parts) for parts in seen)), points)
        for role, turns in writable.items():
            mine = owners[role] == row
            run.offer(role, turns[mine], best[role][mine] - runs.values[turns[mine]])
        for turn, change in run.cheapest(tau, budget):
            values[turn] += change
    return {role: values[turns] for role, turns in writable.items()}


class _Run:
    """One run: its sums, and the turns that may be replaced."""

    def __init__(self, runs: AttackedRuns, seen: Totals, points: slice) -> None:
        self._head, self._seen, self._end = runs.head, seen, runs.corpus.points.end[points]
        self._turn: list[int] = []
        self._role: list[int] = []
        self._change: list[int] = []

    def offer(self, role: Role, turns: Ints, change: Ints) -> None:
        """Turns of a role with what their best donors would add to their values; only less is of use."""
        for turn, added in zip(turns.tolist(), change.tolist(), strict=True):
            if added < 0:
                self._turn.append(turn)
                self._role.append(self._head.roles.index(role))
                self._change.append(added)

    def cheapest(self, tau: float, budget: int) -> list[tuple[int, int]]:
        """Turns and changes, in the order in which they were taken."""
        turn, role, change = (
            np.array(part, dtype=np.int64) for part in (self._turn, self._role, self._change)
        )
        free = np.ones(len(turn), dtype=bool)
        taken: list[tuple[int, int]] = []
        while len(taken) < budget:
            alerting = np.flatnonzero(score_totals(self._head, self._seen) > tau)
            if not len(alerting):
                break
            point = alerting[0]
            choices = np.flatnonzero(free & (turn < self._end[point]))
            if not len(choices):
                break
            counts = np.array([count[point] for count in self._seen.counts])
            chosen = choices[np.argmin(change[choices] / counts[role[choices]])]
            free[chosen] = False
            self._seen.sums[role[chosen]][self._end > turn[chosen]] += change[chosen]
            taken.append((int(turn[chosen]), int(change[chosen])))
        return taken
