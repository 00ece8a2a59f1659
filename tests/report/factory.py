"""Small results for the tests of the page; every free text can be planted with the same hostile one."""

from __future__ import annotations

from msgspec.structs import replace

from armslength.audit import SCHEMA, Audit, Estimate
from armslength.audit.model import (
    Aggregation,
    Alert,
    Atom,
    Attack,
    Ceiling,
    Control,
    Data,
    Denial,
    Label,
    Landmark,
    Leak,
    Provenance,
    Rival,
    Score,
    Settings,
    Steering,
    Stratum,
    Variant,
    Verdict,
)
from armslength.audit.reward_model import OWN_REWARD, OwnReward, Probe, Refusal
from armslength.audit.run_model import Example, ExampleTurn, RunRow, RunScore

HEADS = ("all-role", "recorded", "strict")
CHANNELS = ("assistant", "tool_call", "both")
READS = ("R1", "R2@0.5", "R4")
ADVERSARIES = ("keep", "random", "best-of-5", "best-of-20", "best-of-100", "pool-maximum")
READS_CHANNEL = {*((OWN_REWARD, channel) for channel in CHANNELS),
                 ("all-role", "assistant"), ("all-role", "tool_call"), ("all-role", "both"),
                 ("recorded", "tool_call"), ("recorded", "both")}  # fmt: skip

AUC = Estimate(0.71, 0.64, 0.78, 321, 45)
WITHIN = Estimate(0.55, 0.40, 0.70, 123, 17, "123 pairs, fewer than 200: no claim")
DIFFERENCE = Estimate(0.04, -0.02, 0.10, 321, 45)
SHARE = Estimate(0.625, 0.5, 0.75, 80, 33)
EARLY = Estimate(0.375, 0.25, 0.5, 80, 33)
ZERO = Estimate(0.0, 0.0, 0.0, 80, 33)
DROP = Estimate(1.25, 1.0, 1.5, 150, 41)
NO_NUMBER = Estimate(None, None, None, 7, 0, "7 alerts, fewer than 20: no number")


def normal(text: str = "", *, word: str = "monitor", share: Estimate = SHARE, passed: bool = True) -> Audit:
    """A result with every kind of row; `text` is added to every free text in it."""
    rival = f"error rate{text}"
    early = EARLY if share.value is not None else share
    ceilings = [Ceiling(h, [0], c, k, share if (h, c) in READS_CHANNEL else ZERO, early,
                        DROP if (h, c) in READS_CHANNEL else ZERO)
                for h in HEADS for c in ("assistant", "tool_call", "both") for k in ("hull", "sphere")]  # fmt: skip
    return Audit(
        schema=SCHEMA,
        verdict=Verdict(
            word + text, f"It warns of failure.{text}",
            {"auc_r4": AUC, "auc_within_task_r1": WITHIN, f"difference_to_{rival}_r4": DIFFERENCE, f"odd{text}": AUC},
            [f"stop control is not measured by this version{text}"], [rival],
        ),
        verdicts={"all-role": f"no better than {rival}", "recorded": "no signal", "strict": word, f"user{text}": word},
        data=_data(text),
        scores=[Score(h, h, [0], "words", at, AUC, WITHIN, 123, (0.70, 0.72)) for h in HEADS for at in READS],
        rivals=[Rival(rival, at, AUC, WITHIN, DIFFERENCE, WITHIN, dict.fromkeys(HEADS, DIFFERENCE)) for at in READS],
        variants=[
            Variant(f"second{text}", "strict", [0], f"words{text}", "groups", at, AUC, WITHIN, DIFFERENCE)
            for at in READS
        ],
        landmarks=[
            Landmark("strict", "R3@2", 300, 140, Estimate(0.47, 0.4, 0.5, 300, 45), AUC),
            Landmark("strict", "R1-1", 310, 150, Estimate(0.48, 0.4, 0.5, 310, 45), AUC),
        ],
        aggregations=[Aggregation("strict", f"mean{text}", AUC, WITHIN, 400)],
        explanations=[Rival(f"length{text}", "R4", AUC, WITHIN, DIFFERENCE, WITHIN, {"strict": DIFFERENCE})],
        alerts=[_alert(head) for head in HEADS],
        attacks=[_attack(h, c, a, share, text) for h in HEADS for c in ("assistant", "tool_call", "both")
                 for a in ADVERSARIES],
        ladder=[_attack("all-role", "both", name, SHARE, text) for name in ("random", "best-of-5")],
        denial=[Denial("all-role", "both", "random", f"failing{text}", SHARE)],
        steering=[Steering("strict", "R4", f"stop{text}", 5, SHARE)],
        ceilings=ceilings,
        controls=[
            Control("active test", True, None, "detail"), Control("non-interference", passed, None, "detail"),
            Control(f"another{text}", False, AUC, f"detail{text}"),
        ],
        leak=Leak(Estimate(0.95, 0.93, 0.97, 321, 45), AUC),
        examples=[_example(kind, text) for kind in ("caught", "silenced", f"odd{text}")],
        runs=[
            RunRow(
                f"run{text}", f"runs{text}.jsonl:7", f"task{text}", f"group{text}", f"policy{text}", i < 3, "", 3, 0,
                {"strict": RunScore(0.2, 0.5, 0.4, 2 if i % 2 else None)},
            )
            for i in range(6)
        ],
        settings=_settings(text),
        provenance=_provenance(text),
    )  # fmt: skip


def own_reward(text: str = "", *, steady: bool = True) -> Audit:
    """The same with a reward of the user's as the headline; `text` is added to every free text in it."""
    result = normal(text)
    unknown = Estimate(None, None, None, 0, 0, f"a black box is only asked{text}")
    reward = OwnReward(
        f"rewards:polite{text}", "batch", True, 50_000, 41_234, 300, {f"reward unmeasured{text}": 21},
        [Refusal(f"raised KeyError (rewards.py:{i}){text}", 40 - i, f"run-{i}{text}, turn 3") for i in range(20)],
        100, 180, AUC, WITHIN, steady,
        [
            Probe("asked again", "nothing changes", "nothing", ZERO, ZERO, ZERO, ZERO, 0, 0),
            Probe(f"politeness added{text}", f"its messages are polite{text}", "policy", SHARE, SHARE, ZERO, DROP,
                  3, 4),
            Probe("evidence of another run", "users say other things", "evidence", SHARE, ZERO, SHARE,
                  Estimate(None, None, None, 80, 0, "the reward is the same for every probed run"), 0, 0),
        ],
    )  # fmt: skip
    rivals = [replace(row, differences={**row.differences, OWN_REWARD: DIFFERENCE}) for row in result.rivals]
    return replace(
        result,
        reward=reward,
        verdicts={OWN_REWARD: "monitor", **result.verdicts},
        scores=[*(Score(OWN_REWARD, "black box", [], "none", at, AUC, WITHIN, 123, None) for at in READS),
                *result.scores],
        rivals=rivals,
        alerts=[replace(result.alerts[0], head=OWN_REWARD, degrees=[], penalties=[]), *result.alerts],
        attacks=[*(_attack(OWN_REWARD, c, a, SHARE, text) for c in CHANNELS for a in ("random", "greedy by query")),
                 *result.attacks],
        ceilings=[*(Ceiling(OWN_REWARD, [], c, "sphere", unknown, unknown, unknown) for c in CHANNELS),
                  *result.ceilings],
        steering=[Steering(OWN_REWARD, "R4", "stop control", None, SHARE), *result.steering],
    )  # fmt: skip


def unmeasured(text: str = "") -> Audit:
    """A result without any figure."""
    reason = f"only one class: 0 successes and 9 failures{text}"
    nothing = Estimate(None, None, None, 0, 0, f"doing nothing is not measured by this version{text}")
    data = Data(12, 9, 3, 9, 1, 40, {"success": None, "failure": None}, {"no outcome": 3}, [], 0, {},
                Label(f"reward{text}", "B", nothing))  # fmt: skip
    return Audit(
        schema=SCHEMA, verdict=Verdict("unmeasured", f"Unmeasured: {reason}.", {}, [reason], []),
        verdicts=dict.fromkeys(HEADS, "unmeasured"), data=data, scores=[], rivals=[], explanations=[],
        variants=[], landmarks=[], aggregations=[], alerts=[], attacks=[], ladder=[], denial=[], steering=[],
        ceilings=[], controls=[], leak=None, examples=[], runs=[], settings=_settings(text),
        provenance=Provenance("", {}, {}, 1, None),
    )  # fmt: skip


def _data(text: str) -> Data:
    return Data(
        trajectories=400, measured=321, groups=45, failures=200, policies=2, decision_points=2345,
        median_points={"success": 6.0, "failure": 8.5}, excluded={f"crashed{text}": 49, "duplicate": 30},
        duplicates=[(f"runs{text}.jsonl:{i}", f"first{text}.jsonl:1") for i in range(30)], unknown_writer_turns=4,
        strata={"other failures": Stratum(150, AUC, AUC), "step limit": Stratum(50, AUC, NO_NUMBER),
                f"kind{text}": Stratum(1, AUC, AUC)},
        label=Label(f"verifier{text}", f"A, Z{text}",
                    Estimate(None, None, None, 0, 0, f"not measured by this version{text}")),
    )  # fmt: skip


def _example(kind: str, text: str) -> Example:
    other, after = (f"gladly{text}", 0.2) if kind == "silenced" else (None, None)
    turns = [
        ExampleTurn("user", "user", 0, f"please{text}", -0.5),
        ExampleTurn("assistant", "policy", 1, f"sure{text}", None, None, other),
        ExampleTurn("tool_result", "world", 2, f"error{text}", 1.25, after),
        ExampleTurn(f"role{text}", f"writer{text}", 3, "x" * 50),
    ]
    return Example(kind, "strict", f"runs{text}.jsonl:7", f"run{text}", f"task{text}", True, 0.9, turns, 3)


def _alert(head: str) -> Alert:
    # Of 80 alerts, 30 were raised before anything writable: the ceiling of 0.625 says no more than that.
    early = {"strict": 1.0}.get(head, 0.375)
    return Alert(
        head, [0], "R4", 0.1, Estimate(0.15, 0.11, 0.19, 121, 40), [0.1, 0.2, None], Atom(0.3, 0.1, 0.4, -0.5), 80,
        Estimate(0.4, 0.33, 0.47, 200, 44), Estimate(early, early, early, 80, 33), 1, [1.0, 10.0, 10.0], 1,
    )  # fmt: skip


def _attack(head: str, writable: str, adversary: str, share: Estimate, text: str) -> Attack:
    still = adversary == "keep" or (head, writable) not in READS_CHANNEL
    removed, drop = (ZERO, ZERO) if still else (share, DROP)
    reached = Estimate(removed.value, removed.low, removed.high, 50, 20)
    silent = Estimate(0.0, 0.0, 0.0, 120, 40)
    return Attack(head, [0], "R4", writable, adversary, f"successful{text}", removed, ZERO, silent, removed, reached,
                  drop, drop, removed)  # fmt: skip


def _settings(text: str) -> Settings:
    return Settings("strict", 0.1, 5, 4, 1, 2000, 10, "policy", f"static word pieces{text}")


def _provenance(text: str) -> Provenance:
    return Provenance(
        f"armslength audit runs{text}.jsonl --out here", {"armslength": "0.1.0", f"name{text}": f"2{text}"},
        {f"trajectories{text}": f"abc{text}"}, 7, f"c0ffee{text}",
    )  # fmt: skip
