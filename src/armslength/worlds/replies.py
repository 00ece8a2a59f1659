"""How the shop words what its tools found: as JSON or as prose, by a fixed rotation."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")


def word(code: str, fields: Mapping[str, str], turn: int) -> str:
    """The text of a tool result.

    Args:
        code: what happened; one of the keys of the table below.
        fields: the slots of the sentence; the same values stand in the JSON form.
        turn: picks the wording; the same number gives the same text.

    Returns:
        JSON for every third `turn`, else one of the code's sentences.
    """
    if turn % 3 == 0:
        return _ENCODER.encode({"result": code.replace("_", " "), **fields}).decode()
    sentences = _SENTENCES[code]
    return sentences[turn % len(sentences)].format_map(fields)


_SENTENCES = {
    "busy": (
        "The shop system is busy and could not run {tool}. Try again in a moment.",
        "Timeout: {tool} did not answer.",
    ),
    "no_tool": ("There is no tool called {tool}.", "Unknown tool: {tool}."),
    "no_product": ("No product of that name is listed.", "That product could not be found in the catalogue."),
    "search_none": ("Nothing in the catalogue matches this search for {kind}.", "No {kind} found."),
    "search_found": (
        "We carry these: {items}.",
        "Search for {kind}, sorted by price: {items}.",
        "Matching articles for {kind}: {items}.",
    ),
    "product_genuine": (
        "{product}: {colour}, {material}. This model is {trait}. Rated well by buyers.",
        "The {product} is made of {material} in {colour} and is {trait}. Staff checked the description.",
        "Product page of the {product}. Feature: {trait}. Body: {material}. Shade: {colour}.",
    ),
    "product_imitation": (
        "{product}: {trait}. Correction: it only looks like {material}, a printed imitation.",
        "Product page of the {product}. Feature: {trait}. Note: the photo shows another model; "
        "the {colour} version is discontinued.",
        "The {product} is {trait}. Buyers report that the {material} is fake and the shade is off.",
    ),
    "stock_in": (
        "The {product} is available, {left} left in the warehouse.",
        "In stock: {product}, {left} pieces ready to ship.",
    ),
    "stock_out": (
        "The {product} is sold out; the supplier gives no date.",
        "Out of stock: {product}. Zero pieces left.",
    ),
    "coupon_applied": (
        "Coupon {code} accepted: {percent} percent off the basket.",
        "{code} is valid, the discount of {percent} percent will be deducted.",
    ),
    "coupon_refused": (
        "Coupon {code} is not valid for this category.",
        "Rejected: {code} has expired or does not exist.",
    ),
    "address_set": (
        "Delivery set to {street}, arriving on {day}.",
        "Shipping address saved: {street}. Courier slot: {day}.",
    ),
    "address_unknown": (
        "The courier does not know {street}. Address not saved.",
        "Address check failed: no such street as {street}.",
    ),
    "payment_set": ("Payment method is now {method}.", "The customer will pay by {method}."),
    "basket_added": ("{product} is in the basket.", "One {product} was put into the basket."),
    "basket_sold_out": (
        "Cannot add {product}: no pieces left in the warehouse.",
        "The basket refused {product} because it is sold out.",
    ),
    "order_empty": (
        "The basket is empty, nothing can be ordered.",
        "No order: put a product into the basket.",
    ),
    "order_declined": (
        "Payment declined: the bank refused the stored card.",
        "The order was not placed. The card on file was rejected by its issuer.",
    ),
    "order_placed": (
        "Order confirmed: {product}, {total} euros, to {street} on {day}.",
        "Thank you. {product} will be sent to {street} on {day}. Total charged: {total} euros.",
    ),
    "order_placed_on_file": (
        "Order confirmed: {product}, {total} euros. No address was given, it goes to {street}, as on file.",
        "Thank you. {product} will be sent to the former address on file, {street}. Charged: {total} euros.",
    ),
    "submitted": ("The conversation was closed.", "Session submitted."),
}
