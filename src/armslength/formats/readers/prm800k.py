"""PRM800K: people rated each step of a solution while it was made, and chose or wrote how it went on.

- The path is what was chosen at each step. A step that a person wrote is no step of the policy.
- Ratings are recorded step rewards; those of what was not chosen are left out.

Tests: ``tests/formats/readers/test_prm800k.py``. Reference: ``docs/reference/formats/prm800k.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import StepReward, Trajectory, Turn

from ..canonical import digest
from ..content import plain
from ..findings import Findings
from ..protocol import ReadOptions
from ..rewards import step_reward
from ..runs import Label, Run, fields_of, key_of, to_trajectory
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_rows
from ..storage.sources import Source

_SOURCE: Final = "label.steps[].completions[].rating"
_OUTCOMES: Final = {"solution": True, "found_error": False}
_BY_A_PERSON: Final = "written by a person"


class Completion(msgspec.Struct):
    """One way in which a step could go."""

    text: Any = None
    rating: Any = None


class Step(msgspec.Struct):
    """A step, the ways it could go, and the one taken."""

    completions: list[Completion] | None = None
    human_completion: Any = None
    chosen_completion: Any = None


class Labels(msgspec.Struct):
    """What the person did."""

    steps: list[Step] | None = None
    finish_reason: Any = None


class Question(msgspec.Struct):
    """What was to be solved."""

    problem: Any = None


class Rated(msgspec.Struct):
    """A record."""

    labeler: Any = None
    generation: Any = None
    question: Question | None = None
    label: Labels | None = None
    is_quality_control_question: Any = None
    is_initial_screening_question: Any = None


class _Taken(NamedTuple):
    turn: Turn
    reward: StepReward


_DECODER = msgspec.json.Decoder(Rated)


class Prm800k:
    """Reader of PRM800K records."""

    name = "prm800k"
    left_out = ("completions that were not chosen, and their ratings", "pre-generated solutions", "answers")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Records of a labeler about the steps of a question."""
        return head.why_not("labeler", "question.problem", "label.steps")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read each labelled solution as a trajectory."""
        for row in read_rows(source, findings):
            rated = decode(row, _DECODER, findings)
            if rated is None:
                continue
            problem = rated.question.problem if rated.question else None
            if not isinstance(problem, str) or rated.label is None or rated.label.steps is None:
                findings.add(
                    "ROW_INVALID", row.at, found="no problem or no steps", expected="a labelled solution"
                )
                continue
            trajectory = to_trajectory(_run(row, rated, problem, rated.label, source), options, findings)
            if trajectory is not None:
                yield trajectory


def _run(row: Row, rated: Rated, problem: str, label: Labels, source: Source) -> Run:
    taken = list(_path(label.steps or []))
    return Run(
        format=Prm800k.name,
        at=row.at,
        id=f"{source.label}#{row.position}",
        task=f"problem-{digest(problem)}",
        policy=f"generation {key_of(rated.generation)}" if key_of(rated.generation) else "unknown",
        turns=(Turn("user", "task", problem, 0), *(step.turn for step in taken)),
        messages={"step": len(label.steps or [])},
        labels={"finish_reason": _label(label.finish_reason)},
        lookup=fields_of(
            {key: getattr(rated, key) for key in rated.__struct_fields__ if key not in ("question", "label")}
            | {"finish_reason": label.finish_reason}
        ),
        rewards=tuple(step.reward for step in taken),
    )


def _path(steps: list[Step]) -> Iterator[_Taken]:
    """What was taken at each step; a step with nothing taken ends the path."""
    for number, step in enumerate(steps, start=1):
        completions, chosen = step.completions or [], step.chosen_completion
        if step.human_completion is not None and chosen is None:
            text = step.human_completion
            text = text.get("text") if isinstance(text, dict) else text
            turn = Turn("assistant", "third_party", plain(text), number, writer_source="field")
            yield _Taken(turn, StepReward(number, None, _SOURCE, None, _BY_A_PERSON))
            continue
        if chosen is None and len(completions) == 1:  # nobody had to choose, also where the solution ends
            chosen = 0
        if type(chosen) is not int or not 0 <= chosen < len(completions):
            return
        completion = completions[chosen]
        turn = Turn("assistant", "policy", plain(completion.text), number)
        yield _Taken(turn, step_reward(number, completion.rating, _SOURCE))


def _label(finish: object) -> Label:
    if isinstance(finish, str) and finish in _OUTCOMES:
        return Label(_OUTCOMES[finish])
    return Label(
        None, f"finished by {finish}" if finish in ("give_up", "bad_problem") else "no finish_reason"
    )
