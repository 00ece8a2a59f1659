"""What other packages offer by entry points: loaded once, and checked before anything is asked of it.

Tests: ``tests/formats/test_registry.py``, ``tests/recompute/test_corner_shop.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from armslength.errors import InputError


def load_plugins(group: str, members: Sequence[str], code: str) -> tuple[Any, ...]:
    """The objects of an entry-point group, in the order of their names; a class is called without arguments.

    Args:
        group: the entry points' group.
        members: what each object must have.
        code: of the error that names an entry point which is broken.

    Returns:
        The objects.

    Raises:
        InputError: an entry point cannot be loaded, or lacks a member (``code``).
    """
    return tuple(_load(entry, members, code) for entry in sorted(entry_points(group=group)))


def _load(entry: EntryPoint, members: Sequence[str], code: str) -> Any:  # noqa: ANN401 - whatever they offer
    at = f"{entry.name} = {entry.value}"
    try:
        loaded = entry.load()
        made = loaded() if isinstance(loaded, type) else loaded
    except Exception as error:
        raise InputError(code, at=at, found=f"{type(error).__name__}: {error}") from error
    missing = [name for name in members if not hasattr(made, name)]
    if missing:
        raise InputError(code, at=at, found=f"no {', '.join(missing)}", expected=", ".join(members))
    return made
