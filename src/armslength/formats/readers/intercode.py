"""InterCode results: runs by number in one object, plain or under ``logs``; people's runs with a ``trajectory``.

- Rewards are computed from the gold answer after each action: they are step rewards and never enter a turn.
- ``submit`` as the last act is terminal; so is the last observation of ``ic_python``, which tells how the hidden tests
  went, and the word ``blocked``, which stands where the model's provider refused to answer.

Tests: ``tests/formats/readers/test_intercode.py``. Reference: ``docs/reference/formats/intercode.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Role, Trajectory, Turn, Writer

from ..canonical import canonical, digest
from ..content import plain
from ..findings import Findings
from ..names import distinct
from ..outcomes import judge_number
from ..protocol import ReadOptions
from ..rewards import step_rewards
from ..runs import Label, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline, outline
from ..storage.rows import Row, decode, read_keyed_rows, read_rows
from ..storage.sources import Source

#: The tool that all actions go to; the environment decides what it runs.
TOOL: Final = "execute"

_BLOCKED: Final = "blocked"
_FORCED: Final = "EXCEEDED MAX TURNS"  # the thought that the harness writes when it submits by itself
_TELLS_TESTS: Final = "ic_python"
_PART: Final = re.compile(r"_fs_\d+$")


class Step(msgspec.Struct):
    """A step of a person's run."""

    action: Any = None
    observation: Any = None


class History(msgspec.Struct):
    """Lists with one value for each action."""

    actions: list[Any] = []
    observations: list[Any] = []
    rewards: list[Any] | None = None
    valid_action: list[Any] | None = None
    thoughts: list[Any] | None = None
    steps: list[Any] | None = None


class InterCodeRun(msgspec.Struct):
    """The fields of a run that are read."""

    query: Any = None
    turn_history: History | None = None
    trajectory: list[Step] | None = None
    environment: Any = None
    dataset: Any = None
    task_id: Any = None
    query_idx: Any = None
    hardness: Any = None
    summary: Any = None
    reward: Any = None


class _Ending(NamedTuple):
    """How a run ended: by the policy's or the harness's submission, blocked, or otherwise."""

    submitted: bool
    forced: bool
    blocked: bool


_DECODER = msgspec.json.Decoder(InterCodeRun)
_KEYED = msgspec.json.Decoder(dict[str, msgspec.Raw])


class InterCode:
    """Reader of InterCode results."""

    name = "intercode"
    left_out = ("info and gold (expected outputs)", "meta of plan-and-solve files", "max_reward_idx")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Runs with an environment, a query and a history."""
        for key in head.keys:
            prefix, _, last = key.rpartition(".")
            before = f"{prefix}." if prefix else ""
            if last in ("turn_history", "trajectory") and _is_place(prefix):
                own = "task_id" if last == "turn_history" else "query_idx"
                if {before + name for name in ("environment", "query", own)} <= head.keys:
                    return None
        return head.why_not("environment", "query", "turn_history") or "no number of a task"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read the runs of a file."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    names: set[str] = set()
    for key, row in _rows(source, findings):
        decoded = decode(row, _DECODER, findings)
        if decoded is None:
            continue
        if decoded.turn_history is None and decoded.trajectory is None:
            findings.add("ROW_INVALID", row.at, found="no turn_history", expected="an InterCode run")
            continue
        yield _run(key, row, decoded, source, names, findings=findings)


def _is_place(prefix: str) -> bool:
    """Whether runs stand here: at the top, by number, or by number under ``logs``."""
    return prefix == "" or prefix.removeprefix("logs.").isdecimal()


def _rows(source: Source, findings: Findings) -> Iterator[tuple[str | None, Row]]:
    """Runs with their numbers, whatever of the shapes the file has."""
    head = outline(source.head())
    if head.opening != "{" or head.keys & {"turn_history", "trajectory"}:
        for row in read_rows(source, findings):
            yield None, row
        return
    for key, row in read_keyed_rows(source, findings):
        if key == "logs":
            logs = decode(row, _KEYED, findings) or {}
            for index, (number, raw) in enumerate(logs.items()):
                yield number, Row(index, f"{source.name}['logs'][{number!r}]", raw)
        elif key != "meta":
            yield key, row


def _run(
    key: str | None, row: Row, run: InterCodeRun, source: Source, names: set[str], *, findings: Findings
) -> Run:
    history = run.turn_history or _history(run.trajectory or [])
    environment = key_of(run.environment) or "unknown"
    number = key_of(run.task_id) or key_of(run.query_idx) or key or "unknown"
    summary = run.summary if isinstance(run.summary, dict) else {}
    stored = summary.get("max_reward") if run.turn_history else run.reward
    ending = _ending(history)
    policy = f"{source.folder}/{_PART.sub('', source.stem)}"
    rewards = history.rewards
    steps = range(1, len(history.actions) + 1)
    fields = {name: getattr(run, name) for name in run.__struct_fields__[3:]}
    judgement = judge_number(stored, None)
    return Run(
        format=InterCode.name,
        at=row.at,
        id=distinct(key or number, row.position, names, row.at, findings),
        task=f"{environment}/{number}-{digest(plain(run.query))}",
        policy=policy,
        turns=_turns(plain(run.query), environment, history, ending, row.at, findings=findings),
        messages=_count(history),
        labels={"max_reward": Label(judgement.success, judgement.reason, found=stored)},
        stratum=_stratum(ending, summary),
        lookup=fields_of({**fields, "max_reward": stored, "query": run.query, "policy": policy}),
        rewards=() if rewards is None
        else step_rewards(rewards, steps, "turn_history.rewards", row.at, findings),
        task_id=number,
    )  # fmt: skip


def _history(trajectory: list[Step]) -> History:
    return History([step.action for step in trajectory], [step.observation for step in trajectory])


def _ending(history: History) -> _Ending:
    last = plain(history.actions[-1]).strip() if history.actions else ""
    thought = plain(history.thoughts[-1]) if history.thoughts else ""
    submitted = last.partition(" ")[0] == "submit"
    blocked = last == _BLOCKED and len(history.observations) < len(history.actions)
    return _Ending(submitted, submitted and thought.startswith(_FORCED), blocked)


def _stratum(ending: _Ending, summary: dict[str, Any]) -> str | None:
    """Kinds of failures: the provider refused, or the turns ran out before the policy submitted."""
    if ending.blocked:
        return "blocked"
    taken, most = summary.get("turns_taken"), summary.get("turns_max")
    ran_out = type(taken) is int and type(most) is int and taken >= most
    return "step limit" if ending.forced or (ran_out and not ending.submitted) else None


def _turns(
    query: str, environment: str, history: History, ending: _Ending, at: str, *, findings: Findings
) -> tuple[Turn, ...]:
    """The query, then for each action the thought before it, the action and what came back; one step each."""
    thoughts = history.thoughts or history.steps or []
    count = len(history.actions)
    for name, values in (("observations", history.observations), ("thoughts or steps", thoughts)):
        missing = count - len(values)
        if missing < 0 or (name == "observations" and missing > int(ending.blocked)):
            found = f"{len(values)} {name} for {count} actions"
            findings.add("LISTS_UNEQUAL", at, found=found, expected="one for each action")
    turns = [Turn("user", "task", query, 0)]
    for index, action in enumerate(history.actions):
        step, last = index + 1, index == count - 1
        ends = last and (ending.submitted or ending.blocked)
        by: Writer = "task" if last and ending.forced else "policy"
        if index < len(thoughts):
            turns.append(Turn("terminal" if by == "task" else "assistant", by, plain(thoughts[index]), step))
        if last and ending.blocked:
            turns.append(Turn("terminal", "unknown", plain(action), step))
        else:
            text = f"{TOOL} {canonical({'action': action})}"
            turns.append(Turn("terminal" if ends else "tool_call", by, text, step, TOOL))
        if index < len(history.observations):
            tells = ends or (last and environment == _TELLS_TESTS)
            role: Role = "terminal" if tells else "tool_result"
            error = None if tells else _error(history, index)
            turns.append(Turn(role, "world", plain(history.observations[index]), step, TOOL, error=error))
    return tuple(turns)


def _error(history: History, index: int) -> bool | None:
    """The environment says whether an action could be executed; nothing where it does not."""
    valid = (
        history.valid_action[index] if history.valid_action and index < len(history.valid_action) else None
    )
    return not valid if isinstance(valid, bool) else None


def _count(history: History) -> dict[str, int]:
    counts = {
        "action": len(history.actions),
        "observation": len(history.observations),
        "thought": len(history.thoughts or []),
        "step": len(history.steps or []),
    }
    return {name: count for name, count in counts.items() if count}
