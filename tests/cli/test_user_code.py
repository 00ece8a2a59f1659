"""Loading a reward by its name: what is found, and what each wrong name is answered with."""
# ruff: noqa: ARG001 - a fixture that only has to be there

import sys

import pytest

from armslength.cli.user_code import load_function
from armslength.errors import InputError

SOURCE = """
from dataclasses import dataclass
from beside import WORTH
CONSTANT = 3
def score(trajectory):
    return WORTH
@dataclass
class Judge:
    k: int = 1
    def __call__(self, trajectory):
        return self.k
judge = Judge()
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_rewards.py").write_text(SOURCE)
    (tmp_path / "beside.py").write_text("WORTH = 2.5\n")
    (tmp_path / "broken_reward.py").write_text("import os\n\n1 / 0\n")
    (tmp_path / "needy_reward.py").write_text("import a_module_that_is_not_there\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("my_rewards", "beside", "broken_reward", "needy_reward"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("where", ["my_rewards", "my_rewards.py", "./my_rewards.py"])
def test_a_module_and_a_file_are_found(folder, where):
    """A file may import its neighbour, and an object that can be called is a function."""
    assert load_function(f"{where}:score")(None) == 2.5
    assert load_function(f"{where}:judge")(None) == 1


@pytest.mark.parametrize(
    ("reference", "code", "words"),
    [
        ("my_rewards", "REWARD_NOT_FOUND", "package.module:function"),
        ("my_rewards:", "REWARD_NOT_FOUND", "package.module:function"),
        ("nowhere.py:score", "REWARD_NOT_FOUND", "no such file"),
        ("no.such.module:score", "REWARD_NOT_FOUND", "no module no"),
        ("my_rewards:scores", "REWARD_NOT_FOUND", "It holds Judge, dataclass, judge, score"),
        ("my_rewards:CONSTANT", "REWARD_NOT_CALLABLE", "a value of type int"),
        ("broken_reward.py:f", "REWARD_NOT_LOADED", "broken_reward.py:3: ZeroDivisionError"),
        ("broken_reward:f", "REWARD_NOT_LOADED", "broken_reward.py:3: ZeroDivisionError"),
        ("needy_reward:f", "REWARD_NOT_LOADED", "needy_reward.py:1: ModuleNotFoundError"),
    ],
)
def test_each_wrong_name_says_what_is_wrong(folder, reference, code, words):
    with pytest.raises(InputError) as caught:
        load_function(reference)
    assert caught.value.code == code
    assert words in str(caught.value)
