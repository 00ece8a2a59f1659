"""armslength: is a reward for an LLM agent at arm's length from the policy that is paid by it?

import armslength

result = armslength.audit(armslength.read("runs.jsonl"))
print(result.verdict.sentence)
"""

from typing import TYPE_CHECKING

from .audit import Audit
from .errors import ArmslengthError, InputError, UnmeasuredError
from .formats import Findings, ReadOptions, read
from .records import Outcome, Trajectory, Turn

if TYPE_CHECKING:  # at run time the packages themselves are callable (armslength.namesake)
    from .audit import audit as audit
    from .replay import replay as replay
else:
    from . import audit, replay

__all__ = [
    "ArmslengthError",
    "Audit",
    "Findings",
    "InputError",
    "Outcome",
    "ReadOptions",
    "Trajectory",
    "Turn",
    "UnmeasuredError",
    "audit",
    "read",
    "replay",
]
