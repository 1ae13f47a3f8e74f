"""What methods that sample frontiers are set up with."""

from dataclasses import replace

import numpy as np
import pytest

from acquisition.test_contract import options_in
from acquisition.whole_studies import QUICK
from pfes.acquisition import METHODS, Situation
from pfes.acquisition.samples import draw, own_values
from pfes.space import Real, Space
from pfes.testing import example_model

CUBE = Space(a=Real(0, 1), b=Real(0, 1), c=Real(0, 1))


def situation(**changes: object) -> Situation:
    model = example_model(2)
    x = model.posteriors[0].x
    made = Situation(
        model=model, domain=CUBE, observed=x, held=x, options=options_in([0, 1], False),
        thresholds=np.array([1.3, -np.inf]), noise=np.array([0.3, 0.0]), resolution=np.array([0.4, 0.2]),
        frontiers=QUICK.frontiers, estimator="matched", allowed=None, rng=np.random.default_rng(0),
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def test_thresholds_are_virtual_points_unless_everything_is_wanted() -> None:
    bounded, everything = draw(situation()), draw(situation(), bounded=False)
    for frontier, x in zip(bounded.sampled.frontiers, bounded.sampled.sets, strict=True):
        np.testing.assert_array_equal(frontier[len(x) :], [[1.3, np.inf]])
        assert (frontier[: len(x), 0] > 1.3).all()
    for frontier, x in zip(everything.sampled.frontiers, everything.sampled.sets, strict=True):
        assert len(frontier) == len(x)
        assert frontier[:, 0].min() < 1.3


def test_noise_and_resolution_add_up_and_exact_knows_neither() -> None:
    np.testing.assert_allclose(draw(situation()).delta, [0.5, 0.2])
    np.testing.assert_array_equal(draw(situation(estimator="exact")).delta, [0.0, 0.0])


def test_largest_values_are_those_of_the_whole_frontier_and_the_other_methods_heed_thresholds() -> None:
    assert np.isfinite(METHODS["mesmo"].build(situation()).maxima).all()
    for region in METHODS["pf2es"].build(situation()).regions:
        assert 1.3 in region.values
    made = METHODS["pfev"].build(situation())
    assert all(1.3 in region.values for region in made.over)
    assert not any(1.3 in np.abs(region.values) for region in made.under)


def test_what_a_model_of_jes_is_told_is_on_the_front_of_its_function() -> None:
    made = METHODS["jes"].build(situation())
    for r, (one, before) in enumerate(zip(made.after, made.before.frontiers, strict=True)):
        told = one.model.posteriors[0].x[12:]
        assert 1 <= len(told) <= 20
        values = made.before.values(told)[r]
        assert all((np.abs(before.points - value) < 1e-6).all(axis=1).any() for value in values)
        np.testing.assert_allclose(one.model.predict(told).mean, values, atol=0.02)


@pytest.mark.parametrize("which", [(0,), (1,), (0, 1)])
def test_a_function_shows_its_own_values_with_noise_and_only_those_asked_for(which: tuple[int, ...]) -> None:
    values = np.arange(2000.0)[:, None, None] * np.ones((1, 1, 2))
    seen = own_values(lambda x: values, np.array([0.5, 2.0]), np.zeros(3), which, np.random.default_rng(0))
    for l, delta in enumerate((0.5, 2.0)):
        if l in which:
            assert np.std(seen[..., l] - values[..., l]) == pytest.approx(delta, rel=0.1)
        else:
            assert np.isnan(seen[..., l]).all()
