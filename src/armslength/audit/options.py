"""What a caller of an audit may choose."""

from __future__ import annotations

from dataclasses import dataclass

from armslength.records import Authorship


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
