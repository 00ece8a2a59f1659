"""``armslength audit --reward``: from a file with a function to the headline, and what stops it."""

import json
import sys

import pytest

from armslength.cli import main
from armslength.formats import write
from armslength.worlds import make_purchases

SOURCE = """
print("a module that talks while it is imported")

def confirmed(prompts, completions, **kwargs):
    print("a reward that talks")
    kwargs["log_metric"]("mean", 0.5)
    return [float(any("confirmed" in m["content"] for m in c if m["role"] == "tool")) for c in completions]

def broken(trajectory):
    raise RuntimeError(trajectory.turns[0].text)
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    write(make_purchases(24, 3, 5), path)
    return path


@pytest.fixture
def audit(runs, tmp_path, monkeypatch, capsys):
    (tmp_path / "talking_rewards.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)

    def call(*options):
        with pytest.raises(SystemExit) as stop:
            main(["audit", str(runs), "--out", "out", "--resamples", "100", *options])
        return stop.value.code, capsys.readouterr()

    yield call
    sys.modules.pop("talking_rewards", None)


def test_the_reward_is_the_headline_and_may_talk(audit, tmp_path):
    """What it prints goes to stderr, so that --json is JSON; its name holds no folder."""
    code, said = audit("--reward", "talking_rewards.py:confirmed", "--reward-calls", "4000", "--json")
    assert code == 0
    result = json.loads(said.out)
    reward = result["reward"]
    assert (reward["name"], reward["form"], reward["budget"]) == ("talking_rewards:confirmed", "batch", 4000)
    assert reward["calls"] <= 4000
    assert reward["measured"] == result["data"]["measured"]
    assert "reward" in result["verdicts"]
    assert "reward function" in result["provenance"]["digests"]
    assert "a reward that talks" in said.err
    page = (tmp_path / "out/report.html").read_text()
    assert "talking_rewards:confirmed" in page
    assert "politeness added" in page


def test_a_reward_that_always_raises_is_unmeasured_with_exit_3(audit):
    """The reason names the line; the words of the run, which the error quotes, are nowhere."""
    code, said = audit("--reward", "talking_rewards:broken")
    assert code == 3
    assert "raised RuntimeError (talking_rewards.py:10)" in said.err
    assert "Traceback" not in said.err
    assert "Verdict on your reward: unmeasured" in said.out
    assert "You serve the customers" not in said.out + said.err


@pytest.mark.parametrize("reference", ["nowhere.py:f", "talking_rewards:nothing", "talking_rewards"])
def test_a_wrong_reference_exits_with_2_before_anything_is_read(audit, reference):
    code, said = audit("--reward", reference)
    assert code == 2
    assert "REWARD_NOT_FOUND" in said.err
