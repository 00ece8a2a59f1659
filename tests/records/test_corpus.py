"""The corpus: terminals dropped in one place, exclusions counted, subsets, shared groups."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.records import ROLES, WRITERS, Corpus, Origin, Outcome, Trajectory, Turn

OUTCOME = Outcome(True, "made up", "A")
turn_of = st.builds(
    Turn,
    st.sampled_from(ROLES),
    st.sampled_from(WRITERS),
    st.sampled_from(["alpha", "beta", "gamma", "7", "", "Alpha!"]),
    st.just(0),
    error=st.sampled_from([None, True, False]),
)
names = st.sampled_from(["x", "y", "z"])
trajectory_of = st.builds(
    Trajectory,
    names,
    names,
    names,
    names,
    st.lists(turn_of, max_size=5).map(tuple),
    st.none() | st.builds(Outcome, st.booleans(), st.just("made up"), st.just("A"), st.none() | names),
    origin=st.none()
    | st.builds(
        Origin,
        st.just("made up"),
        names,
        excluded=st.none() | st.just("crashed"),
        unlabelled=st.none() | st.just("no field"),
    ),
)


def run(name, *turns, task="t", group=None, outcome=OUTCOME, **fields):
    return Trajectory(name, task, group or task, "someone", turns, outcome, **fields)


def user(text, writer="user"):
    return Turn("user", writer, text, 0)


def test_terminal_turns_enter_no_array_unless_asked_for():
    """A terminal turn stays in the trajectory, leaves the arrays, and returns with `keep_terminal`."""
    one = run("1", user("hello"), Turn("terminal", "world", "won", 1), Turn("assistant", "policy", "bye", 2))
    honest, leak = Corpus.build([one]), Corpus.build([one], keep_terminal=True)
    assert [ROLES[code] for code in honest.role] == ["user", "assistant"]
    assert [ROLES[code] for code in leak.role] == ["user", "terminal", "assistant"]
    assert "won" not in honest.texts
    assert honest.trajectories == leak.trajectories == (one,)


def test_a_run_whose_only_evidence_is_terminal_is_unmeasured():
    """Dropping the terminal leaves no decision point, and the run is counted as such."""
    corpus = Corpus.build([run("1", user("task", "task"), Turn("terminal", "world", "won", 1))])
    assert (len(corpus), corpus.excluded.reasons) == (0, {"no decision point": 1})


def test_every_reason_for_exclusion_is_counted():
    """Crashed, unlabelled, duplicate and pointless runs are counted by reason; the rest is measured."""
    corpus = Corpus.build(
        [
            run("measured", user("a"), origin=Origin("f", "file:1")),
            run("crashed", user("b"), origin=Origin("f", "file:2", excluded="crashed")),
            run("no outcome", user("c"), outcome=None),
            run(
                "no field",
                user("d"),
                outcome=None,
                origin=Origin("f", "file:4", unlabelled="no field reward"),
            ),
            run("again", user("a"), task="other", origin=Origin("f", "file:5")),
            run("silent", Turn("assistant", "policy", "e", 0)),
        ]
    )
    assert corpus.excluded.reasons == {
        "crashed": 1,
        "duplicate": 1,
        "no decision point": 1,
        "no field reward": 1,
        "no outcome": 1,
    }
    assert corpus.excluded.duplicates == (("file:5", "file:1"),)
    assert [t.id for t in corpus.trajectories] == ["measured"]


def test_a_crashed_run_is_no_failure_even_with_an_outcome():
    """What its format excludes is not measured whatever outcome it carries."""
    crashed = run(
        "1", user("a"), outcome=Outcome(False, "f", "B"), origin=Origin("f", "x", excluded="crashed")
    )
    assert Corpus.build([crashed]).excluded.reasons == {"crashed": 1}


def test_turns_that_differ_in_writer_only_are_no_duplicates():
    """Who wrote a turn is part of what makes two runs identical."""
    corpus = Corpus.build([run("1", user("a"), user("b")), run("2", user("a"), user("b", "world"))])
    assert (len(corpus), corpus.excluded.reasons) == (2, {})


@settings(max_examples=300, deadline=None)
@given(st.lists(trajectory_of, max_size=12), st.booleans())
def test_records_in_are_records_measured_and_records_excluded(trajectories, keep_terminal):
    """Nothing is lost or counted twice."""
    corpus = Corpus.build(trajectories, keep_terminal=keep_terminal)
    assert len(corpus) + sum(corpus.excluded.reasons.values()) == len(trajectories)
    assert len(corpus.excluded.duplicates) == corpus.excluded.reasons.get("duplicate", 0)
    assert (corpus.points.counts > 0).all()
    assert corpus.failed.tolist() == [int(not t.outcome.success) for t in corpus.trajectories]


@settings(max_examples=200, deadline=None)
@given(st.lists(trajectory_of, max_size=10), st.data())
def test_taking_rows_equals_building_their_corpus(trajectories, data):
    """The arrays of a subset are those of a corpus of these runs alone."""
    whole = Corpus.build(trajectories)
    chosen = data.draw(st.permutations(range(len(whole))))[: data.draw(st.integers(0, len(whole)))]
    taken = whole.take(np.array(chosen, dtype=np.int64))
    built = Corpus.build([whole.trajectories[i] for i in chosen])
    assert taken.trajectories == built.trajectories
    for name in ("failed", "offsets", "role", "writer", "error"):
        assert getattr(taken, name).tolist() == getattr(built, name).tolist(), name
    for name in ("offsets", "end", "run"):
        assert getattr(taken.points, name).tolist() == getattr(built.points, name).tolist(), name
    for name in ("task", "policy", "stratum"):
        assert spell(getattr(taken, name)) == spell(getattr(built, name)), name
    assert [taken.texts[i] for i in taken.text] == [built.texts[i] for i in built.text]


def spell(factor):
    return [factor.names[code] for code in factor.codes]


def test_near_identical_runs_share_a_group():
    """Runs that differ in case, blanks and punctuation only, and runs linked to them, are one group; digits tell."""
    corpus = Corpus.build(
        [
            run("1", user("Order 12 please"), task="a"),
            run("2", user("order 12, PLEASE!"), task="b"),
            run("3", user("something else"), task="b"),
            run("4", user("Something  else!"), task="c"),
            run("5", user("Order 13 please"), task="d"),
        ]
    )
    assert spell(corpus.group) == ["a", "a", "a", "a", "d"]
    assert spell(corpus.task) == ["a", "b", "b", "c", "d"]


def test_an_ending_joins_and_parts_no_groups():
    """Terminals may tell the label: runs with the same evidence share a group whatever their ends say."""
    ends = [Turn("terminal", "world", text, 1) for text in ("solved", "given up")]
    corpus = Corpus.build([run(str(i), user("hello"), end, task=str(i)) for i, end in enumerate(ends)])
    assert spell(corpus.group) == ["0", "0"]


def test_the_same_turns_with_another_outcome_are_no_repeat():
    """The record is the same, the label is in doubt: both stay, in one group."""
    bad = Outcome(False, "made up", "A")
    first = run("1", user("hello"), task="a")
    corpus = Corpus.build([first, Trajectory("2", "a", "a", "p", first.turns, bad)])
    assert corpus.failed.tolist() == [0, 1]


def test_runs_that_are_not_measured_join_no_groups():
    """Near-identical silent runs of two tasks are excluded, and leave the measured runs of these tasks apart."""
    corpus = Corpus.build(
        [
            run("1", Turn("assistant", "policy", "I give up", 0), task="a"),
            run("2", Turn("assistant", "policy", "I give up!", 0), task="b"),
            run("3", user("first"), task="a"),
            run("4", user("second"), task="b"),
        ]
    )
    assert corpus.excluded.reasons == {"no decision point": 2}
    assert spell(corpus.group) == ["a", "b"]


def test_runs_that_differ_in_role_share_no_group():
    """The same words said by someone else are another run."""
    corpus = Corpus.build(
        [
            run("1", user("hello"), user("hi"), task="a"),
            run("2", user("hello"), Turn("assistant", "policy", "hi", 1), task="b"),
        ]
    )
    assert spell(corpus.group) == ["a", "b"]


def test_an_unknown_writer_makes_no_decision_point():
    """A turn of an unknown writer is kept, ends no run as evidence and starts none."""
    corpus = Corpus.build([run("1", user("a"), user("b", "unknown"), user("c"))])
    assert (corpus.turns, corpus.points.end.tolist()) == (3, [1, 3])
    assert corpus.writer.tolist() == [WRITERS.index(w) for w in ("user", "unknown", "user")]


def test_error_is_measured_on_tool_results_only():
    """1 an error, 0 none, -1 unmeasured or no tool result."""
    result = Turn("tool_result", "world", "r", 0)
    turns = [
        user("a"),
        msgspec.structs.replace(result, error=True),
        msgspec.structs.replace(result, error=False),
        result,
        msgspec.structs.replace(user("b"), error=True),
    ]
    assert Corpus.build([run("1", *turns)]).error.tolist() == [-1, 1, 0, -1, -1]


def test_equal_texts_are_stored_once():
    """Texts are distinct, in the order in which they come, and turns point to them."""
    corpus = Corpus.build([run("1", user("a"), user("b"), user("a")), run("2", user("b"))])
    assert (corpus.texts, corpus.text.tolist()) == (("a", "b"), [0, 1, 0, 1])


@pytest.mark.parametrize("rows", [[], [run("1")]], ids=["nothing", "a run without turns"])
def test_an_empty_corpus_is_a_corpus(rows):
    """No measured run gives empty arrays, not an error."""
    corpus = Corpus.build(rows)
    assert (len(corpus), corpus.turns, len(corpus.points)) == (0, 0, 0)
    assert corpus.offsets.tolist() == corpus.points.offsets.tolist() == [0]
