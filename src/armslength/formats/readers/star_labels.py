"""What a STAR dialogue says about its outcome: the service's replies, the questionnaires, the wizard's words.

Tests: ``tests/formats/readers/test_star.py``. Reference: ``docs/reference/formats/star.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..runs import Label

#: Tasks that end in a transaction, whose service answers whether it was made.
TRANSACTIONAL: Final = frozenset(
    {
        "apartment_schedule",
        "bank_fraud_report",
        "doctor_schedule",
        "hotel_book",
        "hotel_service_request",
        "meeting_schedule",
        "party_plan",
        "party_rsvp",
        "plane_book",
        "restaurant_book",
        "ride_book",
        "ride_change",
        "spaceship_access_codes",
        "spaceship_life_support",
    }
)

_FIELDS: Final = ("Message", "ReservationStatus", "RequestStatus", "ChangeStatus", "Confirmation")
_DONE: Final = (
    "successfuly scheduled",  # as the service spells it
    "successfully scheduled",
    "Ride booked.",
    "Reservation Confirmed",
    "Thank you for your RSVP",
    "The door is now unlocked",
    "Successful! Life support",
    "Your trip has been successfully changed",
    "Request Confirmed",
    "Fraud report submitted successfully",
)
_REFUSED: Final = (
    "Reservation Failed",
    "Request Failed",
    "We are unable to change your trip",
    "you are not authorized to unlock",
)

#: Words of a question by what it asks. Of the user's questions, all but these are about the task.
_NOT_THE_TASK: Final = ("calm and helpful", "enjoy this task", "about rain")
QUESTIONS: Final = {
    "calm_and_helpful": "calm and helpful",
    "changed_mind": "change his/her mind",
    "aggressive": "aggressive or annoyed",
    "confused": "seem confused",
    "wizard_unsure": "unsure about what to do",
}

_CLAIMS: Final = frozenset(
    {
        "ride_confirm_booking",
        "party_confirm_rsvp",
        "meeting_inform_confirmed",
        "bank_inform_fraud_report_submitted",
    }
)


class StarEnd(NamedTuple):
    """A reply that ends a transaction: whether it was made, and the field and the text that say so."""

    success: bool
    name: str
    text: str


def star_end(item: object) -> StarEnd | None:
    """Whether a reply of a service ends a transaction, and how.

    Args:
        item: what the service returned.

    Returns:
        The end; None when the reply ends nothing (a check, a search).
    """
    if not isinstance(item, Mapping):
        return None
    for name in _FIELDS:
        text = item.get(name)
        if isinstance(text, str):
            if any(words in text for words in _DONE):
                return StarEnd(True, name, text)
            if any(words in text for words in _REFUSED):
                return StarEnd(False, name, text)
    return None


def transaction(tasks: Sequence[str], ends: Sequence[bool]) -> Label:
    """The last reply that ends the transaction of the dialogue's only task.

    Args:
        tasks: what the wizard could do.
        ends: what the replies that end a transaction of these tasks say, in order.
    """
    if len(tasks) != 1:
        return Label(None, "several tasks" if tasks else "no task", "A")
    if tasks[0] not in TRANSACTIONAL:
        return Label(None, "task without a transaction", "A")
    return Label(ends[-1], grade="A") if ends else Label(None, "no terminal reply", "A")


def user_answer(questionnaire: object) -> Label:
    """The user's answer to the one question that is about the task."""
    asked = [
        answer
        for question, answer in _answers(questionnaire)
        if not any(w in question for w in _NOT_THE_TASK)
    ]
    if len(asked) != 1:
        return Label(None, "several questions about the task" if asked else "no question about the task")
    return Label(asked[0])


def calm_and_helpful(questionnaire: object) -> Label:
    """The user's answer to whether the wizard stayed calm and helpful."""
    answer = answer_to(QUESTIONS["calm_and_helpful"], questionnaire)
    return Label(answer, None if answer is not None else "question not asked")


def completion(level: object) -> Label:
    """Whether both sides stayed to the end, as the collection program recorded it."""
    return Label(level == "Complete") if isinstance(level, str) else Label(None, "no completion level")


def wizard_claim(picked: Iterable[object]) -> Label:
    """What the wizard last told the user about the transaction, by the name of the chosen template."""
    claims = [claim for claim in map(_claim, picked) if claim is not None]
    return Label(claims[-1], grade="C") if claims else Label(None, "no claim", "C")


def answer_to(words: str, *questionnaires: object) -> bool | None:
    """The answer to the first question that holds these words."""
    for questionnaire in questionnaires:
        for question, answer in _answers(questionnaire):
            if words in question:
                return answer
    return None


def _claim(picked: object) -> bool | None:
    if not isinstance(picked, str):
        return None
    if picked in _CLAIMS or picked.endswith(("_succeeded", "_successful")):
        return True
    return False if picked.endswith("_failed") else None


def _answers(questionnaire: object) -> list[tuple[str, bool]]:
    entries: list[Any] = questionnaire if isinstance(questionnaire, list) else []
    return [
        (entry["Question"], entry["Answer"])
        for entry in entries
        if isinstance(entry, Mapping)
        and isinstance(entry.get("Question"), str)
        and isinstance(entry.get("Answer"), bool)
    ]
