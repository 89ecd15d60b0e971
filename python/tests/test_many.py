"""Many problems at a time."""

import threading
import time

import numpy as np
import pytest

import myrmex
from common import FAR_LESS, interrupt, is_permutation


def cities(seed, n=30):
    return np.random.default_rng(seed).random((n, 2))


def test_each_result_is_that_of_the_problem_alone():
    matrix = [[0, 3, 9, 2], [3, 0, 4, 8], [9, 4, 0, 5], [2, 8, 5, 0]]
    flows = np.random.default_rng(3).integers(0, 9, (8, 8))
    # An iterator will do.
    mixed = iter([cities(1), myrmex.tsp(cities(2), open=True), matrix, (flows, flows.T), cities(4)])
    alone = [
        myrmex.solve_tsp(cities(1), iterations=5, seed=7, device="cpu"),
        myrmex.solve_tsp(cities(2), open=True, iterations=5, seed=7, device="cpu"),
        myrmex.solve_tsp(matrix, iterations=5, seed=7, device="cpu"),
        myrmex.solve_qap(flows, flows.T, iterations=5, seed=7, device="cpu"),
        myrmex.solve_tsp(cities(4), iterations=5, seed=7, device="cpu"),
    ]
    results = myrmex.solve_many(mixed, iterations=5, seed=7, device="cpu", workers=2)
    assert len(results) == len(alone)
    for result, other in zip(results, alone):
        assert result.permutation.tolist() == other.permutation.tolist() and result.length == other.length
        assert (result.ended, result.iterations, result.problem.kind) == (other.ended, other.iterations, other.problem.kind)
    assert myrmex.solve_many([], device="cpu") == []


def test_problems_end_when_they_have_converged():
    results = myrmex.solve_many([cities(seed, 40) for seed in range(3)], device="cpu", settings={"population": 8}, algorithm="eax")
    assert {result.ended for result in results} <= {"converged", "stagnation"}
    assert max(phase["round"] for result in results for phase in result.phases) == 0


def test_an_error_is_raised_or_takes_the_place_of_its_result():
    problems = [cities(1), [[0, 0], [1]], cities(2), (np.eye(3), np.eye(3)), cities(3)]
    with pytest.raises(myrmex.InvalidInputError, match=r"problems\[1\]"):
        myrmex.solve_many(problems, iterations=2, device="cpu")
    # The settings are wrong for assignments alone.
    words = {"iterations": 2, "device": "cpu", "algorithm": "eax", "settings": {"population": 4}}
    found = myrmex.solve_many(problems, errors="return", **words)
    assert [isinstance(one, myrmex.InvalidInputError) for one in found] == [False, True, False, True, False]
    assert all(is_permutation(one.tour, 30) for one in (found[0], found[2], found[4]))
    with pytest.raises(myrmex.InvalidInputError, match="eax"):
        myrmex.solve_many([cities(1), (np.eye(3), np.eye(3))], **words)
    for wrong in (
        {"errors": "ignore"},
        {"workers": 0},
        {"threads": 0},
        {"rounds": 0},
        {"iterations": -1},
        {"target": float("nan")},
        {"callback": 3},
        {"device": "abacus"},
    ):
        with pytest.raises(myrmex.InvalidInputError):
            myrmex.solve_many([cities(1)], **wrong)


def test_callbacks_are_told_of_each_problem_when_it_is_over():
    problems = [cities(1), [[0, 0], [1]], cities(2), (np.eye(3), np.eye(3)), cities(3)]
    words = {"iterations": 2, "device": "cpu", "algorithm": "eax", "settings": {"population": 4}, "workers": 2, "errors": "return"}
    told = []
    found = myrmex.solve_many(problems, callback=told.append, **words)
    assert sorted(solved.place for solved in told) == list(range(5))
    assert all(solved.result is found[solved.place] for solved in told)
    assert [result.permutation.tolist() for result in found[::2]] == [
        result.permutation.tolist() for result in myrmex.solve_many(problems[::2], **words)
    ]
    # Each is warned of once.
    odd = (np.eye(3), np.eye(3), np.where(np.eye(3), np.inf, np.inf))
    with pytest.warns(UserWarning) as warned:
        myrmex.solve_many([odd], iterations=2, device="cpu", callback=told.append)
    assert len({str(one.message) for one in warned}) == len(warned) and {one.filename for one in warned} == {__file__}


def test_callbacks_may_end_the_others():
    def one_is_enough(solved):
        raise StopIteration

    few = [cities(1)[:5], *(cities(seed, 200) for seed in range(2, 5))]
    began = time.monotonic()
    found = myrmex.solve_many(few, time=60, device="cpu", workers=2, errors="return", callback=one_is_enough)
    assert found[0].ended == "optimal"
    # The other worker may have begun with the next ones meanwhile.
    for one in found[1:]:
        if isinstance(one, myrmex.Result):
            assert one.ended == "cancelled" and is_permutation(one.tour, 200)
        else:
            assert str(one) == "cancelled before it began"
    with pytest.raises(myrmex.Error, match="cancelled before all problems had begun") as error:
        myrmex.solve_many(few, time=60, device="cpu", workers=1, callback=one_is_enough)
    # Another one may have begun meanwhile.
    assert error.value.results[0].ended == "optimal" and error.value.results[2:] == [None] * 2
    assert time.monotonic() - began < FAR_LESS

    def fails(solved):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        myrmex.solve_many(few, time=60, device="cpu", callback=fails)
    assert time.monotonic() - began < 2 * FAR_LESS


def test_an_interrupt_in_a_callback_is_one():
    def callback(solved):
        # A second one would end the call at once.
        if solved.place == 0:
            interrupt()
            time.sleep(5)

    few = [cities(1)[:5], cities(2, 200)]
    found = myrmex.solve_many(few, time=60, device="cpu", workers=2, callback=callback, errors="return")
    # The other worker may not have begun.
    assert found[0].ended == "optimal" and (str(found[1]) == "interrupted before it began" or found[1].ended == "interrupted")


def test_what_a_callback_raises_has_what_was_solved():
    def fails(solved):
        if solved.place == 1:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as error:
        myrmex.solve_many([cities(1)[:5], cities(2)[:5], cities(3, 200)], time=60, device="cpu", workers=1, callback=fails)
    assert [result and result.ended for result in error.value.results[:2]] == ["optimal", "optimal"]


def test_a_target_ends_each_problem():
    alone = myrmex.solve_many([cities(seed) for seed in range(3)], iterations=4, seed=7, device="cpu")
    target = max(result.length for result in alone) + 1e-6
    found = myrmex.solve_many([cities(seed) for seed in range(3)], target=target, seed=7, device="cpu")
    assert {result.ended for result in found} == {"target"} and all(result.length <= target for result in found)
    assert found[0].report()["stop"]["target"] == target


def test_workers_share_threads():
    def devices(**words):
        return [result.device for result in myrmex.solve_many([cities(1), cities(2)], iterations=2, device="cpu", **words)]

    assert devices(threads=2) == devices(threads=3, workers=2) == ["CPU, 1 thread"] * 2
    assert devices(threads=3, workers=1) == ["CPU, 3 threads"] * 2


def test_what_numpy_cannot_read_takes_no_other_result_along():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("it lies on another device")

    points = np.random.default_rng(5).random((9, 2))
    solved, wrong = myrmex.solve_many([points, Tensor()], iterations=2, errors="return")
    assert solved.cost == solved.problem.cost(solved.tour)
    assert isinstance(wrong, myrmex.InvalidInputError) and "it lies on another device" in str(wrong)
    with pytest.raises(myrmex.InvalidInputError, match=r"problems\[1\]: .* it lies on another device"):
        myrmex.solve_many([points, (Tensor(), Tensor())], iterations=2)


def test_an_interrupt_ends_those_under_way():
    def interrupted(count, **words):
        timer = threading.Timer(0.5, interrupt)
        timer.start()
        began = time.monotonic()
        try:
            return myrmex.solve_many([cities(seed) for seed in range(count)], time=60, device="cpu", workers=2, **words)
        finally:
            timer.cancel()
            assert time.monotonic() - began < FAR_LESS

    assert [one.ended for one in interrupted(2)] == ["interrupted"] * 2
    # One that has ended by itself before was not interrupted.
    timer = threading.Timer(0.5, interrupt)
    timer.start()
    few, many = myrmex.solve_many([cities(1)[:5], cities(2)], time=60, device="cpu", workers=2)
    assert (few.ended, many.ended) == ("optimal", "interrupted")
    found = interrupted(4, errors="return")
    assert [getattr(one, "ended", None) for one in found] == ["interrupted"] * 2 + [None] * 2
    assert all(isinstance(one, myrmex.Error) for one in found[2:])
    with pytest.raises(KeyboardInterrupt):
        interrupted(4)
