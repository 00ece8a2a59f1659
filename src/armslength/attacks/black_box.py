"""A user's own reward as a black box: asked for numbers, within a stated budget of calls (method 1.18).

- Its form is read off its signature: parameters named ``prompts`` or ``completions`` make it the trainers' batch form,
  else it takes one trajectory. Sync and async are both taken.
- Whatever is no finite number is unmeasured with its reason, counted by reason, and never 0.
- It never sees an outcome, a recorded reward or where a run was read.
- One completion, or one trajectory, is one call. Once the budget is spent nothing more is asked.

Tests: ``tests/attacks/test_black_box.py``.
"""

from __future__ import annotations

import functools
import inspect
import math
import sysconfig
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, SupportsFloat

from armslength.errors import InputError
from armslength.records import EVIDENCE_WRITERS, Trajectory, find_points

from .awaiting import Awaiting
from .conversations import conversation

Form = Literal["batch", "trajectory"]

#: Completions that one call of a function of the batch form is given, and coroutines that run at once.
BATCH: Final = 64

SPENT: Final = "the budget of calls is spent"

#: Columns that the batch form is given, one value a completion, beside the three hooks of a trainer.
COLUMNS: Final = ("task", "policy", "id", "trial")


class Failure(str):
    """Why there is no number."""

    __slots__ = ()


Answer = float | Failure


@dataclass(frozen=True)
class Signature:
    """How a reward function is called.

    Attributes:
        form: ``batch`` or ``trajectory``.
        names: keywords that it takes; None where it takes any.
    """

    form: Form
    names: frozenset[str] | None


@dataclass
class Reward:
    """A reward function with its budget, and the account of its calls.

    Attributes:
        function: the user's.
        budget: calls that may be made.
        name: module and name of the function.
        signature: how it is called.
        calls: calls made so far.
        failures: how often each reason for no number occurred.
        first: where each reason occurred first.
    """

    function: Callable[..., Any]
    budget: int
    name: str = field(init=False)
    signature: Signature = field(init=False)
    asynchronous: bool = field(init=False, default=False)
    calls: int = field(init=False, default=0)
    failures: dict[str, int] = field(init=False, default_factory=dict)
    first: dict[str, str] = field(init=False, default_factory=dict)
    _awaiting: Awaiting = field(init=False, default_factory=Awaiting)

    def __post_init__(self) -> None:
        self.signature = signature(self.function)
        self.name = name_of(self.function)

    @property
    def left(self) -> int:
        """Calls that may still be made."""
        return self.budget - self.calls

    def ask(self, runs: Sequence[Trajectory], *, batch: int = BATCH) -> list[Answer]:
        """The reward of each run, in order.

        Args:
            runs: as `visible` returns them.
            batch: how many are asked at once.

        Returns:
            A finite number, or a `Failure` that says why there is none.
        """
        answers: list[Answer] = []
        for start in range(0, len(runs), batch):
            part = runs[start : start + batch]
            paid = part[: self.left]
            self.calls += len(paid)
            found = self._batch(paid) if self.signature.form == "batch" else self._each(paid)
            answers += [*found, *[Failure(SPENT)] * (len(part) - len(paid))]
        for run, answer in zip(runs, answers, strict=True):
            if isinstance(answer, Failure):
                self.failures[answer] = self.failures.get(answer, 0) + 1
                self.first.setdefault(answer, f"{run.id}, turn {len(run.turns)}")
        return answers

    def close(self) -> None:
        """Stop what runs coroutines."""
        self._awaiting.close()

    def _each(self, runs: Sequence[Trajectory]) -> list[Answer]:
        returned = [_guarded(functools.partial(self.function, run)) for run in runs]
        return [
            _last(value, run) if isinstance(value, list | tuple) else _number(value)
            for value, run in zip(self._settle(returned), runs, strict=True)
        ]

    def _batch(self, runs: Sequence[Trajectory]) -> list[Answer]:
        if not runs:
            return []
        (returned,) = self._settle([_guarded(lambda: self.function(**self._arguments(runs)))])
        if isinstance(returned, Failure) and len(runs) > 1:
            # One bad completion must not take the others with it; asking again is paid for like any call.
            alone: list[Answer] = []
            for run in runs:
                if not self.left:
                    alone.append(Failure(SPENT))
                    continue
                self.calls += 1
                alone += self._batch([run])
            return alone
        return _listed(returned, len(runs))

    def _settle(self, returned: Sequence[Any]) -> list[Any]:
        """Values as they are; awaitables are run together and replaced by what came of them."""
        waiting = [at for at, value in enumerate(returned) if inspect.isawaitable(value)]
        settled = list(returned)
        if waiting:
            self.asynchronous = True
            found = self._awaiting.gather([returned[at] for at in waiting])
            for at, value in zip(waiting, found, strict=True):
                settled[at] = _raised(value) if isinstance(value, BaseException) else value
        return settled

    def _arguments(self, runs: Sequence[Trajectory]) -> dict[str, Any]:
        made = [conversation(run) for run in runs]
        given: dict[str, Any] = {
            "prompts": [one.prompt for one in made],
            "completions": [one.completion for one in made],
            **{column: [getattr(run, column) for run in runs] for column in COLUMNS},
            **_HOOKS,
        }
        names = self.signature.names
        return given if names is None else {name: value for name, value in given.items() if name in names}


def visible(run: Trajectory, turns: int | None = None) -> Trajectory:
    """What a reward may see of a run.

    Args:
        run: as recorded.
        turns: how many turns of those that are no terminals; all by default.

    Returns:
        The run without terminals, outcome, recorded rewards and origin.
    """
    kept = tuple(turn for turn in run.turns if turn.role != "terminal")[:turns]
    return Trajectory(run.id, run.task, run.group, run.policy, kept, trial=run.trial)


def signature(function: Callable[..., Any]) -> Signature:
    """Read the form of a reward function off its parameters.

    Raises:
        InputError: it needs a parameter that nothing here can fill (REWARD_ARGUMENT).
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return Signature("trajectory", None)  # a builtin says nothing about itself
    named = {p.name for p in parameters}
    batch = bool(named & {"prompts", "completions"})
    fillable = {"prompts", "completions", *COLUMNS, *_HOOKS} if batch else set()
    needed = [
        p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    free = [p.name for p in needed if p.name not in fillable] if batch else [p.name for p in needed[1:]]
    takes_none = not batch and not any(p.kind in _POSITIONAL for p in parameters)
    if free or takes_none:
        raise InputError(
            "REWARD_ARGUMENT",
            at=name_of(function),
            found=", ".join(free) or "no parameter for the trajectory",
            expected=f"f(completions, **columns) with columns of {', '.join(sorted({'prompts', *COLUMNS}))}; "
            "or f(trajectory)",
            hint="A column of a dataset is not in a recorded run: give it a default.",
        )
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return Signature("batch" if batch else "trajectory", None if anything else frozenset(named))


def name_of(function: Callable[..., Any]) -> str:
    """Module and name of a function, or of the class of a callable object."""
    while isinstance(function, functools.partial):
        function = function.func
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', '?')}:{getattr(named, '__qualname__', '?')}"


_LIBRARIES: Final = tuple(
    {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def _ignored(*_: object, **__: object) -> None:
    """A trainer's logging hook, without a trainer."""


_HOOKS: Final[dict[str, Any]] = {"trainer_state": None, "log_extra": _ignored, "log_metric": _ignored}
_POSITIONAL: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


def _guarded(call: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the user's function returns
    try:
        return call()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's code: one run must not stop all
        return _raised(error)


def _raised(error: BaseException) -> Failure:
    """The kind of the error and the line of the user's code; no message, which may quote a corpus."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(str(Path(__file__).parent))]
    # The last line that is the user's own says more than the line of a library that it called.
    last = next((f for f in reversed(own) if not f.filename.startswith(_LIBRARIES)), own[-1] if own else None)
    where = f" ({Path(last.filename).name}:{last.lineno})" if last else ""
    return Failure(f"raised {type(error).__name__}{where}")


def _listed(returned: Any, size: int) -> list[Answer]:  # noqa: ANN401 - whatever the user's function returns
    if isinstance(returned, Failure):
        return [returned] * size
    if returned is None:
        return [Failure("returned None")] * size
    if isinstance(returned, str | bytes | dict) or not isinstance(returned, Iterable):
        return [Failure("returned no list")] * size
    values = list(returned)
    if len(values) != size:
        return [Failure("returned another number of values than completions")] * size
    return [_number(value) for value in values]


def _last(returned: Sequence[Any], run: Trajectory) -> Answer:
    """The last of a list of values, one a policy step or one a decision point: the reward of the prefix."""
    if len(returned) not in _sizes(run):
        return Failure("returned a list of neither the policy steps nor the decision points")
    return _number(returned[-1])


def _sizes(run: Trajectory) -> set[int]:
    """How long a list may be: policy steps, decision points, or decision points after the policy's first turn."""
    import numpy as np

    policy = np.array([turn.writer == "policy" for turn in run.turns])
    evidence = np.array([turn.writer in EVIDENCE_WRITERS for turn in run.turns])
    spoken = np.array([turn.writer in (*EVIDENCE_WRITERS, "task", "third_party") for turn in run.turns])
    ends = find_points(np.array([0, len(run.turns)]), spoken, evidence).end
    after = int((ends > policy.argmax()).sum()) if policy.any() else 0
    steps = len({turn.step for turn in run.turns if turn.writer == "policy"})
    return {steps, len(ends), after} - {0}


def _number(value: Any) -> Answer:  # noqa: ANN401 - whatever the user's function returns
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
