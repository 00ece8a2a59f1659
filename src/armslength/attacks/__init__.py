"""Donor pools and adversaries: how cheaply selection moves a score."""

from .active import ActiveTest, active_test
from .adversaries import ADVERSARIES, DRAWS, ON_EVERY_RUNG, Target
from .answers import Answer, Failure
from .black_box import GIVEN_UP, SPENT, Reward, name_of, signature, visible
from .by_query import DRAWS_BY_QUERY, GREEDY, Queried, attack_by_query
from .conversations import Conversation, conversation
from .donors import ContextPool, DonorPool, Pool, StagedPool
from .edits import EDITS, Edit
from .few_turns import replace_few
from .ladder import RUNGS, STAGES, Ladder
from .more_calls import one_more_call
from .other_calls import call_author
from .probes import REPEATS, Probed, Probes, probe
from .reward_paths import Paths, Ranks, ask_paths, score_paths
from .runs import AttackedRuns, failing_runs, policy_turns, successful_runs
from .selection import CHANNELS, MAIN_RUNG, Effect, apply, attack, denial, join
from .steered import TRIED, Steered

__all__ = [
    "ADVERSARIES",
    "CHANNELS",
    "DRAWS",
    "DRAWS_BY_QUERY",
    "EDITS",
    "GIVEN_UP",
    "GREEDY",
    "MAIN_RUNG",
    "ON_EVERY_RUNG",
    "REPEATS",
    "RUNGS",
    "SPENT",
    "STAGES",
    "TRIED",
    "ActiveTest",
    "Answer",
    "AttackedRuns",
    "ContextPool",
    "Conversation",
    "DonorPool",
    "Edit",
    "Effect",
    "Failure",
    "Ladder",
    "Paths",
    "Pool",
    "Probed",
    "Probes",
    "Queried",
    "Ranks",
    "Reward",
    "StagedPool",
    "Steered",
    "Target",
    "active_test",
    "apply",
    "ask_paths",
    "attack",
    "attack_by_query",
    "call_author",
    "conversation",
    "denial",
    "failing_runs",
    "join",
    "name_of",
    "one_more_call",
    "policy_turns",
    "probe",
    "replace_few",
    "score_paths",
    "signature",
    "successful_runs",
    "visible",
]
