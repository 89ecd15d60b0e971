"""Assignments."""

import itertools
import pickle
import warnings

import numpy as np
import pandas
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
    with pytest.raises(myrmex.InvalidInputError, match="C has the shape \\(5, 5\\), not \\(6, 6\\)"):
        myrmex.qap(flows, distances, placing[:5, :5])


def test_entries_whose_products_vanish_are_refused():
    draw = np.random.default_rng(8)
    flows, distances = draw.random((6, 6)), draw.random((6, 6))
    with pytest.raises(myrmex.InvalidInputError, match="multiply the flows or the distances"):
        myrmex.qap(flows * 1e-160, distances * 1e-160)
    with pytest.raises(myrmex.InvalidInputError, match="divide the flows or the distances"):
        myrmex.qap(flows * 1e160, distances * 1e160)
    assert len(myrmex.qap(flows * 1e-148, distances * 1e-148)) == len(myrmex.qap(flows * 1e140, distances * 1e140)) == 6


def test_an_infinite_entry_that_is_needed_is_told_once():
    draw = np.random.default_rng(3)
    flows, placing = draw.integers(0, 50, (8, 8)), np.full((8, 8), 3.0)
    placing[0] = np.inf
    with pytest.warns(UserWarning) as told:
        result = myrmex.solve_qap(flows, flows.T, placing, iterations=20, device="cpu")
    assert result.length == np.inf and result.report()["length"] is None
    at = result.permutation[0] + 1
    assert [str(warning.message) for warning in told] == [
        f"facility 1 is at location {at}, counted from 1, where it must not be"
    ]
    again = pickle.loads(pickle.dumps(result.problem))
    assert again.length(result.permutation) == np.inf and again.cost(result.permutation) == result.cost
    # What it says of a number that may stand for it.
    with pytest.warns(UserWarning, match="more than all the rest together could cost"):
        myrmex.solve_qap(flows, flows.T, np.where(np.isinf(placing), 1e7, placing), iterations=20, device="cpu")


def test_labels_and_other_forms_of_matrices():
    flows = pandas.DataFrame([[0, 5, 1], [5, 0, 0], [1, 0, 0]], index=list("abc"), columns=list("abc"))
    distances = pandas.DataFrame([[0, 1, 9], [1, 0, 9], [9, 9, 0]], index=list("xyz"), columns=list("xyz"))
    assert myrmex.solve_qap(flows, distances, iterations=5).length == 28
    with pytest.raises(myrmex.InvalidInputError, match="A: its rows and its columns have the same labels in another order"):
        myrmex.qap(flows[list("cba")], distances)
    with pytest.raises(myrmex.InvalidInputError, match="B: its rows and its columns have the same labels in another order"):
        myrmex.qap(flows, distances[list("zyx")])
    with pytest.raises(myrmex.InvalidInputError, match=r"P.argmax\(axis=1\) is the list"):
        myrmex.solve_qap(flows, distances, initial=np.eye(3))


def test_whole_numbers_that_floats_do_not_hold_are_refused():
    small, large = [[0, 2], [1, 0]], [[0, 2**53 + 1], [2**53, 0]]
    for kind in (np.int64, np.uint64, object):
        entries = np.array(large, dtype=kind)
        for given, message in [
            ((entries, small), r"A\[0, 1\] is 9007199254740993, which floating-point numbers do not hold exactly: give smaller"),
            ((small, entries), r"B\[0, 1\] is 9007199254740993, .*: give smaller numbers"),
            ((small, small, entries), r"C\[0, 1\] is 9007199254740993, .*: numpy.inf says where a facility must not be"),
        ]:
            with pytest.raises(myrmex.InvalidInputError, match=message):
                myrmex.qap(*given)
    with pytest.raises(myrmex.InvalidInputError, match=r"C\[1, 0\] is nan, which is not finite; numpy.inf says where a facility must not be"):
        myrmex.qap(small, small, [[1, np.inf], [np.nan, 1]])


def test_labels_are_names_of_facilities_and_locations(tmp_path):
    # Files leave blanks around names out.
    flows = pandas.DataFrame([[0, 5, 1], [5, 0, 0], [1, 0, 0]], index=["Sales ", "Stock", "Shop"], columns=["Sales ", "Stock", "Shop"])
    distances = pandas.DataFrame([[0, 9, 1, 9], [9, 0, 9, 9], [1, 9, 0, 9], [9, 9, 9, 0]], index=list("wxyz"), columns=list("wxyz"))
    result = myrmex.solve_qap(flows, distances, fixed=[["Sales", "y"], (2, "x")], iterations=5, device="cpu")
    assert result.problem.facility_names == ["Sales", "Stock", "Shop"] and result.problem.location_names == list("wxyz")
    assert result.permutation.tolist() == [2, 0, 1] and result.names == ["y", "w", "x"]
    report = result.report()
    assert report["facility_names"] == ["Sales", "Stock", "Shop"] and report["location_names"] == ["y", "w", "x"]
    assert report["empty_location_names"] == ["z"] and "tour_names" not in report
    result.write(tmp_path / "plan.csv")
    assert "Sales" in (tmp_path / "plan.csv").read_text() and result.problem.read_solution(tmp_path / "plan.csv").tolist() == [2, 0, 1]
    again = pickle.loads(pickle.dumps(result))
    assert again.names == result.names and again.problem.facility_names == ["Sales", "Stock", "Shop"]
    assert again.problem.fixed == [(0, 2), (2, 1)]
    # A header does, too; numbers are none, and one side may have names alone.
    header = pandas.DataFrame(flows.to_numpy(), columns=["a", "b", "c"])
    problem = myrmex.qap(header, distances.to_numpy())
    assert (problem.facility_names, problem.location_names) == (list("abc"), None)
    plain = myrmex.solve_qap(pandas.DataFrame(flows.to_numpy()), distances.to_numpy(), iterations=2, device="cpu")
    assert plain.names is plain.problem.facility_names is plain.problem.location_names is None
    assert myrmex.tsp(np.eye(4)).facility_names is None and "facility_names" not in plain.report()
    for fixed, message in [
        ([["Bar", "w"]], "fixed: 'Bar' is no facility: no facilities are called so; give its number, counted from 0"),
        ([["Sales", "v"]], "fixed: 'v' is no location: no locations are called so"),
        (np.array([["Sales", "Stock"]]), "fixed: 'Stock' is no location"),
    ]:
        with pytest.raises(myrmex.InvalidInputError, match=message):
            myrmex.qap(flows, distances, fixed=fixed)
    with pytest.raises(myrmex.InvalidInputError, match="fixed: 'Sales' is no facility: the facilities have no names"):
        myrmex.qap(flows.to_numpy(), distances, fixed=[["Sales", "w"]])


def test_lines_that_begin_with_a_mark_are_comments(tmp_path):
    path = tmp_path / "rooms.dat"
    path.write_text("# two rooms\n2\n\n0 1\n1 0\n# distances\n0 3\n4 0\n")
    assert myrmex.read(path).cost([1, 0]) == 7


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
        (good[:3], "square"),
        (np.ones((3, 3)), "A has 4 facilities, B only 3 locations"),
        (good.astype(complex), "complex128"),
        (good * np.nan, "B\\[0, 0\\] is nan, which is not finite"),
        (good * -np.inf, "B\\[0, 0\\] is -inf"),
        (good[0], "two dimensions"),
    ]:
        with pytest.raises(myrmex.InvalidInputError, match=words):
            myrmex.solve_qap(good, bad, iterations=1)
    for fixed, words in [
        ([[4, 0]], "facility 4 is to be fixed at location 0, but facilities go from 0 to 3"),
        ([[0, 4]], "locations go from 0 to 3"),
        ([[0, 1], [0, 2]], "facility 0 is fixed twice"),
        ([[0, 1], [2, 1]], "two facilities, 0 and 2, are fixed at location 1"),
        ([[0.5, 1]], "whole numbers from 0 up"),
        ([0, 1], "pairs of a facility and its location"),
    ]:
        with pytest.raises(myrmex.InvalidInputError, match=words):
            myrmex.qap(good, good, fixed=fixed)
    with pytest.raises(myrmex.InvalidInputError, match="leave 'fixed' out for tours"):
        myrmex.read(ROOT / "instances/uniform200.tsp", fixed=[[0, 1]])


def least(flows, distances, placing, fixed):
    """The least of all assignments, with partial_match as SciPy has it."""
    m, n = len(flows), len(distances)
    ways = (np.array(at) for at in itertools.permutations(range(n), m))
    kept = (at for at in ways if all(at[facility] == location for facility, location in fixed))
    return min((flows * distances[np.ix_(at, at)]).sum() + placing[range(m), at].sum() for at in kept)


@pytest.mark.parametrize("kind", ["whole", "signs", "decimals", "fractions"])
@pytest.mark.parametrize("fixed", [[], [[2, 0]], [(0, 5), (3, 1)]])
def test_rectangles_signs_decimals_and_fixed_facilities(kind, fixed):
    rng = np.random.default_rng(11)
    make = {
        "whole": lambda shape: rng.integers(0, 30, shape),
        "signs": lambda shape: rng.integers(-30, 30, shape),
        "decimals": lambda shape: rng.integers(-300, 300, shape) / 10,
        "fractions": lambda shape: rng.standard_normal(shape),
    }[kind]
    flows, distances, placing = make((4, 4)), make((6, 6)), make((4, 6))
    result = myrmex.solve_qap(flows, distances, placing, fixed=fixed, iterations=20, device="cpu")
    at, problem = result.permutation, result.problem
    assert len(set(at.tolist())) == len(at) == 4 and all(at[facility] == location for facility, location in fixed)
    found = (flows * distances[np.ix_(at, at)]).sum() + placing[range(4), at].sum()
    assert result.length == pytest.approx(found, abs=1e-9) and result.length == problem.length(at)
    assert (problem.cost_error > 0) == (kind == "fractions")
    assert found <= least(flows, distances, placing, fixed) + 2 * problem.cost_error + 1e-9
    assert (problem.locations, len(problem), problem.fixed) == (6, 4, [tuple(pair) for pair in fixed])
    assert sorted([*at.tolist(), *problem.empty_locations(at)]) == list(range(6))
    again = pickle.loads(pickle.dumps(problem))
    assert (again.fixed, again.locations, again.cost_error) == (problem.fixed, 6, problem.cost_error)
    assert again.length(at) == result.length and again.cost(at) == result.cost
    report = result.report()
    assert report["locations"] == 6 and report["empty_locations"] == problem.empty_locations(at)
    ended = myrmex.solve(problem, target=result.length, time=60, device="cpu")
    assert ended.length <= result.length and ended.ended in ("target", "optimal", "trivial")


@pytest.mark.parametrize("seed", range(40))
def test_infinite_costs_say_where_a_facility_must_not_be(seed):
    draw = np.random.default_rng(seed)
    facilities, locations = [(3, 3), (3, 4), (4, 4), (4, 5)][seed % 4]
    A = draw.integers(-3 if seed % 3 == 0 else 0, 9, (facilities, facilities)) / 2
    B = draw.integers(0, 9, (locations, locations)) * (seed % 5 > 0)
    C = np.where(draw.random((facilities, locations)) < 0.45, np.inf, draw.integers(0, 30, (facilities, locations)))
    orders = [list(order) for order in itertools.permutations(range(locations), facilities)]
    costs = [(A * B[np.ix_(order, order)]).sum() + C[range(facilities), order].sum() for order in orders]
    problem = myrmex.qap(A, B, C)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = myrmex.solve(problem, iterations=3, device="cpu")
    assert result.length == pytest.approx(min(costs)) and problem.length(result.permutation) == result.length
    if np.isfinite(min(costs)):
        assert not told, [str(warning.message) for warning in told]
