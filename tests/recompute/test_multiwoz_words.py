"""What a wizard's words tell: entities of the database and values of slots, however they are written."""

import pytest
from small_town import DATABASE

from armslength.recompute.multiwoz_words import Words, plain, told_by_words


def told(domain, asked, *texts, **state):
    goal = {domain: {"info": {}, "reqt": asked}}
    return told_by_words(goal, {domain: {"semi": state}}, Words(texts), DATABASE)[domain]


@pytest.mark.parametrize(
    ("domain", "text", "named"),
    [
        ("restaurant", "Try THE BLUE-DOOR, or red gate", {"bluedoor", "redgate"}),
        ("restaurant", "bluedoors and red", set()), ("train", "take tr0001 or TR0009", {"tr0001", "tr0009"}),
        ("train", "take xtr00011", set()), ("hotel", "the blue door", set()),
    ],
)  # fmt: skip
def test_entities_are_named_as_words(domain, text, named):
    assert told(domain, [], text).named == named


@pytest.mark.parametrize(
    ("domain", "slot", "yes", "no"),
    [
        ("restaurant", "phone", "call 0100 000 0001", "call 01000000009"),
        ("restaurant", "postcode", "it is ab1 2cd", "it is ab1 2xx"),
        ("restaurant", "address", "at 1, Long Lane", "at Long Lane"),
        ("restaurant", "area", "the Blue Door is in the North.", "the Blue Door. Which area, north?"),
        ("restaurant", "food", "blue door has thai food", "blue door has food"),
        ("restaurant", "pricerange", "Blue Door is inexpensive", "Blue Door is expensive"),
        ("hotel", "stars", "it has four stars", "it has three stars"),
        ("hotel", "type", "it is a guest house", "it is a house"),
        ("hotel", "internet", "it has wifi.", "do you need wifi?"),
        ("hotel", "parking", "there is parking", "do you need parking ?"),
        ("attraction", "entrance fee", "admission is 5 pounds", "it is nice"),
        ("train", "leaveAt", "it leaves at 9:05", "it leaves at 9:06"),
        ("train", "arriveBy", "arriving 6:05 p.m.", "arriving 6:06 pm"),
        ("train", "duration", "it takes 60 minutes", "your table is reserved for 15 minutes"),
        ("train", "price", "£9 each", "nine each"), ("train", "trainID", "TR0002", "TR 2"),
        ("taxi", "phone", "call 07000000000", "call 070"), ("taxi", "car type", "a grey Skoda", "a car"),
    ],
)  # fmt: skip
def test_slots_are_given_by_values(domain, slot, yes, no):
    assert (told(domain, [slot], yes).given, told(domain, [slot], no).given) == ({slot}, frozenset())


def test_values_are_those_of_the_entity_that_is_spoken_of():
    """Of two restaurants the one that is named, or that the state names, says which area is right."""
    for texts, state in (
        (["Red Gate.", "It is in the south."], {}),
        (["It is in the south."], {"name": "red gate"}),
    ):
        assert told("restaurant", ["area"], *texts, **state).given == {"area"}
    assert told("restaurant", ["area"], "Blue Door is in the south.").given == frozenset()


def test_plain_texts():
    assert plain("05:16, four & The-Center") == "5 16 4 and the centre"
    assert (plain("000"), plain("---")) == ("0", "")
    assert not Words([""]).say("---")
