"""SWE-agent: who wrote what in a history where everything but the policy is a user."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome

TEXT = "swe_agent/gpt4__toy__default__t-0.00__install-1"
TOOLS = "swe_agent/tools__t-0.00"


def test_a_text_agent(data):
    findings = Findings()
    (got,) = read(data / TEXT, None, findings)
    assert [(t.role, t.writer, t.text) for t in got.turns] == [
        ("system", "task", "You fix programs. Use one command at a time."),
        ("user", "task", "Here is a demonstration.\n```\nsubmit\n```"),
        ("user", "task", "ISSUE: adder subtracts."),
        ("assistant", "policy", "The sum looks wrong."),
        ("tool_call", "policy", "open adder.py"),
        ("tool_result", "world", "[File: adder.py]\n1: return a - b"),
        ("assistant", "policy", "I wonder what to do."),
        ("user", "world", "Your output was not formatted correctly."),
        ("assistant", "policy", "Swap the sign."),
        ("tool_call", "policy", "edit 1:1\nreturn a + b\nend_of_edit"),
        ("tool_result", "world", "File updated."),
        ("assistant", "policy", "Done."),
        ("terminal", "policy", "submit"),
    ]
    assert [t.writer_source for t in got.turns[1:3]] == ["field", "role"]
    assert [t.error for t in got.turns if t.role == "tool_result"] == [None, None]
    assert (got.id, got.task, got.policy) == ("toy__adder-1", "toy__adder-1", "gpt4")
    assert (got.outcome, got.origin.unlabelled, got.origin.excluded) == (None, "no verified outcome", None)
    assert got.origin.messages == {"assistant": 4, "system": 1, "user": 5}
    assert len(findings) == 0


def test_an_agent_that_calls_functions(data):
    findings = Findings()
    (got,) = read(data / TOOLS, None, findings)
    assert [(t.role, t.writer, t.text, t.call_id) for t in got.turns] == [
        ("system", "task", "You fix programs.", None),
        ("user", "task", "ISSUE: adder crashes.", None),
        ("assistant", "policy", "Look around.", None),
        ("tool_call", "policy", 'bash {"command":"ls"}', "c1"),
        ("tool_result", "world", "adder.py", "c1"),
        ("assistant", "policy", "Submit.", None),
        ("terminal", "policy", "submit {}", "c2"),
        ("terminal", "world", "diff --git a/adder.py", "c2"),
    ]
    assert (got.task, got.policy) == ("toy__adder-2", "model-b")
    assert len(findings) == 0


def test_submitting_is_declared_by_the_policy_itself(data):
    """What the harness submitted when the budget was spent is no declaration of success."""
    options = ReadOptions(label="exit_status")
    (by_policy,) = read(data / TEXT, options)
    (by_harness,) = read(data / TOOLS, options)
    assert Outcome(True, "exit_status", "C") == by_policy.outcome
    assert Outcome(False, "exit_status", "C", "step limit") == by_harness.outcome


def test_the_evaluation_report_gives_the_outcome(data, tmp_path):
    run = tmp_path / "run"
    report = run / "eval_results/model-b/toy__adder-2/report.json"
    report.parent.mkdir(parents=True)
    (run / "toy__adder-2.traj").write_bytes((data / TOOLS / "toy__adder-2/toy__adder-2.traj").read_bytes())
    report.write_text(json.dumps({"toy__adder-2": {"resolved": False}}))
    findings = Findings()
    (got,) = read(run, None, findings)
    assert Outcome(False, "resolved", "B", "step limit") == got.outcome
    assert dict(findings.counts) == {}
    assert dict(findings.notes) == {"SIDECAR": 1}


def test_where(data):
    wanted = ReadOptions(where=(("info.exit_status", "submitted"),))
    findings = Findings()
    assert [t.id for t in read(data / "swe_agent", wanted, findings)] == ["toy__adder-1"]
    assert dict(findings.notes) == {"LEFT_OUT_BY_WHERE": 1}


@pytest.fixture
def read_traj(read_bytes):
    def run(content, **options):
        return read_bytes(json.dumps(content).encode(), "toy__adder-3.traj", **options)

    return run


def said(role, content, **more):
    return {"role": role, "content": content, "agent": "main", **more}


def acted(thought, action, **more):
    return said("assistant", f"{thought}\n```\n{action}\n```", thought=thought, action=action, **more)


TASK = [said("system", "s"), said("user", "ISSUE")]


def test_a_demonstration_in_messages_is_not_the_policys(read_traj):
    shown = [acted("Look.", "ls", is_demo=True), said("user", "a.py", is_demo=True)]
    got, findings = read_traj({"history": [*TASK[:1], *shown, *TASK[1:], acted("Go.", "pwd")], "info": {}})
    assert [(t.role, t.writer, t.text) for t in got[0].turns] == [
        ("system", "task", "s"),
        ("assistant", "task", "Look."),
        ("tool_call", "task", "ls"),
        ("tool_result", "task", "a.py"),
        ("user", "task", "ISSUE"),
        ("assistant", "policy", "Go."),
        ("tool_call", "policy", "pwd"),
    ]
    assert dict(findings.counts) == {"CALL_UNANSWERED": 1}


def test_what_stands_before_the_runs_first_response_is_a_demonstration(read_traj):
    shown = [acted("Look.", "ls"), said("user", "a.py")]
    own = acted("Go.", "pwd")
    steps = [{"action": "pwd", "observation": "/", "response": own["content"], "thought": "Go."}]
    got, _ = read_traj({"trajectory": steps, "history": [*TASK, *shown, own, said("user", "/")]})
    assert [t.writer for t in got[0].turns] == ["task"] * 5 + ["policy", "policy", "world"]


def test_of_several_attempts_the_first_is_read(read_traj):
    first = {"trajectory": [], "history": [*TASK, acted("One.", "ls")], "info": {"exit_status": "exit_cost"}}
    second = {"trajectory": [], "history": [*TASK, acted("Two.", "submit")], "info": {}}
    got, _ = read_traj({"attempts": [first, second], "info": {}}, label="exit_status")
    assert [t.text for t in got[0].turns if t.writer == "policy"] == ["One.", "ls"]
    assert Outcome(False, "exit_status", "C", "step limit") == got[0].outcome


def test_a_rejected_submission_in_the_middle_is_no_end(read_traj):
    history = [
        *TASK,
        acted("Try.", "submit x"),
        said("user", "Wrong flag!"),
        acted("So?", "ls"),
        said("user", "a"),
    ]
    got, _ = read_traj({"history": history})
    assert [t.role for t in got[0].turns if t.role in ("tool_call", "terminal")] == ["tool_call", "tool_call"]


@pytest.mark.parametrize(
    ("status", "excluded"),
    [("exit_environment_error", "crashed"), ("exit_api", "crashed"), ("exit_format", None), (None, None)],
)
def test_infrastructure_failures_are_excluded(read_traj, status, excluded):
    got, _ = read_traj({"history": TASK, "info": {"exit_status": status}})
    assert got[0].origin.excluded == excluded


def test_a_run_without_messages_is_a_crash(read_traj):
    row = {
        "history": [],
        "trajectory": [{"action": "", "observation": ""}],
        "info": {"exit_status": "submitted"},
    }
    got, _ = read_traj(row)
    assert (got[0].turns, got[0].origin.excluded) == ((), "crashed")


def test_an_action_that_is_not_in_the_message_stays_in_the_text(read_traj):
    """A command that the harness rewrote is not cut out of what the policy said."""
    rewritten = said("assistant", "Look.\n```\nls\n```", thought="Look.", action="ls -a")
    got, _ = read_traj({"history": [*TASK, rewritten, said("user", "a")]})
    assert [(t.role, t.writer) for t in got[0].turns[2:]] == [("assistant", "policy"), ("user", "world")]


def test_bad_shapes(read_traj, read_bytes):
    odd = [*TASK, acted("Look.", "ls"), said("critic", "hm"), said("user", {"a": 1})]
    got, findings = read_traj({"history": odd})
    assert [(t.role, t.writer, t.text) for t in got[0].turns[-2:]] == [
        ("unknown", "unknown", "hm"),
        ("user", "world", '{"a":1}'),
    ]
    assert dict(findings.counts) == {"ROLE_UNKNOWN": 1, "CONTENT_NOT_TEXT": 1, "CALL_UNANSWERED": 1}
    for content in ({"trajectory": [{"action": "", "observation": ""}]}, {"attempts": [{"trajectory": []}]}):
        with pytest.raises(InputError, match=r"ROW_INVALID \(1\)"):
            read_traj(content, format="swe_agent")
    with pytest.raises(InputError, match=r"ROW_UNREADABLE \(1\)"):
        read_bytes(b'{"history": [{"role": "user", "agent"', "cut.traj", format="swe_agent")
