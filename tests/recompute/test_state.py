"""A state copies what calls touch, forgets what a failed call did, and is compared as the environments compare."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.recompute import ABSENT, Difference, State, differences

BASE = {"t": {"a": {"n": 1, "list": [1, 2]}, "b": {"n": 2}}}


def test_an_edit_leaves_the_base_and_other_records_alone():
    state = State(BASE)
    state.edit("t", "a")["list"].append(3)
    state.commit()
    assert (state.get("t", "a")["list"], BASE["t"]["a"]["list"]) == ([1, 2, 3], [1, 2])
    assert state.get("t", "b") is BASE["t"]["b"]
    assert state.touched == {("t", "a")}


def test_what_is_rolled_back_never_was():
    state = State(BASE)
    state.edit("t", "a")["n"] = 5
    state.commit()
    state.edit("t", "a")["n"] = 6
    state.add("t", "c", {})
    state.roll_back()
    assert (state.get("t", "a")["n"], state.get("t", "c")) == (5, None)


def test_what_was_given_to_a_state_is_no_longer_the_givers():
    state, record = State(BASE), {"list": []}
    state.add("t", "c", record)
    state.commit()
    record["list"].append(1)
    assert state.get("t", "c") == {"list": []}
    assert [key for key, _ in state.records("t")] == ["a", "b", "c"]


def test_a_record_that_is_not_there_cannot_be_edited():
    with pytest.raises(KeyError):
        State(BASE).edit("t", "z")


def test_differences_name_the_place_and_both_values():
    expected, found = State(BASE), State(BASE)
    expected.edit("t", "a").update(list=[1], extra={"x": 1})
    found.edit("t", "b")["n"] = 2.0
    found.add("t", "c", {"n": 1})
    expected.commit()
    found.commit()
    made = differences(expected, found)
    assert made == (
        Difference("t/a/extra", {"x": 1}, ABSENT),
        Difference("t/a/list/1", ABSENT, 2),
        Difference("t/b/n", 2, 2.0),
        Difference("t/c", ABSENT, {"n": 1}),
    )
    assert made[1].to_json() == {"at": "t/a/list/1", "found": 2}


def test_the_order_of_keys_does_not_matter_and_that_of_lists_does():
    states = []
    for pairs in ([("x", 1), ("y", {"a": 1, "b": 2})], [("y", {"b": 2, "a": 1}), ("x", 1)]):
        state = State(BASE)
        state.edit("t", "a")["n"] = dict(pairs)
        state.commit()
        states.append(state)
    assert differences(*states) == ()
    states[0].edit("t", "a")["list"] = [2, 1]
    states[0].commit()
    assert [difference.at for difference in differences(*states)] == ["t/a/list/0", "t/a/list/1"]


def test_null_is_a_value_and_absent_is_none():
    expected, found = State(BASE), State(BASE)
    expected.edit("t", "a")["n"] = None
    del found.edit("t", "a")["n"]
    expected.commit()
    found.commit()
    assert [difference.to_json() for difference in differences(expected, found)] == [
        {"at": "t/a/n", "expected": None}
    ]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, -0.0, 1e16])
    | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=5,
)


def digest_of(value):
    """The environment's own rule, word by word: mappings as sorted pairs, lists in order, and the text of it all."""

    def ordered(part):
        if isinstance(part, dict):
            return tuple((key, ordered(part[key])) for key in sorted(part))
        return tuple(map(ordered, part)) if isinstance(part, list) else part

    return hashlib.sha256(str(ordered(value)).encode()).hexdigest()


@given(VALUES, VALUES)
def test_states_are_equal_where_the_digests_of_the_database_are(one, other):
    """No difference if and only if the digests of the whole database are equal."""
    states = []
    for value in (one, other):
        state = State(BASE)
        state.edit("t", "a")["n"] = value
        state.commit()
        states.append(state)
    whole = [digest_of(BASE["t"] | {"a": BASE["t"]["a"] | {"n": value}}) for value in (one, other)]
    assert (differences(*states) == ()) == (whole[0] == whole[1])
