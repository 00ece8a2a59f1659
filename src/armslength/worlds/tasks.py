"""Drawing purchase tasks: the same name gives the same task, on any machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from ..errors import InputError
from .names import (
    COUPONS,
    DAYS,
    FIRST_NAMES,
    GOODS,
    LAST_NAMES,
    MAKERS,
    MODELS,
    SHOPS,
    STREETS,
    Goods,
)
from .purchase import DISCOUNT_PERCENT, PurchaseTask, Variant

_ID = re.compile(r"purchase-(\d{1,18})-(\d{1,9})")


def draw_tasks(tasks: int, seed: int) -> Iterator[PurchaseTask]:
    """Purchase tasks, one after another.

    Args:
        tasks: how many.
        seed: any whole number from 0; the first tasks of a longer draw are the same.
    """
    return (_draw(seed, index) for index in range(tasks))


def find_task(name: str) -> PurchaseTask:
    """The task of this name, hidden state included.

    Args:
        name: a trajectory's task, such as ``purchase-0-12``.

    Returns:
        The task that `draw_tasks` gave this name.

    Raises:
        InputError: it is no name of a purchase task (WORLD_TASK_UNKNOWN).
    """
    match = _ID.fullmatch(name)
    if match is None:
        raise InputError("WORLD_TASK_UNKNOWN", found=name, expected="purchase-SEED-NUMBER")
    return _draw(int(match[1]), int(match[2]))


def _draw(seed: int, index: int) -> PurchaseTask:
    name = f"purchase-{seed}-{index}"
    rng = Random(name)  # noqa: S311 - data, not secrets
    goods = rng.choice(GOODS)
    colour, material = rng.choice(goods.colours), rng.choice(goods.materials)
    trait = rng.randrange(len(goods.traits))
    coupon = rng.choice(COUPONS) if rng.random() < 0.4 else None
    applies = coupon is not None and rng.random() < 0.6
    street, old_street = rng.sample(STREETS, 2)
    budget = rng.randrange(60, 240)
    return PurchaseTask(
        id=name,
        shop=rng.choice(SHOPS),
        customer=f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}",
        kind=goods.kind,
        colour=colour,
        material=material if rng.random() < 0.6 else None,
        budget=budget,
        street=street,
        day=rng.choice(DAYS),
        old_street=old_street,
        coupon=coupon,
        coupon_applies=applies,
        card_valid=rng.random() < 0.75,
        wish=goods.traits[trait],
        reason=goods.reasons[trait],
        variants=_draw_variants(
            rng, goods, (colour, material, goods.traits[trait]), budget, discounted=applies
        ),
        busy=frozenset(rng.sample(range(2, 14), rng.choice((0, 1, 1, 2)))),
        dialect=rng.randrange(6),
    )


def _draw_variants(
    rng: Random, goods: Goods, wanted: tuple[str, str, str], budget: int, *, discounted: bool
) -> tuple[Variant, ...]:
    """One variant that suits, a few that only seem to, and some of other colours; cheapest first."""
    colour, material, trait = wanted
    names = _draw_names(rng, 8)
    # A coupon that applies may be needed: then the right variant costs more than the budget without it.
    most = budget * 100 // (100 - DISCOUNT_PERCENT) if discounted and rng.random() < 0.6 else budget
    found = [
        Variant(
            names.pop(), colour, material, trait, True, rng.randint(1, 9), rng.randint(most * 3 // 4, most)
        )
    ]
    others = tuple(t for t in goods.traits if t != trait)
    for flaw in rng.sample(("trait", "trait", "imitation", "sold out"), rng.choice((2, 2, 3, 3))):
        found.append(
            Variant(
                names.pop(),
                colour,
                material,
                rng.choice(others) if flaw == "trait" else trait,
                flaw != "imitation",
                0 if flaw == "sold out" else rng.randint(1, 9),
                rng.randint(most * 11 // 20, most),
            )
        )
    for other in goods.colours:
        if other != colour:
            price = rng.randint(budget // 2, budget)
            found.append(Variant(names.pop(), other, rng.choice(goods.materials), trait, True, 3, price))
    return tuple(sorted(found, key=lambda v: (v.price, v.name)))


def _draw_names(rng: Random, count: int) -> list[str]:
    makers, models = rng.sample(MAKERS, count), rng.sample(MODELS, count)
    return [f"{maker} {model}" for maker, model in zip(makers, models, strict=True)]
