"""Ids: unique in their kind, also to the eye."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from operator import attrgetter

from armslength.replay.chains import Indexes
from armslength.replay.rows import LAYOUTS, Document

from .sink import Sink

_KINDS = {
    "task_episodes.json": "EPISODE",
    "belief_states.json": "BELIEF",
    "verifier_feedback.json": "FEEDBACK",
    "reward_events.json": "REWARD",
    "trajectory_groups.json": "TRAJECTORY",
    "cold_replay.json": "COLD_REPLAY",
}
_ASCII_TWINS = str.maketrans("01I|", "Olll")


def check_ids(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """No two rows of a file have one id (DUPLICATE_…_ID) or ids that look alike (CONFUSABLE_ID)."""
    for name, kind in _KINDS.items():
        document = documents[name]
        field = LAYOUTS[name].id_field
        ids: list[str] = list(map(attrgetter(field), indexes.rows[name]))
        for index in _repeats(ids):
            sink.row(
                f"DUPLICATE_{kind}_ID", document, index, field, "another row of this file has the same id"
            )
        folds = fold_all(ids)
        counts = Counter(ids)
        for index in _repeats(folds):
            if counts[ids[index]] == 1:
                message = "the id looks like that of another row of this file"
                sink.row("CONFUSABLE_ID", document, index, field, message)


LONGEST_NAME, _MOST_BLANKS = 160, 4
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def visible(content: str) -> bool:
    """Whether a text holds something to see and no character that cannot be seen."""
    if not content.strip():
        return False
    return content.isprintable() or not any(unicodedata.category(char) in _INVISIBLE for char in content)


def is_name(content: str) -> bool:
    """Whether an id or reference is short enough to be one, and no sentence."""
    return len(content) <= LONGEST_NAME and content.count(" ") <= _MOST_BLANKS


def fold_all(texts: list[str]) -> list[str]:
    """`fold` of each; one pass over plain ASCII."""
    joined = "\n".join(texts)
    if joined.isascii() and joined.count("\n") == max(0, len(texts) - 1):
        return _fold_ascii(joined).split("\n") if texts else []
    return [fold(item) for item in texts]


def fold_lists(lists: Iterable[Sequence[str]]) -> list[list[str]]:
    """`fold` of each text of each list; one pass over all."""
    lists = list(lists)
    folded = iter(fold_all(list(chain.from_iterable(lists))))
    return [list(islice(folded, len(items))) for items in lists]


def fold(content: str) -> str:
    """A text as the eye takes it: normalised, look-alikes folded (Unicode TS 39), invisible characters out.

    Two texts with one fold can be taken for each other. Not for showing.
    """
    if not content.isascii():
        content = unicodedata.normalize("NFKC", content)
        twins = _twins()
        visible = (
            char for char in content if unicodedata.category(char) not in ("Cf", "Mn", "Cc", "Co", "Cn")
        )
        content = "".join(twins.get(char, char) for char in visible)
    return _fold_ascii(content.strip())


def _fold_ascii(content: str) -> str:
    return content.translate(_ASCII_TWINS).replace("rn", "m").replace("vv", "w")


def _repeats(items: list[str]) -> Iterable[int]:
    """Positions of the items that occur more than once; none of the empty text."""
    if len(set(items)) == len(items):
        return ()
    places: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        if item:
            places.setdefault(item, []).append(index)
    return chain.from_iterable(found for found in places.values() if len(found) > 1)


@cache
def _twins() -> dict[str, str]:
    """Character → the ASCII text that it can be taken for."""
    from confusable_homoglyphs.confusables import confusables_data

    found: dict[str, str] = {}
    for char, twins in confusables_data.items():
        if len(char) == 1 and not char.isascii():
            ascii_twin = next((twin["c"] for twin in twins if twin["c"].isascii()), None)
            if ascii_twin is not None:
                found[char] = ascii_twin
    return found
