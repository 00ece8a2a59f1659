"""The result model as a page, as JSON, as a terminal table and as Markdown."""

from .html import page
from .markdown import markdown
from .terminal import table

__all__ = ["markdown", "page", "table"]
