"""τ-bench: the reward from calls, database and task, and nothing else of the record."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_worlds import AIRLINE, RETAIL, STOP, TauFiles, message

from armslength.formats import read
from armslength.recompute import State, recompute_files, tau_airline, tau_retail
from armslength.recompute.environment import Environment
from armslength.recompute.execute import run
from armslength.recompute.tau_bench import TauBench

CANCEL = ("cancel_pending_order", {"order_id": "#1", "reason": "no longer needed"})
RETURN = (
    "return_delivered_order_items",
    {"order_id": "#2", "item_ids": ["red"], "payment_method_id": "paypal_1"},
)
SWAP = (
    "modify_pending_order_items",
    {"order_id": "#3", "item_ids": ["red"], "new_item_ids": ["blue"], "payment_method_id": "paypal_1"},
)
PAY = ("modify_pending_order_payment", {"order_id": "#3", "payment_method_id": "gift_card_2"})
TRANSFER = ("transfer_to_human_agents", {"summary": "x"})


@pytest.fixture
def verdict(tau):
    """The outcome of one run: whose calls, whose task, what else was said."""

    def of(task, *messages, reward=1.0, listed=True):
        tau.write("environment/retail/tasks_test.json", [{"task_id": 0} | task] if listed else [])
        tau.write("runs.json", [tau.run(task, *messages, reward=reward)])
        (report,) = recompute_files(tau.folder / "runs.json")
        return report

    return of


def calling(said, *calls):
    return [said("assistant", None, call) for call in calls]


def test_the_expected_calls_are_a_success_whatever_the_file_declares(verdict, tau, said):
    task = tau.task(CANCEL, RETURN)
    for reward in (1.0, 0.0, None, "1"):
        report = verdict(task, *calling(said, CANCEL, RETURN), STOP, reward=reward)
        assert report.recomputed.success is True
    assert verdict(task, *calling(said, RETURN, CANCEL), STOP).agrees is True


@pytest.mark.parametrize(
    ("calls", "places"),
    [
        ([CANCEL], ["orders/#2/return_items", "orders/#2/return_payment_method_id", "orders/#2/status"]),
        ([(CANCEL[0], CANCEL[1] | {"reason": "ordered by mistake"}), RETURN], ["orders/#1/cancel_reason"]),
        ([CANCEL, (RETURN[0], RETURN[1] | {"item_ids": ["red", "red"]})], ["orders/#2/return_items/1"]),
    ],
)
def test_a_dropped_call_and_a_changed_argument_are_failures(verdict, tau, said, calls, places):
    report = verdict(tau.task(CANCEL, RETURN), *calling(said, *calls), STOP)
    assert [difference.at for difference in report.recomputed.differences] == places
    assert (report.declared, report.agrees) == (True, False)


def test_a_swapped_order_is_a_failure_where_it_matters(verdict, tau, said):
    """After the items were modified the payment may no longer be."""
    task = tau.task(PAY, SWAP)
    assert verdict(task, *calling(said, PAY, SWAP), STOP).recomputed.success is True
    swapped = verdict(task, *calling(said, SWAP, PAY), STOP).recomputed
    assert (swapped.success, swapped.calls["refused"]) == (False, 1)


def test_a_run_that_nothing_ends_is_a_failure(verdict, tau, said):
    (difference,) = verdict(tau.task(CANCEL), *calling(said, CANCEL)).recomputed.differences
    assert (difference.at, difference.expected) == ("end", "a signal that ends the run")


def test_only_the_users_stop_and_a_transfer_end_a_run(verdict, tau, said):
    task = tau.task(CANCEL)
    done = calling(said, CANCEL)
    assert verdict(task, *done, said("assistant", "Bye ###STOP###")).recomputed.success is False
    assert verdict(task, *done, said("user", "###TRANSFER###")).recomputed.success is False
    assert verdict(task, *done, *calling(said, TRANSFER)).recomputed.success is True
    assert verdict(task, *done, *calling(said, (TRANSFER[0], {"wrong": 1}))).recomputed.success is True
    assert verdict(task, *done, said("assistant", None, CANCEL, TRANSFER)).recomputed.success is False


def test_what_comes_after_the_end_does_not_count(verdict, tau, said):
    late = [*calling(said, TRANSFER), *calling(said, CANCEL)]
    assert verdict(tau.task(), *late).recomputed.success is True
    assert verdict(tau.task(CANCEL), *late).recomputed.success is False
    assert (
        verdict(tau.task(CANCEL), STOP, *calling(said, CANCEL), STOP).recomputed.success is True
    )  # nobody spoke yet


def test_only_the_first_call_of_a_message_is_executed(verdict, tau, said):
    both = said("assistant", None, CANCEL, RETURN)
    assert verdict(tau.task(CANCEL), both, STOP).recomputed.success is True
    assert verdict(tau.task(CANCEL, RETURN), both, STOP).recomputed.success is False


def test_outputs_are_said_in_a_message_without_a_call(verdict, tau, said):
    task = tau.task(outputs=["1234.5", "Mug"])
    assert verdict(task, said("assistant", "It is 1,234.5"), said("assistant", "a mug"), STOP).agrees is True
    beside = verdict(task, said("assistant", "1234.5 and a mug", TRANSFER)).recomputed
    assert [(d.at, d.expected) for d in beside.differences] == [("outputs", "1234.5"), ("outputs", "Mug")]
    assert verdict(task, said("user", "1234.5, a mug ###STOP###")).recomputed.success is False


def test_an_expected_transfer_changes_nothing(verdict, tau, said):
    assert verdict(tau.task(TRANSFER, CANCEL), *calling(said, CANCEL), STOP).recomputed.success is True


@pytest.mark.parametrize(
    ("name", "arguments", "became"),
    [
        ("cancel_pending_order", '{"order_id": "#1"', "unreadable arguments"),
        ("cancel_pending_order", "[1]", "unreadable arguments"),
        ("cancel_pending_order", '"text"', "unreadable arguments"),
        ("cancel_pending_order", {"order_id": {"a": 1}, "reason": 5}, "refused"),
        ("drop_table", {}, "unknown tool"),
        ("__class__", {}, "unknown tool"),
        ("get_order_details", {"order_id": "#1" * 10_000}, "refused"),
        ("get_order_details", {"db": 1}, "refused"),
        ("cancel_pending_order", "{'order_id': '#1', 'reason': 'no longer needed'}", "done"),
    ],
)
def test_calls_that_cannot_be_executed_change_nothing_and_are_counted(verdict, tau, name, arguments, became):
    made = verdict(tau.task(), message("assistant", None, (name, arguments)), STOP).recomputed
    assert (made.success, made.calls[became]) == (became != "done", 1)


@pytest.mark.parametrize(
    ("written", "success", "notes"),
    [
        (
            str(RETURN[1] | {"item_ids": "['red']"}),
            False,
            ("lists are written as texts; read as lists: success",),
        ),
        (
            str(RETURN[1] | {"item_ids": "['blue']"}),
            False,
            ("lists are written as texts; read as lists: failure",),
        ),
        (str(RETURN[1]), True, ()),
        (RETURN[1] | {"item_ids": "['red']"}, False, ()),  # JSON has lists: this text is the policy's own
        (str(RETURN[1] | {"item_ids": "[red"}), False, ()),
    ],
)
def test_lists_that_a_harness_wrote_as_texts_are_noted(verdict, tau, written, success, notes):
    made = verdict(tau.task(RETURN), message("assistant", None, (RETURN[0], written)), STOP).recomputed
    assert (made.success, made.notes) == (success, notes)


def test_a_task_that_no_list_holds_is_the_files_and_says_so(verdict, tau, said):
    made = verdict(tau.task(CANCEL), *calling(said, CANCEL), STOP, listed=False).recomputed
    assert (made.success, made.notes) == (True, ("task stated by the run's file alone",))


def test_an_expected_action_that_is_refused_is_noted(verdict, tau, said):
    task = tau.task(
        (CANCEL[0], {"order_id": "#2", "reason": "no longer needed"}),
        ("get_order_details", {"order_id": "x"}),
    )
    assert verdict(task, said("assistant", "hm"), STOP).recomputed.notes == (
        "expected action cancel_pending_order is refused",
    )


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (None, "task unknown"),
        ({"actions": "all"}, "the task's expected actions cannot be read"),
        ({"actions": [{"name": "think"}], "outputs": []}, "the task's expected actions cannot be read"),
        ({"actions": [], "outputs": 5}, "the task's expected outputs cannot be read"),
        ({"user_id": "eve_1", "actions": [], "outputs": []}, "the database has no user eve_1"),
        ({"user_id": ["x"], "actions": [], "outputs": []}, "the database has no user ['x']"),
    ],
)
def test_tasks_that_cannot_be_executed_leave_a_run_unmeasured(tau, said, task, reason):
    tau.write("runs.json", [tau.run(task, *calling(said, CANCEL), STOP)])
    (report,) = recompute_files(tau.folder)
    assert (report.recomputed.success, report.recomputed.reason) == (None, reason)


def test_crashed_runs_are_unmeasured_with_their_reason(tau, said):
    crashed = {
        "task_id": 0,
        "reward": 0.0,
        "info": {"error": "boom", "traceback": ""},
        "traj": [],
        "trial": 0,
    }
    tau.write("runs.json", [crashed, tau.run(tau.task(CANCEL), *calling(said, CANCEL), STOP)])
    first, second = recompute_files(tau.folder / "runs.json")
    assert (first.declared, first.recomputed.success, first.recomputed.reason) == (False, None, "crashed")
    assert second.agrees is True


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("environment/retail/orders.json", "{", "environment/retail/orders.json is not readable as JSON"),
        (
            "environment/retail/orders.json",
            "[]",
            "environment/retail/orders.json is no mapping from ids to records",
        ),
        (
            "environment/retail/users.json",
            '{"ada_1": 5}',
            "environment/retail/users.json is no mapping from ids to records",
        ),
    ],
)
def test_a_broken_database_leaves_runs_unmeasured(tau, said, name, content, reason):
    tau.write(name, content)
    tau.write("runs.json", [tau.run(tau.task(CANCEL), *calling(said, CANCEL), STOP)])
    (report,) = recompute_files(tau.folder / "runs.json")
    assert report.recomputed.reason == reason


def test_records_of_another_shape_refuse_calls(tau, said):
    tau.write("environment/retail/orders.json", {"#1": {}})
    tau.write("runs.json", [tau.run(tau.task(), *calling(said, CANCEL), STOP)])
    (report,) = recompute_files(tau.folder / "runs.json")
    assert (report.recomputed.success, report.recomputed.calls["refused"]) == (True, 1)


def test_airline_runs_use_the_airlines_database(tau, said):
    task = tau.task(("cancel_reservation", {"reservation_id": "R1"}), user_id="bo_1")
    tau.write(
        "runs.json", [tau.run(task, *calling(said, ("cancel_reservation", {"reservation_id": "R1"})), STOP)]
    )
    (report,) = recompute_files(tau.folder / "runs.json")
    assert report.agrees is True


BO = {"first_name": "Bo", "last_name": "Li", "dob": "1990-01-01"}
FLIGHT = {"flight_number": "F1", "date": "2024-05-20"}
PAYMENT = {"payment_id": "credit_card_1", "amount": 100}
ADDRESS = {"address1": "a", "address2": "", "city": "b", "state": "c", "country": "d", "zip": "e"}
IDS = st.sampled_from(["#1", "#2", "#3", "#4", "#9"])
METHODS = st.sampled_from(["gift_card_1", "gift_card_2", "credit_card_1", "paypal_1"])
ITEMS = st.lists(st.sampled_from(["red", "blue", "gold", "gone"]), min_size=1, max_size=2)


def arguments(**drawn):
    return st.fixed_dictionaries(drawn)


RETAIL_CALLS = st.one_of(
    st.tuples(st.just("cancel_pending_order"), arguments(order_id=IDS, reason=st.just("no longer needed"))),
    st.tuples(
        st.sampled_from(["modify_pending_order_items", "exchange_delivered_order_items"]),
        arguments(order_id=IDS, item_ids=ITEMS, new_item_ids=ITEMS, payment_method_id=METHODS),
    ),
    st.tuples(st.just("modify_pending_order_payment"), arguments(order_id=IDS, payment_method_id=METHODS)),
    st.tuples(
        st.just("return_delivered_order_items"),
        arguments(order_id=IDS, item_ids=ITEMS, payment_method_id=METHODS),
    ),
    st.tuples(
        st.just("modify_pending_order_address"), arguments(order_id=IDS).map(lambda given: given | ADDRESS)
    ),
)
RESERVATIONS = st.sampled_from(["R1", "HATHAT"])
AIRLINE_CALLS = st.one_of(
    st.tuples(st.just("cancel_reservation"), arguments(reservation_id=RESERVATIONS)),
    st.tuples(st.just("send_certificate"), arguments(user_id=st.just("bo_1"), amount=st.integers(1, 9))),
    st.tuples(
        st.just("update_reservation_baggages"),
        arguments(
            reservation_id=RESERVATIONS, total_baggages=st.integers(0, 3), nonfree_baggages=st.integers(0, 2),
            payment_id=st.sampled_from(["credit_card_1", "gift_card_1"]),
        ),
    ),
    st.just(
        (
            "book_reservation",
            {
                "user_id": "bo_1", "origin": "ULM", "destination": "BER", "flight_type": "one_way", "cabin": "economy",
                "flights": [FLIGHT], "passengers": [BO], "payment_methods": [PAYMENT], "total_baggages": 0,
                "nonfree_baggages": 0, "insurance": "no",
            },
        )
    ),
)  # fmt: skip


@pytest.mark.parametrize("domain", ["retail", "airline"])
@given(data=st.data())
def test_executing_the_expected_actions_is_always_a_success(domain, data, tmp_path_factory):
    """And leaving the last one out that changes something is not, whatever the task."""
    calls = data.draw(
        st.lists({"retail": RETAIL_CALLS, "airline": AIRLINE_CALLS}[domain], min_size=1, max_size=4)
    )
    tables, tools = {"retail": (RETAIL, tau_retail.TOOLS), "airline": (AIRLINE, tau_airline.TOOLS)}[domain]
    user = {"retail": "ada_1", "airline": "bo_1"}[domain]
    files = TauFiles(tmp_path_factory.mktemp("tau"), RETAIL, AIRLINE)
    task = files.task(*calls, user_id=user)
    files.write(f"environment/{domain}/tasks_test.json", [task])
    said = [message("assistant", None, call) for call in calls]
    files.write(
        "runs.json",
        [files.run(task, *said, STOP), files.run(task, *said[:-1], said[-1] | {"tool_calls": None}, STOP)],
    )
    whole, shortened = recompute_files(files.folder / "runs.json")
    assert whole.recomputed.success is True
    state = State(tables)
    for call in calls[:-1]:
        run(state, tools, *call)
    before = whole_database(state, tables)
    run(state, tools, *calls[-1])
    assert shortened.recomputed.success is (whole_database(state, tables) == before)


def whole_database(state, tables):
    return json.dumps({table: dict(state.records(table)) for table in tables}, sort_keys=True)


def test_no_other_format_is_handled(tau):
    tau.write("chat.jsonl", '{"messages": [{"role": "user", "content": "x"}], "success": true}\n')
    (trajectory,) = read(tau.folder / "chat.jsonl")
    assert TauBench().handles(trajectory) is False
    assert Environment(None).files("x", "*") == ()
