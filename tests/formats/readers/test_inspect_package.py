"""Logs that Inspect itself writes: read here and by the package, the messages, scores and ids are the same."""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalSample,
    EvalSampleLimit,
    EvalSpec,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
)
from inspect_ai.scorer import Score, value_to_float
from inspect_ai.tool import ToolCall, ToolCallError

from armslength.formats import Findings, ReadOptions, read
from armslength.formats.canonical import canonical
from armslength.formats.made_up import MADE_UP_NAME

FORMS = ("eval", "json")


def parts_of(message):
    """The texts of a message as the package gives them, each with the role of its turn."""
    if message.role in ("system", "user"):
        return [(message.role, text_of(message))]
    if message.role == "tool":
        failed = message.error.message if message.error else ""
        if failed == f"Tool {message.function} not found":  # the policy made that name up: it is masked here
            failed = f"Tool {MADE_UP_NAME} not found"
        return [("tool_result", failed or text_of(message))]
    content = [] if isinstance(message.content, str) else message.content
    thoughts = [part for part in content if part.type == "reasoning"]
    made = []
    if thoughts:
        shown = (part.summary if part.redacted else part.reasoning for part in thoughts)
        made.append(("assistant", "\n".join(text or "[redacted thinking]" for text in shown)))
    text = text_of(message)
    made += [("assistant", text)] if text else []
    made += [("tool_call", f"{c.function} {canonical(c.arguments)}") for c in message.tool_calls or ()]
    return made or [("assistant", "")]


def text_of(message):
    if isinstance(message.content, str):
        return message.content
    shown = [part for part in message.content if part.type != "reasoning"]
    return "\n".join(part.text if part.type == "text" else f"[{part.type}]" for part in shown)


def theirs(path):
    """What the package reads: by id and epoch, the messages, the scores as numbers, and how the sample ended."""
    as_number = value_to_float()

    def numbers(score):
        value = score.value
        if isinstance(value, list):
            value = dict(enumerate(value))
        parts = {f".{k}": v for k, v in value.items()} if isinstance(value, dict) else {"": value}
        return {part: None if v is None else as_number(v) for part, v in parts.items()}

    log = read_eval_log(str(path), resolve_attachments=True)
    return {
        (str(sample.id), sample.epoch): (
            [(step, *part) for step, message in enumerate(sample.messages) for part in parts_of(message)],
            {
                name + part: value
                for name, score in (sample.scores or {}).items()
                for part, value in numbers(score).items()
            },
            sample.error is not None,
            f"{log.eval.task}/{sample.id}",
            log.eval.model,
        )
        for sample in log.samples or []
    }


def ours(path, names):
    """The same as `theirs`: scores are known from the outcomes that each label and each rule gives."""
    made = {}
    by_name = {name: results(path, name) for name in names}
    for trajectory in read(path, None, Findings()):
        key = (trajectory.origin.task_id, trajectory.trial)
        turns = [(turn.step, turn.role, turn.text) for turn in trajectory.turns]
        crashed = trajectory.origin.excluded == "crashed"
        outcomes = {} if crashed else {name: by_name[name][key] for name in names}
        made[key] = (turns, outcomes, crashed, trajectory.task, trajectory.policy)
    return made


def results(path, name):
    """For each sample what a label says of it, and whether its score is at least a half."""
    found = {}
    for options in (ReadOptions(label=name), ReadOptions(success=f"{name}>=0.5")):
        for trajectory in read(path, options, Findings()):
            key = (trajectory.origin.task_id, trajectory.trial)
            found.setdefault(key, []).append(trajectory.outcome and trajectory.outcome.success)
    return {key: tuple(pair) for key, pair in found.items()}


def said(number):
    """What a score as a number must give by label and by rule."""
    if number is None or math.isnan(number):
        return (None, None)
    return ({1.0: True, 0.0: False}.get(number), number >= 0.5)


def assert_same(path):
    """Both readings of a log are equal."""
    expected = theirs(path)
    names = sorted({name for _, scores, *_ in expected.values() for name in scores})
    wanted = {
        key: (turns, {} if crashed else {name: said(scores.get(name)) for name in names}, crashed, *rest)
        for key, (turns, scores, crashed, *rest) in expected.items()
    }
    assert ours(path, names) == wanted
    return expected


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """Logs of one evaluation in both forms, and the archive again with its samples in chunks."""
    folder = tmp_path_factory.mktemp("logs")
    script = Path(__file__).with_name("inspect_evaluation.py")
    done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {**{form: folder / f"log.{form}" for form in FORMS}, "chunked": folder / "chunked/log.eval"}


@pytest.mark.parametrize("form", FORMS)
def test_an_evaluation_reads_back_the_same(evaluated, form):
    expected = assert_same(evaluated[form])
    assert len(expected) == 8
    crashed = {key for key, (_, _, crashed, *_) in expected.items() if crashed}
    assert crashed == {("breaks", 1), ("breaks", 2)}


def test_samples_in_chunks_read_back_the_same(evaluated):
    """The package's reader of whole logs refuses chunks, which its converter makes of a log that it reads."""
    whole, chunked = (
        {t.id: (t.turns, t.outcome) for t in read(evaluated[form], ReadOptions(label="match"))}
        for form in ("eval", "chunked")
    )
    assert whole == chunked


@pytest.mark.parametrize("form", [*FORMS, "chunked"])
def test_an_evaluations_writers_limits_and_masks(evaluated, form):
    findings = Findings()
    runs = {t.id: t for t in read(evaluated[form], ReadOptions(label="match"), findings)}
    looped = runs["a/b ü/1"]
    assert looped.outcome.stratum == "step limit"
    assert {turn.error for turn in looped.turns if turn.role == "tool_result"} == {False, True}
    added = runs["sum/1"]
    assert [(turn.role, turn.writer) for turn in added.turns] == [
        ("system", "task"),
        ("user", "task"),
        ("assistant", "policy"),
        ("tool_call", "policy"),
        ("tool_result", "world"),
        ("assistant", "policy"),
        ("assistant", "policy"),
        ("user", "unknown"),
        ("assistant", "policy"),
        ("assistant", "policy"),
    ]
    assert [turn.writer for turn in runs["7/1"].turns[:4]] == ["task"] * 4
    assert runs["7/1"].turns[3].text == "sum this\n[image]"
    assert set(findings.counts) <= {"CALL_UNANSWERED"}


# Logs of any content, written by the package.

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="#<"), max_size=12)


def stays(name):
    """Whether a name stays in its folder: archives with other members are refused here."""
    return ".." not in name


names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=9)
texts = words | st.just("a long text, " * 30)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 1 << 40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
calls = st.builds(
    ToolCall,
    id=st.sampled_from(["c1", "c2", "c3"]),
    function=st.sampled_from(["find", "move"]),
    arguments=st.dictionaries(words, values, max_size=3),
)
pieces = st.builds(ContentText, text=texts) | st.builds(
    ContentImage, image=st.just("data:image/png;base64,iVBORw0KGgo" * 9)
)
thoughts = st.builds(ContentReasoning, reasoning=texts, redacted=st.booleans(), summary=st.none() | texts)
contents = texts | st.lists(pieces, max_size=3)
sources = st.sampled_from([None, "input", "generate", "operator"])
messages = st.one_of(
    st.builds(ChatMessageSystem, content=contents),
    st.builds(ChatMessageUser, content=contents, source=sources),
    st.builds(
        ChatMessageAssistant,
        content=texts | st.lists(pieces | thoughts, max_size=3),
        source=sources,
        tool_calls=st.none() | st.lists(calls, max_size=2),
    ),
    st.builds(
        ChatMessageTool,
        content=contents,
        tool_call_id=st.sampled_from(["c1", "c2", "c3"]),
        function=st.sampled_from(["find", "move"]),
        error=st.none() | st.builds(ToolCallError, st.sampled_from(["timeout", "unknown"]), texts),
    ),
)
finite = st.sampled_from(["C", "I", "P", "N", 0, 1, 0.25, 1.0, True, False, "yes", "No"])
single = finite | st.just(math.nan)
scores = st.dictionaries(
    st.sampled_from(["match", "judge", "my-scorer"]),
    st.builds(
        Score,
        value=single
        | st.lists(finite, min_size=1, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b"]), st.none() | single, min_size=1),
        reason=st.none() | words,
    ),
    max_size=3,
)


@st.composite
def samples(draw):
    """Samples with ids and epochs that are not repeated."""
    keys = draw(
        st.lists(
            st.tuples(st.integers(0, 99) | names.filter(stays), st.integers(1, 3)),
            max_size=3,
            unique_by=lambda key: (str(key[0]), key[1]),
        )
    )
    return [
        EvalSample(
            id=name,
            epoch=epoch,
            input=draw(texts),
            target="",
            messages=draw(st.lists(messages, max_size=5)),
            scores=draw(st.none() | scores),
            metadata=draw(st.dictionaries(words, values, max_size=2)),
            error=draw(st.none() | st.just(EvalError(message="boom", traceback="", traceback_ansi=""))),
            limit=draw(st.none() | st.just(EvalSampleLimit(type="time", limit=3))),
        )
        for name, epoch in keys
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(samples())
def test_logs_of_any_content_read_back_the_same_in_both_forms(made):
    spec = EvalSpec(
        created="2026-03-01T10:00:00+00:00",
        task="any",
        dataset=EvalDataset(),
        model="mockllm/model",
        config=EvalConfig(),
    )
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMS:
            path = Path(folder) / f"log.{form}"
            write_eval_log(EvalLog(eval=spec, status="success", samples=made), str(path), format=form)
            if made:
                assert len(assert_same(path)) == len(made)
