"""The replay's result as one self-contained HTML page.

- Nothing is loaded and no script runs: a Content-Security-Policy inside the page says so.
- Everything that came from the data is escaped by the template engine, and withheld where it has the shape of a secret.
- A chain is drawn per step, so that a reader sees which link broke; signs and words say it, never colour alone.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib.metadata import version
from itertools import islice
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from armslength.replay.codes import in_words
from armslength.replay.result import Result
from armslength.replay.rows import strings
from armslength.replay.summaries import freshness

from . import replay_words as words
from .numbers import of
from .replay_blocks import blocks, hit_in_words
from .replay_chains import episodes as drawn_episodes
from .replay_chains import refused_steps
from .words import join

_BLOCKS, _REASONS, _HITS, _FILES = 50, 8, 40, 60


class Quantity(NamedTuple):
    """One quantity of the policy: its formula and what recomputing it gave; counts are None where none ran."""

    name: str
    formula: str
    recomputed: int
    uncovered: int
    differ: int


def replay_page(result: Result, *, episodes: int = 12) -> str:
    """The page.

    Args:
        result: what the replay found.
        episodes: episodes to draw at most, blocked ones first; how many are left out is said.

    Returns:
        An HTML document that can be encoded as UTF-8 and opened offline.
    """
    found, say = blocks(result), words.Sayer(result)
    refused = refused_steps(result, found)
    drawn, left_out = drawn_episodes(result, found, refused, episodes)
    verdict = words.verdict(result, found, sum(refused))
    html = _environment().get_template("replay_page.html").render(
        result=result,
        say=say,
        verdict=verdict,
        tone="stop" if verdict.word != "pass" else "hold" if verdict.weaker else "go",
        counts=result.counts(),
        blocked=list(islice(found, _BLOCKS)),
        more_blocked=max(0, len(found) - _BLOCKS),
        most_reasons=_REASONS,
        wide=bool(found.wide),
        episodes=drawn,
        left_out=left_out,
        **_about(result),
    )  # fmt: skip
    # A name that is no valid Unicode must not keep the page from being written.
    return html.encode("utf-8", "replace").decode("utf-8")


def _about(result: Result) -> dict[str, object]:
    """What the sections after the chains say, and how the page was made."""
    scan = result.scan
    return {
        "numbers": words.numbers(result),
        "quantities": _quantities(result),
        "traps": words.traps(result),
        "traps_line": words.traps_line(result),
        "hits": [(hit_in_words(hit), hit.path) for hit in scan.hits[:_HITS]],
        "more_hits": max(0, len(scan.hits) - _HITS),
        "hides_facts": any(hit.path.endswith("belief_states.json") for hit in scan.hits),
        "unscanned": [in_words(finding.error_code) for finding in scan.findings],
        "limits": _limits(result),
        "digests": result.digests[:_FILES],
        "more_files": max(0, len(result.digests) - _FILES),
        "basis": freshness(result)["basis_digest"],
        "version": version("armslength"),
    }


def _quantities(result: Result) -> list[Quantity]:
    """How many rows of each quantity follow from a declared formula."""
    if result.strict is None:
        return []
    values = result.strict.values
    differ = Counter(
        (file, code)
        for (file, _), codes in result.strict.rows.items()
        for code in set(codes)
        if code.endswith("_NOT_RECONSTRUCTED")
    )
    formulas = {name: declared.name for name, declared in values.declared.items()}
    found = []
    for name, file, code in _OF_ROWS:
        total, uncovered = len(result.rows(file)), values.not_recomputed.get(name, 0)
        wrong = differ[file, code]
        found.append(Quantity(name, formulas.get(name, ""), total - uncovered - wrong, uncovered, wrong))
    kinds = [
        "outcome" if row.reward_kind == "outcome" else "process" for row in result.rows("reward_events.json")
    ]
    counts = Counter(zip(kinds, values.rewards, strict=True))
    for name, kind in (("reward_value", "process"), ("outcome_reward_value", "outcome")):
        by = [counts[kind, f"value_{how}"] for how in ("recomputed", "not_recomputed", "differs")]
        found.append(Quantity(name, formulas.get(name, ""), *by))
    return found


_OF_ROWS = (
    ("reliability_score", "verifier_feedback.json", "RELIABILITY_NOT_RECONSTRUCTED"),
    ("belief_discrepancy", "belief_states.json", "DISCREPANCY_NOT_RECONSTRUCTED"),
    ("reward_alignment", "trajectory_groups.json", "ALIGNMENT_NOT_RECONSTRUCTED"),
)


def _limits(result: Result) -> list[str]:
    """What the page cannot tell, each line from what the result holds or lacks."""
    if result.faults:
        return [
            "Nothing was checked, so this page says nothing of any reward: no error beyond these is no good sign."
        ]
    evidence = sum(len(strings(row.evidence_refs)) for row in result.rows("verifier_feedback.json"))
    opaque = of(len(result.rows("belief_states.json")), "observation digests")
    lines = [
        "A pass says that the record is coherent. It says nothing of how good the agent is, and nothing of any "
        "benchmark; a record that was made up without a contradiction passes too.",
        f"References that point out of the folder were not opened: {opaque} of the steps and "
        f"{of(evidence, 'evidence references')} of the feedback. Whether anything stands behind them is not known.",
        _formulas(result),
        "A cold replay was not run again here. Its recorded status was read.",
        "Public facts of a belief are free text: whether they are true, and whether a prediction was written before "
        "its evidence came, the record cannot show.",
        "The scan knows declared tokens and the shapes of common secrets. Finding none is no proof that none is there.",
    ]
    if result.strict is None:
        lines.insert(
            1, "Profile reference does not look at what no chain leads to, nor at how a repeated id is meant."
        )
    return lines


def _formulas(result: Result) -> str:
    missing = [q.name for q in _quantities(result) if q.uncovered]
    if result.strict is None:
        return "No number was recomputed: every value on this page is as the record states it."
    if missing:
        return f"No declared formula covers {join(missing)}: these numbers are as the record states them."
    return (
        "Every number has a formula that the policy itself declares. Whether it is a good one, and whether "
        "the reliability of a kind of feedback is deserved, is for a reader to judge."
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("armslength.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["commas"] = "{:,}".format
    return environment
