"""The verifier: the outcome of every generated run follows from its calls and its task."""

import pytest

from armslength.errors import InputError
from armslength.records import Turn
from armslength.worlds import find_task, make_purchases, read_actions, replay, verify

RUNS = list(make_purchases(150, 6, 0))


def test_every_outcome_is_recomputed_from_the_calls():
    """Tool calls and the task alone give the recorded outcome of every run."""
    for run in RUNS:
        calls = [turn for turn in run.turns if turn.role == "tool_call"]
        assert run.outcome.success is verify(find_task(run.task), read_actions(calls))
        assert (run.outcome.source, run.outcome.grade) == ("verifier", "A")


def test_every_tool_result_is_recomputed_from_the_calls():
    """A cold replay gives the recorded texts and error flags, to the letter."""
    for run in RUNS:
        recorded = [(turn.text, turn.error) for turn in run.turns if turn.role == "tool_result"]
        assert recorded == [tuple(r) for r in replay(find_task(run.task), read_actions(run.turns))]


def test_words_do_not_count():
    """The outcome stays when every word of the policy, the customer and the shop is replaced."""
    run = next(run for run in RUNS if run.outcome.success)
    mute = [turn for turn in run.turns if turn.role == "tool_call"]
    lies = [Turn("assistant", "policy", "The order failed.", 0), *mute]
    assert verify(find_task(run.task), read_actions(lies))


@pytest.mark.parametrize(
    "text", ["", "check_stock", "check_stock {", 'check_stock {"product":3}', "x []", "x \ud800"]
)
def test_malformed_calls_are_refused(text):
    """A call that is not a name and an object of texts is an input error that names its step."""
    with pytest.raises(InputError, match="WORLD_ACTION_MALFORMED: at step 7"):
        read_actions([Turn("tool_call", "policy", text, 7)])
