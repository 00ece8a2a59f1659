"""Donor pools and adversaries: how cheaply selection moves a score."""

from .active import ActiveTest, active_test
from .adversaries import ADVERSARIES, DRAWS, Adversary, Target
from .answers import Answer, Failure
from .black_box import GIVEN_UP, SPENT, Reward, name_of, signature, visible
from .by_query import DRAWS_BY_QUERY, Queried, attack_by_query
from .conversations import Conversation, conversation
from .donors import DonorPool
from .edits import EDITS, Edit
from .probes import REPEATS, Probed, Probes, probe
from .reward_paths import Paths, Ranks, ask_paths, score_paths
from .selection import CHANNELS, Effect, FailingRuns, apply, attack, failing_runs, join, policy_turns, pool_of

__all__ = [
    "ADVERSARIES",
    "CHANNELS",
    "DRAWS",
    "DRAWS_BY_QUERY",
    "EDITS",
    "GIVEN_UP",
    "REPEATS",
    "SPENT",
    "ActiveTest",
    "Adversary",
    "Answer",
    "Conversation",
    "DonorPool",
    "Edit",
    "Effect",
    "FailingRuns",
    "Failure",
    "Paths",
    "Probed",
    "Probes",
    "Queried",
    "Ranks",
    "Reward",
    "Target",
    "active_test",
    "apply",
    "ask_paths",
    "attack",
    "attack_by_query",
    "conversation",
    "failing_runs",
    "join",
    "name_of",
    "policy_turns",
    "pool_of",
    "probe",
    "score_paths",
    "signature",
    "visible",
]
