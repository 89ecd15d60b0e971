"""Tables of pandas."""

import io

import numpy as np
import pandas
import pytest

import myrmex
from myrmex import _tables

WEIGHTS = np.array([[0, 3, 9, 2], [3, 0, 4, 8], [9, 4, 0, 5], [2, 8, 5, 0]])
POINTS = np.random.default_rng(35).random((6, 2)) * 60


def square(labels, weights=WEIGHTS):
    """A table whose rows and columns have these labels."""
    return pandas.DataFrame(weights, index=labels, columns=labels)


def test_tables_are_read_as_files_are():
    random = np.random.default_rng(33)
    x, y = random.random(9) * 90 - 45, random.random(9) * 90 - 45
    plane = myrmex.tsp(pandas.DataFrame({"id": range(9), "x": x, "y": y}))
    assert plane.length(range(9)) == myrmex.tsp(np.column_stack([x, y])).length(range(9))
    assert plane.city_ids == [str(row) for row in range(9)]
    globe = myrmex.tsp(pandas.DataFrame({"lat": y, "lon": x}, index=list("abcdefghi")))
    assert globe.length(range(9)) == myrmex.tsp(np.column_stack([x, y]), metric="globe").length(range(9))
    assert myrmex.solve_tsp(pandas.DataFrame({"x": x, "y": y}, index=list("abcdefghi")), start="c", iterations=2).names[0] == "c"
    weights = np.random.default_rng(34).integers(1, 90, (4, 4))
    matrix = pandas.DataFrame(weights, index=list("abcd"), columns=list("abcd"))
    assert myrmex.tsp(matrix).length([2, 0, 3, 1]) == myrmex.tsp(weights).length([2, 0, 3, 1])
    for metric in (None, "matrix"):
        assert myrmex.tsp(matrix, metric=metric, start="c", end="c").city_names == list("abcd")
        with pytest.raises(myrmex.InvalidInputError, match="the same labels in another order"):
            myrmex.tsp(matrix[list("bacd")], metric=metric)
    blank = matrix.astype(float)
    blank.loc["a", "d"] = np.nan
    with pytest.raises(myrmex.InvalidInputError, match="row 0 of the table: .* in column 'd'.* write inf for a way that is not there"):
        myrmex.tsp(blank)
    ways = pandas.DataFrame([(a, b, weights[i, j]) for i, a in enumerate("abcd") for j, b in enumerate("abcd") if i != j])
    ways.columns = ["from", "to", "km"]
    assert myrmex.tsp(ways).length([2, 0, 3, 1]) == myrmex.tsp(weights).length([2, 0, 3, 1])
    # Places in a tour are those of rows: none is passed over.
    gap = pandas.DataFrame({"x": x, "y": y}).reindex([0, 1, 99, 2, 3, 4])
    with pytest.raises(myrmex.InvalidInputError, match=r"row 2 of the table is blank: leave it out \(dropna\(\)\)"):
        myrmex.tsp(gap)
    assert len(myrmex.tsp(gap.dropna())) == 5
    with pytest.raises(myrmex.InvalidInputError, match="no column but 'x'"):
        myrmex.tsp(pandas.DataFrame({"x": x}))
    bare = pandas.DataFrame(np.column_stack([x, y]))
    assert myrmex.tsp(bare).length(range(9)) == plane.length(range(9))


@pytest.mark.parametrize(
    "labels",
    [range(4), [101, 102, 103, 104], [1.5, 2.5, 3.5, 4.5], list("abcd"), pandas.date_range("2024-01-01", periods=4)],
)
def test_labels_in_another_order_are_refused(labels):
    table = square(labels)
    mixed = table.iloc[[2, 0, 3, 1]]
    for call in (
        lambda: myrmex.tsp(mixed),
        lambda: myrmex.tsp(mixed, metric="matrix"),
        lambda: myrmex.solve_many([mixed]),
        lambda: myrmex.qap(mixed, table),
        lambda: myrmex.qap(table, mixed),
    ):
        with pytest.raises(myrmex.InvalidInputError, match="rows and its columns have the same labels in another order"):
            call()
    assert myrmex.tsp(mixed.iloc[:, [2, 0, 3, 1]]).length(range(4)) == 9 + 2 + 8 + 4


def test_labels_that_are_words_in_the_header_alone():
    table = pandas.read_csv(io.StringIO(square([7, 5, 9, 8]).to_csv()), index_col=0)
    problem = myrmex.tsp(table)
    assert problem.city_names == list("7598") and problem.length(range(4)) == 3 + 4 + 5 + 2
    for metric in (None, "matrix"):
        with pytest.raises(myrmex.InvalidInputError, match=r"another order; after table.index = table.index.astype\(str\) table.loc"):
            myrmex.tsp(table.loc[[9, 8, 7, 5]], metric=metric)


def test_numbers_of_rows_are_no_labels():
    header_alone = pandas.DataFrame(WEIGHTS, columns=list("3021"))
    assert len(myrmex.tsp(header_alone)) == len(myrmex.qap(header_alone, WEIGHTS)) == 4
    # Rows of points may be in any order.
    for columns in ([1, 0], ["1", "0"]):
        table = pandas.DataFrame(POINTS[:2], index=[0, 1], columns=columns)
        assert myrmex.tsp(table, metric="plane").points.tolist() == POINTS[:2].tolist()
    table = pandas.DataFrame(POINTS[:3, [0, 1, 1]], index=[2, 0, 1], columns=["0", "1", "2"])
    assert len(myrmex.tsp(table, metric="plane")) == 3


def test_columns_called_by_numbers_have_no_names():
    for table in (pandas.DataFrame(POINTS), pandas.DataFrame(POINTS, columns=["0", "1"])):
        assert myrmex.tsp(table).points.tolist() == POINTS.tolist()


@pytest.mark.parametrize(("facilities", "locations"), [("abcd", "WXYZ"), (range(4), range(10, 14)), ("abcd", range(4))])
def test_costs_of_placing_are_in_the_order_of_the_matrices(facilities, locations):
    A, B = square(list(facilities)), square(list(locations))
    C = pandas.DataFrame(np.arange(16).reshape(4, 4), index=A.index, columns=B.index)
    for wrong, message in [
        (C.iloc[::-1], "C: its rows have the labels of A in another order"),
        (C.iloc[:, ::-1], "C: its columns have the labels of B in another order"),
        (C.T, "C: its rows have the labels of B, its columns those of A"),
    ]:
        with pytest.raises(myrmex.InvalidInputError, match=message):
            myrmex.qap(A, B, wrong)
        assert len(myrmex.qap(WEIGHTS, WEIGHTS, wrong)) == 4
    for right in (C, C.to_numpy(), C.set_axis(list("efgh")).set_axis(list("ijkl"), axis=1)):
        assert myrmex.qap(A, B, right).length(range(4)) == (WEIGHTS**2).sum() + 0 + 5 + 10 + 15


@pytest.mark.parametrize(
    ("metric", "columns", "order"),
    [
        ("EUC_2D", ["x", "y"], [0, 1]),
        ("MAN_2D", ["y", "x"], [1, 0]),
        ("GEO", ["lon", "lat"], [1, 0]),
        ("GEO", ["lat", "lon"], [0, 1]),
        ("GEO", ["x", "y"], [0, 1]),
    ],
)
def test_metrics_of_tsplib_take_columns_by_name(metric, columns, order):
    points = np.floor(POINTS)
    table = pandas.DataFrame(points, columns=columns)
    table.insert(0, "id", range(11, 17))
    table["name"] = list("abcdef")
    problem = myrmex.tsp(table, metric=metric)
    assert problem.cost(range(6)) == myrmex.tsp(points[:, order], metric=metric).cost(range(6))
    assert (problem.city_names, problem.city_ids) == (list("abcdef"), ["11", "12", "13", "14", "15", "16"])
    with pytest.raises(myrmex.InvalidInputError, match=f"'{metric}' measures coordinates, which this table does not have"):
        myrmex.tsp(square(list("abcd")), metric=metric)


def test_names_come_from_the_index_or_from_a_column():
    table = pandas.DataFrame({"name": ["a", None, "c"], "x": [0, 1, 2], "y": [0, 3, 1]})
    assert myrmex.tsp(table).city_names == ["a", "", "c"]
    assert myrmex.tsp(table.set_axis(["A", "B", "C"])).city_names == ["A", "B", "C"]
    ways = pandas.DataFrame([(9, 5, 1.0), (9, 7, 2.0), (7, 5, 3.0)], columns=["from", "to", "km"])
    assert myrmex.tsp(ways).city_names == ["9", "5", "7"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"x": [1, 2, 3], "y": ["4", "5", "z"]}, "^row 2 of the table: expected a number for y in column 'y', not 'z'"),
        ({"name": ["two\nlines", "b", "c"], "x": [1, 2, 3], "y": [4.5, 5, np.nan]}, "^row 2 of the table: .* in column 'y', which is empty"),
        ({"p": [1, 2], "q": [3, 4], "r": [5, 6]}, "^the table: no column is called x and y"),
        ({"from": ["a", "a"], "to": ["b", "c"], "km": [1, 2]}, "^the table: no row has the way from 'b' to 'c'"),
        ({"from": ["a", "a", "a"], "to": ["b", "c", "b"], "km": [1, 2, 3]}, "^row 2 of the table: .* here and 1 in row 0"),
    ],
)
def test_messages_tell_of_rows_and_columns(table, message):
    with pytest.raises(myrmex.InvalidInputError, match=message):
        myrmex.tsp(pandas.DataFrame(table))


@pytest.mark.parametrize("kind", ["Int64", "Float64", "float32"])
def test_columns_that_may_have_missing_entries_are_numbers(kind, monkeypatch):
    table = square(list("abcd")).astype(kind)
    empty = table.copy()
    empty.loc["c", "a"] = None
    with pytest.raises(myrmex.InvalidInputError, match="row 2 of the table: .* in column 'a', which is empty"):
        myrmex.tsp(empty)
    # A detour by the text of a large table takes long.
    monkeypatch.delattr(_tables, "read_table")
    problem = myrmex.tsp(table)
    assert problem.city_names == list("abcd") and problem.length(range(4)) == 3 + 4 + 5 + 2
