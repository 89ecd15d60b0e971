"""From what a user hands over to arrays of the one kind that the extension takes."""

from __future__ import annotations

import functools
import math
import operator
import os
from typing import Any, Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from . import _myrmex, _tables
from ._errors import InvalidInputError

#: Numbers of cities and facilities are below this.
_BELOW = 1 << 32
_LONGEST = 1e9
#: What reads a file, where somebody gives its path instead.
_READERS = {
    "points_or_matrix": "myrmex.read()",
    "A": "myrmex.read()",
    "B": "myrmex.read()",
    "C": "myrmex.read()",
    "initial": "read_solution() of the problem",
    "solution": "read_solution() of the problem",
    "tour": "read_solution() of the problem",
}


def array_of(what: str, values: npt.ArrayLike) -> npt.NDArray[Any]:
    """An array of whole or real numbers."""
    rows = values if isinstance(values, (list, tuple)) else (values,)
    if any(isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row) for row in rows):
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
        reader = _READERS.get(what) if array.ndim == 0 else None
        hint = "" if reader is None else f"; {reader} takes the path of a file"
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
            raise _inexact(what, at, entry, objects.shape)
    return numbers


def _inexact(what: str, at: tuple[int, ...], entry: Any, shape: tuple[int, ...]) -> InvalidInputError:
    """That a whole number is none that floating-point numbers hold."""
    is_square = len(shape) == 2 and shape[0] == shape[1]
    if what == "C":
        remedy = "numpy.inf says where a facility must not be"
    elif what != "points_or_matrix" or (is_square and shape[0] <= 3):
        remedy = "give smaller numbers"
    elif is_square:
        remedy = "numpy.inf stands for a way that is not there"
    else:
        remedy = "take the same number from all coordinates"
    return InvalidInputError(f"{what}[{_place(at)}] is {entry}, which floating-point numbers do not hold exactly: {remedy}")


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


def exact(what: str, array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """The same where no whole number is changed by it."""
    numbers = real(array)
    if array.dtype.kind in "iu":
        # What is greater than all numbers of its kind, once it is rounded, is none of them; some processors take the greatest for it.
        above = numbers >= (float(np.iinfo(array.dtype).max) if array.dtype.itemsize == 8 else math.inf)
        with np.errstate(invalid="ignore"):
            changed = np.argwhere(above | (numbers.astype(array.dtype) != array))
        if len(changed):
            at = tuple(changed[0].tolist())
            raise _inexact(what, at, array[at], array.shape)
    return numbers


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
    if not (metric is None or isinstance(metric, str)):
        raise InvalidInputError(f"metric: expected a word such as 'plane', not {metric!r}")
    labelled = _tables.labelled(values)
    if labelled is not None and metric in (None, "matrix"):
        weights, names = labelled
        return _weights_of(array_of("points_or_matrix", weights)).with_city_names(names)
    called, ids = _tables.names_in(values), None
    if _tables.is_table(values) and metric != "matrix":
        if metric in (None, "plane", "globe"):
            return _tours_in(values, metric)
        # A word that is no metric is told before what is wrong with the table.
        _myrmex.from_points(np.zeros((1, 3 if metric == "EUC_3D" else 2)), metric)
        values, called, ids = _tables.points_in(values, metric)
    problem = _tours_of_array(values, metric)
    problem = problem if called is None else problem.with_city_names(called)
    return problem if ids is None else problem.with_city_ids(ids)


def _tours_of_array(values: Any, metric: str | None) -> _myrmex.Problem:
    """The problem of an array, of points or of a matrix."""
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
    if metric != "matrix":
        return _myrmex.from_points(exact("points_or_matrix", array), metric)
    if rows != columns:
        raise InvalidInputError(
            f"an array of {rows} x {columns} is neither points, which have 2 or 3 coordinates, nor a square matrix"
        )
    _tables.refuse_order("points_or_matrix", values)
    return _weights_of(array)


def _tours_in(table: Any, metric: str | None) -> _myrmex.Problem:
    """The problem of a table whose columns have names."""
    if len(table.columns) > 3:
        # As many rows as columns, with the same labels, are no points.
        _tables.refuse_order("points_or_matrix", table)
    problem = _tables.read_table(table, metric or "stated")
    if problem.kind != "tsp":
        raise InvalidInputError("the table has the flows of an assignment problem: myrmex.qap() takes two matrices")
    if problem.points is not None and len(problem) != len(table):
        raise InvalidInputError(f"the table has {len(table)} rows, but is read as {len(problem)} cities: call its columns by words, such as x and y")
    called = _tables.names_in(table)
    return problem if problem.points is None or called is None else problem.with_city_names(called)


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


def assignments_of(flows: npt.ArrayLike, distances: npt.ArrayLike, placing: npt.ArrayLike | None) -> _myrmex.Problem:
    """The problem of two matrices, or of three."""
    first, second = _square("A", flows), _square("B", distances)
    _tables.refuse_order_of_placing(flows, distances, placing)
    facilities, locations = len(first), len(second)
    if facilities > locations:
        raise InvalidInputError(
            f"A has {facilities} facilities, B only {locations} locations: leave facilities out, or add locations (A comes first, then B)"
        )
    third = None if placing is None else _entries("C", placing)
    if third is not None and third.shape != (facilities, locations):
        raise InvalidInputError(f"C has the shape {third.shape}, not {(facilities, locations)}: facilities x locations")
    problem = _myrmex.from_matrices(first, second) if third is None else _myrmex.from_matrices(first, second, third)
    names = _tables.side_names(flows), _tables.side_names(distances)
    return problem if names == (None, None) else problem.with_names(*names)


def _square(what: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    _tables.refuse_order(what, values)
    _refuse_graph(what, values, "0")
    array = _entries(what, values)
    if array.shape[0] != array.shape[1]:
        raise InvalidInputError(f"{what}: expected a square matrix, not {array.shape[0]} x {array.shape[1]}")
    return array


def _entries(what: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The entries of a matrix; those of C may be infinite."""
    array = exact(what, matrix_of(what, values))
    wrong = ~np.isfinite(array) & ~(np.isposinf(array) & (what == "C"))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        remedy = "numpy.inf says where a facility must not be" if what == "C" else "give what must not be a cost greater than any assignment's"
        raise InvalidInputError(f"{what}[{row}, {column}] is {array[row, column]}, which is not finite; {remedy}")
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


def solution_of(what: str, values: npt.ArrayLike, tour_of: int | None = None) -> npt.NDArray[np.uint32]:
    """A list of cities or locations; `tour_of` is how many cities a tour has."""
    array = array_of(what, values)
    if array.ndim == 2:
        hint = "; of a permutation matrix P, P.argmax(axis=1) is the list" if array.shape[0] == array.shape[1] else ""
        raise InvalidInputError(f"{what}: expected a list of numbers, not an array of the shape {array.shape}{hint}")
    array = numbers_of(what, values)
    if array.ndim != 1:
        raise InvalidInputError(f"{what}: expected a list of numbers, not an array with {array.ndim} dimensions")
    if tour_of is not None and len(array) == tour_of + 1 and array[0] == array[-1]:
        raise InvalidInputError(f"{what}: the first city stands at the end once more; leave it out there ({what}[:-1])")
    return array


def path_of(path: Any) -> str:
    """The path of a file."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InvalidInputError(f"path: expected the path of a file, not an object of the type {type(path).__name__}") from None


def edges_of(what: str, values: npt.ArrayLike, pairs: str = "pairs of cities") -> npt.NDArray[np.uint32]:
    """Pairs of cities, or others."""
    array = numbers_of(what, values)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.uint32)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InvalidInputError(f"{what}: expected {pairs}, not an array of the shape {array.shape}")
    return array


def fixed_of(values: Any, problem: _myrmex.Problem) -> npt.NDArray[np.uint32]:
    """Pairs of a facility and its location, by number or by name."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "UO":
        values = values.tolist()
    if isinstance(values, (list, tuple)):
        facilities = functools.cache(lambda: _numbers_of(problem.facility_names))
        locations = functools.cache(lambda: _numbers_of(problem.location_names))

        def called(place: Any, one: str, many: str, numbers: Callable[[], dict[str, list[int]] | None]) -> Any:
            if not isinstance(place, str):
                return place
            known = numbers()
            found = (known or {}).get(place.strip(), [])
            if len(found) != 1:
                why = f"the {many} have no names" if known is None else f"{len(found) or 'no'} {many} are called so"
                raise InvalidInputError(f"fixed: {place!r} is no {one}: {why}; give its number, counted from 0")
            return found[0]

        values = [
            [called(pair[0], "facility", "facilities", facilities), called(pair[1], "location", "locations", locations)]
            if isinstance(pair, (list, tuple)) and len(pair) == 2
            else pair
            for pair in values
        ]
    return edges_of("fixed", values, "pairs of a facility and its location")


def _numbers_of(names: list[str] | None) -> dict[str, list[int]] | None:
    """What has each name, counted from 0."""
    if names is None:
        return None
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        numbers.setdefault(name, []).append(number)
    return numbers


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


def places_of(names: list[str] | None, ids: list[str] | None) -> dict[str, set[int]]:
    """The cities that each word is a name or an id of."""
    places: dict[str, set[int]] = {}
    for words in (names, ids):
        for place, word in enumerate(words or ()):
            places.setdefault(word, set()).add(place)
    return places


def cities_called(what: str, values: Any, places: Callable[[], Mapping[str, set[int]]]) -> Any:
    """Numbers for the cities that are called by their names, or by the ids of a table; what holds no words stays as it is."""
    if isinstance(values, (list, tuple)):
        return [cities_called(what, value, places) for value in values]
    if isinstance(values, np.ndarray) and values.dtype.kind in "UO":
        return cities_called(what, values.tolist(), places)
    if not isinstance(values, str):
        return values
    called = places().get(values, ())
    if len(called) != 1:
        why = f"{len(called) or 'no'} cities are called so" if places() else "the cities have no names"
        raise InvalidInputError(f"{what}: {values!r} is no city: {why}; give its number, counted from 0")
    return next(iter(called))


def names_of(names: Iterable[object]) -> list[str]:
    """Names of cities."""
    called = list(names)
    for place, name in enumerate(called):
        if _tables.is_missing(name):
            raise InvalidInputError(f"names[{place}] is {name!r}: expected what the city is called")
    return [str(name) for name in called]
