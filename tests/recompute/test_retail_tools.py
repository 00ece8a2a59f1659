"""Every retail tool that changes the state: its effect, and each check that refuses it."""

import pytest

from armslength.recompute import tau2_retail, tau_retail

BOTH = pytest.mark.parametrize("room", [tau_retail, tau2_retail], ids=["tau", "tau2"])
HOME = {"address1": "2 Way", "address2": "x", "city": "Bonn", "state": "NW", "country": "DE", "zip": "53111"}


@pytest.fixture
def shop(trying, retail):
    return lambda room: trying(retail, room.TOOLS)


def transaction(kind, amount, method):
    return {"transaction_type": kind, "amount": amount, "payment_method_id": method}


@BOTH
def test_cancel_gives_back_what_was_paid(shop, room):
    call = shop(room)
    assert call("cancel_pending_order", order_id="#3", reason="no longer needed") == "done"
    assert call["orders/#3/status"] == "cancelled"
    assert call["orders/#3/cancel_reason"] == "no longer needed"
    assert call["orders/#3/payment_history"][1:] == [transaction("refund", 10.3, "gift_card_1")]
    assert call["users/ada_1/payment_methods/gift_card_1/balance"] == 30.4
    assert call("cancel_pending_order", order_id="#1", reason="ordered by mistake") == "done"
    assert call.touched == {"orders/#1", "orders/#3", "users/ada_1"}


@BOTH
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"order_id": "#9", "reason": "no longer needed"}, "order not found"),
        ({"order_id": "#2", "reason": "no longer needed"}, "non-pending order cannot be cancelled"),
        ({"order_id": "#4", "reason": "no longer needed"}, "non-pending order cannot be cancelled"),
        ({"order_id": "#1", "reason": "No longer needed"}, "invalid reason"),
        ({"order_id": "#1", "reason": ["no longer needed"]}, "unhashable"),
        ({"order_id": "#1"}, "missing 1 required"),
        ({"order_id": ["#1"], "reason": "no longer needed"}, "unhashable"),
        ({"order_id": "#1", "reason": "no longer needed", "x": 1}, "unexpected keyword"),
    ],
)
def test_cancel_refuses(shop, room, arguments, why):
    call = shop(room)
    assert why in call("cancel_pending_order", **arguments)
    assert call.touched == set()


def swap(order, old, new, method="credit_card_1"):
    return {"order_id": order, "item_ids": old, "new_item_ids": new, "payment_method_id": method}


@BOTH
def test_exchange_only_notes(shop, room):
    call = shop(room)
    assert call("exchange_delivered_order_items", **swap("#2", ["red", "red"], ["gold", "blue"])) == "done"
    made = call["orders/#2"]
    assert made["status"] == "exchange requested"
    assert (made["exchange_items"], made["exchange_new_items"]) == (["red", "red"], ["blue", "gold"])
    assert (made["exchange_payment_method_id"], made["exchange_price_difference"]) == ("credit_card_1", 81.9)
    assert [item["item_id"] for item in made["items"]] == ["red", "red"]
    assert call.touched == {"orders/#2"}


@BOTH
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (swap("#9", ["red"], ["blue"]), "order not found"),
        (swap("#1", ["red"], ["blue"]), "non-delivered order cannot be exchanged"),
        (swap("#2", ["red"] * 3, ["blue"] * 3), "red not found"),
        (swap("#2", ["blue"], ["red"]), "blue not found"),
        (swap("#2", ["red"], ["blue", "gold"]), "number of items"),
        (swap("#2", ["red"], ["gone"]), "not found or available"),
        (swap("#2", ["red"], ["never"]), "not found or available"),
        (swap("#2", ["red"], ["blue"], "paypal_9"), "payment method not found"),
        (swap("#2", ["red"], ["gold"], "gift_card_1"), "insufficient gift card balance"),
        (swap("#2", 5, ["gold"]), "not iterable"),
        (swap("#2", "['red']", "['gold']"), "[ not found"),
    ],
)
def test_exchange_refuses(shop, room, arguments, why):
    call = shop(room)
    assert why in call("exchange_delivered_order_items", **arguments)
    assert call.touched == set()


@BOTH
def test_modify_items_moves_money(shop, room):
    call = shop(room)
    assert call("modify_pending_order_items", **swap("#1", ["red"], ["blue"], "gift_card_1")) == "done"
    made = call["orders/#1"]
    assert made["status"] == "pending (item modified)"
    assert made["payment_history"][1:] == [transaction("payment", 12.5 - 10.3, "gift_card_1")]
    assert made["items"][0] == {
        "name": "Mug", "product_id": "p", "item_id": "blue", "price": 12.5, "options": {"color": "blue"},
    }  # fmt: skip
    assert call["users/ada_1/payment_methods/gift_card_1/balance"] == 17.9


@BOTH
def test_cheaper_items_pay_back(shop, room):
    call = shop(room)
    assert call("modify_pending_order_items", **swap("#1", ["gold"], ["blue"], "gift_card_1")) == "done"
    assert call["orders/#1/payment_history"][1:] == [transaction("refund", 77.5, "gift_card_1")]
    assert call["users/ada_1/payment_methods/gift_card_1/balance"] == 97.6


def test_each_item_gets_its_own_variant_in_tau(shop):
    call = shop(tau_retail)
    assert call("modify_pending_order_items", **swap("#1", ["red", "gold"], ["gold", "blue"])) == "done"
    assert [(item["item_id"], item["price"]) for item in call["orders/#1/items"]] == [
        ("blue", 12.5),
        ("gold", 90.0),
    ]


def test_every_item_gets_the_last_variant_in_tau2(shop):
    call = shop(tau2_retail)
    assert call("modify_pending_order_items", **swap("#1", ["gold", "red"], ["blue", "gold"])) == "done"
    made = call["orders/#1/items"]
    assert [(item["item_id"], item["price"]) for item in made] == [("gold", 90.0), ("blue", 90.0)]
    assert {item["options"]["color"] for item in made} == {"gold"}


def test_an_item_may_replace_itself_in_tau_and_not_in_tau2(shop):
    same = swap("#1", ["red"], ["red"])
    assert shop(tau_retail)("modify_pending_order_items", **same) == "done"
    assert "should be different" in shop(tau2_retail)("modify_pending_order_items", **same)


@BOTH
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (swap("#9", ["red"], ["blue"]), "order not found"),
        (swap("#2", ["red"], ["blue"]), "non-pending order cannot be modified"),
        (swap("#4", ["blue"], ["red"]), "non-pending order cannot be modified"),
        (swap("#1", ["red", "red"], ["blue", "blue"]), "red not found"),
        (swap("#1", ["red"], []), "number of items"),
        (swap("#1", ["red"], ["gone"]), "not found or available"),
        (swap("#1", ["red"], ["blue"], "x"), "payment method not found"),
        (swap("#1", ["red"], ["gold"], "gift_card_1"), "insufficient gift card balance"),
    ],
)
def test_modify_items_refuses(shop, room, arguments, why):
    call = shop(room)
    assert why in call("modify_pending_order_items", **arguments)
    assert call.touched == set()


@BOTH
def test_another_method_pays_and_the_first_is_paid_back(shop, room):
    call = shop(room)
    assert call("modify_pending_order_payment", order_id="#3", payment_method_id="gift_card_2") == "done"
    assert call["orders/#3/payment_history"][1:] == [
        transaction("payment", 10.3, "gift_card_2"), transaction("refund", 10.3, "gift_card_1"),
    ]  # fmt: skip
    assert call["orders/#3/status"] == "pending"
    methods = call["users/ada_1/payment_methods"]
    assert (methods["gift_card_1"]["balance"], methods["gift_card_2"]["balance"]) == (30.4, 489.7)


@BOTH
@pytest.mark.parametrize(
    ("order", "method", "why"),
    [
        ("#9", "paypal_1", "order not found"),
        ("#2", "credit_card_1", "non-pending order cannot be modified"),
        ("#1", "x", "payment method not found"),
        ("#1", "credit_card_1", "should be different"),
        ("#1", "gift_card_1", "insufficient gift card balance"),
    ],
)
def test_modify_payment_refuses(shop, room, order, method, why):
    call = shop(room)
    assert why in call("modify_pending_order_payment", order_id=order, payment_method_id=method)
    assert call.touched == set()


@BOTH
def test_payment_changes_only_while_one_payment_stands(shop, room):
    call = shop(room)
    assert call("modify_pending_order_payment", order_id="#3", payment_method_id="paypal_1") == "done"
    again = call("modify_pending_order_payment", order_id="#3", payment_method_id="gift_card_2")
    assert "exactly one payment" in again


@BOTH
def test_an_address_is_replaced(shop, room):
    call = shop(room)
    assert call("modify_pending_order_address", order_id="#1", **HOME) == "done"
    assert call("modify_user_address", user_id="ada_1", **HOME) == "done"
    assert (call["orders/#1/address"], call["users/ada_1/address"]) == (HOME, HOME)


@BOTH
@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("modify_pending_order_address", {"order_id": "#9"} | HOME, "order not found"),
        ("modify_pending_order_address", {"order_id": "#2"} | HOME, "non-pending"),
        ("modify_pending_order_address", {"order_id": "#1"}, "missing 6 required"),
        ("modify_pending_order_address", {"order_id": "#1", "street": "x"} | HOME, "unexpected keyword"),
        ("modify_user_address", {"user_id": "x"} | HOME, "user not found"),
        ("modify_user_address", HOME, "missing 1 required"),
    ],
)
def test_addresses_are_refused(shop, room, tool, arguments, why):
    call = shop(room)
    assert why in call(tool, **arguments)
    assert call.touched == set()


def test_tau2_still_changes_address_and_payment_of_modified_orders(shop):
    for tool, arguments in (
        ("modify_pending_order_address", {"order_id": "#4"} | HOME),
        ("modify_pending_order_payment", {"order_id": "#4", "payment_method_id": "paypal_1"}),
    ):
        assert shop(tau2_retail)(tool, **arguments) == "done"
        assert "non-pending" in shop(tau_retail)(tool, **arguments)


def test_tau2_wants_texts_in_an_address(shop):
    numbers = HOME | {"zip": 53111}
    assert "consists of texts" in shop(tau2_retail)("modify_user_address", user_id="ada_1", **numbers)
    assert shop(tau_retail)("modify_user_address", user_id="ada_1", **numbers) == "done"


def back(order, items, method):
    return {"order_id": order, "item_ids": items, "payment_method_id": method}


@BOTH
def test_noted_items_are_sorted_and_the_difference_is_rounded(shop, room):
    call = shop(room)
    assert call("exchange_delivered_order_items", **swap("#5", ["red", "gold"], ["blue", "gold"])) == "done"
    assert call["orders/#5/exchange_items"] == ["gold", "red"]
    assert call["orders/#5/exchange_price_difference"] == 2.2 != 12.5 - 10.3
    call = shop(room)
    assert call("return_delivered_order_items", **back("#5", ["red", "gold"], "paypal_1")) == "done"
    assert call["orders/#5/return_items"] == ["gold", "red"]


@BOTH
def test_return_only_notes(shop, room):
    for method in ("paypal_1", "gift_card_1"):
        call = shop(room)
        assert call("return_delivered_order_items", **back("#2", ["red", "red"], method)) == "done"
        made = call["orders/#2"]
        noted = (made["status"], made["return_items"], made["return_payment_method_id"])
        assert noted == ("return requested", ["red", "red"], method)
        assert call.touched == {"orders/#2"}


@BOTH
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (back("#9", ["red"], "paypal_1"), "order not found"),
        (back("#1", ["red"], "credit_card_1"), "non-delivered order cannot be returned"),
        (back("#2", ["red"], "x"), "payment method not found"),
        (back("#2", ["red"], "credit_card_1"), "original payment method"),
        (back("#2", ["red"] * 3, "paypal_1"), "red not found"),
    ],
)
def test_return_refuses(shop, room, arguments, why):
    call = shop(room)
    assert why in call("return_delivered_order_items", **arguments)
    assert call.touched == set()


@BOTH
def test_reads_change_nothing(shop, room):
    call = shop(room)
    for name, arguments in (
        ("find_user_id_by_email", {"email": "ADA@example.com"}),
        ("find_user_id_by_name_zip", {"first_name": "ada", "last_name": "BYRON", "zip": "89073"}),
        ("get_order_details", {"order_id": "#1"}),
        ("get_product_details", {"product_id": "p"}),
        ("get_user_details", {"user_id": "ada_1"}),
        ("list_all_product_types", {}),
        ("calculate", {"expression": "__import__('os')"}),
        ("transfer_to_human_agents", {"summary": "x"}),
    ):
        assert call(name, **arguments) == "done"
    for name, arguments in (
        ("find_user_id_by_email", {"email": "x"}),
        ("find_user_id_by_name_zip", {"first_name": "ada", "last_name": "byron", "zip": "1"}),
        ("get_order_details", {"order_id": "x"}),
        ("get_product_details", {"product_id": "x"}),
        ("get_user_details", {"user_id": "x"}),
    ):
        assert "not found" in call(name, **arguments)
    assert call.touched == set()
    assert "think" in tau_retail.TOOLS
    assert "think" not in tau2_retail.TOOLS
