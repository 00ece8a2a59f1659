"""Inspect AI logs: ``.eval`` archives and ``.json`` documents, a sample and epoch a trajectory.

The final conversation of a sample is read (``messages``), each message's writer by its ``source``; the target and
the events are not. The first trajectory is given before the second sample is read.

Tests: ``tests/formats/readers/test_inspect_ai.py``. Reference: ``docs/reference/formats/inspect.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from armslength.records import Trajectory

from ..canonical import canonical, digest
from ..findings import Findings
from ..messages import MessageRules, count_roles
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Lookup, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.sources import Source
from .inspect_logs import Header, JsonLog, Stored, ZipLog
from .inspect_messages import inspect_turns
from .inspect_scores import is_judged, score_labels, score_numbers

_ZIP: Final = "PK\x03\x04"
_FIRST_MEMBER: Final = re.compile(
    r"PK\x03\x04.{4,30}?(_journal/start\.json|samples/[^/]+_epoch_\d+)", re.DOTALL
)
_STEP_LIMITS: Final = frozenset({"message", "turn"})


class Inspect:
    """Reader of Inspect AI logs."""

    name = "inspect"
    left_out = (
        "targets",
        "events (model and tool calls, and turns that compaction dropped)",
        "stores, setup and files",
        "score explanations, answers and edits",
        "images, audio, documents and provider data",
        "token counts and times",
    )

    def detect(self, head: Outline, path: str) -> str | None:
        """Zip files that begin with a member of such a log or have its name; documents with a status and an eval."""
        if head.text.startswith(_ZIP):
            known = path.endswith(".eval") or _FIRST_MEMBER.match(head.text)
            return None if known else "a zip file whose first member is none of an Inspect log"
        return head.why_not("status", "eval", "eval.task", "eval.model")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read samples as trajectories, one at a time."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    if source.head(4)[:2] == b"PK":
        with ZipLog(source, findings) as log:
            yield from _runs_of_log(log, source, options, findings)
    else:
        yield from _runs_of_log(JsonLog(source, findings), source, options, findings)


def _runs_of_log(
    log: ZipLog | JsonLog, source: Source, options: ReadOptions, findings: Findings
) -> Iterator[Run]:
    header = log.header()
    if header.status not in (None, "success"):
        findings.note("LOG_INCOMPLETE", f"{source.name} (status {header.status})")
    rules = MessageRules(source.name, findings, options.roles)
    names: set[str] = set()
    empty = True
    for stored in log.samples():
        empty = False
        run = _run(stored, header, source, rules, names)
        if run is not None:
            yield run
    if empty:
        findings.note("LOG_WITHOUT_SAMPLES", source.name)


def _run(stored: Stored, header: Header, source: Source, rules: MessageRules, names: set[str]) -> Run | None:
    (row, sample, resolve, by_agents), findings = stored, rules.findings
    about = header.eval if isinstance(header.eval, dict) else {}
    sample_id, messages = key_of(sample.id), sample.messages or []
    if sample_id is None:
        findings.add("ROW_INVALID", row.at, found="no id", expected="an Inspect sample")
        return None
    epoch = sample.epoch if type(sample.epoch) is int else None
    scores = {"score": sample.score} if sample.scores is None and sample.score else sample.scores
    counts = count_roles(messages)
    for scorer in (name for name, score in _items(scores) if is_judged(name, score)):
        findings.note("JUDGED_BY_MODEL", f"{source.name} ({scorer})")
    name = sample_id if epoch is None else f"{sample_id}/{epoch}"
    return Run(
        format=Inspect.name,
        at=row.at,
        id=distinct(name, row.position, names, row.at, findings),
        task=f"{_task_name(about) or source.label}/{sample_id}",
        policy=key_of(about.get("model")) or "unknown",
        turns=inspect_turns(messages, sample.input, resolve, rules, row.at, by_agents=by_agents),
        messages=counts,
        labels=score_labels(scores),
        stratum=_limit(sample.limit),
        lookup=_lookup(stored, about, scores),
        trial=epoch,
        task_id=sample_id,
        excluded="crashed" if sample.error else "invalidated" if sample.invalidation else None,
        unlabelled="not scored",
    )


def _task_name(about: dict[str, Any]) -> str | None:
    """The log's task with a digest of its arguments: under others the same sample may be another problem."""
    name, arguments = key_of(about.get("task")), about.get("task_args")
    return f"{name}({digest(canonical(arguments))})" if name and arguments else name


def _lookup(stored: Stored, about: dict[str, Any], scores: object) -> Lookup:
    """Fields for ``--where``, ``--success``, ``--task`` and ``--policy``; made only if somebody asks.

    A label's name stands for its score, a letter for the number that Inspect's own metrics take it for.
    """

    def lookup(name: str) -> object:
        sample = stored.sample
        fields = {
            "id": sample.id,
            "epoch": sample.epoch,
            "scores": scores,
            "metadata": sample.metadata,
            "error": sample.error,
            "limit": sample.limit,
            "task": about.get("task"),
            "model": about.get("model"),
            "eval": about,
        }
        known = {key: value for key, value in fields.items() if value is not None}
        return fields_of({**score_numbers(scores), **known})(name)

    return lookup


def _limit(limit: object) -> str | None:
    if not limit:
        return None
    kind = limit.get("type") if isinstance(limit, dict) else None
    return "step limit" if isinstance(kind, str) and kind in _STEP_LIMITS else "limit"


def _items(scores: object) -> list[tuple[str, object]]:
    return list(scores.items()) if isinstance(scores, dict) else []
