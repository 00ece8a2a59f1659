"""ATIF (Harbor): one agent trajectory a file, ``schema_version`` ``ATIF-v1.…`` and ``steps``.

- A step is not one author: an agent's step holds its reply, its calls, and the observation that answered them.
- The format records the source of a step; copied context and steps without a model call are not the policy's.
- What a subagent handed over stands under ``user``: a model wrote it, and which one is not recorded (``unknown``).
- The outcome is in the trial's ``result.json``, beside the agent's folder. Subagents are counted, not followed.

Tests: ``tests/formats/readers/test_atif.py``. Reference: ``docs/reference/formats/atif.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Trajectory

from ..canonical import canonical, digest
from ..findings import Findings
from ..labelled import tool_names
from ..protocol import ReadOptions
from ..runs import Run, fields_of, key_of, label_of, to_trajectories
from ..storage.beside import read_beside
from ..storage.outline import Outline
from ..storage.rows import read_document
from ..storage.sources import Source
from .atif_steps import Step, to_turns

_VERSION: Final = "ATIF-v1."
#: Files beside ``trajectory.json`` that hold the rest of the same run, or its subagents.
_PART: Final = re.compile(r"trajectory\..+")


class AtifFile(msgspec.Struct):
    """The parts of a file that are read."""

    schema_version: Any = None
    session_id: Any = None
    agent: Any = None
    steps: list[Step] | None = None
    continued_trajectory_ref: Any = None
    subagent_trajectories: Any = None


class Trial(msgspec.Struct):
    """The parts of a trial's ``result.json`` that are read."""

    trial_name: Any = None
    task_name: Any = None
    verifier_result: Any = None
    exception_info: Any = None


_DECODER = msgspec.json.Decoder(AtifFile)
_TRIAL = msgspec.json.Decoder(Trial)


class Atif:
    """Reader of ATIF trajectories."""

    name = "atif"
    left_out = (
        "subagent trajectories",
        "continuations in other files",
        "metrics and token ids",
        "images and files",
        "tool definitions",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Steps with a source under a schema version."""
        return head.why_not("schema_version", "steps", "steps[].source")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a file as one trajectory."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    decoded = read_document(source, _DECODER, findings)
    if decoded is None:
        return
    version = decoded.schema_version
    if not (isinstance(version, str) and version.startswith(_VERSION)) or decoded.steps is None:
        findings.add("ROW_INVALID", source.name, found=canonical(version), expected=f"{_VERSION}x with steps")
        return
    yield _run(decoded, decoded.steps, source, options, findings)


def _run(
    decoded: AtifFile, steps: list[Step], source: Source, options: ReadOptions, findings: Findings
) -> Run:
    trial = Trial()
    if source.folder == "agent":
        trial = read_beside(source, "../result.json", _TRIAL, findings) or trial
    agent = decoded.agent if isinstance(decoded.agent, dict) else {}
    tools = tool_names(agent.get("tool_definitions"))
    turns = to_turns(steps, source.name, findings, tools=tools, roles=options.roles)
    _note_elsewhere(decoded, steps, source.name, findings)
    rewards = _rewards(trial)
    task_text = [turn.text for turn in turns if turn.role == "user" and turn.writer == "task"][:1]
    names = [agent.get("model_name"), *(step.model_name for step in steps), agent.get("name")]
    return Run(
        format=Atif.name,
        at=source.name,
        id=key_of(trial.trial_name) or source.label,
        task=key_of(trial.task_name) or f"prompt-{digest(canonical(task_text))}",
        policy=next((name for name in names if isinstance(name, str) and name), "unknown"),
        turns=turns,
        messages=_counts(steps),
        labels={name: label_of(value) for name, value in rewards.items()},
        stratum="step limit" if _is_timeout(trial) else None,
        lookup=fields_of(
            {
                **rewards,
                "agent": agent,
                "session_id": decoded.session_id,
                "task_name": trial.task_name,
                "trial_name": trial.trial_name,
                "verifier_result": trial.verifier_result,
            }
        ),
        excluded=_excluded(trial, rewards, steps, source),
        unlabelled="no outcome beside the trajectory",
    )


def _excluded(trial: Trial, rewards: dict[str, Any], steps: Sequence[Step], source: Source) -> str | None:
    is_part = _PART.fullmatch(source.stem) and source.path.with_name("trajectory.json").is_file()
    if is_part:
        return "part of trajectory.json"
    return "crashed" if not steps or (trial.exception_info and not rewards) else None


def _is_timeout(trial: Trial) -> bool:
    """Whether the agent's time ran out; what it left behind is verified all the same."""
    exception = trial.exception_info
    return isinstance(exception, dict) and exception.get("exception_type") == "AgentTimeoutError"


def _rewards(trial: Trial) -> dict[str, Any]:
    result = trial.verifier_result
    rewards = result.get("rewards") if isinstance(result, dict) else None
    return rewards if isinstance(rewards, dict) else {}


def _counts(steps: Sequence[Step]) -> dict[str, int]:
    """Steps by source; and the observations and calls inside them."""
    counts = Counter(
        step.source if isinstance(step.source, str) else canonical(step.source) for step in steps
    )
    inside = {
        "observation": sum(bool(step.results) for step in steps),
        "tool_call": sum(len(step.calls) for step in steps),
    }
    return dict(sorted(counts.items())) | {name: count for name, count in inside.items() if count}


def _note_elsewhere(decoded: AtifFile, steps: Sequence[Step], at: str, findings: Findings) -> None:
    embedded = decoded.subagent_trajectories
    for _ in range(
        sum(step.handovers for step in steps) + (len(embedded) if isinstance(embedded, list) else 0)
    ):
        findings.note("SUBAGENT_NOT_FOLLOWED", at)
    if decoded.continued_trajectory_ref:
        findings.note("CONTINUED_ELSEWHERE", at)
