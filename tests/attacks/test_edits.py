"""Edits of a run change one thing and leave the rest as recorded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.attacks import EDITS
from armslength.records import Trajectory, Turn

POLICY = [
    Turn("assistant", "policy", "one two three four", 2),
    Turn("tool_call", "policy", 'find {"a":1}', 2, name="find", call_id="1"),
    Turn("tool_result", "world", "seven kettles", 3, name="find", call_id="1", error=False),
    Turn("assistant", "policy", "five six", 4),
    Turn("user", "user", "yes please", 5),
    Turn("assistant", "policy", "gone", 6),
]
RUN = Trajectory(
    "a", "t", "t", "p", (Turn("system", "task", "serve", 0), Turn("user", "user", "hi", 1), *POLICY)
)
OTHER = Trajectory(
    "b", "u", "u", "p",
    (
        Turn("user", "user", "other wish", 0),
        Turn("assistant", "policy", "other words", 1),
        Turn("tool_call", "policy", "look {}", 1, name="look"),
        Turn("tool_result", "world", "other result", 2, name="look", error=True),
    ),
)  # fmt: skip


def said(name, role="assistant"):
    return [turn.text for turn in EDITS[name].change(RUN, OTHER).turns if turn.role == role]


@pytest.mark.parametrize(
    ("name", "messages"),
    [
        ("policy turns of another run", ["other words"] * 3),
        ("replies of another run", ["other words"] * 3),
        ("evidence of another run", ["one two three four", "five six", "gone"]),
        ("messages emptied", ["", "", ""]),
        ("messages split", ["one two", "three four", "five", "six", "gone"]),
        ("messages merged", ["one two three four five six", "gone"]),
        ("messages reordered", ["gone", "five six", "one two three four"]),
        ("messages truncated", ["one two", "five", "gone"]),
        ("messages repeated", ["one two three four one two three four", "five six five six", "gone gone"]),
    ],
)
def test_what_each_edit_makes_of_the_messages(name, messages):
    assert said(name) == messages


@pytest.mark.parametrize(
    ("name", "part", "where"),
    [
        ("messages padded", "step by step", [0, 1, 2]),
        ("terminal signals added", "###STOP###", [2]),
        ("formatting added", "## Answer", [0, 1, 2]),
        ("answer tags added", "<answer>", [0, 1, 2]),
        ("politeness added", "Thank you", [0, 1, 2]),
        ("closing phrase added", "successfully", [2]),
    ],
)
def test_what_is_added_stands_beside_the_words(name, part, where):
    """The words stay, and only the named messages get more."""
    made = said(name)
    assert [at for at, text in enumerate(made) if part in text] == where
    assert all(word in text for word, text in zip(["three", "six", "gone"], made, strict=True))


def test_padded_turns_are_turns_of_their_own():
    assert said("turns padded")[::2] == ["one two three four", "five six", "gone"]


def test_a_call_takes_the_donors_tool_and_a_result_keeps_its_own():
    """A call that the policy made instead names its own tool; foreign evidence still answers the recorded call."""
    made = EDITS["policy turns of another run"].change(RUN, OTHER).turns
    assert [(t.name, t.text, t.call_id) for t in made if t.role == "tool_call"] == [("look", "look {}", "1")]
    made = EDITS["evidence of another run"].change(RUN, OTHER).turns
    assert [(t.name, t.text, t.error) for t in made if t.role == "tool_result"] == [
        ("find", "other result", True)
    ]
    assert [t.text for t in made if t.role == "user"] == ["other wish", "other wish"]


@st.composite
def runs(draw):
    kinds = [
        ("user", "user"), ("user", "task"), ("assistant", "policy"), ("tool_call", "policy"), ("tool_result", "world"),
        ("tool_result", "policy"), ("unknown", "unknown"), ("tool_call", "user"),
    ]  # fmt: skip
    turns = draw(st.lists(st.tuples(st.sampled_from(kinds), st.text(max_size=12)), max_size=12))
    return Trajectory(
        "r", "t", "t", "p", tuple(Turn(r, w, text, at) for at, ((r, w), text) in enumerate(turns))
    )


@given(runs(), runs())
def test_an_edit_touches_only_what_it_names(run, other):
    """Edits of the policy leave every other turn in its order; that of evidence leaves the policy's."""
    for edit in EDITS.values():
        made = edit.change(run, other)
        mine = "policy" if edit.writes == "policy" else ("user", "world")
        kept = [[turn for turn in one.turns if turn.writer not in mine] for one in (run, made)]
        assert kept[0] == kept[1]
        assert (made.id, made.task, made.policy) == (run.id, run.task, run.policy)


@given(runs(), runs())
def test_an_edit_without_anything_to_change_returns_the_run_itself(run, other):
    silent = Trajectory("r", "t", "t", "p", tuple(turn for turn in run.turns if turn.writer == "unknown"))
    assert all(edit.change(silent, other) is silent for edit in EDITS.values())
