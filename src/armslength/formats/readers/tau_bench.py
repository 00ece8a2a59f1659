"""τ-bench results: a JSON list of runs, plain or under ``results``; also few-shot displays.

``info.task`` (the gold actions) and ``reward_info`` give the task's key and never enter a turn.

Tests: ``tests/formats/readers/test_tau_bench.py``. Reference: ``docs/reference/formats/tau_bench.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from armslength.records import Trajectory, Turn

from ..canonical import canonical, digest
from ..findings import Findings
from ..messages import Message, MessageRules, count_roles, to_turns
from ..names import distinct
from ..outcomes import judge_number
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import Row, decode_rows, read_rows
from ..storage.sources import Source

#: Tools that only one domain has; the others (``get_user_details``, ``think``, …) say nothing.
_RETAIL: Final = frozenset(
    {
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "find_user_id_by_email",
        "find_user_id_by_name_zip",
        "get_order_details",
        "get_product_details",
        "list_all_product_types",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
    }
)
_AIRLINE: Final = frozenset(
    {
        "book_reservation",
        "cancel_reservation",
        "get_reservation_details",
        "list_all_airports",
        "search_direct_flight",
        "search_onestop_flight",
        "send_certificate",
        "update_reservation_baggages",
        "update_reservation_flights",
        "update_reservation_passengers",
    }
)
_DOMAINS: Final = {**dict.fromkeys(_RETAIL, "retail"), **dict.fromkeys(_AIRLINE, "airline")}


class TauRow(msgspec.Struct):
    """A run. The first field set is that of a result, the last field that of a display."""

    task_id: Any = None
    reward: Any = UNSET
    info: Any = None
    traj: list[Message] | UnsetType | None = UNSET
    trial: Any = None
    messages_display: Any = None


class _Run(NamedTuple):
    row: Row
    record: TauRow
    messages: list[Message]
    turns: tuple[Turn, ...]
    domain: str | None


_DECODER = msgspec.json.Decoder(TauRow)


class TauBench:
    """Reader of τ-bench results and few-shot displays."""

    name = "tau_bench"
    left_out = (
        "info.task and info.reward_info (gold actions)",
        "info.user_cost",
        "records of added checkers",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Runs with a ``traj``, or displays."""
        for keys in (
            ("messages_display",),
            ("traj", "traj[].role"),
            ("task_id", "reward", "info"),
            ("results[].task_id", "results[].reward"),
        ):
            if head.why_not(*keys) is None:
                return None
        return head.why_not("task_id", "reward", "info", "traj")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read runs as trajectories; a file's domain is settled before its first run is given."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def tau_definition(task: object) -> dict[str, Any] | None:
    """What a stored task expects: whose it is, the actions and the strings to be said; None if it says nothing."""
    if not isinstance(task, dict):
        return None
    parts = {key: task.get(key) for key in ("user_id", "actions", "outputs")}
    return None if all(part is None for part in parts.values()) else parts


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    rules = MessageRules(source.name, findings, options.roles, error_prefix="Error", first_call_only=True)
    names: set[str] = set()
    runs: list[_Run] = []
    for row, record in decode_rows(read_rows(source, findings, inside="results"), _DECODER, findings):
        if record.messages_display is not None:
            yield _display(row, record, source, names, findings)
        elif record.traj is UNSET:
            findings.add("ROW_INVALID", row.at, found="no traj", expected="a tau-bench run")
        else:
            messages = record.traj or []
            turns = to_turns(messages, rules, row.at)
            runs.append(_Run(row, record, messages, turns, _domain(record, turns)))
    for run, task in zip(runs, _tasks(runs), strict=True):
        yield _as_run(run, task, source, names, findings)


def _as_run(run: _Run, task: str, source: Source, names: set[str], findings: Findings) -> Run:
    row, record = run.row, run.record
    info = record.info if isinstance(record.info, dict) else {}
    trial = record.trial if type(record.trial) is int else None
    name = canonical(record.task_id) if trial is None else f"{canonical(record.task_id)}/{trial}"
    ended = any(turn.role == "terminal" for turn in run.turns)
    return Run(
        format=TauBench.name,
        at=row.at,
        id=distinct(name, row.position, names, row.at, findings),
        task=task,
        policy=_policy(source),
        turns=run.turns,
        messages=count_roles(run.messages),
        labels={"reward": _reward(record.reward)} if record.reward is not UNSET else {},
        label="reward" if record.reward is not UNSET else None,
        stratum=None if ended else "step limit",
        lookup=fields_of(
            {"task_id": record.task_id, "trial": record.trial, "info": info, "reward": record.reward}
        ),
        trial=trial,
        task_id=canonical(record.task_id),
        definition=tau_definition(info.get("task")),
        excluded="crashed" if info.get("error") or not run.messages else None,
    )


def _reward(value: object) -> Label:
    """Rewards are numbers, and 1 is success: any other number is a failure."""
    judgement = judge_number(value, None)
    return Label(judgement.success, judgement.reason, found=value)


def _domain(record: TauRow, turns: Iterable[Turn]) -> str | None:
    """The domain by the gold actions' tools, else by the tools that were called."""
    task = record.info.get("task") if isinstance(record.info, dict) else None
    actions = task.get("actions") if isinstance(task, dict) else None
    for action in actions if isinstance(actions, list) else ():
        name = action.get("name") if isinstance(action, dict) else None
        if isinstance(name, str) and name in _DOMAINS:
            return _DOMAINS[name]
    for turn in turns:
        if turn.name in _DOMAINS and turn.writer == "policy":
            return _DOMAINS[turn.name]
    return None


def _tasks(runs: Sequence[_Run]) -> list[str]:
    """Keys of the runs' tasks: their content, since one number names different tasks in different files.

    Inside a file a number names one task: a crashed run, which stores none, takes the key of the others.
    """
    known = {run.domain for run in runs if run.domain}
    common = known.pop() if len(known) == 1 else "unknown"
    keys = [_task(run.record, run.domain or common) for run in runs]
    of_number: dict[str, set[str]] = {}
    for run, key in zip(runs, keys, strict=True):
        if key is not None:
            of_number.setdefault(canonical(run.record.task_id), set()).add(key)
    tasks: list[str] = []
    for run, key in zip(runs, keys, strict=True):
        number = canonical(run.record.task_id)
        others = of_number.get(number, set())
        alone = next(iter(others)) if len(others) == 1 else f"{run.domain or common}/task_id {number}"
        tasks.append(key or alone)
    return tasks


def _task(record: TauRow, domain: str) -> str | None:
    """Key by the task's content, or None where none is stored."""
    parts = tau_definition(record.info.get("task") if isinstance(record.info, dict) else None)
    return None if parts is None else f"{domain}/{digest(canonical(parts))}"


def _policy(source: Source) -> str:
    """The record names no model: the file does, or its folder where the file is named after the domain."""
    named_after_domain = source.label.startswith(("airline", "retail"))
    return f"{source.folder}/{source.label}" if named_after_domain else source.label


def _display(row: Row, record: TauRow, source: Source, names: set[str], findings: Findings) -> Run:
    """A conversation as one text: nothing in it says who wrote which part."""
    display = record.messages_display
    text = display if isinstance(display, str) else canonical(display)
    return Run(
        format=TauBench.name,
        at=row.at,
        id=distinct(f"display {row.position}", row.position, names, row.at, findings),
        task=f"display/{digest(text)}",
        policy=_policy(source),
        turns=(Turn("unknown", "unknown", text, 0),),
        messages={"display": 1},
    )
