"""Recorded results are compared place by place; nothing in them can break a run."""

import pytest

from armslength.recompute import ABSENT, Difference
from armslength.recompute.results import first_difference
from armslength.records import Turn


@pytest.mark.parametrize(
    ("text", "became", "value", "place"),
    [
        ('{"n": 4.0, "extra": null}', "done", {"n": 4, "none": None}, None),
        ('{"a": [{"x": 1}, {"x": 3}]}', "done", {"a": [{"x": 1}, {"x": 2}]}, Difference("/a/1/x", 2, 3)),
        ('{"n": 1, "more": 2}', "done", {"n": 1}, Difference("/more", ABSENT, 2)),
        ("[1]", "done", {"n": 1}, Difference("", {"n": 1}, [1])),
        ("no JSON", "done", {"n": 1}, Difference("", "{'n': 1}", "no JSON")),
        ("said", "done", "said", None),
        ("told", "done", "said", Difference("", "said", "told")),
        ("Error: this", "refused", "that", None),
        ("Unknown action x", "refused", "that", None),
        ("fine", "refused", "that", Difference("", "refused: that", "fine")),
        ("Error: this", "done", {"n": 1}, Difference("", "{'n': 1}", "Error: this")),
        ("[" * 5000 + "]" * 5000, "done", {}, Difference("", "{}", "[" * 200)),
    ],
)
def test_the_first_place_that_differs(text, became, value, place):
    assert first_difference(Turn("tool_result", "world", text, 0), became, value) == place


def test_the_field_says_error_where_the_text_does_not():
    recorded = Turn("tool_result", "world", "no luck", 0, error=True)
    assert first_difference(recorded, "refused", "x") is None
    assert first_difference(recorded, "done", "no luck") is not None


def test_results_nested_as_deep_as_can_be_read_never_break_a_comparison():
    for depth in (200, 500, 900, 990):
        deep: object = []
        for _ in range(depth):
            deep = [deep]
        recorded = Turn("tool_result", "world", "[" * (depth + 1) + "]" * (depth + 1), 0)
        first_difference(recorded, "done", [deep])
