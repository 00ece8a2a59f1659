"""What a reward function gave back, read as a number or as the reason why there is none (method 1.18).

Only a finite number is one: None, NaN, an infinity, a text, a list of another length and a raise are each a
`Failure`, never 0.
A reason names kinds and lines of code, never words of a run.

Tests: ``tests/attacks/test_black_box.py``.
"""

from __future__ import annotations

import math
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, SupportsFloat

import numpy as np

from armslength.records import EVIDENCE_WRITERS, Trajectory, find_points


class Failure(str):
    """Why there is no number."""

    __slots__ = ()


Answer = float | Failure

_LIBRARIES: Final = tuple(
    {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def guarded(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the user's function returns
    """What a call returns, or the `Failure` of what it raised."""
    try:
        return call()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code: one run must not stop all
        return raised(error)


def raised(error: BaseException) -> Failure:
    """The kind of the error and the line of the user's code; no message, which may quote a corpus."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(str(Path(__file__).parent))]
    # The last line that is the user's own says more than the line of a library that it called.
    last = next((f for f in reversed(own) if not f.filename.startswith(_LIBRARIES)), own[-1] if own else None)
    where = f" ({Path(last.filename).name}:{last.lineno})" if last else ""
    return Failure(f"raised {type(error).__name__}{where}")


def listed(returned: Any, size: int) -> list[Answer]:  # noqa: ANN401 - whatever the user's function returns
    """One answer a completion, of what a function of the batch form returned."""
    if isinstance(returned, Failure):
        return [returned] * size
    if returned is None:
        return [Failure("returned None")] * size
    if isinstance(returned, str | bytes | dict) or not isinstance(returned, Iterable):
        return [Failure("returned no list")] * size
    values = list(returned)
    if len(values) != size:
        return [Failure("returned another number of values than completions")] * size
    return [number(value) for value in values]


def last(returned: Sequence[Any], run: Trajectory) -> Answer:
    """The last of a list of values, one a policy step or one a decision point: the reward of the prefix."""
    if len(returned) not in _sizes(run):
        return Failure("returned a list of neither the policy steps nor the decision points")
    return number(returned[-1])


def _sizes(run: Trajectory) -> set[int]:
    """How long a list may be: policy steps, decision points, or decision points after the policy's first turn."""
    policy = np.array([turn.writer == "policy" for turn in run.turns])
    evidence = np.array([turn.writer in EVIDENCE_WRITERS for turn in run.turns])
    spoken = np.array([turn.writer in (*EVIDENCE_WRITERS, "task", "third_party") for turn in run.turns])
    ends = find_points(np.array([0, len(run.turns)]), spoken, evidence).end
    after = int((ends > policy.argmax()).sum()) if policy.any() else 0
    steps = len({turn.step for turn in run.turns if turn.writer == "policy"})
    return {steps, len(ends), after} - {0}


def number(value: Any) -> Answer:  # noqa: ANN401 - whatever the user's function returns
    """One value as a finite number."""
    if isinstance(value, Failure):
        return value
    if value is None:
        return Failure("returned None")
    if isinstance(value, str | bytes) or not isinstance(value, SupportsFloat):
        return Failure("returned no number")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return Failure("returned no number")
    if math.isnan(number):
        return Failure("returned NaN")
    return number if math.isfinite(number) else Failure("returned an infinite number")
