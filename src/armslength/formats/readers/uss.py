"""User Satisfaction Simulation: dialogues in lines of tab-separated fields, with ratings by several readers.

- A dialogue ends at a blank line or after its line ``OVERALL``, which is a rating and no turn.
- Ratings are step rewards of the rated line and the label of the whole; they and the word ``OVERALL`` are never text.
- A reader of ratings is known by his column only: columns of two dialogues are not the same person.

Tests: ``tests/formats/readers/test_uss.py``. Reference: ``docs/reference/formats/uss.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from msgspec import UNSET

from armslength.records import Role, StepReward, Trajectory, Turn

from ..canonical import canonical
from ..findings import Findings
from ..messages import WRITER_OF
from ..protocol import ReadOptions
from ..rewards import step_reward
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import TextLine, read_lines
from ..storage.sources import Source

_ROLE_OF: Final[dict[str, Role]] = {"USER": "user", "SYSTEM": "assistant"}
_OVERALL: Final = "OVERALL"
_RATED: Final = re.compile(r"^USER\t[^\t\n]*\t[^\t\n]*\t\d+(?:,\d+)*(?:[\t\r\n]|\Z)", re.MULTILINE)
_RATING: Final = re.compile(r"[1-5]")
_EXPECTED: Final = "role, text, act and ratings, parted by tabs"


@dataclass
class _Dialogue:
    """The lines of a dialogue so far."""

    at: str
    turns: list[Turn] = field(default_factory=list)
    rewards: list[StepReward] = field(default_factory=list)
    overall: list[object] | None = None
    messages: Counter[str] = field(default_factory=Counter)


class Uss:
    """Reader of rated dialogues."""

    name = "uss"
    left_out = ("dialogue acts", "explanations of ratings")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Lines that begin with a speaker, one of them rated."""
        if head.opening:
            return "JSON"
        if not head.text.startswith(tuple(f"{name}\t" for name in _ROLE_OF)):
            return "no line that begins with USER or SYSTEM and a tab"
        return None if _RATED.search(head.text) else "no rated line of a user"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read dialogues one by one."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    domain = source.path.name.partition(".")[0]
    file = source.label.removesuffix(".txt")
    for position, dialogue in enumerate(_dialogues(source, options, findings)):
        if not dialogue.turns and dialogue.overall is None:
            continue  # each of its lines is a finding
        yield _run(dialogue, f"{file}/{position}", domain)


def _dialogues(source: Source, options: ReadOptions, findings: Findings) -> Iterator[_Dialogue]:
    dialogue: _Dialogue | None = None
    last = 0
    for line in read_lines(source, findings):
        ended = line.number > last + 1 or (dialogue is not None and dialogue.overall is not None)
        if dialogue is not None and ended:
            yield dialogue
        if dialogue is None or ended:
            dialogue = _Dialogue(line.at)
        last = line.number
        _add(dialogue, line, options, findings)
    if dialogue is not None:
        yield dialogue


def _add(dialogue: _Dialogue, line: TextLine, options: ReadOptions, findings: Findings) -> None:
    """Add a line to its dialogue, or a finding that says why it cannot be read."""
    fields = line.text.split("\t")
    if len(fields) not in (4, 5):  # the source's own description knows a fifth one, the rater's explanation
        if not (line.cut and line.final):  # the cut is a finding already
            code = "ROW_TORN" if line.final and len(fields) < 4 else "ROW_INVALID"
            findings.add(code, line.at, found=f"{len(fields)} fields", expected=_EXPECTED)
        return
    name, text, _, ratings = fields[:4]
    if text.strip() == _OVERALL and name == "USER":
        dialogue.overall = _ratings(ratings, line.at, findings)
        return
    role = _ROLE_OF.get(name) or options.roles.get(name)
    if role is None:
        findings.add(
            "ROLE_UNKNOWN", line.at, found=canonical(name), expected="USER, SYSTEM, or --role NAME=ROLE"
        )
        role = "unknown"
    step = len(dialogue.turns)
    dialogue.turns.append(Turn(role, WRITER_OF[role], text, step))
    dialogue.messages[name] += 1
    values = _ratings(ratings, line.at, findings)
    if role == "user" and not values:
        dialogue.rewards.append(step_reward(step, UNSET, "rating"))
    dialogue.rewards += [step_reward(step, value, f"rating[{rater}]") for rater, value in enumerate(values)]


def _ratings(text: str, at: str, findings: Findings) -> list[object]:
    """Single ratings by rater; one that is no rating stays a text, so that it is a reward without a value."""
    values: list[object] = []
    for part in text.split(",") if text else ():
        sound = _RATING.fullmatch(part) is not None
        if not sound:
            findings.add("RATING_INVALID", at, found=part, expected="a whole number from 1 to 5")
        values.append(int(part) if sound else part)
    return values


def _run(dialogue: _Dialogue, name: str, domain: str) -> Run:
    rated = [value for value in dialogue.overall or () if isinstance(value, int)]
    mean = sum(rated) / len(rated) if rated else None
    return Run(
        format=Uss.name,
        at=dialogue.at,
        id=name,
        task=name,
        policy=domain,
        turns=tuple(dialogue.turns),
        messages=dict(dialogue.messages),
        labels={"overall": Label(None, "no overall rating") if mean is None else Label(mean >= 3)},
        lookup=fields_of({"overall": mean, "overall_ratings": dialogue.overall, "domain": domain}),
        rewards=tuple(dialogue.rewards),
    )
