"""τ²-bench runs: official results in one file or as a folder, and exports with one file a task.

- The tasks of a file (expected actions, criteria) give a run's key and never enter a turn.
- A run in which the task's user never occurs has no outcome, and no run of a file that joins its tasks to other
  conversations has: see `tau2_join`.
- In the folder form a simulation that ``results.json`` lists must be there, and one that is there must be listed.

Tests: ``tests/formats/readers/test_tau2_bench.py``. Reference: ``docs/reference/formats/tau2_bench.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Trajectory, Turn

from ..canonical import canonical
from ..findings import Findings
from ..messages import MessageRules, count_roles
from ..names import distinct
from ..outcomes import judge_number
from ..protocol import ReadOptions
from ..runs import Label, Lookup, Run, fields_of, key_of, to_trajectories
from ..storage.beside import read_beside
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_array, read_keyed_rows, read_rows
from ..storage.sources import Source, stem
from .tau2_join import has_sign, is_wrongly_joined, user_signs
from .tau2_tasks import tau2_definition
from .tau2_turns import Tau2Message, tau2_turns

#: Endings that say nothing about the policy: the benchmark leaves them out of its own figures, or nobody spoke.
CRASHES: Final = frozenset(
    {"user_error", "infrastructure_error", "unexpected_error", "context_window_exceeded"}
)
#: Endings that are failures of their own kind.
STRATA: Final = {
    "max_steps": "step limit",
    "too_many_errors": "too many errors",
    "timeout": "timeout",
    "agent_error": "agent error",
}
_ENDINGS: Final = frozenset({"user_stop", "agent_stop", *CRASHES, *STRATA})
_FIELDS: Final = ("id", "task_id", "trial", "seed", "mode", "reward_info")
_FOLDER: Final = "simulations"


class Simulation(msgspec.Struct, gc=False):
    """A run in official files, or the whole file of an export."""

    messages: list[Tau2Message] | None = None
    id: Any = None
    task_id: Any = None
    trial: Any = None
    seed: Any = None
    mode: Any = None
    termination_reason: Any = None
    reward_info: Any = None
    run_info: Any = None
    task: Any = None


@dataclass(frozen=True)
class _Results:
    """What a file says about all of its runs."""

    domain: str | None = None
    policy: str | None = None
    signs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    definitions: Mapping[str, object] = field(default_factory=dict)
    index: tuple[str, ...] | None = None


class _Read(NamedTuple):
    """A run that has been read and not yet judged."""

    at: str
    position: int
    simulation: Simulation
    turns: tuple[Turn, ...]
    has_user: bool | None


_SIMULATION = msgspec.json.Decoder(Simulation)
_ANY = msgspec.json.Decoder(Any)


class Tau2Bench:
    """Reader of τ²-bench results."""

    name = "tau2_bench"
    left_out = (
        "tasks with expected actions and criteria",
        "ticks of voice runs",
        "costs, token counts and times",
        "reviews by other models",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Results with tasks and the environment's name, exports of a task, single simulations."""
        for keys in (
            ("info.environment_info", "tasks"),
            ("simulations", "tasks"),
            ("simulation_index",),
            ("task_id", "task", "run_info"),
            ("task_id", "termination_reason", "reward_info"),
        ):
            if head.why_not(*keys) is None:
                return None
        return head.why_not("tasks", "simulations") or "no runs"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a file's runs; all are read before the first is given, since the join is judged on all."""
        return to_trajectories(_read_runs(source, options, findings), options, findings)


def _read_runs(source: Source, options: ReadOptions, findings: Findings) -> Iterator[Run]:
    members = dict(read_keyed_rows(source, Findings()))
    results = _results(members)
    rules = MessageRules(source.name, findings, options.roles)
    runs = [
        _read(at, position, simulation, results, rules)
        for position, (at, simulation) in enumerate(_simulations(source, members, results, findings))
    ]
    wrong = is_wrongly_joined([run.has_user for run in runs])
    if wrong:
        known = [run.has_user for run in runs if run.has_user is not None]
        findings.add(
            "TASKS_WRONGLY_JOINED", source.name,
            found=f"the task's user occurs in {sum(known)} of {len(known)} conversations",
            expected="conversations about the tasks that they name",
        )  # fmt: skip
    names: set[str] = set()
    for run in runs:
        refused = "task of another conversation" if wrong else None
        if run.has_user is False and not wrong:
            refused = "task's user absent"
            findings.add("TASK_USER_ABSENT", run.at, expected="the task's user in the conversation")
        yield _as_run(run, results, source, names, findings, refused=refused)


def _simulations(
    source: Source, members: Mapping[str, Row], results: _Results, findings: Findings
) -> Iterator[tuple[str, Simulation]]:
    """The runs of a file with their places."""
    if not {"tasks", "info", "simulations", "simulation_index"} & members.keys():
        if _belongs_to_results(source):
            findings.note("READ_WITH_RESULTS", source.name)
            return
        rows = list(read_rows(source, findings))
        for row in rows:
            simulation = decode(row, _SIMULATION, findings)
            if simulation is not None:
                yield row.at if len(rows) > 1 else source.name, simulation
    elif results.index is not None or ("simulations" not in members and _folder(source).is_dir()):
        for _ in read_keyed_rows(source, findings):
            pass  # says what is torn
        yield from _of_folder(source, results, findings)
    else:
        for row in read_array(source, "simulations", findings):
            simulation = decode(row, _SIMULATION, findings)
            if simulation is not None:
                yield row.at, simulation


def _of_folder(source: Source, results: _Results, findings: Findings) -> Iterator[tuple[str, Simulation]]:
    """The simulations beside a ``results.json``: listed ones first, then those that nobody lists."""
    prefix = source.name.rpartition("/")[0]
    files = sorted(_folder(source).glob("*.json*"))
    there = {stem(path.name): path.name for path in files if path.is_file() and path.name[0] != "."}
    listed = results.index or ()
    for name in listed:
        if name not in there:
            expected = f"a file of {_FOLDER}/ for each one listed"
            findings.add("SIMULATION_MISSING", source.name, found=name, expected=expected)
    for name in dict.fromkeys([*(name for name in listed if name in there), *there]):
        relative = f"{_FOLDER}/{there[name]}"
        at = f"{prefix}/{relative}" if prefix else relative
        if results.index is not None and name not in listed:
            findings.add("SIMULATION_UNLISTED", at, expected="simulations that results.json lists")
        simulation = read_beside(source, relative, _SIMULATION, findings)
        if simulation is not None:
            yield at, simulation


def _folder(source: Source) -> Path:
    return source.path.absolute().parent / _FOLDER


def _belongs_to_results(source: Source) -> bool:
    """Whether a simulation lies beside a ``results.json`` that is read with it."""
    parent = source.path.absolute().parent
    given = f"/{source.name}".endswith(f"/{_FOLDER}/{source.path.name}")
    return given and any((parent.parent / f"results.json{end}").is_file() for end in ("", ".gz", ".zst"))


def _results(members: Mapping[str, Row]) -> _Results:
    info = _member(members, "info")
    environment, agent = _dict(info, "environment_info"), _dict(info, "agent_info")
    tasks, index = _member(members, "tasks"), _member(members, "simulation_index")
    listed = {
        _id(task.get("id")): task
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, dict)
    }
    parts = (key_of(agent.get("implementation")), key_of(agent.get("llm")))
    return _Results(
        domain=key_of(environment.get("domain_name")),
        policy="/".join(part for part in parts if part) or None,
        signs={name: user_signs(task) for name, task in listed.items()},
        definitions={name: tau2_definition(task) for name, task in listed.items()},
        index=tuple(_id(entry.get("id")) for entry in index if isinstance(entry, dict))
        if isinstance(index, list)
        else None,
    )


def _id(value: object) -> str:
    """An id as text: some files number tasks, some name them."""
    return key_of(value) or "null"


def _member(members: Mapping[str, Row], key: str) -> object:
    return decode(members[key], _ANY, Findings()) if key in members else None


def _dict(value: object, key: str) -> dict[str, Any]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _read(at: str, position: int, simulation: Simulation, results: _Results, rules: MessageRules) -> _Read:
    turns = tau2_turns(simulation.messages or [], rules, at)
    signs = user_signs(simulation.task) if simulation.task is not None else None
    if signs is None:
        signs = results.signs.get(_id(simulation.task_id), frozenset())
    return _Read(at, position, simulation, turns, has_sign(turns, signs))


def _as_run(
    run: _Read, results: _Results, source: Source, names: set[str], findings: Findings, *, refused: str | None
) -> Run:
    simulation = run.simulation
    run_info = simulation.run_info if isinstance(simulation.run_info, dict) else {}
    reason = simulation.termination_reason or run_info.get("termination_reason")
    if not isinstance(reason, str) or reason not in _ENDINGS:
        findings.add(
            "ENDING_UNKNOWN", run.at, found=canonical(reason), expected="a listed termination_reason"
        )
    name = key_of(simulation.id) or key_of(run_info.get("simulation_id")) or source.label
    task_id = _id(simulation.task_id)
    instructions = _dict(_dict({"task": simulation.task}, "task").get("user_scenario"), "instructions")
    domain = results.domain or key_of(instructions.get("domain")) or "unknown"
    policy = results.policy or source.folder
    known = {"termination_reason": reason, "run_info": run_info, "domain": domain, "policy": policy}
    return Run(
        format=Tau2Bench.name,
        at=run.at,
        id=distinct(name, run.position, names, run.at, findings),
        task=f"{domain}/{task_id}",
        policy=policy,
        turns=run.turns,
        messages=count_roles(simulation.messages or []),
        labels=_labels(simulation.reward_info),
        label="reward",
        stratum=STRATA.get(reason) if isinstance(reason, str) else None,
        lookup=_lookup(simulation, known),
        trial=simulation.trial if type(simulation.trial) is int else None,
        task_id=task_id,
        definition=results.definitions.get(task_id)
        if simulation.task is None
        else tau2_definition(simulation.task),
        excluded=_crash(reason, run.turns) or refused,
    )


def _lookup(simulation: Simulation, known: Mapping[str, object]) -> Lookup:
    """Fields by name; the reward by itself, since nobody should have to know where it is stored."""
    fields = {key: getattr(simulation, key) for key in _FIELDS}
    stored = simulation.reward_info
    reward = {"reward": stored["reward"]} if isinstance(stored, dict) and "reward" in stored else {}
    return fields_of({**fields, **reward, **known})


def _crash(reason: object, turns: tuple[Turn, ...]) -> str | None:
    return "crashed" if not turns or (isinstance(reason, str) and reason in CRASHES) else None


def _labels(stored: object) -> dict[str, Label]:
    """The reward, and whether the final database is the expected one."""
    if not isinstance(stored, dict):
        return {"reward": Label(None, "no reward_info"), "db_match": Label(None, "no reward_info")}
    judgement = judge_number(stored.get("reward"), None)
    basis = stored.get("reward_basis")
    judged = isinstance(basis, list) and "NL_ASSERTION" in basis  # another model's word verifies nothing
    match = _dict(stored, "db_check").get("db_match")
    return {
        "reward": Label(
            judgement.success, judgement.reason, "C" if judged else "B", found=stored.get("reward")
        ),
        "db_match": Label(match) if isinstance(match, bool) else Label(None, "database not checked"),
    }
