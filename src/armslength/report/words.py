"""Plain words for the names that a result carries; a name that is not listed stands for itself."""

from __future__ import annotations

from armslength.attacks import CHANNELS
from armslength.audit.reward_model import OWN_REWARD
from armslength.records import READ_ROLES

_ROLES = {
    "user": "user turns",
    "assistant": "the policy's messages",
    "tool_call": "the policy's tool calls",
    "tool_result": "tool results",
}
_CHANNELS = {"assistant": "messages", "tool_call": "tool calls", "both": "messages and tool calls"}
_READS = {"R1": "at the end (R1)", "R4": "running alert (R4)"}
_ADVERSARIES = {
    "keep": "keep every turn",
    "random": "random",
    "best-of-5": "best of 5",
    "best-of-20": "best of 20",
    "best-of-100": "best of 100",
    "pool-maximum": "best of the whole pool",
    "success-typical": "the most typical turn of a success",
    "greedy": "greedy, turn by turn",
    "greedy by query": "greedy, best of 5 by asking",
    "1 turn": "1 turn at most",
    "2 turns": "2 turns at most",
    "3 turns": "3 turns at most",
    "5 turns": "5 turns at most",
}
_CEILINGS = {"hull": "any recorded turn (hull)", "sphere": "any text at all (sphere)"}
_POOLS = {
    "successful": "policy turns of successful runs of other tasks",
    "any": "any turn of another task",
    "same stage": "… and from the same third of the episode",
    "same context": "… and said after evidence that is most alike (nearest quarter)",
    "of failing runs": "policy turns of failing runs of other tasks",
}
_GRADES = {
    "A": "recomputed here from what the run visibly did",
    "B": "given by a program or a human rater and not recomputed here",
    "C": "declared by the policy itself: it wrote its own mark",
}
_CONTROLS = {
    "active test": "Is the attack strong enough to find a weakness that is there, and quiet where there is none?",
    "non-interference": "Does the strict score stay the same to the last bit when all text of the policy is replaced?",
    "shuffled turns": "Does the order of a run's turns change nothing at its end, as it must for a mean?",
    "roles swapped": "Does reading results as users, and users as results, tell no more than the head?",
    "permuted labels": "Does a head that was fitted on shuffled outcomes tell nothing?",
    "end markers": "Does no single word give the outcome away in the last turns alone?",
    "results have calls": "Does the record hold the call that each tool result answers?",
    "steady reward": "Does your reward give the same run the same number twice, and in another order?",
    "users do not write results": "Are the user turns free of text that only looks like a tool's result?",
}


def score(name: str) -> str:
    """What a score is called in a line: a head by its name, the user's reward as itself."""
    return "your reward" if name == OWN_REWARD else f"{name} head"


def the_score(name: str) -> str:
    """What a score is called in a sentence."""
    return score(name) if name == OWN_REWARD else f"the {score(name)}"


def channel(name: str) -> str:
    """What the policy writes on a channel."""
    return _CHANNELS.get(name, name)


def read(name: str) -> str:
    """What a read means."""
    if name.startswith("R2@"):
        return f"{'halfway' if name == 'R2@0.5' else 'part of the way'} ({name})"
    if name.startswith("R3@"):
        return f"at decision point {name.removeprefix('R3@')} ({name})"
    if name == "R1-0":
        return "at the last point of all (R1-0)"
    if name.startswith("R1-"):
        points = name.removeprefix("R1-")
        return f"{points} point{'' if points == '1' else 's'} before the last ({name})"
    return _READS.get(name, name)


def adversary(name: str) -> str:
    """What an adversary does."""
    return _ADVERSARIES.get(name, name)


def ceiling(name: str) -> str:
    """What a ceiling ranges over."""
    return _CEILINGS.get(name, name)


def pool(name: str) -> str:
    """Where donors come from."""
    return _POOLS.get(name, name)


def grade(name: str) -> str:
    """What the grade of a label means."""
    return _GRADES.get(name, "a grade without an explanation here")


def control(name: str) -> str:
    """The question that a control answers; empty where the control is not listed."""
    return _CONTROLS.get(name, "")


def reads_of(head: str) -> str:
    """What a head reads, such as ``user turns and tool results``; empty for a head without a list."""
    roles: dict[str, tuple[str, ...]] = {str(name): tuple(found) for name, found in READ_ROLES.items()}
    return join([_ROLES[role] for role in roles.get(head, ()) if role in _ROLES])


def reads_channel(head: str, writable: str) -> bool:
    """Whether a head reads any role of a channel; True where either is not known.

    Args:
        head: name of the head.
        writable: name of the channel.

    Returns:
        False only where it is certain that no turn of these roles enters the score.
    """
    roles: dict[str, tuple[str, ...]] = {str(name): tuple(found) for name, found in READ_ROLES.items()}
    if head not in roles or writable not in CHANNELS:
        return True
    return any(role in roles[head] for role in CHANNELS[writable])


def join(parts: list[str]) -> str:
    """Parts as a list in a sentence, such as ``a, b and c``."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
