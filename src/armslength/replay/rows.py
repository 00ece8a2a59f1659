"""The rows of the reference format as structs, and what a document holds beside them.

Typed decoding takes a file only if its fields hold what is usual. Rows of any other file are made by the exact reader:
then a field may hold any JSON value or be absent (`UNSET`, which is false), and what it must be is for the checks to
say, each with a reason of its own. Keys that the format does not know stand in `Document.extras`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import UNSET, Struct, structs

if TYPE_CHECKING:  # a row made by the exact reader may hold any value in any field
    Text: TypeAlias = Any
    Texts: TypeAlias = Any
    Facts: TypeAlias = Any
    Scalar: TypeAlias = Any
else:  # what the typed reader takes; anything else is for the exact reader
    Text, Texts, Facts = str, list[str], dict[str, list[str]]
    Scalar = str | int | float | bool | None


class EpisodeRow(Struct, gc=False, forbid_unknown_fields=True):
    """One episode: a task, its trajectory group, outcome reward and cold replay."""

    episode_id: Text = UNSET
    task_type: Scalar = UNSET
    task_spec_hash: Text = UNSET
    trajectory_group_id: Text = UNSET
    outcome_reward_ref: Text = UNSET
    cold_replay_ref: Text = UNSET
    observation_digest_refs: Texts = UNSET
    body_redacted: Scalar = UNSET
    private_ref_metadata_only: Scalar = UNSET


class BeliefRow(Struct, gc=False, forbid_unknown_fields=True):
    """One step's public belief summary and what it expects to see next."""

    belief_state_id: Text = UNSET
    episode_id: Text = UNSET
    step_id: Text = UNSET
    observation_digest_ref: Text = UNSET
    feedback_ref: Text = UNSET
    trajectory_group_id: Text = UNSET
    belief_state_json: Facts = UNSET
    predicted_next_evidence: Texts = UNSET
    belief_discrepancy: Scalar = UNSET
    hidden_chain_of_thought_exported: Scalar = UNSET
    body_redacted: Scalar = UNSET
    private_ref_metadata_only: Scalar = UNSET


class FeedbackRow(Struct, gc=False, forbid_unknown_fields=True):
    """What a verifier or the environment said about one step, and on which evidence."""

    feedback_id: Text = UNSET
    episode_id: Text = UNSET
    feedback_kind: Scalar = UNSET
    reliability_score: Scalar = UNSET
    evidence_refs: Texts = UNSET
    neural_judge_only: Scalar = UNSET
    hidden_gold_label_present: Scalar = UNSET
    body_redacted: Scalar = UNSET
    private_ref_metadata_only: Scalar = UNSET


class RewardRow(Struct, gc=False, forbid_unknown_fields=True):
    """One process or outcome reward with what it cites."""

    reward_event_id: Text = UNSET
    episode_id: Text = UNSET
    belief_state_id: Text = UNSET
    trajectory_group_id: Text = UNSET
    verifier_feedback_ref: Text = UNSET
    reward_kind: Scalar = UNSET
    reward_value: Scalar = UNSET
    belief_discrepancy: Scalar = UNSET
    reward_hacking_trap_result: Scalar = UNSET
    reward_by_formatting: Scalar = UNSET
    verifier_bypassed: Scalar = UNSET
    final_answer_only_scoring: Scalar = UNSET
    body_redacted: Scalar = UNSET
    private_ref_metadata_only: Scalar = UNSET


class TrajectoryRow(Struct, gc=False, forbid_unknown_fields=True):
    """One trajectory group: its episodes, its process rewards in order, its one outcome reward."""

    trajectory_group_id: Text = UNSET
    episode_ids: Texts = UNSET
    process_reward_refs: Texts = UNSET
    outcome_reward_ref: Text = UNSET
    reward_alignment: Scalar = UNSET
    cold_replay_status: Scalar = UNSET
    body_redacted: Scalar = UNSET
    private_ref_metadata_only: Scalar = UNSET


class ColdReplayRow(Struct, gc=False, forbid_unknown_fields=True):
    """One cold replay of a trajectory."""

    replay_id: Text = UNSET
    trajectory_group_id: Text = UNSET
    status: Scalar = UNSET
    evidence_refs: Texts = UNSET
    body_redacted: Scalar = UNSET
    private_ref_metadata_only: Scalar = UNSET


_LONGEST_SHOWN = 160  # characters; longer ids are refused by the strict profile


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the rows of a file stand, and which of their fields joins go by.

    Attributes:
        key: the key of the list.
        row: the struct of a row.
        refs: fields that hold the id of a row of the folder; the first names the row itself.
        opaque: fields that hold one reference that leads out of the folder.
        lists: fields that hold lists of ids of rows of the folder.
        opaque_lists: fields that hold lists of references that lead out of the folder.
    """

    key: str
    row: type[Struct]
    refs: tuple[str, ...]
    opaque: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    opaque_lists: tuple[str, ...] = ()

    @property
    def id_field(self) -> str:
        """The field that names a row."""
        return self.refs[0]


_TRAJECTORY = "trajectory_group_id"
LAYOUTS: Final[dict[str, Layout]] = {
    "task_episodes.json": Layout(
        "episodes",
        EpisodeRow,
        ("episode_id", _TRAJECTORY, "outcome_reward_ref", "cold_replay_ref"),
        opaque_lists=("observation_digest_refs",),
    ),
    "belief_states.json": Layout(
        "belief_states",
        BeliefRow,
        ("belief_state_id", "episode_id", "feedback_ref", _TRAJECTORY),
        opaque=("step_id", "observation_digest_ref"),
    ),
    "verifier_feedback.json": Layout(
        "feedback", FeedbackRow, ("feedback_id", "episode_id"), opaque_lists=("evidence_refs",)
    ),
    "reward_events.json": Layout(
        "reward_events",
        RewardRow,
        ("reward_event_id", "episode_id", "belief_state_id", _TRAJECTORY, "verifier_feedback_ref"),
    ),
    "trajectory_groups.json": Layout(
        "trajectory_groups",
        TrajectoryRow,
        (_TRAJECTORY, "outcome_reward_ref"),
        lists=("episode_ids", "process_reward_refs"),
    ),
    "cold_replay.json": Layout(
        "cold_replays", ColdReplayRow, ("replay_id", _TRAJECTORY), opaque_lists=("evidence_refs",)
    ),
}


@dataclass(slots=True)
class Document:
    """One input file, decoded.

    Attributes:
        name: file name, the key of the format.
        path: where it was read.
        shown: how outputs name it.
        raw: its bytes; dropped when scanned and digested.
        value: the whole document where the format has no row list in it, or where it is no object.
        rows: the rows of its list, in file order; items that are no objects are left out.
        places: position in the list of each row, where items were left out; else None.
        extras: row → its keys that the format does not know.
        top: its keys beside the list.
        odd: positions of the list's items that are no objects.
        list_found: whether the list key held a list.
        plain: true if its text is printable ASCII without escapes and its numbers are finite, so that two JSON
            writers cannot disagree about it.
        hides: whether lists and objects in the place of ids are named by their kind only (strict), not printed.
    """

    name: str
    path: Path
    shown: str
    raw: bytes = b""
    value: Any = None
    rows: list[Any] = field(default_factory=list)
    places: list[int] | None = None
    extras: dict[int, dict[str, Any]] = field(default_factory=dict)
    top: dict[str, Any] = field(default_factory=dict)
    odd: list[int] = field(default_factory=list)
    list_found: bool = True
    plain: bool = False
    hides: bool = False
    _columns: dict[str, list[Any]] = field(default_factory=dict)
    _types: dict[str, frozenset[type]] = field(default_factory=dict)

    def named(self, value: Any) -> str:
        """An id or reference as text; the strict profile leaves out lists, objects and what is too long for a name."""
        if not self.hides:
            return text(value)
        named = label(value)
        return named if len(named) <= _LONGEST_SHOWN else f"<{len(named)} characters left out>"

    def column(self, name: str) -> list[Any]:
        """One field of all rows; made once."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = list(map(attrgetter(name), self.rows))
        return found

    def types(self, name: str) -> frozenset[type]:
        """The types that occur in one field; looked at once."""
        found = self._types.get(name)
        if found is None:
            found = self._types[name] = frozenset(map(type, self.column(name)))
        return found

    def pointer(self, row: int, key: str = "") -> str:
        """The place of a row, or of a field of it, as file and JSON pointer."""
        layout = LAYOUTS[self.name]
        place = self.places[row] if self.places is not None else row
        return f"{self.name}#/{layout.key}/{place}" + (f"/{escape_pointer(key)}" if key else "")


def joined_rows(document: Document) -> list[Any]:
    """The rows with references as `text` and lists of references as `strings`, as joins go by them.

    The rows themselves where they are so already, which is the rule.
    """
    layout = LAYOUTS[document.name]
    refs, lists = layout.refs + layout.opaque, layout.lists + layout.opaque_lists
    if all(document.types(name) <= {str} and short_texts(document, name) for name in refs) and all(
        _regular_lists(document, name) for name in lists
    ):
        return document.rows
    return [
        structs.replace(
            row,
            **{name: document.named(getattr(row, name)) for name in refs},
            **{name: strings(getattr(row, name)) for name in lists},
        )
        for row in document.rows
    ]


def short_texts(document: Document, name: str) -> bool:
    """Whether no text of a field is too long to be shown (the format shows any)."""
    texts = (value for value in document.column(name) if isinstance(value, str))
    return not document.hides or max(map(len, texts), default=0) <= _LONGEST_SHOWN


def _regular_lists(document: Document, name: str) -> bool:
    items = list(chain.from_iterable(document.column(name))) if document.types(name) <= {list} else [None]
    return set(map(type, items)) <= {str} and all(items)


def label(value: Any) -> str:
    """How outputs name something: as `text`, but of lists and objects only the kind."""
    return f"<{type(value).__name__} left out>" if isinstance(value, list | dict) else text(value)


def escape_pointer(key: str) -> str:
    """A key as one token of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def text(value: Any) -> str:
    """The format's reading of a value as text: falsy values are empty, others as they print."""
    if type(value) is str:
        return value
    if not value:
        return ""
    try:
        return str(_ordered(value))
    except (RecursionError, ValueError):  # nested deeply, or an integer of more digits than print
        return "unprintable"


def _ordered(value: Any) -> Any:
    """The value with the keys of its objects in order: what it prints must not depend on how a file is written."""
    if isinstance(value, dict):
        return {key: _ordered(item) for key, item in sorted(value.items())}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def strings(value: Any) -> list[str]:
    """The non-empty strings of a list, in order; empty for anything that is no list."""
    return [item for item in value if type(item) is str and item] if type(value) is list else []


def any_string(value: Any) -> bool:
    """Whether `strings(value)` would hold anything."""
    return type(value) is list and any(type(item) is str and item for item in value)


def numeric(value: Any) -> bool:
    """Whether a value is a JSON number (NaN and infinities too, a boolean not)."""
    return type(value) is float or type(value) is int


def absent_as_none(value: Any) -> Any:
    """An absent field reads as null where the format does not tell them apart."""
    return None if value is UNSET else value


def shown_value(value: Any) -> Any:
    """A value as receipts may show it: text, finite numbers, booleans; lists and objects by their kind only."""
    kind = type(value)
    if kind is str or value is None or kind is bool or kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else str(value)
    return None if value is UNSET else f"<{kind.__name__} left out>"
