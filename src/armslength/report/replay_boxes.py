"""What a page draws of a chain: boxes, steps, and the end that steps share. Plain data for the templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Box(NamedTuple):
    """One row of a chain.

    Attributes:
        kind: such as ``belief``.
        id: its id, or the reference that leads nowhere.
        figure: its key figure.
        tone: ``good``, ``bad``, or ``gone`` where there is no such row.
        link: whether the link that leads to it is broken.
    """

    kind: str
    id: str
    figure: str
    tone: str
    link: bool = False


class Step(NamedTuple):
    """One step.

    Attributes:
        name: its step id.
        refused: whether anything in its own chain is wrong.
        held: whether it is held back although its own chain is clear.
        boxes: belief, feedback, reward.
        into: the link to its trajectory.
        wrong: (where, why) of what is wrong.
        facts: the public facts of its belief by list; None where there are none to show.
        traps: (name, whether it fell into it) of the seven; none in profile ``reference``.
    """

    name: str
    refused: bool
    held: bool
    boxes: list[Box]
    into: Box
    wrong: list[tuple[str, str]]
    facts: list[tuple[str, list[str]]] | None
    traps: list[tuple[str, bool]]


@dataclass(slots=True)
class Group:
    """Steps that end in one trajectory, and that end."""

    steps: list[Step]
    tail: list[Box]
    wrong: list[tuple[str, str]]


@dataclass(slots=True)
class Episode:
    """One episode with its groups; `left_out` counts its steps that are not drawn."""

    id: str
    task: str
    refused: int
    total: int
    wrong: list[str] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    left_out: int = 0

    @property
    def blocked(self) -> bool:
        """Whether anything is against it or one of its steps."""
        return bool(self.refused or self.wrong)
