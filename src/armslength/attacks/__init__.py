"""Donor pools and adversaries: how cheaply selection moves a score."""

from .active import ActiveTest, active_test
from .adversaries import ADVERSARIES, DRAWS, ON_EVERY_RUNG, Target, few_turns
from .donors import ContextPool, DonorPool, Pool, StagedPool
from .few_turns import replace_few
from .ladder import RUNGS, STAGES, Ladder
from .more_calls import one_more_call
from .other_calls import call_author
from .runs import AttackedRuns, failing_runs, policy_turns, successful_runs
from .selection import CHANNELS, MAIN_RUNG, Effect, apply, attack, denial, join, measure
from .steered import TRIED, Steered

__all__ = [
    "ADVERSARIES",
    "CHANNELS",
    "DRAWS",
    "MAIN_RUNG",
    "ON_EVERY_RUNG",
    "RUNGS",
    "STAGES",
    "TRIED",
    "ActiveTest",
    "AttackedRuns",
    "ContextPool",
    "DonorPool",
    "Effect",
    "Ladder",
    "Pool",
    "StagedPool",
    "Steered",
    "Target",
    "active_test",
    "apply",
    "attack",
    "call_author",
    "denial",
    "failing_runs",
    "few_turns",
    "join",
    "measure",
    "one_more_call",
    "policy_turns",
    "replace_few",
    "successful_runs",
]
