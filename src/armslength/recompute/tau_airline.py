"""The airline tools of τ-bench. The table of flights is never changed: seats are not counted down.

Tests: ``tests/recompute/test_airline_tools.py``. Reference: ``docs/reference/recompute.md``.
"""

from __future__ import annotations

from typing import Any, Final

from .execute import Refusal, Tool, reads
from .state import Record, State

TABLES: Final = ("flights", "reservations", "users")

#: What the environment calls new reservations and certificates, and when it makes them.
_RESERVATIONS: Final = ("HATHAT", "HATHAU", "HATHAV")
_CERTIFICATES: Final = (3221322, 3221323, 3221324)
_NOW: Final = "2024-05-15T15:00:00"
_INSURANCE: Final = 30
_BAGGAGE: Final = 50


def book_reservation(
    db: State,
    /,
    *,
    user_id: str,
    origin: str,
    destination: str,
    flight_type: str,
    cabin: str,
    flights: list[Record],
    passengers: list[Record],
    payment_methods: list[Record],
    total_baggages: int,
    nonfree_baggages: int,
    insurance: str,
) -> object:
    """Make a reservation; certificates are used up whatever is left of them."""
    user = _user(db, user_id)
    booked = [_booked(db, flight, cabin, len(passengers)) for flight in flights]
    total = sum(flight["price"] * len(passengers) for flight in booked)
    total += _INSURANCE * len(passengers) if insurance == "yes" else 0
    total += _BAGGAGE * nonfree_baggages
    for payment in payment_methods:
        method = user["payment_methods"].get(payment["payment_id"])
        if method is None:
            raise Refusal("payment method not found")
        if method["source"] in ("gift_card", "certificate") and method["amount"] < payment["amount"]:
            raise Refusal("not enough balance in payment method")
    if sum(payment["amount"] for payment in payment_methods) != total:
        raise Refusal("payment amount does not add up")
    name = next((name for name in _RESERVATIONS if db.get("reservations", name) is None), _RESERVATIONS[-1])
    user = db.edit("users", user_id)
    for payment in payment_methods:
        _spend(user["payment_methods"], payment)
    user["reservations"].append(name)
    db.add(
        "reservations",
        name,
        {
            "reservation_id": name,
            "user_id": user_id,
            "origin": origin,
            "destination": destination,
            "flight_type": flight_type,
            "cabin": cabin,
            "flights": booked,
            "passengers": passengers,
            "payment_history": payment_methods,
            "created_at": _NOW,
            "total_baggages": total_baggages,
            "nonfree_baggages": nonfree_baggages,
            "insurance": insurance,
        },
    )
    return db.get("reservations", name)


def cancel_reservation(db: State, /, reservation_id: str) -> object:
    """Note that all payments are given back; no balance changes, and it may be done again."""
    history = _reservation(db, reservation_id)["payment_history"]
    reservation = db.edit("reservations", reservation_id)
    reservation["payment_history"] += [
        {"payment_id": payment["payment_id"], "amount": -payment["amount"]} for payment in history
    ]
    reservation["status"] = "cancelled"
    return reservation


def send_certificate(db: State, /, user_id: str, amount: int) -> object:
    """Give a user a certificate under the first free number; nothing happens when all are taken."""
    user = _user(db, user_id)
    for number in _CERTIFICATES:
        name = f"certificate_{number}"
        if name not in user["payment_methods"]:
            methods = db.edit("users", user_id)["payment_methods"]
            methods[name] = {"source": "certificate", "amount": amount, "id": name}
            return f"Certificate {name} added to user {user_id} with amount {amount}."
    return None


def update_reservation_baggages(
    db: State, /, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
) -> object:
    """Set the numbers of bags; more paid ones cost, fewer give nothing back."""
    reservation = _reservation(db, reservation_id)
    price = _BAGGAGE * max(0, nonfree_baggages - reservation["nonfree_baggages"])
    reservation = _pay(db, reservation, payment_id, price)
    reservation["total_baggages"] = total_baggages
    reservation["nonfree_baggages"] = nonfree_baggages
    return reservation


def update_reservation_flights(
    db: State, /, reservation_id: str, cabin: str, flights: list[Record], payment_id: str
) -> object:
    """Replace the flights; kept ones keep their price, and the reservation's own cabin stays what it was."""
    reservation = _reservation(db, reservation_id)
    passengers = len(reservation["passengers"])
    booked = [
        _kept(reservation, flight, cabin) or _booked(db, flight, cabin, passengers) for flight in flights
    ]
    price = sum(flight["price"] * passengers for flight in booked)
    price -= sum(flight["price"] for flight in reservation["flights"]) * passengers
    reservation = _pay(db, reservation, payment_id, price)
    reservation["flights"] = booked
    return reservation


def update_reservation_passengers(db: State, /, reservation_id: str, passengers: list[Record]) -> object:
    """Replace the passengers by as many others."""
    if len(passengers) != len(_reservation(db, reservation_id)["passengers"]):
        raise Refusal("number of passengers does not match")
    reservation = db.edit("reservations", reservation_id)
    reservation["passengers"] = passengers
    return reservation


def get_user_details(db: State, /, user_id: str) -> object:
    """A user."""
    return _user(db, user_id)


def get_reservation_details(db: State, /, reservation_id: str) -> object:
    """A reservation."""
    return _reservation(db, reservation_id)


TOOLS: Final[dict[str, Tool]] = {
    **{
        tool.__name__: tool
        for tool in (
            book_reservation,
            cancel_reservation,
            get_reservation_details,
            get_user_details,
            send_certificate,
            update_reservation_baggages,
            update_reservation_flights,
            update_reservation_passengers,
        )
    },
    **reads(
        (
            "calculate",
            "list_all_airports",
            "search_direct_flight",
            "search_onestop_flight",
            "think",
            "transfer_to_human_agents",
        )
    ),
}


def _user(db: State, user_id: str) -> Record:
    user = db.get("users", user_id)
    if user is None:
        raise Refusal("user not found")
    return user


def _reservation(db: State, reservation_id: str) -> Record:
    reservation = db.get("reservations", reservation_id)
    if reservation is None:
        raise Refusal("reservation not found")
    return reservation


def _booked(db: State, flight: Record, cabin: str, passengers: int) -> Record:
    """A flight as given, with its price and its places; refused where it cannot be booked."""
    number, date = flight["flight_number"], flight["date"]
    listed = db.get("flights", number)
    if listed is None:
        raise Refusal(f"flight {number} not found")
    day = listed["dates"].get(date)
    if day is None or day["status"] != "available":
        raise Refusal(f"flight {number} not available on date {date}")
    if day["available_seats"][cabin] < passengers:
        raise Refusal(f"not enough seats on flight {number}")
    return _placed(flight, day["prices"][cabin], listed)


def _kept(reservation: Record, flight: Record, cabin: str) -> Record | None:
    """A flight that the reservation already has in this cabin; None if it has not."""
    for old in reservation["flights"]:
        same = old["flight_number"] == flight["flight_number"] and old["date"] == flight["date"]
        if same and cabin == reservation["cabin"]:
            return _placed(flight, old["price"], old)
    return None


def _placed(flight: Record, price: Any, places: Record) -> Record:  # noqa: ANN401 - a number of JSON
    return {**flight, "price": price, "origin": places["origin"], "destination": places["destination"]}


def _spend(methods: Record, payment: Record) -> None:
    method = methods[payment["payment_id"]]
    if method["source"] == "gift_card":
        method["amount"] -= payment["amount"]
    elif method["source"] == "certificate":
        del methods[payment["payment_id"]]


def _pay(db: State, reservation: Record, payment_id: str, price: int) -> Record:
    """Pay the price of a change, which is negative where money comes back; the reservation, to be changed further."""
    method = _user(db, reservation["user_id"])["payment_methods"].get(payment_id)
    if method is None:
        raise Refusal("payment method not found")
    if method["source"] == "certificate":
        raise Refusal("certificate cannot be used to update reservation")
    if method["source"] == "gift_card":
        if method["amount"] < price:
            raise Refusal("gift card balance is not enough")
        db.edit("users", reservation["user_id"])["payment_methods"][payment_id]["amount"] -= price
    changed = db.edit("reservations", reservation["reservation_id"])
    if price != 0:
        changed["payment_history"].append({"payment_id": payment_id, "amount": price})
    return changed
