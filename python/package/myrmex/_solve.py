"""Runs: from a problem to its result, and solvers that a program drives in steps."""

from __future__ import annotations

import json
from time import monotonic
from typing import Any, Callable, Iterable, NoReturn, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arrays, _myrmex
from ._asked import DEFAULT_TIME, Caller, SettingsLike, event_of, pairs_of, rules_of, warn_of, where
from ._devices import Device
from ._errors import DeviceError, InvalidInputError
from ._problem import Problem, _limited, inner_of, qap, tsp
from ._result import Gain, Progress, Result, result_of

#: What is called for every better solution; the run ends where it raises StopIteration.
Callback: TypeAlias = Callable[[Gain], object]


def _told(callback: Callback | None) -> Callable[..., object] | None:
    """The callback with its one argument made."""
    if callback is None:
        return None
    if not callable(callback):
        raise InvalidInputError(f"callback: expected a function, not {callback!r}")
    known = callback

    def tell(permutation: npt.NDArray[np.int64], cost: int, length: float, seconds: float, iteration: int) -> object:
        return known(Gain(permutation, cost, length, seconds, iteration))

    return tell


def _finished(problem: Problem, run: Callable[[], _myrmex._Answer]) -> Result:
    """The result of a run. Where the device fails the error has the best one before."""
    try:
        return result_of(problem, run())
    except DeviceError as error:
        answer: Any = error.result
        if isinstance(answer, tuple):
            error.result = result_of(problem, answer)
        raise


def _initial(problem: Problem, initial: npt.ArrayLike | Result | None) -> npt.NDArray[np.uint32] | None:
    if isinstance(initial, Result):
        initial = initial.permutation
    return None if initial is None else problem._listed("initial", initial)


def solve(
    problem: Problem,
    *,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    target: float | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    threads: SupportsIndex | None = None,
    initial: npt.ArrayLike | Result | None = None,
    callback: Callback | None = None,
    cancel: Any = None,
) -> Result:
    """Solves a problem.

    The run ends at the first of: ``time`` seconds, set-up included; ``iterations``; a solution whose length (in the unit of what was
    given) or cost is ``target`` or less; ``stagnation`` iterations, or ``stagnation_time`` seconds, without a gain; when its phases have come to
    their end ``rounds`` times, which is no matter of the clock (``ended == "converged"``). Where none of these is given it ends after
    :data:`DEFAULT_TIME` seconds or four rounds, after which little more is to be expected of so small a problem; a ``target`` or a stagnation
    alone has no limit of time. Of up to 13 cities, or nine facilities, it ends as soon as no
    solution is better (``ended == "optimal"``); up to 18 cities with asymmetric distances need no search (``ended == "trivial"``). A :class:`UserWarning` tells where rounding may decide which solution that is, and what else may be meant otherwise (:attr:`Problem.warnings`). An interrupt (Ctrl-C) ends it, too: the best solution so far is returned, with
    ``ended == "interrupted"``. (A second one, while it comes to its end, is raised.)

    With the same ``seed`` (1 where none is given), settings and ``iterations`` the solution is the same on every device.

    ``algorithm`` is the name of one (:func:`algorithms`), ``"auto"`` by default; ``settings`` are its parameters by name, see :func:`parameters`, or
    ``{"preset": NAME}``. ``effort`` is ``"auto"``, ``"small"``, ``"standard"`` or ``"large"``. ``device`` is ``"auto"``, ``"cpu"``, ``"wgpu"``,
    ``"cuda"``, one of the last two with an index or a part of a name (``"cuda:0"``), one of :func:`devices`, several of these words with commas
    between (``"cuda:0,cuda:1"``), or ``"all"`` GPUs. ``threads`` gives the run so many threads of its own, up to four for each processor; else it shares
    those of all runs, one for each processor, or as many as ``RAYON_NUM_THREADS`` in the environment says when the first run begins. With a number of
    iterations threads change no result. ``initial`` is a solution to begin with, or an earlier result: what is found is no longer than that.

    ``callback`` is called with a :class:`Gain` for every better solution that the run tells, the first one included; the run waits for it.
    Where it raises :class:`StopIteration` the run ends, and at an interrupt as by Ctrl-C; what else it raises is raised here. ``cancel`` is a
    :class:`threading.Event`, or anything with ``is_set()``: when another thread sets it the run ends with the best solution so far. Both
    give ``ended == "cancelled"``.

    >>> import myrmex
    >>> result = myrmex.solve(myrmex.tsp([[0, 0], [5, 5], [5, 0], [0, 5]]), iterations=10)
    >>> result.length
    20.0
    """
    began = monotonic()
    inner = inner_of(problem)
    words, place = pairs_of(seed, algorithm, effort, settings), where(device, threads)
    rules = rules_of(time, iterations, target, stagnation, stagnation_time, rounds)
    warn_of(problem)
    start, caller = _initial(problem, initial), Caller(_told(callback), event_of(cancel))
    # What is found out about the problem takes some of the time.
    return _finished(problem, lambda: _myrmex.solve(inner, words, place, start, rules._replace(spent=monotonic() - began), caller))


def solve_tsp(
    points_or_matrix: npt.ArrayLike | Problem,
    *,
    metric: str | None = None,
    open: bool | None = None,
    start: SupportsIndex | str | None = None,
    end: SupportsIndex | str | None = None,
    fixed_edges: npt.ArrayLike | None = None,
    names: Iterable[object] | None = None,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    target: float | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    threads: SupportsIndex | None = None,
    initial: npt.ArrayLike | Result | None = None,
    callback: Callback | None = None,
    cancel: Any = None,
) -> Result:
    """Finds a short tour through points, or by a matrix of distances: :func:`tsp`, then :func:`solve`.

    >>> import myrmex
    >>> points = [[0.0, 0.1], [0.7, 0.2], [0.4, 0.9], [0.1, 0.8], [0.6, 0.6]]
    >>> result = myrmex.solve_tsp(points, iterations=20)
    >>> sorted(result.tour.tolist()), round(result.length, 3)
    ([0, 1, 2, 3, 4], 2.503)
    >>> myrmex.solve_tsp(points, start=2, end=0, iterations=20).tour[[0, -1]].tolist()
    [2, 0]
    """
    if isinstance(points_or_matrix, Problem):
        if metric is not None:
            raise InvalidInputError("metric: a problem has one already; leave it out")
        if points_or_matrix.kind != "tsp":
            raise InvalidInputError("this is a quadratic assignment problem: myrmex.solve() takes it")
        problem = _limited(points_or_matrix, open, start, end, fixed_edges, names)
    else:
        problem = tsp(
            points_or_matrix, metric=metric, open=open, start=start, end=end, fixed_edges=fixed_edges, names=names
        )
    return solve(
        problem,
        time=time,
        iterations=iterations,
        target=target,
        stagnation=stagnation,
        stagnation_time=stagnation_time,
        rounds=rounds,
        seed=seed,
        algorithm=algorithm,
        effort=effort,
        settings=settings,
        device=device,
        threads=threads,
        initial=initial,
        callback=callback,
        cancel=cancel,
    )


def solve_qap(
    A: npt.ArrayLike,
    B: npt.ArrayLike,
    C: npt.ArrayLike | None = None,
    *,
    fixed: npt.ArrayLike | None = None,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    target: float | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    threads: SupportsIndex | None = None,
    initial: npt.ArrayLike | Result | None = None,
    callback: Callback | None = None,
    cancel: Any = None,
) -> Result:
    """Finds a good assignment of facilities to locations: :func:`qap`, then :func:`solve`.

    >>> import myrmex
    >>> flows, distances = [[0, 5, 1], [5, 0, 0], [1, 0, 0]], [[0, 1, 9], [1, 0, 9], [9, 9, 0]]
    >>> result = myrmex.solve_qap(flows, distances, iterations=20)
    >>> result.cost
    28

    ``C`` says what each facility costs at each location by itself:

    >>> myrmex.solve_qap(flows, distances, [[4, 0, 0], [0, 4, 0], [0, 0, 1]], iterations=20).cost
    29

    ``fixed`` gives facilities their locations, as ``partial_match`` of SciPy's ``quadratic_assignment`` does; there may be more locations than
    facilities, and numbers may have signs and decimals:

    >>> result = myrmex.solve_qap([[0, 0.5], [-1, 0]], [[0, 5, 1], [7, 0, 1], [1, 1, 0]], fixed=[[0, 1]], iterations=20)
    >>> result.permutation.tolist(), result.length
    ([1, 0], -1.5)
    """
    return solve(
        qap(A, B, C, fixed=fixed),
        time=time,
        iterations=iterations,
        target=target,
        stagnation=stagnation,
        stagnation_time=stagnation_time,
        rounds=rounds,
        seed=seed,
        algorithm=algorithm,
        effort=effort,
        settings=settings,
        device=device,
        threads=threads,
        initial=initial,
        callback=callback,
        cancel=cancel,
    )


class Solver:
    """A solver that a program drives in steps, with what :func:`solve` takes.

    >>> import myrmex
    >>> solver = myrmex.Solver(myrmex.tsp([[0, 0], [5, 5], [5, 0], [0, 5], [9, 9], [2, 7]]), seed=7, device="cpu")
    >>> solver.step(5).iteration
    5
    >>> saved = solver.checkpoint()
    >>> again = myrmex.Solver.resume(solver.problem, saved, device="cpu")
    >>> again.run(iterations=10).ended  # no tour of six cities is shorter
    'optimal'
    """

    __slots__ = ("_at_an_end", "_solver", "problem")

    #: The problem that it solves.
    problem: Problem

    def __init__(
        self,
        problem: Problem,
        *,
        seed: SupportsIndex | None = None,
        algorithm: str | None = None,
        effort: str | None = None,
        settings: SettingsLike | None = None,
        device: str | Device = "auto",
        threads: SupportsIndex | None = None,
        initial: npt.ArrayLike | Result | None = None,
    ) -> None:
        inner, words = inner_of(problem), pairs_of(seed, algorithm, effort, settings)
        place = where(device, threads)
        warn_of(problem)
        self._solver = _myrmex.Solver(inner, words, place, _initial(problem, initial))
        self.problem = problem
        # Whether the phases have come to their end, and begin again with the next run.
        self._at_an_end = False

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("a solver is neither copied nor pickled: checkpoint() gives what Solver.resume() goes on from")

    @classmethod
    def resume(
        cls, problem: Problem, checkpoint: bytes, *, device: str | Device = "auto", threads: SupportsIndex | None = None
    ) -> Solver:
        """A solver that goes on from a checkpoint of the same problem, on any device: it finds what it would have found without a
        stop."""
        if not isinstance(checkpoint, (bytes, bytearray, memoryview)):
            raise InvalidInputError(f"checkpoint: expected the bytes that checkpoint() gives, not an object of the type {type(checkpoint).__name__}")
        solver = cls.__new__(cls)
        solver._solver = _myrmex.Solver.resume(inner_of(problem), bytes(checkpoint), where(device, threads))
        solver.problem = problem
        solver._at_an_end = False
        return solver

    def run(
        self,
        *,
        time: float | None = None,
        iterations: SupportsIndex | None = None,
        target: float | None = None,
        stagnation: SupportsIndex | None = None,
        stagnation_time: float | None = None,
        rounds: SupportsIndex | None = None,
        callback: Callback | None = None,
        cancel: Any = None,
    ) -> Result:
        """Runs until a rule holds, as :func:`solve` does, and can be called again to go on. ``time`` counts from this call,
        ``iterations`` and ``rounds`` are all of them, earlier ones included. ``stagnation`` counts since the last gain, or since the first of
        consecutive calls that have it. Without a rule it ends after :data:`DEFAULT_TIME` seconds, or four
        rounds more."""
        usual = self.progress.round + self._at_an_end + _myrmex.DEFAULT_ROUNDS
        rules = rules_of(time, iterations, target, stagnation, stagnation_time, rounds, usual)
        caller = Caller(_told(callback), event_of(cancel))
        result = _finished(self.problem, lambda: self._solver.run(rules, caller))
        self._at_an_end = result.ended == "converged"
        return result

    def _reached(self, now: tuple[int, float, int, int, int, float]) -> Progress:
        return Progress(*now)

    def step(self, iterations: SupportsIndex = 1) -> Progress:
        """Makes iterations. An interrupt (Ctrl-C) is raised when the one at work has come to its end."""
        return self._reached(self._solver.step(_arrays.whole("iterations", iterations)))

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        return self._reached(self._solver.progress())

    def __repr__(self) -> str:
        try:
            now = self.progress
        except InvalidInputError as error:
            return f"<myrmex.Solver of {self.problem.name!r}: {error}>"
        what = "length" if self.problem.kind == "tsp" else "cost"
        return f"<myrmex.Solver of {self.problem.name!r}: {what} {now.length:g} after {now.iteration} iterations>"

    def result(self) -> Result:
        """The best solution so far."""
        return _finished(self.problem, self._solver.result)

    @property
    def recipe(self) -> dict[str, Any]:
        """What runs, nothing left open, in the form of the JSON report."""
        recipe: dict[str, Any] = json.loads(self._solver.recipe())
        return recipe

    @property
    def backend(self) -> str:
        """``"wgpu"``, ``"cuda"`` or ``"cpu"``."""
        return self._solver.device()[0]

    @property
    def device(self) -> str:
        """The device's name."""
        return self._solver.device()[1]

    def checkpoint(self) -> bytes:
        """The run as it is after its last whole iteration, for :meth:`resume`: also what ``myrmex solve --resume`` reads from a
        file."""
        return self._solver.checkpoint()
