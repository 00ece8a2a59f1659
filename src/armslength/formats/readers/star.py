"""STAR dialogues: one JSON object a dialogue, its events in order.

- A query of the wizard is the policy's call, the knowledge base's reply is the world's.
- What the user guide says is shown to the user alone: its turns have the role ``unknown``, so no head reads them.
- The last reply that ends a transaction of the dialogue's tasks and everything after it are terminal; so is the
  user's "done".

Tests: ``tests/formats/readers/test_star.py``. Reference: ``docs/reference/formats/star.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Role, Trajectory, Turn, Writer, WriterSource

from ..calls import Call
from ..canonical import canonical
from ..content import plain
from ..findings import Findings
from ..names import distinct
from ..pairing import OpenCalls
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_rows, report_repeats
from ..storage.sources import Source
from . import star_labels as labels

_SPOKEN: Final[dict[tuple[str, str], tuple[Role, Writer]]] = {
    ("User", "utter"): ("user", "user"),
    ("User", "complete"): ("terminal", "user"),
    ("UserGuide", "instruct"): ("unknown", "task"),
    ("Wizard", "request_suggestions"): ("assistant", "policy"),
    ("Wizard", "pick_suggestion"): ("assistant", "policy"),
    ("Wizard", "utter"): ("assistant", "policy"),
}
_CLICKS: Final = {
    ("Wizard", "select_task"): ("Task",),
    ("Wizard", "select_primary"): ("PrimaryItem", "SecondaryItem"),
    ("Wizard", "select_secondary"): ("PrimaryItem", "SecondaryItem"),
}


class Event(msgspec.Struct):
    """Something that one of the four sides did."""

    Agent: Any = None
    Action: Any = None
    Text: Any = None
    APIName: Any = None
    Constraints: Any = None
    Item: Any = None
    TotalItems: Any = None
    Task: Any = None
    PrimaryItem: Any = None
    SecondaryItem: Any = None
    ActionLabel: Any = None


class Capability(msgspec.Struct):
    """What the wizard could do."""

    Task: Any = None


class Scenario(msgspec.Struct):
    """What the two sides were given; the texts that they read are left out."""

    Domains: Any = None
    Happy: Any = None
    MultiTask: Any = None
    WizardCapabilities: list[Capability] = []


class StarDialogue(msgspec.Struct):
    """The parts of a dialogue that are read."""

    Events: list[Event] | None = None
    DialogueID: Any = None
    BatchID: Any = None
    AnonymizedUserWorkerID: Any = None
    AnonymizedWizardWorkerID: Any = None
    CompletionLevel: Any = None
    IntroducesConflicts: Any = None
    Scenario: Scenario | None = None
    UserQuestionnaire: Any = None
    WizardQuestionnaire: Any = None


_DECODER = msgspec.json.Decoder(StarDialogue)
_ONCE: Final = {"Events": 1, "UserQuestionnaire": 1, "Scenario": 1}


class Star:
    """Reader of STAR dialogues."""

    name = "star"
    left_out = (
        "the texts that user and wizard were given",
        "the item last shown, repeated in the wizard's events",
        "the templates that the wizard was offered",
        "times",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Dialogues with a list of events and the workers' names."""
        return head.why_not("AnonymizedUserWorkerID", "AnonymizedWizardWorkerID", "Events")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a dialogue as one trajectory."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    names: set[str] = set()
    rows = list(read_rows(source, findings))
    for row in rows:
        place = row if len(rows) > 1 else row._replace(at=source.name)
        dialogue = decode(place, _DECODER, findings)
        if dialogue is None:
            continue
        if dialogue.Events is None:
            findings.add("ROW_INVALID", place.at, found="no Events", expected="a STAR dialogue")
            continue
        report_repeats(place, _ONCE, findings)
        yield _run(place, dialogue, dialogue.Events, source, names=names, findings=findings)


def _run(
    row: Row,
    dialogue: StarDialogue,
    events: Sequence[Event],
    source: Source,
    *,
    names: set[str],
    findings: Findings,
) -> Run:
    tasks = _tasks(dialogue)
    services = labels.TRANSACTIONAL.intersection(tasks)
    ends = [
        (step, end.success)
        for step, event in enumerate(events)
        if event.Agent == "KnowledgeBase"
        and plain(event.APIName) in services
        and (end := labels.star_end(event.Item)) is not None
    ]
    turns = _turns(events, row.at, findings)
    made = _labels(dialogue, events, tasks, [success for _, success in ends])
    if ends:
        turns = [_end(turn) if turn.step >= ends[-1][0] else turn for turn in turns]
    name = key_of(dialogue.DialogueID) or source.label
    return Run(
        format=Star.name,
        at=row.at,
        id=distinct(name, row.position, names, row.at, findings),
        task="+".join(sorted(tasks)) or "unknown",
        group=key_of(dialogue.AnonymizedUserWorkerID),
        policy=key_of(dialogue.AnonymizedWizardWorkerID) or "unknown",
        turns=tuple(turns),
        messages=Counter(f"{plain(event.Agent)}/{plain(event.Action)}" for event in events),
        labels=made,
        label="transaction",
        declared=made["user_answer"].success,
        lookup=fields_of(_fields(dialogue, tasks)),
    )


def _turns(events: Sequence[Event], at: str, findings: Findings) -> list[Turn]:
    """One turn an event."""
    calls = OpenCalls(findings, at)
    turns: list[Turn] = []
    for step, event in enumerate(events):
        kind = (plain(event.Agent), plain(event.Action))
        if kind in _SPOKEN:
            role, writer = _SPOKEN[kind]
            turns.append(Turn(role, writer, plain(event.Text), step))
        elif kind == ("Wizard", "query"):
            call = _query(event)
            calls.add([call], step)
            turns.append(Turn("tool_call", "policy", call.text, step, call.name))
        elif kind == ("KnowledgeBase", "return_item"):
            turns.append(_reply(event, step, calls))
        elif kind in _CLICKS:
            given = {name: getattr(event, name) for name in _CLICKS[kind] if getattr(event, name) is not None}
            turns.append(Turn("tool_call", "policy", f"{kind[1]} {canonical(given)}", step, kind[1]))
        else:
            findings.add(
                "EVENT_UNKNOWN", f"{at} Events[{step}]", found="/".join(kind), expected="a listed event"
            )
            turns.append(Turn("unknown", "unknown", plain(event.Text), step))
    calls.close()
    return turns


def _query(event: Event) -> Call:
    """The wizard's query: the service and its constraints, as one object unless a name stands there twice."""
    given = event.Constraints if event.Constraints is not None else {}
    if isinstance(given, list) and all(isinstance(constraint, dict) for constraint in given):
        pairs = [pair for constraint in given for pair in constraint.items()]
        given = dict(pairs) if len(dict(pairs)) == len(pairs) else given
    service = plain(event.APIName)
    return Call(service, None, f"{service} {canonical(given)}")


def _reply(event: Event, step: int, calls: OpenCalls) -> Turn:
    """What the service returned, without its own name: the policy chose whom to ask."""
    call = calls.answer(None, event.APIName, step)
    shown: dict[str, object] = {} if event.TotalItems is None else {"TotalItems": event.TotalItems}
    if isinstance(event.Item, dict):
        shown["Item"] = {name: value for name, value in event.Item.items() if name != "APIName"}
    elif event.Item is not None:
        shown["Item"] = event.Item
    source: WriterSource = "unpaired" if call is None else "role"
    return Turn(
        "tool_result", "world", canonical(shown), step, plain(event.APIName) or None, writer_source=source
    )


def _end(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, role="terminal")


def _tasks(dialogue: StarDialogue) -> list[str]:
    capabilities = dialogue.Scenario.WizardCapabilities if dialogue.Scenario else []
    return [capability.Task for capability in capabilities if isinstance(capability.Task, str)]


def _labels(
    dialogue: StarDialogue, events: Sequence[Event], tasks: Sequence[str], ends: Sequence[bool]
) -> dict[str, Label]:
    picked = (event.ActionLabel for event in events if event.Action == "pick_suggestion")
    return {
        "transaction": labels.transaction(tasks, ends),
        "user_answer": labels.user_answer(dialogue.UserQuestionnaire),
        "completion": labels.completion(dialogue.CompletionLevel),
        "calm_and_helpful": labels.calm_and_helpful(dialogue.UserQuestionnaire),
        "wizard_claim": labels.wizard_claim(picked),
    }


def _fields(dialogue: StarDialogue, tasks: Sequence[str]) -> dict[str, object]:
    """What a caller may filter by or take as a label or a key."""
    scenario = dialogue.Scenario or Scenario()
    domains = scenario.Domains if isinstance(scenario.Domains, list) else []
    fields: dict[str, object] = {
        "Happy": scenario.Happy,
        "MultiTask": scenario.MultiTask,
        "Domains": "+".join(sorted(map(plain, domains))),
        "Tasks": "+".join(sorted(tasks)),
        "CompletionLevel": dialogue.CompletionLevel,
        "IntroducesConflicts": dialogue.IntroducesConflicts,
        "BatchID": dialogue.BatchID,
        "DialogueID": dialogue.DialogueID,
        "UserWorker": dialogue.AnonymizedUserWorkerID,
        "WizardWorker": dialogue.AnonymizedWizardWorkerID,
    }
    for name, words in labels.QUESTIONS.items():
        fields[name] = labels.answer_to(words, dialogue.UserQuestionnaire, dialogue.WizardQuestionnaire)
    return fields
