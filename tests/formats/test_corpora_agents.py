"""Every file of four agent corpora against counts made by an independent script."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from armslength.formats import Findings, Summary, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[2] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="session")
def expected():
    return json.loads((SHARED / "corpora/agents/expected.json").read_text())


def merged(counts):
    """Messages by role; the independent script counts messages with calls apart."""
    made = Counter()
    for name, count in counts.items():
        made[name.partition("+")[0]] += count
    return dict(made)


def test_tau2_bench(expected):
    counted = expected["tau2_bench"]
    groups, everything, findings = defaultdict(Summary), Summary(), Findings()
    for file in read_files(Path(DATA) / "tau2_bench", None, findings):
        name = f"tau2_bench/{file.name}"
        name = name if name in counted["files"] else name.rpartition("/")[0]
        for trajectory in file.trajectories:
            groups[name].add(trajectory, file.name, file.format)
            everything.add(trajectory, file.name, file.format)
    both = {**counted["groups"], **counted["files"]}
    assert sorted(both) == sorted(groups)
    for name, counts in both.items():
        total = groups[name].total
        assert counts["trajectories"] == total.trajectories, name
        assert counts["labels"] == dict(total.declared), name
        assert counts["distinct_tasks"] == len(total.task_ids), name
        assert counts["turns"] == total.messages.total(), name
        assert merged(counts["turns_by_role"]) == dict(total.messages), name
        assert counts["empty"] == total.excluded["crashed"], name
        if name in counted["files"]:
            assert dict(total.excluded) == {"task of another conversation": total.trajectories}, name
    # The script also counts runs without messages as equal to each other.
    empty = sum(counts["empty"] > 0 for counts in both.values())
    assert counted["duplicates_across_groups"] == everything.duplicates + empty - 1
    assert dict(findings.counts) == {"TASKS_WRONGLY_JOINED": 2, "TASK_USER_ABSENT": 1}
