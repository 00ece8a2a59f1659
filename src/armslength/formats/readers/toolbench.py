"""ToolBench answers: one file an attempt, a search tree (DFS) or a list of tries (CoT).

The unit is the first chain up to its first ``Finish``: in a tree the first child at each node, else the first
try. Whole files would let the number of tries tell the label.

Tests: ``tests/formats/readers/test_toolbench.py``. Reference: ``docs/reference/formats/toolbench.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from armslength.records import Trajectory, Turn

from ..calls import arguments_text
from ..canonical import canonical, digest, parse
from ..findings import Findings
from ..protocol import ReadOptions
from ..runs import Label, Run, fields_of, to_trajectories
from ..storage.outline import Outline
from ..storage.rows import Row, decode, read_rows
from ..storage.sources import Source

_SOURCE = "Finish.return_type"
_NAMED_TYPE = re.compile(r'"return_type"\s*:\s*"(give_answer|give_up_and_restart)"')


class Node(msgspec.Struct):
    """A step of the search."""

    node_type: Any = None
    description: Any = None
    observation: Any = None
    observation_code: Any = None
    children: list[Node] | None = None


class _Tree(msgspec.Struct):
    tree: Node | None = None


class _Try(msgspec.Struct):
    chain: list[Node] = []


class _Answer(msgspec.Struct):
    query: Any = None


class ToolBenchFile(msgspec.Struct):
    """The parts of an answer file that are read."""

    win: Any = None
    tree: _Tree | None = None
    trys: list[_Try] | None = None
    answer_generation: _Answer | None = None


_DECODER = msgspec.json.Decoder(ToolBenchFile)


class ToolBench:
    """Reader of ToolBench answers."""

    name = "toolbench"
    left_out = ("later chains of the search", "compare_candidates", "train_messages", "token counts")

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """Files that say whether they won, with a tree or with tries."""
        if head.why_not("win", "trys") is None or head.why_not("win", "tree", "tree.tree") is None:
            return None
        return head.why_not("win") or "no tree.tree and no trys"

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read an attempt as one trajectory."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    rows = list(read_rows(source, findings))
    for row in rows:
        place = row if len(rows) > 1 else row._replace(at=source.name)
        decoded = decode(place, _DECODER, findings)
        if decoded is None:
            continue
        query = decoded.answer_generation.query if decoded.answer_generation else None
        if not isinstance(query, str) or (decoded.tree is None and decoded.trys is None):
            findings.add("ROW_INVALID", place.at, found="no query or no steps", expected="a ToolBench answer")
            continue
        yield _run(place, decoded, query, source, findings)


def _run(row: Row, decoded: ToolBenchFile, query: str, source: Source, findings: Findings) -> Run:
    chain = _first_chain(decoded)
    turns, finish = _turns(query, chain, row.at, findings)
    policy = f"{source.folder}/{source.path.name.partition('.')[0].partition('_')[2] or 'unknown'}"
    return Run(
        format=ToolBench.name,
        at=row.at,
        id=source.label if row.position == 0 else f"{source.label}#{row.position}",
        task=f"query-{digest(query)}",
        policy=policy,
        turns=turns,
        messages=_count_nodes(decoded),
        labels={_SOURCE: _label(chain, finish, row.at, findings)},
        stratum="step limit" if finish is None else None,
        lookup=fields_of({"win": decoded.win, "query": query, "policy": policy}),
        declared=decoded.win if isinstance(decoded.win, bool) else None,
    )


def _first_chain(decoded: ToolBenchFile) -> list[Node]:
    if decoded.tree is None:
        return decoded.trys[0].chain if decoded.trys else []
    chain: list[Node] = []
    node = decoded.tree.tree
    while node is not None:
        chain.append(node)
        node = node.children[0] if node.children else None
    return chain


def _turns(
    query: str, chain: Sequence[Node], at: str, findings: Findings
) -> tuple[tuple[Turn, ...], int | None]:
    """Turns up to the first Finish, and the position of Finish in the chain."""
    turns = [Turn("user", "task", query, 0)]
    name, finish = "", None
    for position, node in enumerate(chain):
        step, text = position + 1, _plain(node.description)
        following = chain[position + 1].node_type if position + 1 < len(chain) else None
        if node.node_type == "Thought":
            turns.append(Turn("assistant", "policy", text, step))
        elif node.node_type == "Action":
            name = text
            finish = position if name == "Finish" else None
            if following != "Action Input":
                turns.append(
                    Turn("terminal" if finish is not None else "tool_call", "policy", name, step, name)
                )
        elif node.node_type == "Action Input":
            if text == "" and node.observation is None and node.observation_code is None:
                continue  # the root of a tree
            turns += _act(name, node, step, at, findings)
        else:
            findings.add(
                "NODE_UNKNOWN", at, found=canonical(node.node_type), expected="a ToolBench node type"
            )
            turns.append(Turn("unknown", "unknown", text, step))
        if finish is not None and (following != "Action Input" or finish < position):
            break
    return tuple(turns), finish


def _act(name: str, node: Node, step: int, at: str, findings: Findings) -> list[Turn]:
    """A call and its result."""
    last = name == "Finish"
    text = f"{name} {arguments_text(node.description, findings, at)}"
    call = Turn("terminal" if last else "tool_call", "policy", text, step, name)
    if node.observation is None and node.observation_code is None:
        return [call]
    error = None if last else _is_error(node)
    result = Turn(
        "terminal" if last else "tool_result", "world", _plain(node.observation), step, name, error=error
    )
    return [call, result]


def _is_error(node: Node) -> bool:
    """Whether a result signals an error: a non-empty ``error``, or a code that is neither 0 nor null."""
    value = _object(node.observation)
    if value is not None and value.get("error"):
        return True
    return node.observation_code not in (0, None)


def _label(chain: Sequence[Node], finish: int | None, at: str, findings: Findings) -> Label:
    if finish is None:
        return Label(False, grade="C")
    given = chain[finish + 1] if finish + 1 < len(chain) else None
    kind = _return_type(given.description) if given and given.node_type == "Action Input" else None
    if kind is None:
        findings.add("RETURN_TYPE_UNREADABLE", at, expected="JSON with a return_type")
        return Label(None, "unreadable return type", "C")
    return Label(kind == "give_answer", grade="C")


def _return_type(given: object) -> str | None:
    """The return type that Finish was given.

    In text that is not JSON it is the one that the text plainly names, as the benchmark's own harness reads it: leaving
    those out would leave out one success in ten.
    """
    value = _object(given)
    if value is not None:
        kind = value.get("return_type")
        return kind if isinstance(kind, str) else None
    named = set(_NAMED_TYPE.findall(_plain(given)))
    return named.pop() if len(named) == 1 else None


def _count_nodes(decoded: ToolBenchFile) -> dict[str, int]:
    """Nodes of the whole file by type, and the actions among them that are Finish."""
    counts: Counter[str] = Counter()
    stack = [node for attempt in decoded.trys or [] for node in attempt.chain]
    if decoded.tree is not None and decoded.tree.tree is not None:
        stack.append(decoded.tree.tree)
    while stack:
        node = stack.pop()
        counts[_plain(node.node_type)] += 1
        if node.node_type == "Action" and node.description == "Finish":
            counts["Finish"] += 1
        stack += node.children or []
    return dict(sorted(counts.items()))


def _object(text: object) -> dict[str, Any] | None:
    if isinstance(text, dict):
        return text
    if not isinstance(text, str):
        return None
    try:
        value = parse(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else canonical(value)
