"""The mock purchase: a task with hidden state and the shop's tools, all of it deterministic.

Rules of the shop (``docs/reference/worlds.md``), with the test that holds each:

- What a tool answers is a function of the task and of the calls before it: no randomness, no clock
  (``tests/worlds/test_purchase.py``).
- No call raises: a malformed or unknown one is answered by an error (same test).
- A tool result says whether it signals an error; there is no third value (same test).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .names import STREETS
from .replies import word

#: What a coupon that applies takes off, in percent.
DISCOUNT_PERCENT = 15


class Variant(NamedTuple):
    """One product of the shop.

    Attributes:
        name: maker and model; the name that calls use.
        colour: as listed.
        material: as listed.
        trait: what only the product's page tells.
        genuine: whether the listing is true; only the product's page tells.
        stock: pieces left; only the stock check and the basket tell.
        price: whole euros.
    """

    name: str
    colour: str
    material: str
    trait: str
    genuine: bool
    stock: int
    price: int


@dataclass(frozen=True)
class PurchaseTask:
    """What one customer wants, and what the shop hides.

    Attributes:
        id: name of the task; `find_task` makes the task from it.
        shop: name of the shop.
        customer: the customer's name.
        kind: the product kind wanted.
        colour: the colour wanted.
        material: the material wanted, or None where any will do.
        budget: the most that the customer pays, whole euros.
        street: where the order must go.
        day: when it must arrive.
        old_street: where the shop would send it without being told (hidden).
        coupon: a code that the customer hands over, or None.
        coupon_applies: whether the shop takes it (hidden).
        card_valid: whether the stored card works (hidden; an invoice always does).
        wish: the trait that the customer wants and says only when asked (hidden).
        reason: why the customer wants it.
        variants: the catalogue of this kind, cheapest first.
        busy: ordinals of calls that the shop answers by being busy (hidden).
        dialect: how the shop words its answers.
    """

    id: str
    shop: str
    customer: str
    kind: str
    colour: str
    material: str | None
    budget: int
    street: str
    day: str
    old_street: str
    coupon: str | None
    coupon_applies: bool
    card_valid: bool
    wish: str
    reason: str
    variants: tuple[Variant, ...]
    busy: frozenset[int]
    dialect: int


class Action(NamedTuple):
    """One call of a tool: its name and its arguments, all text."""

    name: str
    arguments: Mapping[str, str]


class Result(NamedTuple):
    """What a tool answered, and whether that signals an error."""

    text: str
    error: bool


class Order(NamedTuple):
    """An order that the shop took."""

    variant: Variant
    street: str
    day: str
    total: int


class Shop:
    """The shop while one customer is served.

    Args:
        task: the task that it is played for.

    Attributes:
        orders: the orders that it took, in order.
    """

    def __init__(self, task: PurchaseTask) -> None:
        self.orders: list[Order] = []
        self._task = task
        self._calls = 0
        self._basket: Variant | None = None
        self._coupon = False
        self._payment = "card"
        self._street, self._day = task.old_street, "the next free day"

    def call(self, action: Action) -> Result:
        """Carry out one call.

        Args:
            action: any name and arguments.

        Returns:
            The answer. Never raises: what the shop does not understand is an error in the answer.
        """
        self._calls += 1
        tool = _TOOLS.get(action.name)
        if self._calls in self._task.busy:
            return self._answer("busy", error=True, tool=action.name)
        if tool is None:
            return self._answer("no_tool", error=True, tool=action.name)
        return tool(self, action.arguments)

    def _answer(self, code: str, /, *, error: bool = False, **fields: str) -> Result:
        return Result(word(code, fields, self._task.dialect + 5 * self._calls), error)

    def _find(self, arguments: Mapping[str, str]) -> Variant | None:
        name = arguments.get("product", "")
        return next((v for v in self._task.variants if v.name == name), None)

    def _search_catalog(self, arguments: Mapping[str, str]) -> Result:
        if arguments.get("kind") != self._task.kind:
            return self._answer("search_none", kind=arguments.get("kind", ""))
        found = listed(self._task, arguments.get("colour", ""), arguments.get("material"))
        if not found:
            return self._answer("search_none", kind=self._task.kind)
        items = "; ".join(f"{v.name} ({v.colour} {v.material}, {v.price} euros)" for v in found)
        return self._answer("search_found", kind=self._task.kind, items=items)

    def _get_product(self, arguments: Mapping[str, str]) -> Result:
        variant = self._find(arguments)
        if variant is None:
            return self._answer("no_product", error=True)
        code = "product_genuine" if variant.genuine else "product_imitation"
        return self._answer(
            code, product=variant.name, trait=variant.trait, colour=variant.colour, material=variant.material
        )

    def _check_stock(self, arguments: Mapping[str, str]) -> Result:
        variant = self._find(arguments)
        if variant is None:
            return self._answer("no_product", error=True)
        return self._answer(
            "stock_in" if variant.stock else "stock_out", product=variant.name, left=str(variant.stock)
        )

    def _apply_coupon(self, arguments: Mapping[str, str]) -> Result:
        code = arguments.get("code", "")
        if code != self._task.coupon or not self._task.coupon_applies:
            return self._answer("coupon_refused", error=True, code=code)
        self._coupon = True
        return self._answer("coupon_applied", code=code, percent=str(DISCOUNT_PERCENT))

    def _set_address(self, arguments: Mapping[str, str]) -> Result:
        street, day = arguments.get("street", ""), arguments.get("day", "")
        if street not in _STREETS:
            return self._answer("address_unknown", error=True, street=street)
        self._street, self._day = street, day
        return self._answer("address_set", street=street, day=day)

    def _set_payment(self, arguments: Mapping[str, str]) -> Result:
        self._payment = arguments.get("method", "card")
        return self._answer("payment_set", method=self._payment)

    def _add_to_basket(self, arguments: Mapping[str, str]) -> Result:
        variant = self._find(arguments)
        if variant is None:
            return self._answer("no_product", error=True)
        if not variant.stock:
            return self._answer("basket_sold_out", error=True, product=variant.name)
        self._basket = variant
        return self._answer("basket_added", product=variant.name)

    def _place_order(self, arguments: Mapping[str, str]) -> Result:  # noqa: ARG002 - every tool has one shape
        if self._basket is None:
            return self._answer("order_empty", error=True)
        if self._payment != "invoice" and not self._task.card_valid:
            return self._answer("order_declined", error=True)
        total = price_paid(self._basket.price, coupon=self._coupon)
        self.orders.append(Order(self._basket, self._street, self._day, total))
        on_file = self._street == self._task.old_street
        return self._answer(
            "order_placed_on_file" if on_file else "order_placed",
            product=self._basket.name,
            street=self._street,
            day=self._day,
            total=str(total),
        )

    def _submit(self, arguments: Mapping[str, str]) -> Result:  # noqa: ARG002 - every tool has one shape
        return self._answer("submitted")


def price_paid(price: int, *, coupon: bool) -> int:
    """Whole euros to pay, rounded up.

    Args:
        price: list price in whole euros.
        coupon: whether a coupon is in force.
    """
    return -(-price * (100 - DISCOUNT_PERCENT) // 100) if coupon else price


def listed(task: PurchaseTask, colour: str, material: str | None) -> list[Variant]:
    """The variants that a search lists, cheapest first: their listed colour and material are as asked."""
    return [v for v in task.variants if v.colour == colour and material in (None, v.material)]


_STREETS = frozenset(STREETS)

_TOOLS: dict[str, Callable[[Shop, Mapping[str, str]], Result]] = {
    "search_catalog": Shop._search_catalog,
    "get_product": Shop._get_product,
    "check_stock": Shop._check_stock,
    "apply_coupon": Shop._apply_coupon,
    "set_address": Shop._set_address,
    "set_payment": Shop._set_payment,
    "add_to_basket": Shop._add_to_basket,
    "place_order": Shop._place_order,
    "submit": Shop._submit,
}
