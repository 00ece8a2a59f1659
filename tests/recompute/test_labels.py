"""Recomputed outcomes in the place of declared ones: read, audited, and said on the label card."""

import json

import pytest
from small_worlds import STOP, message

from armslength.cli import main
from armslength.formats import ReadOptions
from armslength.recompute import read_recomputed
from armslength.records import Outcome

READ = ("get_order_details", {"order_id": "#1"})
CANCEL = ("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"})


@pytest.fixture
def files(tau):
    """Two runs that both declare success; the second did not do what its task expects."""
    task = tau.task(CANCEL)
    good = tau.run(task, message("assistant", None, CANCEL), STOP, number=4)
    bad = tau.run(task, message("assistant", None, READ), STOP, number=5)
    tau.write("runs.json", [good, bad])
    return tau


def test_the_recomputed_outcome_stands_and_the_declared_one_is_kept(files):
    good, bad = read_recomputed(files.folder / "runs.json")
    assert good.outcome == Outcome(True, "recomputed", "A")
    assert bad.outcome == Outcome(False, "recomputed", "A")
    assert (good.origin.declared, bad.origin.declared) == (True, True)


def test_what_cannot_be_recomputed_has_no_outcome_and_says_why(files):
    (files.folder / "environment/retail/orders.json").unlink()
    for run in read_recomputed(files.folder / "runs.json"):
        assert run.outcome is None
        assert run.origin.unlabelled == "not recomputed: no environment/retail/orders.json"


def test_options_on_declared_outcomes_are_not_looked_at(files):
    options = ReadOptions(label="recomputed", success="reward>=2")
    assert [run.outcome.success for run in read_recomputed(files.folder / "runs.json", options)] == [
        True,
        False,
    ]


def test_audit_counts_what_was_overturned(tau, tmp_path):
    """Thirty tasks' runs, each done once and left undone once, all declared successes: the label card says so."""
    task = tau.task(CANCEL)
    runs = []
    for number in range(30):
        for done in (CANCEL, READ):
            words = message("assistant", f"order {number} of {done[0]}")
            runs.append(tau.run(task, words, message("assistant", None, done), STOP, number=number))
    tau.write("runs.json", runs)
    out = tmp_path / "out"
    arguments = ["audit", str(tau.folder / "runs.json"), "--label", "recomputed", "--out", str(out)]
    with pytest.raises(SystemExit):
        main(arguments)
    label = json.loads((out / "audit.json").read_bytes())["data"]["label"]
    assert (label["source"], label["grade"]) == ("recomputed", "A")
    assert label["overturned"][0] == label["declared"] / 2 > 0
    assert "declared successes count as failures here" in (out / "report.html").read_text()
