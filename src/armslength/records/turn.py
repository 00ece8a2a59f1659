"""Turn, Outcome and Trajectory: one recorded run of an agent, as values.

Rules of this room, with the test that holds each:

- A role never says who wrote a turn: `writer` does (``tests/records/test_authorship.py``).
- A terminal turn is kept in the record and enters no score (``tests/records/test_corpus.py``).
- An outcome is a success, a failure or unmeasured with a reason; there is no default
  (``tests/records/test_corpus.py``).

Definitions: ``docs/reference/records.md`` (method 1.0, 1.1).
"""

from __future__ import annotations

from typing import Literal

import msgspec

Role = Literal["system", "user", "assistant", "tool_call", "tool_result", "terminal", "unknown"]
Writer = Literal["policy", "user", "world", "task", "third_party", "unknown"]
WriterSource = Literal["field", "role", "unpaired"]
Grade = Literal["A", "B", "C"]


class Turn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One span of a conversation with one writer.

    Attributes:
        role: the field's name for the kind of turn. One assistant message with text and two calls is three turns.
        writer: who chose the text. ``third_party`` wrote into what the world returns without being the world, such as
            an attacker's injection; it and ``unknown`` are read by no head.
        text: the content. A tool call's text is its name and the canonical JSON of its arguments.
        step: index of the message, in the record, that the turn came from.
        name: the tool's name, where there is one; in talks of many speakers, the kind of speaker.
        call_id: identifier that pairs a call with its result.
        error: whether a tool result signals an error by the format's own rule; None where the format has none.
        writer_source: ``field`` where the format records the writer, ``role`` where the format's rule maps it,
            ``unpaired`` for a result whose call is nowhere in the record.
    """

    role: Role
    writer: Writer
    text: str
    step: int
    name: str | None = None
    call_id: str | None = None
    error: bool | None = None
    writer_source: WriterSource = "role"


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verified or declared end of a run.

    Attributes:
        success: whether the task was achieved.
        source: the field or program that said so.
        grade: A recomputed here, B given by a program or a person, C declared by the policy itself.
        stratum: a kind of failure shown apart, such as ``step limit``.
    """

    success: bool
    source: str
    grade: Grade
    stratum: str | None = None


class StepReward(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reward that was recorded for one step.

    Attributes:
        step: the step of the turns that it is about; None where the record does not say.
        value: the number; None where there is none, with the reason.
        source: the field that held it.
        evidence: what it cites; None where it cites nothing.
        reason: why there is no number (``missing``, ``null``, ``not finite``, ``text``, ``boolean``, ``no number``; or
            a format's own, such as ``after the first wrong step``).
    """

    step: int | None
    value: float | None
    source: str
    evidence: list[str] | None = None
    reason: str | None = None


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a trajectory was read, and what its file said before anything was mapped.

    Attributes:
        format: name of the reader.
        at: file and record.
        messages: number of raw messages by the file's own role names, counted before splitting into turns.
        declared: the success that the file declares for the whole record, crashed runs included.
        declared_points: the points or the reward that the file declares for the whole record.
        excluded: why the trajectory must not be measured (``crashed``), or None.
        unlabelled: why there is no outcome, where there is none.
        task_id: the task's name in the file's own words, where the trajectory's key is another.
        task_digest: digest of what the file says the task expects, where it says so: finds the task in an environment.
    """

    format: str
    at: str
    messages: dict[str, int] = {}
    declared: bool | None = None
    excluded: str | None = None
    unlabelled: str | None = None
    task_id: str | None = None
    task_digest: str | None = None
    declared_points: float | None = None


class Trajectory(msgspec.Struct, frozen=True):
    """One recorded run: its task, its policy, its turns and its outcome.

    Attributes:
        id: name of the run, unique in its file.
        task: key of the task; runs of one task share it.
        group: unit of folds and resampling; the task unless the format says otherwise.
        policy: which model ran.
        turns: in the order of the record.
        outcome: None where it is unmeasured.
        trial: which attempt at the task this is.
        rewards: step rewards that the record carries.
        origin: where it was read.
    """

    id: str
    task: str
    group: str
    policy: str
    turns: tuple[Turn, ...]
    outcome: Outcome | None = None
    trial: int | None = None
    rewards: tuple[StepReward, ...] = ()
    origin: Origin | None = None
