"""The shapes that real files have and should not: each with exactly what is made of it.

The number of a test is that of the shape in the project's list. Shapes of single formats have their tests beside the
reader: 26 and 40 tau2, 43 AgentDojo, 50 and 61 Inspect, 60 verifiers, 59 ToolBench. Shape 44 is the audit's.
"""

import gzip
import hashlib
import json
import time

import pytest
import zstandard

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read

U = {"role": "user", "content": "u"}


def call(name="f", call_id="c1", arguments="{}"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*made):
    return {"role": "assistant", "content": None, "tool_calls": list(made)}


def result(text, call_id="c1", **more):
    return {"role": "tool", "tool_call_id": call_id, "content": text, **more}


@pytest.fixture
def shaped(read_rows_of):
    """Turns as (role, writer, text), and what was found, of one row of messages."""

    def run(*messages, **row):
        (trajectory,), findings = read_rows_of({"messages": list(messages), **row})
        return [(t.role, t.writer, t.text) for t in trajectory.turns], dict(findings.counts)

    return run


@pytest.fixture
def outcome(read_rows_of):
    """The outcome, or why there is none, of a row with these fields."""

    def run(_options=None, **row):
        (trajectory,), findings = read_rows_of({"messages": [U], **row}, **(_options or {}))
        made = trajectory.outcome.success if trajectory.outcome else trajectory.origin.unlabelled
        return (trajectory.origin.excluded or made), dict(findings.counts)

    return run


# Content and roles.


def test_01_null_content_beside_calls(shaped):
    turns, found = shaped(calls(call()), result("42"))
    assert turns == [("tool_call", "policy", "f {}"), ("tool_result", "world", "42")]
    assert found == {}


def test_02_an_assistant_message_with_nothing_keeps_its_place(read_rows_of):
    (trajectory,), findings = read_rows_of({"messages": [U, {"role": "assistant"}, U]})
    assert [(t.role, t.step) for t in trajectory.turns] == [("user", 0), ("assistant", 1), ("user", 2)]
    assert dict(findings.counts) == {"MESSAGE_EMPTY": 1}


def test_03_media_become_a_marker(shaped):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUFB"}}
    turns, found = shaped({"role": "user", "content": [{"type": "text", "text": "a"}, image]}, U)
    assert turns[0] == ("user", "user", "a\n[image]")
    assert found == {}


def test_04_text_under_content(shaped):
    turns, found = shaped({"role": "user", "content": [{"type": "text", "content": "a"}]}, U)
    assert (turns[0][2], found) == ("a", {})


@pytest.mark.parametrize(("content", "text"), [({"a": 1}, '{"a":1}'), (7, "7"), (True, "true")])
def test_05_content_that_is_no_text(shaped, content, text):
    turns, found = shaped({"role": "user", "content": content}, U)
    assert (turns[0][2], found) == (text, {"CONTENT_NOT_TEXT": 1})


def test_06_developer_is_system(shaped):
    assert shaped({"role": "developer", "content": "x"})[0] == [("system", "task", "x")]


@pytest.mark.parametrize(
    ("role", "turn"),
    [
        ("Human", ("user", "user")),
        ("model", ("assistant", "policy")),
        ("ipython", ("tool_result", "world")),
        ("observation", ("tool_result", "world")),
        ("critic", ("unknown", "unknown")),
        ("agent2", ("unknown", "unknown")),
    ],
)
def test_07_other_names_of_roles(shaped, role, turn):
    turns, found = shaped(U, U, {"role": role, "content": "x"})
    assert turns[2][:2] == turn
    assert ("ROLE_UNKNOWN" in found) == (turn[0] == "unknown")


def test_07_the_caller_maps_what_is_unknown(read_rows_of):
    row = {"messages": [{"role": "agent2", "content": "x"}]}
    (trajectory,), findings = read_rows_of(row, roles={"agent2": "assistant"})
    assert (trajectory.turns[0].role, trajectory.turns[0].writer) == ("assistant", "policy")
    assert not findings.counts


def test_08_a_system_message_in_the_middle_stays_there(shaped):
    turns, _ = shaped(U, {"role": "system", "content": "s"}, U)
    assert [t[0] for t in turns] == ["user", "system", "user"]
    assert turns[1][1] == "task"


def test_09_no_messages_are_an_episode_without_turns(read_rows_of):
    made, findings = read_rows_of({"messages": [], "reward": 1})
    assert [t.turns for t in made] == [()]
    assert not findings.counts


def test_10_two_assistant_messages_are_two_turns(shaped):
    one = {"role": "assistant", "content": "a"}
    assert [t[0] for t in shaped(one, one)[0]] == ["assistant", "assistant"]


@pytest.mark.parametrize(
    "message",
    [
        {"content": "x", "reasoning_content": "r"},
        {"content": "<think>\nr\n</think>\n\nx"},
        {"content": [{"type": "thinking", "thinking": "r", "signature": "s"}, {"type": "text", "text": "x"}]},
    ],
)
def test_11_reasoning_is_a_turn_of_the_policy(shaped, message):
    turns, found = shaped({"role": "assistant", **message})
    assert turns == [("assistant", "policy", "r"), ("assistant", "policy", "x")]
    assert found == {}


def test_12_a_refusal_is_text(shaped):
    assert shaped({"role": "assistant", "content": "", "refusal": "no"})[0] == [("assistant", "policy", "no")]


def test_13_a_result_inside_a_user_message(shaped):
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "42"}
    thanks = {"type": "text", "text": "thanks"}
    turns, found = shaped(U, calls(call()), {"role": "user", "content": [block, thanks]})
    assert turns[2:] == [("tool_result", "world", "42"), ("user", "user", "thanks")]
    assert found == {}


def test_14_a_result_in_the_users_words_stays_theirs(shaped):
    turns, found = shaped(U, {"role": "user", "content": "API output: {}"})
    assert turns[1] == ("user", "user", "API output: {}")
    assert found == {"USER_HOLDS_RESULT": 1}


# Tool calls.


@pytest.mark.parametrize(
    ("arguments", "text", "code"),
    [
        ('{"x":1}', 'f {"x":1}', None),
        ({"x": 1}, 'f {"x":1}', None),
        ('{"x":1', 'f {"x":1', "ARGUMENTS_NOT_JSON"),
        ("", "f {}", None),
        (None, "f {}", None),
        ('"{\\"x\\":1}"', 'f {"x":1}', "ARGUMENTS_ENCODED_TWICE"),
        ('{"a":1}{"b":2}', 'f {"a":1}{"b":2}', "ARGUMENTS_NOT_JSON"),
    ],
)
def test_15_to_19_arguments(shaped, arguments, text, code):
    turns, found = shaped(calls(call(arguments=arguments)), result("x"))
    assert turns[0] == ("tool_call", "policy", text)
    assert found == ({code: 1} if code else {})


def test_17_arguments_left_out(shaped):
    made = {"id": "c1", "function": {"name": "f"}}
    assert shaped(calls(made), result("x"))[0][0][2] == "f {}"


def test_20_calls_as_texts(shaped):
    turns, found = shaped(calls('{"id":"c1","name":"f","arguments":"{}"}'), result("x"))
    assert (turns[0][2], found) == ("f {}", {})


@pytest.mark.parametrize("none", [None, []])
def test_21_no_calls(shaped, none):
    turns, found = shaped({"role": "assistant", "content": "x", "tool_calls": none})
    assert (turns, found) == ([("assistant", "policy", "x")], {})


def test_22_a_result_without_an_id(read_rows_of):
    bare = {"role": "tool", "content": "42"}
    (one,), findings = read_rows_of({"messages": [calls(call()), bare]})
    assert (one.turns[1].name, one.turns[1].writer_source) == ("f", "role")
    assert not findings.counts
    (two,), findings = read_rows_of({"messages": [calls(call(), call("g", "c2")), bare]})
    assert (two.turns[2].name, two.turns[2].writer_source) == (None, "unpaired")
    assert dict(findings.counts) == {"RESULT_UNPAIRED": 1, "CALL_UNANSWERED": 2}


def test_23_a_result_of_another_call(read_rows_of):
    (trajectory,), findings = read_rows_of({"messages": [calls(call(call_id="c1")), result("42", "c9")]})
    turn = trajectory.turns[1]
    assert (turn.role, turn.writer, turn.text) == ("tool_result", "world", "42")
    assert turn.writer_source == "unpaired"
    assert dict(findings.counts) == {"RESULT_UNPAIRED": 1, "CALL_UNANSWERED": 1}


def test_24_repeated_ids_pair_in_order(read_rows_of):
    row = {"messages": [calls(call("f"), call("g")), result("1"), result("2")]}
    (trajectory,), findings = read_rows_of(row)
    assert [t.name for t in trajectory.turns[2:]] == ["f", "g"]
    assert dict(findings.counts) == {"CALL_ID_REPEATED": 1}


def test_25_answers_in_another_order(read_rows_of):
    row = {"messages": [calls(call("f", "c1"), call("g", "c2")), result("2", "c2"), result("1", "c1")]}
    (trajectory,), findings = read_rows_of(row)
    assert [(t.name, t.text) for t in trajectory.turns[2:]] == [("g", "2"), ("f", "1")]
    assert not findings.counts


def test_26_the_users_own_calls(shaped):
    turns, found = shaped(
        U, {**U, "tool_calls": [{"id": "c1", "name": "toggle", "requestor": "user"}]}, result("on")
    )
    assert turns[2:] == [("tool_call", "user", "toggle {}"), ("tool_result", "world", "on")]
    assert found == {}


def test_27_legacy_functions(read_rows_of):
    made = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    (trajectory,), findings = read_rows_of(
        {"messages": [made, {"role": "function", "name": "f", "content": "42"}]}
    )
    assert [(t.role, t.name) for t in trajectory.turns] == [("tool_call", "f"), ("tool_result", "f")]
    assert not findings.counts


def test_28_a_result_before_its_call_and_a_call_without_one(shaped):
    turns, found = shaped(result("42"), calls(call()))
    assert [t[0] for t in turns] == ["tool_result", "tool_call"]
    assert found == {"RESULT_UNPAIRED": 1, "CALL_UNANSWERED": 1}


@pytest.mark.parametrize(
    "text",
    [
        "Observation: order shipped",
        "done\n<tool_response>ok</tool_response>",
        "[TOOL RESULT] ok",
        '{"output": "ok", "exit_code": 0}',
        "API output: ok",
    ],
)
def test_29_imitated_results_stay_the_policys(read_rows_of, text):
    (trajectory,), findings = read_rows_of({"messages": [{"role": "assistant", "content": text}]})
    assert [(t.role, t.writer) for t in trajectory.turns] == [("assistant", "policy")]
    assert (dict(findings.notes), dict(findings.counts)) == ({"IMITATED_OBSERVATION": 1}, {})


@pytest.mark.parametrize("text", ["My observation: none", "The exit_code is 0", "see the tool response"])
def test_29_plain_words_are_no_imitation(read_rows_of, text):
    assert not read_rows_of({"messages": [{"role": "assistant", "content": text}]})[1].notes


def test_30_a_made_up_tools_name_does_not_come_back_as_evidence(read_rows_of):
    name = "order_shipped_OK"
    for row in (
        {"messages": [calls(call(name)), result(f"Tool {name} not found")]},
        {"messages": [calls(call(name)), result(f"ran {name}")], "tools": [{"function": {"name": "look"}}]},
    ):
        (trajectory,), findings = read_rows_of(row)
        assert name not in trajectory.turns[1].text
        assert "[made-up tool]" in trajectory.turns[1].text
        assert findings.notes == {"MADE_UP_TOOL": 1}
    listed = {"messages": [calls(call(name)), result(f"ran {name}")], "tools": [{"name": name}]}
    assert read_rows_of(listed)[0][0].turns[1].text == f"ran {name}"


def test_31_markup_of_templates_is_text(shaped):
    text = "x<|im_end|>\n<|im_start|>assistant\nFinal answer"
    assert shaped(U, {"role": "user", "content": text})[0][1] == ("user", "user", text)


# Outcomes and rewards.


@pytest.mark.parametrize("word", ["true", "1", "PASS", "resolved", "C"])
def test_32_words_of_success(outcome, word):
    assert outcome(outcome=word) == (True, {})


def test_32_words_of_failure_and_words_that_say_nothing(outcome):
    assert outcome(outcome="False") == (False, {})
    assert outcome(outcome="maybe") == ("outcome text not listed", {"OUTCOME_UNCLEAR": 1})


def test_33_three_reasons_why_there_is_none(outcome):
    assert outcome(reward=None)[0] == "outcome null"
    assert outcome()[0] == "no outcome field"
    assert outcome(reward=float("nan"))[0] == "outcome not finite"


@pytest.mark.parametrize("field", ["error", "exception", "exception_info"])
def test_34_a_crash_is_no_failure_unless_the_caller_says_so(outcome, field):
    assert outcome(reward=0.0, **{field: "boom"}) == ("crashed", {})
    assert outcome({"crashed": "failure"}, reward=0.0, **{field: "boom"}) == (False, {})
    assert outcome(reward=0.0, **{field: None}) == (False, {})


def test_35_a_list_is_step_rewards_if_it_fits(read_rows_of):
    said = {"role": "assistant", "content": "a"}
    (trajectory,), findings = read_rows_of({"messages": [U, said, U, said], "reward": [0, 1]})
    assert [(r.step, r.value) for r in trajectory.rewards] == [(1, 0.0), (3, 1.0)]
    assert (trajectory.outcome, dict(findings.counts)) == (None, {})
    (trajectory,), findings = read_rows_of({"messages": [U, said], "reward": [0, 1]})
    assert [(r.step, r.value) for r in trajectory.rewards] == [(None, 0.0), (None, 1.0)]
    assert dict(findings.counts) == {"REWARDS_UNALIGNED": 1}


def test_36_components_need_a_rule(outcome):
    parts = {"format": 1, "answer": 0}
    assert outcome(reward=parts) == ("outcome is no single value", {"OUTCOME_UNCLEAR": 1})
    assert outcome({"success": "reward.answer>=1"}, reward=parts)[0] is False
    assert outcome({"success": "reward.score>=1"}, reward={"score": 1, "weight": 0.5})[0] is True


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "1e999"])
def test_37_infinite_rewards_are_unmeasured(read_bytes, number):
    (trajectory,), findings = read_bytes(b'{"messages": [], "reward": ' + number.encode() + b"}\n")
    assert trajectory.origin.unlabelled == "outcome not finite"
    assert findings.counts["OUTCOME_UNCLEAR"] == 1


def test_38_a_number_between_needs_a_threshold(outcome):
    assert outcome(reward=0.7) == ("needs --success", {"OUTCOME_UNCLEAR": 1})
    assert outcome({"success": "reward>=0.5"}, reward=0.7) == (True, {})


def test_39_the_caller_names_the_label(outcome):
    assert outcome({"label": "judge"}, reward=0, judge="pass") == (True, {})
    assert outcome({"label": "jury"}, reward=0) == ("no label jury", {"LABEL_MISSING": 1})


def test_40_an_attempt_that_stands_twice(read_rows_of):
    row = {"messages": [U], "task": "t", "trial": 1, "reward": 1}
    assert not read_rows_of(row, row)[1].counts
    other = {**row, "messages": [U, U]}
    assert dict(read_rows_of(row, other)[1].counts) == {"ATTEMPT_CONFLICT": 1}


def test_41_one_row_a_turn_is_one_episode(read_rows_of):
    said = {"role": "assistant", "content": "a"}
    rows = [
        {"rollout_id": 7, "messages": messages, "reward": 0}
        for messages in ([U, said], [U, said, U, said], [U, said, U, said, U, said])
    ]
    (trajectory,), findings = read_rows_of(*rows)
    assert len(trajectory.turns) == 6
    assert (trajectory.outcome.success, trajectory.rewards) == (False, ())
    assert not findings.counts
    rows[1]["reward"] = 1
    (trajectory,), _ = read_rows_of(*rows)
    assert [(r.step, r.value) for r in trajectory.rewards] == [(1, 0.0), (3, 1.0), (5, 0.0)]
    assert trajectory.outcome is None


def test_42_gold_answers_enter_no_turn(read_rows_of):
    gold = "the-gold-answer"
    row = {"messages": [U], "info": {"task": {"actions": [gold]}}, "target": gold, "ground_truth": gold}
    (trajectory,), _ = read_rows_of(row)
    assert gold not in json.dumps([t.text for t in trajectory.turns])


# Files.

ROW = b'{"messages": [{"role": "user", "content": "\xc3\xa4"}]}\n'


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + ROW,
        ROW.decode().encode("utf-16"),
        ROW.replace(b"\n", b"\r\n"),
        b"\n\n" + ROW + b"\n \n",
    ],
    ids=["bom", "utf16", "crlf", "blank"],
)
def test_45_encodings_and_line_ends(read_bytes, content):
    (trajectory,), findings = read_bytes(content)
    assert trajectory.turns[0].text == "ä"
    assert not findings.counts


def test_46_torn_lines(read_bytes):
    made, findings = read_bytes(ROW + b'{"messages": [{"ro')
    assert (len(made), dict(findings.counts)) == (1, {"ROW_TORN": 1})
    made, findings = read_bytes(ROW + b'{"messages": [{"ro\n' + ROW)
    assert (len(made), dict(findings.counts)) == (2, {"ROW_UNREADABLE": 1})


def test_47_two_records_on_a_line(read_bytes):
    made, findings = read_bytes(ROW + b'{"messages": [{"ro' + ROW + ROW)
    assert (len(made), dict(findings.counts)) == (2, {"ROW_UNREADABLE": 1})


@pytest.mark.parametrize(
    "content",
    [
        b"[" + ROW.strip() + b"," + ROW.strip() + b"]",
        ROW + ROW,
        json.dumps(json.loads(ROW), indent=2).encode()
        + b"\n"
        + json.dumps(json.loads(ROW), indent=2).encode(),
    ],
    ids=["array", "lines", "pretty"],
)
@pytest.mark.parametrize("name", ["x.jsonl", "x.json"])
def test_48_any_layout_under_any_name(read_bytes, content, name):
    made, findings = read_bytes(content, name)
    assert (len(made), dict(findings.counts)) == (2, {})


def test_49_compression_by_content(read_bytes):
    assert len(read_bytes(gzip.compress(ROW) + gzip.compress(ROW), "x.jsonl")[0]) == 2
    assert len(read_bytes(ROW, "x.jsonl.gz")[0]) == 1
    many = b"".join(
        ROW.replace(b"\xc3\xa4", hashlib.sha512(bytes(n)).hexdigest().encode()) for n in range(2000)
    )
    for cut in (gzip.compress(many, 0)[:-2000], zstandard.compress(many, 1)[:-2000]):
        made, findings = read_bytes(cut, "x.jsonl")
        assert 1000 < len(made) < 2000
        assert findings.counts["STREAM_CUT"] == 1


def test_51_control_characters(read_bytes):
    (trajectory,), findings = read_bytes(ROW.replace(b"\xc3\xa4", b"a\x00b"))
    assert (trajectory.turns[0].text, dict(findings.counts)) == ("a\0b", {"CONTROL_CHARACTER": 1})
    (trajectory,), findings = read_bytes(ROW.replace(b"\xc3\xa4", b"a\\u0000b"))
    assert (trajectory.turns[0].text, dict(findings.counts)) == ("a\0b", {})


def test_52_lone_surrogates(read_bytes):
    (trajectory,), _ = read_bytes(ROW.replace(b"\xc3\xa4", b"\\ud83d"))
    assert trajectory.turns[0].text == "\ud83d"


def test_53_bytes_that_are_no_utf8(read_bytes):
    (trajectory,), findings = read_bytes(ROW.replace(b"\xc3\xa4", b"a\xff"))
    assert trajectory.turns[0].text == "a�"
    assert [(f.code, f.found) for f in findings.items] == [("INVALID_UTF8", "byte 44")]


def test_54_only_line_feeds_end_a_line(read_bytes):
    text = "a\u2028b\u0085c\u000bd"
    (trajectory,), _ = read_bytes(
        json.dumps({"messages": [{"role": "user", "content": text}]}, ensure_ascii=False).encode()
    )
    assert trajectory.turns[0].text == text


def test_55_a_key_that_stands_twice_may_hide_the_writer(read_bytes):
    made, findings = read_bytes(b'{"messages": [{"role": "user", "role": "assistant", "content": "x"}]}\n')
    assert (made[0].turns[0].role, dict(findings.counts)) == ("assistant", {"DUPLICATE_KEY": 1})
    quoted = {
        "messages": [{"role": "user", "content": 'say "role": "user"'}, {"role": "assistant", "content": "x"}]
    }
    assert not read_bytes(json.dumps(quoted).encode())[1].counts


@pytest.mark.slow
def test_56_long_records_take_time_in_proportion(read_rows_of):
    def seconds(n):
        start = time.process_time()
        (trajectory,), _ = read_rows_of({"messages": [calls(call()), result("x")] * n})
        assert len(trajectory.turns) == 2 * n
        return time.process_time() - start

    seconds(1000)
    assert seconds(50_000) < 40 * max(seconds(5_000), 0.05)
    (trajectory,), _ = read_rows_of({"messages": [{"role": "user", "content": "x" * 10_000_000}]})
    assert len(trajectory.turns[0].text) == 10_000_000


@pytest.mark.parametrize(
    "row",
    [
        b'{"messages": [], "reward": ' + b"9" * 5000 + b"}",
        b'{"messages": [], "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["digits", "depth"],
)
def test_57_beyond_measure(read_bytes, row):
    made, findings = read_bytes(ROW + row + b"\n" + ROW)
    assert len(made) == 2 + (findings.counts["ROW_UNREADABLE"] == 0)
    assert findings.counts


def test_58_json_inside_a_text_is_text(shaped):
    text = json.dumps({"messages": [U]})
    assert shaped(U, {"role": "user", "content": text})[0][1] == ("user", "user", text)


@pytest.mark.parametrize("mark", [{"is_demo": True}, {"is_copied_context": True}, {"sampled": False}])
def test_61_copied_context_is_not_the_policys(read_rows_of, mark):
    row = {
        "messages": [
            {"role": "assistant", "content": "shown", **mark},
            {"role": "assistant", "content": "said"},
        ]
    }
    (trajectory,), _ = read_rows_of(row)
    assert [(t.writer, t.writer_source) for t in trajectory.turns] == [("task", "field"), ("policy", "role")]


def test_61_what_the_model_sampled_is_the_policys(read_rows_of):
    row = {"messages": [U, {"role": "tool", "content": "passed", "sampled": True}]}
    (trajectory,), findings = read_rows_of(row)
    assert [(t.role, t.writer) for t in trajectory.turns] == [("user", "task"), ("assistant", "policy")]
    assert dict(findings.counts) == {"SAMPLED_ROLE": 1}
    assert trajectory.origin.messages == {"user": 1, "tool": 1}


def test_63_formats_side_by_side(tmp_path, data):
    (tmp_path / "a.jsonl").write_bytes(ROW)
    (tmp_path / "b.json").write_bytes((data / "tau_bench.json").read_bytes())
    assert {t.origin.format for t in read(tmp_path)} == {"chat", "tau_bench"}


def test_64_numbers_and_texts_as_ids(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"messages": [U], "task_id": 1}))
    (tmp_path / "b.jsonl").write_text(json.dumps({"messages": [U], "task_id": "1"}))
    findings = Findings()
    assert {t.task for t in read(tmp_path, ReadOptions(), findings)} == {"1"}
    assert dict(findings.counts) == {"ID_TYPES_MIXED": 1}


def test_65_padding_of_tables_is_nothing(shaped):
    padding = {"tool_calls": None, "name": None, "tool_call_id": None, "function_call": None, "refusal": None}
    turns, found = shaped({**U, **padding}, {"role": "assistant", "content": "a", **padding})
    assert ([t[0] for t in turns], found) == (["user", "assistant"], {})


def test_66_nothing_to_read(tmp_path):
    with pytest.raises(InputError, match="INPUT_EMPTY"):
        list(read(tmp_path))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    with pytest.raises(InputError, match="NOTHING_READ"):
        list(read(tmp_path))
