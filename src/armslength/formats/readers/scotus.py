"""Oral arguments of the US Supreme Court, as spoken: one file a hearing, the case in a file beside it.

- The advocates of the first party are the policy; justices and the other side are evidence.
- Whose advocate a speaker is comes from the case's file, which also holds the label; no text of it is read.
- A speaker who is not named or whose side cannot be known is unknown.

Tests: ``tests/formats/readers/test_scotus.py``. Reference: ``docs/reference/formats/scotus.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from armslength.records import Role, Trajectory, Turn, Writer

from ..findings import Findings
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import read_document
from ..storage.sources import Source
from .scotus_case import (
    HEARING,
    Case,
    Person,
    Side,
    described_sides,
    label_of_case,
    read_case,
    sides_by_order,
)

_LABEL: Final = "first_party_wins"
#: The hearing's end is looked for in so many last turns.
_CLOSING: Final = 3
_WRITES: Final[dict[Side | None, tuple[Role, Writer]]] = {
    "first": ("assistant", "policy"),
    "second": ("user", "user"),
    "friend": ("user", "third_party"),
    None: ("unknown", "unknown"),
}


class _Office(msgspec.Struct, gc=False):
    type: Any = None


class _Speaker(Person, gc=False):
    roles: list[_Office | None] | None = None

    @property
    def is_justice(self) -> bool:
        return any(office is not None and office.type == "scotus_justice" for office in self.roles or [])


class _Block(msgspec.Struct, gc=False):
    text: Any = None


class _Spoken(msgspec.Struct, gc=False):
    speaker: _Speaker | None = None
    text_blocks: list[_Block | None] | None = None


class _Section(msgspec.Struct, gc=False):
    turns: list[_Spoken] | None = None


class _Transcript(msgspec.Struct, gc=False):
    sections: list[_Section] | None = None


class Hearing(msgspec.Struct):
    """The parts of a hearing that are read."""

    transcript: _Transcript | None = None


_DECODER = msgspec.json.Decoder(Hearing)


class _Sides(NamedTuple):
    """The sides of a hearing's advocates: those that the case's file names, and those that the order tells."""

    described: Mapping[str, Side]
    ordered: Mapping[str, Side]


class Scotus:
    """Reader of oral arguments."""

    name = "scotus"
    left_out = ("names of speakers", "times of turns", "votes", "the case's facts, question and conclusion")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Transcripts in sections, or the same file without a transcript."""
        if head.why_not("transcript", "media_file", "unavailable") is None:
            return None
        return head.why_not("transcript.sections[].turns[].text_blocks")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a hearing as one trajectory."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    hearing = read_document(source, _DECODER, findings)
    if hearing is None:
        return
    sections = hearing.transcript.sections if hearing.transcript else None
    spoken = [section.turns or [] for section in sections or []]
    yield _run(source, spoken, read_case(source, findings), findings)


def _run(source: Source, spoken: Sequence[list[_Spoken]], case: Case | None, findings: Findings) -> Run:
    sides = _sides(spoken, case)
    turns = [turn for section in spoken for turn in section]
    made = tuple(_turn(turn, step, sides) for step, turn in enumerate(turns))
    term, _, docket = HEARING.sub("", source.stem).partition(".")
    advocate = next(
        (turn.speaker.name for turn in turns if turn.speaker and _side(turn, sides) == "first"), None
    )
    _note_sides(turns, sides, source.name, findings)
    return Run(
        format=Scotus.name,
        at=source.name,
        id=source.label,
        task=HEARING.sub("", source.stem),
        policy="first party",
        turns=_with_end(made),
        messages=dict(Counter(_kind(turn.speaker) for turn in turns)),
        labels={_LABEL: label_of_case(case) if case else Label(None, "no case")},
        lookup=fields_of(
            {
                "term": term,
                "docket": docket,
                "first_party": case and case.first_party,
                "second_party": case and case.second_party,
                "advocate": advocate,
            }
        ),
        excluded=None if turns else "no transcript",
    )


def _sides(spoken: Sequence[list[_Spoken]], case: Case | None) -> _Sides:
    written = described_sides(case) if case else {}
    described: dict[str, Side] = {}
    leads: list[str | None] = []
    for section in spoken:
        words: Counter[str] = Counter()
        for turn in section:
            if turn.speaker is None or turn.speaker.is_justice or not turn.speaker.keys:
                continue
            name = turn.speaker.keys[0]
            words[name] += 1
            side = next((written[key] for key in turn.speaker.keys if key in written), None)
            if side is not None:
                described[name] = side
        leads.append(words.most_common(1)[0][0] if words else None)
    return _Sides(described, sides_by_order(leads, described))


def _side(turn: _Spoken, sides: _Sides) -> Side | None:
    if turn.speaker is None or turn.speaker.is_justice or not turn.speaker.keys:
        return None
    name = turn.speaker.keys[0]
    return sides.described.get(name) or sides.ordered.get(name)


def _turn(turn: _Spoken, step: int, sides: _Sides) -> Turn:
    texts = (block.text for block in turn.text_blocks or [] if block is not None)
    text = " ".join(part for part in texts if isinstance(part, str))
    if turn.speaker is None:
        return Turn("unknown", "unknown", text, step)
    kind = _kind(turn.speaker)
    if turn.speaker.is_justice:
        return Turn("user", "user", text, step, kind, writer_source="field")
    side = _side(turn, sides)
    role, writer = _WRITES[side]
    named = bool(turn.speaker.keys) and turn.speaker.keys[0] in sides.described
    return Turn(role, writer, text, step, kind, writer_source="field" if named else "role")


def _with_end(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The words by which a justice closes the hearing, and thanks after them, end it."""
    for back in range(1, min(_CLOSING, len(turns)) + 1):
        turn = turns[-back]
        if turn.name == "justice" and "submitted" in turn.text:
            end = [msgspec.structs.replace(turn, role="terminal") for turn in turns[-back:]]
            return (*turns[:-back], *end)
    return turns


def _note_sides(turns: Sequence[_Spoken], sides: _Sides, at: str, findings: Findings) -> None:
    """Count advocates whose side only the order of sections tells, and those whose side nothing tells."""
    named = dict.fromkeys(
        turn.speaker.keys[:1] for turn in turns if _kind(turn.speaker) == "advocate" and turn.speaker
    )
    for keys in named:
        if not keys or (keys[0] not in sides.described and keys[0] not in sides.ordered):
            findings.note("SIDE_UNKNOWN", at)
        elif keys[0] in sides.ordered:
            findings.note("SIDE_BY_ORDER", at)


def _kind(speaker: _Speaker | None) -> str:
    if speaker is None:
        return "unknown"
    return "justice" if speaker.is_justice else "advocate"
