"""Attack by query: substitute the policy's turns in failing runs and ask the black box what it says (method 1.18).

- Donors are turns of the same role from successful training runs of other tasks; evidence, number and order stay.
- **random**: every writable turn becomes a random donor. **greedy**: turn by turn, the best of `DONORS` random donors
  or the turn itself, by the reward at the next decision point. A run without an alert is left as it is; how far the
  score falls is measured on the first `SAMPLE` runs of the plan, whether they alert or not.
- The plan is made before the first call: failing runs in random order, as many as the calls allow, each attacked on
  every channel or on none.

Tests: ``tests/attacks/test_by_query.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from armslength.heads import OutOfFold
from armslength.records import WRITABLE_ROLES, Corpus, Role, Trajectory, Turn

from .answers import Failure
from .black_box import Reward, visible
from .donors import DonorPool
from .edits import borrow
from .reward_paths import Paths, Ranks
from .runs import policy_turns
from .selection import CHANNELS, MAIN_RUNG, Effect

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: Random substitutions of a run, and donors that the greedy adversary tries for each turn.
DRAWS_BY_QUERY: Final = 2
DONORS: Final = 5

#: Failing runs, in random order, in which the greedy adversary shows how far the score falls.
SAMPLE: Final = 60

#: Name of the adversary in results; a head has a greedy one of its own, which sees it.
GREEDY: Final = "greedy by query"


class Queried(NamedTuple):
    """What the attacks found, and on how many of the failing runs they were tried."""

    effects: list[Effect]
    attacked: int
    failing: int


@dataclass
class _Victim:
    """A failing run under attack on one channel.

    Attributes:
        row: its row among the runs of the paths.
        sampled: whether the fall of its score is measured under the greedy adversary.
        run: what the reward sees of it.
        ends: turns in the prefix of each of its decision points.
        places: its writable turns that some decision point sees.
        z: its risks without attack.
        tau, spread: threshold of its fold, and standard deviation of R4 there.
        peers: risks at the end of the successful runs of its task that stand better there.
        donors: for each place, `DRAWS_BY_QUERY` + `DONORS` turns.
        turns: the turns as the greedy adversary has left them so far.
    """

    row: int
    sampled: bool
    run: Trajectory
    ends: Ints
    places: list[int]
    z: Floats = field(kw_only=True)
    tau: float = field(kw_only=True)
    spread: float = field(kw_only=True)
    peers: Floats = field(kw_only=True)
    donors: list[list[Turn]] = field(kw_only=True)
    turns: list[Turn] = field(init=False)

    def __post_init__(self) -> None:
        self.turns = list(self.run.turns)

    @property
    def open(self) -> npt.NDArray[np.bool_]:
        """Points whose prefix holds a writable turn."""
        first = self.places[0] if self.places else len(self.run.turns)
        return self.ends > first

    @property
    def alerted(self) -> bool:
        """Whether it alerts without attack."""
        return bool(self.z.max() > self.tau)

    @property
    def cost(self) -> int:
        """Calls that the attacks on it take at most."""
        points = int(self.open.sum())
        greedy = len(self.places) * (DONORS + 1) + points if self.alerted or self.sampled else 0
        return DRAWS_BY_QUERY * points + greedy

    def prefixes(self, turns: Sequence[Turn]) -> list[Trajectory]:
        """What each open point sees of these turns."""
        return [_with_turns(self.run, turns[:end]) for end in self.ends[self.open]]

    def choices(self, step: int) -> list[Turn]:
        """What the greedy adversary may put in one place: what stands there, or a donor."""
        return [self.turns[self.places[step]], *self.donors[step][DRAWS_BY_QUERY:]]

    def prefix_with(self, step: int, choice: Turn) -> Trajectory:
        """What the next decision point sees with a choice in one place."""
        place = self.places[step]
        end = int(self.ends[np.searchsorted(self.ends, place, side="right")])
        return _with_turns(self.run, [*self.turns[:place], choice, *self.turns[place + 1 : end]])

    def overtaken(self, paths: Sequence[Floats]) -> float:
        """How many peers it overtakes at the end, mean over paths; a tie counts one half."""
        ends = np.array([path[-1] for path in paths])[:, None]
        return float(((ends < self.peers) + 0.5 * (ends == self.peers)).sum(1).mean())

    def drop(self, paths: Sequence[Floats]) -> float:
        """Mean fall of z at open points, in standard deviations of R4; NaN without a path or such a point."""
        if not paths or not self.open.any() or self.spread == 0:
            return float("nan")
        falls = [float((self.z - z)[self.open].mean()) for z in paths]
        return float(np.mean(falls)) / self.spread


def attack_by_query(
    paths: Paths, scores: OutOfFold, maps: Sequence[Ranks], reward: Reward, *, seed: int
) -> Queried:
    """Random and greedy substitution on every channel.

    Args:
        paths: what the reward says of the runs.
        scores: their risks, with thresholds.
        maps: from reward to risk, one a fold.
        reward: the black box; the attack takes what is left of its budget.
        seed: of the order of the runs and of the donors.

    Returns:
        One effect a channel and adversary; rows are runs of `paths.corpus`.
    """
    rng = np.random.default_rng([seed, 5])
    failing = rng.permutation(np.flatnonzero(paths.corpus.failed == 1))
    attack = _Attack(paths.corpus, scores, maps, reward)
    victims = {channel: attack.victims(failing, CHANNELS[channel], rng) for channel in CHANNELS}
    cost = [sum(found[row].cost for found in victims.values() if row in found) for row in failing]
    planned = failing[np.cumsum(np.array(cost, dtype=np.int64)) <= reward.left]
    effects = []
    for channel, found in victims.items():
        chosen = [found[row] for row in planned if row in found]
        drawn, led = attack.random(chosen), attack.greedy(chosen)
        effects.append(_effect(chosen, drawn, drawn, channel, "random"))
        alone = [path if victim.alerted else [victim.z] for victim, path in zip(chosen, led, strict=True)]
        falls = [path if victim.sampled else [] for victim, path in zip(chosen, led, strict=True)]
        effects.append(_effect(chosen, alone, falls, channel, GREEDY))
    return Queried(effects, len(planned), len(failing))


@dataclass(frozen=True)
class _Attack:
    """What the adversaries share."""

    corpus: Corpus
    scores: OutOfFold
    maps: Sequence[Ranks]
    reward: Reward

    def victims(self, rows: Ints, roles: Sequence[Role], rng: np.random.Generator) -> dict[int, _Victim]:
        """The runs that can be attacked through these roles: every writable turn of theirs has a donor."""
        corpus, taus = self.corpus, self.scores.thresholds()
        written = np.any([policy_turns(corpus, role) for role in roles], axis=0)
        found = {}
        for at, row in enumerate(map(int, rows)):
            start, points = corpus.offsets[row], slice(*corpus.points.offsets[row : row + 2])
            ends = corpus.points.end[points] - start
            places = [int(at) for at in np.flatnonzero(written[start : start + ends[-1]])]
            run, fold = visible(corpus.trajectories[row]), int(self.scores.fold[row])
            lent = self._lent([run.turns[at] for at in places], corpus.task.codes[row], fold, rng)
            if lent is not None:
                spread = self.scores.fits[fold].spread
                z, tau = self.scores.z[points], float(taus[row])
                found[row] = _Victim(
                    row, at < SAMPLE, run, ends, places,
                    z=z, tau=tau, spread=spread, peers=self._peers(row, float(z[-1])), donors=lent,
                )  # fmt: skip
        return found

    def random(self, victims: Sequence[_Victim]) -> list[list[Floats]]:
        """Paths in which every writable turn is a donor; a draw with an unmeasured point counts for nothing."""
        drawn = []
        for victim in victims:
            for draw in range(DRAWS_BY_QUERY):
                turns = list(victim.run.turns)
                for at, donors in zip(victim.places, victim.donors, strict=True):
                    turns[at] = donors[draw]
                drawn.append(turns)
        paths = self._paths([victim for victim in victims for _ in range(DRAWS_BY_QUERY)], drawn)
        groups = (paths[at : at + DRAWS_BY_QUERY] for at in range(0, len(paths), DRAWS_BY_QUERY))
        return [[path for path in group if path is not None] for group in groups]

    def greedy(self, victims: Sequence[_Victim]) -> list[list[Floats]]:
        """Paths chosen turn by turn, in step over all runs, so that calls go out in batches."""
        attacked = [victim for victim in victims if victim.alerted or victim.sampled]
        for step in range(max((len(victim.places) for victim in attacked), default=0)):
            at_step = [victim for victim in attacked if step < len(victim.places)]
            tried = [victim.choices(step) for victim in at_step]
            asked = [
                victim.prefix_with(step, choice)
                for victim, choices in zip(at_step, tried, strict=True)
                for choice in choices
            ]
            answers = iter(self.reward.ask(asked))
            for victim, choices in zip(at_step, tried, strict=True):
                values = [-np.inf if isinstance(a := next(answers), Failure) else a for _ in choices]
                # The first of equals is the turn itself.
                victim.turns[victim.places[step]] = choices[int(np.argmax(values))]
        paths = self._paths(attacked, [victim.turns for victim in attacked])
        found = {victim.row: path for victim, path in zip(attacked, paths, strict=True)}
        return [[path] if (path := found.get(victim.row)) is not None else [] for victim in victims]

    def _peers(self, row: int, end: float) -> Floats:
        """Risks at the end of the successful runs of the same task and fold that stand better than `end`."""
        corpus, fold = self.corpus, self.scores.fold
        same = (corpus.task.codes == corpus.task.codes[row]) & (fold == fold[row]) & (corpus.failed == 0)
        last: Floats = self.scores.z[corpus.points.offsets[1:] - 1][same]
        return last[last < end]

    @cached_property
    def _pools(self) -> list[dict[Role, tuple[list[Turn], Ints]]]:
        """Turns of successful training runs and their tasks, a fold and role each."""
        made = []
        for fit in self.scores.fits:
            good = fit.split.train[self.corpus.failed[fit.split.train] == 0]
            made.append({role: self._pool(good, role) for role in WRITABLE_ROLES})
        return made

    def _pool(self, rows: Ints, role: Role) -> tuple[list[Turn], Ints]:
        turns: list[Turn] = []
        tasks: list[int] = []
        for row in rows:
            mine = [t for t in self.corpus.trajectories[row].turns if (t.role, t.writer) == (role, "policy")]
            turns += mine
            tasks += [int(self.corpus.task.codes[row])] * len(mine)
        return turns, np.array(tasks, dtype=np.int64)

    def _lent(
        self, turns: Sequence[Turn], task: int, fold: int, rng: np.random.Generator
    ) -> list[list[Turn]] | None:
        """Random donors for each turn; None where one has none."""
        lent = []
        for turn in turns:
            donors, tasks = self._pools[fold][turn.role]
            pool = DonorPool(np.arange(len(donors)), tasks, np.array([task]))
            if not pool.serves():
                return None
            drawn = pool.draw(DRAWS_BY_QUERY + DONORS, rng)[0]
            lent.append([borrow(turn, donors[at]) for at in drawn])
        return lent

    def _paths(self, victims: Sequence[_Victim], turns: Sequence[Sequence[Turn]]) -> list[Floats | None]:
        """Risks of each victim at all its points with these turns; None where one is unmeasured."""
        asked = [victim.prefixes(made) for victim, made in zip(victims, turns, strict=True)]
        answers = iter(self.reward.ask([prefix for prefixes in asked for prefix in prefixes]))
        found: list[Floats | None] = []
        for victim, prefixes in zip(victims, asked, strict=True):
            values = [next(answers) for _ in prefixes]
            if any(isinstance(value, Failure) for value in values):
                found.append(None)
                continue
            z = victim.z.copy()
            z[victim.open] = self.maps[self.scores.fold[victim.row]](np.array(values, dtype=np.float64))
            found.append(z)
        return found


def _effect(
    victims: Sequence[_Victim],
    after: Sequence[Sequence[Floats]],
    falls: Sequence[Sequence[Floats]],
    channel: str,
    kind: str,
) -> Effect:
    """What became of the alerts, and of the scores; a run without any measured path is left out."""
    kept = [found for found in zip(victims, after, falls, strict=True) if found[1]]
    return Effect(
        channel, kind, MAIN_RUNG,
        rows=np.array([victim.row for victim, _, _ in kept], dtype=np.int64),
        before=np.array([victim.alerted for victim, _, _ in kept], dtype=bool),
        fixed=np.array([bool((v.z[~v.open] > v.tau).any()) for v, _, _ in kept], dtype=bool),
        after=np.array([np.mean([z.max() > v.tau for z in paths]) for v, paths, _ in kept], dtype=np.float64),
        drop=np.array([victim.drop(paths) for victim, _, paths in kept], dtype=np.float64),
        gain=np.array([np.mean([v.z[-1] - z[-1] for z in paths]) for v, paths, _ in kept], dtype=np.float64),
        pairs=np.array([len(victim.peers) for victim, _, _ in kept], dtype=np.int64),
        flipped=np.array([victim.overtaken(paths) for victim, paths, _ in kept], dtype=np.float64),
    )  # fmt: skip


def _with_turns(run: Trajectory, turns: Sequence[Turn]) -> Trajectory:
    return msgspec.structs.replace(run, turns=tuple(turns))
