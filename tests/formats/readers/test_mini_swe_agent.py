"""mini-SWE-agent: commands, reminders, the end, and the outcome that stands beside."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome


def test_an_agent_that_calls_functions(data):
    findings = Findings()
    got = {t.id: t for t in read(data / "mini_swe_agent", None, findings)}
    run = got["toy__adder-1"]
    assert [(t.role, t.writer, t.text) for t in run.turns] == [
        ("system", "task", "Work in the shell."),
        ("user", "task", "ISSUE: adder subtracts."),
        ("assistant", "policy", "Look first."),
        ("tool_call", "policy", 'bash {"command":"cat adder.py"}'),
        ("tool_result", "world", "<returncode>0</returncode>\n<output>\nreturn a - b\n</output>"),
        ("user", "world", "No tool calls found in the response."),
        ("tool_call", "policy", 'bash {"command":"pytest"}'),
        ("tool_result", "world", "<returncode>1</returncode>\n<output>\n1 failed\n</output>"),
        ("terminal", "policy", 'bash {"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"}'),
        ("terminal", "world", "diff --git a/adder.py"),
    ]
    assert [t.error for t in run.turns if t.role == "tool_result"] == [False, True]
    assert {t.error for t in run.turns if t.role == "terminal"} == {None}
    assert (run.task, run.policy) == ("toy__adder-1", "vendor/model-m")
    assert Outcome(True, "resolved", "B") == run.outcome
    assert run.origin.messages == {"assistant": 3, "exit": 1, "system": 1, "tool": 2, "user": 2}
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 1})


def test_a_text_agent(data):
    (run,) = read(data / "mini_swe_agent/toy__adder-2.traj.json")
    assert [(t.role, t.writer, t.text) for t in run.turns] == [
        ("system", "task", "One block a response."),
        ("user", "task", "ISSUE: adder crashes."),
        ("assistant", "policy", "THOUGHT: look."),
        ("tool_call", "policy", 'bash {"command":"cat adder.py"}'),
        ("tool_result", "world", "<returncode>2</returncode>\n<output>\nno file\n</output>"),
        ("assistant", "policy", "Two blocks.\n```bash\nls\n```\n```bash\npwd\n```"),
        ("user", "world", "Please give exactly one action."),
    ]
    assert [t.error for t in run.turns if t.role == "tool_result"] == [True]
    assert (run.task, run.outcome, run.origin.unlabelled) == ("toy__adder-2", None, "no report")


def test_labels_and_strata(data):
    folder = data / "mini_swe_agent"
    got = {t.id: t for t in read(folder, ReadOptions(label="exit_status"))}
    assert Outcome(True, "exit_status", "C") == got["toy__adder-1"].outcome
    assert Outcome(False, "exit_status", "C", "step limit") == got["toy__adder-2"].outcome
    wanted = ReadOptions(where=(("info.exit_status", "Submitted"),), task="info.submission")
    assert [t.task for t in read(folder, wanted)] == ["diff --git a/adder.py"]


@pytest.fixture
def read_run(read_bytes):
    def run(*messages, status="Submitted", name="toy__adder-3.traj.json", **fields):
        content = {
            "info": {"exit_status": status},
            "trajectory_format": "x",
            "messages": list(messages),
            **fields,
        }
        return read_bytes(json.dumps(content).encode(), name)

    return run


def said(role, content, **more):
    return {"role": role, "content": content, **more}


TASK = (said("system", "s"), said("user", "ISSUE"))


def test_a_text_agents_end_is_the_output_of_its_submission(read_run):
    submit = said("assistant", "Done.\n```bash\necho MINI_SWE_AGENT_FINAL_OUTPUT\n```")
    got, findings = read_run(*TASK, submit, said("user", "the patch"))
    assert [(t.role, t.writer, t.text) for t in got[0].turns[2:]] == [
        ("assistant", "policy", "Done."),
        ("terminal", "policy", 'bash {"command":"echo MINI_SWE_AGENT_FINAL_OUTPUT"}'),
        ("terminal", "world", "the patch"),
    ]
    assert len(findings) == 0


def test_the_word_for_submitting_is_no_end_when_the_run_goes_on(read_run):
    early = said("assistant", "```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```")
    more = said("assistant", "```bash\nls\n```")
    got, _ = read_run(*TASK, early, said("user", "no"), more, said("user", "a"))
    assert [t.role for t in got[0].turns[2:]] == ["tool_call", "tool_result"] * 2


@pytest.mark.parametrize(
    ("status", "excluded", "stratum"),
    [
        ("LimitsExceeded", None, "step limit"),
        ("ContextWindowExceededError", None, "step limit"),
        ("APIConnectionError", "crashed", None),
        ("RuntimeError", "crashed", None),
        ("Submitted", None, None),
    ],
)
def test_what_the_infrastructure_broke_is_excluded(read_bytes, status, excluded, stratum):
    row = {"info": {"exit_status": status}, "trajectory_format": "x", "messages": list(TASK)}
    got, _ = read_bytes(json.dumps(row).encode(), "a.traj.json", label="exit_status")
    outcome = got[0].outcome
    assert (got[0].origin.excluded, outcome.stratum if outcome else None) == (excluded, stratum)


def test_a_run_without_messages_is_a_crash(read_run):
    got, _ = read_run()
    assert (got[0].turns, got[0].origin.excluded) == ((), "crashed")


def test_without_a_name_the_task_is_its_text(read_run):
    (one,), _ = read_run(*TASK, name="a.json")
    (two,), _ = read_run(*TASK, said("assistant", "hm"), name="b.json")
    (other,), _ = read_run(TASK[0], said("user", "ANOTHER"), name="c.json")
    assert one.task == two.task != other.task
    assert one.task.startswith("prompt-")


def test_the_name_of_a_tool_that_does_not_exist_is_not_in_the_reminder(read_run):
    """The harness says the name again, and does not store the response that held it."""
    said_it = "Unknown tool 'all_tests_pass'.Missing 'command' argument in bash tool call."
    odd = {"id": "c1", "function": {"name": "edit_file", "arguments": "{}"}}
    got, findings = read_run(
        *TASK,
        said("user", said_it),
        said("assistant", "", tool_calls=[odd]),
        said("user", "No edit_file, use bash."),
    )
    assert [t.text for t in got[0].turns if t.writer == "world"] == [
        "Unknown tool '[made-up tool]'.Missing 'command' argument in bash tool call.",
        "No [made-up tool], use bash.",
    ]
    assert findings.notes["MADE_UP_TOOL"] == 2


def test_blank_lines_before_a_command(read_run):
    got, _ = read_run(*TASK, said("assistant", "```bash\n\n\nls\n```"))
    assert got[0].turns[-1].text == 'bash {"command":"ls"}'
    unclosed = "```bash" + "\n" * 200_000
    got, _ = read_run(*TASK, said("assistant", unclosed))
    assert got[0].turns[-1].text == unclosed


def test_many_commands_that_are_never_closed(read_run):
    """200 kB; to look for the end of each again took half a minute."""
    unclosed = "a```bash\n" * 22_000
    got, _ = read_run(*TASK, said("assistant", unclosed))
    assert [t.text for t in got[0].turns[2:]] == [unclosed]
    got, _ = read_run(*TASK, said("assistant", f"```bash x\n{unclosed}ls\n``` so"))
    assert [t.text for t in got[0].turns[2:]] == [
        "```bash x\na so",
        'bash {"command":"' + "a```bash\\n" * 21_999 + 'ls"}',
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<exception>took </exception> long</exception>\n<returncode>-1</returncode>", True),
        ("\n<exception></exception><returncode>0</returncode>", False),
        ("<exception>" + "</exception>  " * 16_000, None),
        ("<exception>" * 20_000 + "<returncode>1</returncode>", None),
        ("so <exception></exception><returncode>1</returncode>", None),
    ],
)
def test_a_return_code_may_stand_behind_an_exception(read_run, text, error):
    got, _ = read_run(*TASK, said("assistant", "```bash\nls\n```"), said("user", text))
    assert [t.error for t in got[0].turns if t.role == "tool_result"] == [error]


def test_a_return_code_in_the_output_is_no_error_signal(read_run):
    """Only the beginning, which the harness writes, counts; what a command printed does not."""
    call = said("assistant", "```bash\ncat log\n```")
    got, _ = read_run(*TASK, call, said("user", "old log: <returncode>1</returncode>"))
    assert [t.error for t in got[0].turns if t.role == "tool_result"] == [None]


def outcome_with(tmp_path, reports, model="m/one"):
    run = tmp_path / "run"
    for name, report in reports.items():
        place = run / "eval_results" / name / "toy__adder-4/report.json"
        place.parent.mkdir(parents=True)
        place.write_text(report if isinstance(report, str) else json.dumps(report))
    row = {
        "info": {"config": {"model": {"model_name": model}}}, "trajectory_format": "x", "messages": list(TASK),
        "instance_id": "toy__adder-4",
    }  # fmt: skip
    deep = run / "toy__adder-4"
    deep.mkdir(parents=True)
    (deep / "toy__adder-4.traj.json").write_text(json.dumps(row))
    findings = Findings()
    (got,) = read(deep, None, findings)
    return (got.outcome.success if got.outcome else got.origin.unlabelled), dict(findings.counts)


def test_the_report_of_the_runs_own_model_counts(tmp_path):
    yes, no = {"toy__adder-4": {"resolved": True}}, {"toy__adder-4": {"resolved": False}}
    assert outcome_with(tmp_path / "1", {"m__one": no, "m__two": yes}) == (False, {})
    assert outcome_with(tmp_path / "2", {"m__two": yes}) == ("report of another model", {})
    assert outcome_with(tmp_path / "3", {"m__two": yes}, model=None) == (True, {})
    both = {"m__two": yes, "m__three": no}
    assert outcome_with(tmp_path / "5", both, model=None) == ("reports of several models", {})
    assert outcome_with(tmp_path / "4", {}) == ("no report", {})


def test_a_report_that_says_nothing_is_no_outcome(tmp_path):
    assert outcome_with(tmp_path / "1", {"m__one": {"other": {"resolved": True}}}) == (
        "report without outcome",
        {},
    )
    assert outcome_with(tmp_path / "2", {"m__one": {"toy__adder-4": {}}}) == ("report without outcome", {})
    assert outcome_with(tmp_path / "3", {"m__one": "[1"})[1] == {"ROW_UNREADABLE": 1}
    odd = {"m__one": {"toy__adder-4": {"resolved": "maybe"}}}
    assert outcome_with(tmp_path / "4", odd) == ("outcome text not listed", {"OUTCOME_UNCLEAR": 1})


def test_a_report_behind_a_link_that_leaves_is_refused(tmp_path):
    outside = tmp_path / "outside/toy__adder-4"
    outside.mkdir(parents=True)
    (outside / "report.json").write_text(json.dumps({"toy__adder-4": {"resolved": True}}))
    (tmp_path / "run/eval_results").mkdir(parents=True)
    (tmp_path / "run/eval_results/m__one").symlink_to(tmp_path / "outside")
    assert outcome_with(tmp_path, {}) == ("no report", {"LINK_LEAVES_FOLDER": 1})


@pytest.mark.parametrize("name", ["..", "a/../../b", "x" * 5000, "a\0b"])
def test_a_task_that_is_no_folders_name_has_no_report(read_run, name):
    (got,), findings = read_run(*TASK, instance_id=name)
    assert (got.origin.unlabelled, len(findings)) == ("no report", 0)


def test_bad_shapes(read_run, read_bytes):
    odd = said("assistant", None, tool_calls=[{"id": "c1", "function": {"name": "bash", "arguments": "{"}}])
    late = said("tool", "x", tool_call_id="c9")
    (got,), findings = read_run(*TASK, odd, late, said("assistant", None), said("critic", "hm"))
    assert [(t.role, t.writer, t.writer_source, t.text) for t in got.turns[2:]] == [
        ("tool_call", "policy", "role", "bash {"),
        ("tool_result", "world", "unpaired", "x"),
        ("assistant", "policy", "role", ""),
        ("unknown", "unknown", "role", "hm"),
    ]
    assert dict(findings.counts) == {
        "ARGUMENTS_NOT_JSON": 1,
        "RESULT_UNPAIRED": 1,
        "CALL_UNANSWERED": 1,
        "MESSAGE_EMPTY": 1,
        "ROLE_UNKNOWN": 1,
    }
    with pytest.raises(InputError, match=r"ROW_INVALID \(1\)"):
        read_bytes(b'{"info": {}, "trajectory_format": "x"}', "a.json")
