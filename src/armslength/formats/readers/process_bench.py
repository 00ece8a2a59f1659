"""ProcessBench: a problem, a model's solution in steps, and the first step that people found wrong.

There is no tool and no other evidence: what is here are recorded labels of steps.

Tests: ``tests/formats/readers/test_process_bench.py``. Reference: ``docs/reference/formats/process_bench.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import StepReward, Trajectory, Turn

from ..canonical import digest
from ..content import plain
from ..findings import Findings
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Run, fields_of, key_of, label_of, to_trajectory
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_rows
from ..storage.sources import Source

_AFTER: Final = "after the first wrong step"


class Solution(msgspec.Struct):
    """A record."""

    id: Any = None
    generator: Any = None
    problem: Any = None
    steps: list[Any] | None = None
    final_answer_correct: Any = None
    label: Any = None


_DECODER = msgspec.json.Decoder(Solution)


class ProcessBench:
    """Reader of ProcessBench records."""

    name = "process_bench"
    left_out: Sequence[str] = ()

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Records of steps with the correctness of the final answer."""
        return head.why_not("problem", "steps", "final_answer_correct")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read each solution as a trajectory."""
        names: set[str] = set()
        for row in read_rows(source, findings):
            solution = decode(row, _DECODER, findings)
            if solution is None:
                continue
            if solution.steps is None or not isinstance(solution.problem, str):
                findings.add(
                    "ROW_INVALID", row.at, found="no problem or no steps", expected="a solution in steps"
                )
                continue
            trajectory = to_trajectory(
                _run(row, solution, solution.problem, names, findings), options, findings
            )
            if trajectory is not None:
                yield trajectory


def _run(row: Row, solution: Solution, problem: str, names: set[str], findings: Findings) -> Run:
    steps = solution.steps or []
    turns = [Turn("user", "task", problem, 0)]
    turns += [Turn("assistant", "policy", plain(text), number) for number, text in enumerate(steps, start=1)]
    return Run(
        format=ProcessBench.name,
        at=row.at,
        id=distinct(key_of(solution.id) or str(row.position), row.position, names, row.at, findings),
        task=f"problem-{digest(problem)}",
        policy=key_of(solution.generator) or "unknown",
        turns=tuple(turns),
        messages={"step": len(steps)},
        labels={"final_answer_correct": label_of(solution.final_answer_correct)},
        lookup=fields_of({key: getattr(solution, key) for key in solution.__struct_fields__}),
        rewards=_rewards(solution.label, len(steps), row.at, findings),
    )


def _rewards(label: object, steps: int, at: str, findings: Findings) -> tuple[StepReward, ...]:
    """1 before the first wrong step, 0 there; nobody looked at the steps after it."""
    if type(label) is not int or not -1 <= label < steps:
        findings.add(
            "REWARDS_UNALIGNED", f"{at} label", found=plain(label), expected=f"-1 or a step of {steps}"
        )
        return ()
    if label == -1:
        return tuple(StepReward(number, 1.0, "label") for number in range(1, steps + 1))
    return (
        *(StepReward(number, 1.0, "label") for number in range(1, label + 1)),
        StepReward(label + 1, 0.0, "label"),
        *(StepReward(number, None, "label", None, _AFTER) for number in range(label + 2, steps + 1)),
    )
