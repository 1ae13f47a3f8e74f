"""The two synthetic pools: sizes, reproducibility, and that they are worth searching."""

from types import SimpleNamespace

import numpy as np
import pytest

from pfes import problems
from pfes.errors import InvalidInput
from pfes.pareto import non_dominated
from problems.cases import POOLS, usual

RECORDED = {
    "bismuth_oxide": [[-3.122485323286707, 54.559999999999995], [-2.2003822797858934, 27.396560721029367]],
    "perovskite": [[-5.256388580691952, 18.366301049265857], [-4.876708817022184, 19.566068087242794]],
    "distances": [4.479915347551844, 4.561675126459065, 17266.208449276],
}


@pytest.fixture(scope="module", params=POOLS)
def pool(request):
    return usual(request.param)


def table(problem):
    return problem.values(np.arange(len(problem.space)))


def test_sizes_and_costs_are_the_papers(pool):
    size = (len(pool.space), len(pool.space.names), [objective.cost for objective in pool.objectives])
    assert size == {"bismuth_oxide": (335, 3, [5.0, 1.0]), "perovskite": (1119, 2185, [10.0, 1.0])}[pool.name]
    assert [objective.goal for objective in pool.objectives] == ["max", "min"]


def test_costs_can_be_chosen():
    assert problems.bismuth_oxide(ratio=10).objectives[0].cost == 10


def test_values_are_the_same_everywhere():
    # recorded once; a change of these numbers changes what has been published about the pools
    bismuth, perovskite = map(usual, POOLS)
    np.testing.assert_allclose(bismuth.values([0, 334]), RECORDED["bismuth_oxide"], rtol=1e-9)
    np.testing.assert_allclose(perovskite.values([0, 1118]), RECORDED["perovskite"], rtol=1e-9)
    first = list(perovskite.space.params(0).values())
    np.testing.assert_allclose([first[0], first[-1], sum(first)], RECORDED["distances"], rtol=1e-9)


def test_rows_are_different(pool):
    assert len(np.unique(pool.space.x, axis=0)) == len(pool.space)


def test_compositions_keep_their_limits():
    pool = usual("bismuth_oxide").space
    percent = np.array([list(pool.params(row).values()) for row in range(335)])
    assert (percent.max(axis=0) == [24, 14, 10]).all()
    assert percent.sum(axis=1).min() == 2
    assert percent.sum(axis=1).max() == 24


def test_the_front_is_worth_searching(pool):
    values = table(pool)
    front = pool.front()
    assert 8 <= len(front) <= 25
    assert pool.share(front) == pytest.approx(1.0)
    assert len(front) == non_dominated(pool.objectives.inward(values)).sum()
    within = pool.objectives.inward(front) > pool.objectives.inward(pool.reference)
    assert within.all(axis=1).sum() >= 8
    assert (np.ptp(front, axis=0) > 10 * pool.noise).all()  # a trade-off, not noise


def test_no_objective_alone_finds_the_front(pool):
    values = table(pool)
    for l, sign in enumerate(pool.objectives.signs):
        best = np.argsort(-sign * values[:, l])[:20]
        assert pool.share(values[best]) < 0.8


def test_random_rows_find_only_part_of_it(pool):
    values = table(pool)
    rng = np.random.default_rng(0)
    shares = [pool.share(values[rng.permutation(len(values))[:20]]) for _ in range(30)]
    assert 0.3 < np.mean(shares) < 0.8


def test_neighbours_have_similar_values(pool):
    # so that a model can learn: the mean of a row's five nearest tells most of the row
    x, values = pool.space.x, table(pool)
    squares = (x**2).sum(axis=1)
    near = np.argsort(squares[:, None] + squares - 2 * x @ x.T, axis=1)[:, 1:6]
    for l in range(2):
        assert np.corrcoef(values[near, l].mean(axis=1), values[:, l])[0, 1] > 0.9


def test_the_same_row_by_every_road(pool):
    told = pool.evaluate_row(7)
    assert told == pool.evaluate(pool.space.params(7))
    assert told == pool.evaluate(SimpleNamespace(row=7, params={}, objectives=()))
    assert told == dict(zip(pool.names, pool.values([7])[0].tolist(), strict=True))


def test_noise_comes_with_a_generator_only(pool):
    truth = pool.values([7])[0]
    draws = np.array(
        [list(pool.evaluate_row(7, rng).values()) for rng in [np.random.default_rng(0)] for _ in range(4000)]
    )
    np.testing.assert_allclose(draws.mean(axis=0), truth, atol=0.1 * pool.noise.max())
    np.testing.assert_allclose(draws.std(axis=0), pool.noise, rtol=0.05)
    again = pool.evaluate_row(7, np.random.default_rng(0))
    assert list(again.values()) == draws[0].tolist()


def test_what_is_not_in_the_pool_is_refused():
    pool = usual("bismuth_oxide")
    with pytest.raises(InvalidInput, match="wanted row numbers from 0 to 334"):
        pool.values([335])
    with pytest.raises(InvalidInput, match="no row of 'bismuth_oxide' has"):
        pool.evaluate({"erbium": 3.0, "niobium": 0.0, "tungsten": 0.0})
    assert "335 rows" in repr(pool)
