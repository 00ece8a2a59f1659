"""The replay's verdict, counts, numbers and traps in sentences; the board and the page say the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from armslength.replay.codes import in_words
from armslength.replay.names import EXPECTED_NEGATIVE_CASES, PASS
from armslength.replay.result import WEAKER, Result
from armslength.replay.scan import forbidden_kinds
from armslength.replay.summaries import values_summary

from .numbers import clip, of
from .replay_blocks import Blocks, hit_in_words
from .words import join

TRAPS = {
    "hidden_chain_of_thought_export": "hidden reasoning exported",
    "neural_judge_only_process_label": "only a neural judge",
    "hidden_gold_label": "hidden gold label",
    "reward_by_formatting": "paid for formatting",
    "verifier_bypass": "verifier bypassed",
    "benchmark_performance_claim": "benchmark claim",
    "final_answer_only_scoring": "final answer only",
}
# The same of a step that fell into none.
CLEAR = {
    "hidden_chain_of_thought_export": "no hidden reasoning",
    "neural_judge_only_process_label": "not judge only",
    "hidden_gold_label": "no gold label",
    "reward_by_formatting": "not for formatting",
    "verifier_bypass": "verifier not bypassed",
    "benchmark_performance_claim": "no benchmark claim",
    "final_answer_only_scoring": "not final answer only",
}
WITHHELD = "[withheld]"


class Verdict(NamedTuple):
    """The verdict in words.

    Attributes:
        word: ``pass`` or ``blocked``.
        sentence: what was found, with its numbers.
        meaning: what that means for use.
        weaker: what profile ``reference`` does not check; else empty.
    """

    word: str
    sentence: str
    meaning: str
    weaker: str


class Trap(NamedTuple):
    """One of the seven traps: its name, whether it fired, and what it raised."""

    name: str
    fired: bool
    raised: tuple[str, ...]


def verdict(result: Result, found: Blocks, refused: int) -> Verdict:
    """The verdict with its numbers and what it means.

    Args:
        result: what the replay found.
        found: what blocks.
        refused: how many steps have something against their own chain.
    """
    weaker = WEAKER if result.options.profile == "reference" else ""
    if result.faults:
        names = _listed(fault.subject_id for fault in result.faults)
        sentence = (
            f"{of(len(result.faults), 'files')} cannot be read ({names}), and nothing else was checked."
        )
        return Verdict(
            result.status, sentence, "Mend the input first: nothing is known of any reward.", weaker
        )
    if result.status == PASS:
        return Verdict(PASS, _passed(result), _MEANING_CLEAR, weaker)
    steps = len(result.rows("belief_states.json"))
    if found.wide:
        return Verdict(result.status, _held_back(found, refused, steps), _MEANING_WIDE, weaker)
    meaning, clear = _MEANING_BLOCKED, steps - refused
    if refused:
        sentence = f"{refused:,} of {of(steps, 'step rewards')} {_are(refused)} refused: {_causes(found)}."
        if clear:
            meaning += (
                f" Against the other {clear:,} there is nothing, but the folder does not pass as it is."
            )
    elif len(found):
        outside = of(len(found.rows), "rows")
        sentence = f"All {of(steps, 'chains')} close, but {outside} outside of them block: {_causes(found)}."
    else:
        sentence = "The replay is blocked without a finding; the result file holds what each check says."
    return Verdict(result.status, sentence, meaning, weaker)


def _held_back(found: Blocks, refused: int, steps: int) -> str:
    """The sentence where something concerns the whole folder."""
    first, clear = found.wide[0].reasons()[0].words, steps - refused
    if not refused:
        return f"Not one of {of(steps, 'step rewards')} is admitted, for what concerns the whole folder: {first}."
    others = f"; the other {clear:,} {_are(clear)} held back with the whole folder" if clear else ""
    return f"{refused:,} of {of(steps, 'step rewards')} {_are(refused)} refused{others}: {first}."


_MEANING_CLEAR = (
    "What was paid follows from what was recorded. That says nothing of how good the agent is, nor whether the record "
    "is true."
)
_MEANING_BLOCKED = "Do not train on these rewards before what is listed as blocking is mended and replayed."
_MEANING_WIDE = (
    "Do not use any of these rewards before it is mended; a single reward cannot be told from the rest."
)


def _passed(result: Result) -> str:
    counts = result.counts()
    process, outcome = counts["process_reward_count"], counts["outcome_reward_count"]
    what = f"{of(process, 'process rewards')} and {of(outcome, 'outcome rewards')}"
    if result.strict is None:
        return f"every reward admitted: {what}, by their references alone; no number was recomputed."
    values = result.strict.values.rewards
    known, total = values.count("value_recomputed"), len(values)
    each = f"{known:,} of {total:,} reward values recompute" + (
        f", {total - known:,} have no declared formula" if known < total else ""
    )
    return f"every reward admitted: {what}, each on a chain that closes; {each}."


def counts(result: Result) -> str:
    """One line of counts.

    Args:
        result: what the replay found.
    """
    c = result.counts()
    lost = c["reward_event_count"] - c["process_reward_count"] - c["outcome_reward_count"]
    rewards = f"{c['process_reward_count']:,} process and {of(c['outcome_reward_count'], 'outcome rewards')}"
    parts = [
        of(c["episode_count"], "episodes"), of(c["belief_state_count"], "beliefs"),
        f"{c['feedback_count']:,} feedback", rewards + (f" (and {lost:,} not accepted)" if lost else ""),
        of(c["trajectory_group_count"], "trajectory groups"),
    ]  # fmt: skip
    return (
        f"{', '.join(parts)}; cold replays {c['cold_replay_pass_count']:,} of {c['cold_replay_count']:,} passed; "
        f"chains {c['semantic_recompute_verified_count']:,} of {c['semantic_recompute_row_count']:,} verified"
    )


def numbers(result: Result) -> str:
    """One line on which numbers were recomputed.

    Args:
        result: what the replay found.
    """
    values = values_summary(result)
    if result.strict is None:
        return f"{values['reason']}."
    line = (
        f"{of(values['reward_values_recomputed'], 'reward values')} recomputed, "
        f"{values['reward_values_not_recomputed']:,} not recomputed, {values['reward_values_differ']:,} differ"
    )
    missing = [name for name, rows in values["not_recomputed_rows"].items() if rows]
    return (
        f"{line}; {f'no formula covers {join(missing)}' if missing else 'a formula covers every quantity'}."
    )


def traps(result: Result) -> list[Trap]:
    """The seven traps; none where none was planted (a bundle in profile ``reference``, or unread files).

    A trap fired if its planted file raises exactly its code and so does planting it into a passing step; in profile
    ``reference`` if its file raises any code, as the format has it.

    Args:
        result: what the replay found.
    """
    negatives, strict = result.negatives, result.strict
    if negatives is None and strict is None:
        return []
    found = []
    for case, expected in EXPECTED_NEGATIVE_CASES.items():
        observed = expected if negatives is None else negatives.observed.get(case, [])
        raised = observed if strict is None else strict.planted.raised.get(case, [])
        exact = strict is None or (raised == expected and observed == expected)
        found.append(Trap(TRAPS[case], bool(observed) and exact, tuple(raised)))
    return found


def traps_line(result: Result) -> str:
    """One line on the traps.

    Args:
        result: what the replay found.
    """
    found = traps(result)
    if not found:
        why = "the files were not read" if result.faults else "profile reference plants none into a bundle"
        return f"not planted: {why}."
    silent = [trap.name for trap in found if not trap.fired]
    if not silent:
        return "seven of seven fired."
    return f"{len(found) - len(silent)} of {len(found)} fired; not: {', '.join(silent)}."


def scan_line(result: Result, *, most: int = 3) -> str:
    """One line on the disclosure scan: kinds and places, never a value.

    Args:
        result: what the replay found.
        most: hits to name.
    """
    scan, read = result.scan, of(result.scan.scanned, "files")
    about = "".join(f"; {in_words(finding.error_code)}" for finding in scan.findings)
    if not scan.hits:
        return f"{read} scanned, nothing found{about}."
    named = [f"{hit_in_words(hit)} in {hit.path}" for hit in scan.hits[:most]]
    more = f" and {len(scan.hits) - most:,} more" if len(scan.hits) > most else ""
    return f"{read} scanned, {of(len(scan.hits), 'hits')}: {'; '.join(named)}{more}{about}."


class Sayer:
    """Text from the data as a reader may see it: no secret, no control character, not too long.

    The strict scan has read every file; where it found nothing, texts are not looked at again.
    """

    def __init__(self, result: Result) -> None:
        self._looks = bool(result.scan.hits) or result.strict is None

    def __call__(self, value: object, longest: int = 200) -> str:
        """The text, or that it is withheld."""
        said = value if isinstance(value, str) else str(value)
        if self._looks and _held(said):
            return WITHHELD
        return clip(said if said.isprintable() else printable(said), longest)


@lru_cache(maxsize=8192)
def _held(said: str) -> bool:
    return bool(forbidden_kinds(said.encode("utf-8", "surrogatepass")))


def printable(said: str) -> str:
    """The text with what cannot be seen, or would steer a terminal, written as escapes.

    Args:
        said: any text.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in said)


def _causes(found: Blocks, most: int = 2) -> str:
    """What most rows are blocked for."""
    causes = found.causes()
    named = [f"{in_words(code)} ({of(rows, 'rows')})" for code, rows in causes[:most]]
    return "; ".join([*named, f"and {len(causes) - most} other causes"] if len(causes) > most else named)


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _listed(names: Iterable[str], most: int = 4) -> str:
    items = list(names)
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more
