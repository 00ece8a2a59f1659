"""The how-to's cells run in order, and the way from a figure ends at the turn in the file."""

import re
import shlex
from pathlib import Path

import pytest

from armslength.cli import main

PAGE = (Path(__file__).parents[2] / "docs/how-to/use-the-python-api.md").read_text()

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What the cells leave behind, after the command above them."""
    (command,) = re.findall(r"```\n(armslength .*?)\n```", PAGE, re.DOTALL)
    cells = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(cells) == 9
    names = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("notebook"))
        with pytest.raises(SystemExit) as done:
            main(shlex.split(command)[1:])
        assert not done.value.code
        for index, cell in enumerate(cells):
            exec(compile(cell, f"cell {index}", "exec"), names)  # noqa: S102 - our own page
    return names


def test_the_rows_of_the_runs_make_the_figure(made):
    """The share of failures that were caught is a count of the runs."""
    assert made["alert"].caught.value == pytest.approx(len(made["caught"]) / len(made["failed"]), abs=1e-12)
    assert len(made["caught"]) == made["alert"].alerts > 0


def test_the_way_ends_at_the_record_and_its_turn(made):
    """The row's place holds the run's record, and the record holds the turn after which the alert went up."""
    assert made["record"]["id"] == made["run"].id == made["row"].id
    assert made["record"]["outcome"]["success"] is False
    texts = [turn["text"] for turn in made["record"]["turns"] if turn["step"] == made["turn"].step]
    assert made["turn"].text in texts
    assert made["turn"].writer != "policy"


def test_the_table_holds_every_score(made):
    """Three heads at three reads, each on one line."""
    assert len(made["table"]) == len(made["result"].scores) == 9
    assert all(re.fullmatch(r"0\.\d\d \[0\.\d\d, 0\.\d\d\]", line["auc"]) for line in made["table"])
