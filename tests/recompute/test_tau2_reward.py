"""τ²-bench retail: the reward is a product of the parts that the task names."""

import pytest
from small_worlds import message2

from armslength.formats import tau2_definition
from armslength.recompute import recompute_files

CANCEL = ("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"})
RETURN = (
    "return_delivered_order_items",
    {"order_id": "#2", "item_ids": ["red"], "payment_method_id": "paypal_1"},
)
LOOK = ("get_order_details", {"order_id": "#1"})
STOP = message2("user", "###STOP###")


def calling(*calls):
    return message2("assistant", None, *calls)


@pytest.fixture
def verdict(tau2):
    def of(task, *said, listed=True, **more):
        tau2.write("environment/retail_x/tasks.json", [task] if listed else [])
        tau2.write("task_1.json", tau2.export(task, *said, **more))
        (report,) = recompute_files(tau2.folder / "task_1.json")
        return report

    return of


def places(report):
    return [difference.at for difference in report.recomputed.differences]


def test_the_expected_calls_are_a_success_whatever_the_file_declares(verdict, tau2):
    task = tau2.task(1, LOOK, CANCEL, RETURN)
    for reward in (1.0, 0.0):
        report = verdict(task, calling(CANCEL, RETURN), STOP, reward=reward)
        assert (report.recomputed.success, report.agrees) == (True, reward == 1.0)
    assert report.recomputed.notes == ()


def test_all_calls_of_a_message_are_executed_and_a_dropped_one_is_missed(verdict, tau2):
    task = tau2.task(1, CANCEL, RETURN)
    assert verdict(task, calling(RETURN), calling(CANCEL), STOP).recomputed.success is True
    assert places(verdict(task, calling(CANCEL), STOP))[-1] == "orders/#2/status"
    assert places(
        verdict(task, calling((CANCEL[0], CANCEL[1] | {"reason": "ordered by mistake"}), RETURN), STOP)
    ) == ["orders/#1/cancel_reason"]


def test_the_users_calls_change_nothing(verdict, tau2):
    assert verdict(tau2.task(1), message2("user", None, CANCEL), STOP).recomputed.success is True


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        ([STOP], True),
        ([message2("user", "###TRANSFER###")], True),
        ([message2("user", "ok ###OUT-OF-SCOPE###")], True),
        ([message2("assistant", "###STOP###")], False),
        ([message2("user", "###STOP###", ("check_for_stop", {}))], False),
        ([message2("user", None, ("check_for_stop", {"why": "###STOP###"}))], False),
        ([message2("user", "bye")], False),
        ([], False),
    ],
)
def test_only_the_users_token_ends_a_run(verdict, tau2, last, ended):
    report = verdict(tau2.task(1, CANCEL), calling(CANCEL), *last, reward=float(ended))
    assert (report.recomputed.success, places(report)) == (ended, [] if ended else ["end"])


def test_what_comes_after_the_end_does_not_count(verdict, tau2):
    assert (
        verdict(tau2.task(1), message2("assistant", "ok"), STOP, calling(CANCEL)).recomputed.success is True
    )


def test_what_is_to_be_said_may_stand_beside_a_call(verdict, tau2):
    task = tau2.task(1, communicate_info=["1234", "mug"])
    assert verdict(task, message2("assistant", "1,234: a Mug", LOOK), STOP).recomputed.success is True
    missed = verdict(task, message2("assistant", "1,234"), message2("user", "mug ###STOP###")).recomputed
    assert [(d.at, d.expected) for d in missed.differences] == [("outputs", "mug")]


def test_parts_that_the_task_does_not_name_do_not_count(verdict, tau2):
    task = tau2.task(1, CANCEL, communicate_info=["x"], reward_basis=["DB"])
    assert verdict(task, calling(CANCEL), STOP).recomputed.success is True
    task = tau2.task(1, CANCEL, communicate_info=["x"], reward_basis=["COMMUNICATE"])
    assert verdict(task, message2("assistant", "x"), STOP).recomputed.success is True


def test_each_expected_call_is_made_where_the_task_wants_actions(verdict, tau2):
    task = tau2.task(1, LOOK, CANCEL, reward_basis=["ACTION"])
    assert places(verdict(task, calling(CANCEL), STOP)) == ["calls"]
    assert verdict(task, calling(LOOK), calling(CANCEL), STOP).recomputed.success is True
    other = (LOOK[0], {"order_id": "#2"})
    assert places(verdict(task, calling(other, CANCEL), STOP)) == ["calls"]
    for compared, success in (([], True), (["order_id"], False)):
        task["evaluation_criteria"]["actions"][0]["compare_args"] = compared
        assert verdict(task, calling(other, CANCEL), STOP).recomputed.success is success


@pytest.mark.parametrize(
    ("criteria", "reason"),
    [
        ({"reward_basis": ["DB", "NL_ASSERTION"], "nl_assertions": ["polite"]}, "NL_ASSERTION: assertions"),
        ({"reward_basis": ["ENV_ASSERTION"], "env_assertions": [{"x": 1}]}, "ENV_ASSERTION: assertions"),
        ({"reward_basis": ["VIBES"]}, "part VIBES of the reward"),
    ],
)
def test_parts_that_nobody_recomputes_leave_a_run_unmeasured_unless_it_failed(
    verdict, tau2, criteria, reason
):
    made = verdict(tau2.task(1, CANCEL, **criteria), calling(CANCEL), STOP).recomputed
    assert (made.success, made.reason.startswith(reason)) == (None, True)
    assert verdict(tau2.task(1, CANCEL, **criteria), calling(CANCEL)).recomputed.success is False


def test_assertions_that_are_none_pass(verdict, tau2):
    task = tau2.task(1, reward_basis=["DB", "NL_ASSERTION"], nl_assertions=[])
    assert verdict(task, message2("assistant", "hm"), STOP).recomputed.success is True


def test_a_task_that_no_list_holds_is_the_files_and_says_so(verdict, tau2):
    made = verdict(tau2.task(1, CANCEL), calling(CANCEL), STOP, listed=False).recomputed
    assert (made.success, made.notes) == (True, ("task stated by the run's file alone",))


def test_crashed_runs_and_unknown_tasks_are_unmeasured(tau2):
    crashed = tau2.export(tau2.task(1), ending="agent_error", reward=0.0) | {"messages": []}
    unknown = tau2.export(tau2.task(2), message2("assistant", "hm"), STOP) | {"task": None}
    tau2.write("task_1.json", crashed)
    tau2.write("task_2.json", unknown)
    reports = list(recompute_files([tau2.folder / "task_1.json", tau2.folder / "task_2.json"]))
    assert [report.recomputed.reason for report in reports] == ["crashed", "task unknown"]


def test_another_domain_or_several_databases_are_unmeasured(verdict, tau2):
    airline = tau2.task(1)
    airline["user_scenario"]["instructions"]["domain"] = "airline"
    made = verdict(airline, message2("assistant", "hm"), STOP).recomputed
    assert made.reason == "domain airline is not recomputed"
    tau2.write("environment/retail_y/db.json", {})
    made = verdict(tau2.task(1), message2("assistant", "hm"), STOP).recomputed
    assert made.reason == "2 databases environment/retail*/db.json"


@pytest.mark.parametrize("content", ["{", "[]", '{"orders": {}, "users": 5}'])
def test_a_broken_database_leaves_runs_unmeasured(verdict, tau2, content):
    tau2.write("environment/retail_x/db.json", content)
    made = verdict(tau2.task(1), message2("assistant", "hm"), STOP).recomputed
    assert (made.success, "retail_x/db.json" in made.reason) == (None, True)


def test_versions_of_one_benchmark_state_a_task_alike(tau2):
    plain, full = tau2.task(1, CANCEL), tau2.task(1, CANCEL)
    full["evaluation_criteria"]["actions"][0] |= {
        "requestor": "assistant",
        "compare_args": None,
        "action_id": "z",
    }
    full["evaluation_criteria"] |= {"env_assertions": None, "reward_basis": ["DB", "COMMUNICATE"]}
    assert tau2_definition(plain) == tau2_definition(full) != tau2_definition(tau2.task(1, RETURN))
    assert [tau2_definition(odd) for odd in (None, 5, {}, {"evaluation_criteria": []})] == [None] * 4


@pytest.mark.parametrize("actions", ["all", [5], [{"name": 5}], [{"name": "x", "arguments": []}], {"a": 1}])
def test_expected_actions_of_another_shape_leave_a_run_unmeasured(verdict, tau2, actions):
    task = tau2.task(1)
    task["evaluation_criteria"]["actions"] = actions
    made = verdict(task, message2("assistant", "hm"), STOP).recomputed
    assert (made.success, made.reason) == (None, "the task's expected actions cannot be read")
