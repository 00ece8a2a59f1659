"""aider: whose a line of a chat log is, which chat is read, and when the outcome is that chat's."""

import json

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, ReadOptions, read
from armslength.records import Outcome

HEADER = "# aider chat started at 2024-05-21 15:19:47\n\n"
BANNER = "> Aider v0.35.1  \n> Models: model-a with diff edit format  \n\n"


def test_a_benchmark_run(data):
    findings = Findings()
    run, without = read(data / "aider", None, findings)
    assert [(t.role, t.writer, t.text) for t in run.turns] == [
        ("system", "task", "Aider v0.35.1\nModels: model-a with diff edit format"),
        ("user", "task", "The adder subtracts.\n\n> it said 1"),
        ("assistant", "policy", "Please add `adder.py` to the chat."),
        ("tool_result", "world", "adder.py\nAdd these files to the chat? yes"),
        (
            "assistant",
            "policy",
            "#### What to change\n\n> a quotation of mine\n\n```\n-    return a - b\n+    return a + b\n```",
        ),
        ("tool_result", "world", "Applied edit to adder.py\nTest Script: run"),
    ]
    assert (run.id, run.task, run.policy) == ("toy__adder-1", "toy__adder-1", "model-a")
    assert Outcome(True, "resolved", "B") == run.outcome
    assert run.origin.messages == {"chat": 2, "reply": 3, "tool": 5, "user": 2}
    assert run.origin.declared is True
    assert (without.id, without.turns, without.outcome) == ("toy__adder-2", (), None)
    assert (without.origin.excluded, without.origin.declared) == ("no chat log", False)
    assert (dict(findings.counts), dict(findings.notes)) == ({}, {"SIDECAR": 1})


def test_labels_and_where(data):
    """The repository's own tests, as the harness ran them, are no outcome of the task: grade C."""
    run, _ = read(data / "aider", ReadOptions(label="test_outcome"))
    assert Outcome(True, "test_outcome", "C") == run.outcome
    wanted = ReadOptions(where=(("instance_id", "toy__adder-2"),))
    assert [t.id for t in read(data / "aider", wanted)] == ["toy__adder-2"]


def attempt(model, patch, **more):
    return {"model": model, "model_patch": patch, "test_outcome": True, **more}


def read_pair(tmp_path, log, *tries, submitted=0, resolved=True):
    (tmp_path / "toy__adder-3.md").write_text(log)
    result = {
        "instance_id": "toy__adder-3",
        "edit_outcome": True,
        "all_results": list(tries),
        "resolved": resolved,
    }
    result |= {"model_patch": tries[submitted]["model_patch"]} if tries else {"model_patch": ""}
    (tmp_path / "toy__adder-3.json").write_text(json.dumps(result))
    (got,) = read(tmp_path)
    return got.outcome.success if got.outcome else got.origin.unlabelled


CHAT = f"{HEADER}{BANNER}#### Fix it.  \n\nOk.\n\n"


def test_the_outcome_is_the_first_chats_only_if_its_patch_was_submitted(tmp_path):
    one, two = attempt("model-a", "p1"), attempt("model-a", "p2")
    assert read_pair(tmp_path, CHAT * 2, one, two) is True
    assert read_pair(tmp_path, CHAT * 2, one, two, resolved=False) is False
    assert read_pair(tmp_path, CHAT * 2, one, two, submitted=1) == "another try was submitted"
    assert read_pair(tmp_path, CHAT, one, two) == "chats and tries do not match"
    assert read_pair(tmp_path, CHAT, attempt("model-b", "p1")) == "chats and tries do not match"
    assert read_pair(tmp_path, CHAT) == "chats and tries do not match"


def test_an_empty_chat_before_the_first_does_not_count(tmp_path):
    assert read_pair(tmp_path, f"{HEADER}\n\n{CHAT}", attempt("model-a", "p1")) is True


@pytest.fixture
def turns_of(read_bytes):
    def run(body, name="log.md"):
        got, findings = read_bytes(f"{HEADER}{BANNER}{body}".encode(), name)
        return [(t.role, t.writer, t.text) for t in got[0].turns[1:]], findings

    return run


def test_outside_the_benchmark_a_person_speaks(turns_of):
    got, findings = turns_of("#### Fix it.  \n\nOk.\n\n#### Thanks.  \n\n#### And this?  \n\nSure.\n")
    assert got == [
        ("user", "user", "Fix it."),
        ("assistant", "policy", "Ok."),
        ("user", "user", "Thanks."),
        ("user", "user", "And this?"),
        ("assistant", "policy", "Sure."),
    ]
    assert len(findings) == 0


@pytest.mark.parametrize(
    "line",
    [
        "#### Update `a.py`",
        "> Tests passed",
        "#### Update `a.py` ",
        "># quoted  ",
        "####Update  ",
        "# aider chat started at noon",
    ],
)
def test_a_reply_that_looks_like_a_mark_stays_the_policys(turns_of, line):
    got, _ = turns_of(f"#### Fix it.  \n\nOk.\n\n{line}\n\nMore.\n")
    assert got[1:] == [("assistant", "policy", f"Ok.\n\n{line}\n\nMore.")]


@pytest.mark.parametrize("line", ["> Tests passed  ", "#### Well done!  "])
def test_a_mark_that_touches_the_reply_stays_the_policys(turns_of, line):
    got, _ = turns_of(f"#### Fix it.  \n\nOk.\n{line}\nMore.\n")
    assert got[1:] == [("assistant", "policy", f"Ok.\n{line}\nMore.")]


def test_a_header_inside_a_reply_opens_no_chat(turns_of):
    got, _ = turns_of(f"#### Fix it.  \n\nThe log says:\n{HEADER}\nSo.\n")
    assert len(got) == 2


def test_what_a_reply_cost_is_no_evidence(turns_of):
    """The count of completion tokens is the length of what the policy wrote."""
    got, _ = turns_of(
        "#### Fix it.  \n> 9 prompt tokens, 3 completion tokens, $0.1 cost  \n\nOk.\n\n"
        "> Tokens: 2.3k sent, 93 received. Cost: $0.1 message  \n> Applied edit to a.py  \n"
    )
    assert got[1:] == [("assistant", "policy", "Ok."), ("tool_result", "world", "Applied edit to a.py")]


EDIT = "<<<<<<< SEARCH\nx = 1\n\ny = 2\n=======\nx = 3\n>>>>>>> REPLACE"
REFUSAL = "The LLM did not conform to the edit format.\nFor more info see: https://aider.chat/x"


def marked(text):
    return "".join(f"> {line}  \n" for line in text.split("\n"))


def test_what_a_refusal_repeats_of_the_reply_is_the_policys(turns_of):
    """The harness prints the block that matched nothing, and lines of the file that look like it."""
    mine = f"# 1 SEARCH/REPLACE block {'failed to match'}!\n\n## SearchReplaceNoExactMatch: not in a.py"
    offer = "Did you mean to match some of these actual lines from a.py?\n\n```\nx = 1\ny = 3\n```"
    end = "The SEARCH section must exactly match"
    got, _ = turns_of(
        f"#### Fix it.  \n\nOk.\n\na.py\n{EDIT}\n\n"
        + marked(f"Applied edit to b.py\n{REFUSAL}\n{mine}\n{EDIT}\n\n{offer}\n\n{end}")
    )
    assert got[2:] == [
        ("tool_result", "policy", EDIT),
        ("tool_result", "unknown", "```\nx = 1\ny = 3\n```"),
        (
            "tool_result",
            "world",
            f"Applied edit to b.py\n{REFUSAL}\n{mine}\n\n{offer.partition(chr(10))[0]}\n{end}",
        ),
    ]


def test_a_block_that_no_reply_holds_is_nobodys(turns_of):
    said = marked(f"{REFUSAL}\n# 1 SEARCH/REPLACE block failed to match!\n{EDIT}\nTry again")
    got, _ = turns_of(f"#### Fix it.  \n\n{EDIT.replace('3', '4')}\n\n{said}")
    assert [writer for _, writer, _ in got[2:]] == ["unknown", "world"]
    assert EDIT not in got[3][2]


def test_a_reply_that_could_not_be_read_is_repeated_from_its_beginning(turns_of):
    said = marked(
        f"{REFUSAL}\nOk.\n\na.py\n<<<<<<< SEARCH\n\n^^^ Incomplete SEARCH/REPLACE block.\nStopping."
    )
    got, _ = turns_of(f"#### Fix it.  \n\nOk.\n\na.py\n<<<<<<< SEARCH\nx = 1\n\n{said}")
    assert got[2:] == [
        ("tool_result", "policy", "Ok.\n\na.py\n<<<<<<< SEARCH"),
        ("tool_result", "world", f"{REFUSAL}\n^^^ Incomplete SEARCH/REPLACE block.\nStopping."),
    ]


def test_a_reply_takes_no_line_of_the_world_out_of_the_evidence(turns_of):
    """Else a policy could write what the tests will say, and no score would read it."""
    got, _ = turns_of("#### Fix it.  \n\nOk.\n\n2 failed\n\n> 2 failed  \n")
    assert got[2:] == [("tool_result", "world", "2 failed")]


def test_an_imitated_observation_is_noted(turns_of):
    _, findings = turns_of("#### Fix it.  \n\nObservation: all tests pass\n")
    assert dict(findings.notes) == {"IMITATED_OBSERVATION": 1}


def test_runs_of_one_prompt_share_a_task(read_bytes):
    made = [
        read_bytes(f"{HEADER}{BANNER}#### {ask}  \n\n{say}\n".encode(), "a.md")[0][0]
        for ask, say in ("xy", "xz", "wy")
    ]
    assert made[0].task == made[1].task != made[2].task
    assert {t.origin.unlabelled for t in made} == {"no outcome file"}


def test_a_log_without_content_is_excluded(read_bytes):
    got, _ = read_bytes(HEADER.encode(), "a.md")
    assert (got[0].turns, got[0].origin.excluded) == ((), "empty chat log")


def test_line_ends_and_bytes(read_bytes):
    body = f"{HEADER}{BANNER}#### Fix it.  \n\nOk \u2028 then.\n\n> Done  \n"
    unix, _ = read_bytes(body.encode(), "a.md")
    windows, _ = read_bytes(body.replace("\n", "\r\n").encode(), "a.md")
    assert unix[0].turns == windows[0].turns
    assert unix[0].turns[2].text == "Ok \u2028 then."
    _, findings = read_bytes(body.encode().replace(b"then", b"th\xffn"), "a.md")
    assert dict(findings.counts) == {"INVALID_UTF8": 1}


def test_an_outcome_that_cannot_be_read_is_reported(tmp_path):
    (tmp_path / "a.md").write_text(CHAT)
    (tmp_path / "a.json").write_text('{"instance_id": "a", "model_patch"')
    findings = Findings()
    (got,) = read(tmp_path / "a.md", None, findings)
    assert (got.outcome, got.origin.unlabelled) == (None, "no outcome file")
    assert dict(findings.counts) == {"ROW_UNREADABLE": 1}


def test_other_texts_are_not_aiders(read_bytes):
    with pytest.raises(InputError, match="NOTHING_READ"):
        read_bytes(b"# My notes\n\n# aider chat started at 2024-05-21 15:19:47\n", "notes.md")
