"""Variants of the headline head: what they are, how they split, and what they cannot say."""

import random

import pytest

from armslength import audit
from armslength.records import Outcome, Trajectory, Turn


def runs(policies, count=90):
    """The order of two words tells the outcome: degree 1 sees it, degree 0 does not."""
    rng = random.Random(1)
    for i in range(count):
        success = rng.random() < 0.5
        words = ["first the order", "then the parcel"]
        said = words if success else words[::-1]
        turns = []
        for step, text in enumerate(said):
            turns += [
                Turn("user", "user", f"{text} {rng.choice('abcdefgh')}{i}", step),
                Turn("assistant", "policy", "yes", step),
            ]
        turns.append(Turn("user", "user", "thanks", 9))
        outcome = Outcome(success, "made up", "A")
        yield Trajectory(str(i), f"t{i % 45}", f"t{i % 45}", f"p{i % policies}", tuple(turns), outcome)


@pytest.fixture(scope="module")
def result():
    return audit(runs(3), resamples=200, seed=1, variants=True, threads=1)


def test_degree_one_sees_an_order_that_degree_zero_does_not(result):
    plain = next(row for row in result.scores if (row.head, row.read) == ("strict", "R1"))
    found = {row.name: row for row in result.variants if row.read == "R1"}
    assert plain.auc.value < 0.7
    assert found["degree 1"].auc.value > 0.9
    assert found["degrees 0 and 1"].auc.value > 0.8
    assert found["degree 1"].difference.low > 0
    for row in found.values():
        assert row.difference.value == pytest.approx(row.auc.value - plain.auc.value)


def test_each_variant_says_what_it_is(result):
    about = {(v.name, tuple(v.degrees), v.encoder.split(",")[0], v.left_out, v.head) for v in result.variants}
    static = result.settings.encoder.split(",")[0]
    assert about == {
        ("degree 1", (1,), static, "groups", "strict"),
        ("degrees 0 and 1", (0, 1), static, "groups", "strict"),
        ("second encoder", (0,), "TF-IDF", "groups", "strict"),
        ("policies left out", (0,), static, "policies", "strict"),
    }
    assert [v.read for v in result.variants] == ["R1", "R2@0.5", "R4"] * 4


def test_one_policy_cannot_be_left_out():
    rows = audit(runs(1, 60), resamples=100, seed=1, variants=True, threads=1).variants
    left = [row for row in rows if row.left_out == "policies"]
    assert {row.auc.reason for row in left} == {"one policy: none can be left out"}


def test_they_are_made_on_demand_alone():
    assert audit(runs(3, 60), resamples=100, seed=1, threads=1).variants == []
