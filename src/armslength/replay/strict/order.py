"""Order and evidence: steps in their order, nothing cited twice for two things, nothing later than what cites it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import chain, pairwise
from typing import Any

import numpy as np

from armslength.replay.chains import Indexes, IntArray, column
from armslength.replay.rows import LAYOUTS, Document, text

from .ids import fold_all, fold_lists
from .sink import Sink

_DIGITS = "0123456789"


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
    if not as_listed.isdisjoint(as_cited) and not as_listed.issuperset(as_cited):
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
    """An episode that lists the observation of one of its steps lists those of all."""
    listed = {row.episode_id: set(row.observation_digest_refs) for row in indexes.rows["task_episodes.json"]}
    rows = indexes.rows["belief_states.json"]
    found = [row.observation_digest_ref in listed.get(row.episode_id, ()) for row in rows]
    if not any(found):
        return
    listing = {row.episode_id for row, is_listed in zip(rows, found, strict=True) if is_listed}
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

    Step ids say an order where they are one prefix and a number; else the listing is the order.
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
        numbers = _numbers(names)
        if numbers is None and _mixed(names):
            message = "some steps of the trajectory are numbered alike and one is not"
            sink.row("STEP_ID_UNLIKE", document, index, "process_reward_refs", message)
        if numbers is not None and any(after <= before for before, after in pairwise(numbers)):
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
    stem, look, number = (part[belief] for part in _step_parts(indexes))
    doubtful = np.zeros(len(rows), bool)
    doubtful[owners[(paid < 0) | (belief < 0) | (number < 0)]] = True
    listed = np.bincount(owners, minlength=len(rows))
    stems, looks = (_distinct_per_owner(owners, part, len(rows)) for part in (stem, look))
    back = (owners[1:] == owners[:-1]) & (number[1:] <= number[:-1])
    doubtful |= (stems == 1) & (np.bincount(owners[1:][back], minlength=len(rows)) > 0)
    doubtful |= (stems != 1) & ((stems < listed) | (looks < stems))
    last = np.full(len(rows), -1)
    last[owners] = belief
    outcome = indexes.row_of[file][indexes.codes["trajectory_groups.json", "outcome_reward_ref"][:-1]]
    ended = indexes.row_of["belief_states.json"][indexes.codes[file, "belief_state_id"][outcome]]
    cited = indexes.codes["belief_states.json", "feedback_ref"][belief]
    final = indexes.codes[file, "verifier_feedback_ref"][outcome]
    all_final = np.bincount(owners[cited == final[owners]], minlength=len(rows)) == listed
    doubtful |= (outcome < 0) | (ended != last) | (all_final & (listed > 1))
    return [(index, rows[index]) for index in np.flatnonzero(doubtful).tolist()]


def _step_parts(indexes: Indexes) -> tuple[IntArray, IntArray, IntArray]:
    """Per belief, and −1 for none: code of the stem of its step id, code of how it looks, the number it ends in."""
    names = column(indexes.rows["belief_states.json"], "step_id")
    stems = [name.rstrip(_DIGITS) for name in names]
    tails = [name[len(stem) :] for name, stem in zip(names, stems, strict=True)]
    numbers = [int(tail) if 0 < len(tail) < 19 else -1 for tail in tails]
    coded: list[IntArray] = []
    for texts in (stems, fold_all(stems)):
        code: dict[str, int] = {}
        coded.append(np.array([*(code.setdefault(item, len(code)) for item in texts), -1], np.int64))
    return coded[0], coded[1], np.array([*numbers, -1], np.int64)


def _distinct_per_owner(owners: IntArray, codes: IntArray, count: int) -> IntArray:
    width = int(codes.max(initial=0)) + 2
    pairs = np.unique(owners * width + codes + 1)
    return np.bincount(pairs // width, minlength=count)


def _numbers(steps: list[str]) -> list[int] | None:
    """The numbers that step ids end in, if all have one prefix; else None."""
    stems = {step.rstrip(_DIGITS) for step in steps}
    if len(stems) != 1:
        return None
    start = len(stems.pop())
    tails = [step[start:] for step in steps]
    return list(map(int, tails)) if all(map(str.isdigit, tails)) and max(map(len, tails)) < 19 else None


def _mixed(steps: list[str]) -> bool:
    """Whether steps are numbered, but not all with one stem: two share one, or two stems only look alike."""
    stems = [step.rstrip(_DIGITS) for step in steps]
    numbered = [stem for stem, step in zip(stems, steps, strict=True) if stem != step]
    folded = fold_all(numbered)
    return bool(numbered) and (
        len(numbered) < len(steps)
        or len(set(numbered)) < len(numbered)
        or len(set(folded)) < len(set(numbered))
    )


def _evidence(documents: Mapping[str, Document], indexes: Indexes, sink: Sink) -> None:
    """Evidence is no row of the bundle, belongs to one episode, and is not all that another feedback read too."""
    feedback, replays = documents["verifier_feedback.json"], documents["cold_replay.json"]
    feedback, replays, beliefs = (
        documents[name] for name in ("verifier_feedback.json", "cold_replay.json", "belief_states.json")
    )
    evidence = [column(indexes.rows[document.name], "evidence_refs") for document in (feedback, replays)]
    observed = [[row.observation_digest_ref] for row in indexes.rows[beliefs.name]]
    if indexes.known(chain.from_iterable(chain(*evidence, observed))):
        ids = _ids(indexes)
        for document, cited in ((feedback, evidence[0]), (replays, evidence[1]), (beliefs, observed)):
            _circular(document, cited, ids, sink)
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


def _circular(document: Document, cited: list[list[str]], ids: frozenset[str], sink: Sink) -> None:
    """No row cites a row of the bundle as its evidence or observation."""
    field = "observation_digest_ref" if document.name == "belief_states.json" else "evidence_refs"
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
