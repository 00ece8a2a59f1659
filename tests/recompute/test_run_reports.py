"""Runs are reported one by one, in their order, with nothing deduplicated and nothing lost."""

import json

import pytest
from small_worlds import STOP, message

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read, write
from armslength.recompute import Environment, Recomputed, RunReport, Unavailable, recompute, recompute_files
from armslength.recompute.agreement import agreements

READ = ("get_order_details", {"order_id": "#1"})
CANCEL = ("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"})


@pytest.fixture
def files(tau):
    """Two files under one environment; the second holds a run twice."""
    task = tau.task(CANCEL)
    good = tau.run(task, message("assistant", None, CANCEL), STOP, number=4)
    bad = tau.run(task, message("assistant", None, READ), STOP, number=5)
    tau.write("one/a.json", [good])
    tau.write("one/b.json", [bad])
    tau.write("many.json", [good, bad, bad])
    return tau


def test_all_runs_are_reported_by_file_task_and_trial(files):
    reports = [report.to_json() for report in recompute_files(files.folder)]
    assert [(row["file"], row["task"], row["trial"], row["declared"], row["recomputed"]) for row in reports] == [
        ("many.json", "4", 0, True, True), ("many.json", "5", 0, True, False), ("many.json", "5", 0, True, False),
        ("one/a.json", "4", 0, True, True), ("one/b.json", "5", 0, True, False),
    ]  # fmt: skip
    assert [row["difference"] is None for row in reports] == [True, False, False, True, False]
    json.dumps(reports)


@pytest.mark.parametrize(
    ("declared", "ours", "agrees"),
    [
        ((True, None), (True, 5), True), ((None, 5), (True, 5), True), ((None, 4), (True, 5), False),
        ((True, 4), (True, 5), False), ((False, 5), (True, 5), False), ((None, None), (True, 5), None),
        ((True, 5), (None, None), None), ((None, 5), (False, None), None), ((True, 5), (None, 5), None),
        ((True, 4), (None, 5), False),
    ],
)  # fmt: skip
def test_points_are_compared_where_both_count_them(declared, ours, agrees):
    report = RunReport("f", "t", None, declared[0], Recomputed(success=ours[0], points=ours[1]), declared[1])
    assert report.agrees is agrees
    shown = report.to_json()
    assert (shown["declared_points"], shown["recomputed_points"]) == (declared[1], ours[1])
    differ = None not in (declared[1], ours[1]) and declared[1] != ours[1]
    assert shown["difference"] == ([{"at": "points", "expected": 5, "found": 4}] if differ else None)


def test_files_of_one_run_are_one_source(files):
    rows = agreements(recompute_files(files.folder))
    assert [(row.source, row.runs, row.agree, row.disagree, row.false_successes) for row in rows] == [
        ("many.json", 3, 1, 2, 2), ("one/", 2, 1, 1, 1),
    ]  # fmt: skip


def test_a_single_run_beside_none_is_its_file(files):
    (row,) = agreements(recompute_files(files.folder / "one/a.json"))
    assert (row.source, row.runs) == ("a.json", 1)


def test_the_environment_is_the_nearest_or_the_given_one(files):
    (report,) = recompute_files(files.folder / "one/a.json")
    assert report.recomputed.success is True
    files.write("one/environment/retail/users.json", {})
    (report,) = recompute_files(files.folder / "one/a.json")
    assert report.recomputed.reason == "no environment/retail/orders.json"
    (report,) = recompute_files(files.folder / "one/a.json", environment=files.folder / "environment")
    assert report.recomputed.success is True
    with pytest.raises(InputError, match="PATH_MISSING"):
        list(recompute_files(files.folder / "one/a.json", environment=files.folder / "nowhere"))


def test_without_an_environment_runs_are_unmeasured(files, tmp_path_factory):
    lonely = tmp_path_factory.mktemp("lonely") / "a.json"
    lonely.write_bytes((files.folder / "one/a.json").read_bytes())
    (report,) = recompute_files(lonely)
    assert (report.agrees, report.recomputed.reason) == (None, "no environment folder")
    (row,) = agreements([report])
    assert row.unmeasured == {"no environment folder": 1}


def test_other_formats_are_unmeasured_by_name(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"messages": [{"role": "user", "content": "x"}], "success": true}\n')
    (report,) = recompute_files(tmp_path)
    assert (report.declared, report.recomputed.reason) == (True, "no recomputer for format chat")


def test_a_converted_file_is_recomputed_as_well(files):
    write(read(files.folder / "many.json"), files.folder / "converted.jsonl")
    files.write("environment/retail/tasks_test.json", [files.task(CANCEL)])
    made = [report.recomputed.success for report in recompute_files(files.folder / "converted.jsonl")]
    assert made == [True, False, False]


def test_what_tasks_expect_enters_no_trajectory(files):
    kept = {}
    runs = list(read(files.folder / "many.json", ReadOptions(tasks=kept), Findings()))
    (key,) = kept
    assert {run.origin.task_digest for run in runs} == {key}
    assert kept[key]["actions"] == [{"name": CANCEL[0], "kwargs": CANCEL[1]}]
    assert "no longer needed" not in str(runs[1])


def test_a_recomputer_that_gives_up_is_a_reason():
    class Deep:
        name = "deep"

        def handles(self, trajectory):
            return trajectory is not None

        def recompute(self, trajectory, environment):
            assert trajectory is run
            raise RecursionError if environment.folder is None else Unavailable("closed")

    run = object()
    assert recompute(run, Environment(None), [Deep()]) == Recomputed(success=None, reason="nested too deep")
    assert recompute(run, Environment("."), [Deep()]).reason == "closed"


def test_numbers_without_a_text_are_a_reason(tau):
    """Fifty times a number of 4,299 digits is longer than Python writes."""
    huge = 10**4299
    baggage = {
        "reservation_id": "R1",
        "total_baggages": 1,
        "nonfree_baggages": huge,
        "payment_id": "credit_card_1",
    }
    tau.write(
        "runs.json",
        [
            tau.run(
                tau.task(user_id="bo_1"),
                message("assistant", None, ("update_reservation_baggages", baggage)),
                STOP,
            )
        ],
    )
    (report,) = recompute_files(tau.folder / "runs.json")
    assert report.recomputed.success is not True
    assert report.recomputed.reason is None or "cannot be compared" in report.recomputed.reason


@pytest.mark.parametrize("depth", [100, 900, 5000])
def test_nesting_never_breaks_a_run(tau, depth):
    deep = '{"order_id": ' + "[" * depth + "]" * depth + ', "reason": "x"}'
    address = '{"user_id": "ada_1", "address1": ' + "[" * depth + "]" * depth + "".join(
        f', "{part}": "x"' for part in ("address2", "city", "state", "country", "zip")
    ) + "}"  # fmt: skip
    calls = [message("assistant", None, ("cancel_pending_order", deep), ("x", {}))]
    calls.append(message("assistant", None, ("modify_user_address", address)))
    tau.write("runs.json", [tau.run(tau.task(CANCEL), *calls, STOP)])
    (report,) = recompute_files(tau.folder / "runs.json")
    assert report.recomputed.success is not True
