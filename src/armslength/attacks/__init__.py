"""Donor pools and adversaries: how cheaply selection moves a score."""

from .active import ActiveTest, active_test
from .adversaries import ADVERSARIES, DRAWS, Adversary, Target
from .donors import DonorPool
from .more_calls import TRIED, Steered, one_more_call
from .selection import CHANNELS, Effect, FailingRuns, apply, attack, failing_runs, join, policy_turns, pool_of

__all__ = [
    "ADVERSARIES",
    "CHANNELS",
    "DRAWS",
    "TRIED",
    "ActiveTest",
    "Adversary",
    "DonorPool",
    "Effect",
    "FailingRuns",
    "Steered",
    "Target",
    "active_test",
    "apply",
    "attack",
    "failing_runs",
    "join",
    "one_more_call",
    "policy_turns",
    "pool_of",
]
