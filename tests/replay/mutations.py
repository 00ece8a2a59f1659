"""Single-field changes of a folder of recorded steps, each with all digests made again that cover it."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOOK_ALIKES = {"a": "а", "e": "е", "o": "о", "c": "с", "p": "р", "i": "і", "s": "ѕ", "x": "х"}
MODULE_MANIFEST = "source_module_manifest.json"


@dataclass(frozen=True)
class Mutation:
    """One change: file, JSON pointer as a tuple, what was done, and the new document."""

    file: str
    path: tuple[str | int, ...]
    kind: str
    document: Any

    @property
    def field(self) -> str:
        """The field without positions: what stands in the list of free fields."""
        return "/".join("*" if isinstance(step, int) else step for step in self.path)

    def __str__(self) -> str:
        return f"{self.file}#/{'/'.join(map(str, self.path))} {self.kind}"


def load(folder: Path) -> dict[str, Any]:
    """All JSON documents of the folder itself, by name."""
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def mutations(documents: dict[str, Any], rng: random.Random) -> Iterator[Mutation]:
    """Every single-field change of these documents, in a fixed order."""
    for name, document in documents.items():
        for path, value in _places(document):
            for kind, changed in _changes(path, value, documents, rng):
                if changed == value and type(changed) is type(value):
                    continue
                yield Mutation(name, path, kind, _with(document, path, changed))
            if path:
                yield Mutation(name, path, "deleted", _without(document, path))
            if isinstance(value, list):
                yield from _list_changes(name, document, path, value)


def write(folder: Path, mutation: Mutation) -> None:
    """Write the changed document; in a module manifest the sizes of a changed body would be made again by hand."""
    (folder / mutation.file).write_text(
        json.dumps(mutation.document, indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


def remake_digests(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """A module manifest whose digests and sizes are those of the bodies as they are now."""
    manifest = copy.deepcopy(manifest)
    for row in manifest["modules"]:
        body = (folder / row["path"]).read_bytes()
        digest = "sha256:" + hashlib.sha256(body).hexdigest()
        row |= {"sha256": digest, "source_sha256": digest, "target_sha256": digest}
        row |= {"byte_count": len(body), "line_count": body.count(b"\n")}
    return manifest


def _places(document: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while stack:
        path, value = stack.pop()
        if path:
            yield path, value
        if isinstance(value, dict):
            stack.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            stack.extend(((*path, place), item) for place, item in enumerate(value))


def _changes(
    path: tuple[str | int, ...], value: Any, documents: dict[str, Any], rng: random.Random
) -> Iterator[tuple[str, Any]]:
    """Changed values of one place: other value, other type, exchanged id, look-alike character."""
    if isinstance(value, bool):
        yield from (
            ("flipped", not value),
            ("text", str(value).lower()),
            ("number", int(value)),
            ("null", None),
        )
    elif isinstance(value, int | float):
        yield from (("larger", value + 0.03125), ("smaller", value / 2), ("text", str(value)), ("null", None))
        yield from (("true", True), ("far out", value + 1000), ("negative", -1 - value))
    elif isinstance(value, str):
        yield from (("empty", ""), ("blank", " "), ("null", None), ("number", 7), ("list", [value]))
        yield "longer", value + "x"
        if value and value[-1].isalnum():
            yield "invisible", value + "\u200b"
        twin = next((i for i, char in enumerate(value) if char in LOOK_ALIKES), None)
        if twin is not None:
            yield "look-alike", value[:twin] + LOOK_ALIKES[value[twin]] + value[twin + 1 :]
        other = _other(path, value, documents, rng)
        if other is not None:
            yield "exchanged", other
    elif isinstance(value, list | dict):
        yield from (("emptied", type(value)()), ("null", None), ("text", "x"))


def _other(
    path: tuple[str | int, ...], value: str, documents: dict[str, Any], rng: random.Random
) -> str | None:
    """Another value that stands under the same key somewhere in the folder."""
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    found = set()
    for document in documents.values():
        for place, item in _places(document):
            own = next((step for step in reversed(place) if isinstance(step, str)), None)
            if own == key and isinstance(item, str) and item != value:
                found.add(item)
    return rng.choice(sorted(found)) if found else None


def _list_changes(
    name: str, document: Any, path: tuple[str | int, ...], value: list[Any]
) -> Iterator[Mutation]:
    for place, item in enumerate(value):
        doubled = [*value, copy.deepcopy(item)]
        yield Mutation(name, (*path, place), "duplicated", _with(document, path, doubled))
    if len(value) > 1:
        yield Mutation(name, path, "reordered", _with(document, path, value[::-1]))


def _with(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    changed = copy.deepcopy(document)
    node = changed
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return changed


def _without(document: Any, path: tuple[str | int, ...]) -> Any:
    changed = copy.deepcopy(document)
    node = changed
    for step in path[:-1]:
        node = node[step]
    del node[path[-1]]
    return changed
