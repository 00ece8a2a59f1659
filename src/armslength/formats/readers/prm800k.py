"""PRM800K: solutions whose steps people rated, chose or wrote.

- The path through the candidates is the run: at each step the chosen completion, or the one that a person wrote.
- A person's step is written by a third party: it stands where every candidate was bad, so it tells the label.
- Where labelling stopped at an error, the step of the solution that was generated beforehand ends the path.

Tests: ``tests/formats/readers/test_prm800k.py``. Reference: ``docs/reference/formats/prm800k.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

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

_RATING: Final = "label.steps.rating"

#: What the reasons for which a person stopped say about the solution.
FINISHES: Final = {
    "solution": Label(True),
    "found_error": Label(False),
    "give_up": Label(None, "the labeller gave up"),
    "bad_problem": Label(None, "the labeller called the problem broken"),
}


class Completion(msgspec.Struct):
    """A step that the model proposed, or that a person wrote."""

    text: Any = None
    rating: Any = msgspec.UNSET


class Step(msgspec.Struct):
    """The candidates for one step, and which of them goes on."""

    completions: list[Completion] | None = None
    human_completion: Completion | str | None = None
    chosen_completion: Any = None


class Labelled(msgspec.Struct):
    """What people said of a solution."""

    steps: list[Step] | None = None
    finish_reason: Any = None


class Question(msgspec.Struct):
    """The problem, and the solution that was generated beforehand (phase 2)."""

    problem: Any = None
    pre_generated_steps: Any = None


class LabelledSolution(msgspec.Struct):
    """A record."""

    question: Question = msgspec.field(default_factory=Question)
    label: Labelled = msgspec.field(default_factory=Labelled)
    labeler: Any = None
    timestamp: Any = None
    generation: Any = None
    is_quality_control_question: Any = None
    is_initial_screening_question: Any = None


class _Place(NamedTuple):
    """A step of the path: what stands there, and whether a person wrote it."""

    step: int
    completion: Completion
    by_person: bool


_DECODER = msgspec.json.Decoder(LabelledSolution)


class Prm800k:
    """Reader of PRM800K files."""

    name = "prm800k"
    left_out = (
        "completions that are not on the path, with their ratings",
        "ground truth",
        "steps generated beforehand that nobody rated",
        "scores of the verifier",
        "flags and time of labelling",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Problems with rated completions."""
        return head.why_not("question.problem", "label.steps", "label.steps[].completions[].rating")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read the labelled solutions of a file: JSON lines, an array, or values one after the other."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    names: set[str] = set()
    for row, decoded in decode_rows(read_rows(source, findings), _DECODER, findings):
        if decoded.label.steps is None:
            findings.add("ROW_INVALID", row.at, found="no label.steps", expected="labelled steps")
            continue
        yield _run(row, decoded, decoded.label.steps, names, findings)


def _run(row: Row, decoded: LabelledSolution, steps: list[Step], names: set[str], findings: Findings) -> Run:
    problem = step_text(decoded.question.problem, findings, f"{row.at} question.problem", by_policy=False)
    path = list(_path(steps, decoded.question.pre_generated_steps, row.at, findings))
    reason = decoded.label.finish_reason
    counts = Counter("human_completion" if place.by_person else "completion" for place in path)
    fields = {name: getattr(decoded, name) for name in decoded.__struct_fields__[2:]}
    own = {"finish_reason": reason, "human_steps": counts["human_completion"]}
    return Run(
        format=Prm800k.name,
        at=row.at,
        id=distinct(_name(row, decoded), row.position, names, row.at, findings),
        task=f"problem-{digest(problem)}",
        policy="unknown",
        turns=(Turn("user", "task", problem, 0), *(_turn(place, row.at, findings) for place in path)),
        messages={"problem": 1, **counts},
        labels={"finish_reason": _finish(reason)},
        lookup=fields_of({**fields, **own}),
        rewards=tuple(_reward(place) for place in path),
    )


def _name(row: Row, decoded: LabelledSolution) -> str:
    """Records have no name; nobody submits two at one time."""
    return "/".join(filter(None, map(key_of, (decoded.labeler, decoded.timestamp)))) or str(row.position)


def _path(steps: list[Step], generated: object, at: str, findings: Findings) -> Iterator[_Place]:
    """The steps that follow each other; a step without one is skipped, and a finding unless it is the last."""
    for index, step in enumerate(steps):
        candidates, chosen = step.completions or [], step.chosen_completion
        person = step.human_completion
        if type(chosen) is int and 0 <= chosen < len(candidates):
            yield _Place(index + 1, candidates[chosen], by_person=False)
            continue
        if chosen is not None:
            found, expected = plain(chosen), f"the index of one of {len(candidates)} completions"
            findings.add("PATH_UNCLEAR", f"{at} label.steps[{index}]", found=found, expected=expected)
        elif person is not None:
            written = person if isinstance(person, Completion) else Completion(person)
            yield _Place(index + 1, written, by_person=True)
        elif (ends := _generated(candidates, generated, index)) is not None:
            yield _Place(index + 1, ends, by_person=False)
        elif index < len(steps) - 1:
            found, expected = "no completion", "one that was chosen or written"
            findings.add("PATH_UNCLEAR", f"{at} label.steps[{index}]", found=found, expected=expected)


def _generated(candidates: list[Completion], generated: object, index: int) -> Completion | None:
    """The candidate that is the step of the solution generated beforehand; the others are its alternatives."""
    if not isinstance(generated, list) or index >= len(generated):
        return None
    return next((one for one in candidates if one.text == generated[index]), None)


def _turn(place: _Place, at: str, findings: Findings) -> Turn:
    where = f"{at} label.steps[{place.step - 1}]"
    text = step_text(place.completion.text, findings, where, by_policy=not place.by_person)
    if place.by_person:
        return Turn("assistant", "third_party", text, place.step, writer_source="field")
    return Turn("assistant", "policy", text, place.step)


def _reward(place: _Place) -> StepReward:
    return step_reward(place.step, place.completion.rating, _RATING)


def _finish(stored: object) -> Label:
    """What a person's reason to stop says."""
    if stored is None:
        return Label(None, "outcome null")
    known = FINISHES.get(stored) if isinstance(stored, str) else None
    return known or Label(None, "outcome text not listed", found=stored)
