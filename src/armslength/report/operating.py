"""The operating point of every head, the strata of failures and the card of the label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from armslength.audit import Alert, Atom, Audit
from armslength.audit.model import Label

from . import words
from .numbers import DASH, Figure, clip, figure, is_measured, of, share

_MOST_STRATA = 30


class Entry(NamedTuple):
    """What a head has in one row: an estimate or plain words."""

    head: str
    figure: Figure | None
    text: str


class Measure(NamedTuple):
    """A row of the table of operating points."""

    name: str
    about: str
    entries: list[Entry]


class StratumLine(NamedTuple):
    """A kind of failure with its two figures."""

    name: str
    failures: str
    running: Figure
    end: Figure


class Card(NamedTuple):
    """Section 5 of the page."""

    strata: list[StratumLine]
    more_strata: int
    sources: list[str]
    grades: list[tuple[str, str]]
    declared: str
    do_nothing: Figure
    medians: list[str]


def operating(result: Audit) -> list[Measure]:
    """What section 4 shows.

    Args:
        result: the audit.

    Returns:
        One row a figure, the headline head first; empty where no head was fitted.
    """
    chosen = result.headline
    folds = result.settings.folds * result.settings.fold_seeds
    alerts = sorted(result.alerts, key=lambda row: row.head != chosen)
    if not alerts:
        return []

    def row(name: str, about: str, cell: Callable[[Alert], Figure | str]) -> Measure:
        cells = [(words.score(alert.head), cell(alert)) for alert in alerts]
        return Measure(
            name,
            about,
            [Entry(h, None, c) if isinstance(c, str) else Entry(h, c, "") for h, c in cells],
        )

    return [
        row("aimed at (α)", "false alarms per successful run", lambda a: share(a.alpha)),
        row("realised false alarms", "successful runs of the test folds that alert",
            lambda a: figure(a.realised, "successful runs", percent=True)),
        row("… against the aim", "", _against),
        row("… over the folds", "lowest to highest fold", _folds),
        row("alerts", "failing runs that alert at least once", lambda a: f"{a.alerts:,}"),
        row("caught", "share of the failures that alert", lambda a: figure(a.caught, "failing runs", percent=True)),
        row("raised before anything writable", "alerts that stand before the head reads any turn of the policy",
            lambda a: figure(a.before_anything_writable, "alerts", percent=True)),
        row("largest atom", "runs of a fold that share one value of the running alert",
            lambda a: _atom(a.largest_atom)),
        row("folds without a threshold", "too few successes to set one; nothing alerts there",
            lambda a: f"{a.folds_without_threshold} of {folds}"),
        row("penalties chosen", "λ, one a fold: the largest within one standard error of the best", _penalties),
    ]  # fmt: skip


def card(result: Audit) -> Card:
    """What section 5 shows.

    Args:
        result: the audit.

    Returns:
        Strata, the step limit first, the card of the label, and median numbers of decision points.
    """
    data = result.data
    strata = [
        StratumLine(
            clip(name, 80), of(s.failures, "failures"), figure(s.auc_r4, "runs"), figure(s.auc_r1, "runs")
        )
        for name, s in sorted(data.strata.items(), key=lambda item: (item[0] != "step limit", item[0]))
    ]
    sizes = {"success": data.measured - data.failures, "failure": data.failures}
    medians = [
        f"{clip(name, 40)} {DASH if m is None else f'{m:g}'} ({of(sizes.get(name, data.measured), 'runs')})"
        for name, m in sorted(data.median_points.items(), reverse=True)
    ]
    sources, grades = (list(filter(None, t.split(", "))) for t in (data.label.source, data.label.grade))
    return Card(
        strata[:_MOST_STRATA], max(0, len(strata) - _MOST_STRATA), [clip(s, 120) for s in sources],
        [(g, words.grade(g)) for g in grades], _declared(data.label), figure(data.label.do_nothing, "runs"), medians,
    )  # fmt: skip


def _declared(label: Label) -> str:
    """How many declared outcomes were overturned."""
    if not label.declared:
        return f"{DASH} no file declares an outcome"
    false_successes, false_failures = label.overturned
    if not any(label.overturned):
        return f"the same in all of {of(label.declared, 'runs')} that declare one"
    return (
        f"of {of(label.declared, 'runs')} that declare one, {false_successes:,} declared successes count as failures "
        f"here and {false_failures:,} declared failures as successes"
    )


def _against(alert: Alert) -> str:
    low, high = alert.realised.low, alert.realised.high
    if not is_measured(alert.realised) or low is None or high is None:
        return "not compared: no interval"
    if low > alert.alpha:
        return "higher than the aim"
    return "lower than the aim" if high < alert.alpha else "the interval holds the aim"


def _folds(alert: Alert) -> str:
    rates = [rate for rate in alert.realised_by_fold if rate is not None]
    if not rates:
        return "– no fold has a successful run"
    without = len(alert.realised_by_fold) - len(rates)
    missing = f"; {of(without, 'folds')} without a successful run" if without else ""
    return f"{share(min(rates))} to {share(max(rates))} over {of(len(rates), 'folds')}{missing}"


def _atom(atom: Atom | None) -> str:
    if atom is None:
        return "– no fold to look at"
    sides = f"{share(atom.successes)} of its successes, {share(atom.failures)} of its failures"
    if atom.above_threshold is None:
        return f"{share(atom.share)} of the fold ({sides}); its fold has no threshold to compare with"
    where = "above" if atom.above_threshold > 0 else "below"
    distance = f"{abs(atom.above_threshold):.2f} standard deviations {where} the threshold"
    return f"{share(atom.share)} of the fold ({sides}), {distance}"


def _penalties(alert: Alert) -> str:
    if not alert.penalties:
        return "– none was fitted"
    counts = sorted(Counter(alert.penalties).items())
    chosen = ", ".join(f"{penalty:g} in {of(count, 'folds')}" for penalty, count in counts)
    edge = f"the best was at the edge of the range in {alert.penalties_at_edge} of {len(alert.penalties)}"
    return f"{chosen}; {edge}"
