"""`armslength replay`: board, card, page, exit codes, and what it does not import."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from armslength.cli import cli

EXAMPLES = Path(__file__).parents[2] / "examples/replay"


def invoke(*words: object) -> tuple[int, str]:
    """Exit code and output of one call."""
    done = CliRunner().invoke(cli, [str(word) for word in words], standalone_mode=False)
    assert done.exception is None, done.exception
    return int(done.return_value), done.output


def test_a_passing_fixture_prints_its_board_and_writes_a_page(tmp_path: Path):
    code, output = invoke("replay", "run", "--input", EXAMPLES / "fixture", "--out", tmp_path)
    assert code == 0
    assert output.startswith("pass (profile strict")
    assert "17 reward values recomputed" in output
    assert (tmp_path / "replay.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_blocked_bundle_names_row_code_and_field(tmp_path: Path):
    folder = copied(tmp_path, "fixture")
    rewards = json.loads((folder / "reward_events.json").read_bytes())
    rewards["reward_events"][0]["reward_value"] = 0.999
    (folder / "reward_events.json").write_text(json.dumps(rewards))
    code, output = invoke("replay", "run", "--input", folder, "--out", tmp_path / "out")
    assert code == 1
    assert output.startswith("blocked")
    assert "REWARD_VALUE_NOT_RECONSTRUCTED" in "".join(output.split())
    assert "the declared formula gives another reward" in output
    assert "reward_events.json#/reward_events/0/" in output


def test_card_and_json_print_the_same(tmp_path: Path):
    words = ("replay", "run-reward-bundle", "--input", EXAMPLES / "exported_bundle", "--out", tmp_path)
    first, card = invoke(*words, "--card")
    second, as_json = invoke(*words, "--json")
    assert (first, second) == (0, 0)
    assert json.loads(card)["status"] == json.loads(as_json)["status"] == "pass"


def test_profile_reference_says_that_it_is_weaker_and_writes_no_page(tmp_path: Path):
    code, output = invoke(
        "replay", "run", "--input", EXAMPLES / "fixture", "--out", tmp_path, "--profile", "reference"
    )
    assert code == 1  # the format wants its scan policy below a public root, and there is none here
    assert "SCAN_POLICY_MISSING" in "".join(output.split())
    assert "No number is recomputed" in " ".join(output.split())
    assert not (tmp_path / "replay.html").exists()


def test_acceptance_goes_where_it_is_told(tmp_path: Path):
    target = tmp_path / "elsewhere/acceptance.json"
    invoke("replay", "run", "--input", EXAMPLES / "fixture", "--out", tmp_path, "--acceptance-out", target)
    assert json.loads(target.read_bytes())["status"] == "pass"


def test_a_folder_that_is_not_there_is_a_wrong_call(tmp_path: Path):
    program = [
        sys.executable,
        "-m",
        "armslength",
        "replay",
        "run",
        "--out",
        str(tmp_path),
        "--input",
        "nowhere",
    ]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nowhere" in done.stderr
    module = [sys.executable, "-m", "armslength.replay.belief_state_process_reward_replay", *program[4:]]
    assert subprocess.run(module, capture_output=True, check=False).returncode == 2


def test_an_unwritable_out_is_a_wrong_call_without_traceback(tmp_path: Path):
    (tmp_path / "file").touch()
    for program in (["armslength", "replay"], ["armslength.replay.belief_state_process_reward_replay"]):
        words = ["run", "--input", str(EXAMPLES / "fixture"), "--out", str(tmp_path / "file")]
        done = subprocess.run(
            [sys.executable, "-m", *program, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "Traceback" not in done.stderr


def test_no_output_may_stand_in_the_input(tmp_path: Path):
    folder = copied(tmp_path, "fixture")
    before = (folder / "belief_states.json").read_bytes()
    common = ["run", "--input", str(folder), "--out"]
    for words in (
        [*common, str(folder / "out")],
        [*common, str(tmp_path / "out"), "--acceptance-out", str(folder / "belief_states.json")],
    ):
        for program in (["armslength", "replay"], ["armslength.replay.belief_state_process_reward_replay"]):
            command = [sys.executable, "-m", *program, *words]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 2
            assert "OUTPUT_IN_INPUT" in done.stderr
    assert (folder / "belief_states.json").read_bytes() == before


def test_replay_imports_no_statistics():
    program = (
        "import sys; import armslength.replay.belief_state_process_reward_replay, armslength.report.replay_board;"
        "from armslength.replay.secrets import find_in_texts; find_in_texts(['x']);"
        "sys.exit(bool({'scipy', 'sklearn'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def copied(tmp_path: Path, name: str) -> Path:
    """A copy of an example in a project of its own."""
    (tmp_path / "pyproject.toml").touch()
    return Path(shutil.copytree(EXAMPLES / name, tmp_path / "input"))
