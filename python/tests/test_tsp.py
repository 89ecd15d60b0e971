"""Tours: what goes in, what comes out."""

import itertools
import json
import pickle
import subprocess
import sys
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
import pytest

import myrmex
from myrmex import _arrays
from common import PROGRAM, ROOT, is_permutation, tour_length

QUICK = {"iterations": 20, "device": "cpu"}


@pytest.mark.parametrize("form", [np.asarray, lambda p: p.tolist(), np.asfortranarray, lambda p: p.astype(np.float32)])
def test_points_in_any_form(points, form):
    result = myrmex.solve_tsp(form(points), **QUICK)
    assert is_permutation(result.tour, len(points))
    assert result.length == pytest.approx(tour_length(form(points), result.tour), rel=1e-12)
    assert (result.backend, result.ended, result.iterations, result.seed) == ("cpu", "iterations", 20, 1)
    assert result.cost == result.problem.cost(result.tour)


@pytest.mark.skipif(not myrmex.devices(), reason="there is no GPU, and no software driver for one")
def test_a_gpu_finds_what_the_cpu_finds(points):
    device = myrmex.devices()[0]
    words = {"iterations": 5, "seed": 3, "algorithm": "mmas", "settings": {"ants": 8}}
    on_cpu = myrmex.solve_tsp(points, device="cpu", **words)
    for name in (device, device.id):
        result = myrmex.solve_tsp(points, device=name, **words)
        assert (result.backend, result.device) == (device.id.split(":")[0], device.name)
        assert result.tour.tolist() == on_cpu.tour.tolist()
    both = myrmex.solve_tsp(points, device=f"cpu,{device.id}", **words)
    assert both.iterations == 5 and both.cost <= on_cpu.cost


def test_few_cities_take_no_longer_than_they_need():
    result = myrmex.solve_tsp([[0.0, 0.1], [0.7, 0.2], [0.4, 0.9], [0.1, 0.8], [0.6, 0.6]], time=60, device="cpu")
    assert result.ended == "optimal" and result.seconds < 30


def test_matrices_of_any_kind(points):
    matrix = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    by_points = myrmex.solve_tsp(points, **QUICK)
    by_matrix = myrmex.solve_tsp(matrix, **QUICK)
    assert by_matrix.length == pytest.approx(by_points.length, rel=1e-3)
    tour = by_matrix.tour
    assert by_matrix.length == pytest.approx(matrix[tour, np.roll(tour, -1)].sum(), rel=1e-12)
    for kind in (np.int64, np.uint16, np.int32):
        whole = (matrix * 1000).astype(kind)
        result = myrmex.solve_tsp(whole, **QUICK)
        tour = result.tour
        assert result.length == result.cost == whole.astype(int)[tour, np.roll(tour, -1)].sum()
    negative = (matrix * 1000).astype(int) - 300
    result = myrmex.solve_tsp(negative.tolist(), **QUICK)
    assert result.length == negative[result.tour, np.roll(result.tour, -1)].sum()


def test_asymmetric_matrix_has_a_direction():
    n = 30
    matrix = np.random.default_rng(2).integers(50, 1000, (n, n))
    around = np.arange(n)
    matrix[around, np.roll(around, -1)] = 1
    result = myrmex.solve_tsp(matrix, iterations=100, device="cpu")
    assert not result.problem.is_symmetric
    assert result.cost == n
    assert result.tour[(np.flatnonzero(result.tour == 4)[0] + 1) % n] == 5


def test_shape_that_may_be_either_has_to_be_told():
    for n in (2, 3):
        with pytest.raises(myrmex.InvalidInputError, match="metric='plane' or metric='matrix'"):
            myrmex.solve_tsp(np.ones((n, n)))
        assert len(myrmex.tsp(np.ones((n, n)), metric="matrix")) == n
    assert myrmex.solve_tsp([[0, 3, 4], [1, 0, 1], [1, 1, 0]], metric="matrix").cost == 5
    assert myrmex.solve_tsp([[0, 0], [3, 4]], metric="plane").length == 10


def test_metrics(points):
    berlin, paris, london = [13.405, 52.52], [2.3522, 48.8566], [-0.1276, 51.5072]
    globe = myrmex.tsp([berlin, paris, london], metric="globe")
    assert globe.length([0, 1, 2]) == pytest.approx(877_465 + 343_556 + 931_579, rel=1e-3)
    assert myrmex.tsp(np.array([[0, 0], [1.6, 0], [0, 1.6], [9, 9]]), metric="CEIL_2D").cost([0, 1, 2, 3]) == 2 + 3 + 12 + 13
    assert myrmex.tsp(np.array([[0, 0, 0], [2, 3, 6], [0, 3, 6], [9, 9, 9]]), metric="EUC_3D").cost([0, 1, 2, 3]) > 0
    assert myrmex.tsp(np.random.default_rng(3).random((10, 3))).points.shape == (10, 3)
    assert np.array_equal(myrmex.tsp(points).points, points)
    assert myrmex.tsp(np.eye(5)).points is None


def test_open_paths_and_fixed_edges(points):
    path = myrmex.solve_tsp(points, open=True, **QUICK)
    assert path.problem.is_open and path.length == pytest.approx(tour_length(points, path.tour, closed=False))
    path = myrmex.solve_tsp(points, start=7, end=np.int64(3), **QUICK)
    assert (path.tour[0], path.tour[-1], path.problem.is_open) == (7, 3, True)
    closed = myrmex.solve_tsp(points, start=7, end=7, **QUICK)
    assert (closed.tour[0], closed.problem.is_open, len(closed.tour)) == (7, False, len(points))
    assert closed.length == pytest.approx(myrmex.solve_tsp(points, **QUICK).length)
    again = pickle.loads(pickle.dumps(closed.problem))
    assert myrmex.solve_tsp(again, **QUICK).tour.tolist() == closed.tour.tolist()
    # A city by its name and by its number is one city.
    names = [f"city {number}" for number in range(len(points))]
    same = myrmex.solve_tsp(points, names=names, start="city 7", end=7, **QUICK)
    assert (same.tour[0], same.problem.is_open) == (7, False)
    assert not myrmex.tsp(points, names=names, open=False, start="city 7", end=7).is_open
    with pytest.raises(myrmex.InvalidInputError, match="leave 'open' out"):
        myrmex.tsp(points, names=names, open=True, start="city 7", end=7)
    with pytest.raises(myrmex.InvalidInputError, match="is an open path"):
        myrmex.solve_tsp(path.problem, open=False, **QUICK)
    edges = np.array([[10, 50], [50, 20]])
    tour = myrmex.solve_tsp(points, fixed_edges=edges, **QUICK).tour.tolist()
    at = tour.index(50)
    assert {tour[at - 1], tour[(at + 1) % len(tour)]} == {10, 20}
    same = myrmex.tsp(points)
    assert myrmex.solve_tsp(same, start=2, **QUICK).tour[0] == 2
    assert not same.is_open


def test_same_seed_same_tour_and_another_one_for_another(points):
    first, again = (myrmex.solve_tsp(points, seed=5, algorithm="mmas", **QUICK) for _ in range(2))
    other = myrmex.solve_tsp(points, seed=6, algorithm="mmas", iterations=1, device="cpu")
    assert np.array_equal(first.tour, again.tour) and first.trace[-1]["cost"] == again.trace[-1]["cost"]
    assert other.seed == 6 and other.trace != first.trace


def test_settings_reach_the_run(points):
    result = myrmex.solve_tsp(points, algorithm="mmas", settings={"ants": 17, "local_search": "2opt"}, **QUICK)
    assert [phase["population"] for phase in result.phases] == [17]
    assert result.report()["local_search"] == "2opt"
    preset = myrmex.presets()[0]["name"]
    plain = myrmex.solve_tsp(points, settings={"preset": preset}, iterations=3, device="cpu").report()
    assert plain["preset"] == preset and "set" not in plain
    changed = myrmex.solve_tsp(points, settings={"preset": "as-fine", "ants": 4}, iterations=3, device="cpu").report()
    assert changed["set"] == {"ants": 4}
    assert {"ants", "beta"} <= {it["name"] for it in myrmex.parameters("mmas")}
    algorithms = {it["name"]: it["summary"] for it in myrmex.algorithms()}
    assert {"auto", "lk-eax", "mmas", "cas"} <= set(algorithms) and all(algorithms.values())
    assert all(myrmex.parameters(name) for name in algorithms if name != "auto")


def test_initial_tour_is_where_the_run_begins(points):
    best = myrmex.solve_tsp(points, iterations=50, device="cpu")
    result = myrmex.solve_tsp(points, initial=best.tour, iterations=0, device="cpu")
    assert result.length == best.length and result.iterations == 0


def test_rules_end_the_run(points):
    assert myrmex.solve_tsp(points, time=0.2, device="cpu").ended == "time"
    assert myrmex.solve_tsp(points, stagnation=30, device="cpu").ended == "stagnation"
    assert myrmex.solve_tsp(points, stagnation_time=0.1, device="cpu").ended == "stagnation"
    best = myrmex.solve_tsp(points, iterations=100, device="cpu").length
    reached = myrmex.solve_tsp(points, target=best * 1.2, time=30, device="cpu")
    assert reached.ended == "target" and reached.length <= best * 1.2
    assert myrmex.solve_tsp(points[:3], metric="plane", device="cpu").ended == "trivial" or len(points) < 4


def test_report_is_that_of_the_schema(points, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs/guide/report.schema.json").read_text())
    names = [f"city {i}" for i in range(len(points))]
    result = myrmex.solve_tsp(points, names=names, **QUICK)
    report = result.report()
    jsonschema.validate(report, schema)
    assert report["tour_names"] == result.names and result.names[0] == names[result.tour[0]]
    assert "tour_ids" not in report
    table = tmp_path / "places.csv"
    table.write_text("id,x,y\n7,0,0\n5,3,0\n9,3,4\n")
    report = myrmex.solve(myrmex.read(table), **QUICK).report()
    jsonschema.validate(report, schema)
    assert report["tour_ids"] == [["7", "5", "9"][city] for city in report["tour"]]
    jsonschema.validate(myrmex.solve_qap([[0, 1], [1, 0]], [[0, 2], [2, 0]], iterations=1).report(), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**report, "ended": "never"}, schema)


def test_file_gives_what_the_program_finds(tmp_path):
    file, out = ROOT / "instances/uniform200.tsp", tmp_path / "report.json"
    words = [str(file), "--iterations", "15", "--seed", "3", "--backend", "cpu", "--quiet", "--json", str(out)]
    program = [PROGRAM, "solve", *words]
    subprocess.run(program, check=True)
    told = json.loads(out.read_text())
    result = myrmex.solve(myrmex.read(file), iterations=15, seed=3, device="cpu")
    assert (result.cost, result.tour.tolist()) == (told["cost"], told["tour"])
    assert result.report()["recipe"] == told["recipe"]
    plane = myrmex.read(str(file), metric="plane", start=4)
    assert plane.is_open and plane.name == "uniform200.s1"


def test_tours_go_through_files(points, tmp_path):
    result = myrmex.solve_tsp(points, **QUICK)
    around = {frozenset(way) for way in zip(result.tour, np.roll(result.tour, 1))}
    for name in ("a.tour", "a.csv", "plain"):
        result.write(tmp_path / name)
        tour = result.problem.read_solution(str(tmp_path / name))
        assert tour[0] == 0 and {frozenset(way) for way in zip(tour, np.roll(tour, 1))} == around
    assert (tmp_path / "a.tour").read_text().startswith("NAME")
    again = myrmex.solve(result.problem, initial=result.problem.read_solution(tmp_path / "a.tour"), iterations=0, device="cpu")
    assert again.length <= result.length
    layout = myrmex.qap(np.arange(16).reshape(4, 4), np.arange(16).reshape(4, 4)[::-1])
    layout.write_solution(tmp_path / "b.sln", [3, 1, 0, 2])
    assert layout.read_solution(tmp_path / "b.sln").tolist() == [3, 1, 0, 2]
    with pytest.raises(myrmex.InvalidInputError, match="xlsx is not written"):
        result.write(tmp_path / "a.xlsx")
    with pytest.raises(myrmex.InvalidInputError, match="longitudes and latitudes"):
        result.write(tmp_path / "a.geojson")
    with pytest.raises(myrmex.FileError):
        result.problem.read_solution(tmp_path / "none.tour")
    assert not (tmp_path / "a.xlsx").exists()


def test_cities_are_called_by_their_names():
    towns = ["Ulm", "Bonn", "Kiel", "Jena", "Ulm"]
    places = [[10.0, 48.4], [7.1, 50.7], [10.1, 54.3], [11.6, 50.9], [9.0, 49.0]]
    path = myrmex.solve_tsp(places, names=towns, start="Kiel", end="Bonn", fixed_edges=[["Bonn", "Jena"]], metric="globe")
    assert path.tour[[0, -2, -1]].tolist() == [2, 3, 1]
    assert not myrmex.tsp(places, names=towns, fixed_edges=[]).is_open
    for wrong in ({"start": "Rom"}, {"start": "Ulm"}, {"fixed_edges": [["Kiel", "Rom"]]}):
        with pytest.raises(myrmex.InvalidInputError, match="is no city"):
            myrmex.tsp(places, names=towns, **wrong)
    with pytest.raises(myrmex.InvalidInputError, match="have no names"):
        myrmex.tsp(places, start="Kiel")


def test_names_are_looked_up_once(monkeypatch):
    made, places_of = [], _arrays.places_of
    monkeypatch.setattr(_arrays, "places_of", lambda *words: made.append(words) or places_of(*words))
    names = [f"c{city}" for city in range(2000)]
    edges = [(f"c{city}", f"c{city + 1}") for city in range(0, 2000, 2)]
    myrmex.tsp(np.random.default_rng(29).random((2000, 2)), names=names, fixed_edges=edges, start="c0", end="c0")
    assert len(made) == 1


def test_a_whole_number_is_a_place_and_no_name():
    points = np.random.default_rng(30).random((4, 2))
    for start, first in ((3, 3), ("3", 0)):
        assert myrmex.solve_tsp(points, names=[3, 1, 2, 0], start=start, **QUICK).tour[0] == first


def test_bound_and_picture(points):
    result = myrmex.solve_tsp(points, **QUICK)
    bound = result.problem.lower_bound(time=5)
    assert 0.9 * result.length < bound <= result.length
    assert result.svg().startswith("<svg") and result._repr_svg_() == result.svg()
    assert myrmex.solve_tsp(np.eye(5), iterations=1).svg() is None


def test_numbers_in_arrays_of_objects(points):
    exact = [[Decimal(f"{x:.3f}"), Fraction(round(1000 * y), 1000)] for x, y in points]
    floats = np.round(points, 3)
    assert myrmex.solve_tsp(exact, **QUICK).tour.tolist() == myrmex.solve_tsp(floats, **QUICK).tour.tolist()
    assert myrmex.tsp(floats.astype(object)).cost(range(len(points))) == myrmex.tsp(floats).cost(range(len(points)))


def test_ends_and_edges_that_a_problem_has_stay(tmp_path):
    points = np.random.default_rng(21).random((12, 2))
    path = myrmex.solve_tsp(myrmex.tsp(points, start=2), end=5, iterations=5).tour
    assert (path[0], path[-1]) == (2, 5)
    assert myrmex.solve_tsp(myrmex.tsp(points, start=2), open=True, iterations=5).tour[0] == 2
    file = tmp_path / "fixed.tsp"
    lines = "\n".join(f"{place} {x} {y}" for place, (x, y) in enumerate(points, 1))
    head = "NAME: fixed\nTYPE: TSP\nDIMENSION: 12\nEDGE_WEIGHT_TYPE: EUC_2D\nFIXED_EDGES_SECTION\n1 5\n-1\n"
    file.write_text(f"{head}NODE_COORD_SECTION\n{lines}\nEOF\n")
    tour = myrmex.solve_tsp(myrmex.read(file, metric="plane"), fixed_edges=[[2, 3]], iterations=5).tour.tolist()
    edges = {frozenset(edge) for edge in zip(tour, tour[1:] + tour[:1])}
    assert {frozenset((0, 4)), frozenset((2, 3))} <= edges


def test_arrays_that_lie_anywhere_are_taken():
    points = np.random.default_rng(22).random((9, 2))
    shifted = np.frombuffer(b"x" + points.tobytes(), dtype=np.float64, offset=1).reshape(9, 2)
    assert not shifted.flags.aligned
    problem = myrmex.tsp(shifted)
    assert problem.length(range(9)) == myrmex.tsp(points).length(range(9))
    order = np.frombuffer(b"x" + np.arange(9, dtype=np.uint32).tobytes(), dtype=np.uint32, offset=1)
    assert problem.length(order) == problem.length(range(9))


def test_names_and_numbers_go_together_and_wide_weights_are_rounded():
    points = np.random.default_rng(26).random((8, 2))
    named = myrmex.tsp(points, names=list("abcdefgh"), fixed_edges=[("a", 3), (4, "f")])
    tour = myrmex.solve(named, iterations=3, device="cpu").tour.tolist()
    edges = {frozenset(edge) for edge in zip(tour, tour[1:] + tour[:1])}
    assert {frozenset((0, 3)), frozenset((4, 5))} <= edges
    weights = np.random.default_rng(27).integers(1, 10**10, (9, 9))
    assert myrmex.tsp(weights).edge_error == myrmex.tsp(weights.astype(float)).edge_error > 0
    weights = np.random.default_rng(28).integers(1, 50, (9, 9))
    weights[0, 5] = sys.maxsize
    assert myrmex.tsp(weights).edge_error == myrmex.tsp(weights.astype(float)).edge_error
    assert myrmex.qap(np.eye(3, k=1, dtype=bool), np.arange(9).reshape(3, 3)).length([0, 1, 2]) == 1 + 5
    for wrong in ({"time": "1"}, {"time": True}, {"time": 10**400}):
        with pytest.raises(myrmex.InvalidInputError, match="time: expected a number"):
            myrmex.solve_tsp(points, **wrong)


@pytest.mark.parametrize("missing", [None, np.inf, 1e13])
def test_what_all_weights_have_in_common_takes_no_digits(missing):
    draw = np.random.default_rng(41)
    near = np.triu(draw.integers(1, 100, (8, 8)).astype(float), 1)
    near += near.T
    if missing:
        near[0, 1] = near[1, 0] = missing
    best = min(near[list(tour), np.roll(tour, -1)].sum() for tour in itertools.permutations(range(8)) if tour[0] == 0)
    for more, part in ((3e9, 1.0), (1e10, 1.0), (1e7, 1 / 7)):
        result = myrmex.solve_tsp(near * part + more, iterations=5, device="cpu")
        assert result.length == pytest.approx(best * part + 8 * more, abs=1e-3)
    # Nor does it make what differs look alike.
    there_and_back = draw.random((7, 7)) * 10
    far = myrmex.tsp(there_and_back + 1e7)
    assert not far.is_symmetric
    best = min(there_and_back[list(tour), np.roll(tour, -1)].sum() for tour in itertools.permutations(range(7)) if tour[0] == 0)
    assert myrmex.solve(far, iterations=5, device="cpu").length == pytest.approx(best + 7e7, abs=1e-3)


def test_whole_numbers_that_floats_do_not_hold_are_refused():
    with pytest.raises(myrmex.InvalidInputError, match="numpy.inf for a way that is not there, or take the same number from all"):
        myrmex.tsp(np.full((4, 4), 2**63 + 1, dtype=np.uint64))
    with pytest.raises(myrmex.InvalidInputError, match=r"\[0, 1\] is 1180591620717411303425, which floating-point numbers do not hold exactly"):
        myrmex.tsp([[0, 2**70 + 1, 5], [2**70 + 1, 0, 5], [5, 5, 0]])
    moments = np.array([[0, 0], [100, 0], [100, 90], [0, 90], [40, 200]]) + [1_700_000_000_000_000_000, 0]
    for points in (moments, moments.astype(object)):
        with pytest.raises(myrmex.InvalidInputError, match=r"\[1, 0\] is 17000000000000001\d\d, .*: take the same number from all coordinates"):
            myrmex.tsp(points)
    assert len(myrmex.tsp(np.array([[2**60, 0], [2**61, 0], [2**60, 2**62]]))) == 3
    far = np.full((4, 4), 3, dtype=np.uint64)
    far[0, 1], far[2, 2] = 2**63, 2**64 - 1
    assert myrmex.solve_tsp(far, iterations=1, device="cpu").length == 12
    with pytest.raises(myrmex.InvalidInputError, match=r"names\[1\] is <NA>"):
        myrmex.tsp(np.eye(3), metric="matrix", names=["a", pandas.NA, "c"])


@pytest.mark.parametrize("seed", range(40))
def test_infinite_weights_are_ways_that_are_not_there(seed):
    draw = np.random.default_rng(seed)
    n = 4 + seed % 4
    weights = draw.integers(-20 if seed % 3 == 0 else 1, 50, (n, n)) / (1 if seed % 2 else 10)
    weights[draw.random((n, n)) < 0.35] = np.inf
    np.fill_diagonal(weights, np.inf if seed % 5 else 0)
    tours = [(0, *rest) for rest in itertools.permutations(range(1, n))]
    lengths = [sum(weights[a, b] for a, b in zip(tour, tour[1:] + tour[:1])) for tour in tours]
    problem = pickle.loads(pickle.dumps(myrmex.tsp(weights)))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = myrmex.solve(problem, iterations=3, device="cpu")
    assert result.length == pytest.approx(min(lengths)) and problem.length(result.tour) == result.length
    missing = [str(warning.message) for warning in told if "takes ways that are not there" in str(warning.message)]
    assert len(missing) == int(np.isinf(min(lengths)))


@pytest.mark.parametrize(("n", "way"), [(6, 0.7), (12, 0.7), (11, 1 / 3), (9, 2**0.5)])
def test_a_ring_of_equal_ways_is_as_long_as_they_are(n, way):
    weights = np.full((n, n), np.inf)
    for city in range(n):
        weights[city, (city + 1) % n] = weights[(city + 1) % n, city] = way
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = myrmex.solve_tsp(weights, iterations=20, device="cpu")
    assert result.length == pytest.approx(n * way) and np.isfinite(result.length)


def test_what_may_be_meant_otherwise_is_warned_of():
    weights = np.random.default_rng(31).integers(1, 90, (6, 6))
    half = np.triu(weights, 1)
    with pytest.warns(UserWarning, match="all weights on one side of the diagonal are 0"):
        myrmex.solve_tsp(half, iterations=2, device="cpu")
    points = np.random.default_rng(32).random((5, 2)) * 100
    numbered = np.column_stack([np.arange(5), points])
    with pytest.raises(myrmex.InvalidInputError, match="first of three columns numbers the rows"):
        myrmex.tsp(numbered)
    assert len(myrmex.tsp(numbered, metric="plane")) == 5
    assert myrmex.tsp([[0, 4, 7], [4, 0, 5], [7, 5, 0]]).length([0, 1, 2]) == 16


class Graph:
    nodes = edges = ()


class Sparse:
    nnz = 3

    def toarray(self):
        return np.eye(3)


def test_graphs_and_sparse_matrices_are_told_what_makes_a_matrix():
    with pytest.raises(myrmex.InvalidInputError, match="networkx.to_numpy_array"):
        myrmex.tsp(Graph())
    with pytest.raises(myrmex.InvalidInputError, match="toarray"):
        myrmex.tsp(Sparse())
