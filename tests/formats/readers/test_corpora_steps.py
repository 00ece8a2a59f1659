"""ProcessBench and PRM800K samples against counts made by an independent script."""

import json
import os
from pathlib import Path

import pytest

from armslength.formats import Findings, read

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="module")
def expected():
    counted = json.loads((SHARED / "corpora/agents/expected.json").read_text())["formats"]
    return {name.removeprefix("formats/"): found for name, found in counted.items()}


def test_process_bench(expected):
    (name,) = (n for n, found in expected.items() if found.get("format") == "ProcessBench")
    found, findings = expected[name], Findings()
    runs = list(read(Path(DATA) / "formats" / name, None, findings))
    assert not len(findings)
    assert (len(runs), len({t.task for t in runs})) == (found["records"], found["distinct_problems"])
    assert len({t.policy for t in runs}) == found["generators"]
    assert sum(t.origin.messages["step"] for t in runs) == sum(len(t.rewards) for t in runs) == found["steps"]
    assert sum(all(r.value == 1 for r in t.rewards) for t in runs) == found["label_minus_one"]
    assert {str(v): sum(t.outcome.success is v for t in runs) for v in (True, False)} == found[
        "final_answer_correct"
    ]


def test_prm800k(expected):
    names = [n for n, found in expected.items() if "prm800k" in n]
    assert len(names) == 4
    for name in names:
        findings = Findings()
        assert len(list(read(Path(DATA) / "formats" / name, None, findings))) == expected[name]["values"]
        assert not len(findings)
