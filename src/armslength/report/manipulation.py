"""What can the policy do to it: how cheaply alerts are silenced, and what nothing could exceed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from armslength.attacks import DRAWS_BY_QUERY, ON_EVERY_RUNG, RUNGS
from armslength.audit import Attack, Audit, Ceiling, Estimate
from armslength.audit.reward_model import OWN_REWARD

from . import words
from .figures import Drawing, Entry, bars
from .numbers import Figure, clip, figure, is_measured, of, share
from .prediction import Cell, Line

_SUMMARY = ("random", "best-of-5", "pool-maximum")
#: A black box is attacked turn by turn; five donors are tried for each, as best of 5 does for a head.
_SHOWN_AS = {"greedy by query": "best-of-5"}
_TONES = {"hull": "ceiling", "sphere": "ceiling"}
_SAME = 1e-9


class AttackLine(NamedTuple):
    """An adversary with its six figures."""

    name: str
    figures: list[tuple[str, Figure]]


class CeilingLine(NamedTuple):
    """A ceiling with its two figures."""

    name: str
    removed: Figure
    z_drop: Figure


class Summary(NamedTuple):
    """A line of the table at the top: the certificate, or the figures under their headings."""

    head: str
    channel: str
    certificate: str
    cells: list[tuple[str, Figure | None]]


class Channel(NamedTuple):
    """Everything about one head on one channel that it reads."""

    head: str
    channel: str
    alerts: str
    draws: int
    drawings: list[Drawing]
    unmeasured: str
    says: list[str]
    pools: str
    attacks: list[AttackLine]
    ladder: list[AttackLine]
    denial: str
    ceilings: list[CeilingLine]


class Manipulation(NamedTuple):
    """Section 3 of the page."""

    summary: list[Summary]
    channels: list[Channel]
    no_attack: str
    steering: list[Line]
    kept: str


def manipulation(result: Audit) -> Manipulation:
    """What section 3 shows.

    Args:
        result: the audit.

    Returns:
        Summary, channels in detail, and what was not measured.
    """
    chosen = result.headline
    pairs = dict.fromkeys(
        [*((c.head, c.writable) for c in result.ceilings), *((a.head, a.writable) for a in result.attacks)]
    )
    summary, channels = [], []
    for head, writable in sorted(pairs, key=lambda pair: (pair[0] != chosen, pair[0])):
        found = _Found(result, head, writable)
        certificate = found.certificate()
        summary.append(Summary(words.score(head), words.channel(writable), certificate, found.summary()))
        if not certificate:
            channels.append(found.channel())
    no_attack = ""
    if pairs and all(attack.head == OWN_REWARD for attack in result.attacks):
        failed = any(c.name == "active test" and not c.passed for c in result.controls)
        why = "the active test failed, so the attack cannot be trusted" if failed else "the result holds none"
        no_attack = f"No attack is printed: {why}. Ceilings do not depend on it."
    return Manipulation(summary, channels, no_attack, _steering(result), _kept(result))


def _steering(result: Audit) -> list[Line]:
    """A row for each head, the headline first; a column for each way, where every head has the same."""
    kinds = list(dict.fromkeys((row.kind, row.best_of) for row in result.steering))
    heads = list(dict.fromkeys(row.head for row in result.steering))
    found = {(row.head, row.kind, row.best_of): row.removed for row in result.steering}
    lines = []
    for head in sorted(heads, key=lambda name: name != result.headline):
        cells = [
            Cell(
                clip(f"{kind}, best of {best_of}" if best_of else kind, 80),
                _share(found.get((head, kind, best_of))),
            )
            for kind, best_of in kinds
        ]
        lines.append(Line(words.score(head), "", "headline" if head == result.headline else "head", cells))
    return lines


def _kept(result: Audit) -> str:
    """What replacing nothing did: it must do nothing."""
    figures = [e for a in result.attacks if a.adversary == "keep" for e in (a.removed, a.created, a.z_drop)]
    moved = [e for e in figures if is_measured(e) and abs(e.value or 0.0) > _SAME]
    if not figures:
        return ""
    if moved:
        return "Keeping every turn as it was moved a figure. It must not: believe none of these numbers."
    return "Keeping every turn as it was changed nothing, as it must."


class _Found:
    """The rows of one head on one channel."""

    def __init__(self, result: Audit, head: str, writable: str) -> None:
        self.result, self.head, self.writable = result, head, writable
        self.attacks: list[Attack] = [a for a in result.attacks if (a.head, a.writable) == (head, writable)]
        self.ceilings: list[Ceiling] = [
            c for c in result.ceilings if (c.head, c.writable) == (head, writable)
        ]

    def certificate(self) -> str:
        """The words of a zero by construction; empty where the head reads the channel or any figure disagrees."""
        if words.reads_channel(self.head, self.writable):
            return ""
        rows: Sequence[Attack | Ceiling] = [*self.attacks, *self.ceilings]
        shares = (
            [a.removed for a in self.attacks]
            + [a.created for a in self.attacks]
            + [c.value for c in self.ceilings]
        )
        moved = [
            e for e in [*shares, *(r.z_drop for r in rows)] if is_measured(e) and abs(e.value or 0.0) > _SAME
        ]
        refuted = any(c.name == "non-interference" and not c.passed for c in self.result.controls)
        if moved or (refuted and self.head == "strict"):
            return ""
        return f"0, by construction: it reads no turn of {'these roles' if self.writable == 'both' else 'this role'}."

    def summary(self) -> list[tuple[str, Figure | None]]:
        """The figures at the top."""
        removed = {_SHOWN_AS.get(a.adversary, a.adversary): a.removed for a in self.attacks}
        cells = [("raised before it could write", self._before())]
        cells += [(words.adversary(name), _share(removed.get(name))) for name in _SUMMARY]
        sphere = next((c.value for c in self.ceilings if c.kind == "sphere"), None)
        return [*cells, ("any text at all, at most", _share(sphere))]

    def channel(self) -> Channel:
        """The details."""
        removed = self._bracket("share")
        drops = self._bracket("drop")
        measured = [e for e in removed if is_measured(e.estimate)]
        drawings = [bars("Share of alerts removed", removed, percent=True)] if measured else []
        if any(is_measured(e.estimate) for e in drops):
            drawings.append(bars("Drop of z, in standard deviations", drops, percent=False))
        if self._reads_part_of_both():
            drawings = []
        found = figure(removed[0].estimate, "alerts", percent=True) if removed and not measured else None
        reason = f"{of(removed[0].estimate.n, 'alerts')}: {found.reason}" if found else ""
        draws = DRAWS_BY_QUERY if self.head == OWN_REWARD else self.result.settings.draws
        return Channel(
            words.score(self.head), words.channel(self.writable), self._alerts(), draws, drawings, reason, self._says(),
            self._pools(),
            [self._line(a) for a in self.attacks if a.adversary != "keep"],
            self._ladder(),
            self._denial(),
            [self._ceiling_line(c) for c in self.ceilings],
        )  # fmt: skip

    def _alerts(self) -> str:
        sizes = [figure(e.estimate, "alerts").size for e in self._bracket("share") if is_measured(e.estimate)]
        drops = [
            figure(e.estimate, "failing runs").size for e in self._bracket("drop") if is_measured(e.estimate)
        ]
        return "; ".join(dict.fromkeys([*sizes, *drops]))

    def _bracket(self, what: str) -> list[Entry]:
        def pick(row: Attack | Ceiling) -> Estimate:
            if what == "drop":
                return row.z_drop
            return row.removed if isinstance(row, Attack) else row.value

        names = {"random": "random (floor)", "pool-maximum": "pool (best donor)"}
        low = [Entry(names.get(a.adversary, words.adversary(a.adversary)), pick(a), "attack")
               for a in self.attacks if _SHOWN_AS.get(a.adversary, a.adversary) in _SUMMARY]  # fmt: skip
        return low + [
            Entry(words.ceiling(c.kind), pick(c), _TONES.get(c.kind, "ceiling")) for c in self.ceilings
        ]

    @staticmethod
    def _ceiling_line(row: Ceiling) -> CeilingLine:
        drop = figure(row.z_drop, "failing runs")
        return CeilingLine(words.ceiling(row.kind), figure(row.value, "alerts", percent=True), drop)

    @staticmethod
    def _line(attack: Attack) -> AttackLine:
        shares = [
            ("removed", figure(attack.removed, "alerts", percent=True)),
            ("created, per alert", figure(attack.created, "alerts", percent=True)),
            ("net", figure(attack.net, "alerts", percent=True)),
            (
                "removed, of those it could reach",
                figure(attack.removed_after_writable, "alerts", percent=True),
            ),
            (
                "created, of the silent failures",
                figure(attack.created_of_silent, "silent failures", percent=True),
            ),
            ("drop of z", figure(attack.z_drop, "failing runs")),
            ("score gain at the end", figure(attack.score_gain, "failing runs")),
            ("pairs of a task turned round", figure(attack.rank_flips, "pairs", percent=True)),
        ]
        return AttackLine(words.adversary(attack.adversary), shares)

    def _ladder(self) -> list[AttackLine]:
        """What is removed on each rung, from the loosest pool to the closest."""
        rows = [
            a
            for a in [*self.result.ladder, *self.attacks]
            if (a.head, a.writable) == (self.head, self.writable) and a.adversary in ON_EVERY_RUNG
        ]
        lines = []
        for rung in (rung for rung in RUNGS if any(a.pool == rung for a in rows)):
            found = {a.adversary: a.removed for a in rows if a.pool == rung}
            cells = [
                (words.adversary(name), figure(removed, "alerts", percent=True))
                for name, removed in found.items()
            ]
            lines.append(AttackLine(words.pool(rung), cells))
        return lines if len(lines) > 1 else []

    def _denial(self) -> str:
        """Whether good runs can be made to look bad."""
        rows = [d for d in self.result.denial if (d.head, d.writable) == (self.head, self.writable)]
        said = [f"{words.adversary(d.adversary)} {d.created.text()}" for d in rows if is_measured(d.created)]
        if not said:
            return ""
        of_these = of(rows[0].created.n, "successful runs without an alert")
        return f"The other direction: turns of failing runs make {of_these} alert: {words.join(said)}."

    def _pools(self) -> str:
        return words.join(
            [clip(words.pool(name), 80) for name in dict.fromkeys(a.pool for a in self.attacks)]
        )

    def _says(self) -> list[str]:
        """What the bracket says in words."""
        if not words.reads_channel(self.head, self.writable):
            return [
                f"The {words.score(self.head)} should read no turn of this kind, yet a figure or a control says that "
                "it does. Believe no zero here."
            ]
        if self._reads_part_of_both():
            return ["The head reads only one of the two, so every figure is as above."]
        sphere = next((c.value for c in self.ceilings if c.kind == "sphere"), None)
        if sphere is None or not is_measured(sphere):
            return []
        early = next(c.before_writable.value or 0.0 for c in self.ceilings)
        if abs((sphere.value or 0.0) - (1 - early)) > _SAME:
            return [
                f"No text whatever could silence more than {share(sphere.value)} of the {of(sphere.n, 'alerts')}."
            ]
        return [
            f"The ceiling is {share(sphere.value)}: exactly 1 minus the share of alerts raised before anything "
            f"writable ({share(early)} of {of(sphere.n, 'alerts')}). It says no more than that; how cheap the "
            "silencing is, the red bars and the drop of z say."
        ]

    def _reads_part_of_both(self) -> bool:
        single = [words.reads_channel(self.head, name) for name in ("assistant", "tool_call")]
        return self.writable == "both" and sum(single) == 1

    def _before(self) -> Figure | None:
        """Share of alerts raised before a turn of this channel."""
        return _share(next((c.before_writable for c in self.ceilings), None))


def _share(estimate: Estimate | None) -> Figure | None:
    return figure(estimate, "alerts", percent=True) if estimate else None
