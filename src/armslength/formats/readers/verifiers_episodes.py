"""Episodes of verifiers v1: one a line with the traces of its agents, or a trace a line.

A trace is a run if its agent is trained; where none is, all are. An episode that broke off before any trace is a
run without turns.

Tests: ``tests/formats/readers/test_verifiers_traces.py``. Reference: ``docs/reference/formats/verifiers.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from ..canonical import canonical, digest
from ..messages import Message, MessageRules, count_roles
from ..names import distinct
from ..runs import Lookup, Run, fields_of, key_of
from ..storage.rows import Row, decode_rows, read_rows
from ..storage.sources import Source
from .verifiers_rewards import all_binary, is_judge, limit_of, reward_label, total
from .verifiers_traces import Trace, final_path, trace_turns, turn_rewards


class _Named(msgspec.Struct):
    id: Any = None
    name: Any = None


class _Work(msgspec.Struct):
    step: Any = None


class _RunInfo(msgspec.Struct):
    id: Any = None
    work: _Work | None = None


class _Episode(Trace):
    """An episode, or a trace that stands alone: then its own fields are those of the trace."""

    env: _Named | None = None
    run: _RunInfo | None = None
    traces: list[Trace] | None = None


_EPISODE: Final = msgspec.json.Decoder(_Episode)


class _Reading:
    """What is carried from line to line of a file."""

    def __init__(self, source: Source, rules: MessageRules) -> None:
        self.source = source
        self.rules = rules
        self.binary = all_binary(source)
        self.names: set[str] = set()
        self.attempts: Counter[str] = Counter()


def episode_runs(source: Source, rules: MessageRules) -> Iterator[Run]:
    """Traces as runs; the attempts at a task are numbered in the order of the file."""
    reading = _Reading(source, rules)
    for row, episode in decode_rows(read_rows(source, rules.findings), _EPISODE, rules.findings):
        if episode.traces is None and episode.nodes is None:
            rules.findings.add("ROW_INVALID", row.at, found="no traces", expected="a verifiers episode")
            continue
        traces = list(enumerate(episode.traces or [episode]))
        trained = [
            (i, trace) for i, trace in traces if trace.agent is None or trace.agent.trainable is not False
        ]
        if len(trained) < len(traces) and trained:
            rules.findings.note("AGENTS_LEFT_OUT", source.name)
        for index, trace in trained or traces:
            at = row.at if len(traces) == 1 else f"{row.at} traces[{index}]"
            yield _run(row._replace(at=at), trace, episode, reading)


def _run(row: Row, trace: Trace, episode: _Episode, reading: _Reading) -> Run:
    rules, findings = reading.rules, reading.rules.findings
    nodes = trace.nodes or []
    path = final_path(nodes, row.at, findings)
    counts = count_roles([nodes[index].message or Message() for index in path])
    turns = trace_turns(nodes, path, trace.tools, rules, row.at)
    agent = key_of(trace.agent.name) if trace.agent else None
    task, policy = _task(trace, episode, reading.source), _policy(trace, episode)
    attempt = f"{task} {agent}"
    trial, reading.attempts[attempt] = reading.attempts[attempt], reading.attempts[attempt] + 1
    judged = is_judge(_names(trace))
    if judged:
        findings.note("JUDGED_BY_MODEL", reading.source.name)
    value = total(trace.rewards)
    return Run(
        format="verifiers",
        at=row.at,
        id=distinct(key_of(trace.id) or str(row.position), row.position, reading.names, row.at, findings),
        task=task,
        policy=policy if agent in (None, "agent") else f"{policy}/{agent}",
        turns=turns,
        messages=counts,
        labels={"reward": reward_label(value, binary=reading.binary, judged=judged)} if trace.rewards else {},
        label="reward" if trace.rewards else None,
        stratum=limit_of(trace.stop_condition, truncated=trace.is_timeout is True),
        lookup=_lookup(trace, episode, value, policy),
        rewards=turn_rewards(trace, path, row.at, findings),
        trial=trial,
        task_id=key_of(trace.task.key) if trace.task else None,
        excluded="crashed" if _broke_off(trace, episode, value) else None,
        unlabelled="not scored",
    )


def _broke_off(trace: Trace, episode: _Episode, value: float | None) -> bool:
    """Whether an error ended the trace, or its episode before it was scored."""
    unscored = value is None and episode.ok is not True and bool(episode.errors)
    return unscored or (trace.ok is not True and bool(trace.errors))


def _task(trace: Trace, episode: _Episode, source: Source) -> str:
    """The environment with the task's key, else with a digest of what was to be done."""
    env = episode.env or _Named()
    task = trace.task or episode.task
    key = (key_of(task.key) or key_of(task.hash)) if task else None
    if key is None:
        key = digest(canonical(task.data if task else None))
    return f"{key_of(env.id) or key_of(env.name) or source.folder}/{key}"


def _policy(trace: Trace, episode: _Episode) -> str:
    """The model; while it is trained, at a step of its run, since each step is another policy."""
    config = trace.agent.config if trace.agent else None
    model = key_of(config.get("model")) if isinstance(config, dict) else None
    called = (key_of(call.model) for call in trace.calls or ())
    model = model or next((name for name in called if name), None) or "unknown"
    run = episode.run
    if run is None or run.work is None or key_of(run.id) is None:
        return model
    return f"{model}/{key_of(run.id)}/step {key_of(run.work.step)}"


def _names(trace: Trace) -> list[object]:
    """Names of rewards and metrics; a record of judges' calls counts as one."""
    calls = isinstance(trace.info, dict) and trace.info.get("judge_calls")
    held = [names for names in (trace.rewards, trace.metrics) if isinstance(names, dict)]
    return [*(name for names in held for name in names), *(["judge_calls"] if calls else [])]


def _lookup(trace: Trace, episode: _Episode, value: float | None, policy: str) -> Lookup:
    """Fields for ``--where`` and ``--success``: a reward's name stands for its score."""

    def lookup(name: str) -> object:
        rewards = trace.rewards if isinstance(trace.rewards, dict) else {}
        metrics = trace.metrics if isinstance(trace.metrics, dict) else {}
        scores = {key: reward.get("score") for key, reward in rewards.items() if isinstance(reward, dict)}
        fields = {
            "reward": value,
            "rewards": rewards,
            "metrics": metrics,
            "stop_condition": trace.stop_condition,
            "ok": trace.ok,
            "agent": trace.agent.name if trace.agent else None,
            "model": policy,
            "env": episode.env.id if episode.env else None,
            "info": trace.info,
        }
        return fields_of(
            {**scores, **metrics, **{key: held for key, held in fields.items() if held is not None}}
        )(name)

    return lookup
