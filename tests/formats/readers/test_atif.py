"""ATIF: a step is not one author, and the outcome stands beside the agent's folder."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome


def test_a_trial(data):
    findings = Findings()
    (got,) = read(data / "atif", None, findings)
    assert [(t.role, t.writer, t.text, t.step) for t in got.turns] == [
        ("system", "task", "Use the shell.", 0),
        ("user", "task", "Mend the adder.\n[image]", 1),
        ("assistant", "policy", "Which file?", 2),
        ("assistant", "policy", "I look.", 2),
        ("tool_call", "policy", 'shell {"cmd":"ls"}', 2),
        ("tool_call", "policy", 'shell {"cmd":"pwd"}', 2),
        ("tool_result", "world", "/app", 2),
        ("tool_result", "world", "adder.py", 2),
        ("tool_call", "policy", 'edit {"file":"adder.py"}', 3),
        ("tool_result", "world", "tool [made-up tool] not found", 3),
        ("user", "user", "Quick, please.", 4),
        ("assistant", "policy", "Done.", 5),
        ("terminal", "policy", 'finish {"message":"ok"}', 5),
        ("terminal", "world", "bye", 5),
    ]
    assert [t.call_id for t in got.turns if t.role == "tool_result"] == ["c2", "c1", "c3"]
    assert {t.writer_source for t in got.turns} == {"field"}
    assert {t.error for t in got.turns} == {None}
    assert (got.id, got.task, got.policy) == ("adder__k3", "adder", "vendor/model-m")
    assert Outcome(True, "reward", "B") == got.outcome
    assert got.origin.messages == {"agent": 3, "system": 1, "user": 2, "observation": 3, "tool_call": 4}
    assert dict(findings.counts) == {}
    assert dict(findings.notes) == {"MADE_UP_TOOL": 1, "SIDECAR": 2}


def test_where_and_keys(data):
    options = ReadOptions(where=(("agent.version", "1"),), task="trial_name", policy="agent.name")
    (got,) = read(data / "atif", options)
    assert (got.task, got.policy) == ("adder__k3", "toy-agent")
    with pytest.raises(InputError, match="LEFT_OUT_BY_WHERE"):
        list(read(data / "atif", ReadOptions(where=(("agent.version", "2"),))))


def document(*steps, **fields):
    return {"schema_version": "ATIF-v1.5", "agent": {"name": "a"}, "steps": list(steps), **fields}


def step(source, message="", *calls, results=None, **more):
    made = {"source": source, "message": message, **more}
    if calls:
        made["tool_calls"] = [
            {"tool_call_id": f"c{n}", "function_name": name, "arguments": {}} for n, name in enumerate(calls)
        ]
    if results is not None:
        made["observation"] = {"results": results}
    return made


TASK = step("user", "Do it.")


@pytest.fixture
def read_steps(read_bytes):
    def run(*steps, options=None, **fields):
        content = json.dumps(document(*steps, **fields)).encode()
        (got,), findings = read_bytes(content, "trajectory.json", **(options or {}))
        return [(t.role, t.writer, t.text) for t in got.turns], findings

    return run


def test_what_no_model_of_this_run_wrote_is_not_the_policys(read_steps):
    got, _ = read_steps(
        TASK,
        step("agent", "copied", "shell", results=[{"content": "old"}], is_copied_context=True),
        step("agent", "scripted", llm_call_count=0),
        step("agent", "own", llm_call_count=1),
    )
    assert got[1:] == [
        ("assistant", "task", "copied"),
        ("tool_call", "task", "shell {}"),
        ("tool_result", "task", "old"),
        ("assistant", "task", "scripted"),
        ("assistant", "policy", "own"),
    ]


def test_what_a_subagent_hands_over_has_an_unknown_writer(read_steps):
    ref = [{"session_id": "s", "trajectory_path": "trajectory.summarization-1.json"}]
    handover = step("system", "Handoff.", results=[{"subagent_trajectory_ref": ref}])
    got, findings = read_steps(TASK, handover, step("user", "They say it works."), step("user", "Go on."))
    assert got == [
        ("user", "task", "Do it."),
        ("system", "task", "Handoff."),
        ("user", "unknown", "They say it works."),
        ("user", "user", "Go on."),
    ]
    assert dict(findings.notes) == {"SUBAGENT_NOT_FOLLOWED": 1}


def test_what_a_subagent_answered_in_an_observation_has_an_unknown_writer(read_steps):
    ref = [{"session_id": "s"}]
    results = [
        {"source_call_id": "c0", "content": "I mended it.", "subagent_trajectory_ref": ref},
        {"source_call_id": "c1", "content": "1 passed"},
    ]
    got, findings = read_steps(TASK, step("agent", "", "delegate", "shell", results=results))
    assert got[3:] == [("tool_result", "unknown", "I mended it."), ("tool_result", "world", "1 passed")]
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SUBAGENT_NOT_FOLLOWED": 1})


def test_a_terminal_token_ends_a_step(read_steps):
    """What tells the end is no evidence; the prompt that explains the token is none."""
    got, findings = read_steps(
        step("system", "Say ###STOP### when you are done."),
        TASK,
        step("agent", "Bye ###TRANSFER###", "shell", results=[{"source_call_id": "c0", "content": "ok"}]),
        step("agent", "So?", "shell", results=[{"content": "###OUT-OF-SCOPE###"}]),
        step("user", "Thanks. ###STOP###"),
    )
    assert [(role, text) for role, _, text in got] == [
        ("system", "Say ###STOP### when you are done."),
        ("user", "Do it."),
        ("terminal", "Bye ###TRANSFER###"),
        ("terminal", "shell {}"),
        ("tool_result", "ok"),
        ("assistant", "So?"),
        ("tool_call", "shell {}"),
        ("terminal", "###OUT-OF-SCOPE###"),
        ("terminal", "Thanks. ###STOP###"),
    ]
    assert len(findings) == 0


def test_a_terminal_call_beside_others_is_terminal_as_the_last_act(read_steps):
    both = step("agent", "", "shell", "transfer_to_human_agents")
    got, _ = read_steps(TASK, both, both)
    assert [role for role, _, _ in got[1:]] == ["tool_call", "tool_call", "tool_call", "terminal"]


@pytest.mark.parametrize(
    ("role", "want"),
    [
        ("system", ("system", "task")),
        ("user", ("user", "user")),
        ("assistant", ("assistant", "policy")),
        ("tool_result", ("tool_result", "world")),
    ],
)
def test_a_source_that_the_caller_names(read_steps, role, want):
    odd = step("critic", "hm", reasoning_content="so" if role == "assistant" else None)
    got, findings = read_steps(TASK, odd, options={"roles": {"critic": role}})
    assert got[-1] == (*want, "hm")
    assert len(got) == (3 if role == "assistant" else 2)
    assert len(findings) == 0


def test_the_last_act_declares_the_task_done(read_steps):
    done = step("agent", "Ready.", "mark_task_complete", results=[{"content": "Are you sure?"}])
    sure = step("agent", "Yes.", "mark_task_complete", results=[{"content": ""}])
    got, _ = read_steps(TASK, done, step("agent", "No.", "shell", results=[{"content": "x"}]), done, sure)
    assert [t for t in got if t[0] == "terminal"] == [
        ("terminal", "policy", "mark_task_complete {}"),
        ("terminal", "world", "Are you sure?"),
        ("terminal", "policy", "mark_task_complete {}"),
        ("terminal", "world", ""),
    ]
    assert got[2] == ("tool_call", "policy", "mark_task_complete {}")


def test_an_agent_whose_calls_stand_in_its_text(read_steps):
    more = step("agent", '{"commands": [], "task_complete": false}', results=[{"content": "$"}])
    done = step("agent", '{"commands": [], "task_complete": true}', results=[{"content": "bye"}])
    got, findings = read_steps(TASK, more, done)
    assert [(role, writer) for role, writer, _ in got[1:]] == [
        ("assistant", "policy"),
        ("tool_result", "world"),
        ("terminal", "policy"),
        ("terminal", "world"),
    ]
    assert len(findings) == 0


def test_one_screen_for_several_commands(read_steps):
    """A result that names no call answers its step, and is not paired with one of several calls."""
    got, findings = read_steps(TASK, step("agent", "", "keys", "keys", results=[{"content": "$ ls\na"}]))
    assert got[-1] == ("tool_result", "world", "$ ls\na")
    assert len(findings) == 0


def trial(tmp_path, result, *steps, name="trajectory.json"):
    folder = tmp_path / "trial/agent"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(document(*(steps or (TASK, step("agent", "x"))))))
    (tmp_path / "trial/result.json").write_text(result if isinstance(result, str) else json.dumps(result))
    findings = Findings()
    (got,) = read(folder / name, None, findings)
    ending = got.outcome or got.origin.unlabelled
    return ending, got.origin.excluded, dict(findings.counts)


def verified(exception=None, **rewards):
    return {"task_name": "t", "verifier_result": {"rewards": rewards or None}, "exception_info": exception}


def test_the_outcome_of_a_trial(tmp_path):
    none = "no outcome beside the trajectory"
    assert trial(tmp_path, verified(reward=0.0)) == (Outcome(False, "reward", "B"), None, {})
    assert trial(tmp_path, verified(reward=0.5)) == ("needs --success", None, {"OUTCOME_UNCLEAR": 1})
    assert trial(tmp_path, verified()) == (none, None, {})
    assert trial(tmp_path, {"verifier_result": 3}) == (none, None, {})
    assert trial(tmp_path, "[1") == (none, None, {"ROW_UNREADABLE": 1})
    assert trial(tmp_path, verified(a=1, b=0)) == ("several labels, none named", None, {"LABEL_AMBIGUOUS": 1})


def test_a_trial_that_broke_off(tmp_path):
    """An exception without a verified reward is a crash; a time limit with one is a failure of its own stratum."""
    broken, late = {"exception_type": "DockerError"}, {"exception_type": "AgentTimeoutError"}
    assert trial(tmp_path, verified(broken))[1] == "crashed"
    assert trial(tmp_path, verified(late, reward=0))[:2] == (
        Outcome(False, "reward", "B", "step limit"),
        None,
    )
    assert trial(tmp_path, verified(late, reward=1))[:2] == (Outcome(True, "reward", "B"), None)


def test_files_that_hold_the_rest_of_a_run_are_excluded(tmp_path):
    assert trial(tmp_path, verified(reward=1), name="trajectory.cont-1.json")[1] is None
    trial(tmp_path, verified(reward=1))
    assert trial(tmp_path, verified(reward=1), name="trajectory.cont-1.json")[1] == "part of trajectory.json"


def test_another_folders_result_is_not_read(tmp_path):
    """Only the agent's folder of a trial has its result beside it."""
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "trajectory.json").write_text(json.dumps(document(TASK)))
    (tmp_path / "result.json").write_text(json.dumps(verified(reward=1)))
    (got,) = read(folder)
    assert (got.outcome, got.origin.unlabelled) == (None, "no outcome beside the trajectory")


def test_bad_shapes(read_steps, read_bytes):
    got, findings = read_steps(
        TASK,
        step("critic", "hm"),
        step("agent"),
        step("agent", {"a": 1}, tool_calls=["x", {"function_name": 3, "arguments": "{"}]),
        step("agent", "go", "shell", results=[{"source_call_id": "c9", "content": "lost"}, "y"]),
    )
    assert got[1:] == [
        ("unknown", "unknown", "hm"),
        ("assistant", "policy", ""),
        ("assistant", "policy", '{"a":1}'),
        ("tool_call", "policy", '"x"'),
        ("tool_call", "policy", " {"),
        ("assistant", "policy", "go"),
        ("tool_call", "policy", "shell {}"),
        ("tool_result", "world", "lost"),
    ]
    assert dict(findings.counts) == {
        "ROLE_UNKNOWN": 1,
        "MESSAGE_EMPTY": 1,
        "CONTENT_NOT_TEXT": 1,
        "CALL_UNREADABLE": 1,
        "CALL_WITHOUT_NAME": 1,
        "ARGUMENTS_NOT_JSON": 1,
        "CALL_UNANSWERED": 3,
        "RESULT_UNPAIRED": 1,
    }
    for fields in ({"schema_version": "ATIF-v2.0"}, {"schema_version": 1}, {"steps": None}):
        with pytest.raises(InputError, match=r"ROW_INVALID \(1\)"):
            read_bytes(json.dumps(document(TASK) | fields).encode(), "a.json", format="atif")


def test_a_run_without_steps_is_a_crash(read_bytes):
    (got,), _ = read_bytes(json.dumps(document()).encode(), "a.json", format="atif")
    assert (got.turns, got.origin.excluded) == ((), "crashed")


def test_an_imitated_observation_is_noted(read_steps):
    _, findings = read_steps(TASK, step("agent", "Observation: it works"))
    assert dict(findings.notes) == {"IMITATED_OBSERVATION": 1}
