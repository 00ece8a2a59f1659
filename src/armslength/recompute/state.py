"""The state of a database while calls are executed: only the records that a call touches are copied.

- A call that fails changes nothing (``tests/recompute/test_state.py``).
- Two states are compared in the records that one of them touched, and are equal where the environment's own digest of
  the whole database would be: the order of keys does not matter, the order of lists does, 5 and 5.0 differ.

Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final, NamedTuple

Record = dict[str, Any]
Tables = Mapping[str, Mapping[str, Record]]

#: What stands for a value that one of two states does not have.
ABSENT: Final = object()


class Difference(NamedTuple):
    """One place in which a run's end is not the expected one.

    Attributes:
        at: the place, such as ``orders/#W1/status``.
        expected: what should stand there; `ABSENT` if nothing should.
        found: what stands there; `ABSENT` if nothing does.
    """

    at: str
    expected: object
    found: object

    def to_json(self) -> dict[str, object]:
        """A mapping that JSON can write: a value that is absent has no key, a number that is not finite is a text."""
        values = {"expected": self.expected, "found": self.found}
        shown = {name: _finite(value) for name, value in values.items() if value is not ABSENT}
        return {"at": self.at, **shown}


class State:
    """A database and what was changed in it.

    Args:
        base: the initial tables; never changed, and shared by all states.
    """

    __slots__ = ("_base", "_changed", "_edited")

    def __init__(self, base: Tables) -> None:
        self._base = base
        self._changed: dict[tuple[str, str], Record] = {}
        self._edited: dict[tuple[str, str], Record] = {}

    def get(self, table: str, key: str) -> Record | None:
        """A record as it stands, to be read and not to be changed; None if there is none.

        Raises:
            TypeError: the key cannot be one.
        """
        place = (table, key)
        found = self._edited.get(place)
        if found is None:
            found = self._changed.get(place)
        return self._base[table].get(key) if found is None else found

    def edit(self, table: str, key: str) -> Record:
        """A record that may be changed; `commit` keeps the change.

        Raises:
            KeyError: there is none.
        """
        place = (table, key)
        if place not in self._edited:
            record = self.get(table, key)
            if record is None:
                raise KeyError(key)
            self._edited[place] = _copied(record)
        return self._edited[place]

    def add(self, table: str, key: str, record: Record) -> None:
        """A record that was not there."""
        self._edited[table, key] = _copied(record)

    def commit(self) -> None:
        """Keep what was edited since the last call."""
        self._changed |= self._edited
        self._edited = {}

    def roll_back(self) -> None:
        """Forget what was edited since the last call."""
        self._edited = {}

    def records(self, table: str) -> Iterator[tuple[str, Record]]:
        """All records of a table as they stand."""
        for key in self._base[table]:
            yield key, self.get(table, key) or {}
        for name, key in self._changed:
            if name == table and key not in self._base[table]:
                yield key, self._changed[name, key]

    @property
    def touched(self) -> frozenset[tuple[str, str]]:
        """The records that calls have changed, by table and key."""
        return frozenset(self._changed)


def differences(expected: State, found: State) -> tuple[Difference, ...]:
    """Where two states of one database differ, in the order of the places.

    Args:
        expected: the state that should have been reached.
        found: the state that was.

    Returns:
        One entry for each value that differs; none if the states are equal.
    """
    made: list[Difference] = []
    for table, key in sorted(expected.touched | found.touched):
        here, there = expected.get(table, key), found.get(table, key)
        made += compare(
            f"{table}/{key}", ABSENT if here is None else here, ABSENT if there is None else there
        )
    return tuple(made)


def compare(at: str, expected: object, found: object) -> list[Difference]:
    """Where two values differ.

    Args:
        at: the place of both.
        expected: any JSON value, or `ABSENT`.
        found: likewise.

    Returns:
        One entry for each value within that differs.
    """
    if _form(expected) == _form(found):
        return []
    pairs: list[tuple[object, object, object]]
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted({*expected, *found})
        pairs = [(key, expected.get(key, ABSENT), found.get(key, ABSENT)) for key in keys]
    elif isinstance(expected, list) and isinstance(found, list):
        both = zip_longest(expected, found, fillvalue=ABSENT)
        pairs = [(index, here, there) for index, (here, there) in enumerate(both)]
    else:
        return [Difference(at, expected, found)]
    return [place for key, here, there in pairs for place in compare(f"{at}/{key}", here, there)]


def _form(value: object) -> str:
    """What two values have in common if and only if the environment's digests of them are equal."""
    return repr(_ordered(value))


def _ordered(value: object) -> object:
    if isinstance(value, dict):
        return tuple(sorted((key, _ordered(inner)) for key, inner in value.items()))
    if isinstance(value, list):
        return tuple(_ordered(inner) for inner in value)
    return value


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _copied(value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_copied(inner) for inner in value]
    return value
