"""Tables of pandas and Polars."""

import decimal
import fractions
import io
import re

import numpy as np
import pandas
import pytest

import myrmex
from common import ROOT
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


@pytest.mark.parametrize("metric", [None, "matrix"])
@pytest.mark.parametrize(
    ("rows", "columns"),
    [("9875", [7, 5, 9, 8]), ([9.0, 8.0, 7.0, 5.0], "7598"), ([9, 8, 7, 5], "7598"), ([9.0, 8.0, 7.0, 5.0], [7, 5, 9, 8]), ("9875", "7598")],
)
def test_the_remedy_for_labels_in_another_order(rows, columns, metric):
    table = square(list(columns)).loc[[list(columns)[place] for place in (2, 3, 0, 1)]].set_axis(list(rows))
    with pytest.raises(myrmex.InvalidInputError, match="the same labels in another order; ") as error:
        myrmex.tsp(table, metric=metric)
    written = re.match(r"write (.*), then", str(error.value).split("; ")[1])
    if written:
        exec(written[1], {"table": table})
    assert "table.loc[table.columns]" in str(error.value)
    assert myrmex.tsp(table.loc[table.columns], metric=metric).length(range(4)) == 3 + 4 + 5 + 2


def test_numbers_of_rows_are_no_labels():
    header_alone = pandas.DataFrame(WEIGHTS, columns=list("3021"))
    assert len(myrmex.tsp(header_alone)) == len(myrmex.qap(header_alone, WEIGHTS)) == 4
    assert myrmex.qap(header_alone, WEIGHTS).facility_names is None
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


def test_labels_that_only_some_have_in_common_are_refused():
    A, B = square(list("abcd")), square(list("wxyz"))
    with pytest.raises(myrmex.InvalidInputError, match="A: its rows and its columns have some labels in common, but no column is called 'a'"):
        myrmex.qap(A.set_axis(list("bcde"), axis=1), B)
    with pytest.raises(myrmex.InvalidInputError, match="points_or_matrix: its rows and its columns have some labels in common"):
        myrmex.tsp(A.set_axis(list("bcde"), axis=1), metric="matrix")
    C = pandas.DataFrame(np.ones((4, 4)), index=list("bcde"), columns=list("wxyz"))
    with pytest.raises(myrmex.InvalidInputError, match="C: its rows have some labels of A, but none of these is 'e'"):
        myrmex.qap(A, B, C)
    with pytest.raises(myrmex.InvalidInputError, match="C: its columns have some labels of B, but none of these is 'v'"):
        myrmex.qap(A, B, C.set_axis(list("abcd")).set_axis(list("vwxy"), axis=1))
    # Rows that are counted have no labels of their own.
    assert len(myrmex.qap(square(range(1, 5)), B, C.set_axis(range(4)))) == 4


def test_rows_without_labels_are_in_no_order():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(WEIGHTS, schema=list("abcd"))
    assert len(myrmex.qap(square(list("abcd")), table, table)) == 4


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
    assert problem.city_names == list("abcdef")
    assert myrmex.tsp(table.drop(columns="name"), metric=metric).city_names == ["11", "12", "13", "14", "15", "16"]
    assert myrmex.tsp(table.set_axis(list("ABCDEF")), metric=metric).city_names == list("ABCDEF")
    assert myrmex.tsp(table, metric=metric).city_ids == ["11", "12", "13", "14", "15", "16"]
    with pytest.raises(myrmex.InvalidInputError, match=f"'{metric}' does not go with 4 coordinates a city"):
        myrmex.tsp(square(list("abcd")), metric=metric)


@pytest.mark.parametrize(("columns", "metric", "order"), [(["lng", "lat"], "GEO", [1, 0]), (["easting", "northing"], "EUC_2D", [0, 1])])
def test_metrics_of_tsplib_know_what_readers_know(columns, metric, order):
    points = np.floor(POINTS)
    table = pandas.DataFrame(points, columns=columns).assign(stop=list("abcdef"))
    problem = myrmex.tsp(table, metric=metric)
    assert problem.cost(range(6)) == myrmex.tsp(points[:, order], metric=metric).cost(range(6))
    assert problem.city_names == list("abcdef")
    with pytest.raises(myrmex.InvalidInputError, match="no columns are called x and y, or lon and lat, beside 'stop'"):
        myrmex.tsp(table.rename(columns={columns[0]: "p"}), metric=metric)
    with pytest.raises(myrmex.InvalidInputError, match="columns .* mean the same: leave one of them out"):
        myrmex.tsp(table.assign(**{columns[0].upper(): 1.0}), metric=metric)


@pytest.mark.parametrize(
    ("columns", "points"),
    [
        ("ab", POINTS),
        ("xy", [[1.125, 1], [2.375, 2], [3.625, 3]]),
        (["Lon", "LAT"], [[500000, 5800000], [500100, 5800200], [500300, 5800050]]),
        ("xy", [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4], [5, 5], [6, 6], [2e8, 2e8]]),
    ],
)
def test_metrics_of_tsplib_take_what_an_array_may_hold(columns, points):
    table = pandas.DataFrame(points, columns=list(columns))
    tour = range(len(points))
    assert myrmex.tsp(table, metric="EUC_2D").cost(tour) == myrmex.tsp(points, metric="EUC_2D").cost(tour)


def test_words_that_are_no_metric_are_told_before_what_is_wrong_with_the_table():
    ways = pandas.DataFrame([("a", "b", 1.0), ("a", "c", 2.0), ("b", "c", 3.0)], columns=["from", "to", "km"])
    for table in (ways, square(list("abcd")), pandas.DataFrame(POINTS, columns=["x", "y"])):
        with pytest.raises(myrmex.InvalidInputError, match="metric: expected 'plane', .* EUC_2D, .* not 'euclid'"):
            myrmex.tsp(table, metric="euclid")


def frames(columns):
    """The same table of pandas and, where there is one, of Polars."""
    yield pandas.DataFrame(columns)
    try:
        import polars
    except ImportError:
        return
    yield polars.DataFrame(columns)


def test_columns_of_coordinates_are_called_as_in_files():
    rust = (ROOT / "src/instance/tsp/places.rs").read_text(encoding="utf-8")

    def words(name):
        return set(re.findall(r'"([^"]*)"', re.search(rf"const {name}: &\[&str\] = &\[(.*?)\];", rust, re.S)[1]))

    for name in ("X", "Y", "Z", "LON", "LAT", "ID"):
        assert set(getattr(_tables, f"_{name}")) == words(name)
    assert {*_tables._NAME, *_tables._ID} == words("NAME")


def test_names_are_no_comments():
    for first in ("# 5 Elm", "#5", "#"):
        for table in frames({"name": [first, "B", "C"], "x": [0, 1, 2], "y": [0, 3, 1]}):
            assert myrmex.tsp(table).city_names == [first, "B", "C"]
        for table in frames({"from": [first, first, "b"], "to": ["b", "c", "c"], "km": [1, 2, 3]}):
            assert myrmex.tsp(table).city_names == [first, "b", "c"]
    assert myrmex.tsp(pandas.DataFrame({"x": [0, 1], "y": [0, 3]}, index=["# a", "b"])).city_names == ["# a", "b"]


def test_columns_called_by_numbers_beside_others():
    for table in frames({"name": list("abcd"), "0": [0, 1, 2, 5], "1": [0, 3, 1, 4]}):
        with pytest.raises(myrmex.InvalidInputError, match="no column is called x and y"):
            myrmex.tsp(table)
    assert myrmex.tsp(pandas.DataFrame(WEIGHTS, columns=["A", "12", "C", "D"])).city_names == ["A", "12", "C", "D"]
    for table in frames({"x": [0, 1, 2], "y": [0, 3, 1], "2024": [5, 6, 7]}):
        assert myrmex.tsp(table).points.tolist() == [[0, 0], [1, 3], [2, 1]]
    for table in frames({"from": ["a", "a", "b"], "to": ["b", "c", "c"], "0": [1, 2, 3]}):
        assert myrmex.tsp(table).city_names == ["a", "b", "c"]
    for table in frames({"city": [7, 5, 9, 8], **dict(zip("7598", WEIGHTS.T.tolist()))}):
        assert myrmex.tsp(table).city_names == list("7598")


@pytest.mark.parametrize("metric", [None, "plane"])
def test_three_decimals_are_no_thousands(metric):
    points = np.array([[1.125, 1], [2.375, 2], [-3.625, 3]])
    for table in frames({"x": points[:, 0], "y": [1, 2, 3]}):
        assert myrmex.tsp(table, metric=metric).points.tolist() == points.tolist()
    whole = pandas.DataFrame({"x": pandas.array(points[:, 0], dtype="Float64"), "y": [1, 2, 3]})
    assert myrmex.tsp(whole, metric=metric).points.tolist() == points.tolist()


@pytest.mark.parametrize("metric", [None, "plane"])
@pytest.mark.parametrize("kind", ["object", "sparse", "category", decimal.Decimal, fractions.Fraction])
def test_columns_that_hold_decimals_in_another_form_are_as_columns_of_floats(kind, metric):
    # A whole number among objects is one.
    points = np.array([[1.125, 1], [2.375, 2], [4 if kind == "object" else 3.625, 3]])
    table = pandas.DataFrame({"x": points[:, 0], "y": [1, 2, 3]})
    entries = [1.125, 2.375, 4] if kind == "object" else [kind(entry) for entry in points[:, 0]] if callable(kind) else table["x"]
    table["x"] = pandas.Series(entries, dtype=pandas.SparseDtype(float, 0) if kind == "sparse" else kind if kind == "category" else object)
    held = table.dtypes.tolist()
    assert myrmex.tsp(table, metric=metric).points.tolist() == points.tolist()
    assert table.dtypes.tolist() == held
    # Words that look so may have thousands.
    with pytest.raises(myrmex.InvalidInputError, match="row 0 of the table: '1.125' may be a thousand or more"):
        myrmex.tsp(table.assign(x=["1.125", "2.375", "4"]), metric=metric)


@pytest.mark.parametrize("kind", ["Decimal", "Object"])
def test_columns_of_polars_hold_decimals_in_another_form_too(kind):
    polars = pytest.importorskip("polars")
    entries = [decimal.Decimal("1.125"), decimal.Decimal("2.375"), decimal.Decimal("4")]
    x = polars.Series("x", entries, dtype=polars.Object if kind == "Object" else polars.Decimal(10, 3))
    table = polars.DataFrame([x, polars.Series("y", [1, 2, 3])])
    assert myrmex.tsp(table).points.tolist() == [[1.125, 1], [2.375, 2], [4, 3]]
    names = polars.Series("name", ["a", None, "c"], dtype=polars.Object)
    assert myrmex.tsp(table.with_columns(names)).city_names == ["a", "", "c"]


def test_names_come_from_the_index_or_from_a_column():
    table = pandas.DataFrame({"name": ["a", None, "c"], "x": [0, 1, 2], "y": [0, 3, 1]})
    assert myrmex.tsp(table).city_names == ["a", "", "c"]
    assert myrmex.tsp(table.set_axis(["A", "B", "C"])).city_names == ["A", "B", "C"]
    for index in (["A", None, "C"], ["A", "A", "A"]):
        assert myrmex.tsp(table.set_axis(index)).city_names == [word or "" for word in index]
    assert myrmex.tsp(pandas.DataFrame(POINTS[:3], index=list("abc")), metric="plane").city_names == list("abc")
    ways = pandas.DataFrame([(9, 5, 1.0), (9, 7, 2.0), (7, 5, 3.0)], columns=["from", "to", "km"])
    assert myrmex.tsp(ways).city_names == ["9", "5", "7"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"x": [1, 2, 3], "y": ["4", "5", "z"]}, "^row 2 of the table: expected a number for y in column 'y', not 'z'"),
        ({"name": ["two\nlines", "b", "c"], "x": [1, 2, 3], "y": [4.5, 5, np.nan]}, "^row 2 of the table: .* in column 'y', which is empty"),
        ({"from": ["a", "a", "b"], "to": ["b", "c", "c"], "km": [1, 2, 3], "minutes": [4, 5, 6]}, "'km' or 'minutes': leave one of these columns in$"),
        ({"p": [1, 2], "q": [3, 4], "r": [5, 6]}, "^the table: no column is called x and y"),
        ({"from": ["a", "a"], "to": ["b", "c"], "km": [1, 2]}, "^the table: no row has the way from 'b' to 'c'"),
        ({"from": ["a", "a", "a"], "to": ["b", "c", "b"], "km": [1, 2, 3]}, "^row 2 of the table: .* here and 1 in row 0"),
        ({"x": [1, 2, 3], "y": ["4", "5", "in column 1, line 7"]}, "^row 2 of the table: .* for y in column 'y', not 'in column 1, line 7'$"),
        ({"from": ["a", "a"], "to": ["(line 2) b"] * 2, "km": [1, 2]}, r"to '\(line 2\) b' is 2 here and 1 in row 0: leave one of them in$"),
        ({"from": ["a", "b", "a"], "to": ["b", "a", "c"], "km": [1, 2, 3]}, r"^the table: no row .* those of 'a' and 'b' differ \(row 1\); give"),
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
    with pytest.raises(myrmex.InvalidInputError, match="row 2 of the table: .* in column 'a', .* write inf for a way that is not there"):
        myrmex.tsp(empty)
    # A detour by the text of a large table takes long.
    monkeypatch.delattr(_tables, "read_table")
    problem = myrmex.tsp(table)
    assert problem.city_names == list("abcd") and problem.length(range(4)) == 3 + 4 + 5 + 2


@pytest.mark.parametrize("metric", [None, "matrix"])
@pytest.mark.parametrize("kind", ["UInt64", "bool", "object", "category", "diagonal", "Int64 diagonal"])
def test_squares_of_any_kind_have_their_names(kind, metric):
    weights = WEIGHTS > 0 if kind == "bool" else WEIGHTS
    table = square(list("7598"), weights)
    if kind.endswith("diagonal"):
        table = table.mask(np.eye(4, dtype=bool)).astype("Int64" if "Int64" in kind else float)
    else:
        table = table.astype({"7": kind, "9": kind})
    problem = myrmex.tsp(table, metric=metric)
    assert problem.city_names == list("7598") and problem.length(range(4)) == (4 if kind == "bool" else 14)


def test_names_that_are_numbers_stay_as_they_are():
    names = pandas.Series([101, 101.5, 1.125], dtype=object)
    for column in ("name", "id"):
        assert myrmex.tsp(pandas.DataFrame({column: names, "x": [0.5, 1, 2], "y": [0, 1, 0.25]})).city_names == ["101", "101.5", "1.125"]
