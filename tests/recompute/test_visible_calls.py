"""Calls, their arguments and what the policy said, from turns."""

import pytest

from armslength.recompute import calls_of, read_arguments, says, texts_of, until_end
from armslength.records import Turn


def call(text, name="t", step=0, call_id=None, **more):
    return Turn(more.get("role", "tool_call"), more.get("writer", "policy"), text, step, name, call_id)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('t {"a": 1, "b": [1.0]}', {"a": 1, "b": [1.0]}),
        ("t {'a': ('x', None), 'b': True}", {"a": ["x", None], "b": True}),
        ("t {}", {}),
        ("t {'a': {1: 2}}", {"a": {"1": 2}}),
        ("t [1]", None),
        ("t {'a': __import__('os')}", None),
        ("t {'a': {1, 2}}", None),
        ("t {1: 2}", {"1": 2}),
        ('t {"a": ', None),
        ("t", None),
        ("t " + "[" * 5000, None),
        ("t {'a': " + "(" * 3000 + ")" * 3000 + "}", None),
    ],
)
def test_arguments_are_json_or_a_literal_and_nothing_is_evaluated(text, arguments):
    assert read_arguments(call(text)) == arguments


def test_a_call_of_somebody_else_is_none_of_the_policys():
    turns = [
        call("t {}", writer="user"),
        call("t {}", role="terminal"),
        Turn("assistant", "policy", "t {}", 0),
    ]
    assert [(made.name, made.arguments) for made in calls_of(turns)] == [("t", {})]


def test_results_answer_by_identifier_and_else_in_order():
    turns = [
        call("t {}", call_id="1"), call("u {}", "u", call_id="2"),
        Turn("tool_result", "world", "of u", 1, "u", "2"), Turn("tool_result", "world", "of nobody", 1, "v", "9"),
        Turn("tool_result", "world", "of t", 2, "t", "1"), call("w {}", "w", 3),
        Turn("tool_result", "world", "of w", 4),
    ]  # fmt: skip
    assert [made.result.text for made in calls_of(turns)] == ["of t", "of u", "of w"]


def test_of_thought_and_reply_the_reply_is_said():
    turns = [
        Turn("assistant", "policy", "thought", 0), Turn("assistant", "policy", "reply", 0),
        Turn("assistant", "task", "greeting", 1), Turn("terminal", "policy", "bye", 2), Turn("user", "user", "no", 3),
    ]  # fmt: skip
    assert texts_of(turns) == [(0, "reply"), (2, "bye")]


@pytest.mark.parametrize(
    ("text", "wanted", "there"),
    [
        ("It is 1,234.50 EUR", "1234.50", True),
        ("it is ABC", "Abc", True),
        ("1234", "1,234", False),
        ("12", "123", False),
    ],
)
def test_commas_of_the_text_and_case_do_not_matter(text, wanted, there):
    assert says(["nothing", text], wanted) is there


def test_a_run_goes_on_until_a_turn_ends_it():
    turns = [Turn("user", "user", text, step) for step, text in enumerate("abc")]
    assert until_end(turns, lambda turn: turn.text == "b") == (turns[:2], True)
    assert until_end(turns, lambda turn: turn.text == "z") == (turns, False)
