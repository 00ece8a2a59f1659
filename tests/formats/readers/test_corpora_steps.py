"""Sets of step labels, and OpenHands' export, against counts made by an independent script."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, read

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="session")
def expected():
    return json.loads((SHARED / "corpora/agents/expected.json").read_text())["formats"]


def test_process_bench(expected):
    name = "formats/ljxzs-jjlzs__ProcessBench/code/dataset/gsm8k.json"
    counts, findings = expected[name], Findings()
    runs = list(read(Path(DATA) / name, None, findings))
    assert counts["records"] == len(runs)
    assert counts["steps"] == sum(run.origin.messages["step"] for run in runs)
    assert counts["distinct_problems"] == len({run.task for run in runs})
    assert counts["generators"] == len({run.policy for run in runs})
    assert counts["final_answer_correct"] == dict(Counter(str(run.outcome.success) for run in runs))
    whole = read(Path(DATA) / name, ReadOptions(label="label"), findings)
    assert counts["label_minus_one"] == sum(run.outcome.success for run in whole)
    # The file itself: 207 solutions have a first wrong step; 7 of them the right answer.
    assert Counter(reward.value for run in runs for reward in run.rewards) == {
        1.0: 1361,
        -1.0: 207,
        None: 514,
    }
    assert sum(run.outcome.success and run.rewards[-1].value != 1 for run in runs) == 7
    assert not findings.counts


def test_prm800k(expected):
    folder = "formats/tongyx361__reward-by-prm800k"
    findings = Findings()
    runs = list(read(Path(DATA) / folder, None, findings))
    values = {name: count["values"] for name, count in expected.items() if name.startswith(folder)}
    assert values == dict(Counter(f"{folder}/{run.origin.at.partition('[')[0]}" for run in runs))
    # The files themselves: candidates that were chosen, steps that a person wrote, what each ended with.
    assert [(len(run.turns) - 1, run.origin.messages.get("human_completion", 0)) for run in runs] == [
        (6, 1),
        (6, 1),
        (29, 10),
        (6, 2),
        (7, 0),
        (7, 0),
    ]
    assert [run.outcome and run.outcome.success for run in runs] == [True, True, None, True, False, False]
    assert [run.rewards[-1].value for run in runs] == [1, 1, 1, 1, -1, -1]
    assert (dict(findings.counts), findings.notes["SIDECAR"]) == ({}, 1)


def test_openhands_export(expected):
    name = "formats/sachiny0106__Xelron/docs/rfcs/0001-trajectory-format/openhands_trajectory.json"
    findings = Findings()
    (run,) = read(Path(DATA) / name, None, findings)
    assert expected[name]["keys"] == sum(run.origin.messages.values())
    assert [(t.role, t.writer, t.step, t.name) for t in run.turns] == [
        ("system", "task", 0, None),
        ("user", "task", 1, None),
        ("system", "world", 3, None),
        ("tool_call", "policy", 4, "execute_bash"),
        ("tool_result", "world", 5, "execute_bash"),
        ("terminal", "policy", 6, "finish"),
    ]
    assert (run.policy, run.turns[4].error, len(findings)) == ("gpt-5-2025-08-07", False, 0)
