"""Which call a result answers: by identifier, by name, or because one is open; else not at all."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.formats.calls import Call
from armslength.formats.findings import Findings
from armslength.formats.made_up import MADE_UP_NAME
from armslength.formats.pairing import OpenCalls


def call(name="f", call_id=None):
    return Call(name, call_id, f"{name} {{}}")


@pytest.fixture
def findings():
    return Findings()


@pytest.fixture
def opened(findings):
    return OpenCalls(findings, "run.jsonl:1")


def test_an_identifier_decides_whatever_the_order(opened, findings):
    first, second = call("f", "a"), call("f", "b")
    opened.add([first, second], 1)
    assert opened.answer("b", None, 2) is second
    assert opened.answer("a", None, 3) is first
    opened.close()
    assert not len(findings)


def test_an_identifier_of_no_call_pairs_nothing_though_one_is_open(opened, findings):
    """Who is given another call's result must not be told that it is his."""
    opened.add([call("f", "a")], 1)
    assert opened.answer("z", "f", 2) is None
    assert findings.items[0].at == "run.jsonl:1 messages[2]"
    assert dict(findings.counts) == {"RESULT_UNPAIRED": 1}


def test_calls_without_identifiers_pair_by_name_in_their_order(opened):
    one, two, three = call("f"), call("g"), call("f")
    opened.add([one, two, three], 1)
    assert opened.answer(None, "g", 2) is two
    assert opened.answer(None, "f", 3) is one
    assert opened.answer("x", "f", 4) is three


def test_a_single_open_call_needs_neither(opened):
    only = call()
    opened.add([only], 1)
    assert opened.answer(None, None, 2) is only


def test_two_open_calls_and_no_sign_pair_nothing(opened, findings):
    opened.add([call("f"), call("g")], 1)
    assert opened.answer(None, "h", 2) is None
    opened.close()
    assert dict(findings.counts) == {"RESULT_UNPAIRED": 1, "CALL_UNANSWERED": 2}


def test_a_call_that_ends_the_episode_needs_no_answer(opened, findings):
    opened.add([call("finish"), call("look")], 4)
    opened.close(expected_open=("finish",))
    assert [(f.code, f.count) for f in findings.items] == [("CALL_UNANSWERED", 1)]


def test_repeated_identifiers_are_told(opened, findings):
    opened.add([call("f", "a"), call("g", "a")], 1)
    assert dict(findings.counts) == {"CALL_ID_REPEATED": 1}
    assert [opened.answer("a", None, step).name for step in (2, 3)] == ["f", "g"]


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.data())
def test_no_call_is_answered_twice(ids, data):
    """Whatever results say, each call is given away at most once, and what is left is told."""
    findings = Findings()
    opened = OpenCalls(findings, "x")
    calls = [call(f"f{index}", call_id) for index, call_id in enumerate(ids)]
    opened.add(calls, 0)
    asked = data.draw(st.lists(st.sampled_from([*"abcde", None]), max_size=10))
    given_away = [c for c in (opened.answer(i, None, 1) for i in asked) if c is not None]
    assert len({c.name for c in given_away}) == len(given_away)
    opened.close()
    assert findings.counts["CALL_UNANSWERED"] == len(calls) - len(given_away)
    assert findings.counts["RESULT_UNPAIRED"] == len(asked) - len(given_away)


@pytest.mark.parametrize(
    ("tools", "text", "seen"),
    [
        ({"look"}, "no tool lok here", f"no tool {MADE_UP_NAME} here"),
        ({"lok"}, "Error: lok not found", "Error: lok not found"),
        (None, "Error: lok not found", f"Error: {MADE_UP_NAME} not found"),
        (None, "lok gave 5", "lok gave 5"),
        ({"look"}, "nothing of it", "nothing of it"),
    ],
)
def test_a_made_up_name_does_not_come_back(findings, tools, text, seen):
    """Where the record lists its tools the list decides, else the result's own words."""
    opened = OpenCalls(findings, "x", tools)
    assert opened.visible(text, call("lok")) == seen
    assert findings.notes["MADE_UP_TOOL"] == (text != seen)


@pytest.mark.parametrize(
    ("tools", "text", "seen"),
    [
        ({"look"}, "no tool lok or lok2 here", f"no tool {MADE_UP_NAME} or {MADE_UP_NAME} here"),
        ({"look"}, "look: not found", "look: not found"),
        (None, "Error: lok not found", f"Error: {MADE_UP_NAME} not found"),
        (None, "lok gave 5", "lok gave 5"),
        ({"look"}, "it has no name: other one", f"it has no name: {MADE_UP_NAME}"),
        ({"look"}, "only --- failed", f"only {MADE_UP_NAME} failed"),
    ],
)
def test_a_made_up_name_does_not_come_back_in_a_result_without_a_call(findings, tools, text, seen):
    """Nobody knows what it answers: it may hold the name of any call before it, and its own."""
    opened = OpenCalls(findings, "x", tools)
    opened.add([call("lok", "a"), call("lok2", "b"), call("look", "c"), call("---", "d")], 0)
    assert opened.answer("a", None, 1) is not None
    assert opened.answer("z", None, 2) is None
    assert opened.visible(text, None, "other one") == seen
    assert findings.notes["MADE_UP_TOOL"] == (text != seen)


def test_many_open_calls_are_answered_in_any_order(findings):
    """20,000 calls of a message, the last answered first: a scan of the open ones took a hundred times as long."""
    opened = OpenCalls(findings, "x")
    calls = [call(f"f{i % 7}", f"id{i}") for i in range(20_000)]
    opened.add(calls, 0)
    assert [opened.answer(each.id, None, 1) for each in reversed(calls)] == calls[::-1]
    opened.add([call(f"f{i}") for i in range(20_000)], 2)
    assert [opened.answer(None, f"f{i}", 3).name for i in reversed(range(20_000))][-1] == "f0"
    opened.close()
    assert not len(findings)


class SlowCalls:
    """The same rules by looking through a list."""

    def __init__(self):
        self.open = []

    def answer(self, call_id, name):
        found = [c for c in self.open if call_id not in (None, "") and c.id == call_id]
        if not found and call_id not in (None, "") and any(c.id is not None for c in self.open):
            return None
        found = (
            found or [c for c in self.open if c.name == name] or (self.open if len(self.open) == 1 else [])
        )
        chosen = found[0] if found else None
        self.open = [c for c in self.open if c is not chosen]
        return chosen


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from(["a", "b", "", None]), st.sampled_from("fgh")), max_size=14
    )
)
def test_pairing_is_what_a_list_would_give(events):
    opened, slow = OpenCalls(Findings(), "x"), SlowCalls()
    for is_call, call_id, name in events:
        if is_call:
            made = call(name, call_id)
            opened.add([made], 0)
            slow.open.append(made)
        else:
            assert opened.answer(call_id, name, 0) is slow.answer(call_id, name)


def test_pairing_by_identifier_agrees_with_trying_all(findings):
    """Brute force: for distinct identifiers every order of answers gives each its own call."""
    calls = [call(f"f{i}", f"id{i}") for i in range(4)]
    for order in itertools.permutations(range(4)):
        opened = OpenCalls(findings, "x")
        opened.add(calls, 0)
        assert [opened.answer(f"id{i}", None, 1) for i in order] == [calls[i] for i in order]
    assert not len(findings)
