"""Corpus: all measured trajectories as arrays, with terminals dropped in this one place.

The arrays run over all turns of all trajectories (struct of arrays); `offsets` marks where each trajectory begins.
Formats only mark terminals; `Corpus.build` drops them. The leak figure is the same call with ``keep_terminal=True``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .authorship import EVIDENCE_WRITERS, ROLES, WRITERS
from .identity import near_digest, turns_digest
from .points import DecisionPoints, find_points, ranges
from .turn import Trajectory, Turn

Ints = npt.NDArray[np.int64]

ROLE_CODE = {role: code for code, role in enumerate(ROLES)}
WRITER_CODE = {writer: code for code, writer in enumerate(WRITERS)}


class Duplicate(NamedTuple):
    """A trajectory that was left out because an identical one was read before it."""

    at: str
    same_as: str


class Excluded(NamedTuple):
    """What `Corpus.build` left out: how many by reason, and the duplicates one by one."""

    reasons: dict[str, int]
    duplicates: tuple[Duplicate, ...]


class Factor(NamedTuple):
    """A categorical column: integer codes and the names they stand for."""

    codes: Ints
    names: tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """Measured trajectories as arrays.

    Attributes:
        trajectories: the n trajectories, for examples and drill-down.
        failed: shape (n,), 1 where the run failed.
        task, group, policy, stratum: shape (n,) each, as codes and names. Near-identical runs share a group.
        offsets: shape (n + 1,), first turn of each trajectory in the turn arrays.
        role, writer: shape (turns,), codes into `ROLES` and `WRITERS`.
        error: shape (turns,), 1 an error, 0 none, -1 unmeasured or not a tool result.
        text: shape (turns,), index into `texts`.
        texts: the distinct texts.
        points: the scored decision points.
        excluded: what was left out and why.
    """

    trajectories: tuple[Trajectory, ...]
    failed: Ints
    task: Factor
    group: Factor
    policy: Factor
    stratum: Factor
    offsets: Ints
    role: npt.NDArray[np.int8]
    writer: npt.NDArray[np.int8]
    error: npt.NDArray[np.int8]
    text: Ints
    texts: tuple[str, ...]
    points: DecisionPoints
    excluded: Excluded

    def __len__(self) -> int:
        return len(self.trajectories)

    @property
    def turns(self) -> int:
        """Number of turns."""
        return len(self.role)

    @property
    def owner(self) -> Ints:
        """Row of the trajectory that each turn belongs to, shape (turns,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def count_in_prefix(self, flags: npt.NDArray[np.bool_]) -> Ints:
        """How many flagged turns the prefix of each decision point holds; `flags` of shape (turns,)."""
        before = np.concatenate([[0], np.cumsum(flags)])
        counted: Ints = before[self.points.end] - before[self.offsets[self.points.trajectory]]
        return counted

    @classmethod
    def build(cls, trajectories: Iterable[Trajectory], *, keep_terminal: bool = False) -> Corpus:
        """Make the arrays.

        Args:
            trajectories: in any order; each is read once.
            keep_terminal: leave terminal turns in. Only the leak figure does so.

        Returns:
            The measured trajectories. Trajectories that were excluded by their format, that have no outcome, that
            repeat an earlier one turn by turn, or that have no scored decision point are counted in `excluded`.
        """
        kept: list[Trajectory] = []
        reasons: Counter[str] = Counter()
        duplicates: list[Duplicate] = []
        seen: dict[bytes, str] = {}
        for trajectory in trajectories:
            reason = _why_unmeasured(trajectory)
            if reason is None:
                # The same turns with another outcome are no repeat: the label, not the record, is in doubt.
                digest = turns_digest(trajectory.turns) + bytes([_success(trajectory)])
                if digest in seen:
                    duplicates.append(Duplicate(_place(trajectory), seen[digest]))
                    reason = "duplicate"
                else:
                    seen[digest] = _place(trajectory)
            if reason is None:
                kept.append(trajectory)
            else:
                reasons[reason] += 1
        columns, points = _grid(kept, keep_terminal=keep_terminal)
        scored = np.flatnonzero(np.diff(points.offsets) > 0)
        if len(scored) < len(kept):
            reasons["no decision point"] += len(kept) - len(scored)
            kept = [kept[row] for row in scored]
            columns, points = _grid(kept, keep_terminal=keep_terminal)
        return cls(
            trajectories=tuple(kept),
            failed=np.array([int(not _success(t)) for t in kept], dtype=np.int64),
            task=_factor([t.task for t in kept]),
            group=_factor(_share_groups(kept)),
            policy=_factor([t.policy for t in kept]),
            stratum=_factor([(t.outcome.stratum if t.outcome else None) or "" for t in kept]),
            offsets=columns.offsets,
            role=columns.role,
            writer=columns.writer,
            error=columns.error,
            text=columns.text,
            texts=columns.texts,
            points=points,
            excluded=Excluded({k: v for k, v in sorted(reasons.items()) if v}, tuple(duplicates)),
        )

    def take(self, rows: Ints) -> Corpus:
        """The corpus of these trajectories, in this order; `texts` and the names of factors stay as they are."""
        lengths = np.diff(self.offsets)[rows]
        turns = ranges(self.offsets[rows], lengths)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return replace(
            self,
            trajectories=tuple(self.trajectories[i] for i in rows),
            failed=self.failed[rows],
            task=Factor(self.task.codes[rows], self.task.names),
            group=Factor(self.group.codes[rows], self.group.names),
            policy=Factor(self.policy.codes[rows], self.policy.names),
            stratum=Factor(self.stratum.codes[rows], self.stratum.names),
            offsets=offsets,
            role=self.role[turns],
            writer=self.writer[turns],
            error=self.error[turns],
            text=self.text[turns],
            points=self.points.take(rows, self.offsets, offsets),
        )


class _Columns(NamedTuple):
    offsets: Ints
    role: npt.NDArray[np.int8]
    writer: npt.NDArray[np.int8]
    error: npt.NDArray[np.int8]
    text: Ints
    texts: tuple[str, ...]
    after_policy: npt.NDArray[np.bool_]  # a terminal that the policy wrote was dropped just before this turn


def _grid(trajectories: Sequence[Trajectory], *, keep_terminal: bool) -> tuple[_Columns, DecisionPoints]:
    columns = _columns(trajectories, keep_terminal=keep_terminal)
    evidence = np.isin(columns.writer, [WRITER_CODE[w] for w in EVIDENCE_WRITERS])
    # A third party's words inside a result do not cut the world's run in two.
    spoken = evidence | np.isin(columns.writer, [WRITER_CODE["task"], WRITER_CODE["third_party"]])
    return columns, find_points(columns.offsets, spoken, evidence, columns.after_policy)


def _columns(trajectories: Sequence[Trajectory], *, keep_terminal: bool) -> _Columns:
    index: dict[str, int] = {}
    offsets = [0]
    roles: list[int] = []
    writers: list[int] = []
    errors: list[int] = []
    texts: list[int] = []
    after_policy: list[bool] = []
    for trajectory in trajectories:
        broken = False
        for turn in trajectory.turns:
            if turn.role == "terminal" and not keep_terminal:
                broken |= turn.writer in ("policy", "unknown")
                continue
            after_policy.append(broken)
            broken = False
            roles.append(ROLE_CODE[turn.role])
            writers.append(WRITER_CODE[turn.writer])
            errors.append(_error_code(turn))
            texts.append(index.setdefault(turn.text, len(index)))
        offsets.append(len(roles))
    return _Columns(
        np.array(offsets, dtype=np.int64),
        np.array(roles, dtype=np.int8),
        np.array(writers, dtype=np.int8),
        np.array(errors, dtype=np.int8),
        np.array(texts, dtype=np.int64),
        tuple(index),
        np.array(after_policy, dtype=bool),
    )


def _error_code(turn: Turn) -> int:
    return -1 if turn.error is None or turn.role != "tool_result" else int(turn.error)


def _why_unmeasured(trajectory: Trajectory) -> str | None:
    if trajectory.origin and trajectory.origin.excluded:
        return trajectory.origin.excluded
    if trajectory.outcome is None:
        return (trajectory.origin and trajectory.origin.unlabelled) or "no outcome"
    return None


def _success(trajectory: Trajectory) -> bool:
    return trajectory.outcome is not None and trajectory.outcome.success


def _place(trajectory: Trajectory) -> str:
    return trajectory.origin.at if trajectory.origin else trajectory.id


def _share_groups(trajectories: Sequence[Trajectory]) -> list[str]:
    """Group names; runs with the same evidence up to case, blanks and punctuation share one (union-find)."""
    parent = {t.group: t.group for t in trajectories}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    first: dict[bytes, str] = {}
    for trajectory in trajectories:
        one, other = (
            root(first.setdefault(near_digest(trajectory.turns), trajectory.group)),
            root(trajectory.group),
        )
        if one != other:
            parent[max(one, other)] = min(one, other)
    return [root(t.group) for t in trajectories]


def _factor(values: Sequence[str]) -> Factor:
    names = sorted(set(values))
    code = {name: i for i, name in enumerate(names)}
    return Factor(np.array([code[v] for v in values], dtype=np.int64), tuple(names))
