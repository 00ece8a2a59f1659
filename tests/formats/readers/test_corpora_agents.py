"""Every file of four agent corpora against counts made by an independent script."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from armslength.formats import Findings, ReadOptions, Summary, read, read_files

DATA = os.environ.get("ARMSLENGTH_DATA")
SHARED = Path(os.environ.get("ARMSLENGTH_SHARED", Path(__file__).parents[3] / "../shared"))
pytestmark = [
    pytest.mark.corpora,
    pytest.mark.skipif(DATA is None, reason="ARMSLENGTH_DATA is not set"),
]


@pytest.fixture(scope="session")
def expected():
    return json.loads((SHARED / "corpora/agents/expected.json").read_text())


def merged(counts):
    """Messages by role; the independent script counts messages with calls apart."""
    made = Counter()
    for name, count in counts.items():
        made[name.partition("+")[0]] += count
    return dict(made)


def test_tau2_bench(expected):
    counted = expected["tau2_bench"]
    groups, everything, findings = defaultdict(Summary), Summary(), Findings()
    for file in read_files(Path(DATA) / "tau2_bench", None, findings):
        name = f"tau2_bench/{file.name}"
        name = name if name in counted["files"] else name.rpartition("/")[0]
        for trajectory in file.trajectories:
            groups[name].add(trajectory, file.name, file.format)
            everything.add(trajectory, file.name, file.format)
    both = {**counted["groups"], **counted["files"]}
    assert sorted(both) == sorted(groups)
    for name, counts in both.items():
        total = groups[name].total
        assert counts["trajectories"] == total.trajectories, name
        assert counts["labels"] == dict(total.declared), name
        assert counts["distinct_tasks"] == len(total.task_ids), name
        assert counts["turns"] == total.messages.total(), name
        assert merged(counts["turns_by_role"]) == dict(total.messages), name
        assert counts["empty"] == total.excluded["crashed"], name
        if name in counted["files"]:
            assert dict(total.excluded) == {"task of another conversation": total.trajectories}, name
    # The script also counts runs without messages as equal to each other.
    empty = sum(counts["empty"] > 0 for counts in both.values())
    assert counted["duplicates_across_groups"] == everything.duplicates + empty - 1
    assert dict(findings.counts) == {"TASKS_WRONGLY_JOINED": 2, "TASK_USER_ABSENT": 1}


def kind_of(trajectory):
    task, attack = trajectory.id.split("/")[1:3]
    if attack != "none":
        return "under_attack"
    return "injection_task_alone" if task.startswith("injection_task") else "benign"


def stored(total):
    """The label as the file stores it; `security` is read as its opposite."""
    return {name: n for name, n in (("True", total["success"]), ("False", total["failure"])) if n}


def test_agentdojo(expected):
    counted = expected["agentdyn"]["groups"]
    groups, findings, writers = defaultdict(Summary), Findings(), Counter()
    for file in read_files(Path(DATA) / "agentdyn", None, findings):
        for trajectory in file.trajectories:
            groups[f"{trajectory.policy} :: {kind_of(trajectory)}"].add(trajectory, file.name, file.format)
            for turn in trajectory.turns:
                if turn.role == "tool_result":
                    writers[turn.writer, "<INFORMATION>" in turn.text] += 1
    assert sorted(counted) == sorted(groups)
    for name, counts in counted.items():
        summary = groups[name]
        total = summary.total
        assert counts["trajectories"] == total.trajectories, name
        assert counts["utility"] == stored(total.declared), name
        assert counts["turns_by_role"] == dict(total.messages), name
        assert counts["turns"] == total.messages.total(), name
        assert counts["tool_calls"] == summary.roles["tool_call"], name
        assert counts["error"].get("error", 0) == total.excluded["crashed"], name
        assert counts["distinct_user_tasks"] == len(total.tasks), name
    # All injections of the corpus stand between the same two words: none is left to the world.
    assert sorted(writers) == [("third_party", True), ("world", False)]
    assert writers["third_party", True] == 5771
    assert not findings.counts


def test_agentdojo_security(expected):
    """A run that broke off is stored as a success of the attack: it is none."""
    policy = "meta-llama_llama-3.3-70b-instruct"
    counts = expected["agentdyn"]["groups"][f"{policy} :: under_attack"]
    total = Summary()
    options = ReadOptions(label="security", where=(("kind", "under_attack"),))
    for trajectory in read(Path(DATA) / "agentdyn/SaFo-Lab__AgentDyn/runs" / policy, options):
        total.add(trajectory, policy, "agentdojo")
    declared, outcomes = total.total.declared, total.total.outcomes
    assert counts["security"] == {"True": declared["failure"], "False": declared["success"]}
    assert counts["error"] == {"error": 1, "none": 559}
    assert dict(outcomes) == {"failure": declared["failure"] - 1, "success": declared["success"]}


def test_intercode(expected):
    counted, findings, everything = expected["intercode"], Findings(), 0
    seen = set()
    for file in read_files(Path(DATA) / "intercode", None, findings):
        name, summary, unequal = f"intercode/{file.name}", Summary(), 0
        for trajectory in file.trajectories:
            summary.add(trajectory, file.name, file.format)
            messages = trajectory.origin.messages
            unequal += messages["action"] != messages.get("observation", 0)
        counts, total = counted[name], summary.total
        assert counts["trajectories"] == total.trajectories, name
        everything += total.trajectories
        seen.add(name)
        if "labels" not in counts:
            continue  # plan-and-solve files: only counted
        labels = counts["labels"]
        known = {"success": labels.get("1.0", 0), "failure": labels.get("0.0", 0)}
        assert (known if "1.0" in labels else labels) == dict(total.declared), name
        assert counts["action_turns"] == total.messages["action"], name
        assert counts["unequal_action_observation"] == unequal, name
        assert counts["distinct_tasks"] == len(total.task_ids), name
    assert seen == set(counted)
    assert everything == 7799
    assert not findings.counts


def test_agent_process_bench(expected):
    folder = "formats/RUCBM__AgentProcessBench"
    findings, seen = Findings(), set()
    for file in read_files(Path(DATA) / folder, None, findings):
        name, total, rewards = f"{folder}/{file.name}", Counter(), 0
        messages = Counter()
        for trajectory in file.trajectories:
            total[trajectory.origin.declared] += 1
            messages.update(trajectory.origin.messages)
            rewards += len(trajectory.rewards)
            assert all(reward.step is not None for reward in trajectory.rewards)
            assert len(trajectory.turns) > 0 or trajectory.origin.excluded == "labels without text"
        counts = expected["formats"][name]
        assert counts["records"] == total.total(), name
        assert counts["turns_by_role"] == dict(messages), name
        # Rows that are neither right nor wrong declare nothing; nor do excluded ones of label 0.
        labels = {f"final_label={n}": total[s] for n, s in ((1, True), (-1, False), (0, None)) if total[s]}
        assert counts["labels"] == labels, name
        assert rewards >= messages["assistant"], name
        seen.add(file.name)
    assert len(seen) == 5
    assert dict(findings.counts) == {"ARGUMENTS_NOT_JSON": 2}
