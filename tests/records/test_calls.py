"""Calls and their results, paired as indices into the arrays of a corpus."""

from armslength.records import Corpus, Outcome, Trajectory, Turn, find_calls


def call(name, call_id=None, writer="policy"):
    return Turn("tool_call", writer, f"{name} {{}}", 0, name, call_id)


def result(name=None, call_id=None, writer="world"):
    return Turn("tool_result", writer, f"result of {name} {call_id}", 0, name, call_id)


def pairs(*turns):
    """Pairs of a run that stands behind another, so that the run's own offsets count."""
    first = Trajectory("0", "t", "t", "p", (Turn("user", "user", "hello", 0),), Outcome(True, "x", "A"))
    corpus = Corpus.build([first, Trajectory("1", "t", "t", "p", turns, Outcome(True, "x", "A"))])
    found = find_calls(corpus)
    assert set(found.owner) <= {1}
    names = [found.names[code] for code in found.tool]
    start = corpus.offsets[1]
    return list(zip((found.call - start).tolist(), (found.result - start).tolist(), names, strict=True))


def test_by_identifier_in_any_order():
    turns = call("look", "a"), call("book", "b"), result(None, "b"), result(None, "a")
    assert pairs(*turns) == [(1, 2, "book"), (0, 3, "look")]


def test_by_name_the_last_open_call():
    turns = call("look"), result("look"), call("look"), call("book"), result("book"), result("look")
    assert pairs(*turns) == [(0, 1, "look"), (3, 4, "book"), (2, 5, "look")]


def test_what_has_no_partner_is_left_out():
    assert pairs(call("look", "a"), result(None, "b"), result("look")) == [(0, 2, "look")]
    assert pairs(call("look", "a"), result(None, "a"), result(None, "a"), result("book")) == [(0, 1, "look")]
    assert pairs(call("look"), Turn("user", "user", "well", 1)) == []


def test_only_calls_of_the_policy_answered_by_the_world():
    assert pairs(call("look", "a", "user"), result("look", "a")) == []
    assert pairs(call("look", "a"), result("look", "a", "unknown"), Turn("user", "user", "u", 1)) == []


def test_terminals_do_not_shift_the_indices():
    turns = call("look", "a"), Turn("terminal", "policy", "###STOP###", 0), result("look", "a")
    assert pairs(*turns) == [(0, 1, "look")]


def test_many_open_calls():
    """Thousands of parallel calls, answered in order and by name alone."""
    count = 20_000
    turns = [call("look") for _ in range(count)] + [result("look") for _ in range(count)]
    assert pairs(*turns)[0] == (count - 1, count, "look")
