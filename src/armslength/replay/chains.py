"""References as integers: one code for each text, one array for each field, and what each belief leads to.

Joining a hundred thousand rows by dictionary look-ups costs most in walking over the rows again and again. Here every
reference is coded once; the checks then compare arrays and look at single rows only where something is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain, count
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .rows import (
    LAYOUTS,
    BeliefRow,
    ColdReplayRow,
    Document,
    EpisodeRow,
    FeedbackRow,
    RewardRow,
    TrajectoryRow,
    joined_rows,
)

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class Indexes:
    """The rows of a folder, joined; of two rows with one id the later counts (strictly, such rows are refused).

    Attributes:
        rows: file → its rows as `joined_rows` gives them, in file order.
        size: number of distinct texts among references; code 0 is the empty text, which leads nowhere.
        codes: (file, field) → code of each row, one element longer than the file so that row −1 has code 0.
        items: (file, field) → (row, code) of each item of a list of references.
        row_of: file → code → the last row with this id, −1 where there is none.
        process: code of a belief id → the last process reward for it, else −1.
        replayed: code of a trajectory id → the last cold replay of it, else −1.
        episode, feedback, reward, trajectory, outcome, replay: per belief, the row that it leads to, else −1.
    """

    def __init__(self, documents: dict[str, Document]) -> None:
        self.rows: dict[str, list[Any]] = {name: joined_rows(documents[name]) for name in LAYOUTS}
        code: defaultdict[str, int] = defaultdict(count().__next__)
        code[""]
        self.codes: dict[tuple[str, str], IntArray] = {}
        self.items: dict[tuple[str, str], tuple[IntArray, IntArray]] = {}
        for name, layout in LAYOUTS.items():
            for field in layout.refs:
                self.codes[name, field] = _coded(chain(self._column(documents[name], field), ("",)), code)
            for field in layout.lists:
                lists = self._column(documents[name], field)
                owners = np.repeat(np.arange(len(lists)), list(map(len, lists)))
                self.items[name, field] = (owners, _coded(chain.from_iterable(lists), code))
        self._code, self.size = dict(code), len(code)
        self.row_of = {name: self._last_row(name, layout.id_field) for name, layout in LAYOUTS.items()}
        kinds = [row.reward_kind == "process" for row in self.rows["reward_events.json"]]
        self.process = self._last_row("reward_events.json", "belief_state_id", np.array(kinds, bool))
        self.replayed = self._last_row("cold_replay.json", "trajectory_group_id")
        belief = "belief_states.json"
        self.episode = self.row_of["task_episodes.json"][self.codes[belief, "episode_id"][:-1]]
        self.feedback = self.row_of["verifier_feedback.json"][self.codes[belief, "feedback_ref"][:-1]]
        self.reward = self.process[self.codes[belief, "belief_state_id"][:-1]]
        trajectories = self.codes[belief, "trajectory_group_id"][:-1]
        self.trajectory = self.row_of["trajectory_groups.json"][trajectories]
        outcomes = self.codes["trajectory_groups.json", "outcome_reward_ref"][self.trajectory]
        self.outcome = self.row_of["reward_events.json"][outcomes]
        self.replay = self.replayed[trajectories]

    def listed(self, field: str, trajectories: IntArray, codes: IntArray) -> BoolArray:
        """Whether each trajectory row lists each code under a field; no row lists nothing."""
        owners, items = self.items["trajectory_groups.json", field]
        found = np.isin(trajectories * self.size + codes, owners * self.size + items)
        return found & (trajectories >= 0)

    @cached_property
    def episodes(self) -> dict[str, EpisodeRow]:
        """Episode id → row."""
        return self._table("task_episodes.json")

    @cached_property
    def beliefs(self) -> dict[str, BeliefRow]:
        """Belief id → row."""
        return self._table("belief_states.json")

    @cached_property
    def feedback_rows(self) -> dict[str, FeedbackRow]:
        """Feedback id → row."""
        return self._table("verifier_feedback.json")

    @cached_property
    def rewards(self) -> dict[str, RewardRow]:
        """Reward id → row."""
        return self._table("reward_events.json")

    @cached_property
    def trajectories(self) -> dict[str, TrajectoryRow]:
        """Trajectory id → row."""
        return self._table("trajectory_groups.json")

    @cached_property
    def process_of_belief(self) -> dict[str, RewardRow]:
        """Belief id → its process reward."""
        process = [row for row in self.rows["reward_events.json"] if row.reward_kind == "process"]
        return {row.belief_state_id: row for row in process if row.belief_state_id}

    @cached_property
    def replay_of_trajectory(self) -> dict[str, ColdReplayRow]:
        """Trajectory id → its cold replay."""
        rows = self.rows["cold_replay.json"]
        return {row.trajectory_group_id: row for row in rows if row.trajectory_group_id}

    def texts(self, file: str, field: str, rows: IntArray) -> list[str]:
        """A field of the rows at these positions; empty for row −1."""
        column = [*map(attrgetter(field), self.rows[file]), ""]
        return [column[row] for row in rows.tolist()]

    def known(self, texts: Iterable[str]) -> bool:
        """Whether any of these texts is an id of a row, or a reference to one."""
        return not self._code.keys().isdisjoint(texts)

    def _column(self, document: Document, field: str) -> list[Any]:
        rows = self.rows[document.name]
        return document.column(field) if rows is document.rows else column(rows, field)

    def _table(self, name: str) -> dict[str, Any]:
        key = attrgetter(LAYOUTS[name].id_field)
        return {value: row for row in self.rows[name] if (value := key(row))}

    def _last_row(self, name: str, field: str, where: BoolArray | None = None) -> IntArray:
        found = np.full(self.size, -1, np.int64)
        rows = np.arange(len(self.rows[name])) if where is None else np.flatnonzero(where)
        found[self.codes[name, field][rows]] = rows  # of equal codes numpy keeps the last
        found[0] = -1
        return found


def raised(masks: dict[str, BoolArray]) -> list[tuple[int, list[str]]]:
    """Rows with the names of the masks that hold there, in row order; names in the order given."""
    if not masks:
        return []
    rows = np.flatnonzero(np.logical_or.reduce(list(masks.values())))
    return [(row, [name for name, mask in masks.items() if mask[row]]) for row in rows.tolist()]


def column(rows: Sequence[Any], field: str) -> list[Any]:
    """One field of all rows."""
    return list(map(attrgetter(field), rows))


def _coded(texts: Iterable[str], code: defaultdict[str, int]) -> IntArray:
    return np.fromiter(map(code.__getitem__, texts), np.int64)
