"""Deal or No Deal: two people divide books, hats and balls; one row a dialogue and side, in two dresses.

- ``YOU`` is the policy. Selections end the dialogue and are terminal; the reward and the flag are never text.
- The two sides of a dialogue are paired by their content; a deal is recomputed from what both sides took.
- Both sides, and all dialogues over the same items and values, are one group.

Tests: ``tests/formats/readers/test_deal_or_no_deal.py``. Reference: ``docs/reference/formats/deal_or_no_deal.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from armslength.records import Trajectory, Turn, Writer

from ..canonical import canonical, digest
from ..findings import Findings
from ..names import distinct
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import read_lines
from ..storage.sources import Source
from .deal_outcome import is_deal, taken, worth

_SIX: Final = r"\d{1,4}(?: \d{1,4}){5}"
_ROW: Final = re.compile(
    rf"(?P<own>{_SIX}) (?P<talk>(?:YOU|THEM): .*) <eos> (?:reward=)?(?P<reward>\d{{1,4}}|no agreement|disconnect) "
    rf"(?P<flag>agree|disagree) (?P<partner>{_SIX})\s*",
    re.ASCII,
)
_TAGGED: Final = re.compile(
    rf"<input> (?P<own>{_SIX}) </input> <dialogue> (?P<talk>(?:YOU|THEM): .*) </dialogue> "
    rf"<output> (?P<output>[^/]*) </output> <partner_input> (?P<partner>{_SIX}) </partner_input>\s*",
    re.ASCII,
)
_BEGIN: Final = re.compile(
    rf"^(?:<input> {_SIX} </input> <dialogue>|{_SIX} (?:YOU|THEM):) ", re.ASCII | re.MULTILINE
)
_SELECTION: Final = "<selection>"
_POLICY: Final = "YOU"


@dataclass(frozen=True)
class _Side:
    """A row: what one of the two had, heard and said, and what it took in the end."""

    at: str
    own: tuple[int, ...]
    partner: tuple[int, ...]
    talk: tuple[tuple[str, str], ...]
    selector: str
    kind: str
    choice: str | None
    other: str | None
    reward: int | None

    @property
    def first(self) -> bool:
        """Whether the policy spoke first (or selected, where nobody spoke)."""
        return (self.talk[0][0] if self.talk else self.selector) == _POLICY

    @property
    def dialogue(self) -> str:
        """A digest that both sides of a dialogue have in common."""
        sides = [self.own, self.partner] if self.first else [self.partner, self.own]
        words = [[(speaker == _POLICY) == self.first, text] for speaker, text in self.talk]
        return digest(canonical([sides, words, (self.selector == _POLICY) == self.first]))


class DealOrNoDeal:
    """Reader of Deal or No Deal."""

    name = "deal_or_no_deal"
    left_out = ("items and values of both sides beyond the task's key", "what the partner took")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """A line that begins with six numbers and a speaker, plain or tagged."""
        if head.opening or _BEGIN.search(head.text) is None:
            return "no line with six numbers and YOU: or THEM:"
        return None

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read rows as trajectories; a row is looked at together with its twin."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    sides: list[_Side] = []
    for line in read_lines(source, findings):
        side = _side(line.text, line.at)
        if isinstance(side, _Side):
            sides.append(side)
        elif not (line.cut and line.final):  # the cut is a finding already
            code = "ROW_TORN" if line.final else "ROW_INVALID"
            findings.add(code, line.at, found=side, expected="a row of Deal or No Deal")
    names: set[str] = set()
    for position, (side, dialogue, twin) in enumerate(_paired(sides)):
        name = f"{dialogue}/{'first' if side.first else 'second'}"
        name = distinct(name, position, names, side.at, findings)
        yield _run(side, twin, name, dialogue, findings)


def _paired(sides: Sequence[_Side]) -> Iterator[tuple[_Side, str, _Side | None]]:
    """Each side with its dialogue and its twin, if the file has it: the same dialogue from the other side."""
    keys = [side.dialogue for side in sides]
    same: dict[tuple[str, bool], list[_Side]] = {}
    for key, side in zip(keys, sides, strict=True):
        same.setdefault((key, side.first), []).append(side)
    seen: Counter[tuple[str, bool]] = Counter()
    for key, side in zip(keys, sides, strict=True):
        place = seen[key, side.first]
        seen[key, side.first] += 1
        others = same.get((key, not side.first), [])
        yield side, key, others[place] if place < len(others) else None


def _side(text: str, at: str) -> _Side | str:
    """A row as a side, or what is wrong with it."""
    match = _ROW.fullmatch(text) or _TAGGED.fullmatch(text)
    if match is None:
        return "another pattern"
    own, partner = (tuple(map(int, match[name].split())) for name in ("own", "partner"))
    if own[::2] != partner[::2]:
        return "two sides with different items"
    talk = [part.partition(": ")[::2] for part in match["talk"].split(" <eos> ")]
    if any(speaker not in ("YOU", "THEM") for speaker, _ in talk):
        return "a turn without YOU or THEM"
    selector, selection = talk.pop()
    mark, _, choice = selection.partition(" ")
    if mark != _SELECTION:
        return "no selection at the end"
    groups = match.groupdict()
    ending = _tagged_ending(groups["output"]) if "output" in groups else _ending(choice, groups)
    if ending is None:
        return "a selection that cannot be read"
    return _Side(at, own, partner, tuple(talk), selector, *ending)


_Ending = tuple[str, str | None, str | None, int | None]


def _ending(choice: str, groups: dict[str, str]) -> _Ending | None:
    """Kind, choice, the other's choice, reward of a plain row."""
    numeric = groups["reward"].isdecimal()
    if taken(choice) is None:
        kind = choice.replace(" ", "_")
        return (kind, choice, None, None) if choice == groups["reward"] and not numeric else None
    if not numeric:
        return None
    kind = "deal" if groups["flag"] == "agree" else "mismatch"
    return kind, choice, None, int(groups["reward"])


def _tagged_ending(output: str) -> _Ending | None:
    """The same of a tagged row, which names what both took, or six times why they took nothing."""
    words = output.split(" ")
    if len(words) != 6:
        return None
    mine, theirs = (" ".join(part) for part in (words[:3], words[3:]))
    if taken(mine) and taken(theirs):
        return "deal", mine, theirs, None
    kind = {"<disagree>": "mismatch", "<no_agreement>": "no_agreement", "<disconnect>": "disconnect"}.get(
        words[0]
    )
    if kind is None or set(words) != {words[0]}:
        return None
    return kind, None if kind == "mismatch" else kind.replace("_", " "), None, None


def _run(side: _Side, twin: _Side | None, name: str, dialogue: str, findings: Findings) -> Run:
    reward = side.reward
    mine = taken(side.choice)
    if mine is not None:
        due = worth(mine, side.own[1::2])
        if reward not in (None, due):
            place, expected = f"{side.at} reward", f"{due} by the selection"
            findings.add("RECOMPUTED_DIFFERS", place, found=str(reward), expected=expected)
        reward = due if reward is None else reward
    other = side.other or (twin.choice if twin else None)
    label = _label(side, other, findings)
    key, other_key = _key(side.own), _key(side.partner)
    return Run(
        format=DealOrNoDeal.name,
        at=side.at,
        id=name,
        task=f"{key} against {other_key}",
        group=" and ".join(sorted((key, other_key))),
        policy=_POLICY,
        turns=_turns(side),
        messages=dict(Counter([*(speaker for speaker, _ in side.talk), f"{side.selector} {_SELECTION}"])),
        labels={"deal": label},
        definition={"counts": side.own[::2], "values": side.own[1::2], "other": other},
        declared=side.kind == "deal",
        declared_points=side.reward,
        stratum="disconnect" if side.kind == "disconnect" else None,
        lookup=fields_of(
            {
                "reward": reward,
                "points": reward if label.success else 0,  # by the rules of the game: nothing without a deal
                "kind": side.kind,
                "dialogue": dialogue,
            }
        ),
    )


def _turns(side: _Side) -> tuple[Turn, ...]:
    turns = [
        Turn("assistant", "policy", text, step, writer_source="field")
        if speaker == _POLICY
        else Turn("user", "user", text, step, writer_source="field")
        for step, (speaker, text) in enumerate(side.talk)
    ]
    end = len(turns)
    selected: Writer = "policy" if side.selector == _POLICY else "user"
    turns.append(Turn("terminal", selected, _SELECTION, end, writer_source="field"))
    if side.choice is not None:  # nobody knows who disconnected
        chose: Writer = "unknown" if side.kind == "disconnect" else "policy"
        turns.append(Turn("terminal", chose, side.choice, end))
    return tuple(turns)


def _label(side: _Side, other: str | None, findings: Findings) -> Label:
    """A deal by what both took; else what the file says of it."""
    recorded = side.kind == "deal"
    deal = is_deal(side.choice, other, side.own[::2])
    if deal is None:
        return Label(recorded, grade="B")
    if deal != recorded:
        found = f"{side.kind}, {'a deal' if deal else 'no deal'} by what both took"
        findings.add("RECOMPUTED_DIFFERS", f"{side.at} deal", found=found, expected="the same")
    return Label(deal, grade="A")


def _key(side: tuple[int, ...]) -> str:
    """Items of one side as count times value: books, hats, balls."""
    return " ".join(f"{count}x{value}" for count, value in zip(side[::2], side[1::2], strict=True))
