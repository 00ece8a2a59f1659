"""PRM800K: the path through rated candidates, and who wrote its steps."""

import json

import pytest

from armslength.formats import Findings, read
from armslength.records import Outcome


@pytest.fixture
def row(data):
    return json.loads((data / "prm800k/phase2.jsonl").read_text())


def made(run):
    return [(t.role, t.writer, t.text, t.step, t.writer_source) for t in run.turns]


def rewards(run):
    return [(r.step, r.value, r.reason) for r in run.rewards]


def test_chosen_and_written_steps_are_the_path(data):
    findings = Findings()
    solved, given_up = read(data / "prm800k/phase1.json", None, findings)
    assert made(solved) == [
        ("user", "task", "What is 2 + 3 times 4?", 0, "role"),
        ("assistant", "policy", "Multiply first.", 1, "role"),
        ("assistant", "third_party", "3 times 4 is 12.", 2, "field"),
        ("assistant", "policy", "So 2 + 12 = 14.\n\n# Answer\n\n14", 3, "role"),
    ]
    assert rewards(solved) == [(1, 1.0, None), (2, None, "null"), (3, 1.0, None)]
    assert solved.outcome == Outcome(True, "finish_reason", "B")
    assert (solved.id, solved.policy) == ("rater-1/2022-01-01T10:00:00", "unknown")
    assert solved.origin.messages == {"problem": 1, "completion": 2, "human_completion": 1}
    assert made(given_up)[1:] == [("assistant", "policy", "Think of odd numbers.", 1, "role")]
    assert (given_up.outcome, given_up.origin.unlabelled) == (None, "the labeller gave up")
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {})


def test_the_generated_step_with_the_error_ends_the_path(data):
    findings = Findings()
    (run,) = read(data / "prm800k/phase2.jsonl", None, findings)
    assert [t.text for t in run.turns] == ["What is 2 + 3 times 4?", "Add first.", "2 + 3 = 5."]
    assert {t.writer for t in run.turns[1:]} == {"policy"}
    assert rewards(run) == [(1, 0.0, None), (2, -1.0, None)]
    assert {r.source for r in run.rewards} == {"label.steps.rating"}
    assert run.outcome == Outcome(False, "finish_reason", "B")
    assert run.task == next(read(data / "prm800k/phase1.json")).task
    assert not findings.counts


@pytest.mark.parametrize(
    ("stored", "said", "found"),
    [
        ("bad_problem", "the labeller called the problem broken", {}),
        (None, "outcome null", {}),
        ("bored", "outcome text not listed", {"OUTCOME_UNCLEAR": 1}),
        (1, "outcome text not listed", {"OUTCOME_UNCLEAR": 1}),
        (["solution"], "outcome text not listed", {"OUTCOME_UNCLEAR": 1}),
        ("solution", True, {}),
    ],
)
def test_reasons_to_stop(row, read_rows_of, stored, said, found):
    row["label"]["finish_reason"] = stored
    (run,), findings = read_rows_of(row)
    assert (run.outcome.success if run.outcome else run.origin.unlabelled) == said
    assert dict(findings.counts) == found


@pytest.mark.parametrize("chosen", [3, -1, "0", True, 1.0, [0]])
def test_a_choice_of_no_candidate_is_found(row, read_rows_of, chosen):
    row["label"]["steps"][1]["chosen_completion"] = chosen
    (run,), findings = read_rows_of(row)
    assert [t.step for t in run.turns] == [0, 1]
    assert [(f.code, f.at) for f in findings.items] == [("PATH_UNCLEAR", "input.jsonl:1 label.steps[1]")]


def test_a_hole_in_the_path_is_found(row, read_rows_of):
    row["label"]["steps"].insert(1, {"completions": [{"text": "Hm.", "rating": 0}]})
    row["question"]["pre_generated_steps"].insert(1, "Never proposed.")
    (run,), findings = read_rows_of(row)
    assert [t.step for t in run.turns] == [0, 1, 3]
    assert [r.step for r in run.rewards] == [1, 3]
    assert dict(findings.counts) == {"PATH_UNCLEAR": 1}


def test_a_person_s_step_may_be_a_plain_text(row, read_rows_of):
    row["label"]["steps"][1]["human_completion"] = "Multiply first."
    (run,), _ = read_rows_of(row)
    assert made(run)[2] == ("assistant", "third_party", "Multiply first.", 2, "field")
    assert rewards(run)[1] == (2, None, "missing")


@pytest.mark.parametrize(
    ("rating", "reason"), [(None, "null"), ("1", "text"), (True, "boolean"), ([], "no number")]
)
def test_a_rating_that_is_no_number_has_a_reason(row, read_rows_of, rating, reason):
    row["label"]["steps"][0]["completions"][0]["rating"] = rating
    assert rewards(read_rows_of(row)[0][0])[0] == (1, None, reason)


def test_filters_and_policy(row, read_rows_of, data):
    other = {**row, "generation": 5, "timestamp": "later"}
    runs, findings = read_rows_of(row, other, where=(("generation", "5"),), policy="generation")
    assert ([run.policy for run in runs], findings.notes["LEFT_OUT_BY_WHERE"]) == (["5"], 1)
    phase1 = (data / "prm800k/phase1.json").read_text()
    written, _ = json.JSONDecoder().raw_decode(phase1)
    runs, _ = read_rows_of(row, written, where=(("human_steps", "0"),))
    assert [run.id for run in runs] == ["rater-2/2022-03-01T10:00:00"]


@pytest.mark.parametrize("damage", [None, 7, "x", [], {}])
@pytest.mark.parametrize("key", ["label", "question"])
def test_another_shape_is_a_reject(row, read_rows_of, key, damage):
    runs, findings = read_rows_of({**row, key: damage}, row, format="prm800k")
    kept = 2 if (key, damage) == ("question", {}) else 1
    assert (len(runs), findings.counts["ROW_INVALID"]) == (kept, 2 - kept)


@pytest.mark.parametrize("damage", [None, 7, "x", [], {}, [[]]])
@pytest.mark.parametrize("key", ["labeler", "timestamp", "generation", "is_quality_control_question"])
def test_any_field_may_be_anything(row, read_rows_of, key, damage):
    assert len(read_rows_of({**row, key: damage})[0][0].turns) == 3


@pytest.mark.parametrize(
    ("text", "kept", "found"),
    [
        (None, "", {"MESSAGE_EMPTY": 1}),
        (" ", " ", {"EMPTY_REPLY": 1}),
        (7, "7", {"CONTENT_NOT_TEXT": 1}),
        ({"a": 1}, '{"a":1}', {"CONTENT_NOT_TEXT": 1}),
    ],
)
def test_a_step_without_text_is_found(row, read_rows_of, text, kept, found):
    row["label"]["steps"][0]["completions"][0]["text"] = text
    (run,), findings = read_rows_of(row)
    assert (run.turns[1].text, {**findings.counts, **findings.notes}) == (kept, found)
    assert all(f.at == "input.jsonl:1 label.steps[0]" for f in findings.items)


def test_only_the_policy_may_say_nothing(row, read_rows_of):
    row["label"]["steps"][1]["human_completion"] = {"text": "", "rating": None}
    row["question"]["problem"] = ""
    _, findings = read_rows_of(row)
    assert [(f.code, f.at) for f in findings.items] == [
        ("MESSAGE_EMPTY", "input.jsonl:1 question.problem"),
        ("MESSAGE_EMPTY", "input.jsonl:1 label.steps[1]"),
    ]
    assert not findings.notes
