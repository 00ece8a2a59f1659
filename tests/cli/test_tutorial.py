"""The tutorial's commands run in order and print what the page shows."""

import re
import shlex
from pathlib import Path

import pytest

from armslength.cli import main

PAGE = (Path(__file__).parents[2] / "docs/tutorial.md").read_text()
COMMANDS = re.findall(r"```\n(armslength .*?)\n```", PAGE, re.DOTALL)
SHOWN = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)


def lines(text: str) -> list[str]:
    """Lines that say something, with single spaces: the terminal pads them, and rules are drawn."""
    said = (" ".join(line.split()) for line in text.splitlines())
    return [line for line in said if line.strip("─ ")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A command in the folder of the page's runs: exit code, and the lines of both streams."""
    folder = tmp_path_factory.mktemp("tutorial")
    (script,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(script, "make.py", "exec"), {})  # noqa: S102 - our own page

        def call(command: str, capsys) -> tuple[int, list[str]]:
            with pytest.raises(SystemExit) as done:
                main(shlex.split(command)[1:])
            out, err = capsys.readouterr()
            return done.value.code or 0, lines(out) + lines(err)

        yield call


def test_read_prints_what_the_page_shows(run, capsys):
    """The script's 300 runs, counted."""
    code, printed = run(COMMANDS[0], capsys)
    assert code == 0
    assert [line for line in lines(SHOWN[0]) if line not in printed] == []


@pytest.mark.slow
def test_the_audits_print_what_the_page_shows(run, capsys):
    """Verdicts, scores and gates of both heads, and the exit code where a gate fails."""
    code, printed = run(COMMANDS[1], capsys)
    assert (code, [line for line in lines(SHOWN[1]) if line not in printed]) == (0, [])
    code, printed = run(COMMANDS[2], capsys)
    assert (code, [line for line in lines(SHOWN[2]) if line not in printed]) == (1, [])
    assert "The exit code is 1." in PAGE
    code, printed = run(COMMANDS[2].replace(" --authorship all-role", ""), capsys)
    assert (code, [line for line in lines(SHOWN[3]) if line not in printed]) == (0, [])
    assert any(line.startswith("strict 0.94 [0.89, 0.97]") for line in printed)
    assert "removes 94 % [89, 97]" in PAGE
