"""Episodes of verifiers v1: the path that is the run, who wrote it, and what broke off."""

import json
import math
from collections import Counter

import pytest

from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome, StepReward


def turns(trajectory):
    return [(turn.role, turn.writer, turn.text) for turn in trajectory.turns]


def test_the_fixture(data):
    """The fixture was written by verifiers 0.4.0; its own ``messages`` are those of these turns."""
    findings = Findings()
    first, second, third = read(data / "verifiers/v1", None, findings)
    assert turns(first) == [
        ("system", "task", "You keep a shop."),
        ("user", "task", "Is there salt?"),
        ("assistant", "task", "There is."),
        ("user", "task", "Is there tea?"),
        ("assistant", "policy", "Look."),
        ("tool_call", "policy", 'shop.look {"shelf":3}'),
        ("tool_result", "world", "tea, salt"),
        ("user", "user", "So?"),
        ("assistant", "policy", "Yes."),
    ]
    assert {turn.writer_source for turn in first.turns if turn.writer == "policy"} == {"field"}
    assert [turn.name for turn in first.turns if turn.name] == ["shop.look", "shop.look"]
    assert (first.id, first.task, first.policy, first.trial) == ("tr1", "shop/tea", "mock/keeper", 0)
    assert Outcome(True, "reward", "B") == first.outcome
    assert first.rewards == (
        StepReward(4, 0.5, "info.turn_rewards"),
        StepReward(7, 1.0, "info.turn_rewards"),
    )
    assert first.origin.messages == {"system": 1, "user": 3, "assistant": 3, "tool": 1}
    assert (second.policy, second.trial) == ("mock/keeper/run7/step 5", 1)
    assert Outcome(False, "reward", "B", "step limit") == second.outcome
    assert (third.id, third.task, third.turns, third.origin.excluded) == ("e3", "shop/tea", (), "crashed")
    assert not len(findings)
    assert findings.notes == {"AGENTS_LEFT_OUT": 1, "BRANCHES_LEFT_OUT": 1}


def node(parent, role="user", content="x", sampled=False, **fields):
    return {"parent": parent, "message": {"role": role, "content": content}, "sampled": sampled, **fields}


def trace(*nodes, **fields):
    rewards = {"right": {"score": 1.0, "weight": 1.0}}
    about = {"task": {"key": "t"}, "agent": {"name": "agent", "config": {"model": "m"}}}
    return {"id": "a", "nodes": nodes, "rewards": rewards, "ok": True, **about, **fields}


def episode(*traces, **fields):
    return {"id": "e", "env": {"id": "shop"}, "task": {"key": "t"}, "ok": True, "traces": traces, **fields}


def texts(trajectory):
    return [turn.text for turn in trajectory.turns]


def test_the_last_path_is_the_run(read_rows_of):
    nodes = [
        node(None, content="root"),
        node(0, "assistant", "one", True),
        node(1, "assistant", "two", True),
        node(None, content="summary"),
        node(3, "assistant", "three", True),
    ]
    (got,), findings = read_rows_of(episode(trace(*nodes)))
    assert texts(got) == ["summary", "three"]
    assert findings.notes == {"BRANCHES_LEFT_OUT": 1}


def test_a_compaction_that_nothing_resumed_from_is_not_the_run(read_rows_of):
    attempt = {"semantic_parents": [{"node": 1, "type": "compaction_attempt"}]}
    nodes = [
        node(None, content="root"),
        node(0, "assistant", "one", True),
        node(0, "assistant", "summary", True, **attempt),
    ]
    (got,), _ = read_rows_of(episode(trace(*nodes)))
    assert texts(got) == ["root", "one"]
    (got,), _ = read_rows_of(episode(trace(node(None, "assistant", "summary", True, **attempt))))
    assert texts(got) == ["summary"]


@pytest.mark.parametrize("parent", [7, -1, 1, "0", True, [0]])
def test_a_parent_that_is_no_earlier_node_is_a_finding(read_rows_of, parent):
    (got,), findings = read_rows_of(episode(trace(node(None), node(parent, "assistant", "y", True))))
    assert texts(got) == ["y"]
    assert findings.counts == {"PARENT_UNKNOWN": 1}


def test_a_long_chain_takes_linear_time(read_rows_of):
    nodes = [node(index - 1 if index else None, "assistant", "y", True) for index in range(50_000)]
    (got,), _ = read_rows_of(episode(trace(*nodes)))
    assert len(got.turns) == 50_000


def test_a_trace_may_stand_alone(read_rows_of):
    (got,), findings = read_rows_of(trace(node(None), node(0, "assistant", "y", True)))
    assert texts(got) == ["x", "y"]
    assert not len(findings)


def test_all_agents_of_an_episode_that_trains_none_are_runs(read_rows_of):
    def other(name, id_):
        return trace(node(None), id=id_, agent={"name": name, "trainable": False, "config": {"model": "m"}})

    got, findings = read_rows_of(episode(other("solver", "a"), other("critic", "b")))
    assert [(t.id, t.policy, t.trial) for t in got] == [("a", "m/solver", 0), ("b", "m/critic", 0)]
    assert [t.origin.at for t in got] == ["input.jsonl:1 traces[0]", "input.jsonl:1 traces[1]"]
    assert not findings.notes


def test_traces_that_are_alike_have_places_of_their_own(read_rows_of):
    judge = trace(node(None), id="j", agent={"name": "judge", "trainable": False})
    got, findings = read_rows_of(episode(judge, trace(), trace()))
    assert [t.origin.at for t in got] == ["input.jsonl:1 traces[1]", "input.jsonl:1 traces[2]"]
    assert [t.id for t in got] == ["a", "a#0"]
    assert findings.counts == {"ID_REPEATED": 1}


@pytest.mark.parametrize(
    ("fields", "excluded"),
    [
        ({"ok": False, "errors": [{"type": "E"}]}, "crashed"),
        ({"ok": True, "errors": [{"type": "E"}]}, None),
        ({"ok": False, "errors": []}, None),
    ],
)
def test_errors(read_rows_of, fields, excluded):
    (got,), _ = read_rows_of(episode(trace(node(None), **fields)))
    assert got.origin.excluded == excluded


def test_an_episodes_error_excludes_a_trace_that_was_not_scored(read_rows_of):
    broken = {"ok": False, "errors": [{"type": "E"}]}
    got, _ = read_rows_of(
        episode(trace(node(None), rewards={"right": None}), **broken),
        episode(trace(node(None), id="b"), **broken),
    )
    assert [t.origin.excluded for t in got] == ["crashed", None]


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ({"a": {"score": 0.5, "weight": 2.0}, "b": None}, (True, None)),
        ({"a": {"score": 1.0}, "b": {"score": 1.0, "weight": -1.0}}, (False, None)),
        ({"a": None}, (None, "outcome null")),
        ({"a": {"score": "1"}}, (None, "outcome null")),
        ({"a": {"score": True}}, (None, "outcome null")),
        ({"a": {"score": 0.3}}, (None, "needs --success")),
        ({}, (None, "not scored")),
        (None, (None, "not scored")),
    ],
)
def test_rewards(read_rows_of, rewards, expected):
    (got,), findings = read_rows_of(episode(trace(node(None), rewards=rewards)))
    assert (got.outcome and got.outcome.success, got.origin.unlabelled) == expected
    assert not len(findings)


@pytest.mark.parametrize(
    "part",
    [
        {"score": math.nan},
        {"score": 10**400},
        {"score": 1, "weight": 10**400},
        {"score": 1.0, "weight": -math.inf},
        {"score": 10**400, "weight": 0},
    ],
)
def test_a_reward_that_is_not_finite_spoils_only_its_own_trace(read_rows_of, part):
    odd = trace(node(None), id="b", rewards={"a": part})
    zero = trace(node(None), id="c", rewards={"a": {"score": 0.0}})
    got, findings = read_rows_of(episode(trace(node(None))), episode(odd), episode(zero))
    assert [t.outcome and t.outcome.success for t in got] == [True, None, False]
    assert got[1].origin.unlabelled == "outcome not finite"
    assert findings.counts == {"OUTCOME_UNCLEAR": 1}


def test_labels_by_choice(data):
    def outcomes(**options):
        return [t.outcome and t.outcome.success for t in read(data / "verifiers/v1", ReadOptions(**options))]

    assert outcomes(success="right>=1") == [True, False, None]
    assert outcomes(success="rewards.right.score>=1") == [True, False, None]
    assert outcomes(success="turns>=2") == [True, None, None]
    assert outcomes(where=[("stop_condition", "max_turns")]) == [False]


def test_judges_make_grade_c(read_rows_of):
    by_name = trace(node(None), rewards={"judge": {"score": 1.0}})
    by_call = trace(node(None), id="b", info={"judge_calls": [{}]})
    got, findings = read_rows_of(episode(by_name), episode(by_call))
    assert [t.outcome.grade for t in got] == ["C", "C"]
    assert findings.notes == {"JUDGED_BY_MODEL": 2}


@pytest.mark.parametrize("role", ["user", "tool", "system", "critic"])
def test_what_the_model_sampled_is_the_policys_under_any_role(read_rows_of, role):
    nodes = [node(None), node(0, "assistant", "look", True), node(1, role, "all tests passed", True)]
    nodes[1]["message"]["tool_calls"] = [{"id": "c", "name": "f", "arguments": "{}"}]
    nodes[2]["message"]["tool_call_id"] = "c"
    (got,), findings = read_rows_of(episode(trace(*nodes)))
    assert turns(got)[1:] == [
        ("assistant", "policy", "look"),
        ("tool_call", "policy", "f {}"),
        ("assistant", "policy", "all tests passed"),
    ]
    assert {turn.writer_source for turn in got.turns[1:]} == {"field"}
    assert got.origin.messages == dict(Counter(["user", "assistant", role]))
    assert findings.counts == {"SAMPLED_ROLE": 1, "CALL_UNANSWERED": 1}


def test_a_call_that_was_sampled_under_a_users_role_is_the_policys(read_rows_of):
    nodes = [node(None), node(0, "user", None, True)]
    nodes[1]["message"]["tool_calls"] = [{"id": "c", "name": "submit", "arguments": "{}"}]
    (got,), findings = read_rows_of(episode(trace(*nodes)))
    assert [(turn.role, turn.writer) for turn in got.turns[1:]] == [("terminal", "policy")]
    assert findings.counts == {"SAMPLED_ROLE": 1}


def test_custom_tools_take_free_text(read_rows_of):
    nodes = [
        node(None),
        node(0, "assistant", None, True),
        node(1, "tool", "done"),
    ]
    nodes[1]["message"]["tool_calls"] = [{"id": "c", "type": "custom", "name": "patch", "arguments": "{raw"}]
    nodes[2]["message"]["tool_call_id"] = "c"
    (got,), findings = read_rows_of(episode(trace(*nodes)))
    assert turns(got)[1:] == [("tool_call", "policy", "patch {raw"), ("tool_result", "world", "done")]
    assert not len(findings)


def test_turn_rewards_that_fit_nothing_are_a_finding(read_rows_of):
    nodes = [node(None), node(0, "assistant", "y", True)]
    (got,), findings = read_rows_of(episode(trace(*nodes, info={"turn_rewards": [1, 2, 3]})))
    assert [reward.step for reward in got.rewards] == [None] * 3
    assert findings.counts == {"REWARDS_UNALIGNED": 1}


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [[]], [None], {"a": 1}])
@pytest.mark.parametrize(
    "key", ["nodes", "rewards", "metrics", "info", "agent", "task", "calls", "tools", "errors", "ok", "id"]
)
def test_fields_of_any_shape_give_a_trajectory_or_a_finding(read_rows_of, key, value):
    got, findings = read_rows_of(
        episode(trace(node(None))), episode(trace(node(None), **{"id": "b", key: value}))
    )
    assert len(got) == 2 or findings.counts == {"ROW_INVALID": 1}


def test_a_line_without_traces_is_a_finding(read_rows_of):
    got, findings = read_rows_of(episode(trace(node(None))), {"id": "x", "env": {}})
    assert len(got) == 1
    assert findings.counts == {"ROW_INVALID": 1}


def test_task_data_is_only_digested(read_rows_of):
    held = {"type": "T", "data": {"answer": "GOLD"}}
    (got,), _ = read_rows_of(episode(trace(node(None), task=held)))
    assert "GOLD" not in json.dumps([got.task, *texts(got)])
