"""The code agents' runs against counts made by an independent script."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, Summary, read_files
from armslength.formats.readers.aider_log import split_chats

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
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


def test_aider(expected):
    counts = expected["code"]["aider"]
    folder = "code/paul-gauthier__aider-swe-bench"
    got, summary, findings = read_all(folder)
    assert {t.origin.format for t in got} == {"aider"}
    assert counts["trajectories"] == len(got)
    assert counts["distinct_tasks"] == len(summary.total.tasks)
    assert counts["without_markdown"] == summary.total.excluded["no chat log"]
    assert counts["chat_sessions"] == summary.total.messages["chat"]
    declared = {"True": summary.total.declared["success"], "False": summary.total.declared["failure"]}
    assert counts["resolved"] == declared
    assert dict(outcomes(got)) == {
        "True": 59,
        "False": 134,
        "another try was submitted": 87,
        "chats and tries do not match": 16,
        None: counts["without_markdown"],
    }
    assert set(findings.counts) == set()


def test_the_models_own_headings_are_no_users(expected):
    """The script counted every run of lines that begin with ``#### ``; some are headings in the model's replies."""
    users = headings = 0
    for path in sorted((Path(DATA) / "code/paul-gauthier__aider-swe-bench/predictions").rglob("*__*.md")):
        for chat in split_chats(path.read_text()):
            users += sum(block.kind == "user" for block in chat)
            replies = "\n".join(block.text for block in chat if block.kind == "reply")
            headings += len(re.findall(r"^#### ", replies, re.MULTILINE))
    assert (users, headings) == (857, 51)
    assert expected["code"]["aider"]["user_blocks"] == users + headings


def test_atif(expected):
    seen = {}
    for file in read_files(Path(DATA) / "formats/sachiny0106__Xelron"):
        (got,) = file.trajectories
        if file.format == "atif":
            seen[f"formats/sachiny0106__Xelron/{file.name}"] = Counter(got.origin.messages)
        else:
            assert (file.format, len(got.turns)) in {("mini_swe_agent", 11), ("openhands", 6)}
    counted = {name: c for name, c in expected["formats"].items() if c["format"].startswith("ATIF")}
    assert sorted(counted) == sorted(seen)
    for name, counts in counted.items():
        inside = {"observation": counts["observations"], "tool_call": counts["tool_calls"]}
        assert Counter(counts["steps_by_source"] | inside) == seen[name], name
