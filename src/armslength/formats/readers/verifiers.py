"""verifiers: ``results.jsonl`` (v0, a rollout a line) and ``traces.jsonl`` (v1, an episode a line).

Rewards are sums of weighted parts, so a reward is a label only if every reward of the file is 0 or 1; otherwise
``--success`` says what a success is. Rewards that a model judged have grade C.

Tests: ``tests/formats/readers/test_verifiers.py``. Reference: ``docs/reference/formats/verifiers.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from armslength.records import Trajectory

from ..findings import Findings
from ..labelled import ROLLOUT_KEYS, ROLLOUT_MARKS
from ..messages import MessageRules
from ..protocol import ReadOptions
from ..runs import to_trajectories
from ..storage.outline import Outline, outline
from ..storage.sources import Source
from .verifiers_episodes import episode_runs
from .verifiers_results import rollout_runs


class Verifiers:
    """Reader of results and traces of verifiers."""

    name = "verifiers"
    left_out = (
        "answers, task data and judges' replies",
        "advantages, token ids, masks and log probabilities",
        "paths of the message graph that were not chosen, and traces of agents that are not trained",
        "tool schemas and images",
        "token counts and times",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Rollouts with metrics beside the reward, or episodes with traces."""
        if head.why_not("env", "task", "ok", "traces") is None:
            return None
        if head.why_not("nodes", "nodes[].message", "agent", "task") is None:
            return None
        why = head.why_not(*ROLLOUT_KEYS)
        if why is None and not ROLLOUT_MARKS & head.keys:
            return f"no {', '.join(sorted(ROLLOUT_MARKS))}"
        return why

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rollouts or episodes as trajectories."""
        rules = MessageRules(source.name, findings, options.roles)
        episodes = {"traces", "nodes"} & outline(source.head()).keys
        runs = (episode_runs if episodes else rollout_runs)(source, rules)
        return to_trajectories(runs, options, findings)
