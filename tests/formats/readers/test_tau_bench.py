"""τ-bench: outcomes, tasks, ends, crashed runs; gold never reaches a turn."""

import json
import math

import msgspec
import pytest

from armslength.errors import InputError
from armslength.formats import Findings, read
from armslength.records import Outcome


def test_the_fixture(data):
    findings = Findings()
    runs = list(read(data / "tau_bench.json", None, findings))
    assert [t.id for t in runs] == ["0/0", "0/1", "0/2", "1/0", "1/1"]
    assert [
        Outcome(True, "reward", "B"),
        Outcome(False, "reward", "B"),
        Outcome(False, "reward", "B", "step limit"),
        None,
        Outcome(True, "reward", "B"),
    ] == [t.outcome for t in runs]
    assert [t.origin.excluded for t in runs] == [None, None, None, "crashed", None]
    assert [t.origin.declared for t in runs] == [True, False, False, False, True]
    assert len({t.task for t in runs[:3]}) == 1
    assert runs[0].task.startswith("retail/")
    assert runs[4].task.startswith("retail/")  # no gold action says so, but the run's own calls do
    assert {"tau_bench"} == {t.policy for t in runs}
    assert [t.error for t in runs[0].turns if t.role == "tool_result"] == [True]
    assert (runs[0].turns[-1].role, runs[0].turns[-1].writer) == ("terminal", "user")
    assert [t.role for t in runs[1].turns[-2:]] == ["terminal", "terminal"]
    assert [t.role for t in runs[4].turns[-4:]] == ["tool_call", "tool_result", "assistant", "terminal"]
    assert not findings.counts


def test_gold_and_reward_info_never_reach_a_turn(data):
    for run in read(data / "tau_bench.json"):
        assert b"SECRET" not in msgspec.json.encode(run)


def test_wrapped_results(data):
    assert [t.id for t in read(data / "tau_wrapped.json")] == ["0/0", "0/1"]


def test_wrapped_results_that_are_torn(data, read_bytes):
    whole = (data / "tau_wrapped.json").read_bytes()
    got, findings = read_bytes(whole[:-40])
    assert [t.id for t in got] == ["0/0"]
    assert dict(findings.counts) == {"ARRAY_TORN": 1}


def test_results_that_stand_twice_are_found_and_the_last_are_read(data, read_bytes):
    whole = (data / "tau_wrapped.json").read_bytes()
    got, findings = read_bytes(b'{"results": [], ' + whole.lstrip()[1:], "r.json")
    assert [t.id for t in got] == ["0/0", "0/1"]
    assert [(f.code, f.at, f.found) for f in findings.items] == [("DUPLICATE_KEY", "r.json", "results")]
    with pytest.raises(InputError, match=r"NOTHING_READ.*DUPLICATE_KEY \(1\)"):
        read_bytes(whole.rstrip()[:-1] + b', "results": []}', "r.json")


def test_displays_say_nothing_about_writers(data):
    got = list(read(data / "displays.jsonl"))
    assert [[(t.role, t.writer) for t in run.turns] for run in got] == [[("unknown", "unknown")]] * 2
    assert {"no outcome field"} == {t.origin.unlabelled for t in got}


def record(**fields):
    traj = [{"role": "user", "content": "###STOP###"}]
    return {
        "task_id": 3,
        "reward": 1.0,
        "info": {"task": {"user_id": "u"}},
        "traj": traj,
        "trial": 0,
        **fields,
    }


@pytest.mark.parametrize(
    ("reward", "reason"),
    [
        (math.nan, "outcome not finite"),
        ("1.0", "outcome is a text"),
        (True, "outcome is a boolean"),
        (None, "outcome null"),
    ],
)
def test_rewards_that_are_no_numbers_label_nothing(read_bytes, reward, reason):
    (got,), findings = read_bytes(json.dumps([record(reward=reward)]).encode())
    assert (None, reason) == (got.outcome, got.origin.unlabelled)
    assert (reward is not None) == bool(findings.counts["OUTCOME_UNCLEAR"])


def test_rewards_that_are_missing(read_bytes):
    row = record()
    content = json.dumps([row, {k: v for k, v in row.items() if k != "reward"}]).encode()
    assert [t.origin.unlabelled for t in read_bytes(content)[0]] == [None, "no outcome field"]


def test_a_success_rule(read_bytes):
    content = json.dumps([record(reward=0.5)]).encode()
    assert [t.outcome.success for t in read_bytes(content, success="reward>0.4")[0]] == [True]
    assert [t.origin.unlabelled for t in read_bytes(content, success="score>0")[0]] == ["no field score"]


def test_an_error_is_a_crash_even_with_turns(read_bytes):
    (got,), _ = read_bytes(json.dumps([record(info={"error": "x"})]).encode())
    assert (got.origin.excluded, got.outcome, got.origin.declared) == ("crashed", None, True)
    assert got.task == "unknown/task_id 3"


def test_the_file_settles_a_domain_that_a_run_does_not(read_bytes):
    call = {"function": {"name": "book_reservation", "arguments": "{}"}}
    flown = record(traj=[{"role": "assistant", "tool_calls": [call]}], task_id=4)
    got, _ = read_bytes(json.dumps([record(), flown]).encode())
    assert [t.task.partition("/")[0] for t in got] == ["airline", "airline"]


def test_repeated_runs_and_bad_records(read_bytes):
    got, findings = read_bytes(json.dumps([record(), record(), {"task_id": 1}, record(traj=[7])]).encode())
    assert [t.id for t in got] == ["3/0", "3/0#1"]
    assert [f.at for f in findings.items if f.code == "ROW_INVALID"] == ["input.jsonl[2]", "input.jsonl[3]"]


def test_a_file_named_after_its_domain_is_named_with_its_folder(tmp_path):
    path = tmp_path / "model-x" / "airline-1.json"
    path.parent.mkdir()
    path.write_text(json.dumps([record()]))
    assert [t.policy for t in read(path)] == ["model-x/airline-1"]


def test_a_crashed_run_takes_the_key_of_its_number(read_bytes):
    crashed = record(info={"error": "x"}, traj=[], trial=1)
    got, _ = read_bytes(json.dumps([record(), crashed, {**crashed, "task_id": 9}]).encode())
    assert got[0].task == got[1].task
    assert got[2].task == "unknown/task_id 9"
