"""What goes wrong is raised, by kind."""

import copy
import errno
import itertools
import multiprocessing
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import myrmex

POINTS = np.random.default_rng(5).random((20, 2))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"time": -1}, "time: expected seconds"),
        ({"time": float("nan")}, "time: expected a finite number"),
        ({"time": "soon"}, "time: expected a number"),
        ({"time": float("inf")}, "time: expected seconds from 0 to 1e\\+09, not inf"),
        ({"iterations": 1.5}, "iterations: expected a whole number"),
        ({"iterations": True}, "iterations: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"seed": 2**64}, "seed: expected a whole number"),
        ({"target": float("inf")}, "leave it out"),
        ({"algorithm": "magic"}, "no algorithm 'magic'"),
        ({"settings": {"preset": "magic"}}, "no preset 'magic'"),
        ({"settings": {"ants": 10}}, "'ants' means nothing"),
        ({"algorithm": "mmas", "settings": {"ants": True}}, "ants: expected a number or a word"),
        ({"algorithm": "mmas", "settings": {"ants": -3}}, "ants: expected a whole number"),
        ({"algorithm": "mmas", "settings": {"beta": float("inf")}}, "beta: expected a number"),
        ({"algorithm": "mmas", "settings": {"ants": 0}}, "ants"),
        ({"algorithm": "cas"}, "assignments"),
        ({"seed": 1, "settings": {"seed": 2}}, "seed is given twice"),
        ({"algorithm": "mmas", "settings": {"preset": "x"}}, "leave 'algorithm' or 'preset' out"),
        ({"effort": "huge"}, "effort: expected one of"),
        ({"device": "gpu"}, "device: expected 'auto'"),
        ({"device": "cpu:1"}, "device: expected 'auto'"),
        ({"metric": "straight"}, "metric: expected 'plane'"),
        ({"metric": "EUC_3D"}, "does not go with 2 coordinates"),
        ({"metric": "matrix"}, "neither points"),
        ({"start": 20}, "the start 20 does not exist"),
        ({"start": -1}, "start: expected a whole number"),
        ({"open": False, "end": 1}, "a closed tour ends where it begins"),
        ({"open": True, "start": 1, "end": 1}, "cannot begin and end at the same city"),
        ({"fixed_edges": [[1, 1]]}, "itself"),
        ({"fixed_edges": [1, 2]}, "pairs of cities"),
        ({"names": ["a"]}, "1 names for 20 cities"),
        ({"initial": [0, 1]}, "it has 2 cities, the instance 20"),
        ({"initial": [0.0] * 20}, "initial: expected whole numbers from 0 up, not float64"),
        ({"initial": [3, -7]}, "initial: expected whole numbers from 0 up, not -7"),
        ({"open": "no"}, "open: expected True or False, not 'no'"),
        ({"metric": 3}, "metric: expected a word such as 'plane', not 3"),
        ({"settings": "preset=mmas"}, "settings: expected parameters by name"),
        ({"callback": 3}, "callback: expected a function"),
    ],
)
def test_words_that_make_no_sense(words, message):
    with pytest.raises(myrmex.InvalidInputError, match=message) as error:
        myrmex.solve_tsp(POINTS, **{"iterations": 2, **words})
    assert isinstance(error.value, ValueError) and isinstance(error.value, myrmex.Error)


@pytest.mark.parametrize(
    ("name", "text", "words", "message"),
    [
        ("ways.csv", "from,to,km,minutes\na,b,1,4\na,c,2,5\nb,c,3,6\n", {}, "or choose it (weight=NAME)"),
        ("ways.json", '{"km": [[0, 1, 2], [1, 0, 3], [2, 3, 0]], "minutes": [[0, 1, 2], [1, 0, 3], [2, 3, 0]]}', {}, "choose it (weight=NAME)"),
        ("points.csv", "x,y\n0,0\n1,1\n2,0\n", {"weight": "km"}, "there are no such here: leave 'weight' out"),
        ("rooms.dat", "1.5\n0 1 1 0\n0 1 1 0 2\n", {}, "without names (myrmex.qap() takes two tables with names), not '1.5'"),
        ("rooms.dat", "2 0 1\n1 0 3 4\n5 0\n", {"weight": "km"}, "choose from: leave 'weight' out"),
        ("empty.csv", ",a,b,c\na,0,1,\nb,1,0,2\nc,,2,0\n", {}, "not there (myrmex.qap() takes flows and distances)"),
        ("solve.par", "PROBLEM_FILE = a.tsp\nRUNS = 10\n", {}, "options here (help(myrmex.solve))"),
    ],
)
def test_messages_call_arguments_as_python_does(tmp_path, name, text, words, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(myrmex.ParseError) as error:
        myrmex.read(path, **words)
    assert message in str(error.value) and "--" not in str(error.value).replace(str(path), "")


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "two dimensions"),
        (np.zeros((0, 2)), "no city"),
        ([[0, 1], [2]], "different lengths"),
        ([["a", "b"]], "expected whole or real numbers"),
        (np.zeros((4, 5)), "neither points"),
        ([[0, 1], [2, np.nan], [1, 1]], "not finite"),
        ([[0, 1e300], [1, -1e300], [1, 1]], "span 2e300.*another unit"),
        (np.full((4, 4), np.inf), "there is no way at all"),
        (np.array([[0, 1], [2, None], [3, 4]], dtype=object), r"points_or_matrix\[1, 1\] is None"),
        ([[0, "1"], [2, None]], r"\[0, 1\] is '1'"),
        ((point for point in [(0, 1), (2, 3)]), "of the type generator"),
        ("cities.tsp", r"myrmex.read\(\) takes the path"),
        (np.ma.masked_equal([[0, 1], [5, 9], [2, 3]], 9), "some entries are masked"),
        ([np.ma.masked_equal([0, 1], 9), np.ma.masked_equal([5, 9], 9)], "some entries are masked"),
        (np.zeros(4), "two dimensions"),
        (np.ones(6), r"of 6 numbers; where these are the distances of 4 cities, scipy.spatial.distance.squareform\(\)"),
    ],
)
def test_arrays_that_make_no_sense(points, message):
    with pytest.raises(myrmex.InvalidInputError, match=message):
        myrmex.solve_tsp(points, iterations=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: myrmex.solve(POINTS), r"problem: expected a Problem, not an object of the type ndarray; myrmex.tsp\(points\)"),
        (lambda: myrmex.Solver("x.tsp"), r"of the type str.*myrmex.read\(path\) make one"),
        (lambda: myrmex.Solver.resume(myrmex.tsp(POINTS), 5), "checkpoint: expected the bytes"),
        (lambda: myrmex.solve_many(None), "problems: expected a list of problems"),
        (lambda: myrmex.solve_many("a.tsp"), "problems: expected a list of problems"),
        (lambda: myrmex.read(None), "path: expected the path of a file, not an object of the type NoneType"),
        (lambda: myrmex.tsp(POINTS).read_solution(3), "path: expected the path of a file"),
        (lambda: myrmex.tsp(POINTS).write_solution(None, range(20)), "path: expected the path of a file"),
        (lambda: myrmex.qap(np.eye(3), np.eye(3), fixed="x"), "fixed: expected whole or real numbers, not words$"),
        (lambda: myrmex.qap("a.dat", np.eye(3)), r"A: .*; myrmex.read\(\) takes the path"),
        (lambda: myrmex.solve_tsp(POINTS, initial="a.tour"), r"initial: .*; read_solution\(\) of the problem takes the path"),
        (lambda: myrmex.tsp(POINTS).svg("a.tour"), r"tour: .*; read_solution\(\) of the problem takes the path"),
        (lambda: myrmex.qap(np.eye(3), np.eye(3), "c.csv"), r"C: .*; myrmex.read\(\) takes the path"),
        (lambda: myrmex.tsp(POINTS).svg([0, 1]), "2 cities, the instance 20"),
        (lambda: myrmex.tsp(POINTS).svg([0, 99] + [1] * 18), "does not exist"),
    ],
)
def test_what_stands_in_the_wrong_place(call, message):
    with pytest.raises(myrmex.InvalidInputError, match=message):
        call()


def test_rounding_that_may_decide_is_told():
    square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    far = [*square, [1e8, 1e8]]
    flows, distances = [[1, 7, 4], [7, 3, 0], [7, 1, 4]], [[6, 6, 0], [5, 0, 8], [4, 3, 3]]
    placing = [[5e9, 6, 3], [6, 1, 3], [7, 7, 2]]
    great = [[1, 7, 4], [7, 3, 1e9], [7, 1, 4]]
    with pytest.warns(UserWarning, match="is there a city very far from the others"):
        myrmex.solve_tsp(far, iterations=5)
    with pytest.raises(myrmex.InvalidInputError, match="city 4 .* away from most others"):
        myrmex.solve_tsp([*square, [1e9, 1e9]])
    rng = np.random.default_rng(1)
    many, apart = rng.random((12, 12)), rng.random((12, 12))
    apart[0, 1] = 7e4
    with pytest.warns(UserWarning, match="costs to within .* an entry much greater than the others"):
        assert myrmex.solve_qap(many, apart, iterations=5).ended == "iterations"
    with pytest.warns(UserWarning, match="very far"):
        myrmex.solve_many([far], iterations=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert myrmex.solve_tsp([*square, [3.3, 1.7]], iterations=50).ended == "optimal"
        # Few assignments are compared by what was given.
        everywhere = itertools.permutations(range(3))
        least = min(sum(great[i][j] * distances[p[i]][p[j]] for i in range(3) for j in range(3)) for p in everywhere)
        found = myrmex.solve_qap(great, distances, iterations=5)
        assert (found.ended, found.length) == ("trivial", least)
        # What must not be takes no digits from the others, however much it costs.
        for never in (5e9, 500):
            placing[0][0] = never
            found = myrmex.solve_qap(flows, distances, placing, iterations=50)
            assert (found.ended, found.length) == ("optimal", 137)
        [same] = myrmex.solve_many([(flows, distances, placing)])
        assert same.length == 137 and "cost 137 after" in repr(same)


def test_solutions_that_are_none():
    problem = myrmex.tsp(POINTS)
    for solution, message in [([0] * 20, "twice"), (range(19), "19 cities"), (range(1, 21), "does not exist")]:
        with pytest.raises(myrmex.InvalidInputError, match=message):
            problem.length(solution)
        with pytest.raises(myrmex.InvalidInputError, match=message):
            myrmex.solve(problem, initial=solution, iterations=1)


def test_a_tour_that_comes_back_to_its_first_city_is_told_to_leave_it_out():
    problem, closed = myrmex.tsp(POINTS), [*range(20), 0]
    for use in (problem.length, lambda tour: myrmex.solve(problem, initial=tour), lambda tour: myrmex.Solver(problem, initial=tour)):
        with pytest.raises(myrmex.InvalidInputError, match=r"the first city stands at the end once more; leave it out there \(\w+\[:-1\]\)"):
            use(closed)
        with pytest.raises(myrmex.InvalidInputError, match="it has 21 cities, the instance 20"):
            use([*range(20), 5])


def test_files(tmp_path):
    with pytest.raises(myrmex.FileError) as error:
        myrmex.read(tmp_path / "none.tsp")
    assert isinstance(error.value, OSError) and error.value.errno == errno.ENOENT
    assert error.value.filename == str(tmp_path / "none.tsp")
    with pytest.raises(myrmex.FileError, match="there is no folder") as error:
        myrmex.tsp(POINTS).write_solution(tmp_path / "none" / "x.tour", range(20))
    assert (error.value.errno, error.value.filename) == (errno.ENOENT, str(tmp_path / "none" / "x.tour"))
    broken = tmp_path / "broken.tsp"
    broken.write_text("NAME: x\nTYPE: TSP\nDIMENSION: three\n")
    with pytest.raises(myrmex.ParseError, match="three") as error:
        myrmex.read(broken)
    assert (error.value.file, error.value.line) == (str(broken), 3)
    with pytest.raises(myrmex.InvalidInputError, match="'plane' or 'globe'"):
        myrmex.read(broken, metric="EUC_2D")


def test_checkpoints():
    solver = myrmex.Solver(myrmex.tsp(POINTS), device="cpu")
    saved = solver.checkpoint()
    for problem, bytes in [(myrmex.tsp(POINTS[:10]), saved), (myrmex.tsp(POINTS), saved[:-1]), (myrmex.tsp(POINTS), b"")]:
        with pytest.raises(myrmex.CheckpointError):
            myrmex.Solver.resume(problem, bytes, device="cpu")
    # A copy would be the same solver.
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=r"checkpoint\(\) gives what Solver.resume\(\)"):
            make(solver)


@pytest.mark.skipif(sys.platform != "linux", reason="Metal and DX12 are always there")
def test_without_any_driver_the_cpu_solves_and_a_gpu_is_told_missing():
    code = """
import myrmex
assert myrmex.devices() == [], myrmex.devices()
assert myrmex.solve_tsp([[0, 0], [5, 5], [5, 0], [0, 5], [1, 2]], iterations=5).backend == "cpu"
for device in ("wgpu", "cuda", "cuda:0", "wgpu:0"):
    try:
        myrmex.solve_tsp([[0, 0], [5, 5], [5, 0], [0, 5], [1, 2]], iterations=5, device=device)
    except myrmex.NoDeviceError as error:
        print(error)
    else:
        raise SystemExit(f"{device} is there")
"""
    none = {"VK_DRIVER_FILES": "/none", "VK_ICD_FILENAMES": "/none", "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **none}, check=True)


def test_too_large_says_how_much_there_is():
    points = np.random.default_rng(6).random((5000, 2))
    with pytest.raises(myrmex.TooLargeError, match="MiB that are free") as error:
        words = {"memory": "matrix", "colonies": 256, "ants": 65535}
        myrmex.solve_tsp(points, algorithm="mmas", settings=words, iterations=1, device="cpu")
    assert not isinstance(error.value, ValueError)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_are_told_so():
    problem = myrmex.tsp(POINTS)
    myrmex.solve(problem, iterations=1, device="cpu")
    child = os.fork()
    if child == 0:
        try:
            myrmex.solve_tsp(POINTS, iterations=1, device="cpu")
        except myrmex.InvalidInputError:
            try:
                problem.length(range(len(problem)))
            except myrmex.InvalidInputError:
                os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_pool_of_forked_processes_gets_an_error():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        for use in (myrmex.solve, len):
            with pytest.raises(myrmex.InvalidInputError, match="spawn"):
                pool.map_async(use, [myrmex.tsp(POINTS)]).get(timeout=60)
        assert "could not be made again" in pool.map_async(repr, [myrmex.tsp(POINTS)]).get(timeout=60)[0]
