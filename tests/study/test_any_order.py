"""Asks and tells in any order against a model that is only dicts."""

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from pfes import Conflict, InvalidInput
from pfes.ledger import Event, Ledger
from pfes.observations import State
from pfes.study import Study
from study.examples import OBJECTIVES, pool_study

COST = {"power": 5.0, "waste": 1.0}
NAMES = st.sampled_from(["power", "waste"])
ROW = {"row": "c3"}
VALUES = st.integers(-2, 2).map(float)


class AnyOrder(RuleBasedStateMachine):
    """Every trial as a dict: asked, values, verdict, set aside, whole (charged in full)."""

    trials = Bundle("trials")

    @initialize()
    def begin(self) -> None:
        self.study: Study = pool_study(60)
        self.model: dict[int, dict[str, Any]] = {}

    def remember(self, number: int, asked: set[str]) -> int:
        assert number == len(self.model)
        self.model[number] = {
            "asked": asked,
            "values": {},
            "verdict": None,
            "aside": False,
            "whole": False,
            "free": False,
        }
        return number

    @rule(target=trials)
    def ask(self) -> int:
        return self.remember(self.study.ask().id, {"power", "waste"})

    @rule(target=trials, name=NAMES)
    def enqueue(self, name: str) -> int:
        self.study.enqueue(ROW, [name])
        return self.remember(self.study.ask().id, {name})

    @rule(target=trials, name=NAMES, value=VALUES)
    def add(self, name: str, value: float) -> int:
        number = self.remember(self.study.add([{**ROW, name: value}])[0].id, {name})
        self.model[number] |= {"values": {name: value}, "free": True}
        return number

    @rule(number=trials, values=st.dictionaries(NAMES, VALUES, min_size=1), correct=st.booleans())
    def tell(self, number: int, values: dict[str, float], correct: bool) -> None:
        mine = self.model[number]
        if not correct and any(mine["values"].get(name, value) != value for name, value in values.items()):
            with pytest.raises(Conflict):
                self.study.tell(number, values)
            return
        self.study.tell(number, values, correct=correct)
        mine["values"] |= values
        if mine["asked"] <= set(mine["values"]) and not mine["aside"]:
            mine["verdict"] = None

    @rule(number=trials, how=st.sampled_from(["failed", "infeasible", "abandoned"]))
    def close(self, number: int, how: str) -> None:
        mine = self.model[number]
        done = mine["asked"] <= set(mine["values"])
        if mine["verdict"] == how:
            self.study.tell(number, **{how: "why"})
        elif done or mine["aside"] or mine["verdict"] in ("failed", "infeasible", "abandoned"):
            with pytest.raises(Conflict):
                self.study.tell(number, **{how: "why"})
        else:
            self.study.tell(number, **{how: "why"})
            mine["verdict"] = how

    @rule(number=trials)
    def release(self, number: int) -> None:
        mine = self.model[number]
        if mine["verdict"] in (None, "released") and not mine["asked"] <= set(mine["values"]):
            self.study.release(number, "why")
            mine["verdict"] = "released"
        elif mine["verdict"] != "released":
            with pytest.raises(InvalidInput, match="wanted a pending one"):
                self.study.release(number, "why")

    @rule(number=trials)
    def reject(self, number: int) -> None:
        mine = self.model[number]
        mine["whole"] |= self.state(mine) in ("done", "failed", "infeasible")
        self.study.reject(number, "why")
        mine |= {"verdict": "rejected", "aside": mine["aside"] or bool(mine["values"])}

    @staticmethod
    def state(mine: dict[str, Any]) -> str:
        done = mine["asked"] <= set(mine["values"]) and not mine["aside"]
        return "done" if done else mine["verdict"] or "pending"

    @staticmethod
    def charge(mine: dict[str, Any]) -> float:
        whole = AnyOrder.state(mine) in ("done", "failed", "infeasible") or mine["whole"]
        paid = mine["asked"] | set(mine["values"]) if whole else set(mine["values"])
        return 0.0 if mine["free"] else sum(COST[name] for name in paid)

    @invariant()
    def states_values_and_charges_agree(self) -> None:
        for trial in self.study.trials():
            mine = self.model[trial.id]
            assert (trial.state, trial.values) == (self.state(mine), mine["values"])
            assert trial.spent == self.charge(mine)
        assert self.study.spent == sum(map(self.charge, self.model.values()))

    @invariant()
    def the_model_is_told_what_is_measured_and_usable(self) -> None:
        known = self.study.observations().only(State.MEASURED)
        wanted = [mine["values"] for mine in self.model.values() if not mine["aside"]]
        assert len(known) == sum(map(len, wanted))
        assert known.value.sum() == sum(sum(values.values()) for values in wanted)

    @invariant()
    def the_events_tell_the_same_story_again(self) -> None:
        events = [Event.from_json(event.to_json()) for event in self.study.events]
        assert list(Ledger(self.study.space, self.study.objectives, events).trials.values()) == self.study.trials()


AnyOrder.TestCase.settings = settings(max_examples=30, stateful_step_count=25)
TestAnyOrder = AnyOrder.TestCase


def test_the_costs_of_the_model_are_those_of_the_study() -> None:
    assert {objective.name: objective.cost for objective in OBJECTIVES} == COST
