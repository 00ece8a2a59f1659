"""Donor pools and adversaries: how cheaply selection moves a score."""

from .active import ActiveTest, active_test
from .adversaries import ADVERSARIES, DRAWS, Adversary, Target
from .black_box import Answer, Failure, Reward, name_of, signature, visible
from .conversations import Conversation, conversation
from .donors import DonorPool
from .edits import EDITS, Edit
from .selection import CHANNELS, Effect, FailingRuns, apply, attack, failing_runs, join, policy_turns, pool_of

__all__ = [
    "ADVERSARIES",
    "CHANNELS",
    "DRAWS",
    "EDITS",
    "ActiveTest",
    "Adversary",
    "Answer",
    "Conversation",
    "DonorPool",
    "Edit",
    "Effect",
    "FailingRuns",
    "Failure",
    "Reward",
    "Target",
    "active_test",
    "apply",
    "attack",
    "conversation",
    "failing_runs",
    "join",
    "name_of",
    "policy_turns",
    "pool_of",
    "signature",
    "visible",
]
