"""The whole audit: everything but fitting against its own encoding step, and fitting beside it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator

from armslength import audit
from armslength.worlds import make_purchases


def audit_rows(tasks: int) -> Iterator[tuple]:
    """Time the steps by the progress that the audit reports."""
    runs = list(make_purchases(tasks, 6, 0))
    turns = sum(len(run.turns) for run in runs)
    spent: dict[str, float] = defaultdict(float)
    state = {"step": "start", "since": time.perf_counter()}

    def progress(step: str) -> None:
        now = time.perf_counter()
        spent[state["step"]] += now - state["since"]
        state.update(step=step.split(" ", maxsplit=1)[0], since=now)

    audit(runs, progress=progress)
    progress("end")
    fitting = spent["fitting"] + spent["control"]
    rest = sum(spent.values()) - fitting - spent["encoding"]
    listed = ", ".join(f"{name} {value:.1f}" for name, value in spent.items())
    yield (
        f"audit of {len(runs):,} runs, {turns:,} turns: everything but fitting", "its own encoding step",
        rest, spent["encoding"], "≥ 1×", f"seconds: {listed}",
    )  # fmt: skip
    yield (
        f"the same: fitting ({len(runs):,} runs)",
        "180 s",
        fitting,
        180.0,
        "≥ 1×",
        "three heads, three rivals",
    )
