"""Calls are executed one by one; what fails changes nothing, and recorded results are only compared."""

from armslength.recompute import NOT_COMPARED, Call, Refusal, State, Unequal, execute
from armslength.records import Turn


def double(db, /, key):
    """Changes first and fails afterwards, as no tool of ours does."""
    record = db.edit("t", key)
    record["n"] *= 2
    if record["n"] > 5:
        raise Refusal("too much")
    return record


TOOLS = {"double": double, "quiet": lambda _, /: NOT_COMPARED, "say": lambda _, /: "said"}


def answered(text, *, error=None):
    return Turn("tool_result", "world", text, 1, error=error)


def calls(*given):
    return [Call(name, arguments, step, result) for step, (name, arguments, result) in enumerate(given)]


def test_each_call_is_counted_by_what_became_of_it():
    state = State({"t": {"a": {"n": 2, "none": None}}})
    made = execute(
        state,
        TOOLS,
        calls(
            ("double", {"key": "a"}, answered('{"n": 4.0}')),
            ("double", {"key": "a"}, answered("Error: anything")),
            ("double", {"key": ["a"]}, answered("odd", error=True)),
            ("double", {"key": "b"}, None),
            ("double", {}, None),
            ("double", {"key": "a", "more": 1}, answered('{"n": 8}')),
            ("double", None, answered("no JSON")),
            ("other", {}, answered("Unknown action other")),
            ("other", {}, answered("fine")),
            ("quiet", {}, answered("anything")),
            ("say", {}, answered("said")),
            ("say", {}, answered("else")),
        ),
    )
    assert made.calls == {
        "done": 4, "refused": 5, "unreadable arguments": 1, "unknown tool": 2, "unknown tool answered": 1,
        "equal": 4, "unequal": 3,
    }  # fmt: skip
    assert made.unequal == (
        Unequal(5, "double", "", '{"n": 8}', "refused: double() got an unexpected keyword argument 'more'"),
        Unequal(6, "double", "", "no JSON", "unreadable arguments: no mapping from names"),
        Unequal(11, "say", "", "else", "said"),
    )
    assert state.get("t", "a")["n"] == 4
    assert made.foreign == ("other",)


def test_results_that_are_wrong_change_nothing():
    """A recorded result is compared and never believed."""
    for text in ('{"n": 4}', '{"n": 99}', "Error: no", ""):
        state = State({"t": {"a": {"n": 2}}})
        execute(state, TOOLS, calls(("double", {"key": "a"}, answered(text))))
        assert state.get("t", "a") == {"n": 4}
