"""Rollouts of verifiers v0: a prompt and a completion a line, as lists, as texts, or as JSON inside a text.

- The prompt is the task's; what stands in the completion under ``assistant`` is the policy's.
- Users and tools of the completion are the environment's.

Tests: ``tests/formats/readers/test_verifiers.py``. Reference: ``docs/reference/formats/verifiers.md``.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from armslength.records import StepReward, Turn

from ..canonical import canonical, digest, parse
from ..findings import Findings
from ..labelled import tool_names
from ..messages import Message, MessageRules, count_roles, to_turns
from ..names import distinct
from ..rewards import policy_steps, step_rewards
from ..runs import Lookup, Run, fields_of, key_of
from ..sides import sides
from ..storage.beside import read_beside
from ..storage.rows import Row, decode, decode_rows, read_rows
from ..storage.sources import Source
from .verifiers_rewards import all_binary, is_judge, limit_of, reward_label


class Rollout(msgspec.Struct):
    """The fields of a line that are read; the answer is none of them."""

    example_id: Any = None
    problem_id: Any = None
    sample_id: Any = None
    run_id: Any = None
    step: Any = None
    env_name: Any = None
    task: Any = None
    prompt: list[Message] | str | None = None
    completion: list[Message] | str | UnsetType | None = UNSET
    reward: Any = UNSET
    metrics: Any = None
    error: Any = None
    is_truncated: Any = None
    stop_condition: Any = None
    tool_defs: Any = None
    trajectory: Any = None


class _Environment(msgspec.Struct):
    id: Any = None


class _Training(msgspec.Struct):
    base_model: Any = None
    environments: list[_Environment] | None = None


class _Metadata(msgspec.Struct):
    env_id: Any = None
    model: Any = None
    run: _Training | None = None


class _Setting(NamedTuple):
    """What holds for a whole file."""

    source: Source
    rules: MessageRules
    env: str | None
    model: str
    binary: bool


_ROLLOUT: Final = msgspec.json.Decoder(Rollout)
_METADATA: Final = msgspec.json.Decoder(_Metadata)
_FIELDS: Final = msgspec.json.Decoder(dict[str, Any])


def rollout_runs(source: Source, rules: MessageRules) -> Iterator[Run]:
    """Rollouts as runs; the attempts at an example are numbered in the order of the file."""
    setting = _setting(source, rules)
    names: set[str] = set()
    attempts: Counter[str] = Counter()
    for row, rollout in decode_rows(read_rows(source, rules.findings), _ROLLOUT, rules.findings):
        if rollout.completion is UNSET:
            rules.findings.add("ROW_INVALID", row.at, found="no completion", expected="a verifiers rollout")
            continue
        yield _run(row, rollout, setting, attempts, names)


def _setting(source: Source, rules: MessageRules) -> _Setting:
    about = read_beside(source, "metadata.json", _METADATA, rules.findings) or _Metadata()
    training = about.run or _Training()
    env = key_of(about.env_id)
    if env is None and training.environments and len(training.environments) == 1:
        env = key_of(training.environments[0].id)
    model = key_of(about.model) or key_of(training.base_model) or "unknown"
    return _Setting(source, rules, env, model, all_binary(source))


def _run(row: Row, rollout: Rollout, setting: _Setting, attempts: Counter[str], names: set[str]) -> Run:
    findings = setting.rules.findings
    stored = rollout.completion or None  # nothing at all, if it broke off
    prompt, completion, _ = sides(rollout.prompt or None, stored, row.at, findings)
    turns = _turns(prompt, completion, rollout, setting.rules, row.at)
    example = key_of(rollout.example_id) or key_of(rollout.problem_id)
    env = key_of(rollout.env_name) or setting.env
    task = f"{env or setting.source.folder}/{example or _prompt_digest(turns)}"
    trial, attempts[task] = attempts[task], attempts[task] + 1
    metrics = _object(rollout.metrics)
    judged = is_judge(metrics)
    if judged:
        findings.note("JUDGED_BY_MODEL", setting.source.name)
    labelled = rollout.reward is not UNSET
    name = key_of(rollout.sample_id) or f"{example or row.position}/{trial}"
    return Run(
        format="verifiers",
        at=row.at,
        id=distinct(name, row.position, names, row.at, findings),
        task=task,
        policy=_policy(rollout, setting.model),
        turns=turns,
        messages={f"prompt:{role}": n for role, n in count_roles(prompt).items()}
        | {f"completion:{role}": n for role, n in count_roles(completion).items()},
        labels={"reward": reward_label(rollout.reward, binary=setting.binary, judged=judged)}
        if labelled
        else {},
        label="reward" if labelled else None,
        stratum=limit_of(rollout.stop_condition, truncated=rollout.is_truncated is True),
        lookup=_lookup(row, metrics),
        rewards=_rewards(rollout, turns, row.at, findings),
        trial=trial,
        task_id=example,
        excluded="crashed" if rollout.error else None,
    )


def _turns(
    prompt: list[Message], completion: list[Message], rollout: Rollout, rules: MessageRules, at: str
) -> tuple[Turn, ...]:
    for message in prompt:
        message.is_copied_context = True
    return to_turns([*prompt, *completion], rules, at, tool_names(rollout.tool_defs))


def _prompt_digest(turns: tuple[Turn, ...]) -> str:
    return digest(canonical([turn.text for turn in turns if turn.writer == "task"]))


def _policy(rollout: Rollout, model: str) -> str:
    """The model; while it is trained, at a step of its run, since each step is another policy."""
    run, step = key_of(rollout.run_id), key_of(rollout.step)
    return model if run is None or step is None else f"{model}/{run}/step {step}"


def _rewards(
    rollout: Rollout, turns: tuple[Turn, ...], at: str, findings: Findings
) -> tuple[StepReward, ...]:
    """Rewards of the steps, which only some environments set."""
    steps = rollout.trajectory if isinstance(rollout.trajectory, list) else []
    values = [step.get("reward") if isinstance(step, dict) else None for step in steps]
    if all(value is None for value in values):
        return ()
    return step_rewards(values, policy_steps(turns), "trajectory.reward", at, findings)


def _lookup(row: Row, metrics: dict[str, Any]) -> Lookup:
    """Fields of a line, and its metrics by their names; a line is decoded in full only if somebody asks."""

    def lookup(name: str) -> object:
        fields = decode(row, _FIELDS, Findings()) or {}
        return fields_of({**metrics, **fields, "metrics": metrics})(name)

    return lookup


def _object(value: object) -> dict[str, Any]:
    """An object, also such as JSON inside a text."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = parse(value)
    return value if isinstance(value, dict) else {}
