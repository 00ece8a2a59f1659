"""The code agents' runs against counts made by an independent script."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, Summary, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[2] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="module")
def expected():
    return json.loads((SHARED / "corpora/agents/expected.json").read_text())


def read_all(folder, **options):
    """Trajectories of a folder by format, their summary, and the findings."""
    findings, summary, got = Findings(), Summary(), []
    for file in read_files(Path(DATA) / folder, ReadOptions(**options), findings):
        for trajectory in file.trajectories:
            summary.add(trajectory, file.name, file.format)
            got.append(trajectory)
    return got, summary, findings


def outcomes(trajectories):
    return Counter(str(t.outcome.success) if t.outcome else t.origin.unlabelled for t in trajectories)


def test_swe_agent(expected):
    counts = expected["code"]["swe_agent"]
    got, summary, findings = read_all("code/princeton-nlp__SWE-agent", label="exit_status")
    assert {t.origin.format for t in got} == {"swe_agent"}
    assert counts["trajectories"] == len(got)
    assert counts["duplicates"] == summary.duplicates
    assert counts["history_by_role"] == dict(summary.total.messages)
    assert counts["exit_status"] == {
        "submitted": outcomes(got)["True"],
        "None": outcomes(got)["no exit status"],
    }
    assert {t.outcome.grade for t in got if t.outcome} == {"C"}
    assert sum(any(turn.role == "terminal" for turn in t.turns) for t in got) == 27
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 3})


def test_live_swe_agent(expected):
    counts, reports = expected["code"]["liveswe_traj"], expected["code"]["liveswe_reports"]
    got, summary, findings = read_all("code/RussellRyanH__CSCI-635-LiveSWE-Agent")
    assert {t.origin.format for t in got} == {"mini_swe_agent"}
    assert counts["trajectories"] == len(got)
    assert counts["distinct_tasks"] == len(summary.total.tasks)
    assert counts["turns_by_role"] == dict(summary.total.messages)
    made = outcomes(got)
    assert counts["resolved"] == {
        "True": made["True"],
        "False": made["False"],
        "no report": made["no report"],
    }
    assert reports["llm-ablation/gpt-5-mini"] == {"True": made["True"], "False": made["False"]}
    assert {t.outcome.grade for t in got if t.outcome} == {"B"}
    declared, _, _ = read_all("code/RussellRyanH__CSCI-635-LiveSWE-Agent", label="exit_status")
    assert counts["exit_status"] == {"Submitted": outcomes(declared)["True"]}
    results = [turn for t in got for turn in t.turns if turn.role == "tool_result"]
    assert counts["turns_by_role"]["tool"] == sum(turn.error is not None for turn in results)
    assert set(findings.counts) == set()
    assert set(findings.notes) == {"SIDECAR"}
