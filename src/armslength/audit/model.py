"""The result of an audit: what `audit.json` holds, schema ``armslength/audit/v1`` (DESIGN 9).

The structs are the schema: `schema()` derives the JSON Schema from them. Unmeasured is a value of its own: ``value`` is
null and ``reason`` says why; it is never 0 and never NaN.
"""

from __future__ import annotations

from typing import Any

import msgspec

from .estimate import Estimate as Estimate  # noqa: PLC0414 - imported from here everywhere
from .reward_model import OWN_REWARD, OwnReward
from .run_model import Example, RunRow

SCHEMA = "armslength/audit/v1"

#: Adversaries that choose among five donors for each turn: at once for a head, turn by turn for a black box.
BEST_OF_5 = ("best-of-5", "greedy by query")


class Stratum(msgspec.Struct, frozen=True):
    """A kind of failure, shown apart: its runs against all successes."""

    failures: int
    auc_r1: Estimate
    auc_r4: Estimate


class Label(msgspec.Struct, frozen=True):
    """Where the outcomes come from.

    Attributes:
        source, grade: of the outcomes; several are joined by commas, none is the empty text.
        declared: measured runs whose file declares an outcome.
        overturned: of those, the declared successes that count as failures here, and the other way round.
    """

    source: str
    grade: str
    do_nothing: Estimate
    declared: int = 0
    overturned: tuple[int, int] = (0, 0)


class Data(msgspec.Struct, frozen=True):
    """What was measured and what was left out."""

    trajectories: int
    measured: int
    groups: int
    failures: int
    policies: int
    decision_points: int
    median_points: dict[str, float | None]
    excluded: dict[str, int]
    duplicates: list[tuple[str, str]]
    unknown_writer_turns: int
    strata: dict[str, Stratum]
    label: Label


class Score(msgspec.Struct, frozen=True):
    """How a head predicts at one read."""

    head: str
    authorship: str
    degrees: list[int]
    encoder: str
    read: str
    auc: Estimate
    auc_within_task: Estimate
    pairs_within_task: int
    spread_over_seeds: tuple[float, float] | None


class Rival(msgspec.Struct, frozen=True):
    """A simpler score at one read; `difference` is headline head minus rival, `differences` of every head."""

    name: str
    read: str
    auc: Estimate
    auc_within_task: Estimate
    difference: Estimate
    difference_within_task: Estimate
    differences: dict[str, Estimate]


class Variant(msgspec.Struct, frozen=True):
    """The headline head made otherwise, at one read.

    Attributes:
        left_out: what the folds hold out as a whole: ``groups``, or ``policies``.
        difference: AUC of the variant minus that of the head.
    """

    name: str
    head: str
    degrees: list[int]
    encoder: str
    left_out: str
    read: str
    auc: Estimate
    auc_within_task: Estimate
    difference: Estimate


class Landmark(msgspec.Struct, frozen=True):
    """How a head predicts at one decision point, among the runs that have it.

    Attributes:
        read: ``R3@k``, the k-th point; ``R1-r``, the point r before the last.
        at_risk, failures: runs that have the point, and those of them that failed.
        base_rate: share of failures among them.
        auc: of the head among them.
    """

    head: str
    read: str
    at_risk: int
    failures: int
    base_rate: Estimate
    auc: Estimate


class Aggregation(msgspec.Struct, frozen=True):
    """AUC of a head whose scores along a run are made one number in some way.

    Attributes:
        kind: ``last`` (R1), ``mean``, ``min``, ``max`` (R4), ``sum``, ``potential difference`` (last minus first).
    """

    head: str
    kind: str
    auc: Estimate
    auc_within_task: Estimate
    pairs_within_task: int


class Atom(msgspec.Struct, frozen=True):
    """The most frequent value of R4 inside a fold.

    Attributes:
        share, successes, failures: share of the fold's runs, successes and failures that have it.
        above_threshold: its distance to τ, in standard deviations of the fold's R4; None without a τ.
    """

    share: float
    successes: float | None
    failures: float | None
    above_threshold: float | None


class Alert(msgspec.Struct, frozen=True):
    """An operating point and what alerts at it."""

    head: str
    degrees: list[int]
    read: str
    alpha: float
    realised: Estimate
    realised_by_fold: list[float | None]
    largest_atom: Atom | None
    alerts: int
    caught: Estimate
    before_anything_writable: Estimate
    folds_without_threshold: int
    penalties: list[float]
    penalties_at_edge: int


class Attack(msgspec.Struct, frozen=True):
    """What one adversary achieves on one channel.

    Attributes:
        removed: share of alerts that disappear.
        created: alerts that appear among silent failures, divided by the alerts before.
        created_of_silent: the same, divided by the silent failures.
        net: removed minus created.
        removed_after_writable: removed among alerts that were raised after a writable turn.
        z_drop: fall of z at points with a writable turn, in standard deviations of the fold's R4.
        score_gain: fall of the risk at the end, over all failing runs: what the reward rises by.
        rank_flips: share of the pairs of one task in which the failing run stood below the successful one at the end
            and no longer does: what a group-relative trainer would climb.
    """

    head: str
    degrees: list[int]
    read: str
    writable: str
    adversary: str
    pool: str
    removed: Estimate
    created: Estimate
    created_of_silent: Estimate
    net: Estimate
    removed_after_writable: Estimate
    z_drop: Estimate
    score_gain: Estimate
    rank_flips: Estimate


class Denial(msgspec.Struct, frozen=True):
    """What turns of failing runs do to successful ones: false alarms made on purpose.

    Attributes:
        created: share of the successful runs without an alert that get one.
    """

    head: str
    writable: str
    adversary: str
    pool: str
    created: Estimate


class Ceiling(msgspec.Struct, frozen=True):
    """What no selection (hull) or no text whatever (sphere) could exceed.

    Attributes:
        value: share of alerts that could vanish at most; 0 with a reason where the head reads no turn of the channel.
        before_writable: share of alerts raised before any turn of the channel: no writer can reach those.
        z_drop: fall of z at points with a writable turn, in standard deviations of the fold's R4.
    """

    head: str
    degrees: list[int]
    writable: str
    kind: str
    value: Estimate
    before_writable: Estimate
    z_drop: Estimate


class Steering(msgspec.Struct, frozen=True):
    """What a policy achieves by bringing about other evidence, or less of it, instead of writing.

    Attributes:
        kind: ``stop control``, an earlier end.
        best_of: how many ways were tried; None where there is nothing to choose among.
    """

    head: str
    read: str
    kind: str
    best_of: int | None
    removed: Estimate


class Control(msgspec.Struct, frozen=True):
    """A check that the audit makes of itself."""

    name: str
    passed: bool
    estimate: Estimate | None
    detail: str


class Leak(msgspec.Struct, frozen=True):
    """AUC of the all-role head at R1 with terminal turns left in, beside the honest one."""

    with_terminal: Estimate
    without_terminal: Estimate


class Verdict(msgspec.Struct, frozen=True):
    """The word, the sentence, and the figures that the sentence rests on."""

    word: str
    sentence: str
    numbers: dict[str, Estimate]
    missing: list[str]
    unbeaten: list[str]


class Settings(msgspec.Struct, frozen=True):
    """Everything that was chosen."""

    authorship: str
    alpha: float
    folds: int
    inner_folds: int
    fold_seeds: int
    resamples: int
    draws: int
    end: str
    encoder: str


class Provenance(msgspec.Struct, frozen=True):
    """What it takes to make the same figures again."""

    command: str
    versions: dict[str, str]
    digests: dict[str, str]
    seed: int
    commit: str | None


class Audit(msgspec.Struct, frozen=True):
    """The result of `armslength.audit`."""

    schema: str
    verdict: Verdict
    verdicts: dict[str, str]
    data: Data
    scores: list[Score]
    rivals: list[Rival]
    explanations: list[Rival]
    variants: list[Variant]
    landmarks: list[Landmark]
    aggregations: list[Aggregation]
    alerts: list[Alert]
    attacks: list[Attack]
    ladder: list[Attack]
    denial: list[Denial]
    steering: list[Steering]
    ceilings: list[Ceiling]
    controls: list[Control]
    leak: Leak | None
    examples: list[Example]
    runs: list[RunRow]
    settings: Settings
    provenance: Provenance
    reward: OwnReward | None = None

    @property
    def headline(self) -> str:
        """The score that the verdict is about: the user's reward, or the head that was chosen."""
        return self.settings.authorship if self.reward is None else OWN_REWARD

    def to_json(self) -> bytes:
        """The bytes of `audit.json`: sorted keys where order carries no meaning, no NaN, no clock."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"


def schema() -> dict[str, Any]:
    """JSON Schema of `audit.json`."""
    return msgspec.json.schema(Audit)
