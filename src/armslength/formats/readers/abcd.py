"""ABCD conversations: a list of them, or an object of such lists by split (train, dev, test).

- The agent is the policy. A button that the agent pressed is the policy's call, with the values of ``targets``; the
  sentence that the program wrote for it is the world's result.
- Compliance is recomputed: the buttons that were pressed against those that ``kb.json`` beside the file lists for
  the intent. Intent, scenario and candidates enter no turn.

Tests: ``tests/formats/readers/test_abcd.py``. Reference: ``docs/reference/formats/abcd.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Role, Trajectory, Turn

from ..canonical import canonical
from ..content import plain
from ..findings import Findings
from ..messages import WRITER_OF
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, key_of, to_trajectories
from ..storage.beside import find_nearby
from ..storage.outline import Outline, outline
from ..storage.rows import Row, decode, read_document, read_keyed_rows, read_rows
from ..storage.sources import Source
from .abcd_flows import compliance

_KB: Final = ("kb.json", "data/kb.json")
_SPLITS: Final = ("train", "dev", "test")
_NEEDED: Final = ("convo_id", "scenario", "delexed")


class Delexed(msgspec.Struct):
    """A turn with placeholders, and what it was meant to do."""

    speaker: Any = None
    text: Any = None
    targets: Any = None


class AbcdConversation(msgspec.Struct):
    """A conversation; ``original`` has the words as they were written."""

    convo_id: Any = None
    scenario: Any = None
    original: list[Any] | None = None
    delexed: list[Delexed] | None = None


class Said(NamedTuple):
    """A line of a conversation: its speaker, its words, and its targets."""

    speaker: str
    text: str
    intent: str | None = None
    action: str | None = None
    values: Sequence[Any] = ()
    is_end: bool = False


_DECODER = msgspec.json.Decoder(AbcdConversation)
_RAW_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_KB_DECODER = msgspec.json.Decoder(dict[str, list[str]])


class Abcd:
    """Reader of ABCD conversations."""

    name = "abcd"
    left_out = ("scenario", "candidates", "texts with placeholders")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Conversations with a scenario and texts with placeholders, in a list or by split."""
        prefixes = ("", *(f"{split}[]." for split in _SPLITS))
        if any(head.why_not(*(prefix + key for key in _NEEDED)) is None for prefix in prefixes):
            return None
        return head.why_not(*_NEEDED)

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read conversations as trajectories."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    flows = _load_flows(source, findings)
    names: set[str] = set()
    for split, row in _rows(source, findings):
        conversation = decode(row, _DECODER, findings)
        if conversation is None:
            continue
        lines = _lines(conversation, row.at, findings)
        if lines is None:
            expected = "an ABCD conversation"
            findings.add("ROW_INVALID", row.at, found="no original and no delexed", expected=expected)
            continue
        name = key_of(conversation.convo_id) or f"{split or source.stem}-{row.position}"
        name = distinct(name, row.position, names, row.at, findings)
        yield _run(row, name, conversation, lines, flows, split=split, roles=options.roles, findings=findings)


def _load_flows(source: Source, findings: Findings) -> Mapping[str, list[str]] | None:
    found = find_nearby(source, _KB)
    if found is None:
        findings.add("FLOWS_MISSING", source.name, expected="kb.json beside the file or above")
        return None
    return read_document(found, _KB_DECODER, findings)


def _rows(source: Source, findings: Findings) -> Iterator[tuple[str | None, Row]]:
    """Conversations with the name of their split, where the file has splits."""
    keys = outline(source.head()).keys
    if not any(f"{split}[].convo_id" in keys for split in _SPLITS):
        for row in read_rows(source, findings):
            yield None, row
        return
    position = 0
    for split, member in read_keyed_rows(source, findings):
        conversations = decode(member, _RAW_LIST, findings)
        for index, raw in enumerate(conversations or ()):
            yield split, Row(position, f"{member.at}[{index}]", raw)
            position += 1


def _lines(conversation: AbcdConversation, at: str, findings: Findings) -> list[Said] | None:
    """The words as they were written, with the targets of the same line."""
    if conversation.original is None and conversation.delexed is None:
        return None
    delexed = conversation.delexed or []
    if conversation.original is None:
        return [_said(line.speaker, line.text, line) for line in delexed]
    original = [_pair(item, f"{at} original[{i}]", findings) for i, item in enumerate(conversation.original)]
    aligned = len(delexed) == len(original) and all(
        plain(line.speaker) == speaker for line, (speaker, _) in zip(delexed, original, strict=True)
    )
    if not aligned:
        found = f"{len(delexed)} lines, or other speakers"
        findings.add("TARGETS_UNALIGNED", f"{at} delexed", found=found, expected="the lines of original")
        delexed = [Delexed()] * len(original)
    return [_said(*pair, line) for pair, line in zip(original, delexed, strict=True)]


def _pair(item: object, at: str, findings: Findings) -> tuple[str, str]:
    if isinstance(item, list) and len(item) == 2:
        return plain(item[0]), plain(item[1])
    findings.add("LINE_INVALID", at, expected="a speaker and a text")
    return "", plain(item)


def _said(speaker: object, text: object, line: Delexed) -> Said:
    stored = line.targets if isinstance(line.targets, list) else []
    intent, step, action, values = [*stored, None, None, None, None][:4]
    taken = plain(action) if step == "take_action" and action is not None else None
    return Said(
        plain(speaker),
        plain(text),
        intent if isinstance(intent, str) else None,
        taken,
        values if isinstance(values, list) else [] if values is None else [values],
        step == "end_conversation",
    )


def _run(
    row: Row,
    name: str,
    conversation: AbcdConversation,
    lines: Sequence[Said],
    flows: Mapping[str, list[str]] | None,
    *,
    split: str | None,
    roles: Mapping[str, Role],
    findings: Findings,
) -> Run:
    scenario = conversation.scenario if isinstance(conversation.scenario, dict) else {}
    intent = next((line.intent for line in lines if line.intent), None)
    subflow = key_of(scenario.get("subflow")) or intent
    flow = key_of(scenario.get("flow"))
    fields = {
        "convo_id": conversation.convo_id,
        "flow": flow,
        "subflow": subflow,
        "intent": intent,
        "split": split,
    }
    return Run(
        format=Abcd.name,
        at=row.at,
        id=name,
        task="/".join(part for part in (flow, subflow) if part) or f"dialogue-{name}",
        policy="agent",
        turns=tuple(_turns(lines, row.at, roles, findings)),
        messages=Counter(line.speaker for line in lines),
        labels=_labels(intent, [line.action for line in lines if line.action is not None], flows),
        label="ordered",
        definition={"intent": intent, "subflow": subflow, "scenario": scenario},
        lookup=fields_of(fields),
    )


def _turns(lines: Sequence[Said], at: str, roles: Mapping[str, Role], findings: Findings) -> Iterator[Turn]:
    for step, line in enumerate(lines):
        for turn in _turns_of(line, step, at, roles, findings):
            yield msgspec.structs.replace(turn, role="terminal") if line.is_end else turn


def _turns_of(
    line: Said, step: int, at: str, roles: Mapping[str, Role], findings: Findings
) -> Iterator[Turn]:
    if line.speaker == "customer":
        yield Turn("user", "user", line.text, step)
    elif line.speaker == "agent":
        yield Turn("assistant", "policy", line.text, step)
    elif line.speaker != "action":
        role = roles.get(line.speaker)
        if role is None:
            expected = "customer, agent or action, or --role NAME=ROLE"
            findings.add("SPEAKER_UNKNOWN", f"{at} original[{step}]", found=line.speaker, expected=expected)
            role = "unknown"
        yield Turn(role, WRITER_OF[role], line.text, step)
    elif line.action is None:
        findings.add("RESULT_UNPAIRED", f"{at} original[{step}]", expected="the button in targets")
        yield Turn("tool_result", "world", line.text, step, writer_source="unpaired")
    else:
        text = f"{line.action} {canonical({'values': list(line.values)})}"
        yield Turn("tool_call", "policy", text, step, line.action)
        yield Turn("tool_result", "world", line.text, step, line.action)


def _labels(
    intent: str | None, taken: Sequence[str], flows: Mapping[str, list[str]] | None
) -> dict[str, Label]:
    """Whether the buttons of the flow were pressed: exactly these, these in this order, or each of them."""
    reason = None
    if flows is None:
        reason = "no kb.json"
    elif intent is None:
        reason = "no intent"
    elif intent not in flows:
        reason = "intent without a flow"
    if reason is not None or flows is None or intent is None:
        return {name: Label(None, reason, "A") for name in ("exact", "ordered", "set")}
    met = compliance(flows[intent], taken)
    return {
        "exact": Label(met.exact, grade="A"),
        "ordered": Label(met.ordered, grade="A"),
        "set": Label(met.complete, grade="A"),
    }
