"""Outcomes recomputed from visible actions: the calls of a record, executed from the initial database.

- Recorded results and rewards are never read for an outcome; they are compared with it afterwards.
- What cannot be recomputed is unmeasured and says why; a call that cannot be executed changes nothing.
- Nothing of a database is copied but the records that calls touch.

Reference: ``docs/reference/recompute.md``. How-to: ``docs/how-to/add-a-recomputer.md``.
"""

from __future__ import annotations

from .abcd_attempts import SyntheticAttempt, synthetic_attempts
from .calls import Call, calls_of, read_arguments, says, texts_of, until_end
from .environment import Environment, Environments, Unavailable
from .execute import NOT_COMPARED, Executed, Refusal, Tool, execute
from .labels import RECOMPUTED, read_recomputed
from .protocol import Fits, Recomputed, Recomputer, verdict
from .registry import recomputers
from .results import Unequal
from .runs import RunReport, recompute, recompute_files
from .state import ABSENT, Difference, State, differences

__all__ = [
    "ABSENT",
    "NOT_COMPARED",
    "RECOMPUTED",
    "Call",
    "Difference",
    "Environment",
    "Environments",
    "Executed",
    "Fits",
    "Recomputed",
    "Recomputer",
    "Refusal",
    "RunReport",
    "State",
    "SyntheticAttempt",
    "Tool",
    "Unavailable",
    "Unequal",
    "calls_of",
    "differences",
    "execute",
    "read_arguments",
    "read_recomputed",
    "recompute",
    "recompute_files",
    "recomputers",
    "says",
    "synthetic_attempts",
    "texts_of",
    "until_end",
    "verdict",
]
