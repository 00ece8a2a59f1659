"""What a policy could do to each head: by what it writes, by the evidence that it brings about, and what none could.

Tests: ``tests/audit/test_manipulation.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from armslength.attacks import CHANNELS, MAIN_RUNG, attack, call_author, denial, one_more_call
from armslength.certificates import ceilings
from armslength.encoders import Vectors
from armslength.heads import OutOfFold
from armslength.records import Authorship

from .manipulation_rows import attack_row, ceiling_row, denial_row, over_seeds
from .model import Attack, Ceiling, Denial, Steering
from .resamples import Resamples
from .steering_rows import call_rows, stop_control


class Manipulation(NamedTuple):
    """The rows of all heads, by the names that `Audit` has for them."""

    attacks: list[Attack]
    ladder: list[Attack]
    denial: list[Denial]
    steering: list[Steering]
    ceilings: list[Ceiling]


def manipulate(
    resamples: Resamples,
    vectors: Vectors,
    heads: Mapping[Authorship, Sequence[OutOfFold]],
    *,
    seed: int,
    printed: bool,
    progress: Callable[[str], None],
) -> Manipulation:
    """Attack, steer and certify every head on every channel.

    Args:
        resamples: of the measured trajectories.
        vectors: shape (texts, d), integer unit vectors.
        heads: their scores, one for each fold seed.
        seed: of the random donors; the next ones for further fold seeds.
        printed: whether the active test passed: no attack by writing is printed without it.
        progress: told what is being done.
    """
    done = Manipulation([], [], [], [], [])
    channels, corpus = tuple(CHANNELS), resamples.corpus
    for name, runs in heads.items():
        seeds = [(run, seed + index) for index, run in enumerate(runs)]
        if printed:
            progress(f"attacking the {name} head")
            for effect in over_seeds(
                [attack(corpus, vectors, run, channels=channels, seed=one) for run, one in seeds]
            ):
                rows = done.attacks if effect.pool == MAIN_RUNG else done.ladder
                rows.append(attack_row(resamples, name, effect, len(runs)))
            for effect in over_seeds(
                [denial(corpus, vectors, run, channels=channels, seed=one) for run, one in seeds]
            ):
                done.denial.append(denial_row(resamples, name, effect, len(runs)))
        for effect in over_seeds([ceilings(corpus, vectors, run, channels=channels) for run in runs]):
            done.ceilings.append(ceiling_row(resamples, name, effect, len(runs)))
        progress(f"steering the evidence of the {name} head")
        for kind, steer in (("one more call", one_more_call), ("call author", call_author)):
            steered = [steer(corpus, vectors, run, seed=one) for run, one in seeds]
            done.steering.extend(call_rows(resamples, name, kind, steered))
        done.steering.append(stop_control(resamples, name, runs))
    return done
