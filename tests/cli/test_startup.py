"""What starting the program costs, and what it says."""

import subprocess
import sys

import pytest

from armslength.cli import main


@pytest.mark.parametrize(
    "arguments", [["--help"], ["read", "--help"], ["worlds", "--help"], ["read", "FILE"]]
)
def test_quick_commands_import_neither_scipy_nor_scikit_learn(arguments, tmp_path):
    """Two CPU seconds are not spent where nothing is fitted."""
    runs = tmp_path / "runs.jsonl"
    runs.write_text('{"messages": [{"role": "user", "content": "hello"}], "success": true}\n')
    words = [str(runs) if word == "FILE" else word for word in arguments]
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print(sorted({'scipy', 'sklearn'} & set(sys.modules)), file=sys.stderr))\n"
        f"from armslength.cli import main\nmain({words!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "[]"


def test_the_module_runs_as_a_program():
    """``python -m armslength`` is the same program."""
    done = subprocess.run(
        [sys.executable, "-m", "armslength", "--version"], capture_output=True, text=True, check=True
    )
    assert "armslength" in done.stdout


def test_an_output_that_cannot_be_written_is_named(tmp_path, capsys):
    """Exit 2 with the path, never a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as stop:
        main(["worlds", "make", "--tasks", "1", "--out", str(tmp_path / "file" / "below")])
    assert stop.value.code == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["audit"], ["read"], ["audit", "/nowhere/at/all", "--out", "x"]]
)
def test_wrong_calls_exit_with_2_and_no_traceback(arguments, capsys):
    """A message on stderr, never a traceback."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "Traceback" not in capsys.readouterr().err
