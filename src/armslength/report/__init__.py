"""The result model as a page, as JSON and as a terminal table."""

from .html import page
from .terminal import table

__all__ = ["page", "table"]
