"""A reward as a black box: both forms, what is no number, and the budget."""
# ruff: noqa: ARG001, ARG005 - signatures are what is tested

import asyncio
import functools
import json
import math

import numpy as np
import pytest

from armslength.attacks import Failure, Reward, visible
from armslength.errors import InputError
from armslength.records import Outcome, StepReward, Trajectory, Turn


def run(number, words="fine"):
    turns = (
        Turn("user", "user", "please", 0),
        Turn("assistant", "policy", f"{words} {number}", 1),
        Turn("tool_result", "world", "done", 2),
        Turn("terminal", "policy", "###STOP###", 3),
    )
    outcome = Outcome(True, "x", "A")
    return Trajectory(f"r{number}", "t", "t", "p", turns, outcome, rewards=(StepReward(1, 1.0, "x"),))


RUNS = [visible(run(number)) for number in range(5)]


def asked(function, runs=RUNS, budget=1000, **options):
    reward = Reward(function, budget)
    try:
        return reward.ask(runs, **options), reward
    finally:
        reward.close()


def last(message):
    return float(message["content"].split()[-1])


def batch(prompts, completions, task, **kwargs):
    assert [p[0]["role"] for p in prompts] == ["user"] * len(completions)
    assert task == ["t"] * len(completions)
    assert {"policy", "id", "trial", "trainer_state", "log_extra", "log_metric"} <= set(kwargs)
    return [last(completion[0]) for completion in completions]


async def batch_later(completions, **kwargs):
    await asyncio.sleep(0)
    return [last(completion[0]) for completion in completions]


async def later(trajectory):
    await asyncio.sleep(0)
    return last({"content": trajectory.turns[1].text})


class Judge:
    async def __call__(self, trajectory):
        return last({"content": trajectory.turns[1].text})


@pytest.mark.parametrize(
    ("function", "form", "asynchronous"),
    [
        (batch, "batch", False),
        (batch_later, "batch", True),
        (lambda completions: np.arange(len(completions)) * 1.0, "batch", False),
        (lambda trajectory: last({"content": trajectory.turns[1].text}), "trajectory", False),
        (later, "trajectory", True),
        (Judge(), "trajectory", True),
        (functools.partial(later), "trajectory", True),
    ],
)
def test_the_form_is_read_off_the_signature(function, form, asynchronous):
    """Batch and single, sync and async, give the same numbers in the order of the runs."""
    answers, reward = asked(function)
    assert answers == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert (reward.signature.form, reward.asynchronous, reward.calls) == (form, asynchronous, 5)


def test_async_rewards_run_inside_a_running_loop():
    """A notebook has one already."""

    async def main():
        return asked(later)[0]

    assert asyncio.run(main()) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_outcome_rewards_and_terminals_are_hidden():
    seen = visible(run(1))
    assert (seen.outcome, seen.rewards, seen.origin) == (None, (), None)
    assert [turn.role for turn in seen.turns] == ["user", "assistant", "tool_result"]
    assert len(visible(run(1), 2).turns) == 2


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "returned None"),
        (math.nan, "returned NaN"),
        (math.inf, "returned an infinite number"),
        ("0.5", "returned no number"),
        ({"score": 1}, "returned no number"),
        ([], "returned a list of neither the policy steps nor the decision points"),
        ([1.0] * 7, "returned a list of neither the policy steps nor the decision points"),
        ([math.nan], "returned NaN"),
    ],
)
def test_what_is_no_number_is_unmeasured_with_its_reason(value, reason):
    """Never 0; counted by reason, with the first place."""
    answers, reward = asked(lambda trajectory: 1.0 if trajectory.id == "r0" else value)
    assert answers[0] == 1.0
    assert answers[1:] == [reason] * 4
    assert all(isinstance(answer, Failure) for answer in answers[1:])
    assert reward.failures == {reason: 4}
    assert reward.first == {reason: "r1, turn 3"}


def test_a_list_is_one_value_a_policy_step_or_decision_point():
    """The last one is the reward of the prefix."""
    assert asked(lambda trajectory: [0.25])[0] == [0.25] * 5  # one step, and one point after it
    assert asked(lambda trajectory: (0.5, 0.75))[0] == [0.75] * 5  # two decision points


def test_a_raise_is_unmeasured_and_says_where():
    def raises(trajectory):
        if trajectory.id == "r3":
            raise KeyError(trajectory.turns[1].text)
        return 1.0

    answers, reward = asked(raises)
    assert answers[:3] + answers[4:] == [1.0] * 4
    ((reason, count),) = reward.failures.items()
    assert count == 1
    assert reason.startswith("raised KeyError (test_black_box.py:")
    assert "fine" not in reason


def test_the_line_is_the_users_not_that_of_a_library():
    (reason,) = asked(lambda trajectory: json.loads("no JSON"))[1].failures
    assert reason.startswith("raised JSONDecodeError (test_black_box.py:")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_one_bad_completion_does_not_take_its_batch_with_it(asynchronous):
    """After a raise each is asked alone, and those calls are counted."""

    def sync(completions):
        if any("bad" in completion[0]["content"] for completion in completions):
            raise SystemExit("stop")
        return [1.0] * len(completions)

    async def not_sync(completions):
        return sync(completions)

    runs = [*RUNS[:2], visible(run(9, "bad")), *RUNS[3:]]
    answers, reward = asked(not_sync if asynchronous else sync, runs)
    assert [isinstance(answer, Failure) for answer in answers] == [False, False, True, False, False]
    assert reward.calls == 10


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ([1.0, 2.0], "returned another number of values than completions"),
        (1.0, "returned no list"),
        ("12345", "returned no list"),
        (None, "returned None"),
    ],
)
def test_a_batch_of_another_length_is_unmeasured(returned, reason):
    answers, reward = asked(lambda completions: returned)
    assert answers == [reason] * 5
    assert reward.calls == 5


def test_nothing_is_asked_beyond_the_budget():
    calls = []
    answers, reward = asked(lambda trajectory: calls.append(1) or 1.0, budget=3, batch=2)
    assert (answers, len(calls)) == ([1.0] * 3 + ["the budget of calls is spent"] * 2, 3)
    assert (reward.calls, reward.left) == (3, 0)


def test_a_function_that_never_answers_is_given_up():
    """A broken function is not asked fifty thousand times; one number is enough to go on."""
    runs = RUNS * 100
    answers, reward = asked(lambda trajectory: None, runs)
    assert reward.calls == 256
    assert answers[255:257] == ["returned None", "not asked: the first 256 calls brought no number"]
    first = iter([1.0])
    assert asked(lambda trajectory: next(first, None), runs, budget=400)[1].calls == 400


def test_asking_again_one_by_one_keeps_to_the_budget():
    def raises(completions):
        raise ValueError

    answers, reward = asked(raises, budget=7)
    assert reward.calls == 7
    assert sum(answer == "the budget of calls is spent" for answer in answers) == 3


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda completions, answer: [], "answer"),
        (lambda completions, completion_ids, **kwargs: [], "completion_ids"),
        (lambda trajectory, weight: 0.0, "weight"),
        (lambda: 0.0, "no parameter for the trajectory"),
        (lambda *, k: 0.0, "no parameter for the trajectory"),
    ],
)
def test_a_parameter_that_nothing_can_fill_is_refused_at_once(function, found):
    with pytest.raises(InputError, match="REWARD_ARGUMENT") as caught:
        Reward(function, 10)
    assert found in caught.value.found
