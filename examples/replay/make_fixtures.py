"""Write the toy fixture and the toy bundle of the reference format: ``fixture/`` and ``exported_bundle/``.

Four episodes of three toy tasks: two terminal investigations (the second ends without a green test), a mock
purchase, a small block plan. All texts are public records that stand in this file; all numbers come from the
formulas that the policy declares. The same script writes the same bytes on every run.

    python examples/replay/make_fixtures.py [--out DIR]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import toy_documents as documents
from toy_documents import PLAIN, Doc, digest

from armslength.replay.formulas import StepFacts, declared_formulas, nearest_double, rational

ROOT = Path(__file__).resolve().parents[2]
# Per episode: name | task type | task. Per step three lines: observation | facts known; | uncertainties;
# then next actions; | evidence expected; and the kind of feedback | evidence that it read;
TASKS = """
terminal_a | terminal_investigation | In the folder shop the test test_total fails. Name the line that causes it.
  test_total: expected 107.00, got 119.00 | test_total gives 119.00; it expects 107.00 | which file sets the tax rate
  list the folder; read prices.py | config_is_listed; test_is_listed; exit_0
  seen | config_is_listed; test_is_listed; exit_0; old_config_is_listed
  shop: config.old.toml config.toml prices.py test_total.py | prices.py opens config.toml | what the tax rate is
  read config.toml; read config.old.toml | tax_key; tax_is_0_19; region_key; comment_on_tax
  seen | tax_key; tax_is_0_19; region_key
  config.toml: region = 'de', tax = 0.19 | tax is 0.19; 107.00 needs 0.07 | whether a second line is wrong too
  run test_total with tax 0.07; search for other rates | exit_0; passed_1
  checked | exit_0; passed_1; failed_0
terminal_b | terminal_investigation | In the folder shop the test test_total fails. Name the line that causes it.
  test_total fails with 119.00 | the total is 12.00 above the expected 107.00 | whether a stale cache holds the rate
  list the folder; delete the cache | cache_is_listed; old_config_is_listed
  seen | old_config_is_listed; config_is_listed
  four files, no cache | config.old.toml exists; there is no cache | which configuration prices.py opens
  read config.old.toml; read prices.py | tax_key; tax_is_0_19; opened_by_prices
  seen | tax_key; tax_is_0_16
  config.old.toml: tax = 0.16 | tax in config.old.toml was set from 0.16 to 0.07 | whether that file is read at all
  run test_total; read config.toml | test_was_run; exit_0; passed_1; failed_0
  checked | test_was_run; exit_1; failed_1
shop_a | mock_purchase | Buy one blue mug for at most 12.00, packing included.
  shop window: a search field, no filter | one blue mug is wanted; the limit is 12.00 | whether blue mugs are sold here
  search for blue mug; browse the kitchen shelf | hits_3; blue_is_listed
  seen | hits_3; blue_is_listed; advertisement
  search: 3 hits for blue mug | three blue mugs are listed; the list shows no prices | how many cost at most 12.00
  filter by price up to 12.00; open the first hit | hits_2; round_mug_11_40; tall_mug_11_90
  seen | hits_2; round_mug_11_40
  filter: round mug 11.40, tall mug 12.00 | the round mug costs 11.40; the tall mug costs 12.00 | what packing costs
  put the round mug in the cart; open the tall mug | cart_holds_1; round_mug_in_cart; goods_11_40; packing_0_00
  seen | cart_holds_1; round_mug_in_cart; goods_11_40; packing_0_40
  cart: round mug 11.40, packing 0.40 | the sum is 11.80; it is below 12.00 | whether the card is accepted
  check out; empty the cart | order_is_placed; paid_11_80; item_is_blue_mug
  checked | order_is_placed; paid_11_80; item_is_blue_mug
plan_a | formal_planning_toy | Start: B on A, A and C on the table. Goal: A on B, B on C.
  on(B,A) on(A,table) on(C,table) | B and C are clear; A on B and B on C are the goal | how many moves it takes
  move B to C; move B to the table | on_b_c; b_is_covered
  seen | on_b_c; a_is_clear
  on(B,C) on(C,table) on(A,table) | B lies on C; A and B are clear | whether A may be moved onto B at once
  move A to B; move A to C | on_a_b; b_is_covered; a_is_clear
  checked | on_a_b; b_is_covered; precondition_held
  on(A,B) on(B,C) on(C,table) | two moves were made; both parts of the goal hold | whether every precondition held
  check the plan; write the plan down | plan_is_valid; goal_on_a_b; goal_on_b_c; moves_2
  checked | plan_is_valid; goal_on_a_b; goal_on_b_c; moves_2
"""
KINDS = {"seen": "observed_environment_feedback", "checked": "deterministic_verifier"}
FORMULAS = declared_formulas(documents.VALUE_FORMULAS)


@dataclass(frozen=True)
class Step:
    """One step of an episode as `TASKS` tells it."""

    saw: str
    facts: list[str]
    unsure: list[str]
    moves: list[str]
    expected: list[str]
    kind: str
    read: list[str]


def write_fixtures(out: Path) -> None:
    """Write both folders below ``out``; files that stand there already are replaced."""
    bodies = {ref: (ROOT / ref).read_bytes() for ref in documents.LIVE}
    positive, traps = _positive_files(), {f"{name}.json": documents.trap(name) for name in documents.TRAPS}
    manifests = {
        "bundle_manifest.json": documents.bundle_manifest(sorted(positive), sorted(traps)),
        "source_module_manifest.json": documents.module_manifest(bodies),
    }
    for folder, files in (("fixture", positive | traps), ("exported_bundle", positive | manifests)):
        for name, doc in files.items():
            _write(out / folder / name, (json.dumps(doc, indent=2, sort_keys=True) + "\n").encode("ascii"))
    for ref, body in bodies.items():
        _write(out / "exported_bundle" / documents.TARGETS[ref], body)


def _positive_files() -> dict[str, Doc]:
    rows: dict[str, list[Doc]] = {}
    for name, task_type, task, steps in _episodes():
        for table, row in _episode_rows(name, task_type, task, steps):
            rows.setdefault(table, []).append(row)
    files = {"feedback": "verifier_feedback", "episodes": "task_episodes", "cold_replays": "cold_replay"}
    docs: dict[str, Doc] = {f"{files.get(table, table)}.json": {table: rows[table]} for table in rows}
    return docs | {"projection_protocol.json": documents.protocol(), "reward_policy.json": documents.policy()}


def _episodes() -> list[tuple[str, str, str, list[Step]]]:
    episodes: list[tuple[str, str, str, list[Step]]] = []
    lines = iter(TASKS.strip().splitlines())
    for line in lines:
        if not line.startswith(" "):
            name, task_type, task = line.split(" | ")
            episodes.append((name, task_type, task, []))
            continue
        saw, facts, unsure = line.strip().split(" | ")
        (moves, expected), (kind, read) = (next(lines).strip().split(" | ") for _ in range(2))
        told = {"facts": facts, "unsure": unsure, "moves": moves, "expected": expected, "read": read}
        lists = {field: text.split("; ") for field, text in told.items()}
        episodes[-1][3].append(Step(saw=saw, kind=KINDS[kind], **lists))
    return episodes


def _episode_rows(name: str, task_type: str, task: str, steps: list[Step]) -> list[tuple[str, Doc]]:
    """All rows of one episode, each with the table it belongs to."""
    where = {"episode_id": f"ep_{name}", "trajectory_group_id": f"traj_{name}"} | PLAIN
    replay, outcome = f"cold_{name}", f"rew_{name}_outcome"
    rows: list[tuple[str, Doc]] = []
    for n, step in enumerate(steps, 1):
        rows += _step_rows(name, n, step, where)
    rewards = [row for table, row in rows if table == "reward_events"]
    values = tuple(rational(row["reward_value"]) for row in rewards)
    paid = _value("outcome_reward_value", StepFacts(process_values=values))
    # The outcome rests on the last step: its belief, feedback and discrepancy.
    last = rewards[-1] | {"reward_event_id": outcome, "reward_kind": "outcome", "reward_value": paid}
    aligned = _value("reward_alignment", StepFacts(process_values=values, outcome_value=rational(paid)))
    episode = where | {
        "task_type": task_type,
        "task_spec_hash": digest(task.encode()),
        "observation_digest_refs": [digest(step.saw.encode()) for step in steps],
        "outcome_reward_ref": outcome,
        "cold_replay_ref": replay,
    }
    group = PLAIN | {
        "trajectory_group_id": f"traj_{name}",
        "episode_ids": [f"ep_{name}"],
        "process_reward_refs": [row["reward_event_id"] for row in rewards],
        "outcome_reward_ref": outcome,
        "reward_alignment": "aligned" if aligned == 1 else "apart",
        "cold_replay_status": "pass",
    }
    evidence = [f"receipts/cold_replay/{name}/{word}.json" for word in ("observations", "rewards")]
    cold = PLAIN | {"replay_id": replay, "trajectory_group_id": f"traj_{name}", "evidence_refs": evidence}
    return [
        *rows,
        ("reward_events", last),
        ("episodes", episode),
        ("trajectory_groups", group),
        ("cold_replays", cold | {"status": "pass"}),
    ]


def _step_rows(name: str, n: int, step: Step, where: Doc) -> list[tuple[str, Doc]]:
    belief, feedback = f"belief_{name}_{n}", f"fb_{name}_{n}"
    expected, read = ([f"records/{name}/{n}/{word}" for word in told] for told in (step.expected, step.read))
    reliability = _value("reliability_score", StepFacts(feedback_kind=step.kind))
    missed = _value("belief_discrepancy", StepFacts(predicted=frozenset(expected), evidence=frozenset(read)))
    # Formulas read the decimal text of the numbers in the rows, not the fractions behind them.
    facts = StepFacts(reliability=rational(reliability), discrepancy=rational(missed))
    said = {"candidate_next_actions": step.moves, "known_facts": step.facts, "uncertainties": step.unsure}
    belief_row = {
        "belief_state_id": belief,
        "step_id": f"{name}_step_{n}",
        "observation_digest_ref": digest(step.saw.encode()),
        "belief_state_json": said,
        "predicted_next_evidence": expected,
        "feedback_ref": feedback,
        "belief_discrepancy": missed,
        "hidden_chain_of_thought_exported": False,
    }
    feedback_row = {
        "feedback_id": feedback,
        "episode_id": f"ep_{name}",
        "feedback_kind": step.kind,
        "reliability_score": reliability,
        "evidence_refs": read,
    } | dict.fromkeys(("neural_judge_only", "hidden_gold_label_present"), False)
    reward_row = {
        "reward_event_id": f"rew_{name}_step_{n}",
        "belief_state_id": belief,
        "verifier_feedback_ref": feedback,
        "reward_kind": "process",
        "reward_value": _value("reward_value", facts),
        "belief_discrepancy": missed,
        "reward_hacking_trap_result": "pass",
    } | dict.fromkeys(("reward_by_formatting", "verifier_bypassed", "final_answer_only_scoring"), False)
    return [
        ("belief_states", where | belief_row),
        ("feedback", PLAIN | feedback_row),
        ("reward_events", where | reward_row),
    ]


def _value(quantity: str, facts: StepFacts) -> float:
    return nearest_double(FORMULAS[quantity].value(facts))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the toy fixture and the toy bundle.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder (default: this one)")
    write_fixtures(parser.parse_args().out)
