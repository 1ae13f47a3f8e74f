import math
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from pfes import compiled
from pfes.compiled import (
    WIDTH,
    bits,
    copied,
    from_bits,
    inline,
    kernel,
    row_add_product,
    row_at,
    row_minus,
    row_of,
    row_plus,
    row_put,
    row_times,
    spread,
    spread_map,
    threads,
)


def ratio(a: float, b: float) -> float:
    return a / b


def lost_in_rounding(big: float, small: float) -> float:
    return (big + small) - big


# Kernels


def test_kernels_release_the_gil_and_are_cached() -> None:
    compiled_ratio: Any = kernel(ratio)
    assert compiled_ratio(1.0, 2.0) == 0.5
    assert compiled_ratio.targetoptions["nogil"]
    assert compiled_ratio.stats.cache_path


@copied
def raised(row: Any, times: int) -> Any:
    result = row_of(1.0)
    for _ in range(times):
        result = row_times(result, row)
    return result


@kernel
def on_rows(a: Any, b: Any) -> None:
    row_put(b, 0, row_plus(row_at(a, 0), row_at(a, 1)))
    row_put(b, 1, row_minus(row_at(a, 0), row_at(a, 1)))
    row_put(b, 2, raised(row_at(a, 1), 3))
    row_add_product(b, 3, row_at(a, 0), row_at(a, 1))
    row_add_product(b, 4, row_at(b, 4), row_of(0.5))


def test_rows_are_treated_number_by_number() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, WIDTH)), np.ones((5, WIDTH))
    on_rows(a, b)
    wanted = [a[0] + a[1], a[0] - a[1], a[1] ** 3, 1.0 + a[0] * a[1], np.full(WIDTH, 1.5)]
    np.testing.assert_allclose(b, wanted, rtol=1e-15)


def test_a_change_in_what_a_kernel_inlines_is_noticed(tmp_path: Path, fresh_python: Callable[..., str]) -> None:
    # numba's own cache would look at the kernel's file alone, and give 14 again
    package = tmp_path / "pfes"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(compiled.__file__, package)
    (package / "whole.py").write_text(
        "from pfes.compiled import kernel\nfrom pfes.part import part\n@kernel\ndef whole(x):\n    return 2 * part(x)\n"
    )
    for inside, result in (("x", "14"), ("x + 1", "16")):
        (package / "part.py").write_text(
            f"from pfes.compiled import inline\n@inline\ndef part(x):\n    return {inside}\n"
        )
        ask = "from pfes.whole import whole; print(whole(7), len(whole.stats.cache_hits))"
        assert fresh_python(ask, PYTHONPATH=str(tmp_path)).split() == [result, "0"]
        assert fresh_python(ask, PYTHONPATH=str(tmp_path)).split() == [result, "1"]


def test_a_change_in_a_constant_a_kernel_reads_is_noticed() -> None:
    def made(constant: float) -> str:
        @kernel
        def scaled(x: float) -> float:
            return constant * x

        return str(scaled.py_func.__qualname__)

    assert made(2.0) == made(2.0) != made(3.0)


@pytest.mark.parametrize("compile_", [kernel, inline])
def test_infinities_and_nan_keep_their_meaning(compile_: Callable[[Any], Any]) -> None:
    divide = compile_(ratio)
    assert divide(1.0, 0.0) == math.inf
    assert divide(-1.0, 0.0) == -math.inf
    assert math.isnan(divide(0.0, 0.0))
    assert math.isnan(divide(math.inf, math.inf))


@pytest.mark.parametrize("compile_", [kernel, inline])
def test_sums_are_not_reassociated(compile_: Callable[[Any], Any]) -> None:
    # algebra would give 1: an optimiser that uses it breaks every compensated sum
    assert compile_(lost_in_rounding)(1e16, 1.0) == 0.0


def test_a_kernel_calls_inline_functions() -> None:
    @inline
    def square(x: float) -> float:
        return x * x

    @kernel
    def sum_of_squares(values: Any) -> float:
        total = 0.0
        for value in values:
            total += square(value)
        return total

    assert sum_of_squares(np.array([1.0, 2.0, 3.0])) == 14.0


def test_bits_are_those_of_the_float_and_lead_back_to_it() -> None:
    @kernel
    def there(x: float) -> int:
        return bits(x)

    @kernel
    def back(x: float) -> float:
        return from_bits(bits(x))

    for x in [0.0, -0.0, 1.0, -math.pi, 5e-324, 1.7976931348623157e308, math.inf, -math.inf]:
        assert there(x) == int(np.float64(x).view(np.int64))
        assert math.copysign(1.0, back(x)) == math.copysign(1.0, x)
        assert back(x) == x
    assert math.isnan(back(math.nan))


def test_a_function_without_a_source_file_still_compiles() -> None:
    # numba finds no place for the cache of such a function and says so with a RuntimeError
    namespace: dict[str, Any] = {}
    exec(compile("def double(x):\n    return 2 * x", "<nowhere>", "exec"), namespace)
    with pytest.raises(RuntimeError, match="cannot cache function"):
        numba.njit(cache=True)(namespace["double"])
    assert kernel(namespace["double"])(21) == 42


def test_kernels_run_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = numba.njit

    def njit(*args: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return genuine(*args, **options)

    monkeypatch.setattr(numba, "njit", njit)
    assert kernel(ratio)(1.0, 4.0) == 0.25


UNCACHED = """
import numba
genuine, refused = numba.njit, []

def njit(*args, cache=False, **options):
    if cache:
        refused.append(1)
        raise RuntimeError("cannot cache function: no locator available")
    return genuine(*args, **options)

numba.njit = njit
import numpy as np
from pfes.pareto import dominated_cells
cells = dominated_cells(np.array([[0.0, 1.0], [1.0, 0.0]]))
print(len(refused) > 0, len(cells.lower))
"""


def test_pfes_works_where_no_cache_can_be_written(fresh_python: Callable[..., str]) -> None:
    assert fresh_python(UNCACHED).split() == ["True", "2"]


# Threads


@pytest.mark.parametrize("asked", ["1", "2", "7"])
def test_the_number_of_threads_can_be_asked_for(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFES_THREADS", asked)
    assert threads() == int(asked)


@pytest.mark.parametrize("asked", ["", "0", "-2", "many", "1.5"])
def test_without_a_usable_wish_every_processor_is_used(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFES_THREADS", asked)
    if hasattr(os, "sched_getaffinity"):
        assert threads() == len(os.sched_getaffinity(0))
    else:
        assert threads() == os.cpu_count()


def test_every_piece_is_worked_on_once_whatever_the_order_and_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = list(range(50))
    results = []
    for asked in ["1", "2", "5"]:
        for order in [pieces, pieces[::-1], list(np.random.default_rng(0).permutation(pieces))]:
            monkeypatch.setenv("PFES_THREADS", asked)
            result = np.zeros(len(pieces))

            def work(piece: int, result: Any = result) -> None:
                result[piece] += math.sin(piece)

            spread(work, iter(order))
            results.append(result)
    assert (np.array(results) == np.sin(pieces)).all()


def test_nothing_to_do_is_no_work() -> None:
    spread(pytest.fail, [])


def test_one_thread_is_the_calling_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFES_THREADS", "1")
    seen = []
    spread(lambda piece: seen.append((piece, threading.current_thread())), [0, 1, 2])
    assert seen == [(piece, threading.current_thread()) for piece in [0, 1, 2]]


def test_two_threads_work_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFES_THREADS", "2")
    meeting = threading.Barrier(2, timeout=30)

    def work(piece: int) -> None:
        meeting.wait()

    spread(work, [0, 1])


@pytest.mark.parametrize("asked", ["1", "2"])
def test_an_error_in_a_piece_is_raised_to_the_caller(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFES_THREADS", asked)

    def work(piece: int) -> None:
        if piece == 3:
            raise ArithmeticError(f"piece {piece} went wrong")

    with pytest.raises(ArithmeticError, match="piece 3 went wrong"):
        spread(work, range(8))
    spread(lambda piece: None, range(8))  # and the pool is none the worse for it


@pytest.mark.parametrize("asked", ["1", "2", "4"])
@pytest.mark.parametrize("wrong", [0, 1, 5])
def test_no_piece_is_still_running_when_an_error_is_raised(
    asked: str, wrong: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # or it would write into arrays that the caller has taken back
    monkeypatch.setenv("PFES_THREADS", asked)
    started, finished = [], []

    def work(piece: int) -> None:
        if piece == wrong:
            raise ArithmeticError("this piece went wrong")
        started.append(piece)
        time.sleep(0.02)
        finished.append(piece)

    with pytest.raises(ArithmeticError, match="this piece went wrong"):
        spread(work, range(6))
    assert sorted(started) == sorted(finished)


FORKED = """
import os, sys
from pfes.compiled import spread
done = []
spread(done.append, range(4))
child = os.fork()
spread(done.append, range(4))
if child:
    assert os.waitpid(child, 0)[1] == 0
    print(len(done))
else:
    os._exit(0 if len(done) == 8 else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_does_not_wait_for_its_parents_threads(fresh_python: Callable[..., str]) -> None:
    assert fresh_python(FORKED, PFES_THREADS="2").strip() == "8"


def test_results_of_pieces_come_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PFES_THREADS", "3")

    def late(piece: int) -> int:
        time.sleep(0.01 * (5 - piece))
        return piece * piece

    assert spread_map(late, range(5)) == [0, 1, 4, 9, 16]
    assert spread_map(late, []) == []
