"""A user's own reward as a black box: asked for numbers, within a stated budget of calls (method 1.18).

- Its form is read off its signature: parameters named ``prompts`` or ``completions`` make it the trainers' batch form,
  else it takes one trajectory. Sync and async are both taken.
- Whatever is no finite number is unmeasured with its reason, counted by reason, and never 0.
- It never sees an outcome, a recorded reward or where a run was read.
- One completion, or one trajectory, is one call. Once the budget is spent nothing more is asked; nor of a function
  that has brought no number in its first `HOPELESS` calls.

Tests: ``tests/attacks/test_black_box.py``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from armslength.errors import InputError
from armslength.records import Trajectory

from .answers import Answer, Failure, guarded, last, listed, number, raised
from .awaiting import Awaiting
from .conversations import conversation

Form = Literal["batch", "trajectory"]

#: Completions that one call of a function of the batch form is given, and coroutines that run at once.
BATCH: Final = 64

SPENT: Final = "the budget of calls is spent"

#: A function of which so many calls brought no number at all is broken: it is not asked any more.
HOPELESS: Final = 256
GIVEN_UP: Final = f"not asked: the first {HOPELESS} calls brought no number"

#: Columns that the batch form is given, one value a completion, beside the three hooks of a trainer.
COLUMNS: Final = ("task", "policy", "id", "trial")


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
    _heard: bool = field(init=False, default=False)
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
            if self.calls >= HOPELESS and not self._heard:
                answers += [Failure(GIVEN_UP)] * len(part)
                continue
            paid = part[: self.left]
            self.calls += len(paid)
            found = self._batch(paid) if self.signature.form == "batch" else self._each(paid)
            self._heard |= any(not isinstance(answer, Failure) for answer in found)
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
        returned = [guarded(functools.partial(self.function, run)) for run in runs]
        return [
            last(value, run) if isinstance(value, list | tuple) else number(value)
            for value, run in zip(self._settle(returned), runs, strict=True)
        ]

    def _batch(self, runs: Sequence[Trajectory]) -> list[Answer]:
        if not runs:
            return []
        (returned,) = self._settle([guarded(lambda: self.function(**self._arguments(runs)))])
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
        return listed(returned, len(runs))

    def _settle(self, returned: Sequence[Any]) -> list[Any]:
        """Values as they are; awaitables are run together and replaced by what came of them."""
        waiting = [at for at, value in enumerate(returned) if inspect.isawaitable(value)]
        settled = list(returned)
        if waiting:
            self.asynchronous = True
            found = self._awaiting.gather([returned[at] for at in waiting])
            for at, value in zip(waiting, found, strict=True):
                settled[at] = raised(value) if isinstance(value, BaseException) else value
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


def _ignored(*_: object, **__: object) -> None:
    """A trainer's logging hook, without a trainer."""


_HOOKS: Final[dict[str, Any]] = {"trainer_state": None, "log_extra": _ignored, "log_metric": _ignored}
_POSITIONAL: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)
