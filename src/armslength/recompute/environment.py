"""The environment of a corpus: a folder with the initial databases and the lists of tasks, read once and only as data.

- The folder is the nearest one named ``environment`` at or above a file of runs, unless the caller names one.
- What is missing or broken makes runs unmeasured, with the file's name in the reason; it stops nothing.

Tests: ``tests/recompute/test_environment.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from armslength.errors import InputError
from armslength.formats import Source, find_nearby, parse

from .state import Tables

NAME: Final = "environment"
#: A larger file of an environment is not read.
LARGEST: Final = 1 << 28

Made = TypeVar("Made")


class Unavailable(Exception):  # noqa: N818 - a reason, no fault of the caller
    """An outcome cannot be recomputed; the message says why."""


class Environment:
    """A folder with databases and tasks, and what was made of them.

    Attributes:
        folder: None where there is none.
        beside: a file of runs, where there is no folder: what a corpus keeps beside its runs is looked for from there.
        stated: tasks as files of runs state them, by digest.
    """

    def __init__(
        self, folder: Path | None, stated: Mapping[str, object] | None = None, beside: Path | None = None
    ) -> None:
        self.folder = folder
        self.beside = beside
        self.stated: Mapping[str, object] = stated if stated is not None else {}
        self._made: dict[Hashable, object] = {}

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` returns, made once for each key; a reason why it cannot be is kept as well.

        Raises:
            Unavailable: `make` did.
        """
        if key not in self._made:
            try:
                self._made[key] = make()
            except Unavailable as reason:
                self._made[key] = reason
        made = self._made[key]
        if isinstance(made, Unavailable):
            raise made
        return cast("Made", made)

    def json(self, name: str) -> object:
        """The content of a JSON file.

        Args:
            name: its path below the folder, with ``/``.

        Raises:
            Unavailable: there is no environment, no such file, or no JSON in it.
        """
        if self.folder is None:
            raise Unavailable("no environment folder")
        return _read(self.folder / name, f"{NAME}/{name}")

    def nearby(self, *names: str) -> object:
        """The content of a JSON file of a corpus that has no environment folder: from the runs' folder upwards.

        Args:
            names: relative paths; in a folder the first that exists counts. Where there is an environment folder, the
                file is looked for in it alone.

        Raises:
            Unavailable: there is no such file, or no JSON in it.
        """
        if self.folder is not None:
            there = (self.folder / name for name in names)
            path = next((path for path in there if path.is_file()), self.folder / names[0])
            return _read(path, names[0])
        source = Source(self.beside, self.beside.name, self.beside.stem) if self.beside else None
        found = find_nearby(source, names) if source else None
        if found is None:
            raise Unavailable(f"no {names[0]}")
        return _read(found.path, found.name)

    def listed(self, name: str) -> Sequence[object]:
        """The entries of a file that holds a list; none where it cannot be read or holds something else."""
        try:
            value = self.json(name)
        except Unavailable:
            return ()
        return value if isinstance(value, list) else ()

    def tables(self, names: Mapping[str, str]) -> Tables:
        """The tables of a database that lies in one file each.

        Args:
            names: the file of each table.

        Raises:
            Unavailable: a file is missing, or is no mapping from ids to records.
        """
        return {table: as_table(self.json(name), f"{NAME}/{name}") for table, name in names.items()}

    def folders(self, prefix: str) -> Sequence[str]:
        """The names of the folders with this name, or with this name and an underscore before more, sorted."""
        if self.folder is None or not self.folder.is_dir():
            return ()
        names = sorted(path.name for path in self.folder.iterdir() if path.is_dir())
        return [name for name in names if name == prefix or name.startswith(f"{prefix}_")]

    def files(self, folder: str, pattern: str) -> Sequence[str]:
        """The paths below the environment of a folder's files of this pattern, sorted."""
        if self.folder is None:
            return ()
        return sorted(
            f"{folder}/{path.name}" for path in (self.folder / folder).glob(pattern) if path.is_file()
        )


class Environments:
    """The environment of each file.

    Args:
        given: the folder that the caller names for all files; None for the nearest one of each.
        stated: tasks as the files state them; filled while they are read.

    Raises:
        InputError: the given folder does not exist (PATH_MISSING).
    """

    def __init__(self, given: Path | None, stated: Mapping[str, object]) -> None:
        if given is not None and not given.is_dir():
            raise InputError("PATH_MISSING", at=str(given), expected="a folder with databases and tasks")
        self._given = given
        self._stated = stated
        self._known: dict[Path, Environment] = {}

    def of(self, path: Path) -> Environment:
        """The environment of a file of runs."""
        folder = self._given or nearest(path)
        key = folder or path.absolute().parent
        if key not in self._known:
            self._known[key] = Environment(folder, self._stated, path)
        return self._known[key]


def nearest(path: Path) -> Path | None:
    """The nearest folder named ``environment`` beside a file or a folder that holds it; None if there is none."""
    return next((at / NAME for at in path.absolute().parents if (at / NAME).is_dir()), None)


def _read(path: Path, name: str) -> object:
    try:
        if path.stat().st_size > LARGEST:
            raise Unavailable(f"{name} is too large")
        return parse(path.read_text("utf-8"))
    except FileNotFoundError:
        raise Unavailable(f"no {name}") from None
    except (OSError, ValueError):
        raise Unavailable(f"{name} is not readable as JSON") from None


def as_table(value: object, name: str) -> Mapping[str, dict[str, Any]]:
    """A mapping from ids to records.

    Raises:
        Unavailable: it is none.
    """
    if not isinstance(value, dict) or not all(isinstance(record, dict) for record in value.values()):
        raise Unavailable(f"{name} is no mapping from ids to records")
    return value
