"""Packages that can be called like the function of their name."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Namesake(ModuleType):
    """A package ``armslength.x`` that holds a function ``x``: calling the package calls the function.

    So ``armslength.x(…)`` works and ``import armslength.x.y as z`` does too; a function in the place of the
    package would break the latter.
    """

    def __call__(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - hands on whatever the function takes
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **options)


def callable_package(name: str) -> None:
    """Make the package of this name callable; type checkers are shown the function (``armslength/__init__.py``)."""
    sys.modules[name].__class__ = _Namesake
