"""Donor pools and adversaries: how cheaply selection moves a score."""

from .active import ActiveTest, active_test
from .adversaries import ADVERSARIES, DRAWS, Adversary, Target
from .donors import DonorPool
from .selection import CHANNELS, Effect, FailingRuns, apply, attack, failing_runs, join, policy_turns, pool_of

__all__ = [
    "ADVERSARIES",
    "CHANNELS",
    "DRAWS",
    "ActiveTest",
    "Adversary",
    "DonorPool",
    "Effect",
    "FailingRuns",
    "Target",
    "active_test",
    "apply",
    "attack",
    "failing_runs",
    "join",
    "policy_turns",
    "pool_of",
]
