"""ProcessBench: solutions in steps, with the first wrong step found by people.

- The label is the index of the first wrong step, -1 if none is wrong. The steps before it are right and it is wrong;
  of the steps after it the label says nothing, and nothing is made up for them.
- A right answer over a wrong step is data: the two labels are kept apart.

Tests: ``tests/formats/readers/test_process_bench.py``. Reference: ``docs/reference/formats/process_bench.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET

from armslength.records import StepReward, Trajectory, Turn

from ..canonical import digest
from ..content import plain, step_text
from ..findings import Findings
from ..names import distinct
from ..protocol import ReadOptions
from ..rewards import step_reward
from ..runs import Label, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import Row, decode_rows, read_rows
from ..storage.sources import Source

#: Why a step behind the first wrong one has no reward.
AFTER: Final = "after the first wrong step"
#: Why a step has no reward where the label names none.
NO_STEP: Final = "label of no step"

_NO_ERROR: Final = -1
_RIGHT, _WRONG = 1, -1


class Solution(msgspec.Struct):
    """A solution with its labels."""

    id: Any = None
    generator: Any = None
    problem: Any = None
    steps: Any = None
    final_answer_correct: Any = None
    label: Any = UNSET


_DECODER = msgspec.json.Decoder(Solution)


class ProcessBench:
    """Reader of ProcessBench files."""

    name = "process_bench"
    left_out = ()

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Problems with steps and both labels."""
        return head.why_not("problem", "steps", "final_answer_correct", "label")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read the solutions of a file."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    names: set[str] = set()
    for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
        if not isinstance(decoded.steps, list):
            findings.add(
                "ROW_INVALID", row.at, found=f"steps: {type(decoded.steps).__name__}",
                expected="a list of steps",
            )  # fmt: skip
            continue
        yield _run(row, decoded, decoded.steps, names, findings)


def _run(row: Row, decoded: Solution, steps: list[Any], names: set[str], findings: Findings) -> Run:
    problem = step_text(decoded.problem, findings, f"{row.at} problem", by_policy=False)
    name = key_of(decoded.id)
    policy = key_of(decoded.generator) or "unknown"
    first_wrong = decoded.label if type(decoded.label) is int else None
    return Run(
        format=ProcessBench.name,
        at=row.at,
        id=distinct(name or str(row.position), row.position, names, row.at, findings),
        task=f"problem-{digest(problem)}",
        policy=policy,
        turns=_turns(problem, steps, row.at, findings),
        messages={"problem": 1, "step": len(steps)},
        labels={
            "final_answer_correct": _answer(decoded.final_answer_correct),
            "label": _process(decoded.label, first_wrong, len(steps)),
        },
        label="final_answer_correct",
        lookup=fields_of({k: v for k, v in msgspec.structs.asdict(decoded).items() if v is not UNSET}),
        rewards=_rewards(decoded.label, first_wrong, len(steps), row.at, findings),
        task_id=name,
    )


def _turns(problem: str, steps: list[Any], at: str, findings: Findings) -> tuple[Turn, ...]:
    """The problem, then a turn for each step, numbered from 1."""
    turns = [Turn("user", "task", problem, 0)]
    for index, step in enumerate(steps):
        text = step_text(step, findings, f"{at} steps[{index}]")
        turns.append(Turn("assistant", "policy", text, index + 1))
    return tuple(turns)


def _answer(stored: object) -> Label:
    """Whether the final answer is the right one."""
    if type(stored) is bool:
        return Label(stored)
    return Label(None, "outcome null" if stored is None else "neither true nor false", found=stored)


def _process(stored: object, first_wrong: int | None, count: int) -> Label:
    """Whether no step is wrong."""
    if first_wrong is not None and _NO_ERROR <= first_wrong < count:
        return Label(first_wrong == _NO_ERROR)
    if stored is None or stored is UNSET:
        return Label(None, "outcome null")
    return Label(None, "no index of a step", found=stored)


def _rewards(
    stored: object, first_wrong: int | None, count: int, at: str, findings: Findings
) -> tuple[StepReward, ...]:
    """A reward for each step, as far as the label goes."""
    steps = range(1, count + 1)
    if stored is None or stored is UNSET:
        return tuple(step_reward(step, stored, "label") for step in steps)
    if first_wrong is None or not _NO_ERROR <= first_wrong < count:
        expected = f"-1, or the index of one of {count} steps"
        findings.add("REWARDS_UNALIGNED", f"{at} label", found=plain(stored), expected=expected)
        return tuple(StepReward(step, None, "label", reason=NO_STEP) for step in steps)
    right = count if first_wrong == _NO_ERROR else first_wrong
    return tuple(
        step_reward(step, _RIGHT if step <= right else _WRONG, "label")
        if step <= right + 1
        else StepReward(step, None, "label", reason=AFTER)
        for step in steps
    )
