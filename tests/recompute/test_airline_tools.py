"""Every airline tool that changes the state: its effect, and each check that refuses it."""

import pytest

from armslength.recompute import tau_airline

BO = {"first_name": "Bo", "last_name": "Li", "dob": "1990-01-01"}
OUT = {"flight_number": "F1", "date": "2024-05-20"}
HOME = {"flight_number": "F2", "date": "2024-05-22"}


@pytest.fixture
def call(trying, airline):
    return trying(airline, tau_airline.TOOLS)


def booking(**changed):
    made = {
        "user_id": "bo_1", "origin": "ULM", "destination": "BER", "flight_type": "one_way", "cabin": "economy",
        "flights": [OUT], "passengers": [BO], "payment_methods": [{"payment_id": "credit_card_1", "amount": 100}],
        "total_baggages": 0, "nonfree_baggages": 0, "insurance": "no",
    }  # fmt: skip
    return made | changed


def paid(**amounts):
    return [{"payment_id": method, "amount": amount} for method, amount in amounts.items()]


def test_a_booking_makes_a_reservation_and_uses_up_certificates(call):
    payment = paid(certificate_1=200, gift_card_1=30, credit_card_1=100)
    arguments = booking(
        passengers=[BO, BO], insurance="yes", nonfree_baggages=1, total_baggages=3,
        payment_methods=[*payment[:1], payment[1], {"payment_id": "credit_card_1", "amount": 80}],
    )  # fmt: skip
    assert call("book_reservation", **arguments) == "done"  # 2 × 100 + 2 × 30 + 50 = 310
    assert call["reservations/HATHAT"] == {
        "reservation_id": "HATHAT", "user_id": "bo_1", "origin": "ULM", "destination": "BER", "flight_type": "one_way",
        "cabin": "economy", "flights": [OUT | {"price": 100, "origin": "ULM", "destination": "BER"}],
        "passengers": [BO, BO], "payment_history": arguments["payment_methods"],
        "created_at": "2024-05-15T15:00:00", "total_baggages": 3, "nonfree_baggages": 1, "insurance": "yes",
    }  # fmt: skip
    user = call["users/bo_1"]
    assert user["reservations"] == ["R1", "HATHAT"]
    assert (set(user["payment_methods"]), user["payment_methods"]["gift_card_1"]["amount"]) == (
        {"credit_card_1", "gift_card_1"}, 100,
    )  # fmt: skip
    assert call.touched == {"users/bo_1", "reservations/HATHAT"}


def test_the_second_booking_has_the_next_name_and_seats_are_not_counted(call):
    for name in ("HATHAT", "HATHAU", "HATHAV"):
        assert (
            call("book_reservation", **booking(cabin="business", payment_methods=paid(credit_card_1=300)))
            == "done"
        )
        assert call[f"reservations/{name}/cabin"] == "business"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"user_id": "x"}, "user not found"),
        ({"flights": [OUT | {"flight_number": "F9"}]}, "flight F9 not found"),
        ({"flights": [OUT | {"date": "2024-05-30"}]}, "not available on date"),
        ({"flights": [OUT | {"date": "2024-05-21"}]}, "not available on date"),
        ({"passengers": [BO] * 3}, "not enough seats"),
        ({"flights": ["F1"]}, "string indices"),
        ({"cabin": "first"}, "first"),
        ({"payment_methods": paid(x=100)}, "payment method not found"),
        ({"payment_methods": paid(gift_card_1=131)}, "not enough balance"),
        ({"payment_methods": paid(certificate_1=251)}, "not enough balance"),
        ({"payment_methods": paid(credit_card_1=99)}, "does not add up"),
        ({"insurance": "yes"}, "does not add up"),
        ({"nonfree_baggages": "1"}, "unsupported operand"),
        ({"trip_type": "x"}, "unexpected keyword"),
    ],
)
def test_bookings_are_refused(call, changed, why):
    assert why in call("book_reservation", **booking(**changed))
    assert call.touched == set()


def test_cancelling_notes_refunds_each_time(call):
    for count in (2, 4):
        assert call("cancel_reservation", reservation_id="R1") == "done"
        assert len(call["reservations/R1/payment_history"]) == count
    assert [entry["amount"] for entry in call["reservations/R1/payment_history"]] == [80, -80, -80, 80]
    assert call["reservations/R1/status"] == "cancelled"
    assert call.touched == {"reservations/R1"}
    assert "reservation not found" in call("cancel_reservation", reservation_id="X")


def test_certificates_have_three_numbers(call):
    for number in (3221322, 3221323, 3221324):
        assert call("send_certificate", user_id="bo_1", amount=50) == "done"
        name = f"certificate_{number}"
        made = call[f"users/bo_1/payment_methods/{name}"]
        assert made == {"source": "certificate", "amount": 50, "id": name}
    before = len(call["users/bo_1/payment_methods"])
    assert call("send_certificate", user_id="bo_1", amount=50) == "done"
    assert len(call["users/bo_1/payment_methods"]) == before
    assert "user not found" in call("send_certificate", user_id="x", amount=1)


def bags(total, nonfree, method="gift_card_1", name="R1"):
    return {
        "reservation_id": name,
        "total_baggages": total,
        "nonfree_baggages": nonfree,
        "payment_id": method,
    }


def test_more_paid_bags_cost_and_fewer_give_nothing_back(call):
    assert call("update_reservation_baggages", **bags(4, 2)) == "done"
    assert call["reservations/R1/payment_history"][-1] == {"payment_id": "gift_card_1", "amount": 100}
    assert call["users/bo_1/payment_methods/gift_card_1/amount"] == 30
    assert call("update_reservation_baggages", **bags(1, 0)) == "done"
    made = call["reservations/R1"]
    assert (made["total_baggages"], made["nonfree_baggages"], len(made["payment_history"])) == (1, 0, 2)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (bags(1, 1, name="X"), "reservation not found"),
        (bags(1, 1, "x"), "payment method not found"),
        (bags(1, 1, "certificate_1"), "certificate cannot be used"),
        (bags(3, 3), "gift card balance is not enough"),
        (bags(1, "1"), "unsupported operand"),
    ],
)
def test_bags_are_refused(call, arguments, why):
    assert why in call("update_reservation_baggages", **arguments)
    assert call.touched == set()


def flights(*listed, cabin="economy", method="gift_card_1", name="R1"):
    return {"reservation_id": name, "cabin": cabin, "flights": list(listed), "payment_id": method}


def test_kept_flights_keep_their_price(call):
    assert call("update_reservation_flights", **flights(OUT, HOME, method="credit_card_1")) == "done"
    made = call["reservations/R1"]
    assert [flight["price"] for flight in made["flights"]] == [80, 150]
    assert made["payment_history"][-1] == {"payment_id": "credit_card_1", "amount": 150}
    assert made["flights"][1] == HOME | {"price": 150, "origin": "BER", "destination": "ULM"}


def test_another_cabin_is_paid_and_not_noted(call):
    assert (
        call("update_reservation_flights", **flights(OUT, cabin="business", method="credit_card_1")) == "done"
    )
    made = call["reservations/R1"]
    assert (made["cabin"], made["flights"][0]["price"]) == ("economy", 300)
    assert made["payment_history"][-1]["amount"] == 220


def test_a_cheaper_change_pays_a_gift_card(call):
    assert call("update_reservation_flights", **flights()) == "done"
    assert call["users/bo_1/payment_methods/gift_card_1/amount"] == 210
    assert call["reservations/R1/payment_history"][-1]["amount"] == -80


def test_an_unchanged_price_leaves_no_payment(call):
    assert call("update_reservation_flights", **flights(OUT)) == "done"
    assert len(call["reservations/R1/payment_history"]) == 1


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (flights(OUT, name="X"), "reservation not found"),
        (flights(HOME | {"flight_number": "F9"}), "flight F9 not found"),
        (flights(HOME | {"date": "2024-05-23"}), "not available on date"),
        (flights(OUT | {"date": "2024-05-21"}), "not available on date"),
        (flights(OUT, method="x"), "payment method not found"),
        (flights(OUT, method="certificate_1"), "certificate cannot be used"),
        (flights(OUT, HOME), "gift card balance is not enough"),
        (flights("F1"), "string indices"),
    ],
)
def test_flights_are_refused(call, arguments, why):
    assert why in call("update_reservation_flights", **arguments)
    assert call.touched == set()


def test_as_many_passengers_replace_the_old_ones(call):
    ann = BO | {"first_name": "Ann"}
    assert call("update_reservation_passengers", reservation_id="R1", passengers=[ann]) == "done"
    assert call["reservations/R1/passengers"] == [ann]
    for given, why in (([BO, BO], "does not match"), ([], "does not match"), (5, "no len")):
        assert why in call("update_reservation_passengers", reservation_id="R1", passengers=given)
    assert "not found" in call("update_reservation_passengers", reservation_id="X", passengers=[BO])


def test_reads_change_nothing(call):
    for name, arguments in (
        ("get_user_details", {"user_id": "bo_1"}), ("get_reservation_details", {"reservation_id": "R1"}),
        ("search_direct_flight", {"origin": "ULM"}), ("search_onestop_flight", {}), ("list_all_airports", {}),
        ("calculate", {"expression": "1"}), ("think", {"thought": "x"}), ("transfer_to_human_agents", {"summary": "x"}),
    ):  # fmt: skip
        assert call(name, **arguments) == "done"
    assert "not found" in call("get_user_details", user_id="x")
    assert "not found" in call("get_reservation_details", reservation_id="x")
    assert call.touched == set()
