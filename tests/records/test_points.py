"""Decision points: the vectorised grid against a slow one, and what may not move it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.records import ROLES, WRITERS, Corpus, Outcome, Trajectory, Turn

SUCCESS = Outcome(True, "made up", "A")
turns_of = st.lists(
    st.builds(
        Turn,
        st.sampled_from(ROLES),
        st.sampled_from(WRITERS),
        st.sampled_from(["a", "b", "c d"]),
        st.just(0),
    ),
    max_size=12,
).map(tuple)
quick = settings(max_examples=300, deadline=None)


def run(name, turns):
    return Trajectory(f"run {name}", f"task {name}", f"task {name}", "someone", tuple(turns), SUCCESS)


def slow_points(turns, *, keep_terminal):
    """(start of the run, end) of every scored point, turn by turn."""
    found, start, evidence = [], None, False
    at = 0  # position among the turns that are not dropped
    for turn in turns:
        dropped = turn.role == "terminal" and not keep_terminal
        if turn.writer in ("policy", "unknown"):
            start = None
        elif not dropped:
            start = at if start is None else start
            evidence = evidence or turn.writer in ("user", "world")
            if found and found[-1][0] == start:
                found.pop()  # the run goes on
            if evidence:
                found.append((start, at + 1))
        at += not dropped
    return found


@quick
@given(st.lists(turns_of, max_size=6), st.booleans())
def test_the_grid_equals_a_turn_by_turn_one(sequences, keep_terminal):
    """Points and the runs that end there are those of a loop over turns, terminals dropped or not."""
    corpus = Corpus.build(
        [run(i, [Turn("system", "policy", str(i), 0), *turns]) for i, turns in enumerate(sequences)],
        keep_terminal=keep_terminal,
    )
    actual = []
    for row in range(len(corpus)):
        first, last = corpus.points.offsets[row : row + 2]
        base = corpus.offsets[row]
        ends = (corpus.points.end[first:last] - base).tolist()
        actual.append(list(zip((corpus.points.run[first:last] - base).tolist(), ends, strict=True)))
    assert actual == [slow_points(t.turns, keep_terminal=keep_terminal) for t in corpus.trajectories]
    assert all(actual)
    assert corpus.points.trajectory.tolist() == [i for i, found in enumerate(actual) for _ in found]


def test_points_before_evidence_are_not_scored():
    """The task's text and the policy's first words give no point; the first evidence does."""
    turns = [
        Turn("system", "task", "rules", 0),
        Turn("user", "task", "the task", 1),
        Turn("tool_call", "policy", "look", 2),
        Turn("tool_result", "world", "seen", 3),
        Turn("assistant", "policy", "done", 4),
    ]
    points = Corpus.build([run(0, turns)]).points
    assert (points.run.tolist(), points.end.tolist(), points.counts.tolist()) == ([3], [4], [1])


def test_policy_turns_after_the_last_evidence_are_never_scored():
    """The last point lies at the last evidence, however much the policy says after it."""
    turns = [Turn("user", "user", "hello", 0), *(Turn("assistant", "policy", "bye", n) for n in range(1, 5))]
    assert Corpus.build([run(0, turns)]).points.end.tolist() == [1]


def test_a_policy_that_writes_nothing_is_scored_once():
    """Evidence without a policy turn is one run with one point at its end."""
    turns = [Turn("user", "user", "a", 0), Turn("tool_result", "world", "b", 1), Turn("user", "user", "c", 2)]
    points = Corpus.build([run(0, turns)]).points
    assert (points.run.tolist(), points.end.tolist()) == ([0], [3])


@quick
@given(turns_of, st.lists(st.integers(1, 4), min_size=12, max_size=12))
def test_splitting_policy_turns_never_changes_the_number_of_points(turns, parts):
    """A policy that writes its turns as several is scored exactly as often."""
    turns = [Turn("user", "user", "first", 0), Turn("assistant", "policy", "then", 0), *turns]
    split = []
    for at, turn in enumerate(turns):
        copies = parts[at % len(parts)] if turn.writer == "policy" and turn.role != "terminal" else 1
        split += [turn] * copies
    whole, pieces = Corpus.build([run(0, turns)]), Corpus.build([run(0, split)])
    assert len(pieces.points) == len(whole.points)


def test_trajectories_never_share_a_run():
    """Evidence at the end of one run and at the start of the next are two runs of turns."""
    one = run(0, [Turn("user", "user", "x", 0)])
    corpus = Corpus.build([one, run(1, [Turn("user", "user", "y", 0)])])
    assert (corpus.points.run.tolist(), corpus.points.end.tolist()) == ([0, 1], [1, 2])
    assert np.diff(corpus.points.offsets).tolist() == [1, 1]
