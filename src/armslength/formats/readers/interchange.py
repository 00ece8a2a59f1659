"""``armslength/trajectory/v1``: our own form, one JSON object a line; read, write and schema.

What is written is read back exactly, lone surrogates included; an origin travels under ``meta.origin``.

Tests: ``tests/formats/readers/test_interchange.py``. Reference: ``docs/reference/formats/interchange.md``.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import zstandard
from msgspec import UNSET, UnsetType

from armslength.errors import InputError
from armslength.files import replacing
from armslength.records import Origin, Outcome, StepReward, Trajectory, Turn

from ..findings import Findings
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Lookup, chosen_key, fields_of, is_wanted
from ..storage.outline import Outline
from ..storage.rows import Row, decode, decode_rows, read_rows
from ..storage.sources import Source

SCHEMA_NAME = "armslength/trajectory/v1"


class Meta(msgspec.Struct, omit_defaults=True):
    """What travels with a trajectory and is not part of it; other keys are allowed and left alone."""

    origin: Origin | UnsetType = UNSET


class InterchangeRow(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One line. `group` is left out where it is the task."""

    id: str
    task: str
    group: str | UnsetType = UNSET
    policy: str
    trial: int | UnsetType = UNSET
    outcome: Outcome | None
    turns: list[Turn]
    rewards: list[StepReward] | UnsetType = UNSET
    meta: Meta | UnsetType = UNSET


_DECODER = msgspec.json.Decoder(InterchangeRow)
_FIELDS = msgspec.json.Decoder(dict[str, Any])
_ENCODER = msgspec.json.Encoder()


class Interchange:
    """Reader of ``armslength/trajectory/v1``."""

    name = "interchange"
    left_out = ("keys of meta other than origin",)

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Rows with turns that name their writers."""
        if head.why_not("turns", "turns[].writer") is None:
            return None
        return head.why_not("turns", "id", "task", "policy", "outcome")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rows; each must satisfy the schema."""
        if options.success is not None:
            findings.add(
                "SUCCESS_RULE_UNUSED", source.name, found=options.success, expected="outcomes are stored"
            )
        names: set[str] = set()
        for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
            if decoded.rewards and not all(map(_is_sound, decoded.rewards)):
                findings.add(
                    "ROW_INVALID", row.at, found="a reward that is not finite", expected="finite rewards"
                )
                continue
            lookup = _lookup(row, decoded)
            if options.where and not is_wanted(lookup, options, row.at, findings):
                continue
            decoded.id = distinct(decoded.id, row.position, names, row.at, findings)
            decoded.task = chosen_key(lookup, options.task, row.at, findings) or decoded.task
            decoded.policy = chosen_key(lookup, options.policy, row.at, findings) or decoded.policy
            if options.label and decoded.outcome and decoded.outcome.source != options.label:
                found = f"labels: {decoded.outcome.source}"
                findings.add("LABEL_MISSING", row.at, found=found, expected=options.label)
                decoded.outcome = None
            yield _trajectory(decoded, row.at)


def _is_sound(reward: StepReward) -> bool:
    """A finite number, or none with a reason."""
    return reward.reason is not None if reward.value is None else math.isfinite(reward.value)


def _lookup(row: Row, decoded: InterchangeRow) -> Lookup:
    def lookup(name: str) -> object:
        value = getattr(decoded, name, None)
        if isinstance(value, str | int):
            return value
        fields: dict[str, Any] | None = decode(row, _FIELDS, Findings())
        return fields_of(fields or {})(name)

    return lookup


def _trajectory(row: InterchangeRow, at: str) -> Trajectory:
    origin = row.meta.origin if row.meta else UNSET
    return Trajectory(
        id=row.id,
        task=row.task,
        group=row.task if row.group is UNSET else row.group,
        policy=row.policy,
        turns=tuple(row.turns),
        outcome=row.outcome,
        trial=None if row.trial is UNSET else row.trial,
        rewards=() if row.rewards is UNSET else tuple(row.rewards),
        origin=_own_origin(row, at) if origin is UNSET else origin,
    )


def _own_origin(row: InterchangeRow, at: str) -> Origin:
    roles: dict[str, int] = {}
    for turn in row.turns:
        roles[turn.role] = roles.get(turn.role, 0) + 1
    return Origin(
        format=Interchange.name,
        at=at,
        messages=roles,
        declared=row.outcome.success if row.outcome else None,
        unlabelled=None if row.outcome else "outcome null",
    )


def to_line(trajectory: Trajectory) -> bytes:
    """One line of the interchange form, with its line end.

    Args:
        trajectory: any.

    Returns:
        Bytes that `read` turns into an equal trajectory.

    Raises:
        InputError: a reward is not finite (REWARD_NOT_FINITE).
    """
    if not all(map(_is_sound, trajectory.rewards)):
        raise InputError("REWARD_NOT_FINITE", at=f"trajectory {trajectory.id!r}", expected="finite rewards")
    row = InterchangeRow(
        id=trajectory.id,
        task=trajectory.task,
        group=UNSET if trajectory.group == trajectory.task else trajectory.group,
        policy=trajectory.policy,
        trial=UNSET if trajectory.trial is None else trajectory.trial,
        outcome=trajectory.outcome,
        turns=list(trajectory.turns),
        rewards=list(trajectory.rewards) if trajectory.rewards else UNSET,
        meta=Meta(trajectory.origin) if trajectory.origin else UNSET,
    )
    try:
        return _ENCODER.encode(row) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate can only be written as an escape
        plain = msgspec.to_builtins(row)
        return json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


class Writer:
    """Writes trajectories to an open file, each under a name that no earlier one has.

    Args:
        file: a binary file.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._taken: set[str] = set()

    def __len__(self) -> int:
        return len(self._taken)

    def add(self, trajectory: Trajectory) -> None:
        """Write one line. Runs of several files may share a name: the later one gets its place as well.

        Raises:
            InputError: as `to_line`.
        """
        name = trajectory.id
        if name in self._taken:
            name = f"{name} ({trajectory.origin.at})" if trajectory.origin else name
            while name in self._taken:
                name = f"{name}#{len(self._taken)}"
            trajectory = msgspec.structs.replace(trajectory, id=name)
        self._taken.add(name)
        self._file.write(to_line(trajectory))


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """A writer to a file that replaces `path` when the block ends, compressed by suffix (.gz, .zst)."""
    with replacing(path) as file:
        if path.suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                yield Writer(cast("BinaryIO", packed))
        elif path.suffix == ".zst":
            with zstandard.ZstdCompressor().stream_writer(file, closefd=False) as packed_zst:
                yield Writer(cast("BinaryIO", packed_zst))
        else:
            yield Writer(file)


def write(trajectories: Iterable[Trajectory], path: Path) -> int:
    """Write trajectories to a file, replacing it in one step.

    Args:
        trajectories: in any order; they are streamed.
        path: ends in ``.gz`` or ``.zst`` to be compressed.

    Returns:
        How many were written.
    """
    with writing(path) as writer:
        for trajectory in trajectories:
            writer.add(trajectory)
        return len(writer)


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one line."""
    made = msgspec.json.schema(InterchangeRow)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_NAME,
        **made,
    }
