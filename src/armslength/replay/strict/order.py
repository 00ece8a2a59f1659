"""Order and evidence: steps in their order, nothing cited twice for two things, nothing later than what cites it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import chain, pairwise
from typing import Any

import numpy as np

from armslength.replay.chains import Indexes, IntArray, column
from armslength.replay.rows import LAYOUTS, Document, strings, text

from .ids import fold_all, fold_lists
from .sink import Sink

_NUMBER = re.compile("[0-9]+")


def check_order(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """Steps, observations, evidence and declared times.

    Codes: DUPLICATE_STEP, STEP_OTHER_EPISODE, STEP_ID_UNLIKE, STEP_ORDER, OBSERVATION_REUSED,
    OBSERVATION_DIGEST_OTHER_EPISODE, OBSERVATION_NOT_LISTED, TASK_SPEC_MISMATCH, OUTCOME_NOT_AT_END,
    FINAL_ANSWER_ONLY_IN_DISGUISE, EVIDENCE_CIRCULAR, EVIDENCE_REUSED, COLD_REPLAY_EVIDENCE_REUSED,
    TIME_UNREADABLE, FEEDBACK_AFTER_REWARD, CITED_LATER.
    """
    _observations(documents, indexes, sink)
    _steps(documents, indexes, sink)
    _evidence(documents, indexes, sink)
    if any(document.extras for document in documents.values()):
        _times(documents, indexes, sink)


def _observations(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """A digest belongs to one episode and, among its beliefs, to one step."""
    rows, steps = indexes.rows["task_episodes.json"], indexes.rows["belief_states.json"]
    own = fold_all(column(steps, "observation_digest_ref"))
    listed = fold_all(list(chain.from_iterable(column(rows, "observation_digest_refs"))))
    specs = set(
        zip(map(text, column(rows, "task_spec_hash")), map(text, column(rows, "task_type")), strict=True)
    )
    one_type = len(specs) == len({spec for spec, _ in specs})
    owners = [row.episode_id for row in rows for _ in row.observation_digest_refs]
    owner = dict(zip(listed, owners, strict=True))
    citing = zip(own, column(steps, "episode_id"), strict=True)
    owned = len(owner) == len(listed) and all(
        owner.get(digest, episode) == episode for digest, episode in citing
    )
    if not (owned and one_type and _distinct(own) and _distinct(fold_all(column(steps, "step_id")))):
        _owners(documents, indexes, sink)
    as_listed = set(chain.from_iterable(column(rows, "observation_digest_refs")))
    as_cited = column(steps, "observation_digest_ref")
    if not as_listed.isdisjoint(as_cited) and as_listed != set(as_cited):
        _half_listed(documents, indexes, sink)


def _distinct(items: list[str]) -> bool:
    return len(set(items)) == len(items)


def _owners(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """The same group by group, where something occurs twice."""
    episodes, beliefs = documents["task_episodes.json"], documents["belief_states.json"]
    rows, steps = indexes.rows[episodes.name], indexes.rows[beliefs.name]
    types: dict[str, set[str]] = defaultdict(set)
    citing: dict[str, list[tuple[Document, int, str]]] = defaultdict(list)
    listed = fold_lists([row.observation_digest_refs for row in rows])
    for index, (row, digests) in enumerate(zip(rows, listed, strict=True)):
        types[text(row.task_spec_hash)].add(text(row.task_type))
        for digest in digests:
            citing[digest].append((episodes, index, row.episode_id))
    for index, row in enumerate(rows):
        if len(types[text(row.task_spec_hash)]) > 1:
            message = "another episode has the same task specification and another task type"
            sink.row("TASK_SPEC_MISMATCH", episodes, index, "task_type", message)
    for index, digest in enumerate(fold_all(column(steps, "observation_digest_ref"))):
        citing[digest].append((beliefs, index, steps[index].episode_id))
    for found in citing.values():
        for document, index in _of_two_episodes(found):
            field = "observation_digest_refs" if document is episodes else "observation_digest_ref"
            message = "the observation belongs to another episode too"
            sink.row("OBSERVATION_DIGEST_OTHER_EPISODE", document, index, field, message)
        for index in _shared_in_episode(found, beliefs):
            message = "another step of the episode rests on the same observation"
            sink.row("OBSERVATION_REUSED", beliefs, index, "observation_digest_ref", message)
    claimed: dict[str, list[tuple[Document, int, str]]] = defaultdict(list)
    for index, step in enumerate(fold_all(column(steps, "step_id"))):
        claimed[step].append((beliefs, index, steps[index].episode_id))
    for found in claimed.values():
        for _, index in _of_two_episodes(found):
            message = "a belief of another episode claims the same step"
            sink.row("STEP_OTHER_EPISODE", beliefs, index, "step_id", message)
        for index in _shared_in_episode(found, beliefs):
            message = "another belief of the episode claims the same step"
            sink.row("DUPLICATE_STEP", beliefs, index, "step_id", message)


def _of_two_episodes(found: list[tuple[Document, int, str]]) -> list[tuple[Document, int]]:
    """All rows of a group that spans several episodes."""
    spans = len({episode for _, _, episode in found}) > 1
    return [(document, index) for document, index, _ in found] if spans else []


def _shared_in_episode(found: list[tuple[Document, int, str]], document: Document) -> list[int]:
    """Rows of a document that share the group with another row of the same episode."""
    own = [(index, episode) for of, index, episode in found if of is document]
    counts = Counter(episode for _, episode in own)
    return [index for index, episode in own if counts[episode] > 1]


def _half_listed(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """An episode that lists the observation of one of its steps lists those of all, and no others."""
    listed = {row.episode_id: set(row.observation_digest_refs) for row in indexes.rows["task_episodes.json"]}
    rows = indexes.rows["belief_states.json"]
    found = [row.observation_digest_ref in listed.get(row.episode_id, ()) for row in rows]
    if not any(found):
        return
    listing = {row.episode_id for row, is_listed in zip(rows, found, strict=True) if is_listed}
    cited = {row.observation_digest_ref for row in rows}
    episodes = documents["task_episodes.json"]
    for index, row in enumerate(indexes.rows[episodes.name]):
        if row.episode_id in listing and not cited.issuperset(row.observation_digest_refs):
            message = "an observation is listed that no step rests on: a step may be missing"
            sink.row("OBSERVATION_WITHOUT_STEP", episodes, index, "observation_digest_refs", message)
    for index, (row, is_listed) in enumerate(zip(rows, found, strict=True)):
        if not is_listed and row.episode_id in listing:
            message = "the episode lists the observations of other steps and not this one"
            sink.row(
                "OBSERVATION_NOT_LISTED",
                documents["belief_states.json"],
                index,
                "observation_digest_ref",
                message,
            )


def _steps(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """A trajectory lists its process rewards in the order of their steps, and its outcome rests on the last.

    Step ids say an order where they are alike but for their numbers; else the listing is the order.
    """
    document = documents["trajectory_groups.json"]
    rewards, beliefs = indexes.rewards, indexes.beliefs
    for index, row in _not_in_order(indexes):
        steps: list[tuple[str, str]] = []
        cited: set[str] = set()
        for ref in dict.fromkeys(row.process_reward_refs):
            reward = rewards.get(ref)
            belief = beliefs.get(reward.belief_state_id) if reward is not None else None
            if belief is not None and reward is not None and reward.reward_kind == "process":
                steps.append((belief.step_id, belief.belief_state_id))
                cited.add(belief.feedback_ref)
        names = [step for step, _ in steps]
        if _mixed(names):
            message = (
                "one step id departs from the pattern that the others share, so the order cannot be told"
            )
            sink.row("STEP_ID_UNLIKE", document, index, "process_reward_refs", message)
        if not _in_order(names):
            message = "the trajectory lists its process rewards in another order than their steps"
            sink.row("STEP_ORDER", document, index, "process_reward_refs", message)
        outcome = indexes.rewards.get(row.outcome_reward_ref)
        if steps and outcome is not None and outcome.belief_state_id != steps[-1][1]:
            message = "the outcome reward rests on another step than the last"
            sink.row("OUTCOME_NOT_AT_END", document, index, "outcome_reward_ref", message)
        if len(steps) > 1 and outcome is not None and cited == {outcome.verifier_feedback_ref}:
            message = "every step rests on the feedback of the outcome: final-answer scoring by another name"
            sink.row("FINAL_ANSWER_ONLY_IN_DISGUISE", document, index, "process_reward_refs", message)


def _not_in_order(indexes: Indexes) -> list[tuple[int, Any]]:
    """Trajectories that need a closer look: steps not plainly in order, or an outcome that does not end them."""
    rows, file = indexes.rows["trajectory_groups.json"], "reward_events.json"
    owners, refs = indexes.items["trajectory_groups.json", "process_reward_refs"]
    paid = indexes.row_of[file][refs]
    belief = indexes.row_of["belief_states.json"][indexes.codes[file, "belief_state_id"][paid]]
    patterns_of, looks_of, keys = _step_parts(indexes)
    pattern, look = patterns_of[belief], looks_of[belief]
    doubtful = np.zeros(len(rows), bool)
    doubtful[owners[(paid < 0) | (belief < 0)]] = True
    listed = np.bincount(owners, minlength=len(rows))
    patterns, looks = (_distinct_per_owner(owners, part, len(rows)) for part in (pattern, look))
    numbers = [keys[row] for row in belief.tolist()]
    back = np.array([False, *(after <= before for before, after in pairwise(numbers))], bool)[: len(owners)]
    back[1:] &= owners[1:] == owners[:-1]
    doubtful |= (patterns == 1) & (np.bincount(owners[back], minlength=len(rows)) > 0)
    doubtful |= (patterns != 1) & ((patterns < listed) | (looks < patterns) | (listed == 2))
    last = np.full(len(rows), -1)
    last[owners] = belief
    outcome = indexes.row_of[file][indexes.codes["trajectory_groups.json", "outcome_reward_ref"][:-1]]
    ended = indexes.row_of["belief_states.json"][indexes.codes[file, "belief_state_id"][outcome]]
    cited = indexes.codes["belief_states.json", "feedback_ref"][belief]
    final = indexes.codes[file, "verifier_feedback_ref"][outcome]
    all_final = np.bincount(owners[cited == final[owners]], minlength=len(rows)) == listed
    doubtful |= (outcome < 0) | (ended != last) | (all_final & (listed > 1))
    return [(index, rows[index]) for index in np.flatnonzero(doubtful).tolist()]


def _step_parts(indexes: Indexes) -> tuple[IntArray, IntArray, list[tuple[int, ...]]]:
    """Per belief, and last for none: code of the pattern of its step id, code of how it looks, its numbers."""
    names = column(indexes.rows["belief_states.json"], "step_id")
    patterns = [_pattern(name) for name in names]
    coded: list[IntArray] = []
    for texts in (patterns, fold_all(patterns)):
        code: dict[str, int] = {}
        coded.append(np.array([*(code.setdefault(item, len(code)) for item in texts), -1], np.int64))
    return coded[0], coded[1], [*map(_step_numbers, names), ()]


def _pattern(step: str) -> str:
    """A step id with its numbers taken out: steps of one pattern are ordered by their numbers."""
    return _NUMBER.sub("#", step)


def _step_numbers(step: str) -> tuple[int, ...]:
    return tuple(int(digits[-18:]) if len(digits) > 18 else int(digits) for digits in _NUMBER.findall(step))


def _distinct_per_owner(owners: IntArray, codes: IntArray, count: int) -> IntArray:
    width = int(codes.max(initial=0)) + 2
    pairs = np.unique(owners * width + codes + 1)
    return np.bincount(pairs // width, minlength=count)


def _in_order(steps: list[str]) -> bool:
    """Whether steps of one pattern come in the order of their numbers; steps of several say no order."""
    if len(set(map(_pattern, steps))) != 1:
        return True
    numbers = list(map(_step_numbers, steps))
    return not numbers[0] or all(before < after for before, after in pairwise(numbers))


def _mixed(steps: list[str]) -> bool:
    """Whether one step departs from the pattern that all others share, or two patterns only look alike."""
    patterns = Counter(map(_pattern, steps))
    numbered = [pattern for pattern in patterns if "#" in pattern]
    if len(patterns) == 1 or not numbered:
        return False
    looks_alike = len(set(fold_all(list(patterns)))) < len(patterns)
    if len(steps) == 2:  # which of two departs cannot be told; that one does is told by a common beginning
        return (
            looks_alike or len({pattern.partition("#")[0] for pattern in patterns}) == 1 or len(numbered) == 1
        )
    return looks_alike or max(patterns.values()) == len(steps) - 1


def _evidence(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """Evidence is no row of the bundle, belongs to one episode, and is not all that another feedback read too."""
    feedback, replays, beliefs = (
        documents[name] for name in ("verifier_feedback.json", "cold_replay.json", "belief_states.json")
    )
    evidence = [column(indexes.rows[document.name], "evidence_refs") for document in (feedback, replays)]
    observed = [[row.observation_digest_ref] for row in indexes.rows[beliefs.name]]
    predicted = [strings(row.predicted_next_evidence) for row in indexes.rows[beliefs.name]]
    if indexes.known(chain.from_iterable(chain(*evidence, observed, predicted))):
        ids = _ids(indexes)
        for document, cited in ((feedback, evidence[0]), (replays, evidence[1]), (beliefs, observed)):
            _circular(document, cited, ids, sink)
        _circular(beliefs, predicted, ids, sink, field="predicted_next_evidence")
    _pool(documents, indexes, predicted, sink)
    if _distinct(fold_all(list(chain.from_iterable(chain(*evidence))))):
        return
    citing: dict[str, list[tuple[Document, int, str]]] = defaultdict(list)
    sets: dict[frozenset[str], list[int]] = defaultdict(list)
    rows = indexes.rows[feedback.name]
    for index, (row, refs) in enumerate(zip(rows, fold_lists(evidence[0]), strict=True)):
        sets[frozenset(refs)].append(index)
        for ref in refs:
            citing[ref].append((feedback, index, row.episode_id))
    foreign = {index for found in citing.values() for _, index in _of_two_episodes(found)}
    foreign |= {index for refs, found in sets.items() if refs and len(found) > 1 for index in found}
    for index in sorted(foreign):
        message = "the evidence is that of another episode, or exactly that of another feedback"
        sink.row("EVIDENCE_REUSED", feedback, index, "evidence_refs", message)
    replayed = fold_lists(evidence[1])
    counts = Counter(chain.from_iterable(map(set, replayed)))
    for index, refs in enumerate(replayed):
        if any(counts[ref] > 1 or ref in citing for ref in refs):
            message = "the evidence is that of another cold replay or of a feedback"
            sink.row("COLD_REPLAY_EVIDENCE_REUSED", replays, index, "evidence_refs", message)


def _pool(
    documents: Mapping[str, Document], indexes: Indexes, predicted: list[list[str]], sink: Sink
) -> None:
    """Observations, evidence and predictions are one pool: what one episode owns under one name no other cites."""
    steps, rows = indexes.rows["belief_states.json"], indexes.rows["verifier_feedback.json"]
    replays = indexes.rows["cold_replay.json"]
    seen = _owned(
        zip(fold_all(column(steps, "observation_digest_ref")), column(steps, "episode_id"), strict=True)
    )
    evidence = fold_lists(column(rows, "evidence_refs"))
    read = _owned((ref, row.episode_id) for row, refs in zip(rows, evidence, strict=True) for ref in refs)
    for index, (row, refs) in enumerate(zip(rows, evidence, strict=True)):
        if any(seen.get(ref, row.episode_id) != row.episode_id for ref in refs):
            message = "the evidence is an observation of another episode"
            sink.row("EVIDENCE_REUSED", documents["verifier_feedback.json"], index, "evidence_refs", message)
    for index, (row, refs) in enumerate(zip(steps, fold_lists(predicted), strict=True)):
        if any(own.get(ref, row.episode_id) != row.episode_id for ref in refs for own in (read, seen)):
            message = "the belief predicts what another episode read or saw"
            sink.row(
                "PREDICTION_FOREIGN",
                documents["belief_states.json"],
                index,
                "predicted_next_evidence",
                message,
            )
    for index, refs in enumerate(fold_lists(column(replays, "evidence_refs"))):
        if any(ref in seen for ref in refs):
            message = "the evidence is an observation of a step"
            sink.row(
                "COLD_REPLAY_EVIDENCE_REUSED", documents["cold_replay.json"], index, "evidence_refs", message
            )


def _owned(citing: Iterable[tuple[str, str]]) -> dict[str, str | None]:
    """Reference → the episode that cites it; None where several do."""
    owner: dict[str, str | None] = {}
    for ref, episode in citing:
        owner[ref] = episode if owner.setdefault(ref, episode) == episode else None
    return owner


def _circular(
    document: Document, cited: list[list[str]], ids: frozenset[str], sink: Sink, *, field: str = ""
) -> None:
    """No row cites a row of the bundle as its evidence or observation."""
    field = (
        field or "observation_digest_ref"
        if field or document.name == "belief_states.json"
        else "evidence_refs"
    )
    for index, refs in enumerate(cited):
        if not ids.isdisjoint(refs):
            message = "the evidence is a row of this bundle: the reward would rest on itself"
            sink.row("EVIDENCE_CIRCULAR", document, index, field, message)


def _ids(indexes: Indexes) -> frozenset[str]:
    """The ids of all rows of the bundle."""
    columns = (column(indexes.rows[name], layout.id_field) for name, layout in LAYOUTS.items())
    return frozenset(chain.from_iterable(columns)) - {""}


def _times(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """Where rows declare times (keys that end in ``_at``): feedback before reward, belief before feedback."""
    times = {name: _declared(document, sink) for name, document in documents.items()}
    rows = indexes.rows
    feedback = {row.feedback_id: i for i, row in enumerate(rows["verifier_feedback.json"])}
    beliefs = {row.belief_state_id: i for i, row in enumerate(rows["belief_states.json"])}
    replays = {row.trajectory_group_id: i for i, row in enumerate(rows["cold_replay.json"])}
    rewards = documents["reward_events.json"]
    for index, row in enumerate(rows[rewards.name]):
        said = times["verifier_feedback.json"].get(feedback.get(row.verifier_feedback_ref, -1))
        formed = times["belief_states.json"].get(beliefs.get(row.belief_state_id, -1))
        paid = times["reward_events.json"].get(index)
        replayed = times["cold_replay.json"].get(replays.get(row.trajectory_group_id, -1))
        if said and paid and max(said) > min(paid):
            message = "the feedback is later than the reward that cites it"
            sink.row("FEEDBACK_AFTER_REWARD", rewards, index, "verifier_feedback_ref", message)
        later = (formed and said and row.reward_kind == "process" and min(formed) > max(said)) or (
            formed and paid and min(formed) > max(paid)
        )
        if later or (paid and replayed and min(paid) > max(replayed)):
            message = "what is cited is later than what cites it"
            sink.row("CITED_LATER", rewards, index, "belief_state_id", message)


def _declared(document: Document, sink: Sink) -> dict[int, list[datetime]]:
    found: dict[int, list[datetime]] = {}
    for index, extra in document.extras.items():
        for key, value in extra.items():
            if not key.endswith("_at"):
                continue
            try:
                time = datetime.fromisoformat(value)
            except (TypeError, ValueError):
                message = "a time in ISO 8601 is expected"
                sink.row("TIME_UNREADABLE", document, index, key, message)
                continue
            found.setdefault(index, []).append(time if time.tzinfo else time.replace(tzinfo=UTC))
    return found
