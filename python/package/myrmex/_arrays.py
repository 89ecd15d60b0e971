"""From what a user hands over to arrays of the one kind that the extension takes."""

from __future__ import annotations

import csv
import io
import math
import operator
import re
from typing import Any, Iterable

import numpy as np
import numpy.typing as npt

from . import _myrmex
from ._errors import InvalidInputError

#: Numbers of cities and facilities are below this.
_BELOW = 1 << 32
_LONGEST = 1e9


def array_of(what: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """An array of whole or real numbers."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidInputError(f"{what}: some entries are masked; fill them, or leave their rows out")
    try:
        array = np.asarray(values)
    except MemoryError:
        raise
    except Exception as error:
        if isinstance(error, ValueError) and "inhomogeneous" in str(error):
            raise InvalidInputError(f"{what}: the rows have different lengths") from error
        raise InvalidInputError(f"{what}: numpy makes no array of it: {error}") from error
    if array.dtype.kind == "O":
        return _numbers_in(what, array)
    if array.dtype.kind in "US":
        hint = "; myrmex.read() takes the path of a file" if array.ndim == 0 else ""
        raise InvalidInputError(f"{what}: expected whole or real numbers, not words{hint}")
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind not in "iuf":
        raise InvalidInputError(f"{what}: expected whole or real numbers, not {array.dtype}")
    return array


def _numbers_in(what: str, objects: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The numbers that an array of objects holds, as tables with columns of several kinds have them."""
    if objects.ndim == 0:
        kind = type(objects.item()).__name__
        raise InvalidInputError(f"{what}: expected an array of whole or real numbers, not an object of the type {kind}")
    numbers = np.empty(objects.shape, dtype=np.float64)
    for at, entry in np.ndenumerate(objects):
        try:
            numbers[at] = float("no number" if isinstance(entry, (str, bytes)) else entry)
        except (TypeError, ValueError, OverflowError):
            raise InvalidInputError(f"{what}[{_place(at)}] is {entry!r}: expected whole or real numbers") from None
        if isinstance(entry, (int, np.integer)) and int(numbers[at]) != int(entry):
            raise InvalidInputError(
                f"{what}[{_place(at)}] is {entry}, which floating-point numbers do not hold exactly; numpy.inf stands for a way that is not there"
            )
    return numbers


def _place(at: tuple[int, ...]) -> str:
    return ", ".join(map(str, at))


def matrix_of(what: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """The same with rows and columns."""
    array = array_of(what, values)
    if array.ndim != 2:
        raise InvalidInputError(f"{what}: expected an array with two dimensions, not {array.ndim}")
    return array


def real(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Real numbers, one row after the other."""
    return np.require(array, dtype=np.float64, requirements=["C", "A"])


def _refuse_condensed(array: npt.NDArray[Any]) -> None:
    """Refuses the half of a symmetric matrix that scipy.spatial.distance.pdist makes."""
    cities = math.isqrt(2 * array.size) + 1
    if array.ndim == 1 and array.size > 1 and cities * (cities - 1) == 2 * array.size:
        raise InvalidInputError(
            f"points_or_matrix: expected an array with two dimensions, not a list of {array.size} numbers; where these are the distances of "
            f"{cities} cities, scipy.spatial.distance.squareform() makes a matrix of them"
        )


def tours_of(values: Any, metric: str | None) -> _myrmex.Problem:
    """The problem of points or of a matrix, told apart by the shape unless the metric says, or of a table whose columns have names."""
    _refuse_graph("points_or_matrix", values, "numpy.inf")
    _refuse_geometries(values)
    labelled = _labelled(values)
    if labelled is not None and metric in (None, "matrix"):
        weights, names = labelled
        return _weights_of(weights).with_city_names(names)
    if metric in (None, "plane", "globe") and is_table(values):
        problem = _myrmex.parse_text(_csv_of(values), "stated" if metric is None else metric)
        if problem.kind != "tsp":
            raise InvalidInputError("the table has the flows of an assignment problem: myrmex.qap() takes two matrices")
        return problem
    array = array_of("points_or_matrix", values)
    _refuse_condensed(array)
    array = matrix_of("points_or_matrix", array)
    rows, columns = array.shape
    if metric is None:
        # Nobody has three points each of which has one 0.
        is_matrix = rows == columns == 3 and not array.diagonal().any()
        if rows == columns and columns in (2, 3) and not is_matrix:
            raise InvalidInputError(
                f"an array of {rows} x {columns} may be {rows} points or a matrix: give metric='plane' or metric='matrix' (myrmex.tsp() takes it, "
                "too, where many are solved)"
            )
        metric = "plane" if columns in (2, 3) and not is_matrix else "matrix"
        if metric == "plane" and columns == 3 and rows > 3 and _counts(array[:, 0]):
            raise InvalidInputError(
                "the first of three columns numbers the rows: leave it out, or give metric='plane' where it is a coordinate"
            )
    if not isinstance(metric, str):
        raise InvalidInputError(f"metric: expected a word such as 'plane', not {metric!r}")
    if metric != "matrix":
        return _myrmex.from_points(real(array), metric)
    if rows != columns:
        raise InvalidInputError(
            f"an array of {rows} x {columns} is neither points, which have 2 or 3 coordinates, nor a square matrix"
        )
    return _weights_of(array)


def _weights_of(array: npt.NDArray[Any]) -> _myrmex.Problem:
    """The problem of a square matrix of weights."""
    if array.dtype.kind == "f":
        return _myrmex.from_weights(real(array))
    if array.size and int(array.max()) > np.iinfo(np.int64).max:
        floats = real(array)
        # The diagonal counts for nothing.
        between = array[~np.eye(len(array), dtype=bool)]
        for weight in np.unique(between[between > 1 << 53]).tolist():
            if int(float(weight)) != weight:
                raise InvalidInputError(
                    f"the weight {weight} is one that floating-point numbers do not hold exactly: write numpy.inf for a way that is not there, or take the "
                    "same number from all weights, which changes every tour alike"
                )
        return _myrmex.from_weights(floats)
    # Weights that lie farther apart than the solver counts are rounded, as floats are: `edge_error` tells by how much.
    try:
        return _myrmex.from_whole_weights(np.require(array, dtype=np.int64, requirements=["C", "A"]))
    except InvalidInputError:
        return _myrmex.from_weights(real(array))


def _counts(column: npt.NDArray[Any]) -> bool:
    """Whether a column numbers its rows, from 0 or from 1."""
    return any(np.array_equal(column, np.arange(first, first + len(column))) for first in (0, 1))


def _refuse_graph(what: str, values: Any, missing: str) -> None:
    """Refuses graphs and sparse matrices, in which what is left out may be a way of length 0, or none; an entry of none is `missing`."""
    if hasattr(values, "nodes") and hasattr(values, "edges"):
        raise InvalidInputError(
            f"{what}: a graph; networkx.to_numpy_array(G, nonedge={missing}) makes a matrix of it, with {missing} where there is no edge"
        )
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        hint = "" if missing == "0" else f"; write {missing} there where there is no way"
        raise InvalidInputError(f"{what}: a sparse matrix; its toarray() makes an array of it, in which what it leaves out is 0{hint}")


def _refuse_geometries(values: Any) -> None:
    if hasattr(values, "geometry") and hasattr(values, "crs"):
        raise InvalidInputError(
            "geometries: numpy.column_stack([g.geometry.x, g.geometry.y]) makes an array of points, longitudes first; metric='globe' measures degrees"
        )


def is_table(values: Any) -> bool:
    """Whether something is a table, of pandas or Polars, whose columns have names."""
    named = all(isinstance(column, str) for column in getattr(values, "columns", (0,)))
    return named and (hasattr(values, "to_csv") or hasattr(values, "write_csv"))


def _is_called(table: Any) -> bool:
    """Whether the rows of a table are called by words."""
    index = getattr(table, "index", None)
    return index is not None and len(index) > 0 and index.nlevels == 1 and all(isinstance(label, str) for label in index)


def _labelled(table: Any) -> tuple[npt.NDArray[Any], list[str]] | None:
    """The numbers of a table with a row and a column for each city, and their names; None for any other one."""
    if not (is_table(table) and hasattr(table, "to_numpy") and _is_called(table)):
        return None
    names = list(table.columns)
    if len(names) != len(table.index) or set(names) != set(table.index):
        return None
    _refuse_order("points_or_matrix", table)
    kinds = {dtype.kind for dtype in table.dtypes if isinstance(dtype, np.dtype)}
    if len(names) != len(set(names)) or not kinds <= set("iuf") or len(kinds) == 0:
        return None
    array = table.to_numpy()
    # What is wrong with a blank entry is told of the text of a table.
    whole_table = array.dtype.kind in "iuf" and not (array.dtype.kind == "f" and np.isnan(array).any())
    return (array, names) if whole_table else None


def _refuse_order(what: str, table: Any) -> None:
    """Refuses a table whose rows and columns have the same names in another order."""
    if not _is_called(table):
        return
    rows, columns = list(table.index), list(table.columns)
    if rows != columns and len(rows) == len(columns) and set(rows) == set(columns):
        raise InvalidInputError(
            f"{what}: its rows and its columns have the same names in another order; table.loc[table.columns] has both in the same"
        )


def _csv_of(table: Any) -> str:
    """A table as text, with what its rows are called where that is more than their numbers."""
    if not hasattr(table, "to_csv"):
        text = str(table.write_csv())
    else:
        text = str(table.to_csv(index=_is_called(table), index_label="name"))
    # A file may have such lines behind its last row; here places in the answer are those of rows.
    if re.search(r'^(?:,|"")*$', text.rstrip("\r\n"), re.MULTILINE):
        for row, cells in enumerate(csv.reader(io.StringIO(text, newline="")), -1):
            if row >= 0 and not any(cells):
                raise InvalidInputError(f"row {row} of the table is blank: leave it out (dropna()), or fill it")
    if "," not in text:
        raise InvalidInputError(
            f"the table has no column but {text.split(chr(10), 1)[0].strip()!r}: points have two (x and y, lon and lat), ways from, to and a distance, a "
            "matrix one for each city"
        )
    return text


def assignments_of(
    flows: npt.ArrayLike, distances: npt.ArrayLike, placing: npt.ArrayLike | None
) -> tuple[_myrmex.Problem, float]:
    """The problem of two matrices, or of three, and what no assignment costs more than that has no infinite cost."""
    first, second = _square("A", flows), _square("B", distances)
    facilities, locations = len(first), len(second)
    if facilities > locations:
        raise InvalidInputError(
            f"A has {facilities} facilities, B only {locations} locations: leave facilities out, or add locations (A comes first, then B)"
        )
    third = None if placing is None else real(matrix_of("C", placing))
    if third is not None and third.shape != (facilities, locations):
        raise InvalidInputError(f"C has the shape {third.shape}, not {(facilities, locations)}: facilities x locations")
    if third is None:
        return _myrmex.from_matrices(first, second), math.inf
    never = np.isposinf(third)
    costs = _finite_entries("C", np.where(never, 0.0, third))
    if not never.any():
        return _myrmex.from_matrices(first, second, costs), math.inf
    # What the products of all assignments lie between, and what costs by themselves do.
    products = float(np.abs(first).sum() * np.abs(second).max(initial=0.0))
    placed = float(np.abs(costs).max(axis=1, initial=0.0).sum())
    most = products + placed
    # Half way to what assignments with one cost at least: sums are not exact.
    return _myrmex.from_matrices(first, second, np.where(never, 2.0 * most + placed + 1.0, costs)), most + 0.5 * (placed + 1.0)


def _square(what: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    if is_table(values):
        _refuse_order(what, values)
    _refuse_graph(what, values, "0")
    array = _finite_entries(what, values)
    if array.shape[0] != array.shape[1]:
        raise InvalidInputError(f"{what}: expected a square matrix, not {array.shape[0]} x {array.shape[1]}")
    return array


def _finite_entries(what: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    array = real(matrix_of(what, values))
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0].tolist()
        raise InvalidInputError(
            f"{what}[{row}, {column}] is {array[row, column]}, which is not finite; give what must not be a cost greater than any "
            "assignment's"
        )
    return array


def numbers_of(what: str, values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Numbers of cities or locations."""
    array = array_of(what, values)
    if np.asarray(values).dtype.kind == "b":
        raise InvalidInputError(f"{what}: expected whole numbers from 0 up, not True and False")
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.uint32)
    if array.dtype.kind == "f":
        raise InvalidInputError(f"{what}: expected whole numbers from 0 up, not {array.dtype}; astype(int) makes them whole")
    wrong = array[(array < 0) | (array >= _BELOW)]
    if wrong.size:
        raise InvalidInputError(f"{what}: expected whole numbers from 0 up, not {wrong[0]}")
    return np.require(array, dtype=np.uint32, requirements=["C", "A"])


def solution_of(what: str, values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """A list of cities or locations."""
    array = array_of(what, values)
    if array.ndim == 2:
        hint = "; of a permutation matrix P, P.argmax(axis=1) is the list" if array.shape[0] == array.shape[1] else ""
        raise InvalidInputError(f"{what}: expected a list of numbers, not an array of the shape {array.shape}{hint}")
    array = numbers_of(what, values)
    if array.ndim != 1:
        raise InvalidInputError(f"{what}: expected a list of numbers, not an array with {array.ndim} dimensions")
    return array


def edges_of(what: str, values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Pairs of cities."""
    array = numbers_of(what, values)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.uint32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidInputError(f"{what}: expected pairs of cities, not an array of the shape {array.shape}")
    return array


def fixed_of(what: str, values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Pairs of a facility and its location."""
    array = numbers_of(what, values)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.uint32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidInputError(f"{what}: expected pairs of a facility and its location, not an array of the shape {array.shape}")
    return array


def whole(what: str, value: Any, least: int = 0, below: int = _BELOW) -> int:
    """A whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidInputError(f"{what}: expected a whole number, not {value!r}") from None
    if isinstance(value, (bool, np.bool_)) or not least <= number < below:
        raise InvalidInputError(f"{what}: expected a whole number from {least} to {below - 1}, not {value!r}")
    return number


def seconds(what: str, value: Any) -> float:
    """A time."""
    number = value if isinstance(value, float) and math.isinf(value) else finite(what, value)
    if not 0 <= number <= _LONGEST:
        raise InvalidInputError(f"{what}: expected seconds from 0 to {_LONGEST:.0e}, not {value!r}")
    return number


def finite(what: str, value: Any) -> float:
    """A number."""
    try:
        number = float("no number" if isinstance(value, (str, bytes, bool, np.bool_)) else value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInputError(f"{what}: expected a number, not {value!r}") from None
    if not math.isfinite(number):
        raise InvalidInputError(f"{what}: expected a finite number, not {value!r}; leave it out for none")
    return number


def cities_called(what: str, values: Any, names: list[str] | None, ids: list[str] | None) -> Any:
    """Numbers for the cities that are called by their names, or by the ids of a table; what holds no words stays as it is."""
    if isinstance(values, (list, tuple)):
        return [cities_called(what, value, names, ids) for value in values]
    if isinstance(values, np.ndarray) and values.dtype.kind in "UO":
        return cities_called(what, values.tolist(), names, ids)
    if not isinstance(values, str):
        return values
    called = [words for words in (ids, names) if words is not None]
    places = sorted({place for words in called for place, word in enumerate(words) if word == values})
    if len(places) != 1:
        why = f"{len(places) or 'no'} cities are called so" if called else "the cities have no names"
        raise InvalidInputError(f"{what}: {values!r} is no city: {why}; give its number, counted from 0")
    return places[0]


def _is_missing(name: object) -> bool:
    """Whether something stands for a name that is not there."""
    try:
        # What is no number is not equal to itself.
        return name is None or bool(name != name)
    except TypeError:
        # Nor does pandas say whether its own is.
        return True


def names_of(names: Iterable[object]) -> list[str]:
    """Names of cities."""
    called = list(names)
    for place, name in enumerate(called):
        if _is_missing(name):
            raise InvalidInputError(f"names[{place}] is {name!r}: expected what the city is called")
    return [str(name) for name in called]
