"""The recomputers: those of this package, and those that other packages offer as entry points.

A package offers one by an entry point of the group ``armslength.recompute`` whose object is a class or an instance with
the members of `Recomputer`. Such ones are asked first: they know something that ours do not.

Tests: ``tests/recompute/test_corner_shop.py``. How-to: ``docs/how-to/add-a-recomputer.md``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from armslength.plugins import load_plugins

from .abcd import Abcd
from .casino import Casino
from .deal_or_no_deal import DealOrNoDeal
from .multiwoz import Multiwoz
from .multiwoz_predictions import MultiwozPredictions
from .protocol import Recomputer
from .star import Star
from .tau2_bench import Tau2Bench
from .tau_bench import TauBench

GROUP: Final = "armslength.recompute"
_MEMBERS: Final = ("name", "handles", "recompute")

#: The recomputers of this package, in the order in which they are asked.
BUILT_IN: Final[tuple[Recomputer, ...]] = (
    TauBench(),
    Tau2Bench(),
    Star(),
    Casino(),
    DealOrNoDeal(),
    Abcd(),
    Multiwoz(),
    MultiwozPredictions(),
)


@cache
def recomputers() -> tuple[Recomputer, ...]:
    """All recomputers, those of other packages first.

    Raises:
        InputError: an entry point cannot be loaded or is no recomputer (RECOMPUTER_PLUGIN).
    """
    return (*load_plugins(GROUP, _MEMBERS, "RECOMPUTER_PLUGIN"), *BUILT_IN)
