"""Every public verifiers file against counts made by an independent script."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]
FOLDER = "formats/intertwine__security-verifiers"


@pytest.fixture(scope="module")
def expected():
    counts = json.loads((SHARED / "corpora/agents/expected.json").read_text())["formats"]
    return {name: count for name, count in counts.items() if "verifiers" in count["format"]}


def test_records_problems_messages_and_rewards(expected):
    findings = Findings()
    options = ReadOptions(success="reward>=1")
    seen = set()
    for file in read_files(Path(DATA) / FOLDER, options, findings):
        name = f"{FOLDER}/{file.name}"
        counts, runs = expected[name], list(file.trajectories)
        seen.add(name)
        assert file.format == "verifiers"
        assert counts["records"] == len(runs), name
        assert counts["distinct_problems"] == len({run.task for run in runs}), name
        roles = sum((Counter(run.origin.messages) for run in runs), Counter())
        assert counts["turns_by_role"] == dict(roles), name
        paid = sum(n for reward, n in counts["reward"].items() if float(reward) >= 1)
        assert paid == sum(run.outcome.success for run in runs), name
        judged = "judge_reward" in counts["metrics"]
        assert {run.outcome.grade for run in runs} == {"C" if judged else "B"}, name
    assert seen == set(expected)
    assert not len(findings)
    assert findings.notes == {"SIDECAR": 9, "JUDGED_BY_MODEL": 57}


def test_only_rewards_of_zero_and_one_are_labels(expected):
    for file in read_files(Path(DATA) / FOLDER):
        binary = set(expected[f"{FOLDER}/{file.name}"]["reward"]) <= {"0.0", "1.0"}
        assert {run.outcome is not None for run in file.trajectories} == {binary}, file.name
