"""The retail tools of τ-bench.

Tests: ``tests/recompute/test_retail_tools.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from typing import Final

from .execute import Tool, reads
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
    pay,
    price_difference,
    user_of,
)
from .state import State

TABLES: Final = ("orders", "users", "products")


def modify_pending_order_items(
    db: State, /, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> object:
    """Replace items by variants of their products, and settle the difference of the price."""
    order = order_in(db, order_id, "pending", "modified")
    check_items(order, item_ids)
    check_lengths(item_ids, new_item_ids)
    difference = price_difference(db, order, item_ids, new_item_ids)
    check_cover(method_of(db, order, payment_method_id), difference)
    order = pay(db, order_id, payment_method_id, difference)
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = item_of(order, item_id)
        variant = available_variant(db, item, new_item_id)
        item.update(item_id=new_item_id, price=variant["price"], options=variant["options"])
    order["status"] = "pending (item modified)"
    return order


def modify_pending_order_payment(db: State, /, order_id: str, payment_method_id: str) -> object:
    """Pay an order by another method."""
    return change_payment(db, order_in(db, order_id, "pending", "modified"), payment_method_id)


def modify_pending_order_address(db: State, /, order_id: str, **parts: str) -> object:
    """Send an order to another address."""
    new = address(**parts)
    order_in(db, order_id, "pending", "modified")
    return move(db, "orders", order_id, new)


def modify_user_address(db: State, /, user_id: str, **parts: str) -> object:
    """Give a user another address."""
    new = address(**parts)
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
    **reads(("think",)),
}
