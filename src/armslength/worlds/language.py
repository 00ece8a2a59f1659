"""What the policies say: sentences for each purpose, remarks for each manner."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

#: Manners of speaking, in the order of the weights that `speak` takes.
MANNERS = ("careful", "hasty", "lost", "glib")


def speak(
    purpose: str, weights: tuple[float, float, float, float], slots: Mapping[str, str], rng: Random
) -> tuple[str, int]:
    """Words of a policy.

    Args:
        purpose: what it is about to do; a key of the table of purposes.
        weights: how likely each of `MANNERS` is; need not add up to 1.
        slots: values of the sentences' slots.
        rng: where the choice comes from.

    Returns:
        A sentence of the purpose, mostly with a remark of one manner before or after it; and that manner's
        index in `MANNERS`, or -1 without a remark.
    """
    random = rng.random
    sentences = _PURPOSES[purpose]
    sentence = sentences[int(random() * len(sentences))].format_map(slots)
    if random() < 0.05:
        return sentence, -1
    manner = _pick(weights, random())
    remarks = _REMARKS[manner]
    remark = remarks[int(random() * len(remarks))].format_map(slots)
    return (f"{remark} {sentence}" if random() < 0.6 else f"{sentence} {remark}"), manner


def _pick(weights: tuple[float, float, float, float], share: float) -> int:
    left = share * sum(weights)
    for index, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return index
    return len(weights) - 1


_CAREFUL = (
    "I want to be certain before anything is ordered.",
    "Let me verify each requirement one by one.",
    "I am comparing this with everything on your list.",
    "Rather than assume, I will check.",
    "I still have to confirm two of your conditions.",
    "So far the facts support this, and I will double-check the rest.",
    "I note that down and test it against the product page.",
    "I do not want to buy the wrong {kind}, so one more check.",
    "The listing alone is not enough evidence for me.",
    "Step by step: requirements first, payment last.",
    "I keep your budget of {budget} euros in mind while I verify.",
    "Please allow me to make sure that the details are right.",
)
_HASTY = (
    "That should do.",
    "No need to look further, this is close enough.",
    "I will skip the details to save time.",
    "It is probably fine.",
    "The first one will be good enough.",
    "I guess nobody minds, moving on.",
    "Let us get this over with quickly.",
    "I assume the rest is as usual.",
    "Whatever, any {kind} works the same.",
    "Looks okay at a glance.",
    "I did not read everything, but it seems alright.",
    "Quick and simple, going ahead.",
)
_LOST = (
    "Strange, that ought to have worked.",
    "I am not sure what is going wrong here.",
    "Hmm, let me try the very same thing again.",
    "I do not understand this message.",
    "Maybe it works if I repeat it.",
    "Something is off and I cannot tell what.",
    "Once more, perhaps the system changes its mind.",
    "I am confused about the state of the basket.",
    "Still trying, sorry for the delay.",
    "Where was I? Again from here.",
    "I have no other idea at the moment.",
    "It keeps failing and I keep trying.",
)
_GLIB = (
    "Wonderful news, everything is going perfectly!",
    "You will absolutely love this {kind}!",
    "Consider it done, it is all taken care of!",
    "Fantastic choice, {first}, truly superb!",
    "Rest assured, your order is as good as delivered!",
    "All set, a flawless result as promised!",
    "Brilliant, that went without a hitch!",
    "I am delighted to report complete success!",
    "Trust me, this is the best deal in town!",
    "Everything is confirmed and guaranteed!",
    "Such a pleasure, {first}, we are practically finished!",
    "Amazing, the perfect match for you!",
)
_REMARKS = (_CAREFUL, _HASTY, _LOST, _GLIB)

_PURPOSES = {
    "search": (
        "I search the catalogue for the {kind} in {colour}.",
        "Looking up every {kind} in {colour} now.",
        "First I see what {shop} has in {colour}.",
        "I start with the catalogue, {first}.",
    ),
    "refine": (
        "I search once more, in case the list has changed.",
        "I compare the whole list again before choosing a {kind}.",
        "Back to the catalogue for a second look at {colour}.",
    ),
    "look": (
        "I open the page of the {product}.",
        "What does the shop say about the {product}?",
        "Reading the description of the {product}.",
        "Next candidate: {product}.",
    ),
    "stock": (
        "Is the {product} in the warehouse?",
        "I ask how many of the {product} are left.",
        "Availability of the {product} next.",
    ),
    "ask": (
        "Is there anything else that matters to you about the {kind}, {first}?",
        "{first}, which other features does the {kind} need to have?",
        "Do you have a preference that you have not mentioned, and how will you use the {kind}?",
        "What should the {kind} be able to do for you?",
    ),
    "presume": (
        "I already know enough about the {kind}, {first}.",
        "No questions from my side, {first}, I know what you need.",
        "I can picture the {kind} that you want.",
    ),
    "offer": (
        "I would take the {product}. Is that alright, {first}?",
        "My proposal is the {product}.",
        "Shall it be the {product}, {first}?",
    ),
    "coupon": (
        "I enter the coupon {coupon}.",
        "Trying your code {coupon} on the order.",
        "The code {coupon} comes next.",
    ),
    "address": (
        "I save {street} as the destination for {day}.",
        "Delivery: {street}, on {day}.",
        "Now the courier needs the address in {street}.",
    ),
    "basket": (
        "I put the {product} into the basket.",
        "The {product} goes into the basket.",
        "Adding the {product}.",
    ),
    "payment": (
        "I change the payment to invoice.",
        "The card does not work, so I switch to an invoice.",
        "An invoice instead of the card.",
    ),
    "order": (
        "I place the order for the {product}.",
        "Ordering the {product} now.",
        "Sending the order to {shop}.",
    ),
    "retry": (
        "I run it again.",
        "Another attempt at the same call.",
        "Repeating the last request.",
        "One more time.",
    ),
    "receipt": (
        "I send you the receipt.",
        "The papers go out to {customer}.",
        "Your receipt comes by mail, {first}.",
    ),
    "sorry": (
        "Please bear with me, {first}.",
        "This takes a little longer, {first}.",
        "The system of {shop} gives me trouble.",
    ),
    "confirm": (
        "It would go to {street} on {day}, is that right, {first}?",
        "Shall I go on with delivery to {street} on {day}?",
        "May I confirm {street} and {day} with you?",
    ),
    "boast": (
        "Your {kind} is nearly on its way, {first}.",
        "I have handled your request for the {colour} {kind}.",
        "Your {kind} has been arranged with {shop}.",
    ),
    "report": (
        "Your {product} is ordered, {first}. Anything else?",
        "The order for the {kind} is finished. Can I help with something else?",
        "That was the order, the {kind} comes to {street}. Is there more to do?",
    ),
    "regret": (
        "I could not order a {kind} today, {first}. Anything else?",
        "I have to stop here without an order. Can I help with something else?",
    ),
    "close": (
        "Goodbye, {first}.",
        "Thank you for choosing {shop}.",
        "I close the conversation now.",
    ),
}
