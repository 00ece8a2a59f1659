"""What a format is, and what a caller may say about how to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from armslength.records import Role, Trajectory

from .findings import Findings
from .storage.outline import Outline
from .storage.sources import Source


@dataclass(frozen=True)
class ReadOptions:
    """What the caller says about the input.

    Attributes:
        success: a comparison ``FIELD OP NUMBER`` that says when a run succeeded, such as ``reward>=1``.
        label: the name of the label to take where a record has several, or of a field that holds one.
        where: read only records whose fields have these values; several values of one key are alternatives.
        task: the field that names the task, instead of the format's own rule.
        policy: the field that names the policy, instead of the format's own rule.
        crashed: whether a run that broke off is left out or counts as a failure.
        strict: stop at the first finding; also looks for duplicate keys in every record.
        format: the reader's name, instead of recognising files by their content.
        roles: what role names stand for that the format does not list.
        tasks: where what files say that their tasks expect is kept, by digest; no trajectory holds it.
    """

    success: str | None = None
    label: str | None = None
    where: Sequence[tuple[str, str]] = ()
    task: str | None = None
    policy: str | None = None
    crashed: Literal["exclude", "failure"] = "exclude"
    strict: bool = False
    format: str | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    tasks: MutableMapping[str, object] | None = None


class Format(Protocol):
    """A reader of one file format."""

    @property
    def name(self) -> str:
        """The name that ``--format`` takes and that origins carry."""
        ...

    @property
    def left_out(self) -> Sequence[str]:
        """What the format stores that a trajectory has no place for; ``read --out`` names it."""
        ...

    def detect(self, head: Outline, path: str) -> str | None:
        """Recognise a file by its first bytes.

        Args:
            head: which keys stand where in the first bytes, and the bytes as text.
            path: the file's name.

        Returns:
            None if the file is of this format, else why not.
        """
        ...

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a file record by record; what cannot be read becomes a finding."""
        ...
