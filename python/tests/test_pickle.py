"""Problems and results that go to other processes and files."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import myrmex
from common import ROOT, is_permutation

QUICK = {"iterations": 5, "device": "cpu"}


def square(points):
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


PROBLEMS = {
    "plane": lambda points: myrmex.tsp(points),
    "space": lambda points: myrmex.tsp(np.column_stack([points, points[:, 0]])),
    "globe": lambda points: myrmex.tsp(points * 80, metric="globe"),
    "TSPLIB's rounding": lambda points: myrmex.tsp(points * 1000, metric="CEIL_2D"),
    "decimals": lambda points: myrmex.tsp(square(points)),
    "signs": lambda points: myrmex.tsp((square(points) * 1000).astype(int) - 300),
    "whole": lambda points: myrmex.tsp((square(points) * 1000).astype(int)),
    "path": lambda points: myrmex.tsp(points, start=3, fixed_edges=[[1, 2], [2, 7]], names=[f"city {n}" for n in range(60)]),
    "file": lambda _: myrmex.read(ROOT / "instances" / "uniform200.tsp"),
    "assignment": lambda points: myrmex.qap(square(points[:20]), square(points[20:45]) - 0.5, fixed=[[3, 7], [0, 1]]),
    "layout": lambda _: myrmex.read(ROOT / "instances" / "layout40.dat"),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_a_problem_comes_back_as_it_was(points, kind):
    problem = PROBLEMS[kind](points)
    again = pickle.loads(pickle.dumps(problem))
    for one in (again, copy.deepcopy(problem)):
        assert repr(one) == repr(problem) and one.kind == problem.kind
        assert (one.is_open, one.is_symmetric, one.edge_error) == (problem.is_open, problem.is_symmetric, problem.edge_error)
        assert one.city_names == problem.city_names
        assert np.array_equal(one.points, problem.points) if problem.points is not None else one.points is None
    found, other = myrmex.solve(problem, **QUICK), myrmex.solve(again, **QUICK)
    assert np.array_equal(found.permutation, other.permutation)
    assert (found.cost, found.length) == (other.cost, other.length)
    assert found.svg() == other.svg()


def test_ids_of_a_table_come_back(tmp_path):
    file, tour = tmp_path / "stops.csv", tmp_path / "tour.csv"
    file.write_text("no,name,x,y\n2,A,0,0\n3,B,0,1\n4,C,1,1\n1,D,1,0\n")
    tour.write_text("id\n2\n3\n4\n1\n")
    problem = myrmex.read(file)
    again = pickle.loads(pickle.dumps(problem))
    assert again.read_solution(tour).tolist() == problem.read_solution(tour).tolist() == [0, 1, 2, 3]


def test_a_result_comes_back_as_it_was(points):
    result = myrmex.solve_tsp(points, **QUICK)
    again = pickle.loads(pickle.dumps(result))
    assert again.report() == result.report() and repr(again) == repr(result)
    assert np.array_equal(again.tour, result.tour) and again.svg() == result.svg()


def solve(problem):
    return myrmex.solve(problem, **QUICK)


def test_processes_share_problems(points):
    problems = [myrmex.tsp(points), myrmex.tsp(points[:30], open=True)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        results = pool.map(solve, problems)
    for problem, result in zip(problems, results):
        assert is_permutation(result.tour, len(problem)) and result.cost == solve(problem).cost
