"""Few turns: the fewest replaced turns that silence an alert, against every subset."""

import itertools
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from armslength.attacks.few_turns import replace_few
from armslength.records import Corpus
from armslength.scoring import score

from .random_runs import random_head, random_vectors, run_of, runs_of


def silenced_by(runs, turns, best, subset):
    values = runs.values.copy()
    values[turns[list(subset)]] = best[list(subset)]
    return score(runs.head, runs.spans, values).max() <= runs.threshold


@settings(max_examples=150, deadline=None)
@given(
    st.text("uacr", min_size=2, max_size=10).filter(lambda kinds: 1 <= kinds.count("a") <= 6),
    st.floats(0.05, 0.95),
    st.integers(0, 2**32 - 1),
)
def test_on_one_role_no_smaller_set_silences_the_alert(kinds, quantile, seed):
    rng = np.random.default_rng(seed)
    corpus = Corpus.build([run_of(1, "u" + kinds, success=False)])
    runs = runs_of(corpus, random_vectors(rng, corpus), random_head(rng, "all-role"), 0.0)
    runs = replace(runs, fit=replace(runs.fit, threshold=float(np.quantile(runs.before, quantile))))
    turns = runs.writable_turns("assistant")
    best = np.minimum(runs.values[turns], rng.integers(-(10**8), 10**8, len(turns)))
    enough = [
        size
        for size in range(len(turns) + 1)
        if any(
            silenced_by(runs, turns, best, subset)
            for subset in itertools.combinations(range(len(turns)), size)
        )
    ]
    for budget in range(1, len(turns) + 1):
        chosen = replace_few(runs, {"assistant": best}, budget)["assistant"]
        changed = np.flatnonzero(chosen != runs.values[turns])
        assert len(changed) <= budget
        assert chosen[changed].tolist() == best[changed].tolist()
        possible = bool(enough) and enough[0] <= budget
        assert silenced_by(runs, turns, best, changed) == possible
        if possible:
            assert len(changed) == enough[0]


def test_on_two_roles_the_budget_is_shared_and_more_turns_do_no_less():
    rng = np.random.default_rng(3)
    corpus = Corpus.build([run_of(i, "uacrauacr", success=False) for i in range(40)])
    runs = runs_of(corpus, random_vectors(rng, corpus), random_head(rng, "all-role"), 0.0)
    runs = replace(runs, fit=replace(runs.fit, threshold=float(np.quantile(runs.before, 0.5))))
    turns = {role: runs.writable_turns(role) for role in ("assistant", "tool_call")}
    best = {role: np.minimum(runs.values[at], -(10**6)) for role, at in turns.items()}
    before = None
    for budget in (1, 2, 3, 5):
        chosen = replace_few(runs, best, budget)
        values, count = runs.values.copy(), np.zeros(len(corpus), dtype=int)
        for role, at in turns.items():
            values[at] = chosen[role]
            np.add.at(count, runs.corpus.owner[at], chosen[role] != runs.values[at])
        assert count.max() <= budget
        z = score(runs.head, runs.spans, values)
        alert = np.maximum.reduceat(z, corpus.points.offsets[:-1]) > runs.threshold
        assert before is None or not (alert & ~before).any()
        before = alert
    assert not before.all()
