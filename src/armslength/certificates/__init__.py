"""Sound upper bounds on manipulability; always printed beside an attack."""

from .bracket import ceilings

__all__ = ["ceilings"]
