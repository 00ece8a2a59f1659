"""The command: what it prints, what it writes, what it refuses."""

import json
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


def test_tables_say_what_is_here(data):
    result = run(data)
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


def test_json_has_all_counts(data):
    made = json.loads(run(data, "--json").output)
    assert (made["schema"], made["trajectories"]) == ("armslength/read/v1", 17)
    assert made["findings"]["counts"]["FORMAT_UNKNOWN"] == 1


def test_out_converts(data, tmp_path):
    out = tmp_path / "new" / "all.jsonl.zst"
    run(data, "--out", out)
    assert [t.turns for t in read(data)] == [t.turns for t in read(out)]


def test_folders_of_many_files_are_one_line(data, tmp_path):
    content = (data / "toolbench/answers_model_a/11_CoT@1.json").read_text()
    (tmp_path / "many").mkdir()
    for n in range(12):
        (tmp_path / f"many/{n}_CoT@1.json").write_text(content)
    assert "many/ (12 files)" in run(tmp_path).output


def test_text_of_a_file_is_no_markup(tmp_path):
    (tmp_path / "[red]x.jsonl").write_text('{"messages": [{"role": "[bold]", "content": "x"}]}')
    output = run(tmp_path).output
    assert "[red]x.jsonl" in output
    assert "[bold]" in output


def test_options_reach_the_reader(data, tmp_path):
    made = json.loads(run(data / "chat.jsonl", "--json", "--success", "reward>=0.5").output)
    assert made["outcomes"] == {"failure": 1, "success": 2}
    (tmp_path / "x.jsonl").write_text('{"messages": [{"role": "critic", "content": "x"}]}')
    made = json.loads(run(tmp_path, "--json", "--role", "critic=tool_result").output)
    assert made["roles"] == {"tool_result": 1}


def test_errors_are_raised(data, tmp_path):
    for arguments, code in (
        ((tmp_path,), "INPUT_EMPTY"),
        ((tmp_path / "no",), "PATH_MISSING"),
        ((data, "--strict-input"), "OUTCOME_UNCLEAR"),
        ((data, "--format", "x"), "FORMAT_NAME"),
        ((data, "--role", "x"), "ROLE_OPTION"),
    ):
        with pytest.raises(InputError, match=code):
            run(*arguments)


def test_a_strict_run_leaves_no_output(data, tmp_path):
    with pytest.raises(InputError):
        run(data, "--strict-input", "--out", tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_roles_are_checked():
    assert parse_roles(("a=b=user",)) == {"a=b": "user"}
    with pytest.raises(InputError, match="ROLE_OPTION"):
        parse_roles(("critic=judge",))


def test_reading_needs_no_statistics():
    code = "import sys, armslength.cli.read; print([m for m in ('scipy', 'sklearn') if m in sys.modules])"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"
