"""What recomputes an outcome, and what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from armslength.records import Trajectory

from .environment import Environment
from .execute import Executed
from .results import Unequal
from .state import Difference


class Fits(NamedTuple):
    """Which other tasks a run fits that is not of the task it names.

    Attributes:
        users: the tasks whose user occurs in the conversation.
        states: the tasks whose expected state the calls reach; None where that cannot be said.
        reason: why it cannot.
    """

    users: tuple[str, ...]
    states: tuple[str, ...] | None
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recomputed:
    """The outcome of a run by its visible actions and its task: of grade A.

    Attributes:
        success: whether the task was achieved; None where that cannot be recomputed.
        reason: why it cannot.
        differences: what the run did not reach: places of the final state, what was not said, an end that is missing.
        calls: how many calls were executed, by what became of them, and how many recorded results were compared.
        unequal: the recorded results that are not those of the recomputed state.
        notes: what a reader of the verdict should know.
        points: what the run is worth by the rules of a task that counts points; None where it counts none.
        fits: which other tasks the run fits, where it is not of the task that it names.
    """

    success: bool | None
    reason: str | None = None
    differences: tuple[Difference, ...] = ()
    calls: Counter[str] = field(default_factory=Counter)
    unequal: tuple[Unequal, ...] = ()
    notes: tuple[str, ...] = ()
    points: float | None = None
    fits: Fits | None = None


class Recomputer(Protocol):
    """Recomputes the outcomes of one kind of runs."""

    @property
    def name(self) -> str:
        """The name that reports print."""
        ...

    def handles(self, trajectory: Trajectory) -> bool:
        """Whether the run is of this kind."""
        ...

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The outcome by the run's visible actions; recorded results and rewards are not read for it.

        Raises:
            Unavailable: it cannot be recomputed; the message says why.
        """
        ...


def is_of(trajectory: Trajectory, format_name: str) -> bool:
    """Whether the reader of this name read the run."""
    return trajectory.origin is not None and trajectory.origin.format == format_name


def verdict(differences: Sequence[Difference], executed: Executed, notes: Sequence[str] = ()) -> Recomputed:
    """A success where nothing differs from what was expected, else a failure.

    A note names tools that the record's environment answers and ours does not have: they may have changed its state.
    """
    foreign = ", ".join(executed.foreign)
    if foreign:
        notes = (*notes, f"answered by the record's environment alone: {foreign}")
    return Recomputed(
        success=not differences,
        differences=tuple(differences),
        calls=executed.calls,
        unequal=executed.unequal,
        notes=tuple(notes),
    )
