"""Inspect logs: both shapes, whole and damaged, to the same trajectories."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome

from ..zips import Entry, zip_of

HEADER = {"status": "success", "eval": {"task": "parcels", "model": "mock/courier"}}


def said(text, role="user", source="input", **more):
    return {"role": role, "content": text, "source": source, **more}


def sample(name="p1", epoch=1, messages=None, **fields):
    messages = [said("Where?"), said("Here.", "assistant", "generate")] if messages is None else messages
    scores = {"match": {"value": "C"}}
    return {"id": name, "epoch": epoch, "input": "Where?", "messages": messages, "scores": scores, **fields}


def member(row):
    epoch = row["epoch"] if isinstance(row["epoch"], int) else 1
    return Entry(f"samples/{row['id']}_epoch_{epoch}.json", json.dumps(row).encode())


def as_json(samples, header=HEADER):
    return json.dumps({"version": 2, **header, "samples": samples}).encode(), "log.json"


def as_eval(samples, header=HEADER):
    start = Entry("_journal/start.json", json.dumps({"version": 2, "eval": header["eval"]}).encode())
    last = Entry("header.json", json.dumps({"version": 2, **header}).encode())
    return zip_of([start, *map(member, samples), last]), "log.eval"


BOTH = pytest.mark.parametrize("form", [as_json, as_eval])


def turns(trajectory):
    return [(turn.role, turn.writer, turn.text) for turn in trajectory.turns]


def test_the_fixture(data):
    findings = Findings()
    first, second, third, fourth = read(data / "inspect", ReadOptions(label="match"), findings)
    assert turns(first) == [
        ("system", "task", "You answer for a courier."),
        ("user", "task", "Where is parcel 17?"),
        ("assistant", "policy", "Look it up."),
        ("assistant", "policy", "One moment."),
        ("tool_call", "policy", 'track {"parcel":17}'),
        ("tool_call", "policy", "weather {}"),
        ("tool_result", "world", "depot: Bergen"),
        ("tool_result", "world", "Tool [made-up tool] not found"),
        ("user", "unknown", "Answer in one line."),
        ("assistant", "policy", "It lies in Bergen."),
    ]
    assert [turn.step for turn in first.turns] == [0, 1, 2, 2, 2, 2, 3, 4, 5, 6]
    assert [turn.error for turn in first.turns if turn.role == "tool_result"] == [False, True]
    assert {turn.writer_source for turn in first.turns if turn.writer == "policy"} == {"field"}
    assert (first.id, first.task, first.policy, first.trial) == ("p1/1", "parcels/p1", "mock/courier", 1)
    assert Outcome(True, "match", "B") == first.outcome
    assert first.origin.messages == {"system": 1, "user": 2, "assistant": 2, "tool": 2}
    assert turns(second)[-1] == ("user", "user", "The big one.")
    assert Outcome(False, "match", "B", "step limit") == second.outcome
    assert turns(third) == [
        ("user", "task", "Say yes."),
        ("assistant", "task", "Yes."),
        ("user", "task", "And now no."),
        ("assistant", "unknown", "No?"),
        ("assistant", "policy", "No."),
    ]
    assert (third.outcome, third.origin.unlabelled) == (None, "unscored: grader_failed")
    assert (fourth.id, fourth.origin.task_id, fourth.origin.excluded) == ("2/2", "2", "crashed")
    assert not len(findings)
    assert findings.notes == {"JUDGED_BY_MODEL": 3, "MADE_UP_TOOL": 1}
    assert "in Bergen" not in {turn.text for turn in first.turns}


def outcomes(data, **options):
    findings = Findings()
    return [t.outcome for t in read(data / "inspect", ReadOptions(**options), findings)], findings


def test_several_scorers_need_a_choice(data):
    got, findings = outcomes(data)
    assert got == [None] * 4
    assert findings.counts == {"LABEL_AMBIGUOUS": 3}
    assert findings.items[0].found == "match, model_graded_qa, style.short, style.polite"


def test_a_score_of_a_judge_has_grade_c_and_no_answer_is_failure(data):
    got, _ = outcomes(data, label="model_graded_qa")
    assert got == [
        Outcome(False, "model_graded_qa", "C"),
        None,
        Outcome(False, "model_graded_qa", "C"),
        None,
    ]


def test_a_part_of_a_score_is_a_label(data):
    got, findings = outcomes(data, label="style.short")
    assert got == [
        Outcome(True, "style.short", "B"),
        Outcome(False, "style.short", "B", "step limit"),
        None,
        None,
    ]
    assert not len(findings)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("model_graded_qa>=0.5", [False, True, False, None]),
        ("style.polite>=0.4", [True, True, False, None]),
        ("scores.style.value.polite>=0.4", [True, True, False, None]),
    ],
)
def test_a_rule_reads_scores_as_numbers(data, rule, expected):
    got, _ = outcomes(data, success=rule)
    assert [outcome and outcome.success for outcome in got] == expected


def test_a_rule_on_a_judges_score_keeps_its_grade(data):
    got, _ = outcomes(data, success="model_graded_qa>=0.5")
    assert {outcome.grade for outcome in got if outcome} == {"C"}
    assert outcomes(data, success="match>=0.5")[0][0].grade == "B"


def test_where_and_keys(data):
    options = ReadOptions(where=[("metadata.region", "west")], label="match", task="id", policy="eval.model")
    got = list(read(data / "inspect", options))
    assert [(t.id, t.task, t.policy) for t in got] == [
        ("p1/1", "p1", "mock/courier"),
        ("p1/2", "p1", "mock/courier"),
    ]


def test_crashed_samples_may_count_as_failures(data):
    got, _ = outcomes(data, label="match", crashed="failure")
    assert got[3] == Outcome(False, "crashed", "B", "crashed")


@BOTH
def test_both_forms_give_the_same(read_bytes, form):
    rows = [sample(), sample(epoch=2), sample("a/b", scores={"match": {"value": "I"}})]
    got, findings = read_bytes(*form(rows))
    assert [(t.id, t.task, t.trial, t.outcome.success) for t in got] == [
        ("p1/1", "parcels/p1", 1, True),
        ("p1/2", "parcels/p1", 2, True),
        ("a/b/1", "parcels/a/b", 1, False),
    ]
    assert [turns(t) for t in got] == [[("user", "task", "Where?"), ("assistant", "policy", "Here.")]] * 3
    assert not len(findings)
    assert {t.origin.format for t in got} == {"inspect"}


@BOTH
def test_limits_errors_and_invalidations(read_bytes, form):
    wrong = {"match": {"value": "I"}}
    rows = [
        sample("turns", limit={"type": "turn", "limit": 3}, scores=wrong),
        sample("time", limit={"type": "time", "limit": 3}, scores=wrong),
        sample("odd", limit=7, scores=wrong),
        sample("passed", limit={"type": "time", "limit": 3}),
        sample("error", error={"message": "boom"}),
        sample("void", invalidation={"author": "me"}),
        sample("unscored", scores=None),
    ]
    got = {t.id[:-2]: t for t in read_bytes(*form(rows))[0]}
    strata = {name: t.outcome and t.outcome.stratum for name, t in got.items()}
    assert strata == {
        "turns": "step limit", "time": "limit", "odd": "limit", "passed": None,
        "error": None, "void": None, "unscored": None,
    }  # fmt: skip
    excluded = {name: t.origin.excluded for name, t in got.items() if t.origin.excluded}
    assert excluded == {"error": "crashed", "void": "invalidated"}
    assert got["unscored"].origin.unlabelled == "not scored"


@BOTH
@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
def test_a_log_that_did_not_end_well_is_a_note(read_bytes, form, status):
    got, findings = read_bytes(*form([sample()], {**HEADER, "status": status}))
    assert len(got) == 1
    assert findings.notes == {"LOG_INCOMPLETE": 1}
    assert findings.noted[0].at == f"{form([])[1]} (status {status})"


@BOTH
def test_a_log_without_samples_is_a_note(tmp_path, form):
    content, name = form([])
    (tmp_path / name).write_bytes(content)
    (tmp_path / "other.jsonl").write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')
    findings = Findings()
    assert len(list(read(tmp_path, None, findings))) == 1
    assert findings.notes == {"LOG_WITHOUT_SAMPLES": 1}


@BOTH
def test_a_sample_without_an_id_is_a_finding(read_bytes, form):
    got, findings = read_bytes(*form([sample(), sample(name=None)]))
    assert len(got) == 1
    assert findings.counts == {"ROW_INVALID": 1}


@BOTH
def test_a_repeated_sample_gets_a_name_of_its_own(read_bytes, form):
    content, name = form([sample(), sample(messages=[])])
    got, findings = read_bytes(content, name)
    ids = [t.id for t in got]
    assert ids == (["p1/1", "p1/1#1"] if form is as_json else ["p1/1"])
    assert sorted(findings.counts) == (
        ["ATTEMPT_CONFLICT", "ID_REPEATED"] if form is as_json else ["MEMBER_REPEATED"]
    )


def test_a_torn_document_gives_the_samples_before_the_tear(read_bytes):
    content, name = as_json([sample(), sample(epoch=2)])
    got, findings = read_bytes(content[:-40], name)
    assert [(t.id, t.policy, t.task) for t in got] == [("p1/1", "mock/courier", "parcels/p1")]
    assert findings.counts == {"ARRAY_TORN": 1}


def test_nan_anywhere_in_a_document_is_read(read_bytes):
    """Inspect marks samples that were not scored with NaN, in samples and in its own means."""
    rows = [sample(), sample(epoch=2, scores={"match": {"value": float("nan")}})]
    got, findings = read_bytes(*as_json(rows, {**HEADER, "results": {"mean": float("nan")}}))
    assert [t.origin.unlabelled for t in got] == [None, "unscored"]
    assert not len(findings)


def test_an_archive_of_a_run_that_died_is_read_from_its_journal(read_bytes):
    content = zip_of([Entry("_journal/start.json", json.dumps(HEADER).encode()), member(sample())])
    got, findings = read_bytes(content, "log.eval")
    assert [(t.policy, t.task) for t in got] == [("mock/courier", "parcels/p1")]
    assert findings.notes == {"LOG_INCOMPLETE": 1}


def test_an_archive_that_ends_early_is_one_finding(tmp_path):
    content, name = as_eval([sample()])
    (tmp_path / name).write_bytes(content[:-50])
    (tmp_path / "other.jsonl").write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')
    findings = Findings()
    assert len(list(read(tmp_path, None, findings))) == 1
    assert findings.counts == {"ARCHIVE_BROKEN": 1}


def test_an_archive_without_a_header_is_a_finding(read_bytes):
    got, findings = read_bytes(zip_of([member(sample())]), "log.eval")
    assert [(t.policy, t.task) for t in got] == [("unknown", "log.eval/p1")]
    assert findings.counts == {"ROW_INVALID": 1}


def test_broken_samples_of_an_archive_leave_the_others(read_bytes):
    bad = [
        Entry("samples/x_epoch_1.json", b'{"id": "x", "messages": ['),
        Entry("samples/y_epoch_1.json", b'{"id": "y", "messages": 3}'),
        Entry("samples/z_epoch_1.json", b"{}", crc=5),
        Entry("../samples/w_epoch_1.json", b"{}"),
    ]
    header = Entry("header.json", json.dumps(HEADER).encode())
    got, findings = read_bytes(zip_of([*bad, member(sample()), header]), "log.eval")
    assert [t.id for t in got] == ["p1/1"]
    assert [(finding.code, finding.at) for finding in findings.items] == [
        ("MEMBER_REFUSED", "log.eval:../samples/w_epoch_1.json"),
        ("ROW_UNREADABLE", "log.eval:samples/x_epoch_1.json"),
        ("ROW_INVALID", "log.eval:samples/y_epoch_1.json"),
        ("MEMBER_BROKEN", "log.eval:samples/z_epoch_1.json"),
    ]


def chunked(rows, refs, folder="samples/p1_epoch_1"):
    """A sample in chunks of two messages and of one attachment."""
    shell = {**sample(messages=None), "message_refs": refs}
    del shell["messages"]
    members = {
        "sample.json": shell,
        "metadata.json": {"region": "west"},
        "attachments/0.json": ["Where?"],
        "attachments/1.json": ["There.", "Here."],
        "events/stats.json": {},
        **{f"messages/{start}.json": rows[start : start + 2] for start in range(0, len(rows), 2)},
    }
    made = [Entry(f"{folder}/{name}", json.dumps(value).encode()) for name, value in members.items()]
    header = Entry("header.json", json.dumps(HEADER).encode())
    return zip_of([*made, member(sample("p2")), header])


def test_chunked_and_whole_samples_in_one_log(read_bytes):
    rows = [said("dropped"), said("attachment://0"), said("attachment://2", "assistant", "generate")]
    content = chunked(rows, [[1, 3]])
    got, findings = read_bytes(content, "log.eval", where=[("metadata.region", "west")])
    assert [turns(t) for t in got] == [[("user", "task", "Where?"), ("assistant", "policy", "Here.")]]
    assert findings.notes == {"LEFT_OUT_BY_WHERE": 1}
    assert len(read_bytes(content, "log.eval")[0]) == 2


@pytest.mark.parametrize(
    ("refs", "code"),
    [
        ([[1, 9]], "MESSAGES_MISSING"),
        ([[-1, 1]], "MESSAGES_MISSING"),
        ([[0, 1 << 40]], "TOO_MANY_MESSAGES"),
        ([[0, 3], [5, -9]] * 400_000, "TOO_MANY_MESSAGES"),
        ("all", "ROW_INVALID"),
    ],
)
def test_chunked_samples_without_their_messages_are_findings(read_bytes, refs, code):
    got, findings = read_bytes(chunked([said("a"), said("b"), said("c")], refs), "log.eval")
    assert [t.id for t in got] == ["p2/1"]
    assert findings.counts == {code: 1}


def test_other_zip_files_are_not_claimed(read_bytes, tmp_path):
    content = zip_of([Entry("data/a.json", b"{}")])
    (tmp_path / "other.zip").write_bytes(content)
    with pytest.raises(Exception, match="NOTHING_READ"):
        list(read(tmp_path))
    got, _ = read_bytes(as_eval([sample()])[0], "renamed.zip")
    assert [t.origin.format for t in got] == ["inspect"]


def test_other_documents_with_a_status_are_not_claimed(tmp_path):
    (tmp_path / "a.json").write_text('{"status": "success", "eval": {"task": "x"}}')
    findings = Findings()
    with pytest.raises(Exception, match="NOTHING_READ"):
        list(read(tmp_path, None, findings))
    assert findings.counts == {"FORMAT_UNKNOWN": 1}


@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [[]], {"a": 1}])
@pytest.mark.parametrize(
    "key",
    ["messages", "input", "scores", "score", "metadata", "attachments", "limit", "error", "epoch", "transcript"],
)  # fmt: skip
def test_fields_of_any_shape_give_a_trajectory_or_a_finding(read_bytes, key, value):
    row = sample()
    row[key] = value
    for form in (as_json, as_eval):
        got, findings = read_bytes(*form([row, sample("p9")]))
        assert [t.id for t in got][-1] == "p9/1"
        assert len(got) == 2 or findings.counts == {"ROW_INVALID": 1}


@pytest.mark.parametrize("extra", ["", "NaN", "torn"])
@pytest.mark.parametrize("key", ["samples", "eval"])
def test_a_part_of_a_document_that_stands_twice_is_found(read_bytes, key, extra):
    """The samples of the first list were lost without a word, also under --strict-input."""
    content, name = as_json([sample()])
    hidden = {"samples": [sample("p0")], "eval": HEADER["eval"] | {"task": "other"}}[key]
    end = {"": "", "NaN": ', "x": NaN', "torn": ', "x": [1'}[extra]
    text = json.dumps({key: hidden})[:-1] + ", " + content.decode()[1:-1] + end
    text += "" if extra == "torn" else "}"
    got, findings = read_bytes(text.encode(), name)
    assert [t.task for t in got] == ["parcels/p1"]
    found = [(f.at, f.found, f.count) for f in findings.items if f.code == "DUPLICATE_KEY"]
    assert found == [("log.json", key, 1)]
    with pytest.raises(InputError, match="DUPLICATE_KEY"):
        read_bytes(text.encode(), name, strict=True)


@BOTH
@pytest.mark.parametrize(
    ("key", "hidden"),
    [
        ("role", '"assistant"'),
        ("source", '"generate"'),
        ("value", '"I"'),
        ("match", '{"value": "I"}'),
        ("scores", "{}"),
    ],
)
def test_a_key_that_stands_twice_in_a_sample_is_found(read_bytes, form, key, hidden):
    """It can hide who wrote a message, or the label."""
    content, name = form([sample()])
    if form is as_json:
        content = content.replace(f'"{key}": '.encode(), f'"{key}": {hidden}, "{key}": '.encode(), 1)
    else:
        row = json.dumps(sample()).replace(f'"{key}": ', f'"{key}": {hidden}, "{key}": ', 1).encode()
        header = json.dumps({"version": 2, **HEADER}).encode()
        content = zip_of([Entry("samples/p1_epoch_1.json", row), Entry("header.json", header)])
    got, findings = read_bytes(content, name)
    assert len(got) == 1
    assert [(f.code, f.found) for f in findings.items] == [("DUPLICATE_KEY", key)]


def test_the_keys_of_a_task_are_those_of_its_arguments(read_bytes):
    def task(**more):
        header = {**HEADER, "eval": HEADER["eval"] | more}
        ((run,), findings) = read_bytes(*as_json([sample()], header))
        assert not len(findings)
        return run.task

    easy, hard = task(task_args={"level": "easy", "n": 1}), task(task_args={"level": "hard", "n": 1})
    assert easy != hard
    assert easy == task(task_args={"n": 1, "level": "easy"})
    assert easy.startswith("parcels(")
    assert easy.endswith(")/p1")
    assert task() == task(task_args={}) == task(task_args=None) == "parcels/p1"


def use(call_id):
    return {"id": call_id, "function": "helper", "arguments": {}}


def answer(call_id, text, **more):
    return {"role": "tool", "content": text, "tool_call_id": call_id, "function": "helper", **more}


@BOTH
def test_what_an_agent_returned_as_a_tool_is_another_models_text(read_bytes, form):
    """The tool's event names the span of the agent; a result alone says nothing of who wrote it."""
    calls = said("", "assistant", "generate", tool_calls=[use("c1"), use("c2"), use("c3")])
    messages = [
        said("Where?"),
        calls,
        answer("c1", "Bergen, I guess."),
        answer("c2", "depot"),
        answer("c3", "van"),
    ]
    events = [
        {"event": "tool", "id": "c1", "function": "helper", "agent_span_id": "s1"},
        {"event": "tool", "id": "c2", "function": "helper", "agent_span_id": None},
        {"event": "span_begin", "id": "c3", "agent_span_id": "s1"},
        {"event": "tool", "id": 3, "agent_span_id": "s1"},
    ]
    for more in ({}, {"store": float("nan")}):
        (run,), findings = read_bytes(*form([sample(messages=messages, events=events, **more)]))
        assert [(t.writer, t.text) for t in run.turns if t.role == "tool_result"] == [
            ("unknown", "Bergen, I guess."),
            ("world", "depot"),
            ("world", "van"),
        ]
        assert len(findings) == 0
    for damage in ({"agent_span_id": "s"}, [7, {"agent_span_id": "s"}], "x"):
        (run,), _ = read_bytes(*form([sample(messages=messages, events=damage)]))
        assert {t.writer for t in run.turns if t.role == "tool_result"} == {"world"}
