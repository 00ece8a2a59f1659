"""Recomputed outcomes on the public corpora: agreement by source against the counts of an independent recount."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from armslength.formats import ReadOptions, read
from armslength.recompute import recompute_files
from armslength.recompute.agreement import agreements

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[2] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]
FORK = "tau_bench/Madhav-Kanda__tau-bench"


def counted(path):
    """Runs, agreeing, disagreeing, false successes, not recomputed."""
    rows = agreements(recompute_files(Path(DATA) / path))
    return tuple(
        sum(counts)
        for counts in zip(
            *(
                (row.runs, row.agree, row.disagree, row.false_successes, row.unmeasured.total())
                for row in rows
            ),
            strict=True,
        )
    )


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("tau_bench/sierra-research__tau-bench/historical_trajectories", (200, 200, 0, 0, 0)),
        ("tau_bench/Reapor-Yurnero__tau-bench", (795, 533, 0, 0, 262)),
        ("tau_bench/fabrahman__tau-bench/outputs", (50, 41, 0, 0, 9)),
        (f"{FORK}/llm_as_a_judge", (100, 100, 0, 0, 0)),
        (f"{FORK}/results", (416, 231, 149, 149, 36)),
        ("tau2_bench/codesque16__tau2-bench/docs", (1475, 1374, 0, 0, 101)),
        ("tau2_bench/codesque16__tau2-bench/web", (164, 0, 0, 0, 164)),
    ],
)
def test_sources_agree_as_an_independent_recount_found(path, counts):
    assert counted(path) == counts


def agreement(path, label=None):
    """Of each pair of declared and recomputed outcome how many runs have it, and the reasons of unmeasured ones."""
    pairs, reasons = Counter(), Counter()
    for report in recompute_files(Path(DATA) / path, options=ReadOptions(label=label)):
        if report.recomputed.success is None:
            reasons[report.recomputed.reason] += 1
        pairs[report.recomputed.success, report.declared] += 1
    return pairs, reasons


def test_star_agrees_with_the_users_as_an_independent_script_counted():
    expected = json.loads((SHARED / "corpora/dialogues/expected.json").read_text())["star"]
    pairs, reasons = agreement("star/dialogues")
    known = {f"state_{ours}/user_{said}": pairs[ours == "success", said == "yes"]
             for ours in ("success", "failure") for said in ("yes", "no")}  # fmt: skip
    counted = expected["agreement_A_with_B"]
    assert known == {name: n for name, n in counted.items() if "none" not in name}
    assert reasons == {"several tasks": 1683, "task without a transaction": 1352, "no terminal reply": 766}


def test_casino_points_are_the_recorded_ones():
    expected = json.loads((SHARED / "corpora/dialogues/expected.json").read_text())["casino"]
    reports = list(recompute_files(Path(DATA) / "casino"))
    assert expected["points_check"] == {"points_recomputed_equal": sum(r.agrees is True for r in reports)}
    deals = Counter(report.recomputed.success for report in reports)
    assert {"deal": deals[True] // 2, "walk_away": deals[False] // 2} == expected["label_A_ending"]
    assert deals.total() == 2 * expected["trajectories"]


def test_deals_are_those_that_both_sides_selections_make():
    expected = json.loads((SHARED / "corpora/dialogues/expected.json").read_text())["dealornodeal"]
    reports = list(recompute_files(Path(DATA) / "dealornodeal/src/data/negotiate/data.txt"))
    assert Counter(report.agrees for report in reports)[False] == 0
    rewards = sum(report.declared_points is not None for report in reports)
    assert rewards == sum(expected["reward_recomputed_rows"].values())
    assert (
        sum(report.recomputed.points == report.declared_points is not None for report in reports) == rewards
    )
    assert sum(report.declared is True for report in reports) == expected["label_A_rows"]["deal"]


def test_wizards_words_meet_goals_as_their_annotations_do():
    """Of 1,000 dialogues 925 agree; what was booked agrees in all, so calls and states hold what the file does."""
    expected = json.loads((SHARED / "corpora/dialogues/expected.json").read_text())["multiwoz"]
    reports = list(recompute_files(Path(DATA) / "multiwoz"))
    pairs = Counter((report.declared, report.recomputed.success) for report in reports)
    assert pairs == {(True, True): 789, (False, False): 136, (False, True): 45, (True, False): 30}
    assert sum(report.declared for report in reports) == expected["label_A_success_all_three"]["true"]
    unbooked = sum(
        any("/book_slot/" in d.at or "/not_booked" in d.at for d in r.differences) for r in reports
    )
    assert unbooked == expected["label_A_booked"]["false"]


@pytest.mark.parametrize(
    ("system", "successes", "differ"),
    [("augpt", 447, 24), ("galaxy-e2e", 660, 0), ("mintl", 539, 0), ("pptod", 653, 0), ("soloist", 549, 0),
     ("ubar", 626, 0)],
)  # fmt: skip
def test_six_systems_are_judged_from_their_turns_as_from_their_files(system, successes, differ):
    """One system adds active domains, which are no turn."""
    path = Path(DATA) / f"multiwoz_predictions/predictions/{system}.json"
    ours = [report.recomputed.success for report in recompute_files(path)]
    labels = [run.outcome.success for run in read(path)]
    assert sum(ours) == successes
    assert sum(a != b for a, b in zip(ours, labels, strict=True)) == differ


@pytest.mark.parametrize(
    ("file", "false"),
    [
        ("assertions-agent-none-0.1_range_0-100_6_18_2025", 23),
        ("assertions-agent-none-0.1_range_0-100_6_20_2025_without_postcondition", 32),
        ("tool-calling-l0-4o", 9), ("tool-calling-l0-4.1", 30), ("tool-calling-l1-4o", 30),
        ("tool-calling-l1-4.1", 30), ("tool-calling-l2-4o", 40), ("tool-calling-l2-4.1", 30),
        ("tool-calling-with-dynamic-subtasks-none-0.1_range_0--1_user-none-llm_0716114053", 0),
    ],
)  # fmt: skip
def test_false_successes_of_each_file(file, false):
    reports = list(recompute_files(Path(DATA) / FORK / "final_results" / f"{file}.json"))
    assert sum(report.declared is True and report.recomputed.success is False for report in reports) == false
    assert sum(report.declared is False and report.recomputed.success is True for report in reports) == (
        file.endswith("6_18_2025")
    )


def test_lists_written_as_texts_explain_every_disagreement_of_the_assertions_files():
    """Read as lists, all 161 recomputable runs agree with what the files declare."""
    words = Counter()
    for report in recompute_files(Path(DATA) / FORK / "final_results"):
        if report.file.startswith("assertions") and report.agrees is False:
            (note,) = (note for note in report.recomputed.notes if "read as lists" in note)
            words[note.endswith("success") == report.declared] += 1
    assert words == {True: 56}


def test_each_run_of_each_file_is_reported_with_its_declared_label():
    """Runs and labels of all τ-bench files equal the counts of the independent script."""
    expected = json.loads((SHARED / "corpora/agents/expected.json").read_text())["tau_bench"]["files"]
    runs, declared = Counter(), {}
    for report in recompute_files(Path(DATA) / "tau_bench"):
        name = f"tau_bench/{report.file}"
        runs[name] += 1
        if report.declared is not None:
            word = "success" if report.declared else "failure"
            declared.setdefault(name, Counter())[word] += 1
    assert runs == {name: counts["trajectories"] for name, counts in expected.items()}
    assert declared == {name: counts["labels"] for name, counts in expected.items() if counts["labels"]}


def test_recorded_results_of_tau2_are_ours():
    """All results of known tools, from the first call to the last: the state is the recorded one."""
    calls = Counter()
    for report in recompute_files(Path(DATA) / "tau2_bench/codesque16__tau2-bench/docs"):
        calls += report.recomputed.calls
    assert (calls["equal"], calls["unequal"]) == (10_828, 0)


def test_wrong_joins_fit_other_tasks():
    """Of the 96 declared successes 95 reach the state of a task whose user speaks; 77 the state of exactly one."""
    path = "tau2_bench/codesque16__tau2-bench/web"
    reports = [report for report in recompute_files(Path(DATA) / path) if "retail" in report.file]
    declared = [report.recomputed.fits for report in reports if report.declared]
    assert len(declared) == 96
    assert sum(bool(set(fits.users) & set(fits.states)) for fits in declared) == 95
    assert sum(len(fits.states) == 1 for fits in declared) == 77
