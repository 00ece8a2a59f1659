"""Probes of a black-box reward: what its number answers to, and whether it is a number at all (method 1.18).

Each probe asks for the reward of whole runs, terminals dropped, as a trainer would pay it, and again after one edit.
Before the edits the same runs are asked twice, and in another order and other batches: a reward that differs there
differs by itself.

Tests: ``tests/attacks/test_probes.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from armslength.records import Corpus, Trajectory

from .answers import Answer, Failure
from .black_box import Reward, visible
from .edits import EDITS

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: At most so many runs are probed.
PROBED: Final = 200

#: Completions a call where the order is another one: a size that shares no batch with the usual one.
OTHER_BATCH: Final = 7

AGAIN: Final = "asked again"
OTHER_ORDER: Final = "asked in another order"

#: Probes that change nothing: any move is the reward's own.
REPEATS: Final = {
    AGAIN: "nothing changes and it is asked again",
    OTHER_ORDER: "nothing changes, in another order and other batches",
}

#: Calls a probed run takes: once as it is, once for each repeat and each edit.
CALLS_PER_RUN: Final = 1 + len(REPEATS) + len(EDITS)


class Probed(NamedTuple):
    """What one probe found.

    Attributes:
        name: of the edit or repeat.
        rows: shape (m,), runs that it changed and whose reward was measured on both sides, as rows of the corpus.
        change: shape (m,), reward after minus reward before.
        unchanged: runs in which the edit found nothing to change.
        unmeasured: runs whose reward was unmeasured on either side.
    """

    name: str
    rows: Ints
    change: Floats
    unchanged: int
    unmeasured: int


class Probes(NamedTuple):
    """All probes, and the unit of their moves.

    Attributes:
        spread: standard deviation of the reward over the probed runs as they are; 0 where it is the same for all.
        found: one a probe; none where no call was left.
    """

    spread: float
    found: list[Probed]

    @property
    def steady(self) -> bool:
        """Whether the same runs got the same numbers every time they were asked."""
        repeats = [probed for probed in self.found if probed.name in REPEATS]
        return all(not probed.change.any() and not probed.unmeasured for probed in repeats)


def probe(corpus: Corpus, reward: Reward, rows: Ints, *, calls: int, seed: int) -> Probes:
    """Ask for the reward of runs as they are and under every edit.

    Args:
        corpus: the trajectories.
        reward: the black box.
        rows: runs whose reward is known.
        calls: how many calls this may take.
        seed: of the runs that are probed and of those that lend them turns.
    """
    rng = np.random.default_rng([seed, 4])
    size = min(PROBED, calls // CALLS_PER_RUN, len(rows))
    if not size:
        return Probes(0.0, [])
    chosen = np.sort(rng.permutation(rows)[:size])
    runs = [visible(corpus.trajectories[row]) for row in chosen]
    before = _values(reward.ask(runs))
    again = _values(reward.ask(runs))
    turned = _values(reward.ask(runs[::-1], batch=OTHER_BATCH))[::-1]
    found = [_probed(AGAIN, chosen, again - before), _probed(OTHER_ORDER, chosen, turned - before)]
    lenders = _lenders(corpus, chosen, rng)
    for name, edit in EDITS.items():
        edited = [edit.change(run, lender) for run, lender in zip(runs, lenders, strict=True)]
        moved = np.array([made is not run for made, run in zip(edited, runs, strict=True)], dtype=bool)
        if reward.left < 2 * len(runs):
            break  # a batch that raises is asked again one by one: a probe is whole or is not made
        after = _values(reward.ask([made for made, other in zip(edited, moved, strict=True) if other]))
        found.append(_probed(name, chosen[moved], after - before[moved], unchanged=int((~moved).sum())))
    known = before[~np.isnan(before)]
    return Probes(float(known.std()) if len(known) else 0.0, found)


def _probed(name: str, rows: Ints, change: Floats, *, unchanged: int = 0) -> Probed:
    known = ~np.isnan(change)
    return Probed(name, rows[known], change[known], unchanged, int((~known).sum()))


def _values(answers: Sequence[Answer]) -> Floats:
    return np.array([np.nan if isinstance(a, Failure) else a for a in answers], dtype=np.float64)


def _lenders(corpus: Corpus, rows: Ints, rng: np.random.Generator) -> list[Trajectory]:
    """For each run a random one of another task; the run itself where there is none."""
    task = corpus.task.codes
    lenders = []
    for row in rows:
        others = np.flatnonzero(task != task[row])
        lenders.append(visible(corpus.trajectories[rng.choice(others) if len(others) else row]))
    return lenders
