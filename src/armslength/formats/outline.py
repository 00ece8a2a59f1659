"""The outline of a JSON text's first bytes: which keys stand where. Formats are recognised by it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A quote that opens a string which the first bytes do not close ends the scan: what follows is text.
_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|([{}\[\]])|(")', re.DOTALL)
_MAX_DEPTH = 6
_TEXT = 4096


@dataclass(frozen=True)
class Outline:
    """Where keys stand in the first JSON value of a text.

    Attributes:
        opening: ``{``, ``[`` or empty when the text does not begin like JSON.
        keys: paths of the keys that were seen, such as ``results[].traj``; a leading ``[].`` is left out.
        text: the first characters, for formats that are no JSON.
    """

    opening: str
    keys: frozenset[str]
    text: str = ""

    def why_not(self, *needed: str) -> str | None:
        """None if all these keys were seen, else which were not."""
        if not self.opening:
            return "not JSON"
        missing = [key for key in needed if key not in self.keys]
        return f"no {', '.join(missing)}" if missing else None


def outline(head: bytes, *, tokens: int = 4000) -> Outline:
    """Look at the first bytes of a file.

    Args:
        head: bytes in UTF-8, cut anywhere.
        tokens: look at no more strings and brackets than this.

    Returns:
        The keys of the first value down to a small depth.
    """
    text = head.decode("utf-8", "replace").lstrip()
    opening = text[:1] if text[:1] in ("{", "[") else ""
    keys: set[str] = set()
    if not opening:
        return Outline("", frozenset(), text[:_TEXT])
    path: list[str] = []
    key = ""
    for count, token in enumerate(_TOKEN.finditer(text)):
        string, colon, bracket, loose = token.groups()
        if loose or count > tokens:
            break
        if bracket in ("{", "["):
            path.append(key + "[]" if bracket == "[" else key)
            key = ""
        elif bracket:
            path.pop()
            key = ""
            if not path:
                break
        elif colon and path:
            key = string
            if len(path) <= _MAX_DEPTH:
                keys.add(".".join(part for part in (*path, key) if part).removeprefix("[]."))
    return Outline(opening, frozenset(keys), text[:_TEXT])
