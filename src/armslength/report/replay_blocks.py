"""What blocks a replay, one block a row or file, with the reasons in words and the field to look at.

Findings stand beside reasons of rows, and some of what blocks has no finding at all (in profile ``reference``); a
reader asks of each row what is wrong with it, wherever that was noted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

from armslength.replay.codes import in_words, where_to_look
from armslength.replay.findings import Finding
from armslength.replay.names import INPUT_NAMES, PASS
from armslength.replay.result import Result
from armslength.replay.rows import LAYOUTS, Document, RewardRow, text
from armslength.replay.scan import SENTINELS, ScanHit

from .replay_reasons import CHAIN, field_of

KINDS = {
    "task_episodes.json": "episode",
    "belief_states.json": "belief",
    "verifier_feedback.json": "feedback",
    "reward_events.json": "reward",
    "trajectory_groups.json": "trajectory",
    "cold_replay.json": "cold replay",
}
_HIT_CODES = frozenset({"SECRET_IN_INPUT", "SENTINEL_IN_INPUT"})
_KNOWN_TERMS = frozenset(term.term_id for term in SENTINELS)


class Reason(NamedTuple):
    """One reason: its code, the same in words, what was found, and where to look.

    Attributes:
        code: of the finding, or the reason code of a row.
        words: in plain words.
        detail: what was found there; may be empty.
        place: file and pointer.
        look: the field, where `place` does not name it; may be empty.
        spots: for a chain that does not close, (box that the broken link leads to, why).
    """

    code: str
    words: str
    detail: str
    place: str
    look: str
    spots: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Block:
    """A row or file with something against it.

    Attributes:
        kind: such as ``belief`` or ``file``.
        subject: its id or name.
        place: file and pointer of the row, or the file.
        found: findings and reason codes, as they came; `reasons` puts them into words.
    """

    kind: str
    subject: str
    place: str
    found: list[Finding | str | Reason] = field(default_factory=list)

    def reasons(self) -> list[Reason]:
        """All that was found, each thing once."""
        return list(dict.fromkeys(_reason(item, self.place) for item in self.found))


@dataclass(slots=True)
class Blocks:
    """All blocks.

    Attributes:
        wide: what concerns no single row and therefore every step.
        rows: per blocked row, in the order of the format's files.
        echoes: floors that only repeat that rows of their file are blocked.
        by_row: the blocks of `rows` by identity of the row.
    """

    wide: list[Block] = field(default_factory=list)
    rows: list[Block] = field(default_factory=list)
    echoes: list[Block] = field(default_factory=list)
    by_row: dict[int, Block] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Block]:
        """In the order in which to mend them."""
        return iter([*self.wide, *self.rows, *self.echoes])

    def causes(self) -> list[tuple[str, int]]:
        """The codes and reasons of blocked rows, each with how many rows it blocks; broken links, then the most."""
        count = Counter(
            code for block in self.rows for code in {c for item in block.found for c in _codes(item)}
        )
        return sorted(count.items(), key=lambda item: (item[0] not in CHAIN, -item[1], item[0]))

    def __len__(self) -> int:
        return len(self.wide) + len(self.rows) + len(self.echoes)


def blocks(result: Result) -> Blocks:
    """Group all that blocks by the row or file that it is about.

    Args:
        result: what the replay found.

    Returns:
        The blocks; none for a result that passed.
    """
    found, per_row = Blocks(), _Rows(result)
    wide = {(hit.path, "file"): Block("file", hit.path, hit.path) for hit in result.scan.hits if hit.blocking}
    for hit in result.scan.hits:
        if hit.blocking:
            wide[hit.path, "file"].found.append(_of_hit(hit))
    for finding in result.blocking:
        if finding.error_code in _HIT_CODES or per_row.take(finding):
            continue
        place = finding.place if isinstance(finding.place, str) else finding.subject_id
        if _echoes(finding, result):
            found.echoes.append(Block("file", place, place, [finding]))
            continue
        name, pointer, _ = place.partition("#")
        kind = "file" if finding.subject_kind == "input_file" else finding.subject_kind.replace("_", " ")
        subject = name if kind == "file" or pointer else finding.subject_id
        wide.setdefault((subject, kind), Block(kind, subject, place)).found.append(finding)
    per_row.take_reasons()
    found.wide = [*wide.values(), *_without_finding(result)]
    found.rows = [per_row.blocks[key] for key in sorted(per_row.blocks)]
    found.by_row = per_row.by_row()
    return found


class _Rows:
    """Collects blocks of rows by file and row; a folder may have hundreds of thousands of findings."""

    def __init__(self, result: Result) -> None:
        self.blocks: dict[tuple[int, int], Block] = {}
        self._result = result
        self._rows = [result.joined(name) for name in INPUT_NAMES]
        self._places: dict[str, dict[int, int]] = {}
        self._at: dict[tuple[str, str, str], Block | None] = {}

    def take(self, finding: Finding) -> bool:
        """Add a finding to its row; False if it is about none."""
        if not isinstance(finding.place, str):
            return False
        name, _, pointer = finding.place.partition("#")
        parts = pointer.split("/", 3)
        if len(parts) < 3:
            return False
        key = (name, parts[1], parts[2])
        if key not in self._at:
            self._at[key] = self._of(*key)
        block = self._at[key]
        if block is not None:
            block.found.append(finding)
        return block is not None

    def take_reasons(self) -> None:
        """Add the reason codes of rows; the checks of the format have one finding a file for them."""
        for name, check in self._result.checks.items():
            for index, reasons in enumerate(check.reasons or ()):
                if reasons:
                    self._block(name, index).found += reasons

    def by_row(self) -> dict[int, Block]:
        """The blocks by identity of their rows."""
        return {id(self._rows[file][index]): block for (file, index), block in self.blocks.items()}

    def _of(self, name: str, listed: str, position: str) -> Block | None:
        """The block of the row at a place; items that are no rows have none."""
        layout, document = LAYOUTS.get(name), self._result.documents.get(name)
        if layout is None or document is None or listed != layout.key or not position.isdecimal():
            return None
        index = self._index(document, int(position))
        return self._block(name, index) if index is not None else None

    def _block(self, name: str, index: int) -> Block:
        file = INPUT_NAMES.index(name)
        block = self.blocks.get((file, index))
        if block is None:
            row, document = self._rows[file][index], self._result.documents[name]
            subject = text(getattr(row, LAYOUTS[name].id_field)) or f"row {index}"
            block = self.blocks[file, index] = Block(_kind(name, row), subject, document.pointer(index))
        return block

    def _index(self, document: Document, position: int) -> int | None:
        if document.places is None:
            return position if position < len(document.rows) else None
        if document.name not in self._places:
            self._places[document.name] = {place: index for index, place in enumerate(document.places)}
        return self._places[document.name].get(position)


def _kind(name: str, row: Struct) -> str:
    stated = row.reward_kind if isinstance(row, RewardRow) else None
    return f"{stated} reward" if stated in ("process", "outcome") else KINDS[name]


def _echoes(finding: Finding, result: Result) -> bool:
    """Whether a floor is broken by rows that are blocked for reasons of their own."""
    check = result.checks.get(finding.place) if isinstance(finding.place, str) else None
    floor = finding.error_code.endswith("_FLOOR_MISSING")
    return floor and check is not None and any(check.reasons or ())


def _without_finding(result: Result) -> list[Block]:
    """What blocks in profile ``reference`` although nothing is written down about it."""
    if result.strict is not None or result.faults:
        return []
    found = []
    for case in result.negatives.missing if result.negatives is not None else ():
        reason = Reason("TRAP_NOT_FIRED", in_words("TRAP_NOT_FIRED"), "", f"{case}.json", "the planted case")
        found.append(Block("trap", case, f"{case}.json", [reason]))
    if result.trace.get("status", PASS) != PASS:
        code = result.trace["audit"]["findings"][0].error_code
        reason = Reason(code, "the public trace has findings of its own", "", "the public trace", "its audit")
        found.append(Block("trace", "the public trace", "the public trace", [reason]))
    if result.options.mode == "bundle" and result.modules.status != PASS and not result.modules.findings:
        code, place = "MODULE_MANIFEST_EMPTY", result.modules.shown
        reason = Reason(code, in_words(code), "", place, where_to_look(code))
        found.append(Block("file", place, place, [reason]))
    return found


def _of_hit(hit: ScanHit) -> Reason:
    code = "SECRET_IN_INPUT" if hit.forbidden_class == "secret" else "SENTINEL_IN_INPUT"
    return Reason(code, in_words(code), hit_in_words(hit), hit.path, "the line named")


def hit_in_words(hit: ScanHit) -> str:
    """The kind and the line of a hit, never the token: a policy may name a term by its token.

    Args:
        hit: what the scan found.
    """
    named = hit.forbidden_class == "secret" or hit.term_id in _KNOWN_TERMS
    kind = (hit.term_id if named else hit.forbidden_class).replace("_", " ")
    return f"{kind}, line {hit.line}" if isinstance(hit.line, int) else kind


def _codes(item: Finding | str | Reason) -> Iterable[str]:
    if isinstance(item, Finding):
        return item.reason_codes or (item.error_code,)  # UNSET is false
    return (item,) if isinstance(item, str) else (item.code,)


def _reason(item: Finding | str | Reason, place: str) -> Reason:
    if isinstance(item, Reason):
        return item
    if isinstance(item, str):
        return Reason(item, in_words(item), "", place, field_of(item))
    at = item.place if isinstance(item.place, str) else place
    listed = tuple(item.reason_codes or ())  # UNSET is false
    words = in_words(item.error_code)
    if not listed:
        names_field = at.count("/") > 2 or ("#" in at and not at.startswith(tuple(LAYOUTS)))
        return Reason(
            item.error_code,
            words,
            item.message if item.message != words else "",
            at,
            "" if names_field else where_to_look(item.error_code),
        )
    spots = tuple((CHAIN.get(reason, ("belief", ""))[0], in_words(reason)) for reason in listed)
    fields = dict.fromkeys(CHAIN[reason][1] for reason in listed if reason in CHAIN)
    why = "; ".join(dict.fromkeys(why for _, why in spots))
    return Reason(item.error_code, words, why, at, "; ".join(fields), spots)
