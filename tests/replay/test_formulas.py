"""The registry of formulas is closed, its arithmetic exact, and no number is too large or too odd for it."""

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.replay import formulas
from armslength.replay.belief_state_process_reward_replay import run
from armslength.replay.formulas import (
    REGISTRY,
    FormulaError,
    StepFacts,
    as_number,
    declared_formulas,
    nearest_double,
    rational,
)
from armslength.replay.names import FEEDBACK_KINDS

from .planted import FEEDBACK, POLICY, REWARDS, Folder, both, formula, row, top

KINDS = dict.fromkeys(FEEDBACK_KINDS, "9/10")
GOOD = {"by_feedback_kind": KINDS, "gap_within": {"limit": "1/4"}}
LISTED = [(quantity, name) for quantity, names in REGISTRY.items() for name in names]
small = st.fractions(min_value=0, max_value=1, max_denominator=10**6)
refs = st.frozensets(st.sampled_from("abcdefgh"))


def declared(quantity, name, args=None):
    entry = {"name": name} if args is None else {"name": name, "args": args}
    return declared_formulas({quantity: entry})[quantity]


def code_of(value):
    with pytest.raises(FormulaError) as caught:
        declared_formulas(value)
    assert str(caught.value).strip()
    assert caught.value.field.startswith("value_formulas")
    return caught.value.code


@pytest.mark.parametrize(("quantity", "name"), LISTED)
def test_each_listed_formula_can_be_declared(quantity, name):
    """With its own arguments and no other; what the page lists is what is there."""
    found = declared(quantity, name, GOOD.get(name))
    assert (found.quantity, found.name) == (quantity, name)
    assert all(type(value) is Fraction for value in found.args.values())
    assert isinstance(found.value(StepFacts()), Fraction)
    assert code_of({quantity: {"name": name, "args": {"other": "1"}}}) == "VALUE_FORMULA_ARGUMENTS"
    for key in GOOD.get(name, {}):
        fewer = {k: v for k, v in GOOD[name].items() if k != key}
        assert code_of({quantity: {"name": name, "args": fewer}}) == "VALUE_FORMULA_ARGUMENTS"
        for bad in ("near", "", "1/0", "nan", "inf", None, True, [], {}, "__import__('os')"):
            args = GOOD[name] | {key: bad}
            assert code_of({quantity: {"name": name, "args": args}}) == "VALUE_FORMULA_ARGUMENTS"


@pytest.mark.parametrize(
    "quantity",
    ["", "reward", "Reward_value", "reward_value ", "__class__", "reward_value.real", "keys", "1+1", "*"],
)
def test_an_unknown_quantity_is_refused(quantity):
    assert code_of({quantity: {"name": "agreement"}}) == "VALUE_FORMULA_UNKNOWN"


@pytest.mark.parametrize(
    "name",
    [
        *("vibes", "", "Agreement", "agreement ", "agreement()", "_agreement", "mean_process_reward"),
        *("lambda facts, args: 1", "1 - discrepancy", "__import__('os').system('true')", "__class__"),
        *(None, 7, 0.5, True, [], ["agreement"], {"name": "agreement"}),
    ],
)
def test_an_unknown_name_is_refused_and_never_evaluated(name):
    """Nothing looks like an expression language, and a formula of another quantity is none of this."""
    assert code_of({"reward_value": {"name": name}}) == "VALUE_FORMULA_UNKNOWN"


@pytest.mark.parametrize("value", [None, [], "agreement", 7, True])
def test_the_declaration_is_an_object_of_objects(value):
    assert code_of(value) == "VALUE_FORMULA_ARGUMENTS"
    assert code_of({"reward_value": value}) == "VALUE_FORMULA_ARGUMENTS"
    assert code_of({"reward_value": {"name": "agreement", "expr": "1"}}) == "VALUE_FORMULA_ARGUMENTS"
    if value is not None:
        args = {"name": "gap_within", "args": value}
        assert code_of({"reward_alignment": args}) == "VALUE_FORMULA_ARGUMENTS"


def test_nothing_declared_is_nothing():
    assert declared_formulas({}) == {}


@pytest.mark.parametrize("in_order", [True, False])
def test_two_wrong_declarations_raise_the_same_code_in_either_order(in_order):
    """What a policy is told does not depend on the order of its keys."""
    wrong = [("reward_value", {"name": "vibes"}), ("reward_alignment", {"name": "gap_within"})]
    pairs = wrong if in_order else wrong[::-1]
    assert code_of(dict(pairs)) == code_of(dict(wrong))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("3/8", Fraction(3, 8)), ("0.95", Fraction(19, 20)), ("1e-3", Fraction(1, 1000)), ("-2", -2)),
        *((0.1, Fraction(1, 10)), (0.30000000000000004, Fraction(30000000000000004, 10**17))),
        *((7, 7), (10**400, 10**400), (1e308, 10**308), (5e-324, Fraction(5, 10**324)), (-0.0, 0)),
    ],
)
def test_a_rational_is_that_of_the_decimal_text(text, value):
    """Not that of the double's binary value."""
    assert rational(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *(
            "nan",
            "inf",
            "-inf",
            "Infinity",
            "",
            " ",
            "/",
            "1/",
            "/2",
            "1/2/3",
            "0x10",
            "1,5",
            "½",
            "3/8 apples",
        ),
        *(float("nan"), float("inf"), -float("inf"), True, False, None, [], {}, b"1", 1j, "9" * 5000),
    ],
)
def test_what_is_no_rational_is_a_value_error(text):
    with pytest.raises(ValueError, match=r"."):
        rational(text)


def test_division_by_zero_is_refused_where_it_is_declared():
    """And not only as an error of arithmetic, which a caller could forget."""
    with pytest.raises((ValueError, ZeroDivisionError)):
        rational("1/0")
    args = {"name": "gap_within", "args": {"limit": "1/0"}}
    assert code_of({"reward_alignment": args}) == "VALUE_FORMULA_ARGUMENTS"


@pytest.mark.parametrize("text", ["1e30000000", "1e-30000000", "0e30000000", "1" + "0" * 4000 + "e30000000"])
def test_a_short_text_cannot_ask_for_a_long_computation(text):
    """A text of ten letters must not cost half a minute and tens of megabytes."""
    script = (
        "import sys; from armslength.replay.formulas import rational\n"
        "try: rational(sys.argv[1])\nexcept ValueError: pass"
    )
    subprocess.run([sys.executable, "-c", script, text], check=True, timeout=3)


@pytest.mark.parametrize(
    ("value", "nearest"),
    [
        *((Fraction(1, 3), 1 / 3), (Fraction(1, 10), 0.1), (Fraction(27, 40), 0.675), (Fraction(0), 0.0)),
        # Halfway between two doubles: to the one whose last bit is even.
        *((Fraction(2**53 + 1), float(2**53)), (Fraction(2**53 + 3), float(2**53 + 4))),
        *((1 + Fraction(1, 2**53), 1.0), (1 + Fraction(3, 2**53), 1.0 + 2**-51)),
        (1 + Fraction(1, 2**53) + Fraction(1, 2**200), 1.0 + 2**-52),
        *((Fraction(1, 2**1075), 0.0), (Fraction(3, 2**1075), 2 * 5e-324), (Fraction(1, 10**400), 0.0)),
    ],
)
def test_the_nearest_double_ties_to_even(value, nearest):
    assert nearest_double(value) == nearest
    assert nearest_double(-value) == -nearest


@given(st.fractions(), st.integers(-300, 300))
def test_no_double_is_nearer(value, exponent):
    """Neither neighbour of the double lies nearer to the rational."""
    import math

    value *= Fraction(10) ** exponent if abs(value) < 10**6 else 1
    found = nearest_double(value)
    distance = abs(Fraction(found) - value)
    for other in (math.nextafter(found, math.inf), math.nextafter(found, -math.inf)):
        assert math.isinf(other) or abs(Fraction(other) - value) >= distance


@given(st.floats(allow_nan=True, allow_infinity=True) | st.integers())
def test_a_number_of_a_row_is_its_decimal_text(number):
    """And going through the rational and back changes no finite number."""
    found = as_number(number)
    if isinstance(number, float) and number - number != 0:
        assert found is None
    else:
        assert found == Fraction(repr(number))
        assert isinstance(number, int) or nearest_double(found) == number


@pytest.mark.parametrize("value", [True, None, "0.5", [], {}, float("nan"), float("inf")])
def test_anything_else_is_no_number(value):
    assert as_number(value) is None


@given(st.tuples(refs, refs), st.tuples(small, small, small, small), st.lists(small, max_size=5).map(tuple))
def test_each_formula_gives_what_plain_fractions_give(cited, numbers, values):
    """Written down here a second time."""
    (predicted, evidence), (reliability, discrepancy, outcome, limit) = cited, numbers
    facts = StepFacts(
        feedback_kind=FEEDBACK_KINDS[0],
        reliability=reliability,
        discrepancy=discrepancy,
        predicted=predicted,
        evidence=evidence,
        process_values=values,
        outcome_value=outcome,
    )
    mean = sum(values, Fraction(0)) / len(values) if values else Fraction(0)
    missed = sum(1 for ref in predicted if ref not in evidence)
    shared, either = len(predicted & evidence), len(predicted | evidence)
    expected = {
        "by_feedback_kind": limit,
        "missed_predictions": Fraction(missed, len(predicted)) if predicted else Fraction(0),
        "set_distance": Fraction(either - shared, either) if either else Fraction(1),
        "agreement": 1 - discrepancy,
        "reliable_agreement": reliability * (1 - discrepancy),
        "mean_process_reward": mean,
        "least_process_reward": min(values) if values else Fraction(0),
        "gap_within": Fraction(1 if -limit <= mean - outcome <= limit else 0),
    }
    as_text = f"{limit.numerator}/{limit.denominator}"
    args = {
        "by_feedback_kind": dict.fromkeys(FEEDBACK_KINDS, as_text),
        "gap_within": {"limit": as_text},
    }
    for quantity, name in LISTED:
        value = declared(quantity, name, args.get(name)).value(facts)
        assert type(value) is Fraction
        assert value == expected[name], name


def test_the_registry_and_its_functions_are_all_there_is():
    """No name of the module can be reached through a declaration but those listed."""
    for name in dir(formulas):
        if name not in {listed for _, listed in LISTED}:
            assert code_of({"reward_value": {"name": name}}) == "VALUE_FORMULA_UNKNOWN"


HUGE = 10**4000


@pytest.mark.parametrize(
    "change",
    [
        both(row(REWARDS, 0, belief_discrepancy=HUGE), row(FEEDBACK, 0, reliability_score=HUGE)),
        both(row(REWARDS, 0, belief_discrepancy=-HUGE), row(FEEDBACK, 0, reliability_score=-HUGE)),
        row(REWARDS, 0, reward_value=HUGE),
        row(FEEDBACK, 0, reliability_score=1e308),
        formula(
            "reliability_score", {"name": "by_feedback_kind", "args": KINDS | {FEEDBACK_KINDS[0]: "1e5000"}}
        ),
        formula(
            "reliability_score", {"name": "by_feedback_kind", "args": KINDS | {FEEDBACK_KINDS[0]: "1e-5000"}}
        ),
        top(POLICY, value_ranges={"reward_value": ["0", "1e5000"]}),
        top(POLICY, value_ranges={"reward_value": ["-1e-5000", "1e-5000"]}),
        top(POLICY, minimum_reliability_score=HUGE),
    ],
)
def test_huge_numbers_block_and_never_raise(change, tmp_path):
    """Beyond every double, and longer than the interpreter prints."""
    folder = Folder(tmp_path, "fixture")
    change(folder)
    result = run(folder.input, folder.out)
    assert result.status == "blocked"
    assert result.blocking
    assert folder.written.is_file()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.integers(min_value=-(10**4200), max_value=10**4200)
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False),
        max_size=6,
    )
)
def test_huge_values_never_raise_in_a_formula(numbers):
    """Every formula over every number that a JSON file can hold."""
    values = tuple(number for number in map(as_number, numbers) if number is not None)
    first = values[0] if values else Fraction(0)
    facts = StepFacts(
        reliability=first,
        discrepancy=values[-1] if values else first,
        process_values=values,
        outcome_value=first,
    )
    for quantity, name in LISTED:
        assert isinstance(declared(quantity, name, GOOD.get(name)).value(facts), Fraction)
