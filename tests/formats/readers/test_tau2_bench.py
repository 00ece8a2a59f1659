"""τ²-bench: who wrote what, what ends a run, and which runs belong to the task that they name."""

import gzip
import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.formats.readers.tau2_join import is_wrongly_joined, user_signs
from armslength.records import Outcome

GREETING = {"role": "assistant", "content": "Hi! How can I help you today?", "tool_calls": None}


@pytest.fixture
def official(data):
    """The official file of the fixtures as a value that a test may bend."""
    return json.loads((data / "tau2_bench/official.json").read_text())


@pytest.fixture
def export(data):
    """An exported run of the fixtures."""
    return json.loads((data / "tau2_bench/my-run/task_7.json").read_text())


def read_value(read_bytes, value, name="results.json", **options):
    return read_bytes(json.dumps(value).encode(), name, **options)


def test_an_exported_run(data):
    findings = Findings()
    run, crashed = read(data / "tau2_bench/my-run", None, findings)
    assert [(t.role, t.writer, t.text, t.step) for t in run.turns] == [
        ("assistant", "task", "Hi! How can I help you today?", 0),
        ("user", "user", "I am Ada Brook, the lamp has to go back.", 1),
        ("tool_call", "policy", 'get_user_details {"user_id":"ada_brook_11"}', 2),
        ("tool_call", "policy", 'get_order_details {"order_id":"#W1"}', 2),
        ("tool_result", "world", '{"orders": ["#W1"]}', 3),
        ("tool_result", "world", "Error: order not found", 4),
        ("tool_call", "user", 'toggle_lamp {"on":false}', 5),
        ("tool_result", "world", "lamp is off", 6),
        ("assistant", "policy", "Done.", 7),
        ("terminal", "user", "check_for_stop {}", 8),
        ("terminal", "world", "Before ###STOP### look again at your goal.", 9),
        ("terminal", "user", "Bye ###STOP###", 10),
    ]
    assert [t.error for t in run.turns if t.role == "tool_result"] == [False, True, False]
    assert [t.writer_source for t in run.turns if t.role == "tool_call"] == ["field"] * 3
    assert Outcome(True, "reward", "B") == run.outcome
    assert (run.id, run.task, run.policy, run.trial) == ("sim-7", "retail/7", "my-run", None)
    assert run.origin.messages == {"assistant": 3, "user": 4, "tool": 4}
    assert (crashed.outcome, crashed.origin.excluded, crashed.origin.declared) == (None, "crashed", False)
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 1})


def test_what_is_expected_of_the_policy_enters_no_turn(data):
    for run in read(data / "tau2_bench"):
        text = json.dumps([turn.text for turn in run.turns])
        assert not any(secret in text for secret in ("gold_action", "#GOLD", "13.37"))


def test_official_results(data):
    findings = Findings()
    stopped, transferred, cut = read(data / "tau2_bench/official.json", None, findings)
    assert [t.role for t in stopped.turns] == ["assistant", "user", "assistant", "terminal"]
    assert [(t.role, t.writer) for t in transferred.turns[2:]] == [
        ("terminal", "policy"),
        ("terminal", "world"),
        ("assistant", "policy"),
        ("terminal", "user"),
    ]
    assert [t.outcome for t in (stopped, transferred, cut)] == [
        Outcome(True, "reward", "B"),
        Outcome(False, "reward", "B"),
        Outcome(False, "reward", "B", "step limit"),
    ]
    assert not any(t.role == "terminal" for t in cut.turns)
    assert [t.task for t in (stopped, transferred, cut)] == ["airline/0", "airline/1", "airline/2"]
    assert {t.policy for t in (stopped, transferred, cut)} == {"llm_agent/model-a"}
    assert (stopped.id, stopped.trial, stopped.origin.task_id) == ("s0", 0, "0")
    assert not findings.counts


def test_other_labels_and_filters(data):
    path = data / "tau2_bench/official.json"
    got = list(read(path, ReadOptions(label="db_match")))
    assert [t.outcome and t.outcome.success for t in got] == [True, False, None]
    assert got[2].origin.unlabelled == "database not checked"
    findings = Findings()
    (one,) = read(path, ReadOptions(where=(("termination_reason", "max_steps"),)), findings)
    assert (one.id, findings.notes["LEFT_OUT_BY_WHERE"]) == ("s2", 2)
    assert [t.outcome.success for t in read(path, ReadOptions(success="reward<0.5"))] == [False, True, True]


def test_a_file_whose_tasks_belong_to_other_conversations_is_refused(official, read_bytes):
    for simulation, task in zip(official["simulations"], ("0", "2", "1"), strict=True):
        simulation["task_id"] = task
    got, findings = read_value(read_bytes, official)
    assert [t.outcome for t in got] == [None] * 3
    assert {t.origin.excluded for t in got} == {"task of another conversation"}
    assert [t.origin.declared for t in got] == [True, False, False]
    assert [(f.code, f.at, f.found) for f in findings.items] == [
        ("TASKS_WRONGLY_JOINED", "results.json", "the task's user occurs in 1 of 3 conversations")
    ]
    got, _ = read_value(read_bytes, official, success="reward>=1", crashed="failure")
    assert [t.outcome for t in got] == [None] * 3


def test_one_run_without_its_user_is_refused_alone(official, export, read_bytes):
    official["simulations"][2]["messages"][1]["content"] = "Hello?"
    got, findings = read_value(read_bytes, official)
    assert [t.origin.excluded for t in got] == [None, None, "task's user absent"]
    assert [(f.code, f.at) for f in findings.items] == [("TASK_USER_ABSENT", "results.json[2]")]
    export["task"]["user_scenario"]["instructions"]["known_info"] = "You are Di Moor."
    got, findings = read_value(read_bytes, export, "task_7.json")
    assert (got[0].origin.excluded, dict(findings.counts)) == ("task's user absent", {"TASK_USER_ABSENT": 1})


def test_a_task_that_names_nobody_cannot_be_checked(official, read_bytes):
    for task in official["tasks"]:
        task["user_scenario"] = {"instructions": "Return the lamp."}
    got, findings = read_value(read_bytes, official)
    assert ([t.outcome is None for t in got], dict(findings.counts)) == ([False] * 3, {})


@pytest.mark.parametrize(
    ("scenario", "signs"),
    [
        ({"instructions": {"known_info": "You are Ada O'Neil."}}, {"ada o'neil", "ada_o'neil_"}),
        ({"instructions": "Your name is Bo Stone and your zip code is 1."}, {"bo stone", "bo_stone_"}),
        ({"instructions": "Your id is cy_field_1344."}, {"cy field", "cy_field_"}),
        ({"instructions": {"known_info": "Write to Di.Moor@example.com."}}, {"di.moor@example.com"}),
        ({"instructions": "You are very Angry."}, set()),
        (None, set()),
    ],
)
def test_signs_of_a_user(scenario, signs):
    assert user_signs({"user_scenario": scenario}) == signs


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ([False, False], False),
        ([False, False, True], True),
        ([False, True, None, None], False),
        ([False, False, False], True),
        ([True, False, True, False], False),
        ([None] * 9, False),
    ],
)
def test_a_file_is_judged_on_three_runs_at_least(found, wrong):
    assert is_wrongly_joined(found) is wrong


@pytest.fixture
def folder(official, tmp_path):
    """The folder form of the official file."""
    (tmp_path / "simulations").mkdir()
    for simulation in official.pop("simulations"):
        (tmp_path / f"simulations/{simulation['id']}.json").write_text(json.dumps(simulation))
    official["simulation_index"] = [{"id": f"s{i}", "task_id": str(i), "trial": 0} for i in range(3)]
    (tmp_path / "results.json").write_text(json.dumps(official))
    return tmp_path


def test_the_folder_form(folder):
    findings = Findings()
    got = list(read(folder, None, findings))
    assert [(t.id, t.task, t.origin.at) for t in got] == [
        (f"s{i}", f"airline/{i}", f"simulations/s{i}.json") for i in range(3)
    ]
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"READ_WITH_RESULTS": 3})
    assert len(list(read(folder / "results.json"))) == 3
    (folder / "results.json.gz").write_bytes(gzip.compress((folder / "results.json").read_bytes()))
    (folder / "results.json").unlink()
    assert len(list(read(folder))) == 3


def test_the_folder_and_its_index_must_agree(folder):
    (folder / "simulations/s0.json").rename(folder / "simulations/other.json")
    findings = Findings()
    assert [t.id for t in read(folder, None, findings)] == ["s1", "s2", "s0"]
    assert [(f.code, f.at, f.found) for f in findings.items] == [
        ("SIMULATION_MISSING", "results.json", "s0"),
        ("SIMULATION_UNLISTED", "simulations/other.json", ""),
    ]


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "s0.json"
    (folder / "simulations/s0.json").rename(outside)
    (folder / "simulations/s0.json").symlink_to(outside)
    findings = Findings()
    assert [t.id for t in read(folder / "results.json", None, findings)] == ["s1", "s2"]
    assert [(f.code, f.at) for f in findings.items] == [("LINK_LEAVES_FOLDER", "simulations/s0.json")]


@pytest.mark.parametrize("key", ["simulations", "tasks", "info"])
@pytest.mark.parametrize("tear", ["", "torn"])
def test_a_key_that_stands_twice_is_found_and_its_last_value_read(official, read_bytes, key, tear):
    """The first list's runs were lost without a word, also under --strict-input."""
    first = json.dumps({key: [] if key == "simulations" else official[key]})[:-1]
    content = first + ", " + json.dumps(official)[1:]
    if tear:
        content = content[:-1] + ', "x": [1'
    got, findings = read_bytes(content.encode(), "results.json")
    assert [t.id for t in got] == ["s0", "s1", "s2"]
    found = [(f.code, f.at, f.found, f.count) for f in findings.items if f.code == "DUPLICATE_KEY"]
    assert found == [("DUPLICATE_KEY", "results.json", key, 1)]
    with pytest.raises(InputError, match="DUPLICATE_KEY"):
        read_bytes(content.encode(), "results.json", strict=True)


def test_a_refused_run_that_crashed_has_no_outcome_whatever_the_options(official, read_bytes):
    """Its task is another's: a failure would be counted for it."""
    for simulation, task in zip(official["simulations"], ("2", "0", "1"), strict=True):
        simulation |= {"task_id": task, "termination_reason": "infrastructure_error"}
    got, _ = read_value(read_bytes, official, crashed="failure")
    assert {(t.outcome, t.origin.excluded) for t in got} == {(None, "task of another conversation")}


def test_single_simulations_and_lines_of_them(official, read_bytes):
    lines = "".join(json.dumps(simulation) + "\n" for simulation in official["simulations"])
    got, findings = read_bytes(lines.encode(), "runs.jsonl")
    assert [(t.task, t.origin.at) for t in got] == [(f"unknown/{i}", f"runs.jsonl:{i + 1}") for i in range(3)]
    got, _ = read_value(read_bytes, official["simulations"][0], "one.json")
    assert (got[0].id, got[0].origin.at) == ("s0", "one.json")
    assert not findings.counts


def test_a_torn_file_gives_the_runs_before_the_tear(official, read_bytes):
    text = json.dumps(official)
    got, findings = read_bytes(text[: text.index('"s2"')].encode(), "results.json")
    assert [t.id for t in got] == ["s0", "s1"]
    assert dict(findings.counts) == {"ARRAY_TORN": 1}


@pytest.mark.parametrize(
    ("reason", "excluded", "stratum"),
    [
        ("max_steps", None, "step limit"),
        ("too_many_errors", None, "too many errors"),
        ("timeout", None, "timeout"),
        ("agent_error", None, "agent error"),
        ("agent_stop", None, None),
        ("user_error", "crashed", None),
        ("infrastructure_error", "crashed", None),
        ("context_window_exceeded", "crashed", None),
        ("unexpected_error", "crashed", None),
    ],
)
def test_endings(export, read_bytes, reason, excluded, stratum):
    export["run_info"]["termination_reason"] = reason
    export["reward_info"]["reward"] = 0.0
    ((run,), findings) = read_value(read_bytes, export, "task_7.json")
    assert run.origin.excluded == excluded
    assert (run.outcome.stratum if run.outcome else None) == stratum
    assert not findings.counts


@pytest.mark.parametrize("reason", [None, "tired", ["x"]])
def test_an_unknown_ending_is_found(export, read_bytes, reason):
    export["run_info"]["termination_reason"] = reason
    ((run,), findings) = read_value(read_bytes, export, "task_7.json")
    assert (run.outcome.success, dict(findings.counts)) == (True, {"ENDING_UNKNOWN": 1})


def test_rewards_that_say_nothing(export, read_bytes):
    export["reward_info"] = None
    ((run,), _) = read_value(read_bytes, export, "task_7.json")
    assert run.origin.unlabelled == "no reward_info"
    export["reward_info"] = {"reward": "1"}
    ((run,), findings) = read_value(read_bytes, export, "task_7.json")
    assert (run.origin.unlabelled, dict(findings.counts)) == ("outcome is a text", {"OUTCOME_UNCLEAR": 1})
    export["reward_info"] = {"reward": 1.0, "reward_basis": ["DB", "NL_ASSERTION"]}
    ((run,), _) = read_value(read_bytes, export, "task_7.json")
    assert Outcome(True, "reward", "C") == run.outcome


def test_who_calls_is_read_from_the_record(export, read_bytes):
    call = {"id": "c", "name": "f", "arguments": {}, "requestor": "user"}
    stop = {**call, "id": "s", "name": "check_for_stop"}
    result = {"id": "c", "role": "tool", "content": "ok", "requestor": "user", "error": False}
    user = {"role": "user", "content": "Ada Brook", "tool_calls": [stop, call]}
    forged = {"role": "assistant", "content": None, "tool_calls": [call]}
    export["messages"] = [user, {**result, "id": "s"}, result, forged, result]
    ((run,), findings) = read_value(read_bytes, export, "task_7.json")
    calls = [(t.name, t.role, t.writer, t.writer_source) for t in run.turns if t.name and t.writer != "world"]
    assert calls == [
        ("check_for_stop", "terminal", "user", "role"),
        ("f", "tool_call", "user", "field"),
        ("f", "tool_call", "unknown", "field"),
    ]
    assert dict(findings.counts) == {"REQUESTOR_UNCLEAR": 1}


def test_a_greeting_is_the_harnesss_only_at_the_start(export, read_bytes):
    own = {**GREETING, "content": "Hello, Ada Brook."}
    export["messages"] = [own, GREETING]
    ((run,), _) = read_value(read_bytes, export, "task_7.json")
    assert [t.writer for t in run.turns] == ["policy", "policy"]


def test_a_transfer_in_the_middle_is_no_end(official, read_bytes):
    messages = official["simulations"][1]["messages"]
    messages.insert(5, {"role": "user", "content": "Wait.", "tool_calls": None})
    got, _ = read_value(read_bytes, official)
    assert [t.role for t in got[1].turns[2:4]] == ["tool_call", "tool_result"]


@pytest.mark.parametrize("damage", [None, 7, "x", [], {}, [[]], [{"id": {}}]])
@pytest.mark.parametrize("key", ["info", "tasks"])
def test_runs_are_read_whatever_stands_beside_them(official, read_bytes, key, damage):
    official[key] = damage
    got, findings = read_value(read_bytes, official, format="tau2_bench")
    assert ([t.outcome is None for t in got], dict(findings.counts)) == ([False] * 3, {})


@pytest.mark.parametrize("damage", [None, 7, "x", {}, [[]], [7]])
def test_simulations_of_another_shape_are_found(official, read_bytes, damage):
    official["simulations"] = damage
    with pytest.raises(InputError, match=r"ROW_UNREADABLE|ROW_INVALID"):
        read_value(read_bytes, official, format="tau2_bench")


@pytest.mark.parametrize("key", ["reward_info", "task", "run_info", "task_id"])
@pytest.mark.parametrize("damage", [None, 7, "x", [], {}, [[]]])
def test_any_field_of_a_run_may_be_anything(export, read_bytes, key, damage):
    export[key] = damage
    got, _ = read_value(read_bytes, export, "task_7.json", format="tau2_bench")
    assert len(got) == 1


@pytest.mark.parametrize("damage", [7, "x", [[]], {}])
def test_messages_of_another_shape_are_found(export, read_bytes, damage):
    export["messages"] = damage
    with pytest.raises(InputError, match="ROW_INVALID"):
        read_value(read_bytes, export, "task_7.json")
