"""Replay of recorded step rewards: admitted only if they recompute from lower-level public evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armslength.namesake import callable_package

from .names import Mode, Profile

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Mode", "Profile", "replay"]


def replay(
    input_dir: Path | str,
    out_dir: Path | str,
    *,
    mode: Mode = "fixture",
    profile: Profile = "strict",
    require_values: bool = False,
) -> Result:
    """Replay a folder of recorded steps and write its receipts.

    Args:
        input_dir: the folder; ``docs/reference/replay-format.md`` says what is in it.
        out_dir: folder for the receipts.
        mode: ``fixture`` (with seven planted negatives) or ``bundle``.
        profile: ``strict``, or ``reference`` for the weaker checks of the reference format.
        require_values: block numbers that no declared formula covers.

    Returns:
        The verdict and all that it rests on.

    Raises:
        OSError: the output cannot be written.
    """
    from .belief_state_process_reward_replay import run, run_reward_bundle

    mode_run = run if mode == "fixture" else run_reward_bundle
    return mode_run(Path(input_dir), Path(out_dir), profile=profile, require_values=require_values)


callable_package(__name__)
