"""The retail tools that τ-bench and τ²-bench share, and the parts of those in which they differ.

Each tool makes its checks first, in the environment's order, and then changes the state.

Tests: ``tests/recompute/test_retail_tools.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from .execute import Refusal, Tool, reads
from .state import Record, State

_REASONS: Final = frozenset({"no longer needed", "ordered by mistake"})


def order_of(db: State, order_id: str) -> Record:
    """An order to read; refused if there is none."""
    order = db.get("orders", order_id)
    if order is None:
        raise Refusal("order not found")
    return order


def order_in(db: State, order_id: str, status: str, what: str) -> Record:
    """An order to read whose status is exactly this one; refused otherwise."""
    order = order_of(db, order_id)
    if order["status"] != status:
        raise Refusal(f"non-{status} order cannot be {what}")
    return order


def user_of(db: State, user_id: str) -> Record:
    """A user to read; refused if there is none."""
    user = db.get("users", user_id)
    if user is None:
        raise Refusal("user not found")
    return user


def method_of(db: State, order: Record, method_id: str) -> Record:
    """A payment method of an order's user; refused if the user has no such one."""
    methods: Record = user_of(db, order["user_id"])["payment_methods"]
    if method_id not in methods:
        raise Refusal("payment method not found")
    found: Record = methods[method_id]
    return found


def check_cover(method: Record, amount: float) -> None:
    """A gift card has to cover an amount."""
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise Refusal("insufficient gift card balance")


def check_items(order: Record, item_ids: Sequence[str]) -> None:
    """No item may be asked for more often than the order has it."""
    there = [item["item_id"] for item in order["items"]]
    for item_id in item_ids:
        if item_ids.count(item_id) > there.count(item_id):
            raise Refusal(f"{item_id} not found")


def check_lengths(item_ids: Sequence[str], new_item_ids: Sequence[str]) -> None:
    """Each item needs one to replace it."""
    if len(item_ids) != len(new_item_ids):
        raise Refusal("the number of items to be exchanged should match")


def item_of(order: Record, item_id: str) -> Record:
    """The first item of an order with this id."""
    found: Record = next(item for item in order["items"] if item["item_id"] == item_id)
    return found


def available_variant(db: State, item: Record, new_item_id: str) -> Record:
    """A variant of an item's product; refused if there is none or it is not available."""
    product = db.get("products", item["product_id"]) or {}
    variant: Record | None = product["variants"].get(new_item_id)
    if variant is None or not variant["available"]:
        raise Refusal(f"new item {new_item_id} not found or available")
    return variant


def pay(db: State, order_id: str, method_id: str, difference: float) -> Record:
    """Settle the difference of an order's price; a gift card pays or is paid back.

    Returns:
        The order, to be changed further.
    """
    order = db.edit("orders", order_id)
    kind = "payment" if difference > 0 else "refund"
    order["payment_history"].append(_transaction(kind, abs(difference), method_id))
    method = db.edit("users", order["user_id"])["payment_methods"][method_id]
    if method["source"] == "gift_card":
        method["balance"] = round(method["balance"] - difference, 2)
    return order


def change_payment(db: State, order: Record, method_id: str) -> Record:
    """Pay an order by another method, and give the first payment back."""
    method = method_of(db, order, method_id)
    history = order["payment_history"]
    if len(history) > 1 or history[0]["transaction_type"] != "payment":
        raise Refusal("there should be exactly one payment for a pending order")
    before = history[0]["payment_method_id"]
    if before == method_id:
        raise Refusal("the new payment method should be different from the current one")
    amount = history[0]["amount"]
    check_cover(method, amount)
    changed = db.edit("orders", order["order_id"])
    changed["payment_history"] += [
        _transaction("payment", amount, method_id),
        _transaction("refund", amount, before),
    ]
    methods = db.edit("users", order["user_id"])["payment_methods"]
    for name, change in ((method_id, -amount), (before, amount)):
        if methods[name]["source"] == "gift_card":
            methods[name]["balance"] = round(methods[name]["balance"] + change, 2)
    return changed


def address(*, address1: str, address2: str, city: str, state: str, country: str, zip: str) -> Record:
    """An address, by the names of its parts; any other name is refused as a wrong argument."""
    return {
        "address1": address1, "address2": address2, "city": city, "state": state, "country": country, "zip": zip,
    }  # fmt: skip


def move(db: State, table: str, key: str, new: Record) -> Record:
    """Give an order or a user another address."""
    record = db.edit(table, key)
    record["address"] = new
    return record


def price_difference(db: State, order: Record, item_ids: list[str], new_item_ids: list[str]) -> float:
    """What variants cost more than the items of an order for which they come."""
    difference: float = 0
    for item_id, new_item_id in zip(item_ids, new_item_ids, strict=True):
        item = item_of(order, item_id)
        difference += available_variant(db, item, new_item_id)["price"] - item["price"]
    return difference


def cancel_pending_order(db: State, /, order_id: str, reason: str) -> object:
    """Cancel an order and give back what was paid."""
    history = order_in(db, order_id, "pending", "cancelled")["payment_history"]
    if reason not in _REASONS:
        raise Refusal("invalid reason")
    order = db.edit("orders", order_id)
    for payment in history:
        amount, method_id = payment["amount"], payment["payment_method_id"]
        order["payment_history"].append(_transaction("refund", amount, method_id))
        if "gift_card" in method_id:
            method = db.edit("users", order["user_id"])["payment_methods"][method_id]
            method["balance"] = round(method["balance"] + amount, 2)
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    return order


def exchange_delivered_order_items(
    db: State, /, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> object:
    """Note an exchange: no money moves, and the items stay."""
    order = order_in(db, order_id, "delivered", "exchanged")
    check_items(order, item_ids)
    check_lengths(item_ids, new_item_ids)
    difference = round(price_difference(db, order, item_ids, new_item_ids), 2)
    check_cover(method_of(db, order, payment_method_id), difference)
    order = db.edit("orders", order_id)
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return order


def return_delivered_order_items(
    db: State, /, order_id: str, item_ids: list[str], payment_method_id: str
) -> object:
    """Note a return, paid back to the first payment's method or to a gift card."""
    order = order_in(db, order_id, "delivered", "returned")
    method_of(db, order, payment_method_id)
    if (
        "gift_card" not in payment_method_id
        and payment_method_id != order["payment_history"][0]["payment_method_id"]
    ):
        raise Refusal("payment method should be either the original payment method or a gift card")
    check_items(order, item_ids)
    order = db.edit("orders", order_id)
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return order


def find_user_id_by_email(db: State, /, email: str) -> object:
    """The user with an address, in any case."""
    return _first_user(
        user_id for user_id, user in db.records("users") if user["email"].lower() == email.lower()
    )


def find_user_id_by_name_zip(db: State, /, first_name: str, last_name: str, zip: str) -> object:
    """The user with a name, in any case, and exactly this zip code."""
    wanted = (first_name.lower(), last_name.lower(), zip)
    return _first_user(user_id for user_id, user in db.records("users") if _name_and_zip(user) == wanted)


def get_order_details(db: State, /, order_id: str) -> object:
    """An order."""
    return order_of(db, order_id)


def get_product_details(db: State, /, product_id: str) -> object:
    """A product with its variants."""
    product = db.get("products", product_id)
    if product is None:
        raise Refusal("product not found")
    return product


def get_user_details(db: State, /, user_id: str) -> object:
    """A user."""
    return user_of(db, user_id)


def list_all_product_types(db: State, /) -> object:
    """The products' ids by name."""
    return {product["name"]: product["product_id"] for _, product in db.records("products")}


SHARED: Final[dict[str, Tool]] = {
    **{
        tool.__name__: tool
        for tool in (
            cancel_pending_order,
            exchange_delivered_order_items,
            find_user_id_by_email,
            find_user_id_by_name_zip,
            get_order_details,
            get_product_details,
            get_user_details,
            list_all_product_types,
            return_delivered_order_items,
        )
    },
    **reads(("calculate", "transfer_to_human_agents")),
}


def _transaction(kind: str, amount: float, method_id: str) -> Record:
    return {"transaction_type": kind, "amount": amount, "payment_method_id": method_id}


def _name_and_zip(user: Record) -> tuple[str, str, Any]:
    name = user["name"]
    return name["first_name"].lower(), name["last_name"].lower(), user["address"]["zip"]


def _first_user(found: Iterable[str]) -> str:
    user_id = next(iter(found), None)
    if user_id is None:
        raise Refusal("user not found")
    return user_id
