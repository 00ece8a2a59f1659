"""Conversations that are joined to other tasks: which tasks do they fit?"""

from small_worlds import message2

from armslength.recompute import Fits, recompute_files

STOP = message2("user", "###STOP###")


def cancel(order):
    return ("cancel_pending_order", {"order_id": order, "reason": "no longer needed"})


def official(tau2, tasks, joined):
    """A result file whose conversations are those of other tasks than they name."""
    simulations = [
        {
            "id": f"s{named}", "task_id": str(named), "trial": 0, "termination_reason": "user_stop",
            "reward_info": {"reward": 1.0}, "messages": tau2.messages(*said, STOP, user=user),
        }
        for named, user, said in joined
    ]  # fmt: skip
    info = {"environment_info": {"domain_name": "retail"}, "agent_info": {"llm": "m"}}
    return {"info": info, "tasks": tasks, "simulations": simulations}


def test_a_wrong_join_is_explained_by_user_and_state(tau2):
    tasks = [
        tau2.task(0, cancel("#1"), user="Ada Byron"),
        tau2.task(1, cancel("#3"), user="Bo Li"),
        tau2.task(2, cancel("#4"), user="Cy Dee"),
        tau2.task(3, cancel("#3"), user="Bo Li"),
    ]
    tau2.write("environment/retail_x/tasks.json", tasks)
    joined = [
        (0, "Bo Li", [message2("assistant", None, cancel("#3"))]),
        (1, "Ada Byron", [message2("assistant", None, cancel("#3"))]),
        (2, "Ada Byron", [message2("assistant", None, cancel("#1"))]),
        (3, "Eve Fay", [message2("assistant", "hm")]),
    ]
    tau2.write("results.json", official(tau2, tasks, joined))
    made = [report.recomputed for report in recompute_files(tau2.folder / "results.json")]
    assert {(one.success, one.reason) for one in made} == {(None, "task of another conversation")}
    assert [one.fits for one in made] == [
        Fits(("1", "3"), ("1", "3")),
        Fits(("0",), ("3",)),
        Fits(("0",), ("0",)),
        Fits((), ("2",)),  # whose expected action is refused, so that nothing changes
    ]


def test_the_same_records_in_another_state_do_not_fit(tau2):
    mistaken = ("cancel_pending_order", {"order_id": "#1", "reason": "ordered by mistake"})
    tasks = [
        tau2.task(0, cancel("#3")),
        tau2.task(1, mistaken, user="Bo Li"),
        tau2.task(2, cancel("#1"), user="Bo Li"),
    ]
    tau2.write("environment/retail_x/tasks.json", tasks)
    tau2.write(
        "task_0.json", tau2.export(tasks[0], message2("assistant", None, cancel("#1")), STOP, user="Bo Li")
    )
    (report,) = recompute_files(tau2.folder / "task_0.json")
    assert report.recomputed.fits == Fits(("1", "2"), ("2",))


def test_without_a_database_the_user_alone_explains(tau2):
    (tau2.folder / "environment/retail_x/db.json").unlink()
    tasks = [tau2.task(0, user="Ada Byron"), tau2.task(1, user="Bo Li")]
    tau2.write("environment/retail_x/tasks.json", tasks)
    joined = [(0, "Bo Li", []), (1, "Ada Byron", []), (1, "Ada Byron", [])]
    tau2.write("results.json", official(tau2, tasks, joined))
    fits = [report.recomputed.fits for report in recompute_files(tau2.folder / "results.json")]
    assert [fit.users for fit in fits] == [("1",), ("0",), ("0",)]
    assert {(fit.states, fit.reason) for fit in fits} == {(None, "no databases environment/retail*/db.json")}


def test_a_single_run_without_its_user_is_explained_too(tau2):
    tasks = [tau2.task(0, cancel("#1"), user="Ada Byron"), tau2.task(1, cancel("#3"), user="Bo Li")]
    tau2.write("environment/retail_x/tasks.json", tasks)
    tau2.write(
        "task_0.json", tau2.export(tasks[0], message2("assistant", None, cancel("#3")), STOP, user="Bo Li")
    )
    (report,) = recompute_files(tau2.folder / "task_0.json")
    assert (report.recomputed.reason, report.recomputed.fits) == ("task's user absent", Fits(("1",), ("1",)))
    assert report.to_json()["fits"] == {"users": ("1",), "states": ("1",), "reason": None}
