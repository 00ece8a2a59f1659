"""Where the runs of a τ²-bench file stand, and what the file says about all of them.

- In the folder form a simulation that ``results.json`` lists must be there, and one that is there must be listed.
- A key that stands twice is a finding; the last one is read.

Tests: ``tests/formats/readers/test_tau2_bench.py``. Reference: ``docs/reference/formats/tau2_bench.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

from ..findings import Findings
from ..runs import key_of
from ..storage.beside import read_beside
from ..storage.rows import Row, decode, decode_rows, read_array, read_keyed_rows, read_rows
from ..storage.sources import Source, stem
from .tau2_join import user_signs
from .tau2_tasks import tau2_definition
from .tau2_turns import Tau2Message

_FOLDER: Final = "simulations"


class Simulation(msgspec.Struct, gc=False):
    """A run in official files, or the whole file of an export."""

    messages: list[Tau2Message] | None = None
    id: Any = None
    task_id: Any = None
    trial: Any = None
    seed: Any = None
    mode: Any = None
    termination_reason: Any = None
    reward_info: Any = None
    run_info: Any = None
    task: Any = None


@dataclass(frozen=True)
class Tau2Results:
    """What a file says about all of its runs."""

    domain: str | None = None
    policy: str | None = None
    signs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    definitions: Mapping[str, object] = field(default_factory=dict)
    index: tuple[str, ...] | None = None


_SIMULATION = msgspec.json.Decoder(Simulation)
_ANY = msgspec.json.Decoder(Any)


def read_members(source: Source, findings: Findings) -> dict[str, Row]:
    """The members of a file's object; one that hides another with its key is a finding."""
    members = list(read_keyed_rows(source, Findings()))
    counts = Counter(key for key, _ in members)
    for key in ("info", "tasks", "simulation_index"):  # of the runs the reader of the array says it
        if counts[key] > 1:
            expected = "each key once; the last one was taken"
            findings.add("DUPLICATE_KEY", source.name, found=key, expected=expected)
    return dict(members)


def read_simulations(
    source: Source, members: Mapping[str, Row], results: Tau2Results, findings: Findings
) -> Iterator[tuple[str, Simulation]]:
    """The runs of a file with their places."""
    if not {"tasks", "info", "simulations", "simulation_index"} & members.keys():
        if _belongs_to_results(source):
            findings.note("READ_WITH_RESULTS", source.name)
            return
        rows = list(read_rows(source, findings))
        for row, simulation in decode_rows(rows, _SIMULATION, findings):
            yield row.at if len(rows) > 1 else source.name, simulation
    elif results.index is not None or ("simulations" not in members and _folder(source).is_dir()):
        for _ in read_keyed_rows(source, findings):
            pass  # says what is torn
        yield from _of_folder(source, results, findings)
    else:
        for row, simulation in decode_rows(
            read_array(source, "simulations", findings), _SIMULATION, findings
        ):
            yield row.at, simulation


def _of_folder(source: Source, results: Tau2Results, findings: Findings) -> Iterator[tuple[str, Simulation]]:
    """The simulations beside a ``results.json``: listed ones first, then those that nobody lists."""
    prefix = source.name.rpartition("/")[0]
    files = sorted(_folder(source).glob("*.json*"))
    there = {stem(path.name): path.name for path in files if path.is_file() and path.name[0] != "."}
    listed = results.index or ()
    for name in listed:
        if name not in there:
            expected = f"a file of {_FOLDER}/ for each one listed"
            findings.add("SIMULATION_MISSING", source.name, found=name, expected=expected)
    for name in dict.fromkeys([*(name for name in listed if name in there), *there]):
        relative = f"{_FOLDER}/{there[name]}"
        at = f"{prefix}/{relative}" if prefix else relative
        if results.index is not None and name not in listed:
            findings.add("SIMULATION_UNLISTED", at, expected="simulations that results.json lists")
        simulation = read_beside(source, relative, _SIMULATION, findings)
        if simulation is not None:
            yield at, simulation


def _folder(source: Source) -> Path:
    return source.path.absolute().parent / _FOLDER


def _belongs_to_results(source: Source) -> bool:
    """Whether a simulation lies beside a ``results.json`` that is read with it."""
    parent = source.path.absolute().parent
    given = f"/{source.name}".endswith(f"/{_FOLDER}/{source.path.name}")
    return given and any((parent.parent / f"results.json{end}").is_file() for end in ("", ".gz", ".zst"))


def results_of(members: Mapping[str, Row]) -> Tau2Results:
    """What the members of a file say about all of its runs."""
    info = _member(members, "info")
    environment, agent = member_of(info, "environment_info"), member_of(info, "agent_info")
    tasks, index = _member(members, "tasks"), _member(members, "simulation_index")
    listed = {
        id_text(task.get("id")): task
        for task in (tasks if isinstance(tasks, list) else ())
        if isinstance(task, dict)
    }
    parts = (key_of(agent.get("implementation")), key_of(agent.get("llm")))
    return Tau2Results(
        domain=key_of(environment.get("domain_name")),
        policy="/".join(part for part in parts if part) or None,
        signs={name: user_signs(task) for name, task in listed.items()},
        definitions={name: tau2_definition(task) for name, task in listed.items()},
        index=tuple(id_text(entry.get("id")) for entry in index if isinstance(entry, dict))
        if isinstance(index, list)
        else None,
    )


def id_text(value: object) -> str:
    """An id as text: some files number tasks, some name them."""
    return key_of(value) or "null"


def _member(members: Mapping[str, Row], key: str) -> object:
    return decode(members[key], _ANY, Findings()) if key in members else None


def member_of(value: object, key: str) -> dict[str, Any]:
    """An object inside another; an empty one where there is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}
