"""The outline of a JSON text's first bytes: which keys stand where. Formats are recognised by it."""

from __future__ import annotations

import re
from dataclasses import dataclass

# A quote that opens a string which the first bytes do not close ends the scan: what follows is text.
_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|([{}\[\]])|(")', re.DOTALL)
_STRING, _KEY, _BRACKET, _CUT = 1, 2, 3, 4  # the last group that matched
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
    prefixes: list[str] = []  # of the keys at each open bracket
    key = ""
    for count, token in enumerate(_TOKEN.finditer(text)):
        kind = token.lastindex
        if count > tokens or kind == _CUT:
            break
        if kind == _STRING:
            continue
        if kind == _KEY and prefixes:
            key = token[1]
            if len(prefixes) <= _MAX_DEPTH:
                keys.add(prefixes[-1] + key)
            continue
        bracket = token[_BRACKET]
        if bracket in ("{", "["):
            outer = prefixes[-1] if prefixes else ""
            # Below the depth where keys are kept no path is made: it would grow with the depth.
            shown = len(prefixes) < _MAX_DEPTH
            inner = "" if not shown else key + "[]" if bracket == "[" and prefixes else key
            prefixes.append(f"{outer}{inner}." if inner else outer)
        elif prefixes:
            prefixes.pop()
            if not prefixes:
                break
        key = ""
    return Outline(opening, frozenset(keys), text[:_TEXT])
