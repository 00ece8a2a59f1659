"""τ²-bench runs: official results in one file or as a folder, and exports with one file a task.

- The tasks of a file (expected actions, criteria) give a run's key and never enter a turn.
- A run in which the task's user never occurs has no outcome, and no run of a file that joins its tasks to other
  conversations has: see `tau2_join`.
- Where the runs of a file stand: see `tau2_files`.

Tests: ``tests/formats/readers/test_tau2_bench.py``. Reference: ``docs/reference/formats/tau2_bench.md``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from armslength.records import Trajectory, Turn

from ..canonical import canonical
from ..findings import Findings
from ..messages import MessageRules, count_roles
from ..names import distinct
from ..outcomes import judge_number
from ..protocol import ReadOptions
from ..runs import Label, Lookup, Run, fields_of, key_of, to_trajectories
from ..storage.outline import Outline
from ..storage.sources import Source
from .tau2_files import (
    Simulation,
    Tau2Results,
    id_text,
    member_of,
    read_members,
    read_simulations,
    results_of,
)
from .tau2_join import has_sign, is_wrongly_joined, user_signs
from .tau2_tasks import tau2_definition
from .tau2_turns import tau2_turns

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


class _Read(NamedTuple):
    """A run that has been read and not yet judged."""

    at: str
    position: int
    simulation: Simulation
    turns: tuple[Turn, ...]
    has_user: bool | None


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
    members = read_members(source, findings)
    results = results_of(members)
    rules = MessageRules(source.name, findings, options.roles)
    runs = [
        _read(at, position, simulation, results, rules)
        for position, (at, simulation) in enumerate(read_simulations(source, members, results, findings))
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


def _read(at: str, position: int, simulation: Simulation, results: Tau2Results, rules: MessageRules) -> _Read:
    turns = tau2_turns(simulation.messages or [], rules, at)
    signs = user_signs(simulation.task) if simulation.task is not None else None
    if signs is None:
        signs = results.signs.get(id_text(simulation.task_id), frozenset())
    return _Read(at, position, simulation, turns, has_sign(turns, signs))


def _as_run(
    run: _Read,
    results: Tau2Results,
    source: Source,
    names: set[str],
    findings: Findings,
    *,
    refused: str | None,
) -> Run:
    simulation = run.simulation
    run_info = simulation.run_info if isinstance(simulation.run_info, dict) else {}
    reason = simulation.termination_reason or run_info.get("termination_reason")
    if not isinstance(reason, str) or reason not in _ENDINGS:
        findings.add(
            "ENDING_UNKNOWN", run.at, found=canonical(reason), expected="a listed termination_reason"
        )
    name = key_of(simulation.id) or key_of(run_info.get("simulation_id")) or source.label
    task_id = id_text(simulation.task_id)
    instructions = member_of(
        member_of({"task": simulation.task}, "task").get("user_scenario"), "instructions"
    )
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
        excluded=refused
        or _crash(reason, run.turns),  # whatever ``--crashed`` says, a refused run has no outcome
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
    match = member_of(stored, "db_check").get("db_match")
    return {
        "reward": Label(
            judgement.success, judgement.reason, "C" if judged else "B", found=stored.get("reward")
        ),
        "db_match": Label(match) if isinstance(match, bool) else Label(None, "database not checked"),
    }
