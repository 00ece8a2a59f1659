"""aider: a chat log (``NAME.md``) and, in benchmark runs, the outcome beside it (``NAME.json``).

- A log holds a chat a try, one after the other. The unit is the first chat that holds anything: all of them together
  would let the number of tries tell the label.
- ``resolved`` is about the patch that was submitted. It is the first chat's outcome only where the log has one chat
  for each stored try and the first try's patch is the submitted one; elsewhere there is none.
- An outcome without a log is a run without turns, and excluded. An outcome with a log is no run of its own.
- What a refusal repeats of the policy's reply is cut out of the harness's words: see `aider_echo`.
- Gold files, patches and the results of the harness's own tests never enter a turn.

Tests: ``tests/formats/readers/test_aider.py``. Reference: ``docs/reference/formats/aider.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from armslength.records import Trajectory, Turn, Writer, imitates_result

from ..canonical import canonical, digest
from ..findings import Findings
from ..protocol import ReadOptions
from ..runs import Label, Lookup, Run, fields_of, key_of, label_of, to_trajectories
from ..storage.beside import read_beside
from ..storage.outline import Outline
from ..storage.rows import read_document
from ..storage.sources import Source, stem
from .aider_echo import Replies
from .aider_log import HEADER, Block, split_chats

#: What the harness saw at the end of a try. None of it is the task's outcome: the tests are the repository's old ones.
_OBSERVED: Final = ("test_outcome", "edit_outcome", "lint_outcome")
_MODEL: Final = re.compile(r"^(?:Main model|Models?): (\S+)", re.MULTILINE)


class Try(msgspec.Struct):
    """What the harness stored about a try."""

    model: Any = None
    model_patch: Any = None
    test_outcome: Any = None
    edit_outcome: Any = None
    lint_outcome: Any = None


class Result(Try):
    """What it stored about an instance; the fields of a try are those of the submitted one."""

    instance_id: Any = None
    resolved: Any = None
    all_results: list[Try] | None = None


_DECODER = msgspec.json.Decoder(Result)


class Aider:
    """Reader of aider's chat logs and of its benchmark's outcomes."""

    name = "aider"
    left_out = (
        "chats after the first",
        "token counts and costs",
        "patches, gold files, added and edited files",
        "outcomes of later tries",
    )

    def detect(self, head: Outline, path: str) -> str | None:  # noqa: ARG002
        """A text that opens with a chat's header, or an outcome with a patch and an edit outcome."""
        if not head.opening:
            return None if head.text.startswith(HEADER) else "no aider chat header"
        return head.why_not("instance_id", "model_patch", "edit_outcome", "all_results")

    def read(self, source: Source, options: ReadOptions, findings: Findings) -> Iterator[Trajectory]:
        """Read a log as one trajectory; an outcome only where it has no log."""
        return to_trajectories(_read_runs(source, findings), options, findings)


def _read_runs(source: Source, findings: Findings) -> Iterator[Run]:
    has_log = source.head().lstrip()[:1] != b"{"
    run = _run_of_log(source, findings) if has_log else _run_without_log(source, findings)
    if run is not None:
        yield run


def _run_of_log(source: Source, findings: Findings) -> Run:
    base = stem(source.path.name).removesuffix(".md")
    result = read_beside(source, f"{base}.json", _DECODER, findings)
    chats = split_chats(_text(source, findings))
    held = [chat for chat in chats if chat]
    first = held[0] if held else []
    turns = _turns(first, source.name, findings, is_benchmark=result is not None)
    instance = key_of(result.instance_id) if result else None
    kinds = Counter(block.kind for chat in held for block in chat)
    return Run(
        format=Aider.name,
        at=source.name,
        id=source.label.removesuffix(".md"),
        task=instance or _task(turns),
        policy=_model(first) or "unknown",
        turns=turns,
        messages={"chat": len(chats), **dict(sorted(kinds.items()))},
        labels=_labels(result, held) if result else {},
        label="resolved" if result else None,
        lookup=_lookup(result),
        declared=_declared(result),
        excluded=None if first else "empty chat log",
        unlabelled="no outcome file",
    )


def _run_without_log(source: Source, findings: Findings) -> Run | None:
    log = source.path.with_name(f"{source.stem}.md")
    if log.is_file():
        findings.note("SIDECAR", f"{source.name} (the outcome of {log.name})")
        return None
    result = read_document(source, _DECODER, findings)
    if result is None:
        return None
    return Run(
        format=Aider.name,
        at=source.name,
        id=source.label,
        task=key_of(result.instance_id) or source.stem,
        policy=key_of(result.model) or "unknown",
        turns=(),
        messages={},
        labels={"resolved": label_of(result.resolved)},
        lookup=_lookup(result),
        declared=_declared(result),
        excluded="no chat log",
    )


def _turns(blocks: Sequence[Block], at: str, findings: Findings, *, is_benchmark: bool) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    asked = [block.text for block in blocks if block.kind == "user"]
    replies = Replies()
    for step, (kind, text) in enumerate(blocks):
        if kind == "user":
            # The harness says the same once more when its user breaks off a chat.
            is_task = is_benchmark and text == asked[0]
            writer: Writer = "task" if is_task else "user"
            turns.append(Turn("user", writer, text, step))
        elif kind == "reply":
            turns.append(Turn("assistant", "policy", text, step))
            replies.add(text)
            if imitates_result(text):
                findings.note("IMITATED_OBSERVATION", at)
        elif step == 0:
            turns.append(Turn("system", "task", text, step))  # the banner: versions, models, settings
        else:
            turns += [Turn("tool_result", piece.writer, piece.text, step) for piece in replies.split(text)]
    return tuple(turns)


def _labels(result: Result, chats: Sequence[Sequence[Block]]) -> dict[str, Label]:
    """What is known about the first chat, by label; all of it is stored by try."""
    tries = result.all_results or []
    first = tries[0] if tries and len(tries) == len(chats) and _agree(tries, chats) else None
    if first is None:
        missing = Label(None, "chats and tries do not match")
        return dict.fromkeys(("resolved", *_OBSERVED), missing)
    is_submitted = first.model_patch == result.model_patch
    made = {
        "resolved": label_of(result.resolved) if is_submitted else Label(None, "another try was submitted")
    }
    for name in _OBSERVED:
        made[name] = label_of(getattr(first, name))._replace(grade="C")
    return made


def _agree(tries: Sequence[Try], chats: Sequence[Sequence[Block]]) -> bool:
    """Whether no chat names another model than its try does."""
    pairs = [(attempt.model, _model(chat)) for attempt, chat in zip(tries, chats, strict=True)]
    return all(stored == named for stored, named in pairs if stored is not None and named is not None)


def _model(chat: Sequence[Block]) -> str | None:
    found = _MODEL.search(chat[0].text) if chat and chat[0].kind == "tool" else None
    return found[1] if found else None


def _lookup(result: Result | None) -> Lookup:
    fields = ("instance_id", "model", "resolved", *_OBSERVED) if result else ()
    return fields_of({name: getattr(result, name) for name in fields})


def _declared(result: Result | None) -> bool | None:
    return result.resolved if result is not None and isinstance(result.resolved, bool) else None


def _task(turns: Sequence[Turn]) -> str:
    asked = [turn.text for turn in turns if turn.role == "user"][:1]
    return f"prompt-{digest(canonical(asked))}"


def _text(source: Source, findings: Findings) -> str:
    data = source.open(findings).whole()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        findings.add("INVALID_UTF8", source.name, found=f"byte {error.start}", expected="UTF-8")
        return data.decode("utf-8", "replace")
