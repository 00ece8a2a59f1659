"""Whatever stands in calls, tasks and databases: each run has a report, and nothing but our own errors is raised."""

import copy
import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_worlds import AIRLINE, RETAIL, STOP, Tau2Files, TauFiles, message, message2

from armslength.formats import read
from armslength.recompute import State, recompute, recompute_files, tau2_retail, tau_airline, tau_retail
from armslength.recompute.environment import Environment
from armslength.recompute.execute import run

WORDS = st.sampled_from(
    [
        "",
        "#1",
        "#2",
        "ada_1",
        "bo_1",
        "R1",
        "red",
        "gold",
        "paypal_1",
        "gift_card_1",
        "economy",
        "F1",
        "2024-05-20",
        "\ud800",
    ]
)
NUMBERS = st.integers(-5, 5) | st.integers() | st.floats() | st.sampled_from([1e308, -0.0])
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.just("payment_id"), inner, max_size=3)
    ),
    max_leaves=8,
)
NAMES = {
    "tau_retail": (RETAIL, tau_retail.TOOLS), "tau2_retail": (RETAIL, tau2_retail.TOOLS),
    "tau_airline": (AIRLINE, tau_airline.TOOLS),
}  # fmt: skip


def parameters(tool):
    code = getattr(tool, "__code__", None)
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount] if code else ()
    address = ("address1", "address2", "city", "state", "country", "zip")
    return [*names, *(address if "address" in getattr(tool, "__name__", "") else ())]


@given(st.data(), st.sampled_from(sorted(NAMES)))
@settings(max_examples=400)
def test_any_arguments_leave_the_database_alone_and_end_a_call(data, room):
    """A call is done or refused; one that is refused has changed nothing."""
    tables, tools = NAMES[room]
    before, state = copy.deepcopy(tables), State(tables)
    for name in data.draw(st.lists(st.sampled_from(sorted(tools)), min_size=1, max_size=3)):
        wanted = parameters(tools[name])
        given_arguments = data.draw(st.fixed_dictionaries(dict.fromkeys(wanted, JSON)))
        then = {place: json.dumps(state.get(*place)) for place in state.touched}
        became, _ = run(state, tools, name, given_arguments)
        assert became in ("done", "refused")
        if became == "refused":
            assert {place: json.dumps(state.get(*place)) for place in state.touched} == then
    assert repr(tables) == repr(before)


def trial(tmp_path_factory, tasks, traj, tables):
    files = TauFiles(tmp_path_factory.mktemp("any"), copy.deepcopy(RETAIL), copy.deepcopy(AIRLINE))
    for name, content in tables.items():
        files.write(f"environment/{name}", json.dumps(content))
    files.write("runs.json", [files.run(task, *traj, STOP) for task in tasks])
    return list(recompute_files(files.folder / "runs.json"))


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_task_call_and_database_gives_a_report(data, tmp_path_factory):
    task = {"user_id": data.draw(JSON), "actions": data.draw(JSON), "outputs": data.draw(JSON)}
    good = {
        "user_id": "ada_1",
        "outputs": [],
        "actions": [{"name": "cancel_pending_order", "kwargs": data.draw(JSON)}],
    }
    call = (
        "cancel_pending_order",
        data.draw(st.text() | JSON.filter(lambda value: not isinstance(value, str))),
    )
    tables = data.draw(
        st.dictionaries(
            st.sampled_from(["retail/orders.json", "retail/users.json", "retail/tasks_test.json"]), JSON
        )
    )
    reports = trial(tmp_path_factory, [task, good], [message("assistant", None, call)], tables)
    assert len(reports) == 2
    json.dumps([report.to_json() for report in reports])


@given(data=st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_criteria_of_tau2_give_a_report(data, tmp_path_factory):
    files = Tau2Files(tmp_path_factory.mktemp("any2"), RETAIL)
    keys = ("actions", "communicate_info", "nl_assertions", "env_assertions", "reward_basis")
    task = files.task(1) | {"evaluation_criteria": {key: data.draw(JSON) for key in keys}}
    call = message2("assistant", None, ("cancel_pending_order", data.draw(JSON)))
    files.write("environment/retail_x/tasks.json", json.dumps(data.draw(st.just([task]) | JSON)))
    files.write("task_1.json", files.export(task, call, message2("user", "###STOP###")))
    (report,) = recompute_files(files.folder / "task_1.json")
    json.dumps(report.to_json())


def test_every_fixture_of_every_format_gives_a_report():
    """No environment, other formats: unmeasured, and why; dialogues whose turns alone say how they end are measured."""
    made = [
        (trajectory.origin.format, recompute(trajectory, Environment(None)))
        for trajectory in read(Path(__file__).parents[1] / "data" / "formats")
    ]
    assert {name for name, one in made if one.success is not None} == {"casino", "star"}
    assert all(one.success is not None or one.reason for _, one in made)
