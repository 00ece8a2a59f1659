"""The form of a run: pairs of calls and results, terminals, steps, determinism."""

import itertools
import time

import pytest

from armslength.errors import InputError
from armslength.records import Corpus
from armslength.worlds import POLICIES, make_purchases

RUNS = list(make_purchases(100, 6, 1))


def test_every_call_has_one_result():
    """Call ids pair calls with results of the same tool, one to one."""
    for run in RUNS:
        calls = [(t.call_id, t.name) for t in run.turns if t.name and t.writer == "policy"]
        results = [(t.call_id, t.name) for t in run.turns if t.name and t.writer == "world"]
        assert calls == results
        assert len(calls) == len(set(calls))


def test_tool_results_say_whether_they_are_errors():
    """The error flag is set on results and on nothing else."""
    for turn in itertools.chain.from_iterable(run.turns for run in RUNS):
        assert isinstance(turn.error, bool) is (turn.writer == "world")


def test_terminals_end_the_run():
    """A run ends with the closing call, its result and a farewell, or was cut off without them."""
    for run in RUNS:
        marked = [turn.role == "terminal" for turn in run.turns]
        assert sum(marked) in (0, 3)
        assert sum(marked) == sum(marked[-3:])
        assert sum(marked) or run.outcome.success or run.outcome.stratum == "step limit"
        if sum(marked):
            assert [turn.writer for turn in run.turns[-3:]] == ["policy", "world", "user"]
            assert "###STOP###" in run.turns[-1].text


def test_steps_never_fall():
    """Steps grow by at most one from turn to turn."""
    for run in RUNS:
        steps = [turn.step for turn in run.turns]
        assert {0, 1} >= {b - a for a, b in itertools.pairwise(steps)}


def test_the_same_seed_gives_the_same_runs():
    """Equal arguments give equal runs, a longer draw starts with the shorter one."""
    assert RUNS[:120] == list(make_purchases(20, 6, 1))
    assert RUNS[:6] != list(make_purchases(1, 6, 2))


def test_every_task_is_a_group_of_its_own():
    """No two tasks are merged as near-identical, and no run repeats another."""
    corpus = Corpus.build(RUNS)
    assert corpus.excluded.reasons == {}
    assert len(set(corpus.group.codes)) == len(set(corpus.task.codes)) == 100


def test_every_policy_succeeds_and_fails_at_its_own_rate():
    """No policy is a label: each does both, the competent one most often."""
    rates = {}
    for policy in POLICIES:
        outcomes = [run.outcome.success for run in RUNS if run.policy == policy.name]
        rates[policy.name] = sum(outcomes) / len(outcomes)
    assert all(0.1 < rate < 0.9 for rate in rates.values())
    assert max(rates, key=rates.get) == "competent"
    assert any(run.outcome.stratum == "step limit" for run in RUNS if run.policy == "stuck")


@pytest.mark.parametrize("sizes", [(0, 6, 0), (5, 0, 0), (5, 6, -1)])
def test_sizes_out_of_range_are_refused(sizes):
    """Numbers out of range are refused before the first run is made."""
    with pytest.raises(InputError, match="WORLD_SIZE_INVALID"):
        make_purchases(*sizes)


def test_runs_are_made_quickly():
    """A quarter of the promised rate, so that a busy machine does not fail the test."""
    start = time.process_time()
    made = sum(1 for _ in make_purchases(200, 6, 5))
    assert made / (time.process_time() - start) > 750
