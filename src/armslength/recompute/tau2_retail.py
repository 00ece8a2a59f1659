"""The retail tools of τ²-bench, where they differ from τ-bench's.

- Payment and address may be changed while the status contains ``pending``, also after items were modified.
- Items may not be replaced by themselves, and every modified item gets price and options of the last variant in the
  list: a fault of the environment that belongs to the recorded truth.
- Parts of an address are texts.

Tests: ``tests/recompute/test_retail_tools.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from typing import Any, Final

from .execute import Refusal, Tool
from .shop import (
    SHARED,
    address,
    available_variant,
    change_payment,
    check_cover,
    check_items,
    check_lengths,
    item_of,
    method_of,
    move,
    order_in,
    order_of,
    pay,
    user_of,
)
from .state import Record, State


def modify_pending_order_items(
    db: State, /, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> object:
    """Replace items by variants of their products, and settle the difference of the price."""
    order = order_in(db, order_id, "pending", "modified")
    check_items(order, item_ids)
    check_lengths(item_ids, new_item_ids)
    difference: float = 0
    variant: Record = {}
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        if item_id == new_item_id:
            raise Refusal("the new item id should be different from the old item id")
        item = item_of(order, item_id)
        variant = available_variant(db, item, new_item_id)
        difference += variant["price"] - item["price"]
    check_cover(method_of(db, order, payment_method_id), difference)
    order = pay(db, order_id, payment_method_id, difference)
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = item_of(order, item_id)
        item.update(item_id=new_item_id, price=variant["price"], options=variant["options"])
    order["status"] = "pending (item modified)"
    return order


def modify_pending_order_payment(db: State, /, order_id: str, payment_method_id: str) -> object:
    """Pay an order by another method."""
    return change_payment(db, _still_pending(db, order_id), payment_method_id)


def modify_pending_order_address(db: State, /, order_id: str, **parts: str) -> object:
    """Send an order to another address."""
    new = _texts(**parts)
    _still_pending(db, order_id)
    return move(db, "orders", order_id, new)


def modify_user_address(db: State, /, user_id: str, **parts: str) -> object:
    """Give a user another address."""
    new = _texts(**parts)
    user_of(db, user_id)
    return move(db, "users", user_id, new)


TOOLS: Final[dict[str, Tool]] = {
    **SHARED,
    **{
        tool.__name__: tool
        for tool in (
            modify_pending_order_items,
            modify_pending_order_payment,
            modify_pending_order_address,
            modify_user_address,
        )
    },
}


def _still_pending(db: State, order_id: str) -> Record:
    order = order_of(db, order_id)
    if "pending" not in order["status"]:
        raise Refusal("non-pending order cannot be modified")
    return order


def _texts(**parts: Any) -> Record:  # noqa: ANN401 - what a call gave
    new = address(**parts)
    if not all(isinstance(part, str) for part in new.values()):
        raise Refusal("an address consists of texts")
    return new
