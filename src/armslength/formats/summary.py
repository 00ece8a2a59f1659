"""What is in an input, counted while it streams by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from armslength.records import Trajectory, turns_digest

_COUNTERS: Final = ("excluded", "unlabelled", "declared", "outcomes", "grades", "strata", "messages")


@dataclass
class Counts:
    """Counts of a set of trajectories; `Summary` has one in all, and one for each format and each file."""

    format: str = ""
    trajectories: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    unlabelled: Counter[str] = field(default_factory=Counter)
    declared: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    grades: Counter[str] = field(default_factory=Counter)
    strata: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    turns: int = 0
    tasks: set[str] = field(default_factory=set)
    task_ids: set[str] = field(default_factory=set)
    policies: set[str] = field(default_factory=set)

    def add(self, trajectory: Trajectory) -> None:
        """Count one trajectory."""
        origin, outcome = trajectory.origin, trajectory.outcome
        self.trajectories += 1
        self.turns += len(trajectory.turns)
        self.tasks.add(trajectory.task)
        self.policies.add(trajectory.policy)
        self.task_ids.add((origin and origin.task_id) or trajectory.task)
        if origin is not None:
            self.messages.update(origin.messages)
            if origin.declared is not None:
                self.declared["success" if origin.declared else "failure"] += 1
        if origin is not None and origin.excluded:
            self.excluded[origin.excluded] += 1
        elif outcome is None:
            self.unlabelled[(origin and origin.unlabelled) or "no outcome"] += 1
        else:
            self.outcomes["success" if outcome.success else "failure"] += 1
            self.grades[outcome.grade] += 1
            if outcome.stratum:
                self.strata[outcome.stratum] += 1

    @classmethod
    def merged(cls, parts: Sequence[Counts]) -> Counts:
        """The counts of all parts together; the format is that of the first."""
        made = cls(format=parts[0].format if parts else "")
        for part in parts:
            made.trajectories += part.trajectories
            made.turns += part.turns
            made.tasks |= part.tasks
            made.task_ids |= part.task_ids
            made.policies |= part.policies
            for name in _COUNTERS:
                getattr(made, name).update(getattr(part, name))
        return made

    def to_json(self) -> dict[str, object]:
        """The counts, in an order that does not depend on the input's."""
        made: dict[str, object] = {"format": self.format} if self.format else {}
        made |= {
            "trajectories": self.trajectories,
            "tasks": len(self.tasks),
            "task_ids": len(self.task_ids),
            "policies": sorted(self.policies),
            "turns": self.turns,
        }
        for name in _COUNTERS:
            made[name] = dict(sorted(getattr(self, name).items()))
        return made


class Summary:
    """What is in an input: format, writers, tasks, policies, labels, and what is missing.

    Attributes:
        total, formats, files: counts of all, by format, by file.
        roles, writers: turns by role and by writer.
        terminals: trajectories with a terminal turn.
        results, results_known, results_error: tool results, those whose error signal is known, those with an
            error.
        rewards: step rewards by the field that held them; those without a value apart, with the reason.
        duplicates: trajectories that repeat an earlier one turn by turn (trajectories without turns apart).
    """

    def __init__(self) -> None:
        self.total = Counts()
        self.formats: dict[str, Counts] = {}
        self.files: dict[str, Counts] = {}
        self.roles: Counter[str] = Counter()
        self.writers: Counter[str] = Counter()
        self.terminals = 0
        self.results = 0
        self.results_known = 0
        self.results_error = 0
        self.rewards: Counter[str] = Counter()
        self.duplicates = 0
        self._seen: set[bytes] = set()

    def add(self, trajectory: Trajectory, file: str, file_format: str) -> None:
        """Count one trajectory.

        Args:
            trajectory: as a format gave it.
            file: the file that it was read from.
            file_format: the format of that file; a converted run's own origin names the one before.
        """
        self.total.add(trajectory)
        self.formats.setdefault(file_format, Counts()).add(trajectory)
        self.files.setdefault(file, Counts(format=file_format)).add(trajectory)
        self.terminals += any(turn.role == "terminal" for turn in trajectory.turns)
        for turn in trajectory.turns:
            self.roles[turn.role] += 1
            self.writers[turn.writer] += 1
            if turn.role == "tool_result":
                self.results += 1
                self.results_known += turn.error is not None
                self.results_error += bool(turn.error)
        for reward in trajectory.rewards:
            source = reward.source if reward.step is not None else f"{reward.source} of no step"
            self.rewards[f"{source}: {reward.reason}" if reward.reason else source] += 1
        if trajectory.turns:
            digest = turns_digest(trajectory.turns)
            self.duplicates += digest in self._seen
            self._seen.add(digest)

    def to_json(self) -> dict[str, object]:
        """A mapping that JSON can write; shares that have nothing to share are null."""
        known = self.results_known
        return {
            **self.total.to_json(),
            "roles": dict(sorted(self.roles.items())),
            "writers": dict(sorted(self.writers.items())),
            "terminals": self.terminals,
            "tool_results": {
                "count": self.results,
                "known_share": known / self.results if self.results else None,
                "error_share": self.results_error / known if known else None,
            },
            "rewards": dict(sorted(self.rewards.items())),
            "duplicates": self.duplicates,
            "formats": {name: counts.to_json() for name, counts in sorted(self.formats.items())},
            "files": {name: counts.to_json() for name, counts in sorted(self.files.items())},
        }
