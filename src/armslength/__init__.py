"""armslength: is a reward for an LLM agent at arm's length from the policy that is paid by it?

import armslength

result = armslength.audit(armslength.read("runs.jsonl"))
print(result.verdict.sentence)
"""

from .audit import Audit, audit
from .errors import ArmslengthError, InputError, UnmeasuredError
from .formats import Findings, ReadOptions, read
from .records import Outcome, Trajectory, Turn
from .replay import replay

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
