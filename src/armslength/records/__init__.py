"""Turns, trajectories, outcomes, who wrote what, and the arrays made of them."""

from .authorship import (
    EVIDENCE_ROLES,
    EVIDENCE_WRITERS,
    READ_ROLES,
    ROLES,
    WRITABLE_ROLES,
    WRITERS,
    Authorship,
    may_read,
)
from .calls import Calls, find_calls
from .corpus import ROLE_CODE, WRITER_CODE, Corpus, Duplicate, Excluded, Factor
from .identity import near_digest, turns_digest
from .imitation import imitates_result
from .points import DecisionPoints, find_points, ranges
from .turn import Grade, Origin, Outcome, Role, StepReward, Trajectory, Turn, Writer, WriterSource

__all__ = [
    "EVIDENCE_ROLES",
    "EVIDENCE_WRITERS",
    "READ_ROLES",
    "ROLES",
    "ROLE_CODE",
    "WRITABLE_ROLES",
    "WRITERS",
    "WRITER_CODE",
    "Authorship",
    "Calls",
    "Corpus",
    "DecisionPoints",
    "Duplicate",
    "Excluded",
    "Factor",
    "Grade",
    "Origin",
    "Outcome",
    "Role",
    "StepReward",
    "Trajectory",
    "Turn",
    "Writer",
    "WriterSource",
    "find_calls",
    "find_points",
    "imitates_result",
    "may_read",
    "near_digest",
    "ranges",
    "turns_digest",
]
