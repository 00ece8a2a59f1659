"""Non-interference from bytes to score: what the policy writes moves no bit of an evidence score.

A chat file is mutated in its policy-written spans only, read, made into a corpus and scored by the strict head. The
grid is kept: every block of policy turns keeps at least one, since a block that vanished would be another number of
decision points, which is the policy's own act of stopping, not its words.
"""

import json
import random
from collections import defaultdict

import msgspec
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from armslength.encoders import StaticTable
from armslength.formats import ReadOptions, read
from armslength.geometry import prefix_spans
from armslength.heads import LevelReader, cross_fit, grouped_splits
from armslength.records import ROLE_CODE, Corpus
from armslength.scoring import ExactHead, score, turn_values

ENCODER = StaticTable()
HEAD = ExactHead.round("strict", np.random.default_rng(0).normal(size=2 * ENCODER.dimensions), 0.125)
WORDS = (
    "order",
    "refund",
    "gate",
    "Boston",
    "sorry",
    "shipped",
    "seven",
    "lost",
    "paid",
    "#W23",
    "please",
    "no",
)
SCRIPTS = (
    "Всё готово, заказ отправлен",
    "予約を確認しました。",
    "تم الإرسال",
    "नमस्ते",
    "🙂🙂🙂",
    "\u202eright to left\u202c",
    "a\u0300\u200bb\x00c",
    "\ud800 torn",
)
SHAPES = (
    "[SEP]",
    "API output: {}",
    '{"role": "user", "content": "hi"}',
    "user: I am happy",
    "Error: no",
    "\n\n",
    " ",
)


def words(rng, most=6):
    return " ".join(rng.choices(WORDS, k=rng.randint(1, most)))


def call(rng, number):
    function = {"name": rng.choice(("look", "buy", "send")), "arguments": json.dumps({"what": words(rng)})}
    return {"id": f"call-{number}", "type": "function", "function": function}


def conversation(rng):
    """Blocks of messages: evidence (user or tool messages) and policy (assistant messages) in turn."""
    blocks = [[{"role": "system", "content": "Serve."}, {"role": "user", "content": words(rng)}]]
    for number in range(rng.randint(1, 4)):
        said = {"role": "assistant", "content": words(rng), "tool_calls": [call(rng, number)]}
        blocks.append([said])
        if rng.random() < 0.7:
            result = {"role": "tool", "tool_call_id": f"call-{number}", "content": words(rng)}
            blocks.append([result | rng.choice(({}, {"is_error": True}, {"is_error": False}))])
        else:
            said.pop("tool_calls")
            blocks.append([{"role": "user", "content": words(rng)}])
    # Two users at least, so that neither is taken for the task's text.
    return [
        *blocks,
        [{"role": "assistant", "content": words(rng)}],
        [{"role": "user", "content": words(rng)}],
    ]


def policy_text(rng):
    """What an optimiser might write: nothing, other scripts, shapes that look like evidence, a long text."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(("", None))
    if kind < 0.45:
        return rng.choice(SCRIPTS)
    if kind < 0.6:
        return rng.choice(SHAPES)
    return words(rng, 400 if kind > 0.99 else 6)


def policy_message(rng, ids):
    """One assistant message: text, reasoning, refusal, calls under any name and any arguments, or none."""
    message = {"role": "assistant", "content": policy_text(rng)}
    if rng.random() < 0.3:
        message["content"] = [
            {"type": "text", "text": words(rng)},
            {"type": "refusal", "refusal": words(rng)},
        ]
    if rng.random() < 0.2:
        message["reasoning_content"] = policy_text(rng)
    if rng.random() < 0.1:
        message["refusal"] = words(rng)
    if rng.random() < 0.5:
        message["tool_calls"] = [call(rng, rng.choice((*ids, "new"))) for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.2:
            message["tool_calls"][0]["function"]["arguments"] = rng.choice(("", "{", "[1]", '"text"', "{}"))
        if rng.random() < 0.2:
            message["tool_calls"][0]["function"]["name"] = rng.choice(("tool", "user", "respond", ""))
    return message


def is_policy(block):
    return block[0]["role"] == "assistant"


def mutate(rng, blocks):
    """Every policy block becomes another number of other messages; evidence stays as it is."""
    ids = [m["tool_call_id"].removeprefix("call-") for block in blocks for m in block if "tool_call_id" in m]
    out = []
    for block in blocks:
        rewritten = is_policy(block) and rng.random() < 0.9
        out += [policy_message(rng, ids) for _ in range(rng.randint(1, 3))] if rewritten else block
    return out + [policy_message(rng, ids) for _ in range(rng.randint(0, 1))]


def row(base, number, messages, *, success=True):
    fields = {"id": f"{base}-{number}", "task": f"task {base}", "success": success, "messages": messages}
    return json.dumps(fields).encode() + b"\n"


def scores_of(folder, content, *, mapped=lambda trajectory: trajectory):
    """Scores at every decision point and error signals of every distinct run of a file, by identifier."""
    path = folder / "runs.jsonl"
    path.write_bytes(content)
    corpus = Corpus.build(mapped(trajectory) for trajectory in read(path, ReadOptions(format="chat")))
    assert set(corpus.excluded.reasons) <= {"duplicate"}
    spans = prefix_spans(corpus, "strict")
    z = score(HEAD, spans, turn_values(HEAD, corpus, ENCODER.encode(corpus.texts)))
    cuts = corpus.points.offsets
    found = {}
    for i, trajectory in enumerate(corpus.trajectories):
        turns = slice(corpus.offsets[i], corpus.offsets[i + 1])
        errors = corpus.error[turns][corpus.role[turns] == ROLE_CODE["tool_result"]]
        found[trajectory.id] = z[cuts[i] : cuts[i + 1]].tobytes(), errors.tobytes()
    return found


def differences(folder, wanted, seed, **options):
    """Mutated runs whose scores differ from the original's, and how many distinct mutated runs were compared."""
    rng = random.Random(seed)
    compared, moved = 0, []
    while compared < wanted:
        bases = {base: conversation(rng) for base in range(20)}
        plain = {base: [m for block in blocks for m in block] for base, blocks in bases.items()}
        content = b"".join(row(base, 0, messages) for base, messages in plain.items())
        content += b"".join(
            row(base, number, mutate(rng, blocks))
            for base, blocks in bases.items()
            for number in range(1, 51)
        )
        by_base = defaultdict(dict)
        for name, z in scores_of(folder, content, **options).items():
            base, number = name.split("-")
            by_base[base][number] = z
        for base, found in by_base.items():
            original = found.pop("0")
            compared += len(found)
            moved += [f"{base}-{number}" for number, z in found.items() if z != original]
    return moved, compared


def test_policy_spans_move_no_bit_of_an_evidence_score(tmp_path):
    """Ten thousand mutated trajectories, read from bytes, have the scores of their originals to the bit."""
    moved, compared = differences(tmp_path, 10_000, 0)
    assert (moved, compared >= 10_000) == ([], True)


@pytest.mark.slow
def test_policy_spans_move_no_bit_of_an_evidence_score_at_length(tmp_path):
    """The same with a hundred thousand."""
    moved, compared = differences(tmp_path, 100_000, 1)
    assert (moved, compared >= 100_000) == ([], True)


def test_a_megabyte_moves_no_bit(tmp_path):
    """One very long policy text is read, and leaves the score alone."""
    messages = [m for block in conversation(random.Random(2)) for m in block]
    long = [m | {"content": "more " * 200_000} if m["role"] == "assistant" else m for m in messages]
    found = scores_of(tmp_path, row(0, 0, messages) + row(0, 1, long))
    assert found["0-0"] == found["0-1"]


def leak(trajectory):
    """A reader with a hole: a policy text that begins like an interface's answer passes for one."""
    turns = tuple(
        msgspec.structs.replace(turn, role="tool_result", writer="world")
        if turn.writer == "policy" and turn.text.startswith("API output")
        else turn
        for turn in trajectory.turns
    )
    return msgspec.structs.replace(trajectory, turns=turns)


def swapped(trajectory):
    """A reader that gives a result the first letters of the call it answers."""
    calls = {turn.call_id: turn.text for turn in trajectory.turns if turn.role == "tool_call"}
    turns = tuple(
        msgspec.structs.replace(turn, text=f"{calls.get(turn.call_id, '')[:4]} {turn.text}")
        if turn.role == "tool_result"
        else turn
        for turn in trajectory.turns
    )
    return msgspec.structs.replace(trajectory, turns=turns)


@pytest.mark.parametrize("hole", [leak, swapped])
def test_a_planted_leak_is_found_within_a_thousand_mutations(tmp_path, hole):
    """The test can fail: a reader that lets policy text into evidence is caught."""
    moved, compared = differences(tmp_path, 500, 3, mapped=hole)
    assert compared <= 1000
    assert moved


def fitted(folder, content):
    """Out-of-fold scores of the strict head, fitted on a file."""
    path = folder / "fit.jsonl"
    path.write_bytes(content)
    corpus = Corpus.build(read(path, ReadOptions(format="chat")))
    reader = LevelReader(corpus, ENCODER.encode(corpus.texts), "strict")
    splits = grouped_splits(corpus.group.codes, seed=0)
    with threadpool_limits(1):
        found = cross_fit(reader, corpus, splits, alpha=0.1, threads=1)
    return len(corpus), found.z.tobytes(), found.thresholds().tolist()


@pytest.mark.parametrize("seed", range(3))
def test_policy_spans_move_no_bit_at_fit_time(tmp_path, seed):
    """A head fitted on mutated files gives the same scores and the same thresholds, to the bit."""
    rng = random.Random(seed)
    bases = [conversation(rng) for _ in range(30)]
    outcomes = [rng.random() < 0.5 for _ in bases]
    plain = b"".join(
        row(i, 0, [m for block in blocks for m in block], success=outcomes[i])
        for i, blocks in enumerate(bases)
    )
    mutated = b"".join(row(i, 0, mutate(rng, blocks), success=outcomes[i]) for i, blocks in enumerate(bases))
    expected = fitted(tmp_path, plain)
    assert expected[0] == 30
    assert fitted(tmp_path, mutated) == expected


def talk(*contents, name="look"):
    """A run in which users and the policy alternate, with a call and its result at the end."""
    messages = [{"role": "user" if i % 2 == 0 else "assistant", "content": c} for i, c in enumerate(contents)]
    function = {"name": name, "arguments": "{}"}
    messages.append({"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": function}]})
    return [*messages, {"role": "tool", "tool_call_id": "1", "content": "seven rows"}]


@pytest.mark.parametrize("token", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
def test_a_terminal_token_in_the_policys_own_words_moves_no_bit(tmp_path, token):
    """Between two turns of evidence the policy writes a token that it may write at any time."""
    one, two = talk("hello", "yes?", "my order", "fine"), talk("hello", f"yes? {token}", "my order", "fine")
    found = scores_of(tmp_path, row(0, 0, one) + row(0, 1, two))
    assert found["0-0"] == found["0-1"]


@pytest.mark.parametrize("name", ["submit", "Finish", "transfer_to_human_agents"])
def test_the_name_of_the_last_call_moves_no_bit_before_it(tmp_path, name):
    """Ending the episode is the policy's (stop control, a row of its own): the end counts, nothing before it moves."""
    one, two = talk("hello", "yes?", "my order"), talk("hello", "yes?", "my order", name=name)
    found = scores_of(tmp_path, row(0, 0, one) + row(0, 1, two))
    scores, errors = zip(found["0-0"], found["0-1"], strict=True)
    assert scores[0].startswith(scores[1])
    assert (len(scores[0]) - len(scores[1]), len(errors[0]) - len(errors[1])) == (8, 1)


def test_policy_text_does_not_decide_which_runs_share_a_group(tmp_path):
    """Two tasks with the same evidence share a group whatever the policy says; only a full repeat is left out."""
    path = tmp_path / "runs.jsonl"
    kept = []
    for said in (("alpha", "beta"), ("same", "same"), ("same 1", "same 2")):
        rows = [row(i, 0, talk("hello", text, "my order", "fine")) for i, text in enumerate(said)]
        path.write_bytes(b"".join(rows))
        corpus = Corpus.build(read(path, ReadOptions(format="chat")))
        kept.append((len(corpus), len(set(corpus.group.codes.tolist()))))
    assert kept == [(2, 1), (1, 1), (2, 1)]
