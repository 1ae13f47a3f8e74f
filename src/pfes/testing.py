"""Contracts as test classes: what every plug-in must keep, for pytest to collect from a subclass.

    class TestMine(AcquisitionContract):
        def make(self, model, order):
            return Mine(model, ...)

    class TestMyStorage(StorageContract):
        @pytest.fixture
        def storage(self):
            return MyStorage(...)  # with no study in it

pfes runs the same classes on its own methods.
"""

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfes.acquisition import Acquisition
from pfes.errors import InvalidInput, StudyExists, UnknownStudy
from pfes.gp import Hyper, Model, Posterior
from pfes.ledger import Event
from pfes.observations import Data
from pfes.storage import Desk, Storage

__all__ = ["AcquisitionContract", "StorageContract", "example_model"]

Array = NDArray[np.float64]

WIDTH = 3
STEP = 1e-5


def example_model(objectives: int, seed: int = 0, order: Sequence[int] | None = None) -> Model:
    """A model of L smooth random objectives on the cube of 3 inputs, 12 points each; order: permutes the objectives."""
    rng = np.random.default_rng(seed)
    posteriors = []
    for l in range(objectives):
        x = rng.uniform(size=(12, WIDTH))
        y = np.sin(3.0 * x @ rng.standard_normal(WIDTH) + l) + 0.1 * rng.standard_normal(12)
        hyper = Hyper("matern52", rng.uniform(0.4, 1.2, WIDTH), 1.0, 1e-3, 0.0)
        data = Data(x, y, np.ones(12), np.full(12, np.nan))
        posteriors.append(Posterior.of(data, np.arange(WIDTH), hyper))
    return Model(tuple(posteriors[l] for l in order or range(objectives)))


class AcquisitionContract(ABC):
    """What the maximiser relies on. Subclasses say how to make the acquisition, and for how many objectives."""

    rounding: float = 1e-9  # of scores, alone and in company; processors round differently

    objectives: int = 2
    tolerance: float = 1e-4  # of gradients against differences, relative to the largest

    @abstractmethod
    def make(self, model: Model, order: Sequence[int]) -> Acquisition:
        """The acquisition for a model whose objectives stand in `order`, with all that belongs to them so permuted."""

    def acquisition(self) -> Acquisition:
        """The acquisition for the example model."""
        order = list(range(self.objectives))
        return self.make(example_model(self.objectives, order=order), order)

    @staticmethod
    def candidates(count: int = 40) -> Array:
        """Points of the cube, read-only, as the caller's arrays are to be taken."""
        x = np.random.default_rng(1).uniform(size=(count, WIDTH))
        x.setflags(write=False)
        return x

    def test_scores_are_finite_and_one_per_option(self) -> None:
        """Everywhere, corners included."""
        acquisition = self.acquisition()
        corners = np.array(np.meshgrid(*[[0.0, 1.0]] * WIDTH)).reshape(WIDTH, -1).T
        scores = acquisition.scores(np.vstack([self.candidates(), corners]))
        assert scores.shape == (48, len(acquisition.options))
        assert np.isfinite(scores).all()

    def test_a_batch_is_a_loop(self) -> None:
        """A candidate's score does not depend on its company."""
        acquisition, x = self.acquisition(), self.candidates()
        alone = np.vstack([acquisition.scores(point[None]) for point in x])
        np.testing.assert_allclose(acquisition.scores(x), alone, rtol=self.rounding, atol=1e-12)

    def test_slopes_come_with_the_same_scores(self) -> None:
        """`slopes` is `scores` and more."""
        acquisition, x = self.acquisition(), self.candidates()
        score, d_x = acquisition.slopes(x)
        np.testing.assert_allclose(score, acquisition.scores(x), rtol=1e-8, atol=1e-10)
        assert d_x.shape == (*score.shape, WIDTH)

    def test_gradients_are_finite_differences(self) -> None:
        """Central differences, at points where the score is smooth at that scale."""
        acquisition, x = self.acquisition(), self.candidates()
        _, d_x = acquisition.slopes(x)
        for column in range(WIDTH):
            step = STEP * np.eye(WIDTH)[column]
            difference = (acquisition.scores(x + step) - acquisition.scores(x - step)) / (2.0 * STEP)
            np.testing.assert_allclose(
                d_x[:, :, column], difference, rtol=self.tolerance, atol=self.tolerance * np.abs(difference).max()
            )

    def test_the_order_of_objectives_does_not_matter(self) -> None:
        """Options are named by their objectives, and are worth the same under any order."""
        order = list(reversed(range(self.objectives)))
        plain, x = self.acquisition(), self.candidates()
        turned = self.make(example_model(self.objectives, order=order), order)
        named = {tuple(sorted(order[l] for l in option.which)): k for k, option in enumerate(turned.options)}
        columns = [named[option.which] for option in plain.options]
        np.testing.assert_allclose(turned.scores(x)[:, columns], plain.scores(x), rtol=1e-8, atol=1e-10)

    def test_asking_for_a_point_leaves_less_to_gain_there(self) -> None:
        """`given` knows that an answer is on its way, and leaves the original as it was."""
        acquisition, x = self.acquisition(), self.candidates()
        before = acquisition.scores(x)
        best = int(np.argmax(before[:, -1]))
        after = acquisition.given(x[best], acquisition.options[-1].which, np.random.default_rng(2))
        assert after.scores(x)[best, -1] < before[best, -1] - 0.1  # logarithms: a clear drop
        np.testing.assert_array_equal(acquisition.scores(x), before)


def _refused(kind: type[Exception], call: Callable[[], object]) -> str:
    """What an exception of this kind says; a failure if there is none."""
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"{kind.__name__} was not raised")


def _noted(number: int, text: object = "") -> Event:
    return Event("noted", number, {"text": text}, float(number))


class StorageContract:
    """What a study relies on. Subclasses have a fixture `storage`: a place with no study in it."""

    def test_studies_are_found_by_name_and_the_only_one_without(self, storage: Storage) -> None:
        """A place of many studies."""
        assert "holds no study" in _refused(UnknownStudy, storage.find)
        first = storage.create("first", "{}")
        assert storage.find() == storage.find("first") == first
        second = storage.create("second, with ümlauts and 'quotes'", '{"a": 1}')
        assert storage.find(second.name) == second
        assert "2 studies, wanted one of them by name=: 'first'" in _refused(UnknownStudy, storage.find)
        assert "got 'third'" in _refused(UnknownStudy, lambda: storage.find("third"))
        assert [listed.name for listed in storage.studies()] == [first.name, second.name]

    def test_a_name_is_given_once(self, storage: Storage) -> None:
        """What is there is not written over."""
        entry = storage.create("study", "{}")
        assert "try open_study" in _refused(StudyExists, lambda: storage.create("study", "other"))
        assert storage.find("study") == entry

    def test_a_name_can_be_read(self, storage: Storage) -> None:
        """Neither empty nor unprintable nor endless."""
        for name in ("", " ", "a\n", "a\0", "\ud800", "x" * 201):
            assert "printable text" in _refused(InvalidInput, partial(storage.create, name, "{}"))

    def test_a_deleted_study_is_gone_and_its_number_not_used_again(self, storage: Storage) -> None:
        """Whoever has it open is told so, and writes into no other study."""
        old, other = storage.create("a", "{}"), storage.create("b", "{}")
        for entry in (old, other):
            storage.write(entry.number, lambda desk: desk.hold(0, 60.0) or [_noted(0)])  # type: ignore[func-returns-value]
        storage.delete("a")
        assert storage.create("a", "{}").number != old.number
        for call in (lambda: storage.read(old.number), lambda: storage.write(old.number, lambda _: [_noted(1)])):
            assert "deleted" in _refused(UnknownStudy, call)
        assert (len(storage.read(other.number)), len(storage.leases(other.number))) == (1, 1)
        _refused(UnknownStudy, lambda: storage.delete("c"))

    def test_events_come_back_as_they_were_written(self, storage: Storage) -> None:
        """In order, from any number on, with every value as it was."""
        number = storage.create("study", "{}").number
        odd = ["ü€😀\0\ud800", 0.1, -0.0, 1e-320, 2**70, None, True, {"$x": 1, "": []}, (1, (2.5, "a")), math.inf]
        events = [_noted(i, value) for i, value in enumerate(odd)]
        assert storage.write(number, lambda _: events[:1]).first == 0
        written = storage.write(number, lambda _: events[1:])
        assert (written.first, written.events) == (1, tuple(events[1:]))
        assert storage.read(number) == events
        assert [repr(event) for event in storage.read(number)] == [repr(event) for event in events]
        assert storage.read(number, 4) == events[4:]
        assert storage.read(number, len(events)) == []
        listed = storage.studies()[0]
        assert (listed.events, listed.changed) == (len(events), events[-1].time)

    def test_all_or_nothing_is_written(self, storage: Storage) -> None:
        """What goes wrong while deciding leaves no trace."""
        number = storage.create("study", "{}").number

        def stumble(desk: Desk) -> list[Event]:
            desk.hold(0, 60.0)
            raise ZeroDivisionError

        _refused(ZeroDivisionError, lambda: storage.write(number, stumble))
        assert (storage.read(number), storage.leases(number)) == ([], {})
        assert storage.write(number, lambda _: []) == (0, ())

    def test_whoever_writes_has_read_everything_before(self, storage: Storage) -> None:
        """Many threads, each writing how many events it sees: no number twice, none left out."""
        number = storage.create("study", "{}").number

        def count() -> None:
            for _ in range(10):
                storage.write(number, lambda desk: [_noted(len(desk.read(0)))])

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [event.trial for event in storage.read(number)] == list(range(40))

    def test_leases_run_out_unless_they_are_extended(self, storage: Storage) -> None:
        """Each for itself, and each study for itself."""
        number, other = (storage.create(name, "{}").number for name in "ab")

        def hold(desk: Desk) -> list[Event]:
            for trial, seconds in enumerate((0.05, 60.0, 0.05)):
                desk.hold(trial, seconds)
            assert desk.leases().keys() == {0, 1, 2}
            return []

        storage.write(number, hold)
        time.sleep(0.1)
        assert [lease.left < 0 for _, lease in sorted(storage.leases(number).items())] == [True, False, True]
        assert storage.overdue(number) == [0, 2]
        assert storage.extend(number, 0, 30.0)
        assert 20 < storage.leases(number)[0].left < 31
        assert storage.extend(number, 1)
        assert 50 < storage.leases(number)[1].left < 61
        assert not storage.extend(number, 7)
        assert not storage.extend(other, 0)
        storage.write(number, lambda desk: desk.drop(1) or [])  # type: ignore[func-returns-value]
        assert storage.leases(number).keys() == {0, 2}
        assert storage.leases(other) == {}

    def test_nothing_is_wrong_with_it(self, storage: Storage) -> None:
        """As far as it can tell itself."""
        storage.write(storage.create("study", "{}").number, lambda _: [_noted(0), _noted(1)])
        assert storage.check() == []
