"""The verifier of the mock purchase: success from the task and the executed actions, nothing else.

It plays the actions against a fresh shop, so it reads neither what was said nor what a record claims that the
tools answered (``tests/worlds/test_verifier.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ..errors import InputError
from ..records import Turn
from .purchase import Action, Order, PurchaseTask, Result, Shop

_ARGUMENTS = msgspec.json.Decoder(dict[str, str])


def verify(task: PurchaseTask, actions: Iterable[Action]) -> bool:
    """Whether these actions give the customer what he wants.

    Args:
        task: the task, hidden state included.
        actions: all executed calls, in order. Calls that only end the conversation change nothing.

    Returns:
        True if exactly one order was placed and it is the right one: colour, material, genuine, the hidden
        wish, within the budget, to the right street on the right day.
    """
    shop = Shop(task)
    for action in actions:
        shop.call(action)
    return is_right(task, shop.orders)


def is_right(task: PurchaseTask, orders: Sequence[Order]) -> bool:
    """Whether the orders that a shop took are the one that the customer wants."""
    if len(orders) != 1:
        return False
    order = orders[0]
    variant = order.variant
    return (
        variant.colour == task.colour
        and task.material in (None, variant.material)
        and variant.genuine
        and variant.trait == task.wish
        and order.total <= task.budget
        and (order.street, order.day) == (task.street, task.day)
    )


def replay(task: PurchaseTask, actions: Iterable[Action]) -> list[Result]:
    """What the tools answer to these actions.

    Args:
        task: the task, hidden state included.
        actions: executed calls, in order.

    Returns:
        One answer a call. A record whose answers differ is not a record of this task.
    """
    shop = Shop(task)
    return [shop.call(action) for action in actions]


def read_actions(turns: Iterable[Turn]) -> list[Action]:
    """The executed actions of a run: its ``tool_call`` turns, in order.

    Args:
        turns: turns of a trajectory; others than tool calls are passed over.

    Returns:
        One action a call.

    Raises:
        InputError: a call is not a name and a JSON object of texts (WORLD_ACTION_MALFORMED).
    """
    return [_read_action(turn) for turn in turns if turn.role == "tool_call"]


def _read_action(turn: Turn) -> Action:
    name, _, arguments = turn.text.partition(" ")
    try:
        return Action(name, _ARGUMENTS.decode(arguments))
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(
            "WORLD_ACTION_MALFORMED",
            at=f"step {turn.step}",
            found=str(error),
            expected='a call such as: check_stock {"product":"Dunmore Ember"}',
        ) from error
