"""InterCode: an action is a call, what comes back is the world's, and rewards enter no turn."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome

FILE = "intercode/model-a/ic_bash_react_2_turns_fs_1.json"


@pytest.fixture
def run(data):
    """A run of the fixture, as a value that a test may bend."""
    return json.loads((data / FILE).read_text())["0"]


@pytest.fixture
def read_run(read_bytes):
    """Read one run by number; its trajectory and what was found."""

    def read_it(value, **options):
        (got,), findings = read_bytes(json.dumps({"7": value}).encode(), "ic.json", **options)
        return got, dict(findings.counts)

    return read_it


def multiturn(run, actions, observations, **fields):
    count = len(actions)
    history = {"actions": actions, "observations": observations, "rewards": [0] * count}
    summary = {"max_reward": 0, "turns_taken": count, "turns_max": 2}
    return {**run, "turn_history": history, "summary": summary, **fields}


def shape(trajectory):
    return [(t.role, t.writer, t.text, t.step) for t in trajectory.turns]


def test_runs_with_thoughts(data):
    findings = Findings()
    submitted, forced = read(data / FILE, None, findings)
    assert shape(submitted) == [
        ("user", "task", "Count the files.", 0),
        ("assistant", "policy", "List them.", 1),
        ("tool_call", "policy", 'execute {"action":"execute[ls]"}', 1),
        ("tool_result", "world", "a b", 1),
        ("assistant", "policy", "Two of them.", 2),
        ("terminal", "policy", 'execute {"action":"submit"}', 2),
        ("terminal", "world", "a b", 2),
    ]
    assert [(r.step, r.value, r.source) for r in submitted.rewards] == [
        (1, 0.0, "turn_history.rewards"),
        (2, 1.0, "turn_history.rewards"),
    ]
    assert Outcome(True, "max_reward", "B") == submitted.outcome
    assert (submitted.id, submitted.origin.task_id) == ("0", "0")
    assert submitted.policy == "model-a/ic_bash_react_2_turns"
    assert submitted.task.startswith("ic_bash/0-")
    assert submitted.origin.messages == {"action": 2, "observation": 2, "thought": 2}
    assert shape(forced)[4:] == [
        ("terminal", "task", "EXCEEDED MAX TURNS: submit", 2),
        ("terminal", "task", 'execute {"action":"submit"}', 2),
        ("terminal", "world", "", 2),
    ]
    assert Outcome(False, "max_reward", "B", "step limit") == forced.outcome
    assert [t.error for t in forced.turns if t.role == "tool_result"] == [True]
    assert not findings.counts
    assert "gold" not in json.dumps([t.text for t in submitted.turns])


def test_a_run_that_the_provider_blocked(run, read_run):
    got, found = read_run(multiturn(run, ["ls", "blocked"], ["a"]))
    assert shape(got)[3:] == [("terminal", "unknown", "blocked", 2)]
    assert (Outcome(False, "max_reward", "B", "blocked"), found) == (got.outcome, {})


def test_a_submission_in_the_middle_is_no_end(run, read_run):
    """A wrong flag may be submitted again."""
    got, _ = read_run(multiturn(run, ["submit flag{a}", "ls"], ["Keep trying!", "a"]))
    assert [t.role for t in got.turns[1:]] == ["tool_call", "tool_result"] * 2
    assert got.outcome.stratum == "step limit"
    got, _ = read_run(multiturn(run, ["ls", "submit flag{a}"], ["a", "Correct."]))
    assert [t.role for t in got.turns[1:]] == ["tool_call", "tool_result", "terminal", "terminal"]
    assert got.outcome.stratum is None


def test_the_last_verdict_of_hidden_tests_is_terminal(run, read_run):
    got, _ = read_run(multiturn(run, ["x", "y"], ["failed", "{}"], environment="ic_python"))
    assert [t.role for t in got.turns[1:]] == ["tool_call", "tool_result", "tool_call", "terminal"]


def test_plans_under_logs(run, read_bytes):
    run["turn_history"] = {
        "actions": ["a", "b", "c"],
        "observations": ["", None, [["x", 1]]],
        "rewards": [0, None, 1],
        "steps": ["first", "then"],
    }
    (got,), findings = read_bytes(
        json.dumps({"meta": {"env": "bash"}, "logs": {"3": run}}).encode(), "p.json"
    )
    assert shape(got)[1:] == [
        ("assistant", "policy", "first", 1),
        ("tool_call", "policy", 'execute {"action":"a"}', 1),
        ("tool_result", "world", "", 1),
        ("assistant", "policy", "then", 2),
        ("tool_call", "policy", 'execute {"action":"b"}', 2),
        ("tool_result", "world", "", 2),
        ("tool_call", "policy", 'execute {"action":"c"}', 3),
        ("tool_result", "world", '[["x",1]]', 3),
    ]
    assert [(r.value, r.reason) for r in got.rewards] == [(0.0, None), (None, "null"), (1.0, None)]
    assert (got.id, got.origin.at, dict(findings.counts)) == ("3", "p.json['logs']['3']", {})


@pytest.mark.parametrize("keyed", [True, False])
def test_a_persons_run_has_the_same_task_as_a_models(run, read_bytes, data, keyed):
    person = {"environment": "ic_bash", "query_idx": 0, "query": run["query"], "gold": "ls", "info": {}}
    person |= {"reward": 1.0, "trajectory": [{"action": "ls", "observation": "a"}]}
    (got,), findings = read_bytes(json.dumps({"0": person} if keyed else [person]).encode(), "h.json")
    (model,) = read(data / FILE, ReadOptions(where=(("task_id", "0"),)))
    assert (got.task, got.outcome) == (model.task, model.outcome)
    assert (got.rewards, dict(findings.counts)) == ((), {})


def test_lists_that_do_not_fit(run, read_run):
    got, found = read_run(multiturn(run, ["a", "b"], ["x"]))
    assert [t.role for t in got.turns[1:]] == ["tool_call", "tool_result", "tool_call"]
    assert found == {"LISTS_UNEQUAL": 1}
    run["turn_history"]["rewards"] = [1]
    got, found = read_run(run)
    assert ([r.step for r in got.rewards], found) == ([None], {"REWARDS_UNALIGNED": 1})


@pytest.mark.parametrize(
    ("stored", "reason"), [(None, "outcome null"), ("1", "outcome is a text"), (True, "outcome is a boolean")]
)
def test_a_reward_that_says_nothing(run, read_run, stored, reason):
    run["summary"]["max_reward"] = stored
    got, _ = read_run(run)
    assert (got.outcome, got.origin.unlabelled) == (None, reason)


def test_partial_rewards_fail_unless_the_caller_says_otherwise(run, read_run):
    run["summary"]["max_reward"] = 0.67
    assert read_run(run)[0].outcome.success is False
    assert read_run(run, success="max_reward>=0.5")[0].outcome.success is True


@pytest.mark.parametrize("key", ["summary", "environment", "dataset", "task_id", "query", "info"])
@pytest.mark.parametrize("damage", [None, 7, "x", [], {}, [[]]])
def test_any_field_may_be_anything(run, read_run, key, damage):
    run[key] = damage
    assert len(read_run(run, format="intercode")[0].turns) == 7


@pytest.mark.parametrize("damage", [None, 7, "x", {"actions": None}, {"actions": 7}])
def test_histories_of_another_shape_are_found(run, read_run, damage):
    run["turn_history"] = damage
    with pytest.raises(InputError, match="ROW_INVALID"):
        read_run(run)


def test_a_torn_file_gives_the_runs_before_the_tear(data, read_bytes):
    text = (data / FILE).read_text()
    got, findings = read_bytes(text[: text.rindex("summary")].encode(), "ic.json")
    assert ([t.id for t in got], dict(findings.counts)) == (["0"], {"ARRAY_TORN": 1})
