"""ProcessBench: steps as turns, the index of the first wrong step as rewards."""

import json

import pytest

from armslength.formats import Findings, read
from armslength.records import Outcome


@pytest.fixture
def row(data):
    return json.loads((data / "process_bench/sums.json").read_text())[0]


def rewards(run):
    return [(r.step, r.value, r.reason) for r in run.rewards]


def test_solutions(data):
    findings = Findings()
    runs = list(read(data / "process_bench/sums.json", None, findings))
    first = runs[0]
    assert [(t.role, t.writer, t.text, t.step) for t in first.turns] == [
        ("user", "task", "Ada has 2 pens and buys 3. How many?", 0),
        ("assistant", "policy", "She has 2.", 1),
        ("assistant", "policy", "2 + 3 = 6.", 2),
        ("assistant", "policy", "So she has 6.", 3),
    ]
    assert [run.outcome for run in runs] == [
        Outcome(success, "final_answer_correct", "B") for success in (False, True, True)
    ]
    assert [run.policy for run in runs] == ["model-a", "model-b", "model-a"]
    assert [run.id for run in runs] == ["sums-0", "sums-1", "sums-2"]
    assert first.task == runs[1].task != runs[2].task
    assert (first.group, first.origin.task_id) == (first.task, "sums-0")
    assert first.origin.messages == {"problem": 1, "step": 3}
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {})


def test_rewards_go_as_far_as_the_label(data):
    runs = list(read(data / "process_bench/sums.json"))
    assert [rewards(run) for run in runs] == [
        [(1, 1.0, None), (2, -1.0, None), (3, None, "after the first wrong step")],
        [(1, 1.0, None), (2, 1.0, None)],
        [(1, -1.0, None), (2, None, "after the first wrong step")],
    ]
    assert {r.source for run in runs for r in run.rewards} == {"label"}


def test_the_other_label(read_rows_of, row):
    (run,), findings = read_rows_of(row, label="label")
    assert (run.outcome, len(findings)) == (Outcome(False, "label", "B"), 0)
    wrong_but_right_answer = {**row, "final_answer_correct": True}
    assert read_rows_of(wrong_but_right_answer, label="label")[0][0].outcome.success is False
    assert read_rows_of(wrong_but_right_answer)[0][0].outcome.success is True
    assert read_rows_of(wrong_but_right_answer, success="label<0")[0][0].outcome.success is False
    runs, findings = read_rows_of(row, {**row, "id": "x", "generator": "c"}, where=(("generator", "c"),))
    assert ([run.id for run in runs], findings.notes["LEFT_OUT_BY_WHERE"]) == (["x"], 1)


@pytest.mark.parametrize("label", [3, -2, True, "1", 1.0, [1], 10**30])
def test_a_label_of_no_step_is_found(row, read_rows_of, label):
    row["label"] = label
    (run,), findings = read_rows_of(row)
    assert rewards(run) == [(step, None, "label of no step") for step in (1, 2, 3)]
    assert dict(findings.counts) == {"REWARDS_UNALIGNED": 1}
    assert run.outcome == Outcome(False, "final_answer_correct", "B")
    (run,), findings = read_rows_of(row, label="label")
    assert (run.outcome, run.origin.unlabelled) == (None, "no index of a step")
    assert dict(findings.counts) == {"REWARDS_UNALIGNED": 1, "OUTCOME_UNCLEAR": 1}


def test_no_label_is_unmeasured(row, read_rows_of):
    missing = {key: value for key, value in row.items() if key != "label"}
    (null, none), findings = read_rows_of(
        {**row, "id": "null", "label": None}, missing, format="process_bench"
    )
    assert rewards(null) == [(step, None, "null") for step in (1, 2, 3)]
    assert rewards(none) == [(step, None, "missing") for step in (1, 2, 3)]
    assert len(findings) == 0
    runs, _ = read_rows_of({**row, "id": "labelled"}, missing, where=(("label", "1"),))
    assert [run.id for run in runs] == ["labelled"]


@pytest.mark.parametrize(
    ("answer", "reason", "found"),
    [
        (None, "outcome null", {}),
        (1, "neither true nor false", {"OUTCOME_UNCLEAR": 1}),
        ("true", "neither true nor false", {"OUTCOME_UNCLEAR": 1}),
    ],
)
def test_an_answer_that_is_no_truth_value(row, read_rows_of, answer, reason, found):
    row["final_answer_correct"] = answer
    (run,), findings = read_rows_of(row)
    assert (run.outcome, run.origin.unlabelled, dict(findings.counts)) == (None, reason, found)


def test_odd_steps_keep_their_place(row, read_rows_of):
    row["steps"] = [None, "", {"a": 1}, [{"type": "text", "text": "x"}], []]
    (run,), findings = read_rows_of(row)
    assert [(t.text, t.step) for t in run.turns[1:]] == [("", 1), ("", 2), ('{"a":1}', 3), ("x", 4), ("", 5)]
    assert dict(findings.counts) == {"MESSAGE_EMPTY": 1, "CONTENT_NOT_TEXT": 1}
    assert dict(findings.notes) == {"EMPTY_REPLY": 2}


@pytest.mark.parametrize("steps", [None, "one", 7, {}])
def test_no_list_of_steps_is_a_reject(row, read_rows_of, steps):
    runs, findings = read_rows_of({**row, "steps": steps}, row)
    assert (len(runs), dict(findings.counts)) == (1, {"ROW_INVALID": 1})


def test_a_solution_without_steps(row, read_rows_of):
    (run,), findings = read_rows_of({**row, "steps": [], "label": -1})
    assert (len(run.turns), run.rewards, len(findings)) == (1, (), 0)


def test_ids_that_stand_twice(row, read_rows_of):
    runs, findings = read_rows_of(row, row)
    assert [run.id for run in runs] == ["sums-0", "sums-0#1"]
    assert dict(findings.counts) == {"ID_REPEATED": 1}


@pytest.mark.parametrize("key", ["id", "generator", "problem"])
@pytest.mark.parametrize("damage", [None, 7, "", [], {}, [[]]])
def test_any_field_may_be_anything(row, read_rows_of, key, damage):
    row[key] = damage
    assert len(read_rows_of(row)[0][0].turns) == 4


@pytest.mark.parametrize(
    ("problem", "kept", "code"),
    [(None, "", "MESSAGE_EMPTY"), (" ", " ", "MESSAGE_EMPTY"), (7, "7", "CONTENT_NOT_TEXT")],
)
def test_a_problem_without_text_is_found(row, read_rows_of, problem, kept, code):
    (run,), findings = read_rows_of({**row, "problem": problem})
    assert (run.turns[0].text, dict(findings.notes)) == (kept, {})
    assert [(f.code, f.at) for f in findings.items] == [(code, "input.jsonl:1 problem")]


def test_an_answer_beyond_all_numbers_is_found(row, read_rows_of):
    (run,), findings = read_rows_of({**row, "final_answer_correct": 10**400})
    assert (run.outcome, run.origin.unlabelled) == (None, "neither true nor false")
    assert [(f.code, f.found) for f in findings.items] == [("OUTCOME_UNCLEAR", "int")]
