"""The maximiser on targets whose maximum is known."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from pfes.acquisition import FLOOR, Slopes
from pfes.errors import InvalidInput
from pfes.maximise import MaximiserSettings, Target, maximise, pulled_back
from pfes.objectives import Objective, Objectives, Option
from pfes.observations import NO_ROW, Observations, State
from pfes.offer import Offer
from pfes.space import Choice, Integer, Linear, Pool, Real, Space

Array = NDArray[np.float64]
TWO = Objectives([Objective("a", cost=1.0), Objective("b", cost=8.0)])


@dataclass(frozen=True)
class Hill:
    """Score -|x - top_k|^2 / width^2 of option k: an acquisition whose maxima are `tops` (K, D)."""

    tops: Array
    options: tuple[Option, ...]
    width: float = 0.1
    lift: float = 0.0
    starts: Array = field(default_factory=lambda: np.zeros((0, 0)))
    delta: Array = field(default_factory=lambda: np.full(2, 1e-3))

    def scores(self, x: Array) -> Array:
        return self.slopes(x).score

    def slopes(self, x: Array) -> Slopes:
        away = (x[:, None, :] - self.tops) / self.width
        return Slopes(self.lift - np.sum(away**2, axis=2), -2.0 * away / self.width)

    def given(self, x: Array, which: Sequence[int], rng: np.random.Generator) -> "Hill":
        return self


def target(domain: Space | Pool, tops: list[list[float]], known: Observations | None = None, **more: float) -> Target:
    options = TWO.options(decoupled=True)[: len(tops)] if len(tops) > 1 else TWO.options(decoupled=False)
    hill = Hill(np.array(tops), options, starts=np.zeros((0, domain.width)), **more)
    return Target(hill, Offer(domain, TWO, options, known or Observations.none(domain.width), len(tops) == 1))


def best(domain: Space | Pool, tops: list[list[float]], known: Observations | None = None, **more: float):
    return maximise(target(domain, tops, known, **more), MaximiserSettings(scan=128), np.random.default_rng(0))


def test_a_narrow_peak_of_a_continuous_space_is_climbed_to_the_top() -> None:
    space = Space(x=Real(0, 1), y=Real(0, 1), z=Real(0, 1))
    found = best(space, [[0.321, 0.654, 1.0]])
    np.testing.assert_allclose(found.x, [0.321, 0.654, 1.0], atol=1e-5)
    assert found.row == NO_ROW
    assert found.compared >= 128


def test_a_peak_outside_is_met_at_the_border() -> None:
    np.testing.assert_allclose(best(Space(x=Real(0, 1), y=Real(0, 1)), [[1.5, 0.5]]).x, [1.0, 0.5], atol=1e-5)


def test_options_are_compared_per_cost() -> None:
    space = Space(x=Real(0, 1))
    assert best(space, [[0.2], [0.8]]).option == 0  # equal gains: the cheaper one
    found = best(space, [[0.2], [0.8]])
    np.testing.assert_allclose(found.best, [0.0, -np.log(8.0)], atol=1e-6)


def test_what_is_no_gain_is_not_divided_by_its_cost() -> None:
    found = best(Space(x=Real(0, 1)), [[0.2], [0.8]], lift=FLOOR)
    np.testing.assert_allclose(found.best, [FLOOR, FLOOR], atol=1e-6)


def test_a_mixed_space_is_searched_in_all_its_parts() -> None:
    space = Space(x=Real(0, 1), t=Integer(0, 40), kind=Choice(["a", "b", "c", "d"]), s=Real(0, 10, step=0.5))
    top = {"x": 0.4321, "t": 33, "kind": "c", "s": 7.5}
    found = best(space, [space.encode([top])[0].tolist()], width=0.3)
    decoded = space.decode(found.x[None])[0]
    assert decoded.pop("x") == pytest.approx(0.4321, abs=1e-4)
    assert decoded == {"t": 33, "kind": "c", "s": 7.5}


def test_a_small_discrete_space_is_searched_completely_and_ends() -> None:
    space = Space(t=Integer(0, 4), kind=Choice(["a", "b"]))
    known = Observations.none(space.width)
    seen = set()
    for _ in range(10):
        found = best(space, [[0.5, 0.0, 0.7]], known)
        seen.add(space.keys(found.x[None])[0])
        known = known.with_pending(found.x, (0, 1))
    assert len(seen) == 10
    assert best(space, [[0.5, 0.0, 0.7]], known) is None


def test_the_last_point_of_a_large_discrete_space_is_found() -> None:
    space = Space(t=Integer(0, 2999))
    left = np.delete(space.grid(), 1234, axis=0)
    known = Observations(
        np.repeat(left, 2, axis=0),
        np.full(2 * len(left), NO_ROW),
        np.tile([0, 1], len(left)),
        np.full(2 * len(left), State.PENDING),
        np.full(2 * len(left), np.nan),
        np.full(2 * len(left), np.nan),
    )
    assert space.decode(best(space, [[0.9]], known).x[None]) == [{"t": 1234}]


def test_constraints_hold_at_the_maximum() -> None:
    space = Space(x=Real(0, 1), y=Real(0, 1), constraints=[Linear({"x": 1, "y": 1}, upper=1.0)])
    found = best(space, [[0.9, 0.9]], width=1.0)
    assert found.x.sum() <= 1.0 + 1e-9
    assert found.x.sum() > 0.98


def test_a_climb_out_of_the_admissible_region_is_pulled_back_to_its_border() -> None:
    space = Space(x=Real(0, 1), y=Real(0, 1), constraints=[lambda p: p["x"] <= 0.5])
    start, end = np.array([[0.1, 0.5], [0.1, 0.1]]), np.array([[0.9, 0.5], [0.4, 0.4]])
    back = pulled_back(space, start, end)
    np.testing.assert_allclose(back, [[0.5, 0.5], [0.4, 0.4]], atol=1e-5)
    assert space.admissible(back).all()


def test_every_row_of_a_pool_is_looked_at() -> None:
    x = np.random.default_rng(1).uniform(size=(20_000, 2))
    pool = Pool(x)
    found = best(pool, [pool.x[12_345].tolist()])
    assert found.row == 12_345
    assert found.compared == 20_000
    known = Observations.none(2).with_pending(pool.x[12_345], (0, 1), 12_345)
    assert best(pool, [pool.x[12_345].tolist()], known).row != 12_345


def test_a_pool_that_is_used_up_gives_none() -> None:
    pool = Pool({"x": [0.0, 1.0]})
    known = Observations.none(1)
    for row in (0, 1):
        known = known.with_pending(pool.x[row], (0, 1), row)
    assert best(pool, [[0.5]], known) is None


def test_fixed_parameters_stay() -> None:
    space = Space(x=Real(0, 1), y=Real(0, 1)).fix(y=0.25)
    np.testing.assert_allclose(best(space, [[0.7, 0.9]], width=0.5).x, [0.7, 0.25], atol=1e-5)


def test_direct_finds_the_peak() -> None:
    space = Space(x=Real(0, 1), y=Real(0, 1))
    settings = MaximiserSettings(kind="direct")
    found = maximise(target(space, [[0.3, 0.8]]), settings, np.random.default_rng(0))
    np.testing.assert_allclose(found.x, [0.3, 0.8], atol=1e-2)


def test_direct_finds_the_last_points_of_a_small_space() -> None:
    space = Space(x=Integer(0, 19), y=Integer(0, 19))
    known = Observations.none(2)
    for x in space.grid():
        if space.decode(x[None])[0] != {"x": 16, "y": 18}:
            known = known.with_pending(x, (0, 1), NO_ROW)
    found = maximise(target(space, [[0.3, 0.8]], known), MaximiserSettings("direct", scan=4), np.random.default_rng(0))
    assert space.decode(found.x[None])[0] == {"x": 16, "y": 18}


@pytest.mark.parametrize("wrong", [{"kind": "magic"}, {"starts": 0}, {"scan": -3}])
def test_impossible_settings_are_refused(wrong: dict) -> None:
    with pytest.raises(InvalidInput, match=r"wanted kind 'gradient' or 'direct', and scan, starts and iterations"):
        MaximiserSettings(**wrong)


def test_hurry_still_gives_the_best_of_the_scan() -> None:
    space = Space(x=Real(0, 1), y=Real(0, 1))
    found = maximise(target(space, [[0.3, 0.8]]), MaximiserSettings(), np.random.default_rng(0), hurry=lambda: True)
    np.testing.assert_allclose(found.x, [0.3, 0.8], atol=0.1)
