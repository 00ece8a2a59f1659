"""Every public Inspect log against counts made by an independent script."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]
FOLDERS = ("formats/UKGovernmentBEIS__inspect_ai", "formats/TransluceAI__docent")


@pytest.fixture(scope="module")
def expected():
    counts = json.loads((SHARED / "corpora/agents/expected.json").read_text())["formats"]
    return {name: count for name, count in counts.items() if "inspect" in count["format"]}


@pytest.fixture(scope="module")
def got():
    """Trajectories by file, and the findings."""
    findings = Findings()
    files = defaultdict(list)
    for folder in FOLDERS:
        for file in read_files(Path(DATA) / folder, ReadOptions(), findings):
            assert file.format == "inspect"
            files[f"{folder}/{file.name}"] += file.trajectories
    return files, findings


def test_samples_scores_and_messages(expected, got):
    files, _ = got
    assert sorted(files) == sorted(expected)
    words = {True: ("C", "1.0"), False: ("I", "0.0")}
    for name, counts in expected.items():
        runs = files[name]
        assert counts["samples"] == len(runs), name
        scored = [run.outcome for run in runs if run.outcome is not None]
        assert sum(counts["scores"].values()) == len(scored), name
        for label, count in counts["scores"].items():
            scorer, _, value = label.partition("=")
            same = [o for o in scored if o.source == scorer and value in words[o.success]]
            assert count == len(same), (name, label)
        if "turns_by_role" in counts:
            roles = sum((Counter(run.origin.messages) for run in runs), Counter())
            assert counts["turns_by_role"] == dict(roles), name


def test_only_what_is_odd_is_found(got):
    """One file of tool messages alone, and one call that the message limit cut off."""
    _, findings = got
    assert findings.counts == {"RESULT_UNPAIRED": 11, "CALL_UNANSWERED": 1}
    assert findings.notes["JUDGED_BY_MODEL"] == 7
    assert findings.notes["LOG_INCOMPLETE"] == 2
    assert findings.notes["LOG_WITHOUT_SAMPLES"] == 1


def test_an_agents_run_ends_with_its_submission(got):
    files, _ = got
    runs = files["formats/TransluceAI__docent/docent/docent/samples/log.eval"]
    ends = Counter(run.turns[-1].role == "terminal" for run in runs)
    assert ends == {True: 12, False: 3}
    assert [run.outcome.stratum for run in runs if run.turns[-1].role != "terminal"] == ["step limit"] * 3
