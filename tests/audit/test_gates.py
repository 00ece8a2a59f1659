"""Gates: what can be written, which end of an interval judges, and what an unmeasured figure holds."""

import msgspec
import pytest

from armslength.audit import Estimate
from armslength.audit.gates import FIGURES, judge_gate, parse_gate
from armslength.errors import InputError

UNMEASURED = Estimate(None, None, None, 3, 0, "3 alerts, fewer than 20: no number")


@pytest.fixture
def result(audited):
    return audited


def with_auc(result, estimate):
    scores = [
        msgspec.structs.replace(row, auc=estimate) if (row.head, row.read) == ("strict", "R1") else row
        for row in result.scores
    ]
    return msgspec.structs.replace(result, scores=scores)


@pytest.mark.parametrize(
    "text", ["", "auc", "auc=1", "auc>=x", "AUC>=1", "nothing<=1", "auc>=1;", "auc>=1e3"]
)
def test_what_cannot_be_read(text):
    with pytest.raises(InputError, match="GATE_OPTION"):
        parse_gate(text)


@pytest.mark.parametrize(
    "text", ["auc>=0.5", " ceiling <= 0.1 ", "best_of_5<-1", "auc_within_r4>+0.5", "caught>0"]
)
def test_what_can_be_read(text):
    gate = parse_gate(text)
    assert (gate.figure in FIGURES, gate.text) == (True, text.strip())


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("auc>=0.60", True), ("auc>=0.61", False), ("auc>0.60", False),
        ("auc<=0.80", True), ("auc<=0.79", False), ("auc<0.80", False),
    ],
)  # fmt: skip
def test_the_unfavourable_end_judges(result, text, holds):
    given = with_auc(result, Estimate(0.7, 0.60, 0.80, 100, 40))
    assert judge_gate(parse_gate(text), given).holds is holds


@pytest.mark.parametrize("text", ["auc>=0", "auc<=1"])
@pytest.mark.parametrize("estimate", [UNMEASURED, Estimate(0.7, None, None, 9, 9, "fewer than 20 groups")])
def test_an_unmeasured_figure_holds_no_gate(result, text, estimate):
    judged = judge_gate(parse_gate(text), with_auc(result, estimate))
    assert not judged.holds
    assert ("unmeasured" in judged.why) or ("no interval" in judged.why)


def test_a_figure_that_the_result_lacks(result):
    judged = judge_gate(parse_gate("ceiling<=1"), msgspec.structs.replace(result, ceilings=[]))
    assert (judged.holds, judged.why) == (False, "not in the result")


def test_the_worst_channel_judges(result):
    """All channels hold at the bound of the worst one, and none below."""
    ceilings = [row for row in result.ceilings if (row.head, row.kind) == ("strict", "sphere")]
    highs = [0.1 * (i + 1) for i in range(len(ceilings))]
    changed = [
        msgspec.structs.replace(row, value=Estimate(high - 0.05, 0.0, high, 50, 30))
        for row, high in zip(ceilings, highs, strict=True)
    ]
    given = msgspec.structs.replace(result, ceilings=changed)
    assert judge_gate(parse_gate(f"ceiling<={max(highs):.2f}1"), given).holds
    assert not judge_gate(parse_gate(f"ceiling<={max(highs) - 0.01:.2f}"), given).holds


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_found(result, figure):
    assert judge_gate(parse_gate(f"{figure}>=-9"), result).why != "not in the result"


@pytest.mark.parametrize(("figure", "kind", "best_of"), [
    ("one_more_call", "one more call", 5), ("stop_control", "stop control", None),
])  # fmt: skip
def test_steering_is_judged_on_the_headline_head(result, figure, kind, best_of):
    """One row decides: another number of calls, another kind or another head does not."""
    high, low = Estimate(0.6, 0.5, 0.7, 50, 40), Estimate(0.05, 0.0, 0.09, 50, 40)
    steering = [
        msgspec.structs.replace(
            row, removed=low if (row.head, row.kind, row.best_of) == ("strict", kind, best_of) else high
        )
        for row in result.steering
    ]
    given = msgspec.structs.replace(result, steering=steering)
    assert judge_gate(parse_gate(f"{figure}<=0.1"), given).holds
    assert not judge_gate(parse_gate(f"{figure}<=0.08"), given).holds
