"""AgentDojo runs: one file a run of a user's task, with or without an attack through what tools return.

- The benchmark writes system and user messages, its defences' prompts included.
- The file names the injected texts: where one stands in a tool's result, that piece is a third party's.
- ``security`` says true where the injected goal was carried out, and true also where nothing was injected.

Tests: ``tests/formats/readers/test_agentdojo.py``. Reference: ``docs/reference/formats/agentdojo.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import UNSET

from armslength.records import Trajectory, Turn, Writer

from ..canonical import canonical, digest
from ..content import content_text, plain
from ..findings import Findings
from ..messages import Message, MessageRules, count_roles, to_turns
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, key_of, label_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_rows, report_repeats
from ..storage.sources import Source
from .injected import split_injected, squeezed_values

_THOUGHTS: Final = ("thinking", "redacted_thinking")
_NOT_INJECTED: Final = "nothing was injected"


class DojoMessage(msgspec.Struct, gc=False):
    """A message. A result holds the call that it answers."""

    role: Any = None
    content: Any = None
    tool_calls: Any = None
    tool_call: Any = None
    tool_call_id: Any = None
    error: Any = UNSET


class DojoRun(msgspec.Struct):
    """The fields of a file that are read."""

    messages: list[DojoMessage] | None = None
    suite_name: Any = None
    pipeline_name: Any = None
    user_task_id: Any = None
    injection_task_id: Any = None
    attack_type: Any = None
    injections: Any = None
    error: Any = None
    utility: Any = None
    security: Any = None
    benchmark_version: Any = None
    agentdojo_package_version: Any = None


_DECODER = msgspec.json.Decoder(DojoRun)


class AgentDojo:
    """Reader of AgentDojo runs."""

    name = "agentdojo"
    left_out = ("durations and times", "placeholder arguments", "the call that each result repeats")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Runs with a suite, a pipeline and a task."""
        return head.why_not("suite_name", "pipeline_name", "user_task_id", "messages")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read the run, or the runs, of a file."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    rules = MessageRules(source.name, findings, options.roles, open_at_end=True)
    names: set[str] = set()
    rows = list(read_rows(source, findings))
    for row in rows:
        place = row if len(rows) > 1 else row._replace(at=source.name)
        decoded = decode(place, _DECODER, findings)
        if decoded is None:
            continue
        messages = decoded.messages or []
        errors = sum(message.error is not UNSET for message in messages)
        once = {"utility": 1, "security": 1, "role": len(messages), "error": errors + 1}
        report_repeats(place, once, findings)
        yield _run(place, decoded, rules, names, findings)


def _run(row: Row, run: DojoRun, rules: MessageRules, names: set[str], findings: Findings) -> Run:
    messages = [_message(message, findings, row.at) for message in run.messages or []]
    suite, user_task = key_of(run.suite_name), key_of(run.user_task_id)
    attack, injection = (key_of(value) or "none" for value in (run.attack_type, run.injection_task_id))
    injections = run.injections if isinstance(run.injections, dict) else {}
    values = squeezed_values(injections.values())
    turns = _by_writer(to_turns(messages, rules, row.at), values)
    task = f"{suite}/{user_task}" if suite and user_task else _nameless(turns, row, findings)
    kind = _kind(run)
    cut = bool(messages) and messages[-1].role == "assistant" and bool(messages[-1].tool_calls)
    return Run(
        format=AgentDojo.name,
        at=row.at,
        id=distinct(
            f"{suite or 'unknown'}/{user_task or 'unknown'}/{attack}/{injection}",
            row.position,
            names,
            row.at,
            findings,
        ),
        task=task,
        policy=key_of(run.pipeline_name) or "unknown",
        turns=turns,
        messages=count_roles(messages),
        labels={"utility": _label(run.utility), "security": _security(run, kind)},
        label="utility",
        stratum="step limit" if cut else None,
        lookup=fields_of({**{key: getattr(run, key) for key in run.__struct_fields__[1:]}, "kind": kind}),
        excluded="crashed" if run.error or not messages else None,
    )


def _nameless(turns: Sequence[Turn], row: Row, findings: Findings) -> str:
    """The key of a run that names no task: its prompts, else its place; one key for all would make them one task."""
    findings.add("FIELD_MISSING", row.at, found="no task", expected="a suite_name and a user_task_id")
    prompts = [turn.text for turn in turns if turn.role == "user"]
    return f"prompt-{digest(canonical(prompts or row.at))}"


def _message(stored: DojoMessage, findings: Findings, at: str) -> Message:
    """The message in OpenAI's terms: thoughts beside the text; what failed instead of what it returned."""
    parts = stored.content if isinstance(stored.content, list) else None
    thoughts = [part for part in parts or [] if _is_thought(part)]
    content = [part for part in parts if not _is_thought(part)] if thoughts and parts else stored.content
    call = stored.tool_call if isinstance(stored.tool_call, dict) else {}
    failed = stored.role == "tool" and stored.error is not UNSET and bool(stored.error)
    return Message(
        role=stored.role,
        content=plain(stored.error) if failed else content_text(content, findings, at),
        name=call.get("function"),
        tool_calls=stored.tool_calls,
        tool_call_id=stored.tool_call_id,
        reasoning_content="\n".join(plain(part.get("content")) for part in thoughts) or None,
        error=None if stored.error is UNSET else failed,
    )


def _is_thought(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in _THOUGHTS


def _by_writer(turns: Sequence[Turn], values: Sequence[str]) -> tuple[Turn, ...]:
    """Turns with the benchmark as the writer of what users say, and with injected pieces of results apart."""
    made: list[Turn] = []
    for turn in turns:
        if turn.role == "user":
            made.append(msgspec.structs.replace(turn, writer="task"))
        elif turn.role == "tool_result" and values:
            made += _pieces(turn, values)
        else:
            made.append(turn)
    return tuple(made)


def _pieces(turn: Turn, values: Sequence[str]) -> list[Turn]:
    """A result as turns by writer; one of them, the world's first where there is one, says whether it failed."""
    spans = split_injected(turn.text, values)
    if not any(span.foreign for span in spans):
        return [turn]
    says = next((i for i, span in enumerate(spans) if not span.foreign), 0)
    made: list[Turn] = []
    for i, span in enumerate(spans):
        writer: Writer = "third_party" if span.foreign else "world"
        error = turn.error if i == says else None
        piece = msgspec.structs.replace(turn, writer=writer, text=span.text, error=error)
        made.append(msgspec.structs.replace(piece, writer_source="field") if span.foreign else piece)
    return made


def _kind(run: DojoRun) -> str:
    """What the run is for: the injected goal as a task of its own says what a model is able to do."""
    if key_of(run.injection_task_id):
        return "under_attack"
    return "injection_task_alone" if plain(run.user_task_id).startswith("injection_task") else "benign"


def _label(stored: object) -> Label:
    return (
        label_of(stored)
        if stored is None or isinstance(stored, bool)
        else Label(None, "no boolean", found=stored)
    )


def _security(run: DojoRun, kind: str) -> Label:
    """Success is that the injected goal was not carried out, the opposite of what the field says."""
    if kind != "under_attack":
        return Label(None, _NOT_INJECTED)
    stored = _label(run.security)
    return stored if stored.success is None else stored._replace(success=not stored.success)
