"""The shop and its tasks: deterministic, total, and with the hidden state that the documents promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armslength.errors import InputError
from armslength.worlds import Action, Shop, draw_tasks, find_task, verify

TASKS = list(draw_tasks(60, 3))
TOOLS = [
    "search_catalog",
    "get_product",
    "check_stock",
    "apply_coupon",
    "set_address",
    "set_payment",
    "add_to_basket",
    "place_order",
    "submit",
]


def right_variant(task):
    return next(
        v
        for v in task.variants
        if v.colour == task.colour
        and task.material in (None, v.material)
        and v.genuine
        and v.trait == task.wish
        and v.stock
    )


def right_actions(task):
    """The shortest way to success, each call sent twice so that a busy shop does not matter."""
    calls = [
        Action("apply_coupon", {"code": task.coupon or ""}),
        Action("set_address", {"street": task.street, "day": task.day}),
        Action("set_payment", {"method": "invoice"}),
        Action("add_to_basket", {"product": right_variant(task).name}),
    ]
    return [call for call in calls for _ in range(4)]


def order_once(task, actions):
    """The actions, then as many orders as it takes until one is placed."""
    shop = Shop(task)
    for action in actions:
        shop.call(action)
    done = list(actions)
    while not shop.orders:
        done.append(Action("place_order", {}))
        shop.call(done[-1])
    return done


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_every_task_can_be_done(task):
    """The right calls succeed in every task, and success needs every one of them."""
    actions = right_actions(task)
    assert verify(task, order_once(task, actions))
    without_address = [a for a in actions if a.name != "set_address"]
    assert not verify(task, order_once(task, without_address))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_doing_nothing_and_doing_it_twice_fail(task):
    """No order is a failure, and so are two."""
    assert not verify(task, [])
    done = order_once(task, right_actions(task))
    assert not verify(task, [*done, *[Action("place_order", {})] * 4])


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_name_gives_its_task(task):
    """A task is found by its name, hidden state included."""
    assert task == find_task(task.id)


def test_other_names_are_refused():
    """A name of another corpus is an input error."""
    with pytest.raises(InputError, match="WORLD_TASK_UNKNOWN"):
        find_task("airline-12")


@given(
    st.sampled_from(TASKS),
    st.lists(
        st.tuples(
            st.sampled_from([*TOOLS, "fly"]),
            st.dictionaries(st.sampled_from(["product", "code", "street", "kind", "x"]), st.text(max_size=9)),
        ),
        max_size=20,
    ),
)
def test_the_shop_answers_anything_and_always_the_same(task, calls):
    """Any calls are answered, with a definite error flag, and equally on a fresh shop."""
    actions = [Action(name, arguments) for name, arguments in calls]
    first, second = Shop(task), Shop(task)
    answers = [first.call(action) for action in actions]
    assert answers == [second.call(action) for action in actions]
    assert all(answer.text and isinstance(answer.error, bool) for answer in answers)


def test_the_hidden_state_varies():
    """Each kind of hidden trouble is there in some tasks and not in all."""
    for hidden in (
        [t.card_valid for t in TASKS],
        [t.coupon_applies for t in TASKS if t.coupon],
        [any(not v.stock for v in t.variants) for t in TASKS],
        [any(not v.genuine for v in t.variants) for t in TASKS],
        [bool(t.busy) for t in TASKS],
    ):
        assert {True, False} == set(hidden)
