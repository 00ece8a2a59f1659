"""The command: what it prints, what it writes, what it refuses."""

import json
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from armslength.cli.inputs import parse_roles
from armslength.cli.read import read_command
from armslength.errors import InputError
from armslength.formats import read


def run(*arguments):
    return CliRunner().invoke(read_command, [str(a) for a in arguments], catch_exceptions=False)


def test_tables_say_what_is_here(mixed):
    result = run(mixed)
    assert result.exit_code == 0
    for text in (
        "tau_bench",
        "crashed 1",
        "needs --success 1",
        "step limit 2",
        "OUTCOME_UNCLEAR",
        "policy",
        "total",
    ):
        assert text in result.output


def test_json_has_all_counts(mixed):
    made = json.loads(run(mixed, "--json").output)
    assert (made["schema"], made["trajectories"]) == ("armslength/read/v1", 17)
    assert made["findings"]["counts"]["FORMAT_UNKNOWN"] == 1


def test_out_converts(mixed, tmp_path):
    out = tmp_path / "new" / "all.jsonl.zst"
    run(mixed, "--out", out)
    assert [t.turns for t in read(mixed)] == [t.turns for t in read(out)]


def test_folders_of_many_files_are_one_line(mixed, tmp_path):
    content = (mixed / "toolbench/answers_model_a/11_CoT@1.json").read_text()
    (tmp_path / "many").mkdir()
    for n in range(12):
        (tmp_path / f"many/{n}_CoT@1.json").write_text(content)
    assert "many/ (12 files)" in run(tmp_path).output


def test_long_paths_break_at_folders(mixed, tmp_path):
    folder = tmp_path / ("a" * 30) / ("b" * 30)
    folder.mkdir(parents=True)
    shutil.copy(mixed / "chat.jsonl", folder / ("c" * 30 + ".jsonl"))
    lines = [line.split()[0] for line in run(tmp_path).output.splitlines() if line.strip()]
    assert [f"{letter * 30}{end}" for letter, end in (("a", "/"), ("b", "/"), ("c", ".jsonl"))] == [
        line for line in lines if line[:2] in ("aa", "bb", "cc")
    ]


def test_text_of_a_file_is_no_markup(tmp_path):
    (tmp_path / "[red]x.jsonl").write_text('{"messages": [{"role": "[bold]", "content": "x"}]}')
    output = run(tmp_path).output
    assert "[red]x.jsonl" in output
    assert "[bold]" in output


def test_options_reach_the_reader(mixed, tmp_path):
    made = json.loads(run(mixed / "chat.jsonl", "--json", "--success", "reward>=0.5").output)
    assert made["outcomes"] == {"failure": 1, "success": 2}
    (tmp_path / "x.jsonl").write_text('{"messages": [{"role": "critic", "content": "x"}]}')
    made = json.loads(run(tmp_path, "--json", "--role", "critic=tool_result").output)
    assert made["roles"] == {"tool_result": 1}


MESSAGES = [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]
TWO_LABELS = [
    {
        "messages": MESSAGES,
        "suite": suite,
        "agent": {"model": "m"},
        "utility": n > 1,
        "resolved": n < 1,
        "step_rewards": [0.5],
    }
    for n, suite in enumerate(["shop", "shop", "bank"])
]


@pytest.fixture
def two_labels(tmp_path):
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in TWO_LABELS))
    return path


def test_the_caller_chooses_label_records_task_and_policy(two_labels):
    plain = json.loads(run(two_labels, "--json", "--label", "utility").output)
    assert plain["outcomes"] == {"failure": 2, "success": 1}
    chosen = json.loads(
        run(
            two_labels, "--json", "--label", "resolved", "--where", "suite=shop", "--task", "suite",
            "--policy", "agent.model",
        ).output
    )  # fmt: skip
    assert chosen["outcomes"] == {"failure": 1, "success": 1}
    assert (chosen["trajectories"], chosen["tasks"], chosen["policies"]) == (2, 1, ["m"])
    assert chosen["findings"]["notes"]["counts"] == {"LEFT_OUT_BY_WHERE": 1}


def test_crashed_runs_are_left_out_or_failures(mixed):
    path = mixed / "tau_bench.json"
    left_out = json.loads(run(path, "--json").output)
    counted = json.loads(run(path, "--json", "--crashed", "failure").output)
    assert left_out["excluded"] == {"crashed": 1}
    assert counted["excluded"] == {}
    assert counted["outcomes"]["failure"] == left_out["outcomes"]["failure"] + 1


def test_step_rewards_become_a_table(two_labels, tmp_path):
    run(two_labels, "--rewards", tmp_path / "rewards.csv")
    head, *rows = (tmp_path / "rewards.csv").read_text().splitlines()
    assert head == "trajectory,step,value,reason,source,evidence,at"
    assert [row.split(",")[1:3] for row in rows] == [["1", "0.5"]] * 3


def test_out_names_what_it_does_not_carry(mixed, tmp_path):
    output = " ".join(run(mixed / "toolbench", "--out", tmp_path / "x.jsonl").output.split())
    assert "not carried over" in output
    assert "later chains of the search" in output


def test_errors_are_raised(mixed, tmp_path):
    for arguments, code in (
        ((tmp_path,), "INPUT_EMPTY"),
        ((tmp_path / "no",), "PATH_MISSING"),
        ((mixed, "--strict-input"), "OUTCOME_UNCLEAR"),
        ((mixed, "--format", "x"), "FORMAT_NAME"),
        ((mixed, "--role", "x"), "ROLE_OPTION"),
        ((mixed, "--where", "x"), "WHERE_OPTION"),
    ):
        with pytest.raises(InputError, match=code):
            run(*arguments)


def test_a_strict_run_leaves_no_output(mixed, tmp_path):
    with pytest.raises(InputError):
        run(mixed, "--strict-input", "--out", tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_roles_are_checked():
    assert parse_roles(("a=b=user",)) == {"a=b": "user"}
    with pytest.raises(InputError, match="ROLE_OPTION"):
        parse_roles(("critic=judge",))


def test_reading_needs_no_statistics():
    code = "import sys, armslength.cli.read; print([m for m in ('scipy', 'sklearn') if m in sys.modules])"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"
