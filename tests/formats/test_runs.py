"""From a run to a trajectory: what each option chooses, and what is told where it cannot."""

import pytest

from armslength.errors import InputError
from armslength.formats import Findings, Label, ReadOptions, Run, fields_of, to_trajectories
from armslength.formats.runs import MISSING, key_of
from armslength.records import Outcome, Turn

RECORD = {"suite": "shop", "score": 0.7, "agent": {"model": "m1"}, "seed": 3, "a.b": "whole", "list": [1, 2]}


def run(**changes):
    fields = {
        "format": "made", "at": "f.jsonl:1", "id": "r", "task": "t", "policy": "p",
        "turns": (Turn("user", "user", "u", 0),), "messages": {"user": 1}, "lookup": fields_of(RECORD),
    }  # fmt: skip
    return Run(**fields | changes)


def made(given, **options):
    findings = Findings()
    return next(to_trajectories([given], ReadOptions(**options), findings), None), findings


BOTH = {"utility": Label(True), "security": Label(False)}


def test_the_only_label_counts():
    trajectory, findings = made(run(labels={"reward": Label(True, grade="C")}))
    assert trajectory.outcome == Outcome(True, "reward", "C")
    assert trajectory.origin.declared is True
    assert not len(findings)


def test_a_label_that_is_recomputed_here_is_nothing_that_the_file_declares():
    ours, said = Label(True, grade="A"), Label(False)
    assert made(run(labels={"deal": ours}))[0].origin.declared is None
    both = run(labels={"deal": ours, "rating": said}, label="deal", declared=True, declared_points=3)
    assert (made(both)[0].origin.declared, made(both)[0].origin.declared_points) == (True, 3)
    assert made(both, label="rating")[0].origin.declared is False
    assert made(both, label="deal")[0].origin.declared is True


def test_of_several_labels_the_caller_names_one():
    trajectory, findings = made(run(labels=BOTH))
    assert (trajectory.outcome, trajectory.origin.unlabelled) == (None, "several labels, none named")
    assert findings.items[0].found == "utility, security"
    assert dict(findings.counts) == {"LABEL_AMBIGUOUS": 1}
    assert made(run(labels=BOTH), label="security")[0].outcome == Outcome(False, "security", "B")
    assert made(run(labels=BOTH, label="utility"))[0].outcome == Outcome(True, "utility", "B")


def test_a_label_that_is_no_label_may_be_a_field():
    assert made(run(labels=BOTH), label="seed")[0].outcome is None
    trajectory, findings = made(run(labels=BOTH), label="absent")
    assert trajectory.origin.unlabelled == "no label absent"
    assert dict(findings.counts) == {"LABEL_MISSING": 1}


def test_a_rule_reads_any_field():
    assert made(run(labels=BOTH), success="score>=0.5")[0].outcome == Outcome(True, "score", "B")
    assert made(run(), success="score>0.7")[0].outcome == Outcome(False, "score", "B")
    trajectory, findings = made(run(labels=BOTH), success="absent>0")
    assert (trajectory.outcome, trajectory.origin.unlabelled) == (None, "no field absent")
    assert not len(findings)


def test_a_label_without_a_value_keeps_its_reason():
    trajectory, findings = made(run(labels={"reward": Label(None, "null")}))
    assert (trajectory.outcome, trajectory.origin.unlabelled) == (None, "null")
    assert not len(findings)


def test_no_label_at_all_keeps_the_readers_reason():
    assert made(run(unlabelled="displays carry none"))[0].origin.unlabelled == "displays carry none"


def test_crashes():
    """Left out, or failures of their own stratum; a crash does not change what the file declares."""
    crashed = run(labels={"reward": Label(True)}, excluded="crashed")
    trajectory, _ = made(crashed)
    assert (trajectory.outcome, trajectory.origin.excluded) == (None, "crashed")
    assert trajectory.origin.declared is True
    counted, _ = made(crashed, crashed="failure")
    assert counted.outcome == Outcome(False, "crashed", "B", "crashed")
    assert counted.origin.excluded is None


def test_other_exclusions_stay():
    trajectory, _ = made(run(excluded="void"), crashed="failure")
    assert (trajectory.outcome, trajectory.origin.excluded) == (None, "void")


def test_a_stratum_is_of_failures():
    failed, won = (
        run(labels={"r": Label(False)}, stratum="limit"),
        run(labels={"r": Label(True)}, stratum="limit"),
    )
    assert made(failed)[0].outcome.stratum == "limit"
    assert made(won)[0].outcome.stratum is None


def test_task_and_policy_come_from_fields_that_the_caller_names():
    trajectory, findings = made(run(), task="suite", policy="agent.model")
    assert (trajectory.task, trajectory.group, trajectory.policy) == ("shop", "shop", "m1")
    assert not len(findings)
    trajectory, findings = made(run(group="g"), task="absent", policy="agent.absent")
    assert (trajectory.task, trajectory.group, trajectory.policy) == ("t", "g", "p")
    assert dict(findings.counts) == {"FIELD_MISSING": 2}


def test_another_task_key_leaves_a_format_its_group():
    """Runs that belong together, such as one worker's, would otherwise stand in training and in test folds."""
    assert made(run(group="worker"), task="suite")[0].group == "worker"


def test_a_label_is_a_field_like_any_other():
    """Whether a reader also lists its labels as fields must not matter to the caller."""
    labels = {
        "reward": Label(None, "needs --success", found=0.4),
        "utility": Label(True),
        "lost": Label(None),
    }
    assert made(run(labels=labels), success="reward>=0.3")[0].outcome == Outcome(True, "reward", "B")
    assert made(run(labels=labels), where=(("utility", "true"),))[0] is not None
    assert made(run(labels=labels), where=(("utility", "false"),))[0] is None
    assert made(run(labels=labels), where=(("lost", "null"),))[0] is not None


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ((("suite", "shop"),), True),
        ((("suite", "bank"),), False),
        ((("suite", "bank"), ("suite", "shop")), True),
        ((("suite", "shop"), ("seed", "4")), False),
        ((("suite", "shop"), ("seed", "3")), True),
        ((("agent.model", "m1"),), True),
        ((("seed", "3.0"),), True),
        ((("score", "0.70"),), True),
        ((("score", "7e-1"),), True),
        ((("score", "nan"),), False),
        ((("suite", "1"),), False),
        ((("list", "[1,2]"),), True),
        ((("absent", ""),), False),
    ],
)
def test_where(where, kept):
    """Values of one key are alternatives; different keys must all fit; a missing field fits nothing."""
    trajectory, findings = made(run(), where=where)
    assert (trajectory is not None) is kept
    assert findings.notes["LEFT_OUT_BY_WHERE"] == (not kept)
    assert not len(findings)


def test_fields():
    lookup = fields_of(RECORD)
    assert [lookup(name) for name in ("a.b", "agent.model", "list.1", "score")] == ["whole", "m1", 2, 0.7]
    assert all(lookup(name) is MISSING for name in ("a", "agent.x", "list.2", "list.x", "score.1", ""))


def test_keys():
    assert [key_of(v) for v in (MISSING, None, "", 0, "0", 1.5, True)] == [
        None,
        None,
        None,
        "0",
        "0",
        "1.5",
        "true",
    ]
    assert key_of({"b": 1, "a": 2}) == key_of({"a": 2, "b": 1}) != key_of({"a": 2, "b": 2})


def test_a_rule_is_checked_before_it_is_used():
    with pytest.raises(InputError, match="SUCCESS_RULE"):
        made(run(labels=BOTH), success="reward is 1")
