"""MultiWOZ: whether the wizard met the goal, by his calls and words, the booking program's references and the database.

- *Booked* and the state are read from the calls; a booking without a reference is none.
- *Inform* and *requests* are read from the wizard's words against the database (`multiwoz_words`); the file's acts,
  which annotators wrote, enter nothing.
- Declared is what the annotations say by the same rule: the reader's label, from acts and annotated state.

Tests: ``tests/recompute/test_multiwoz_goals.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from armslength.formats import parse
from armslength.formats.dialogues import multiwoz_outcome as rules
from armslength.records import Trajectory, Turn

from .calls import is_call, read_arguments, texts_of
from .environment import Environment, Unavailable
from .multiwoz_words import Words, due_rows, told_by_words
from .protocol import Recomputed, is_of
from .state import ABSENT, Difference

_BOOK: Final = "book"
#: A request's difference names so many values that would have answered it; more, or none known, are any value.
_SHOWN: Final = 3
_ANY_VALUE: Final = "a value"


class Multiwoz:
    """Recomputes MultiWOZ dialogues."""

    name = "multiwoz"

    def handles(self, trajectory: Trajectory) -> bool:
        """Dialogues that the reader of MultiWOZ read."""
        return is_of(trajectory, self.name)

    def recompute(self, trajectory: Trajectory, environment: Environment) -> Recomputed:
        """The goal by calls and words."""
        goal, database = judged_goal(trajectory, environment)
        state = final_state(trajectory.turns)
        words = Words(text for _, text in texts_of(trajectory.turns))
        told = told_by_words(goal, state, words, database)
        met = rules.goal_met_by(goal, state, told, database)

        def due(domain: str, slot: str) -> object:
            rows = due_rows(goal, state, words, database, domain)
            values = sorted({str(row[slot]) for row in rows if slot in row})
            return values if 0 < len(values) <= _SHOWN else _ANY_VALUE

        return Recomputed(
            success=not met.missing,
            differences=tuple(explained(what, goal, state, told, due) for what in met.missing),
            calls=Counter(turn.name or "" for turn in trajectory.turns if is_call(turn)),
        )


def judged_goal(trajectory: Trajectory, environment: Environment) -> tuple[Mapping[str, Any], rules.Database]:
    """What the user of a run wanted, as its file states it, and the rows by domain that lie in the corpus's folder.

    The database is read once; a domain whose file is missing has none.

    Raises:
        Unavailable: the file states nothing, or what it states cannot be judged.
    """
    goal = environment.stated.get((trajectory.origin.task_digest if trajectory.origin else None) or "")
    if not isinstance(goal, Mapping):
        raise Unavailable("no goal")
    database = environment.once("multiwoz", lambda: dict(_tables(environment)))
    reason = rules.why_no_label(goal, database)
    if reason is not None:
        raise Unavailable(reason)
    return goal, database


def final_state(turns: Sequence[Turn]) -> dict[str, Any]:
    """What is filled in and booked at the end, by domain, from the calls in their order."""
    state: dict[str, Any] = {}
    asked: dict[str, Any] = {}
    for turn in turns:
        if turn.name == _BOOK and turn.writer == "world":
            issued, domain = _read(turn.text), asked.get("domain")
            if issued and isinstance(domain, str):
                booked = {name: value for name, value in asked.items() if name != "domain"}
                _part(state, domain)["book"].setdefault("booked", []).append(booked | issued)
        if not is_call(turn):
            continue
        given = read_arguments(turn) or {}
        asked = given if turn.name == _BOOK else {}
        for domain, slots in given.items() if turn.name == "state" else ():
            for slot, value in rules.as_object(slots).items():
                _fill(_part(state, domain), slot, value)
    return state


def explained(
    what: str,
    goal: Mapping[str, Any],
    state: Mapping[str, Any],
    told: Mapping[str, rules.Told],
    due: Callable[[str, str], object],
) -> Difference:
    """What a missing part of a goal should have been, and what stands there.

    Args:
        what: the part, as `Met` names it.
        goal: of the dialogue.
        state: what is filled in at the end.
        told: what was told of each domain.
        due: the values of a domain's slot that should have been told.
    """
    domain, _, rest = what.partition("/")
    wanted, last = rules.as_object(goal.get(domain)), rules.as_object(state.get(domain))
    kind, _, slot = rest.partition("/")
    if kind == "book_slot":
        found = rules.as_object(last.get("book")).get(slot, ABSENT)
        return Difference(what, _allowed("book", slot, wanted), found)
    if kind == "request":
        return Difference(what, due(domain, slot), ABSENT)
    if kind == "not_booked":
        return Difference(what, rules.as_object(wanted.get("book")), ABSENT)
    offered = sorted(rules.booked_names(domain, last) or told.get(domain, rules.Told()).named)
    filled = rules.as_object(last.get("semi")).get("name")
    return Difference(what, rules.alternatives(wanted)[-1], offered or filled or ABSENT)


def _tables(environment: Environment) -> Iterable[tuple[str, Sequence[Mapping[str, Any]]]]:
    places = ("", "data/multiwoz/", "multiwoz/data/multiwoz/")
    for domain in rules.LOOKED_UP:
        try:
            rows = environment.nearby(*(f"{place}db/{domain}_db.json" for place in places))
        except Unavailable:
            continue
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            yield domain, rows


def _part(state: dict[str, Any], domain: str) -> dict[str, Any]:
    part: dict[str, Any] = state.setdefault(domain, {"semi": {}, "book": {}})
    return part


def _fill(part: dict[str, Any], slot: str, value: object) -> None:
    """Fill a slot, or empty it; those of a booking have its name before their own. Bookings are calls of their own."""
    kind, _, name = slot.partition(" ")
    if kind == _BOOK and name and name != "booked":
        part["book"][name] = value
    else:
        part["semi"][slot] = value


def _read(text: str) -> dict[str, Any]:
    try:
        return rules.as_object(parse(text))
    except ValueError:
        return {}


def _allowed(kind: str, slot: str, wanted: Mapping[str, Any]) -> object:
    """The value that the goal books, or both where the user was told to try another one first."""
    sources = (rules.as_object(wanted.get(name)) for name in (kind, f"fail_{kind}"))
    values = [source[slot] for source in sources if slot in source]
    return values[0] if len(values) == 1 else values
