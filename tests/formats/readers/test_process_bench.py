"""ProcessBench: the steps of a solution, and labels of steps as rewards."""

import json

import pytest

from armslength.formats import read

FILE = "process_bench/sums.json"


@pytest.fixture
def runs(data):
    return list(read(data / FILE))


@pytest.fixture
def solution(data):
    return json.loads((data / FILE).read_text())[0]


def test_the_problem_is_the_tasks_and_the_steps_are_the_policys(runs):
    assert [(t.role, t.writer, t.text, t.step) for t in runs[0].turns] == [
        ("user", "task", "Ann has 3 apples and buys 2. How many?", 0),
        ("assistant", "policy", "She has 3.", 1),
        ("assistant", "policy", "She buys 2.", 2),
        ("assistant", "policy", "3 + 2 = 6.", 3),
    ]


def test_labels_keys_and_policies(runs):
    assert [(t.id, t.policy, t.outcome.success, t.outcome.grade) for t in runs] == [
        ("apples-1", "model-a", False, "B"),
        ("apples-2", "model-b", True, "B"),
        ("pens-1", "model-a", True, "B"),
    ]
    assert runs[0].task == runs[1].task != runs[2].task


def test_what_nobody_looked_at_is_unmeasured(runs):
    after = "after the first wrong step"
    assert [[(r.step, r.value, r.reason) for r in t.rewards] for t in runs] == [
        [(1, 1.0, None), (2, 1.0, None), (3, 0.0, None)],
        [(1, 1.0, None)],
        [(1, 0.0, None), (2, None, after), (3, None, after)],
    ]


@pytest.mark.parametrize("label", [3, -2, True, "1", None, 1.0])
def test_a_label_of_no_step_is_a_finding(solution, read_rows_of, label):
    solution["label"] = label
    (got,), findings = read_rows_of(solution)
    assert (got.rewards, dict(findings.counts)) == ((), {"REWARDS_UNALIGNED": 1})


@pytest.mark.parametrize(("field", "value"), [("steps", None), ("problem", 5)])
def test_no_solution(solution, read_rows_of, field, value):
    other = dict(solution)
    solution[field] = value
    (got,), findings = read_rows_of(other, solution, format="process_bench")
    assert (got.id, dict(findings.counts)) == ("apples-1", {"ROW_INVALID": 1})


def test_an_unclear_outcome(solution, read_rows_of):
    solution["final_answer_correct"] = None
    (got,), _ = read_rows_of(solution)
    assert (got.outcome, got.origin.unlabelled) == (None, "outcome null")


def test_the_caller_chooses(read_rows_of, solution):
    (got,), _ = read_rows_of(solution, where=(("generator", "model-a"),), policy="id", task="generator")
    assert (got.policy, got.task) == ("apples-1", "model-a")
    assert read_rows_of(solution, {**solution, "id": "x"}, where=(("id", "x"),))[0][0].id == "x"
