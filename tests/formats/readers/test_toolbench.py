"""ToolBench: the first chain up to its first Finish, and what it declares."""

import json

from armslength.formats import Findings, read
from armslength.records import Outcome


def test_the_fixture(data):
    findings = Findings()
    got = {t.id: t for t in read(data / "toolbench", None, findings)}
    tree, chain = got["11_DFS_woFilter_w2"], got["11_CoT@1"]
    assert [(t.role, t.writer, t.text) for t in tree.turns] == [
        ("user", "task", "What is the weather in Oslo?"),
        ("assistant", "policy", "Look up the weather."),
        ("tool_call", "policy", 'weather_for_city {"city":"Oslo"}'),
        ("tool_result", "world", '{"error": "quota", "response": ""}'),
        ("assistant", "policy", "It failed."),
        ("terminal", "policy", 'Finish {"return_type":"give_up_and_restart"}'),
        ("terminal", "world", '{"response":"chose to give up and restart"}'),
    ]
    assert [t.error for run in (tree, chain) for t in run.turns if t.role == "tool_result"] == [True, False]
    assert {None} == {t.error for t in tree.turns if t.role == "terminal"}
    assert tree.task == chain.task
    assert [tree.policy, chain.policy] == ["answers_model_a/DFS_woFilter_w2", "answers_model_a/CoT@1"]
    assert Outcome(False, "Finish.return_type", "C") == tree.outcome
    assert Outcome(True, "Finish.return_type", "C") == chain.outcome
    assert tree.origin.declared is True
    assert tree.origin.messages == {"Action": 3, "Action Input": 4, "Finish": 2, "Thought": 3}
    assert dict(findings.counts) == {
        "FORMAT_UNKNOWN": 1,
        "ARGUMENTS_NOT_JSON": 1,
        "RETURN_TYPE_UNREADABLE": 1,
    }


def test_only_the_first_try_is_read(data):
    (got,) = read(data / "toolbench/answers_model_a/12_CoT@3.json")
    assert (got.outcome, got.origin.unlabelled, got.origin.declared) == (None, "unreadable return type", True)
    assert got.turns[-2].text == 'Finish {"return_type": give_answer'
    assert got.origin.messages == {"Action": 4, "Action Input": 4, "Finish": 2, "Thought": 2}


def test_no_finish_is_a_failure_of_its_own_stratum(data):
    (got,) = read(data / "toolbench/answers_model_a/13_CoT@3.json")
    assert Outcome(False, "Finish.return_type", "C", "step limit") == got.outcome
    assert not any(t.role == "terminal" for t in got.turns)


def attempt(*nodes, **fields):
    chain = [{"node_type": kind, "description": text, **more} for kind, text, more in nodes]
    return {"win": False, "trys": [{"chain": chain}], "answer_generation": {"query": "q"}, **fields}


def read_one(read_bytes, content):
    got, findings = read_bytes(json.dumps(content).encode(), "1_CoT@1.json")
    return got[0], findings


def test_what_follows_the_first_finish_is_left_out(read_bytes):
    end = ("Action Input", '{"return_type": "give_answer"}', {"observation": "{}", "observation_code": 3})
    got, _ = read_one(
        read_bytes, attempt(("Action", "Finish", {}), end, ("Thought", "more", {}), ("Action", "Finish", {}))
    )
    assert [t.role for t in got.turns] == ["user", "terminal", "terminal"]
    assert got.outcome.success


def test_a_return_type_that_broken_json_plainly_names_is_read(read_bytes):
    """Text that is not JSON but names one return type counts, as in the benchmark's own harness."""
    broken = '{"return_type": "give_answer", "final_answer": "two "quotes" inside"}'
    got, _ = read_one(
        read_bytes, attempt(("Action", "Finish", {}), ("Action Input", broken, {"observation": "{}"}))
    )
    assert Outcome(True, "Finish.return_type", "C") == got.outcome


def test_a_finish_without_input_is_unreadable(read_bytes):
    got, findings = read_one(read_bytes, attempt(("Action", "Finish", {}), ("Thought", "more", {})))
    assert [t.role for t in got.turns] == ["user", "terminal"]
    assert got.origin.unlabelled == "unreadable return type"
    assert findings.counts["RETURN_TYPE_UNREADABLE"] == 1


def test_error_signals(read_bytes):
    def error(observation, code):
        node = ("Action Input", "{}", {"observation": observation, "observation_code": code})
        return read_one(read_bytes, attempt(("Action", "f", {}), node))[0].turns[-1].error

    assert error('{"error": "", "response": 1}', 0) is False
    assert error('{"error": "boom"}', 0) is True
    assert error("cut off {", 12) is True
    assert error("cut off {", 0) is False
    assert error("cut off {", None) is False


def test_odd_steps_are_kept(read_bytes):
    got, findings = read_one(
        read_bytes, attempt(("Action", "f", {}), ("Dream", "x", {}), ("Action Input", "{}", {}))
    )
    assert [(t.role, t.text) for t in got.turns[1:]] == [
        ("tool_call", "f"),
        ("unknown", "x"),
        ("tool_call", "f {}"),
    ]
    assert findings.counts["NODE_UNKNOWN"] == 1


def test_an_attempt_without_a_query_is_no_answer(read_bytes):
    content = [attempt(answer_generation=None), attempt()]
    got, findings = read_bytes(json.dumps(content).encode(), "1_CoT@1.json")
    assert len(got) == 1
    assert findings.counts["ROW_INVALID"] == 1
