"""What a τ²-bench task expects: its criteria in one form, whichever version of the benchmark stored them.

Tests: ``tests/formats/readers/test_tau2_bench.py``. Reference: ``docs/reference/formats/tau2_bench.md``.
"""

from __future__ import annotations

from typing import Any, Final

#: What the reward of a task is a product of, where the task does not say.
_BASIS: Final = ("DB", "COMMUNICATE")


def tau2_definition(task: object) -> dict[str, Any] | None:
    """What a stored task expects; None if it has no criteria.

    Args:
        task: as a file stores it.

    Returns:
        Its actions, what is to be said, the other criteria and the parts of the reward, without numbering and nulls.
    """
    criteria = task.get("evaluation_criteria") if isinstance(task, dict) else None
    if not isinstance(criteria, dict):
        return None
    actions = criteria.get("actions") or []
    return {
        "actions": [_action(action) for action in actions] if isinstance(actions, list) else actions,
        "communicate_info": criteria.get("communicate_info") or [],
        "env_assertions": criteria.get("env_assertions") or [],
        "nl_assertions": criteria.get("nl_assertions") or [],
        "reward_basis": criteria.get("reward_basis") or list(_BASIS),
    }


def _action(action: object) -> object:
    if not isinstance(action, dict):
        return action
    made = {key: action.get(key) for key in ("name", "arguments", "compare_args")}
    return {**made, "requestor": action.get("requestor") or "assistant"}
