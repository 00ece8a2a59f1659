"""What a caller of an audit may choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from armslength.records import Authorship

#: Calls of a user's reward, unless said otherwise: enough for a thousand runs of ten decision points.
REWARD_CALLS = 50_000


@dataclass(frozen=True)
class Options:
    """What a caller may choose; see `armslength.audit`."""

    authorship: Authorship = "strict"
    alpha: float = 0.10
    fold_seeds: int = 1
    resamples: int = 2000
    end: str = "policy"
    command: str = ""
    seed: int | None = None
    threads: int | None = None
    variants: bool = False
    examples: bool = True
    reward: Callable[..., Any] | None = None
    reward_calls: int = REWARD_CALLS
