"""Problems: instances of the travelling salesman and the quadratic assignment problem."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Iterable, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from . import _arrays, _myrmex
from ._errors import InvalidInputError


class Problem:
    """An instance. :func:`tsp`, :func:`qap` and :func:`read` make one. It can be pickled, and so can a result."""

    __slots__ = ("_problem",)

    def __init__(self, problem: _myrmex.Problem) -> None:
        if not isinstance(problem, _myrmex.Problem):
            raise TypeError("myrmex.tsp(), myrmex.qap() and myrmex.read() make problems")
        self._problem: _myrmex.Problem = problem

    def _listed(self, what: str, solution: npt.ArrayLike) -> npt.NDArray[np.uint32]:
        """A solution as the extension takes it."""
        return _arrays.solution_of(what, solution, len(self) if self.kind == "tsp" else None)

    @property
    def kind(self) -> str:
        """``"tsp"`` or ``"qap"``."""
        return self._problem.kind

    @property
    def name(self) -> str:
        """Its name."""
        return self._problem.name

    @property
    def is_open(self) -> bool:
        """Of tours: whether solutions are open paths."""
        return self._problem.is_open

    @property
    def is_symmetric(self) -> bool:
        """Of tours: whether every way is as long as the way back. Of assignments: whether one of the matrices is symmetric."""
        return self._problem.is_symmetric

    @property
    def points(self) -> npt.NDArray[np.float64] | None:
        """The cities' coordinates as they were given; None where there are none."""
        return self._problem.points

    @property
    def city_names(self) -> list[str] | None:
        """What the cities are called, where that is known."""
        return self._problem.city_names

    @property
    def city_ids(self) -> list[str] | None:
        """The ids of the cities of a table that has such: ``start``, ``end`` and ``fixed_edges`` take them as words."""
        return self._problem.city_ids

    @property
    def warnings(self) -> list[str]:
        """What in the problem may be meant otherwise, or is rounded so that it may decide which solution is taken for the best: a sentence each. A run
        warns of them (:class:`UserWarning`), and of what there is to say of its solution.

        >>> import myrmex
        >>> myrmex.tsp([[0, 7, 3, 9], [0, 0, 5, 1], [0, 0, 0, 4], [0, 0, 0, 0]]).warnings
        ['all weights on one side of the diagonal are 0, and none on the other: is each way meant to be as long as that back?']
        """
        return self._problem.warnings

    @property
    def edge_error(self) -> float:
        """By how much a distance that the solver counts may differ from what was given, in that unit; 0 where it never does. One city very
        far from the others makes it large: where it comes near the distances of the others a run warns of it."""
        return self._problem.edge_error

    @property
    def locations(self) -> int | None:
        """Of assignments: how many locations there are, as many as facilities or more."""
        return self._problem.locations

    @property
    def facility_names(self) -> list[str] | None:
        """Of assignments: what the facilities are called, where that is known."""
        return self._problem.facility_names

    @property
    def location_names(self) -> list[str] | None:
        """Of assignments: what the locations are called, where that is known."""
        return self._problem.location_names

    @property
    def fixed(self) -> list[tuple[int, int]] | None:
        """Of assignments: pairs of a facility and the location that it is given."""
        return self._problem.fixed

    @property
    def cost_error(self) -> float:
        """Of assignments: by how much costs may differ at most from what the solver counts, in the unit of what was given; 0 where
        entries are counted exactly. One entry much greater than the others makes it large: where it comes near what assignments cost a run
        warns of it. What must not be needs ``numpy.inf`` in ``C``."""
        return self._problem.cost_error

    def __reduce__(self) -> tuple[Callable[[dict[str, Any]], Problem], tuple[dict[str, Any]]]:
        return _made_again, (self._problem._made_of(),)

    def __len__(self) -> int:
        return len(self._problem)

    def __repr__(self) -> str:
        return repr(self._problem)

    def cost(self, solution: npt.ArrayLike) -> int:
        """The cost of a solution as the solver counts it.

        >>> import myrmex
        >>> myrmex.qap([[0, 3], [1, 0]], [[0, 5], [7, 0]]).cost([1, 0])
        26
        """
        return self._problem._cost(self._listed("solution", solution))

    def length(self, solution: npt.ArrayLike) -> float:
        """The length of a solution in the unit of what was given, without any rounding; of an assignment its cost in that unit.

        >>> import myrmex
        >>> square = myrmex.tsp([[0, 0], [0.5, 0.5], [0.5, 0], [0, 0.5]])
        >>> square.length([0, 2, 1, 3])
        2.0
        """
        return self._problem._length(self._listed("solution", solution))

    def empty_locations(self, solution: npt.ArrayLike) -> list[int]:
        """The locations that an assignment leaves empty.

        >>> import myrmex
        >>> myrmex.qap([[0, 3], [1, 0]], [[0, 5, 1], [7, 0, 1], [1, 1, 0]]).empty_locations([2, 1])
        [0]
        """
        return self._problem._empty_locations(_arrays.solution_of("solution", solution))

    def lower_bound(self, *, time: float | None = None) -> float:
        """A length that no tour is below (Held and Karp 1970), in the unit of what was given, for symmetric tours of at most 65,536
        cities. It ends by itself, or after about ``time`` seconds with what is proven then.

        >>> import myrmex
        >>> square = myrmex.tsp([[0, 0], [5, 5], [5, 0], [0, 5]])
        >>> bool(19.9 < square.lower_bound() <= 20)
        True
        """
        limit = None if time is None else _arrays.seconds("time", time)
        return self._problem._lower_bound(limit)

    def read_solution(self, path: str | os.PathLike[str]) -> npt.NDArray[np.int64]:
        """The solution in a file, counted from 0, as ``initial`` of :func:`solve` takes it: a tour in TSPLIB's format, which LKH and Concorde
        write, too, a list of cities, a table or a JSON report; an assignment in QAPLIB's format, a table or a report."""
        return self._problem._read_solution(_arrays.path_of(path))

    def write_solution(self, path: str | os.PathLike[str], solution: npt.ArrayLike) -> None:
        """Writes a solution in the form that the ending of the file asks for: ``.csv`` is a table, ``.geojson`` a line on a map (of points with
        longitudes and latitudes), ``.sol`` a tour in Concorde's form; ``.tour``, ``.sln`` and endings without a meaning of their own are TSPLIB's or
        QAPLIB's format. Endings of another form, such as ``.json``, ``.xlsx`` or ``.gz``, are refused. Closed tours begin at city 0.

        >>> import myrmex, os, tempfile
        >>> square = myrmex.tsp([[0, 0], [5, 5], [5, 0], [0, 5]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "square.tour")
        ...     square.write_solution(path, [0, 2, 1, 3])
        ...     square.read_solution(path).tolist()
        [0, 2, 1, 3]
        """
        self._problem._write_solution(_arrays.path_of(path), self._listed("solution", solution))

    def svg(self, tour: npt.ArrayLike) -> str | None:
        """A picture of a tour; None where the cities have no places."""
        order = self._listed("tour", tour)
        self._problem._cost(order)
        return self._problem._svg(order)


def inner_of(problem: Any) -> _myrmex.Problem:
    """What the extension has of a problem."""
    if not isinstance(problem, Problem):
        raise InvalidInputError(
            f"problem: expected a Problem, not an object of the type {type(problem).__name__}; myrmex.tsp(points), myrmex.qap(A, B) and "
            "myrmex.read(path) make one"
        )
    problem.kind  # Raises what is wrong with one that could not be made again.
    return problem._problem


class _Unmade:
    """Stands for a problem that could not be made again: whoever uses it is told why. An error while a process of a pool reads what it was sent would
    leave the pool waiting."""

    def __init__(self, error: InvalidInputError) -> None:
        self._error = error

    def __getattr__(self, _: str) -> Any:
        raise self._error

    # What Python looks up by the class.
    def __len__(self) -> int:
        raise self._error

    def __repr__(self) -> str:
        return f"<myrmex.Problem that could not be made again: {self._error}>"


def _made_again(made_of: dict[str, Any]) -> Problem:
    """The problem that another process, or a file, has."""
    try:
        return Problem(_inner_again(made_of))
    except InvalidInputError as error:
        unmade = Problem.__new__(Problem)
        unmade._problem = cast(_myrmex.Problem, _Unmade(error))
        return unmade


def _inner_again(made_of: dict[str, Any]) -> _myrmex.Problem:
    inner: _myrmex.Problem = getattr(_myrmex, made_of["function"])(*made_of["arguments"])
    if made_of.get("fixed_edges") is not None:
        inner = inner.with_fixed_edges(made_of["fixed_edges"])
    if made_of.get("fixed") is not None:
        inner = inner.with_fixed(made_of["fixed"])
    if made_of.get("names", (None, None)) != (None, None):
        inner = inner.with_names(*made_of["names"])
    if made_of.get("ends") is not None:
        inner = inner.with_ends(*made_of["ends"])
    if made_of.get("city_names") is not None:
        inner = inner.with_city_names(made_of["city_names"])
    if made_of.get("city_ids") is not None:
        inner = inner.with_city_ids(made_of["city_ids"])
    return inner.with_looks(made_of["name"], made_of["comment"], made_of.get("display"))


def tsp(
    points_or_matrix: npt.ArrayLike,
    *,
    metric: str | None = None,
    open: bool | None = None,
    start: SupportsIndex | str | None = None,
    end: SupportsIndex | str | None = None,
    fixed_edges: npt.ArrayLike | None = None,
    names: Iterable[object] | None = None,
) -> Problem:
    """A travelling salesman problem.

    ``points_or_matrix`` is an array of n x 2 or n x 3 coordinates in any unit, or of n x n distances: real or whole numbers, with
    signs, symmetric or not, the diagonal ignored. ``numpy.inf`` stands for a way that is not there: a tour that has to have one is infinitely long.
    A pandas or Polars table whose columns have names is read as a file with such a header is: ``x`` and ``y``, ``lon`` and ``lat``, ``from``, ``to``
    and a distance, or a row and a column for each city. An index of words names points and the rows of a matrix; otherwise a column such as ``name``
    names points. A missing name of a point is ``""``. Cities of ``from`` and ``to`` are numbered as they first appear:
    :attr:`Problem.city_names` and :attr:`Result.names` say which is which.

    ``metric`` is ``"plane"`` (Euclidean, the default for points), ``"globe"`` (points are longitude and latitude in degrees, lengths are
    metres), ``"matrix"``, or one of TSPLIB's, which round distances to whole numbers: ``"EUC_2D"``, ``"CEIL_2D"`` and so on. (``"GEO"`` takes
    degrees and minutes as DDD.MM, in an array the latitude first.) TSPLIB's measure the columns of a table that are called ``x``, ``y`` and ``z``, or
    ``lon`` and ``lat``; where none are called so, all columns.

    ``open`` asks for a path through all cities that does not lead back, from ``start`` to ``end`` where these are given (cities are
    counted from 0; giving one asks for a path, too); with one city for both the tour is closed, and told from there on. ``fixed_edges`` are
    pairs of cities that follow one another in every solution. ``names`` are what the cities are called: ``start``, ``end`` and
    ``fixed_edges`` may say them, too, as words. A whole number is always a place counted from 0, even where names are numbers: with
    ``names=[7, 5, 9]`` the city 9 is ``start=2`` or ``start="9"``.

    >>> import myrmex
    >>> myrmex.tsp([[0, 7, 3, 9], [7, 0, 5, 1], [3, 5, 0, 4], [9, 1, 4, 0]])
    <myrmex.Problem '4 cities': tsp of 4 cities>
    """
    return _limited(Problem(_arrays.tours_of(points_or_matrix, metric)), open, start, end, fixed_edges, names)


def _limited(
    problem: Problem,
    open: bool | None,
    start: SupportsIndex | str | None,
    end: SupportsIndex | str | None,
    fixed_edges: npt.ArrayLike | None = None,
    names: Iterable[object] | None = None,
) -> Problem:
    """The problem with what its solutions keep to."""
    inner = problem._problem
    if not (open is None or isinstance(open, (bool, np.bool_))):
        raise InvalidInputError(f"open: expected True or False, not {open!r}")
    if names is not None:
        inner = inner.with_city_names(_arrays.names_of(names))

    @functools.cache
    def places() -> dict[str, set[int]]:
        return _arrays.places_of(inner.city_names, inner.city_ids)

    def called(what: str, cities: Any) -> Any:
        return _arrays.cities_called(what, cities, places)

    if fixed_edges is not None:
        edges = _arrays.edges_of("fixed_edges", called("fixed_edges", fixed_edges))
        if edges.size:
            inner = inner.with_fixed_edges(edges)
    if open is not None or start is not None or end is not None:
        ends: list[int | None] = [
            None if city is None else _arrays.whole(what, called(what, city))
            for what, city in (("start", start), ("end", end))
        ]
        inner = inner.with_ends(None if open is None else bool(open), ends[0], ends[1])
    return Problem(inner)


def qap(
    A: npt.ArrayLike, B: npt.ArrayLike, C: npt.ArrayLike | None = None, *, fixed: npt.ArrayLike | None = None
) -> Problem:
    """A quadratic assignment problem: facilities with flows ``A`` between them go to locations with distances ``B``. The cost is the
    sum of ``A[i, j] * B[p[i], p[j]]`` over all pairs, where ``p[i]`` is the location of facility i, and of ``C[i, p[i]]``, what each
    facility costs at its location by itself, where ``C`` is given. Tables of pandas whose labels are the same in another order are refused.
    An index of words, or the words above the columns, names the facilities (of ``A``) and the locations (of ``B``): :attr:`Result.names` says the locations
    by their names.

    ``A`` is m x m, ``B`` n x n, ``C`` m x n, with m at most n: some locations stay empty where there are fewer facilities. Numbers are whole or
    real, with signs, symmetric or not, and diagonals count; ``numpy.inf`` in ``C`` says where a facility must not be. A result's ``length`` is its cost in their unit; ``cost`` is the whole number
    from 0 up that the solver counts, the same where entries are whole and from 0 up. Where entries have more digits than the solver
    counts they are rounded, and ``cost_error`` of the problem says by how much costs may differ at most.

    ``fixed`` are pairs of a facility and the location that it is given, both counted from 0, or by their names as words: the ``partial_match`` of
    ``scipy.optimize.quadratic_assignment(A, B, options={"partial_match": ...})``, whose ``col_ind`` is ``permutation`` and whose ``fun``
    is ``length`` here.

    >>> import myrmex
    >>> len(myrmex.qap([[0, 3], [1, 0]], [[0, 5], [7, 0]]))
    2
    >>> myrmex.qap([[0, 0.5], [-1, 0]], [[0, 5, 1], [7, 0, 1], [1, 1, 0]], fixed=[[0, 2]]).length([2, 1])
    -0.5
    """
    return _with_fixed(Problem(_arrays.assignments_of(A, B, C)), fixed)


def _with_fixed(problem: Problem, fixed: npt.ArrayLike | None) -> Problem:
    """The problem with facilities that are given their locations."""
    if fixed is None:
        return problem
    if problem.kind != "qap":
        raise InvalidInputError("facilities are fixed in assignments; leave 'fixed' out for tours")
    return Problem(problem._problem.with_fixed(_arrays.fixed_of(fixed, problem._problem)))


def read(
    path: str | os.PathLike[str],
    *,
    metric: str | None = None,
    weight: str | None = None,
    open: bool | None = None,
    start: SupportsIndex | str | None = None,
    end: SupportsIndex | str | None = None,
    fixed: npt.ArrayLike | None = None,
    fixed_edges: npt.ArrayLike | None = None,
) -> Problem:
    """The instance in a file: TSPLIB, QAPLIB, tables of points (CSV), matrices, JSON, GeoJSON, compressed by gzip or not. The content tells
    which.

    ``metric="plane"`` or ``"globe"`` measures its coordinates so, whatever the file says. ``weight`` names the column of a table of ways, or the
    member of a JSON object, that has the weights, where several may. ``open``, ``start``, ``end`` and
    ``fixed_edges`` are as in :func:`tsp`, ``fixed`` is as in :func:`qap`.
    """
    inner = _myrmex.parse(_arrays.path_of(path), "stated" if metric is None else metric, weight)
    return _limited(_with_fixed(Problem(inner), fixed), open, start, end, fixed_edges)
