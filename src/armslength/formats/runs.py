"""From what a reader knows of a run to a trajectory, under what the caller chose.

Every reader ends here: labels, filters, task and policy keys are chosen in one place, so that an option means
the same in all formats.

Tests: ``tests/formats/test_runs.py``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Grade, Origin, Outcome, StepReward, Trajectory, Turn

from .canonical import canonical, digest
from .findings import Findings
from .outcomes import Judgement, judge, outcome_of, parse_rule
from .protocol import ReadOptions

#: What a lookup returns for a field that a record does not have.
MISSING: Final = object()

Lookup = Callable[[str], object]


class Label(NamedTuple):
    """What one label of a record says.

    Attributes:
        success: whether the task was achieved; None where the label does not say.
        reason: why it does not say.
        grade: A recomputed here, B given by a program or a person, C declared by the policy itself.
        found: the value, where it is one that nobody can read: a finding if this label is taken.
    """

    success: bool | None
    reason: str | None = None
    grade: Grade = "B"
    found: object = None


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a reader knows of one run.

    Attributes:
        format: name of the reader.
        at: file and record.
        id: name of the run, unique in its file.
        task, group: keys by the format's own rule; the group is the task if None.
        policy: which model ran, by the format's own rule.
        turns: all of them.
        messages: number of raw messages by the file's own role names.
        labels: the record's labels by name. Where there are several and no `label`, the caller has to name one.
        label: the name of the one that counts unless the caller names another.
        stratum: the kind of failure, if the run is one, that is shown apart.
        lookup: the record's fields by name, with dots for what lies deeper; `MISSING` where there is none.
        rewards: step rewards that the record carries.
        trial: which attempt at the task this is.
        task_id: the task's name in the file's own words.
        definition: what the file says that the task expects; no trajectory holds it.
        declared: the success that the file declares for the whole record; by default what the label says, unless it is
            recomputed here. A label that the caller names counts before it.
        declared_points: the points or the reward that the file declares for the whole record.
        excluded: why the run must not be measured, such as ``crashed``.
        unlabelled: why there is no label at all.
    """

    format: str
    at: str
    id: str
    task: str
    policy: str
    turns: tuple[Turn, ...]
    messages: Mapping[str, int]
    labels: Mapping[str, Label] = field(default_factory=dict)
    label: str | None = None
    group: str | None = None
    stratum: str | None = None
    lookup: Lookup = lambda _: MISSING
    rewards: tuple[StepReward, ...] = ()
    trial: int | None = None
    task_id: str | None = None
    definition: object = None
    declared: bool | None = None
    declared_points: float | None = None
    excluded: str | None = None
    unlabelled: str = "no outcome field"


def to_trajectory(run: Run, options: ReadOptions, findings: Findings) -> Trajectory | None:
    """Apply the caller's choices to a run.

    Args:
        run: as its reader sees it.
        options: what the caller said.
        findings: where unclear labels are recorded, and how many runs ``where`` left out.

    Returns:
        The trajectory, or None if the caller's ``where`` leaves it out.
    """
    lookup = _with_labels(run)
    if options.where and not is_wanted(lookup, options, run.at, findings):
        return None
    outcome, unlabelled = _outcome(run, lookup, options, findings)
    declared = _declared(run, outcome, options)
    excluded = run.excluded
    if excluded is not None:
        outcome = None
        if excluded == "crashed" and options.crashed == "failure":
            outcome, excluded, unlabelled = Outcome(False, "crashed", "B", "crashed"), None, None
    task = chosen_key(lookup, options.task, run.at, findings) or run.task
    return Trajectory(
        id=run.id,
        task=task,
        group=run.group or task,
        policy=chosen_key(lookup, options.policy, run.at, findings) or run.policy,
        turns=run.turns,
        outcome=outcome,
        trial=run.trial,
        rewards=run.rewards,
        origin=Origin(
            format=run.format,
            at=run.at,
            messages=dict(run.messages),
            declared=declared,
            declared_points=run.declared_points,
            excluded=excluded,
            unlabelled=unlabelled,
            task_id=run.task_id,
            task_digest=_keep_task(run.definition, options),
        ),
    )


def to_trajectories(runs: Iterable[Run], options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
    """What `to_trajectory` makes of runs, one at a time, without those that the caller's ``where`` leaves out."""
    for run in runs:
        trajectory = to_trajectory(run, options, findings)
        if trajectory is not None:
            yield trajectory


def is_wanted(lookup: Lookup, options: ReadOptions, at: str, findings: Findings) -> bool:
    """Whether a record's fields have the values of ``where``; one that has not is counted as a note."""
    wanted: dict[str, set[str]] = {}
    for key, value in options.where:
        wanted.setdefault(key, set()).add(value)
    for key, values in wanted.items():
        if not any(_says(lookup(key), value) for value in values):
            findings.note("LEFT_OUT_BY_WHERE", at)
            return False
    return True


def chosen_key(lookup: Lookup, name: str | None, at: str, findings: Findings) -> str | None:
    """The value of the field that the caller named, as an identifier; a finding if there is none."""
    if name is None:
        return None
    value = key_of(lookup(name))
    if value is None:
        findings.add("FIELD_MISSING", at, found=f"no {name}", expected="the field that the option names")
    return value


def fields_of(record: Mapping[str, Any]) -> Lookup:
    """A lookup in a decoded record: the whole name as a key, else a path with dots."""

    def lookup(name: str) -> object:
        value: object = record
        for part in (name,) if name in record else name.split("."):
            if isinstance(value, Mapping) and part in value:
                value = value[part]
            elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                return MISSING
        return value

    return lookup


def key_of(value: object) -> str | None:
    """An identifier as text: files disagree on whether a number is one; an object is its digest."""
    if value is MISSING or value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    return digest(canonical(value)) if isinstance(value, dict | list) else canonical(value)


def label_of(value: object) -> Label:
    """A label by the table of words and numbers that say success or failure."""
    judgement = judge(value)
    return Label(judgement.success, judgement.reason, found=value)


def _keep_task(definition: object, options: ReadOptions) -> str | None:
    """The digest of what a task expects, kept with it where the caller wants to have it."""
    if definition is None:
        return None
    key = digest(canonical(definition))
    if options.tasks is not None:
        options.tasks.setdefault(key, definition)
    return key


def _with_labels(run: Run) -> Lookup:
    """The record's fields, and its labels by name, wherever the format keeps them."""

    def lookup(name: str) -> object:
        value = run.lookup(name)
        label = run.labels.get(name) if value is MISSING else None
        if label is None:
            return value
        return label.success if label.found is None else label.found

    return lookup


def _says(stored: object, wanted: str) -> bool:
    """Whether a field has the value that the caller wrote; numbers are compared as numbers."""
    if stored is MISSING:
        return False
    if isinstance(stored, str):
        return stored == wanted
    if isinstance(stored, int | float) and not isinstance(stored, bool):
        with contextlib.suppress(ValueError):
            return stored == float(wanted) or canonical(stored) == wanted
    return canonical(stored) == wanted


def _outcome(
    run: Run, lookup: Lookup, options: ReadOptions, findings: Findings
) -> tuple[Outcome | None, str | None]:
    rule = parse_rule(options.success)
    name = rule.field if rule else options.label or run.label
    if name is None and len(run.labels) == 1:
        name = next(iter(run.labels))
    if name is None:
        if not run.labels:
            return None, run.unlabelled
        choices = ", ".join(run.labels)
        findings.add("LABEL_AMBIGUOUS", run.at, found=choices, expected="one of them with --label")
        return None, "several labels, none named"
    if rule is None and name in run.labels:
        label = run.labels[name]
        if label.success is None:
            if label.found is not None:
                outcome_of(Judgement(None, label.reason), name, run.at, label.found, findings)
            return None, label.reason or "no outcome"
        return _stratified(Outcome(label.success, name, label.grade), run), None
    value = lookup(name)
    if value is MISSING:
        if rule is None and run.excluded is None:
            choices = ", ".join(run.labels) or "none"
            findings.add("LABEL_MISSING", run.at, found=f"labels: {choices}", expected=name)
        return None, f"no {'field' if rule else 'label'} {name}"
    judgement = judge(value, rule)
    outcome = outcome_of(judgement, name, run.at, value, findings)
    if outcome is not None and name in run.labels:  # a rule on a label changes nothing about who gave it
        outcome = msgspec.structs.replace(outcome, grade=run.labels[name].grade)
    return outcome and _stratified(outcome, run), judgement.reason


def _declared(run: Run, outcome: Outcome | None, options: ReadOptions) -> bool | None:
    """What the file declares; a label of grade A is our own word, and no file's."""
    stated = outcome.success if outcome is not None and outcome.grade != "A" else None
    return stated if run.declared is None or (options.label and stated is not None) else run.declared


def _stratified(outcome: Outcome, run: Run) -> Outcome:
    return (
        outcome
        if outcome.success or not run.stratum
        else msgspec.structs.replace(outcome, stratum=run.stratum)
    )
