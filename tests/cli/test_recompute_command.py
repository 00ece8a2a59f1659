"""``armslength recompute``: the table, the disagreements, the JSON and the exit codes."""

import json

import pytest
from click.testing import CliRunner

from armslength.cli import cli, main

TASK = {
    "user_id": "ada_1",
    "instruction": "…",
    "actions": [{"name": "modify_user_address", "kwargs": {"user_id": "ada_1", "address1": "b", "address2": "",
                 "city": "b", "state": "b", "country": "b", "zip": "b"}}],
    "outputs": [],
}  # fmt: skip
ADDRESS = TASK["actions"][0]["kwargs"]


def tau_run(number, address, reward):
    call = {
        "id": "1",
        "function": {"name": "modify_user_address", "arguments": json.dumps(ADDRESS | address)},
    }
    return {
        "task_id": number, "reward": reward, "info": {"task": TASK}, "trial": 1,
        "traj": [
            {"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "x"}, {"role": "user", "content": "###STOP###"},
        ],
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    retail = tmp_path / "environment" / "retail"
    retail.mkdir(parents=True)
    user = {"name": {}, "address": {}, "email": "", "payment_methods": {}, "orders": []}
    (retail / "users.json").write_text(json.dumps({"ada_1": user}))
    for table in ("orders", "products"):
        (retail / f"{table}.json").write_text("{}")
    crashed = {"task_id": 2, "reward": 0.0, "info": {"error": "x"}, "traj": [], "trial": 1}
    runs = [tau_run(0, {}, 1.0), tau_run(1, {"zip": "[c]"}, 1.0), crashed]
    (tmp_path / "runs.json").write_text(json.dumps(runs))
    return tmp_path


def test_json_holds_each_run_with_the_exact_difference(folder):
    done = CliRunner().invoke(cli, ["recompute", str(folder), "--json"])
    runs = json.loads(done.output)["runs"]
    keys = ("file", "task", "trial", "declared", "recomputed", "difference", "reason")
    assert [tuple(run[key] for key in keys) for run in runs] == [
        ("runs.json", "0", 1, True, True, None, None),
        (
            "runs.json", "1", 1, True, False,
            [{"at": "users/ada_1/address/zip", "expected": "b", "found": "[c]"}], None,
        ),
        ("runs.json", "2", 1, False, None, None, "crashed"),
    ]  # fmt: skip


def test_json_has_no_numbers_that_json_has_not(folder):
    run = tau_run(0, {}, 1.0)
    call = run["traj"][1]["tool_calls"][0]["function"]
    call["arguments"] = call["arguments"].replace('"zip": "b"', '"zip": NaN')
    (folder / "runs.json").write_text(json.dumps([run]))
    done = CliRunner().invoke(cli, ["recompute", str(folder), "--json"])
    (made,) = json.loads(done.output, parse_constant=pytest.fail)["runs"]
    assert made["difference"] == [{"at": "users/ada_1/address/zip", "expected": "b", "found": "nan"}]


def test_the_table_counts_and_the_lines_name_the_difference(folder):
    done = CliRunner().invoke(
        cli, ["recompute", str(folder / "runs.json"), "--environment", str(folder / "environment")]
    )
    lines = [" ".join(line.split()) for line in done.output.splitlines()]
    assert "runs.json 3 2 1 1 1 crashed 1" in lines
    assert "calls: done 2" in lines
    assert "recorded results that equal the recomputed ones: 0.0% of 2" in lines
    text = " ".join(lines)
    assert (
        "runs.json, task 1, trial 1: declared success, recomputed failure: "
        'users/ada_1/address/zip expected "b", found "[c]"'
    ) in text
    assert 'runs.json, task 0, trial 1, step 1, modify_user_address: recorded "x", recomputed' in text
    assert "task stated by the run's file alone 2" in text


def test_failures_of_which_nothing_is_declared_are_named(tmp_path):
    press = ["late", "take_action", "note", [], -1]
    rows = [
        {"convo_id": number, "scenario": {}, "original": [["action", "Done."]],
         "delexed": [{"speaker": "action", "text": "done.", "targets": press}]}
        for number in range(12)
    ]  # fmt: skip
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    (tmp_path / "kb.json").write_text(json.dumps({"late": ["note", "close"]}))
    done = CliRunner().invoke(cli, ["recompute", str(tmp_path / "rows.json")])
    text = " ".join(done.output.split())
    assert "disagreements: 0 failures of which nothing is declared: 12" in text
    assert (
        'rows.json, run 0, task late: declared nothing, recomputed failure: flow/1 expected "close"' in text
    )
    assert "and 2 others" in text
    assert done.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["{}/runs.json"], 0, ""),
        (["{}/nowhere"], 2, "PATH_MISSING"),
        (["{}/runs.json", "--environment", "{}/nowhere"], 2, "PATH_MISSING"),
        (["{}/runs.json", "--environment", "{}"], 3, "NOTHING_RECOMPUTED"),
        (["{}/environment/retail/users.json"], 2, "NOTHING_READ"),
    ],
)
def test_exit_codes_and_reasons(folder, capsys, arguments, status, said):
    with pytest.raises(SystemExit) as left:
        main(["recompute", *(argument.format(folder) for argument in arguments)])
    assert (left.value.code, said in capsys.readouterr().err) == (status, True)
