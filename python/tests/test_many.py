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
    for wrong in ({"errors": "ignore"}, {"workers": 0}, {"rounds": 0}, {"iterations": -1}, {"device": "abacus"}):
        with pytest.raises(myrmex.InvalidInputError):
            myrmex.solve_many([cities(1)], **wrong)


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
