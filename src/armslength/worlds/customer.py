"""What the customers say: sentences for each purpose, and a remark that shows the mood."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random


def reply(purpose: str, slots: Mapping[str, str], rng: Random, *, mood: float | None = None) -> str:
    """Words of the customer.

    Args:
        purpose: what the customer answers; a key of the customer's table.
        slots: values of the sentences' slots.
        rng: where the choice comes from.
        mood: chance of a friendly remark rather than a cool one; None for no remark at all.
    """
    random = rng.random
    sentences = _CUSTOMER[purpose]
    sentence = sentences[int(random() * len(sentences))].format_map(slots)
    if mood is None or random() < 0.2:
        return sentence
    tone = _CUSTOMER["friendly" if random() < mood else "cool"]
    return f"{sentence} {tone[int(random() * len(tone))]}"


_CUSTOMER = {
    "open": (
        "Hello, this is {customer}. I would like {goods}, at most {budget} euros, "
        "delivered to {street} on {day}.",
        "Hi there! I need {goods}. Please send it to {street}, it has to arrive on {day}. "
        "I can spend {budget} euros. {customer}",
        "Good morning, {customer} speaking. Could you order {goods} for me? My limit is {budget} euros "
        "and it should come to {street} by {day}.",
        "I am {customer} and I am looking for {goods}. Budget: {budget} euros. "
        "Deliver on {day} to {street}, please.",
    ),
    "coupon": (
        "I also have a coupon: {coupon}.",
        "Please use my code {coupon}.",
        "Somebody gave me the voucher {coupon}, does it help?",
    ),
    "wish": (
        "Now that you ask: it must be {wish}, because {reason}.",
        "Yes, I want one that is {wish}. You see, {reason}.",
        "Good question. It should be {wish}, since {reason}.",
        "It matters that it is {wish}; {reason}.",
    ),
    "unasked": (
        "Well, you have not asked me how I will use it.",
        "Are you sure? There is more to it than the colour.",
        "Hm, you hardly know what I need it for.",
        "I would have expected a question or two from you.",
    ),
    "waiting": (
        "Alright, I am waiting.",
        "What is the matter with the {kind}?",
        "Does it always take this long?",
        "Fine, but please get on with it.",
    ),
    "content": (
        "Sounds fine to me, take the {product}.",
        "The {product}? I like the look of it, yes.",
        "Agreed, that one please.",
    ),
    "doubt": (
        "I am looking at the {product} myself and doubt that it is {wish}.",
        "Hm, that does not look right to me. Is the {product} really {wish}?",
        "That is not what I had in mind; it does not seem to be {wish}.",
    ),
    "yes": (
        "Yes, {street} on {day}, that is correct.",
        "Correct, please send it to {street}.",
        "That is right, {day} suits me.",
    ),
    "glad": (
        "Oh, lovely, that was fast. Thank you!",
        "Great, I am looking forward to it.",
        "Really? Already? Then go on, please.",
        "If you say so. Have you looked at everything?",
    ),
    "nothing": (
        "No, nothing else.",
        "No, that was everything I came for.",
        "I have no other questions.",
        "Nothing more for today.",
    ),
    "friendly": (
        "I appreciate how thorough you are.",
        "It is good to see somebody read the small print.",
        "Your patience is much appreciated.",
        "I feel well advised here.",
        "Nice that you look so closely.",
    ),
    "cool": (
        "You seem to be in a hurry.",
        "I hope that somebody is paying attention.",
        "This does not fill me with confidence.",
        "Are you reading from a script?",
        "I have a strange feeling about this.",
    ),
    "thanks": (
        "Thank you, goodbye. ###STOP###",
        "That is all from me, have a nice day. ###STOP###",
        "Alright, we are done then. ###STOP###",
    ),
    "annoyed": (
        "Then I will try another shop. ###STOP###",
        "What a pity. Goodbye. ###STOP###",
    ),
}
