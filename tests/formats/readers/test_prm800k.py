"""PRM800K: the path that was taken, its ratings, and who wrote each step."""

import json

import pytest

from armslength.formats import read

FILE = "prm800k/sums.json"


@pytest.fixture
def runs(data):
    return list(read(data / FILE))


@pytest.fixture
def rated(data):
    return json.JSONDecoder().raw_decode((data / FILE).read_text())[0]


def test_a_step_that_a_person_wrote_is_not_the_policys(runs):
    assert [(t.role, t.writer, t.text, t.step, t.writer_source) for t in runs[0].turns] == [
        ("user", "task", "What is 2 + 2 + 1?", 0, "role"),
        ("assistant", "policy", "2 + 2 = 4.", 1, "role"),
        ("assistant", "third_party", "4 + 1 = 5.", 2, "field"),
        ("assistant", "policy", "So 5.", 3, "role"),
    ]


def test_ratings_of_what_was_taken(runs):
    assert [[(r.step, r.value, r.reason) for r in t.rewards] for t in runs] == [
        [(1, 1.0, None), (2, None, "written by a person"), (3, None, "null")],
        [(1, -1.0, None)],
        [],
    ]


def test_a_single_completion_needs_no_choice_and_an_open_one_ends_the_path(runs):
    assert [t.text for t in runs[1].turns] == ["What is 9 - 4?", "9 - 4 = 6."]
    assert runs[1].origin.messages == {"step": 2}


def test_labels_and_policies(runs):
    assert [t.outcome.success if t.outcome else t.origin.unlabelled for t in runs] == [
        True, False, "finished by bad_problem",
    ]  # fmt: skip
    assert [t.policy for t in runs] == ["generation 3", "unknown", "generation 3"]
    assert len({t.task for t in runs}) == 3


@pytest.mark.parametrize("chosen", [2, -1, True, "0", 1.0])
def test_a_choice_of_nothing_ends_the_path(rated, read_rows_of, chosen):
    rated["label"]["steps"][0]["chosen_completion"] = chosen
    (got,), findings = read_rows_of(rated)
    assert ([t.role for t in got.turns], got.rewards, len(findings)) == (["user"], (), 0)


def test_a_persons_step_as_a_text(rated, read_rows_of):
    rated["label"]["steps"][1]["human_completion"] = "mine"
    (got,), _ = read_rows_of(rated)
    assert [t.text for t in got.turns if t.writer == "third_party"] == ["mine"]


@pytest.mark.parametrize("finish", [None, 5, ["solution"], "solved"])
def test_an_unknown_end_is_no_outcome(rated, read_rows_of, finish):
    rated["label"]["finish_reason"] = finish
    (got,), _ = read_rows_of(rated)
    assert (got.outcome, got.origin.unlabelled) == (None, "no finish_reason")


def test_no_labelled_solution(rated, read_rows_of):
    broken = {**rated, "label": {"steps": None}}
    (got,), findings = read_rows_of(rated, broken)
    assert dict(findings.counts) == {"ROW_INVALID": 1}
    assert got.outcome.success is True
