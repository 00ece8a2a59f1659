"""The chains of a replay as a page draws them: boxes and links, each with what is wrong with it.

Steps of one episode and one trajectory end in the same trajectory, outcome and cold replay, which are drawn once.
Nothing is built for a step that is not drawn.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from armslength.replay.chains import Indexes
from armslength.replay.result import Result
from armslength.replay.rows import BeliefRow, RewardRow, label, shown_value, strings, text
from armslength.replay.table_rows import StepOut
from armslength.replay.tables import step_rows

from .numbers import of
from .replay_blocks import Blocks, Reason
from .replay_boxes import Box, Episode, Group, Step
from .replay_words import CLEAR, TRAPS
from .words import join

_STEPS, _ALL_STEPS = 8, 120  # drawn of one episode, and on one page
_FACTS, _ITEMS = {"known_facts": "known", "uncertainties": "open", "candidate_next_actions": "may do next"}, 8
_VALUES = {
    "value_recomputed": "recomputed",
    "value_not_recomputed": "not recomputed",
    "value_differs": "formula gives another",
}
_PARTS = ("belief", "episode", "feedback", "reward", "trajectory", "outcome", "cold replay")
_TAIL = ("outcome", "cold replay")


def refused_steps(result: Result, found: Blocks) -> list[bool]:
    """Per belief, whether a row of its chain is blocked or the chain does not close.

    Args:
        result: what the replay found.
        found: what blocks.
    """
    indexes, blocked = result.indexes, found.by_row
    beliefs = result.joined("belief_states.json")
    if indexes is None or not blocked:
        return [False] * len(beliefs)
    return [any(id(row) in blocked for row in _chain(belief, indexes)) for belief in beliefs]


def episodes(result: Result, found: Blocks, refused: list[bool], limit: int) -> tuple[list[Episode], int]:
    """The episodes to draw, blocked ones first, and how many are left out.

    Args:
        result: what the replay found.
        found: what blocks.
        refused: `refused_steps` of it.
        limit: episodes to draw at most; a page of many long ones is cut earlier.
    """
    indexes = result.indexes
    if indexes is None:
        return [], 0
    total: dict[str, int] = dict.fromkeys(indexes.episodes, 0)
    bad: dict[str, int] = {key: 0 for key, row in indexes.episodes.items() if id(row) in found.by_row}
    beliefs = result.joined("belief_states.json")
    for belief, against in zip(beliefs, refused, strict=True):
        key = text(belief.episode_id)
        total[key] = total.get(key, 0) + 1
        if against:
            bad[key] = bad.get(key, 0) + 1
    ordered = [*bad, *(key for key in total if key not in bad)]
    drawn = _affordable(ordered, total, max(0, limit))
    at: dict[str, list[int]] = {key: [] for key in drawn}
    for index, belief in enumerate(beliefs):
        if (key := text(belief.episode_id)) in at:
            at[key].append(index)
    for key, indices in at.items():
        at[key] = sorted(sorted(indices, key=lambda index: not refused[index])[:_STEPS])
    drawer = _Drawer(result, indexes, found, refused, {index for listed in at.values() for index in listed})
    return [drawer.episode(key, at[key], total[key], bad.get(key, 0)) for key in drawn], len(total) - len(
        drawn
    )


def _affordable(ordered: list[str], total: dict[str, int], limit: int) -> list[str]:
    """As many episodes as one page can show the steps of."""
    drawn, steps = [], 0
    for key in ordered[:limit]:
        steps += min(total[key], _STEPS)
        if steps > _ALL_STEPS:
            break
        drawn.append(key)
    return drawn


def _chain(belief: BeliefRow, indexes: Indexes) -> Iterator[Struct | None]:
    """The rows of a belief's chain, in the order of `_PARTS`; None where one is not there."""
    trajectory_id = text(belief.trajectory_group_id)
    trajectory = indexes.trajectories.get(trajectory_id)
    yield belief
    yield indexes.episodes.get(text(belief.episode_id))
    yield indexes.feedback_rows.get(text(belief.feedback_ref))
    yield indexes.process_of_belief.get(text(belief.belief_state_id))
    yield trajectory
    yield indexes.rewards.get(text(trajectory.outcome_reward_ref)) if trajectory is not None else None
    yield indexes.replay_of_trajectory.get(trajectory_id)


class _Drawer:
    """Draws single steps; holds what is looked up for all of them."""

    def __init__(
        self, result: Result, indexes: Indexes, found: Blocks, refused: list[bool], drawn: set[int]
    ) -> None:
        self.result, self.indexes, self.found, self.refused = result, indexes, found, refused
        self.beliefs = result.joined("belief_states.json")
        self.steps = _steps(result, drawn)
        strict = result.strict
        rewards = result.joined("reward_events.json")
        self.values = dict(zip(map(id, rewards), strict.values.rewards, strict=True)) if strict else {}

    def episode(self, key: str, drawn: list[int], total: int, refused: int) -> Episode:
        row = self.indexes.episodes.get(key)
        wrong = self._against(row) if row is not None else ["the episode that these steps name is not there"]
        if row is not None and not total:
            wrong = wrong or ["no step belongs to this episode"]
        episode = Episode(key, label(row.task_type) if row is not None else "", refused, total, wrong)
        by_trajectory: defaultdict[str, list[int]] = defaultdict(list)
        for index in drawn:
            by_trajectory[text(self.beliefs[index].trajectory_group_id)].append(index)
        episode.groups = [self._group(name, indices) for name, indices in by_trajectory.items()]
        episode.left_out = total - len(drawn)
        return episode

    def _group(self, trajectory_id: str, drawn: list[int]) -> Group:
        """Three boxes a step, and the three that all steps of an episode share with their trajectory."""
        trajectory = self.indexes.trajectories.get(trajectory_id)
        ref = text(trajectory.outcome_reward_ref) if trajectory is not None else ""
        outcome = self.indexes.rewards.get(ref)
        replay = self.indexes.replay_of_trajectory.get(trajectory_id)
        broken = [spot for index in drawn for spot in self._broken(self.beliefs[index]) if spot[0] in _TAIL]
        links = {kind for kind, _ in broken}
        listed = of(len(strings(trajectory.process_reward_refs)), "rewards") if trajectory is not None else ""
        tail = [
            self._box("trajectory", trajectory, trajectory_id, f"lists {listed}"),
            self._box("outcome", outcome, ref, self._value(outcome), "outcome" in links),
            self._box(
                "cold replay", replay, text(replay.replay_id) if replay is not None else "",
                _plain(replay.status) if replay is not None else "", "cold replay" in links,
            ),
        ]  # fmt: skip
        wrong = [(f"link to {kind}", why) for kind, why in broken]
        for kind, row in (("trajectory", trajectory), ("outcome", outcome), ("cold replay", replay)):
            wrong += [(kind, why) for why in self._against(row)]
        return Group([self._step(index) for index in drawn], tail, list(dict.fromkeys(wrong)))

    def _step(self, index: int) -> Step:
        belief = self.beliefs[index]
        feedback_ref, key = text(belief.feedback_ref), text(belief.belief_state_id)
        feedback, reward = (
            self.indexes.feedback_rows.get(feedback_ref),
            self.indexes.process_of_belief.get(key),
        )
        broken = [spot for spot in self._broken(belief) if spot[0] not in _TAIL]
        links = {kind for kind, _ in broken}
        reliability = f"reliability {_plain(feedback.reliability_score)}" if feedback is not None else ""
        boxes = [
            self._box("belief", belief, key, f"discrepancy {_plain(belief.belief_discrepancy)}"),
            self._box("feedback", feedback, feedback_ref, reliability, "feedback" in links),
            self._box(
                "reward", reward, text(reward.reward_event_id) if reward is not None else "",
                self._value(reward), "reward" in links,
            ),
        ]  # fmt: skip
        wrong = [("belief" if kind == "belief" else f"link to {kind}", why) for kind, why in broken]
        for kind, row in (("belief", belief), ("feedback", feedback), ("reward", reward)):
            wrong += [(kind, why) for why in self._against(row)]
        trajectory_id = text(belief.trajectory_group_id)
        into = Box("trajectory", trajectory_id, "", "good", "trajectory" in links)
        out, refused = self.steps.get(index), self.refused[index]
        held = not refused and (bool(self.found.wide) or (out is not None and not out.admitted))
        if refused and not wrong:
            wrong = [("further on", f"see its {join(self._elsewhere(belief))}")]
        return Step(
            text(belief.step_id), refused, held, boxes, into, list(dict.fromkeys(wrong)), _facts(out), _traps(out)
        )  # fmt: skip

    def _elsewhere(self, belief: BeliefRow) -> list[str]:
        """Where a step that is clear itself has something against it."""
        kinds = [kind for kind, _ in self._broken(belief)]
        rows = zip(_PARTS, _chain(belief, self.indexes), strict=False)
        return list(
            dict.fromkeys([*kinds, *(kind for kind, row in rows if kind != "belief" and self._reasons(row))])
        )

    def _box(self, kind: str, row: Struct | None, key: str, figure: str, link: bool = False) -> Box:
        if row is None:
            return Box(kind, key, "not there", "gone", link)
        own = [reason for reason in self._reasons(row) if not reason.spots or "belief" in dict(reason.spots)]
        return Box(kind, key, figure, "bad" if own else "good", link)

    def _value(self, reward: RewardRow | None) -> str:
        if reward is None:
            return ""
        verdict = _VALUES.get(self.values.get(id(reward), ""), "not recomputed")
        return f"{_plain(reward.reward_value)} · {verdict}"

    def _broken(self, belief: BeliefRow) -> list[tuple[str, str]]:
        return [spot for reason in self._reasons(belief) for spot in reason.spots]

    def _against(self, row: Struct | None) -> list[str]:
        """What is against the row itself, in words; broken links of its chain are told apart."""
        found = [reason for reason in self._reasons(row) if not reason.spots]
        return [r.detail if r.code.endswith("_NOT_RECONSTRUCTED") and r.detail else r.words for r in found]

    def _reasons(self, row: Struct | None) -> list[Reason]:
        block = self.found.by_row.get(id(row)) if row is not None else None
        return block.reasons() if block is not None else []


def _steps(result: Result, drawn: set[int]) -> dict[int, StepOut]:
    """The step rows of the drawn beliefs; they come sorted by belief id, equal ids in file order."""
    found = step_rows(result) if drawn else []
    beliefs = result.joined("belief_states.json")
    order = (
        sorted(range(len(beliefs)), key=lambda index: text(beliefs[index].belief_state_id)) if found else []
    )
    return {index: row for index, row in zip(order, found, strict=True) if index in drawn}


def _facts(step: StepOut | None) -> list[tuple[str, list[str]]] | None:
    """The public facts of a belief; None where it has none to show."""
    summary = step.belief_summary if step is not None else None
    if not isinstance(summary, dict):
        return None
    lists = [(label, strings(summary.get(key))) for key, label in _FACTS.items()]
    cut = [(label, [*items[:_ITEMS], *_more(items)]) for label, items in lists if items]
    return cut or None


def _traps(step: StepOut | None) -> list[tuple[str, bool]]:
    if step is None:
        return []
    return [
        (CLEAR[case], False) if how == "clear" else (TRAPS[case], True) for case, how in step.traps.items()
    ]


def _more(items: list[str]) -> list[str]:
    return [f"and {len(items) - _ITEMS:,} more"] if len(items) > _ITEMS else []


def _plain(value: object) -> str:
    """A field's value in few characters."""
    shown = shown_value(value)
    if isinstance(shown, bool) or not isinstance(shown, int | float):
        return "none" if shown is None else str(shown).lower() if isinstance(shown, bool) else shown
    return f"{shown:.4g}" if abs(shown) < 1e9 and math.isfinite(shown) else text(shown) or "0"
