"""PESMO: expectation propagation against integrals and draws, BoTorch's values, and whole suggestions."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import differential_entropy, norm

from acquisition.situations import NONE, everything, followed, situation, study
from acquisition.test_joint_models import joint_model
from pfes.acquisition import METHODS, Acquisition
from pfes.acquisition.pesmo import ParetoSet, Pesmo, condition
from pfes.acquisition.propagation import Sites, _summed, propagate
from pfes.acquisition.remaining import remaining
from pfes.acquisition.undominated import tilt
from pfes.frontiers import FrontierSettings
from pfes.gp import Hyper, Model, Posterior, covariances
from pfes.objectives import Objective, Objectives
from pfes.observations import Data
from pfes.pareto import non_dominated
from pfes.space import Pool
from pfes.task import Settings
from pfes.testing import AcquisitionContract, example_model

FEW = FrontierSettings(count=3)
FIXTURE = Path(__file__).parents[1] / "fixtures" / "botorch_pesmo.json"


def made(model: Model, order: Sequence[int], *, decoupled: bool = False) -> Pesmo:
    rng = np.random.default_rng(5)
    others = rng.uniform(size=(10, 3))
    tried = rng.uniform(size=(3, 30, 3))
    sets = tuple(condition(model, r, x[non_dominated(model.predict(x).mean)][:5], others) for r, x in enumerate(tried))
    options = Objectives([Objective(f"y{l}") for l in order]).options(decoupled)

    def values(x: np.ndarray) -> np.ndarray:
        each = np.stack([np.cos((l + 1) * x.sum(axis=1)) for l in order], axis=-1)
        return np.stack([scale * each for scale in (0.8, 1.0, 1.3)])

    return Pesmo(model, options, sets, values, 0.05 * (1.0 + np.array(order)), NONE)


class TestPesmo(AcquisitionContract):
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order)


class TestPesmoDecoupled(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order, decoupled=True)


class TestPesmoOfOneObjective(AcquisitionContract):
    objectives = 1

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(model, order)


class TestPesmoUnderWay(AcquisitionContract):
    """Each set with a mean of its own."""

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        under_way = made(model, order, decoupled=True)
        return under_way.given(np.full(3, 0.45), [order.index(0)], np.random.default_rng(4))


class TestPesmoTogether(AcquisitionContract):
    objectives = 3

    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        return made(joint_model(order), order)


# One factor


@pytest.mark.parametrize("a", [[0.3], [-2.0, 1.0], [1.5, 0.2, -0.4], [4.0, 5.0], [-6.0, 2.0]])
def test_a_factor_leaves_the_moments_of_what_is_left(a: list[float]) -> None:
    r, t, _ = tilt(np.array(a)[:, None])
    for l, own in enumerate(a):
        others = np.prod(norm.cdf(np.delete(a, l)))
        # the density of d = own + z, not all d >= 0, z a standard normal

        def moment(power: int, own: float = own, others: float = others) -> float:
            pieces = [(min(-own, 0.0) - 12.0, -own, 1.0), (-own, max(-own, 0.0) + 12.0, 1.0 - others)]
            return sum(
                weight * quad(lambda z: z**power * norm.pdf(z), low, high, epsabs=1e-14, epsrel=1e-12, limit=200)[0]
                for low, high, weight in pieces
            )

        mean = moment(1) / moment(0)
        np.testing.assert_allclose(r[l, 0], mean, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(1.0 - t[l, 0], moment(2) / moment(0) - mean**2, rtol=1e-7)


def test_a_factor_far_out_is_a_truncation_at_zero() -> None:
    # d = a + z below 0, a large: almost exponential, of mean -1/a and variance 1/a^2
    for a in (50.0, 1e3, 1e4):
        r, t, _ = tilt(np.full((1, 1), a))
        np.testing.assert_allclose(-(r + a), 1.0 / a, rtol=2.5 / a**2 + 1e-7)
        np.testing.assert_allclose(1.0 - t, 1.0 / a**2, rtol=7.0 / a**2 + 1e-4)
    # what certainly does not dominate is not changed
    r, t, _ = tilt(np.array([[-60.0], [3.0]]))
    assert (r == 0.0).all()
    assert (t == 0.0).all()
    for a in ([1e9, 1e9], [-1e9, 1e9], [1e12], [0.0, 0.0, 1e8]):
        assert all(np.isfinite(part).all() for part in tilt(np.array(a)[:, None]))


# Expectation propagation


def allowed(f: np.ndarray, size: int) -> np.ndarray:
    """The draws (S, L, Z) in which no point dominates one of the first `size`."""
    ok = np.ones(len(f), dtype=bool)
    for i in range(f.shape[2]):
        for j in range(size):
            if i != j:
                ok &= ~np.all(f[:, :, i] >= f[:, :, j], axis=1)
    return f[ok]


def drawn(mean: np.ndarray, prior: np.ndarray, count: int, seed: int = 0) -> np.ndarray:
    normal = np.random.default_rng(seed).standard_normal((count, *mean.shape))
    return mean + np.einsum("lyz,slz->sly", np.linalg.cholesky(prior), normal)


def random_prior(objectives: int, count: int, seed: int) -> np.ndarray:
    root = np.random.default_rng(seed).standard_normal((objectives, count, count + 1))
    return root @ root.swapaxes(1, 2) / (count + 1)


def variances(covariance: np.ndarray) -> np.ndarray:
    return np.einsum("lzz->lz", covariance)


@pytest.mark.parametrize("objectives", [1, 2, 3])
def test_one_condition_is_exact(objectives: int) -> None:
    prior = random_prior(objectives, 2, 1)
    mean = np.random.default_rng(2).standard_normal((objectives, 2))
    found = propagate(mean, prior, 1)
    kept = allowed(drawn(mean, prior, 1_000_000), 1)
    assert found.converged
    error = 4.0 * np.sqrt(variances(prior).max() / len(kept)) + 2e-3  # and what is left of the steps
    np.testing.assert_allclose(found.mean, kept.mean(axis=0), atol=error)
    for l in range(objectives):
        np.testing.assert_allclose(found.covariance[l], np.cov(kept[:, l].T), atol=3.0 * error)


@pytest.mark.parametrize(("objectives", "seed"), [(1, 0), (1, 1), (2, 0), (2, 3)])
def test_where_the_order_is_known_moments_are_those_of_draws(objectives: int, seed: int) -> None:
    """The Pareto points trade off as the model expects; three others threaten them."""
    size = objectives
    prior = 0.3 * random_prior(objectives, size + 3, seed)
    mean = np.zeros((objectives, size + 3))
    if size == 2:
        mean[0, :2], mean[1, :2] = [1.0, -1.0], [-1.0, 1.0]
        mean[:, 2:] = [[0.6, -0.8, 0.0], [-0.6, 0.9, -0.2]]
    found = propagate(mean, prior, size)
    kept = allowed(drawn(mean, prior, 600_000, seed), size)
    assert found.converged
    assert len(kept) > 5000
    scale = np.sqrt(variances(prior))
    moved = np.abs(kept.mean(axis=0) - mean) / scale
    assert moved.max() > 0.2  # there is something to find
    assert (np.abs(found.mean - kept.mean(axis=0)) / scale).max() < 0.06
    np.testing.assert_allclose(variances(found.covariance), kept.var(axis=0), rtol=0.12)


def test_without_threats_nothing_is_learned() -> None:
    mean = np.array([[5.0, 0.0, -5.0], [0.0, 5.0, -5.0]])
    prior = np.broadcast_to(np.eye(3) * 0.01, (2, 3, 3))
    found = propagate(mean, prior, 2)
    np.testing.assert_allclose(found.mean, mean, atol=1e-12)
    np.testing.assert_allclose(found.covariance, prior, atol=1e-12)


def test_starting_from_what_was_found_ends_there_at_once() -> None:
    prior, mean = random_prior(2, 6, 4), np.zeros((2, 6))
    first = propagate(mean, prior, 2)
    again = propagate(mean, prior, 2, first.sites)
    assert again.sweeps < first.sweeps
    np.testing.assert_allclose(again.mean, first.mean, atol=2e-3)
    # factors that leave no normal are not begun with
    wild = Sites(np.full((2, 6, 2), -1e9), np.zeros((2, 6, 2)))
    np.testing.assert_allclose(propagate(mean, prior, 2, wild).mean, first.mean, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-24, 1e-12, 1.0, 1e6])
def test_what_is_believed_is_always_a_normal(scale: float) -> None:
    rng = np.random.default_rng(5)
    for seed in range(6):
        root = rng.standard_normal((2, 9, 3))  # singular: nine values, three dimensions
        prior = scale * root @ root.swapaxes(1, 2)
        mean = rng.standard_normal((2, 9)) * (0.0 if seed == 0 else 1.0)
        prior[:, 8], prior[:, :, 8], mean[:, 8] = prior[:, 0], prior[:, :, 0], mean[:, 0]  # twins
        prior[:, 8, 8] = prior[:, 0, 0]
        found = propagate(mean, prior, 4)
        assert np.isfinite(found.mean).all()
        assert np.linalg.eigvalsh(found.covariance).min() > -1e-9 * scale
        left = remaining(mean[:, :3], variances(prior)[:, :3], prior[:, :3], found)
        assert np.isfinite(left.left).all()
        assert (left.left > 0.0).all()


def test_that_it_did_not_come_to_rest_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    prior, mean = random_prior(2, 6, 4), np.zeros((2, 6))
    assert propagate(mean, prior, 2).converged
    monkeypatch.setattr("pfes.acquisition.propagation.SWEEPS", 2)
    cut = propagate(mean, prior, 2)
    assert (cut.converged, cut.sweeps) == (False, 2)
    one = made(example_model(2), [0, 1])
    assert one.converged == 0.0


# The candidate


def line_model(x: np.ndarray, y: np.ndarray) -> Model:
    """Of one input: RBF of length 0.25, amplitude 1, noise variance 1e-4."""
    hyper, ones = Hyper("rbf", np.array([0.25]), 1.0, 1e-4, 0.0), np.ones(len(x))
    none = np.full(len(x), np.nan)
    return Model(tuple(Posterior.of(Data(x, column, ones, none), np.arange(1), hyper) for column in y.T))


def waves(seed: int) -> tuple[Model, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(3, 1))
    return line_model(x, np.column_stack([np.sin(5.0 * x[:, 0] + 2.0 * l) for l in range(2)])), x


def at(known: ParetoSet, model: Model, x: np.ndarray) -> np.ndarray:
    mean, std = model.predict(x)
    return remaining(mean.T, std.T**2, covariances(model, x, known.points), known.known).left


def test_what_is_left_of_a_variance_is_what_draws_leave() -> None:
    """Five measurements, a sampled Pareto set of four points, in eight worlds."""
    candidates, pool = np.array([[0.07], [0.31], [0.52], [0.77], [0.93]]), np.linspace(0.0, 1.0, 41)[:, None]
    found, truth = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x = (np.arange(5)[:, None] + rng.uniform(size=(5, 1))) / 5.0
        model = line_model(x, np.column_stack([np.sin(5.0 * x[:, 0] + 2.0 * l) for l in range(2)]))
        best = pool[non_dominated(model.draw(pool, 1, rng)[0])]
        pareto = best[np.linspace(0, len(best) - 1, 4).astype(int)]
        known = condition(model, 0, pareto, x)
        found.append(at(known, model, candidates))
        for i, one in enumerate(candidates):
            draws = model.draw(np.vstack([known.points, one[None]]), 40_000, rng).swapaxes(1, 2)
            kept = allowed(draws, 4)
            assert len(kept) > 300
            truth.append((model.predict(candidates[[i]]).std[0] ** 2, kept[:, :, -1].var(axis=0)))
    before, after = (np.array([pair[k] for pair in truth]) + 1e-4 for k in (0, 1))  # (8 * 5, L)
    gain = 0.5 * np.log(before / (np.concatenate([one.T for one in found]) + 1e-4))
    fall = 0.5 * np.log(before / after)
    assert fall.mean() > 0.05
    assert np.corrcoef(gain.ravel(), fall.ravel())[0, 1] > 0.95
    assert np.abs(gain - fall).mean() < 0.04


def fell(y: np.ndarray, kinds: np.ndarray) -> tuple[np.ndarray, dict[int, float]]:
    """By how much the entropies of y (S, N, L) fall, on average, once the kind (S,) is known; shares of the kinds."""
    before, after, shares = differential_entropy(y, axis=0), np.zeros(y.shape[1:]), {}
    for kind, count in zip(*np.unique(kinds, return_counts=True), strict=True):
        if count > 300:
            shares[int(kind)] = float(count)
            after += count * differential_entropy(y[kinds == kind], axis=0)
    total = sum(shares.values())
    return before - after / total, {kind: count / total for kind, count in shares.items()}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_gain_goes_with_the_fall_of_the_entropy(seed: int) -> None:
    """Eight rows, all their Pareto sets. EP knows that a set is not dominated, not that all else is: it says less."""
    model, x = waves(seed)
    pool, delta = np.linspace(0.0, 1.0, 8)[:, None], 0.05
    rng = np.random.default_rng(seed)
    f = model.draw(pool, 60_000, rng)
    beaten = np.any(np.all(f[:, None] >= f[:, :, None], axis=3) & ~np.eye(8, dtype=bool), axis=2)
    kinds = ~beaten @ (1 << np.arange(8))
    truth, shares = fell(f + delta * rng.standard_normal(f.shape), kinds)
    found = np.zeros_like(truth)
    for kind, share in shares.items():
        chosen = pool[[bool(kind >> i & 1) for i in range(8)]]
        one = Pesmo(model, everything([0, 1]), (condition(model, 0, chosen, x),), None, np.full(2, delta), chosen)
        found += share * one.gains(pool)
    assert np.corrcoef(found.ravel(), truth.ravel())[0, 1] > 0.9
    assert 0.4 < found.mean() / truth.mean() < 1.0


def by_botorch(model: Model, pareto: np.ndarray, tau: np.ndarray, x: np.ndarray, noise: float) -> float:
    """BoTorch's recipe with our factors: see `test_botorchs_values_follow_by_its_recipe`. tau (L, P, P)."""
    points = np.vstack([x[None], pareto])
    mean = model.predict(points).mean.T
    prior = covariances(model, points, points) + noise * np.eye(len(points))
    spread = prior[:, :1, 0] + variances(prior)[:, 1:] - 2.0 * prior[:, 0, 1:]
    t = tilt((mean[:, :1] - mean[:, 1:]) / np.sqrt(spread)).t
    gain = 0.0
    for l in range(len(prior)):
        sites = np.zeros((len(points), len(points)))
        sites[1:, 1:] = tau[l]
        sites[0, 1:] = t[l] / (spread[l] * (1.0 - t[l]))
        precision = np.linalg.inv(prior[l]) + _summed(sites, sites)[0]
        gain += 0.5 * np.log(prior[l, 0, 0] / np.linalg.inv(precision)[0, 0])
    return gain


def test_botorchs_values_follow_by_its_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """BoTorch forgets, at a candidate, what measured points tell of the Pareto set, takes the candidate as if the set
    were not known when it visits its conditions, and adds the noise before instead of after. By its recipe our factors
    give its values; where all that makes no difference, ours are the same.
    """
    monkeypatch.setattr("pfes.acquisition.propagation.CLOSE", 1e-7)
    monkeypatch.setattr("pfes.acquisition.propagation.SWEEPS", 2000)
    for case in json.loads(FIXTURE.read_text())["cases"]:
        x, pareto, at_points = np.array(case["x"]), np.array(case["pareto"])[:, None], np.array(case["at"])[:, None]
        model = line_model(x, np.array(case["y"]))
        points = np.vstack([pareto, x])
        known = propagate(model.predict(points).mean.T, covariances(model, points, points), len(pareto))
        assert known.converged
        tau = known.sites.tau[:, : len(pareto)]
        gains = [by_botorch(model, pareto, tau, one, 1e-4) for one in at_points]
        np.testing.assert_allclose(gains, case["gains"], rtol=2e-3, atol=4e-4)


def test_our_values_are_botorchs_where_no_other_condition_counts() -> None:
    """One Pareto point, and what was measured does not count, as it does not for BoTorch. What differs is the noise, so
    candidates beside a measurement are left out.
    """
    for case in json.loads(FIXTURE.read_text())["cases"][:2]:
        model = line_model(np.array(case["x"]), np.array(case["y"]))
        assert len(case["pareto"]) == 1
        known = condition(model, 0, np.array(case["pareto"])[:, None], np.zeros((0, 1)))
        one = Pesmo(model, everything(range(len(model))), (known,), None, np.full(len(model), 1e-2), NONE)
        at_points = np.array(case["at"])[:, None]
        apart = np.abs(at_points - np.array(case["x"]).T).min(axis=1) > 0.02
        assert apart.sum() >= 3
        gains = one.gains(at_points).sum(axis=1)
        np.testing.assert_allclose(gains[apart], np.array(case["gains"])[apart], atol=3e-3)


# Around it


def test_what_cannot_dominate_a_set_is_left_out_and_twins_count_once() -> None:
    model, pareto = waves(0)[0], np.array([[0.4], [0.8]])
    alone = condition(model, 0, pareto, np.zeros((0, 1)))
    assert len(alone.points) == 2
    twins = condition(model, 0, pareto, pareto + 1e-9)
    np.testing.assert_array_equal(twins.points, pareto)
    sure = line_model(np.linspace(0.0, 1.0, 9)[:, None], np.column_stack([np.linspace(-2.0, 2.0, 9)] * 2))
    best = condition(sure, 0, np.array([[1.0]]), np.linspace(0.0, 0.5, 5)[:, None])
    assert len(best.points) == 1
    many = np.random.default_rng(0).uniform(size=(300, 1))
    assert len(condition(model, 0, pareto, many).points) <= 102


def test_thresholds_leave_the_wanted_part_of_every_set() -> None:
    model = example_model(2)
    plain = METHODS["pesmo"].build(situation(model, frontiers=FEW))
    for threshold in (0.0, 50.0):  # nothing exceeds 50: then all of it is wanted
        wanted = METHODS["pesmo"].build(situation(model, frontiers=FEW, thresholds=np.array([threshold, -np.inf])))
        for one, other in zip(wanted.sets, plain.sets, strict=True):
            inside = wanted.values(one.points[: one.known.size])[:, :, 0].max(axis=0) > threshold
            assert inside.all() if threshold == 0.0 else len(one.points) == len(other.points)


def test_certainty_and_twins_are_no_trouble() -> None:
    rng = np.random.default_rng(6)
    x = np.repeat(rng.uniform(size=(4, 3)), 2, axis=0)  # each point twice
    for y, noise in ((np.zeros(8), 1e-12), (1e-12 * rng.normal(size=8), 1e-12), (rng.normal(size=8), 0.5)):
        hyper = Hyper("matern52", np.full(3, 0.5), 1.0, noise, 0.0)
        posterior = Posterior.of(Data(x, y, np.ones(8), np.full(8, np.nan)), np.arange(3), hyper)
        model = Model((posterior, posterior))  # ties: both objectives are one
        one = METHODS["pesmo"].build(situation(model, observed=x[::2], held=x[::2], frontiers=FEW))
        for pending in (False, True):
            points = np.vstack([AcquisitionContract.candidates(), x, one.sets[0].points])
            assert np.isfinite(one.scores(points)).all()
            assert np.isfinite(one.slopes(points).d_x).all()
            if not pending:
                one = one.given(x[0], [0, 1], rng)


def test_next_to_nothing_is_enough() -> None:
    x = AcquisitionContract.candidates()
    for count in (0, 1):
        one = METHODS["pesmo"].build(situation(count=count, frontiers=FEW))
        assert np.isfinite(one.scores(x)).all()
    pool = Pool({"a": [0.3, 0.5], "b": [0.3, 0.5], "c": [0.3, 0.5]}, inputs=["a", "b", "c"])
    one = METHODS["pesmo"].build(situation(domain=pool, count=0, frontiers=FEW))
    assert np.isfinite(one.scores(x)).all()


def test_options_are_worth_the_sum_of_their_objectives() -> None:
    one, x = made(example_model(3), range(3), decoupled=True), AcquisitionContract.candidates()
    gains = one.gains(x)
    for option, score in zip(one.options, one.scores(x).T, strict=True):
        total = gains[:, list(option.which)].sum(axis=1)
        np.testing.assert_allclose(np.exp(score[total > 0.0]), total[total > 0.0], rtol=1e-9)


@pytest.mark.parametrize(
    ("objectives", "pool", "more"), [(2, 0, {}), (3, 40, {}), (1, 0, {}), (2, 0, {"model": "coregional"})]
)
def test_a_study_is_led_by_it(objectives: int, pool: int, more: dict) -> None:
    trials = followed(
        study("pesmo", objectives, pool=pool, threshold=-0.5, settings=Settings(frontiers=FEW), **more), 1, objectives
    )
    trials += study("pesmo", objectives, pool=pool, settings=Settings(frontiers=FEW), **more).ask(3)
    assert all("about the Pareto set" in trial.reason for trial in trials)
    assert len({(trial.params["a"], trial.params["b"]) for trial in trials[1:]}) == 3


def test_a_decoupled_study_names_single_objectives() -> None:
    trials = study("pesmo", pool=40, settings=Settings(frontiers=FEW)).ask(3, decoupled=True)
    assert all(len(trial.objectives) in (1, 2) for trial in trials)
    assert any(len(trial.objectives) == 1 for trial in trials)
