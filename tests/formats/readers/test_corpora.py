"""Every tau-bench file and every ToolBench group against counts made by an independent script."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from armslength.formats import Findings, Summary, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="session")
def expected():
    return json.loads((SHARED / "corpora/agents/expected.json").read_text())


def end_of(trajectory):
    writers = {turn.writer for turn in trajectory.turns if turn.role == "terminal"}
    if "user" in writers:
        return "user_stop"
    return "transfer_to_human_agents" if "policy" in writers else "none"


def test_tau_bench(expected):
    files = expected["tau_bench"]["files"]
    everything = Summary()
    for name, counts in files.items():
        summary, ends = Summary(), Counter()
        for file in read_files(Path(DATA) / name):
            assert file.format == "tau_bench"
            for trajectory in file.trajectories:
                summary.add(trajectory, name, file.format)
                everything.add(trajectory, name, file.format)
                if not trajectory.origin.excluded:
                    ends[end_of(trajectory)] += 1
        total = summary.total
        assert counts["trajectories"] == total.trajectories, name
        assert counts["labels"] == dict(total.declared), name
        if name.endswith(".jsonl"):
            continue
        assert counts["crashed"] == total.excluded["crashed"], name
        assert counts["distinct_tasks"] == len(total.task_ids), name
        assert counts["turns_by_role"] == dict(total.messages), name
        assert counts["turns"] == total.messages.total(), name
        assert counts["terminal"] == dict(ends), name
        assert counts["duplicates_within_file"] == summary.duplicates, name
    within = sum(counts.get("duplicates_within_file", 0) for counts in files.values())
    assert expected["tau_bench"]["duplicates_across_files"] + within == everything.duplicates


def test_toolbench(expected):
    groups = defaultdict(Summary)
    queries = set()
    findings = Findings()
    for file in read_files(Path(DATA) / "toolbench", None, findings):
        folder, _, name = file.name.rpartition("/")
        group = f"toolbench/{folder} :: {name.partition('_')[2].removesuffix('.json')}"
        for trajectory in file.trajectories:
            groups[group].add(trajectory, file.name, file.format)
            queries.add(trajectory.task)
    counted = expected["toolbench"]["groups"]
    assert sorted(counted) == sorted(groups)
    assert expected["toolbench"]["distinct_queries"] == len(queries) == 806
    for name, counts in counted.items():
        total = groups[name].total
        assert counts["trajectories"] == total.trajectories, name
        assert counts["distinct_queries"] == len(total.tasks), name
        assert counts["nodes_by_type"] == dict(total.messages), name
        wins = {"True": total.declared["success"], "False": total.declared["failure"]}
        assert counts["win"] == {k: v for k, v in wins.items() if v}, name
    assert set(findings.counts) <= {"FORMAT_UNKNOWN", "ARGUMENTS_NOT_JSON", "RETURN_TYPE_UNREADABLE"}
