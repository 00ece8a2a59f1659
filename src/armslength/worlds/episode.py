"""One run of the mock purchase: a policy serves a customer with the shop's tools.

Rules, with the test that holds each (``tests/worlds/test_episode.py``):

- Every call has one result with the same call id; results of tools always say whether they are errors.
- The closing call, its result and the customer's last message are terminals; nothing else is.
- The policy acts on what it was told: hidden state reaches it only through results and replies.
"""

from __future__ import annotations

from random import Random

from ..records import Outcome, Trajectory
from .customer import reply
from .language import speak
from .policies import Policy, draw_habits
from .purchase import Action, PurchaseTask, Result, Variant, listed, price_paid
from .recorder import OutOfSteps, Recorder
from .verifier import is_right


def play(task: PurchaseTask, policy: Policy, trial: int, rng: Random) -> Trajectory:
    """Let a policy serve the customer of a task once.

    Args:
        task: the task, hidden state included.
        policy: who serves.
        trial: which attempt at the task this is.
        rng: decides habits, choices and words; the shop uses none of it.

    Returns:
        The run with the verifier's outcome (grade A).
    """
    run = _Run(task, policy, rng)
    stratum = run.serve()
    success = is_right(task, run.record.shop.orders)
    return Trajectory(
        id=f"{task.id}-trial-{trial}",
        task=task.id,
        group=task.id,
        policy=policy.name,
        turns=tuple(run.record.turns),
        outcome=Outcome(success, "verifier", "A", None if success else stratum),
        trial=trial,
    )


class _Run:
    """What one policy knows and does while it serves one customer."""

    def __init__(self, task: PurchaseTask, policy: Policy, rng: Random) -> None:
        self.record = Recorder(task)
        self._task = task
        self._rng = rng
        self._chance = rng.random
        self._habits = draw_habits(policy, rng)
        self._skips = self._errors = self._glossed = 0
        self._mood = 0.5
        self._wish: str | None = None
        self._rejected: list[Variant] = []
        self._discount = False
        self._slots = _slots(task)

    def serve(self) -> str | None:
        """Play to the end; the stratum of the run, if it has one."""
        self._open()
        try:
            self._ask()
            found = self._search()
            self._use_coupon()
            choice = self._choose(found)
            if choice is not None:
                choice = self._offer(choice, found)
            self._give_address()
            done = choice is not None and self._buy(choice, found)
            if self._chance() < 0.4:  # no such tool: a last error that says nothing about the order
                self._do("receipt", Action("send_receipt", {"to": self._task.customer}))
            if self._chance() < 0.85:
                self._tell("report" if done else "regret", "nothing")
        except OutOfSteps:
            return "step limit"
        self._close(done=done)
        return None

    def _open(self) -> None:
        text = reply("open", self._slots, self._rng)
        if self._task.coupon:
            text += " " + reply("coupon", self._slots, self._rng)
        self.record.hear(text)

    def _search(self) -> list[Variant]:
        task = self._task
        arguments = {"kind": task.kind, "colour": task.colour}
        if task.material:
            arguments["material"] = task.material
        answered = self._attempt("search", Action("search_catalog", arguments)) == "done"
        if self._chance() < 0.6 * self._habits.care:
            self._attempt("refine", Action("search_catalog", arguments))
        return listed(task, task.colour, task.material) if answered else []

    def _ask(self) -> None:
        """Ask for what the customer has not said, or presume to know it."""
        if self._checks(0.0):
            self._tell("ask", "wish")
            self._wish = self._task.wish
        elif self._chance() < 0.85:
            self._tell("presume", "unasked")

    def _use_coupon(self) -> None:
        if self._task.coupon and self._checks(0.4):
            action = Action("apply_coupon", {"code": self._task.coupon})
            self._discount = self._attempt("coupon", action) == "done"

    def _choose(self, found: list[Variant]) -> Variant | None:
        """The first listed variant against which nothing speaks, as far as the policy has looked."""
        last = None
        for variant in found:
            if price_paid(variant.price, coupon=self._discount) > self._task.budget and self._notices():
                continue
            last = variant
            if not self._objects(variant):
                return variant
            self._rejected.append(variant)
        return last if self._chance() < 0.85 else None

    def _offer(self, choice: Variant, found: list[Variant]) -> Variant:
        """Propose a variant; a customer who looks it up himself may see that it is wrong, and say why."""
        if self._chance() < 0.25:
            return choice
        self._slots["product"] = choice.name
        sees = choice.trait != self._task.wish and self._chance() < 0.6
        self._tell("offer", "doubt" if sees else "content")
        if sees and self._chance() < self._habits.care * self._habits.recovery:
            self._wish = self._task.wish
            self._rejected.append(choice)
            return self._choose([v for v in found if v is not choice]) or choice
        return choice

    def _objects(self, variant: Variant) -> bool:
        """Look at a variant's page and stock, and say whether something speaks against it."""
        self._slots["product"] = variant.name
        arguments = {"product": variant.name}
        page, stock = Action("get_product", arguments), Action("check_stock", arguments)
        looks, counts = self._checks(0.5), self._checks(0.0)
        if looks and counts and self._chance() < 0.5:
            page_read, stock_read = (not r.error for r in self._do("look", page, stock))
        else:
            page_read = looks and self._attempt("look", page) == "done"
            if page_read and self._flawed(variant):
                return True
            stock_read = counts and self._attempt("stock", stock) == "done"
        return (page_read and self._flawed(variant)) or (stock_read and not variant.stock and self._notices())

    def _flawed(self, variant: Variant) -> bool:
        wrong = not variant.genuine or self._wish not in (None, variant.trait)
        return wrong and self._notices()

    def _give_address(self) -> None:
        task = self._task
        if self._chance() < 0.3:
            self._tell("confirm", "yes")
        if not self._checks(0.5):
            return
        street = task.street
        if self._chance() < 0.28 - 0.15 * self._habits.care:
            street = street[:2] + street[3:]
        outcome = self._attempt("address", Action("set_address", {"street": street, "day": task.day}))
        if outcome == "mend":
            self._attempt("address", Action("set_address", {"street": task.street, "day": task.day}))

    def _buy(self, choice: Variant, found: list[Variant]) -> bool:
        """Fill the basket, order and pay; whether the policy thinks, or says, that it worked."""
        while (outcome := self._fill(choice)) == "mend":
            self._rejected.append(choice)
            other = self._choose([v for v in found if v not in self._rejected])
            if other is None:
                return False
            choice = other
        if outcome == "drop":
            return False
        if self._chance() < 0.3 * (1 - self._habits.candour):
            self._tell("boast", "glad")
            if self._chance() < 0.4:
                return True
        outcome = self._attempt("order", Action("place_order", {}))
        if outcome == "mend":
            self._attempt("payment", Action("set_payment", {"method": "invoice"}))
            outcome = self._attempt("order", Action("place_order", {}))
        return outcome in ("done", "gloss")

    def _fill(self, choice: Variant) -> str:
        self._slots["product"] = choice.name
        return self._attempt("basket", Action("add_to_basket", {"product": choice.name}))

    def _close(self, *, done: bool) -> None:
        farewell = reply("thanks" if done else "annoyed", self._slots, self._rng)
        self.record.end(self._words("close"), farewell)

    def _attempt(self, purpose: str, action: Action) -> str:
        """Call a tool until it works or the policy stops: ``done``, ``mend``, ``gloss`` or ``drop``."""
        habits, chance = self._habits, self._chance
        (result,) = self._do(purpose, action)
        recovery = habits.recovery
        while result.error:
            self._errors += 1
            if chance() < recovery:
                if not _may_pass(result):
                    return "mend"
            elif chance() >= habits.stubborn:
                if chance() < habits.gloss:
                    self._glossed += 1
                    return "gloss"
                return "drop"
            else:
                recovery *= 0.6  # whoever repeats a call once repeats it more easily
                if chance() < 0.35:
                    self._tell("sorry", "waiting")
            (result,) = self._do("retry", action)
        return "done"

    def _do(self, purpose: str, *actions: Action) -> list[Result]:
        text = self._words(purpose) if self._chance() < 0.9 else None
        return self.record.act(text, actions)

    def _tell(self, purpose: str, answer: str) -> None:
        self.record.say(self._words(purpose))
        self.record.hear(reply(answer, self._slots, self._rng, mood=self._mood))

    def _words(self, purpose: str) -> str:
        care, recovery, candour, *_ = self._habits
        weights = (
            2.2 * care * care * candour,
            0.8 * (1 - care) + 0.5 * self._skips * candour,
            0.7 * (1 - recovery) + 0.4 * self._errors * (1 - recovery),
            1.1 * (1 - candour) + 0.6 * self._glossed,
        )
        text, manner = speak(purpose, weights, self._slots, self._rng)
        if manner >= 0:  # the customer hears it, and his mood follows
            self._mood = 0.8 * self._mood + (0.2 if manner == 0 else 0.0)
        return text

    def _checks(self, floor: float) -> bool:
        """Whether the policy takes the trouble; even a careless one does in a share `floor` of cases."""
        checks = self._chance() < floor + (1 - floor) * self._habits.care
        self._skips += not checks
        return checks

    def _notices(self) -> bool:
        return self._chance() < 0.8 + 0.2 * self._habits.care


def _may_pass(result: Result) -> bool:
    """Whether an error reads as if the same call could work a moment later."""
    return "busy" in result.text or "Timeout" in result.text


def _slots(task: PurchaseTask) -> dict[str, str]:
    goods = f"{'an' if task.colour[0] in 'aeiou' else 'a'} {task.colour} {task.kind}"
    if task.material:
        goods += f" made of {task.material}"
    return {
        "first": task.customer.split()[0],
        "customer": task.customer,
        "goods": goods,
        "kind": task.kind,
        "colour": task.colour,
        "shop": task.shop,
        "budget": str(task.budget),
        "street": task.street,
        "day": task.day,
        "coupon": task.coupon or "",
        "wish": task.wish,
        "reason": task.reason,
        "product": task.kind,
    }
