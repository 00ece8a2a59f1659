"""Outcomes: what counts, what does not, and why."""

import math

import pytest

from armslength.errors import InputError
from armslength.formats.outcomes import judge, judge_number, parse_rule


@pytest.mark.parametrize("value", [True, 1, 1.0, "true", " TRUE ", "1", "PASS", "resolved", "C", "success"])
def test_successes(value):
    assert judge(value) == (True, None)


@pytest.mark.parametrize("value", [False, 0, 0.0, "False", "0", "fail", "unresolved", "failure", "I"])
def test_failures(value):
    assert judge(value) == (False, None)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "outcome null"),
        (math.nan, "outcome not finite"),
        (math.inf, "outcome not finite"),
        (10**400, "outcome not finite"),
        (0.7, "needs --success"),
        (2, "needs --success"),
        (-1, "needs --success"),
        ("maybe", "outcome text not listed"),
        ("1.0", "outcome text not listed"),
        ("", "outcome text not listed"),
        ([0, 1], "outcome is no single value"),
        ({"score": 1}, "outcome is no single value"),
    ],
)
def test_nothing_is_guessed(value, reason):
    assert judge(value) == (None, reason)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("reward>=1", 1.0, True),
        ("reward>=1", 0.99, False),
        (" score < -0.5 ", -1, True),
        ("reward==2e0", 2, True),
        ("reward!=1", 1, False),
        ("a.b-c<=3", 3, True),
        ("x>1", 1, False),
    ],
)
def test_rules_compare(text, value, expected):
    assert judge(value, parse_rule(text)) == (expected, None)


def test_rules_hold_for_numbers_only():
    rule = parse_rule("reward>=1")
    assert judge(True, rule) == (None, "outcome is a boolean")
    assert judge("1", rule) == (None, "outcome is a text")
    assert judge(math.nan, rule) == (None, "outcome not finite")
    assert judge(None, rule) == (None, "outcome null")


def test_rewards_are_numbers():
    assert judge_number(0.5, None) == (False, None)
    assert judge_number(True, None) == (None, "outcome is a boolean")
    assert judge_number("1.0", None) == (None, "outcome is a text")


@pytest.mark.parametrize(
    "text", ["reward", "reward>=x", ">=1", "__import__('os')", "a>1 or 1", "a=1", "a>nan", ""]
)
def test_what_is_no_comparison_is_refused(text):
    with pytest.raises(InputError, match="SUCCESS_RULE"):
        parse_rule(text)
