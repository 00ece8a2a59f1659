"""How a CaSiNo negotiation ends, and what each side gets by it: from the acts of both, in their order.

- The first act that ends the talk counts: an acceptance of the other's open offer, or a walk-away.
- Three packages of each issue are shared out; one is worth 5, 4 or 3 points by how much its issue is wanted. Whoever
  walks away leaves both with 5 points.

Tests: ``tests/formats/readers/test_casino.py``, ``tests/recompute/test_casino_points.py``.
Reference: ``docs/reference/formats/casino.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ..content import plain
from ..runs import fields_of

OFFER: Final = "Submit-Deal"
ACCEPT: Final = "Accept-Deal"
WALK: Final = "Walk-Away"
REJECT: Final = "Reject-Deal"
#: How many packages of each issue there are.
PACKAGES: Final = 3
#: Points for a package of an issue by how much it is wanted.
WORTH: Final = {"High": 5, "Medium": 4, "Low": 3}
_WITHOUT_DEAL: Final = 5
_COUNT: Final = re.compile(r"\d{1,3}", re.ASCII)


class Act(NamedTuple):
    """Who did something, which act it is (None for a message), and the data that its button sent."""

    who: str
    kind: str | None
    data: object = None


class Ending(NamedTuple):
    """How a dialogue ended.

    Attributes:
        deal: whether there is a deal; None if nothing ends the talk, or if what was accepted is no open offer.
        begin: from which act on the end is told.
        packages: what each side gets by the accepted offer, by issue; nothing if it cannot be read.
    """

    deal: bool | None
    begin: int
    packages: Mapping[str, Mapping[str, int]]


def ending(acts: Sequence[Act], sides: tuple[str, str]) -> Ending:
    """The first act that ends the talk, with the offer that lies open before it.

    Args:
        acts: messages included.
        sides: the names of the two who negotiate.
    """
    last = next((place for place, act in enumerate(acts) if act.kind in (ACCEPT, WALK)), None)
    if last is None:
        return Ending(None, len(acts), {})
    offer = next((place for place in range(last - 1, -1, -1) if acts[place].kind), last)
    answered = acts[offer].kind == OFFER and {acts[offer].who, acts[last].who} == set(sides)
    if acts[last].kind == WALK:
        return Ending(False, offer if answered else last, {})
    if not answered:
        return Ending(None, last, {})
    return Ending(True, offer, _packages(acts[offer], sides))


def points_of(end: Ending, side: str, priorities: Sequence[str]) -> int | None:
    """Points by the accepted offer, those of the rules where somebody walked away; None if unknown.

    Args:
        end: of the dialogue.
        side: whose points.
        priorities: the issues from the most to the least wanted.
    """
    if end.deal is False:
        return _WITHOUT_DEAL
    got = end.packages.get(side)
    if got is None or sorted(got) != sorted(priorities):
        return None
    return sum(worth * got[issue] for worth, issue in zip(WORTH.values(), priorities, strict=True))


def _packages(offer: Act, sides: tuple[str, str]) -> dict[str, dict[str, int]]:
    """What each side gets by an offer; nothing if it cannot be read. "You" is the sender."""
    fields = fields_of({"offer": offer.data})
    made: dict[str, dict[str, int]] = {}
    for side in sides:
        given = fields(f"offer.issue2{'you' if side == offer.who else 'they'}get")
        if not isinstance(given, dict):
            return {}
        texts = {issue: plain(count) for issue, count in given.items()}
        if not all(_COUNT.fullmatch(text) for text in texts.values()):
            return {}
        made[side] = {issue: int(text) for issue, text in texts.items()}
    return made
