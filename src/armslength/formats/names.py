"""Names of trajectories, made distinct within a file."""

from __future__ import annotations

from .findings import Findings


def distinct(name: str, position: int, taken: set[str], at: str, findings: Findings) -> str:
    """A name that no earlier record of the file has.

    Args:
        name: what the record calls itself.
        position: of the record in its file; added to a name that is taken.
        taken: the names so far; the new one is added.
        at: what findings call the record.
        findings: where a repeated name is recorded.

    Returns:
        The name, or the name and the position.
    """
    chosen = name
    while chosen in taken:
        if chosen == name:
            findings.add("ID_REPEATED", at, found=name, expected="ids that are unique in a file")
        chosen = f"{chosen}#{position}"
    taken.add(chosen)
    return chosen
