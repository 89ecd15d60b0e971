"""Assignments."""

import itertools
import pickle

import numpy as np
import pytest

import myrmex
from common import ROOT, is_permutation


def cost(flows, distances, at):
    return int((np.asarray(flows, dtype=int) * np.asarray(distances, dtype=int)[np.ix_(at, at)]).sum())


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.uint8, list])
def test_small_ones_are_solved(kind):
    rng = np.random.default_rng(4)
    flows, distances = rng.integers(0, 20, (6, 6)), rng.integers(0, 20, (6, 6))
    best = min(cost(flows, distances, list(at)) for at in itertools.permutations(range(6)))
    given = [m.tolist() if kind is list else m.astype(kind) for m in (flows, distances)]
    result = myrmex.solve_qap(*given, iterations=50, device="cpu")
    assert is_permutation(result.permutation, 6)
    assert result.cost == result.length == best == cost(flows, distances, result.permutation)
    with pytest.raises(AttributeError, match="permutation"):
        result.tour


def test_placing_costs_are_counted():
    rng = np.random.default_rng(5)
    flows, distances, placing = (rng.integers(0, most, (6, 6)) for most in (9, 9, 300))
    whole = lambda at: cost(flows, distances, at) + int(placing[range(6), at].sum())
    best = min(whole(list(at)) for at in itertools.permutations(range(6)))
    result = myrmex.solve_qap(flows, distances, placing, iterations=50, device="cpu")
    assert result.cost == best == whole(result.permutation)
    again = pickle.loads(pickle.dumps(myrmex.qap(flows, distances, placing)))
    assert again.cost(result.permutation) == best
    with pytest.raises(myrmex.InvalidInputError, match="C \\(5, 5\\)"):
        myrmex.qap(flows, distances, placing[:5, :5])


def test_files_are_told_by_their_content():
    problem = myrmex.read(ROOT / "instances/layout40.dat")
    assert (problem.kind, len(problem), problem.name) == ("qap", 40, "layout40")
    result = myrmex.solve(problem, iterations=1, device="cpu", initial=np.arange(40))
    assert result.cost <= problem.cost(range(40)) and result.cost == problem.cost(result.permutation)
    for wrong in (lambda: myrmex.solve_tsp(problem), lambda: problem.lower_bound(), lambda: myrmex.read(problem.name)):
        with pytest.raises(myrmex.Error):
            wrong()


def test_what_cannot_be_counted_is_refused():
    good = np.ones((4, 4), dtype=int)
    for bad, words in [
        (good * 0.5, "whole numbers"),
        (-good, "between -1"),
        (good[:3], "square"),
        (np.ones((3, 3)), "n x n"),
        (good * 2**31, "2\\^31"),
        (good.astype(complex), "complex128"),
        (good * np.nan, "whole numbers"),
        (good[0], "two dimensions"),
    ]:
        with pytest.raises(myrmex.InvalidInputError, match=words):
            myrmex.solve_qap(good, bad, iterations=1)
