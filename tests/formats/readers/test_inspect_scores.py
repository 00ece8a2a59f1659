"""Scores of Inspect as labels: what each value says, and what it does not say."""

import math

import pytest

from armslength.formats.readers.inspect_scores import score_labels, score_numbers


def label(value, name="match", **more):
    (got,) = score_labels({name: {"value": value, **more}}).values()
    return got


@pytest.mark.parametrize(
    ("value", "success", "reason"),
    [
        ("C", True, None),
        ("I", False, None),
        ("N", False, None),
        ("P", None, "partial, needs --success"),
        (1, True, None),
        (0.0, False, None),
        (True, True, None),
        (False, False, None),
        ("yes", True, None),
        (0.7, None, "needs --success"),
        ("maybe", None, "outcome text not listed"),
        (None, None, "outcome null"),
        (math.nan, None, "unscored"),
        (math.inf, None, "outcome not finite"),
    ],
)
def test_values(value, success, reason):
    got = label(value)
    assert (got.success, got.reason, got.grade) == (success, reason, "B")


def test_the_reason_of_an_unscored_sample():
    assert label(math.nan, reason="grader_failed").reason == "unscored: grader_failed"
    assert label(math.nan, metadata={"unscored_reason": "refusal"}).reason == "unscored: refusal"
    assert label("C", reason="odd").reason is None


def test_parts_of_a_value_are_labels():
    scores = {"a": {"value": {"x": 1, "y": "I"}}, "b": {"value": [1, [0]]}, "c": {"value": {}}, "d": 3}
    labels = {name: got.success for name, got in score_labels(scores).items()}
    assert labels == {"a.x": True, "a.y": False, "b.0": True, "b.1": None, "d": None}


@pytest.mark.parametrize(
    ("name", "metadata", "grade"),
    [
        ("match", None, "B"),
        ("model_graded_qa", None, "C"),
        ("inspect_ai/model_graded_fact1", None, "C"),
        ("my_judge", {"grading": [{"role": "user"}]}, "C"),
        ("my_judge", {"grading": "B"}, "B"),
    ],
)
def test_what_a_model_judged_has_grade_c(name, metadata, grade):
    assert label("C", name, metadata=metadata).grade == grade


def test_numbers_for_rules():
    scores = {"a": {"value": "P"}, "b": {"value": {"x": "N", "y": "maybe"}}, "c": {"value": 0.4}}
    assert score_numbers(scores) == {"a": 0.5, "b.x": 0.0, "b.y": "maybe", "c": 0.4}
    assert score_numbers({"a": {"value": [True, "No", None]}}) == {"a.0": 1.0, "a.1": 0.0, "a.2": None}


@pytest.mark.parametrize("scores", [None, [], "C", 3, {}])
def test_no_scores(scores):
    assert score_labels(scores) == {}
    assert score_numbers(scores) == {}
