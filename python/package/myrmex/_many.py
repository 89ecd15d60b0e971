"""Many problems at a time."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Literal, NamedTuple, SupportsIndex, TypeAlias, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _arrays, _myrmex
from ._asked import Caller, Rules, SettingsLike, event_of, pairs_of, rules_asked, warn_of, where
from ._devices import Device
from ._errors import DeviceError, Error, InvalidInputError
from ._problem import Problem, qap, tsp
from ._result import Result, result_of

#: What stands for a problem: itself, points or a matrix, two matrices or three.
ProblemLike: TypeAlias = Union[Problem, npt.ArrayLike, tuple[npt.ArrayLike, npt.ArrayLike], tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]


class RulesOfMany(NamedTuple):
    """When each problem ends, and how many are solved at a time, as the extension takes it."""

    rules: Rules
    first_error: bool
    workers: int | None


class Solved(NamedTuple):
    """A problem of many that is over, as callbacks are told of it.

    - ``place``: Its place among the problems, counted from 0.
    - ``result``: What was found, or what is wrong with this problem.
    """

    place: int
    result: Result | Error


#: What is called for every problem that is over; no further ones begin where it raises StopIteration.
CallbackOfMany: TypeAlias = Callable[[Solved], object]


@overload
def solve_many(
    problems: Iterable[ProblemLike],
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
    workers: SupportsIndex | None = None,
    callback: CallbackOfMany | None = None,
    cancel: Any = None,
    errors: Literal["raise"] = "raise",
) -> list[Result]: ...


@overload
def solve_many(
    problems: Iterable[ProblemLike],
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
    workers: SupportsIndex | None = None,
    callback: CallbackOfMany | None = None,
    cancel: Any = None,
    errors: Literal["return"],
) -> list[Result | Error]: ...


@overload
def solve_many(
    problems: Iterable[ProblemLike],
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
    workers: SupportsIndex | None = None,
    callback: CallbackOfMany | None = None,
    cancel: Any = None,
    errors: str,
) -> list[Result] | list[Result | Error]: ...


def solve_many(
    problems: Iterable[ProblemLike],
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
    workers: SupportsIndex | None = None,
    callback: CallbackOfMany | None = None,
    cancel: Any = None,
    errors: str = "raise",
) -> list[Result] | list[Result | Error]:
    """Solves many problems, several at a time; the results are in the order of the problems.

    A problem is a :class:`Problem`, an array as :func:`tsp` takes it without further words, or a tuple of two or three matrices as :func:`qap` takes
    them. ``device="auto"`` is the CPU here, where each has a thread of its own; on a GPU 4 of them share it, or 8 with the algorithms ``clk`` and
    ``memetic``. ``workers`` is another number of problems at a time, which share ``threads`` (each has one at least); neither changes a result, unless a rule counts time.

    Each problem ends at the first of: ``time`` seconds, set-up included; ``iterations``; a solution whose length or cost is ``target`` or less;
    ``stagnation`` iterations, or ``stagnation_time`` seconds, without a gain; when the phases have come to their end ``rounds`` times. Without any of
    these it ends with ``rounds=1`` or ``stagnation=100``; a ``target`` alone has no limit of time. The other words are those of :func:`solve`, which
    has ``initial`` besides, and hold for all problems.

    ``callback`` is called with a :class:`Solved` for each problem that is over, in the order in which they end, while the others go on. Where it raises
    :class:`StopIteration` these end as when ``cancel`` is set; what else it raises is raised here.

    The first error ends all and is raised; with ``errors="return"`` it stands in the result's place, and the other problems are solved. At an
    interrupt (Ctrl-C), or when ``cancel`` is set (see :func:`solve`), the problems under way end with their best solutions so far
    (``ended == "interrupted"``, ``"cancelled"``). Where others had not begun it is raised, or an :class:`Error`; with ``errors="return"`` an
    :class:`Error` stands for each of these. ``results`` of what is raised has the results of the problems that were solved, None for the others.

    >>> import myrmex
    >>> squares = [[[0, 0], [size, size], [size, 0], [0, size]] for size in range(1, 6)]
    >>> [result.length for result in myrmex.solve_many(squares, device="cpu")]
    [4.0, 8.0, 12.0, 16.0, 20.0]
    """
    if errors not in ("raise", "return"):
        raise InvalidInputError(f"errors: expected 'raise' or 'return', not {errors!r}")
    raises = errors == "raise"
    words, place = pairs_of(seed, algorithm, effort, settings), where(device, threads)
    rules = RulesOfMany(
        rules=rules_asked(time, iterations, target, stagnation, stagnation_time, rounds),
        first_error=raises,
        workers=None if workers is None else _arrays.whole("workers", workers, least=1),
    )
    if not (callback is None or callable(callback)):
        raise InvalidInputError(f"callback: expected a function, not {callback!r}")
    event = event_of(cancel)
    if isinstance(problems, (str, bytes)) or not isinstance(problems, Iterable):
        raise InvalidInputError(f"problems: expected a list of problems, not an object of the type {type(problems).__name__}")
    made = [_made(place, problem, raises) for place, problem in enumerate(problems)]
    right = [problem for problem in made if isinstance(problem, Problem)]
    odd = [place for place, problem in enumerate(made) if isinstance(problem, Problem) and problem.warnings]
    if odd:
        others = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
        warn_of(cast(Problem, made[odd[0]]), f"problems[{odd[0]}]{others}: ")
    calls = _Calls(made, right, callback)
    told: list[Any] = [None] * len(right)
    interrupted = False
    if calls.tell_wrong():
        inner = [problem._problem for problem in right]
        try:
            told, interrupted = _myrmex.solve_many(inner, words, place, rules, Caller(None if callback is None else calls.tell, event))
        except BaseException as error:
            # What a callback raises, or a second Ctrl-C, leaves what was solved before.
            setattr(error, "results", calls.results())
            raise
    found = [calls.found(one, answer) for one, answer in enumerate(told)]
    why = "interrupted" if interrupted else "cancelled"
    if raises:
        wrong: list[BaseException] = [one for one in found if isinstance(one, Exception)]
        if not wrong and any(one is None for one in found):
            wrong = [KeyboardInterrupt() if interrupted else Error(f"{why} before all problems had begun")]
        if wrong:
            # What was solved before is not lost.
            setattr(wrong[0], "results", [one if isinstance(one, Result) else None for one in found])
            raise wrong[0]
    # Those that an interrupt came before.
    places = iter(one if one is not None else Error(f"{why} before it began") for one in found)
    return cast("list[Result | Error]", [next(places) if isinstance(one, Problem) else one for one in made])


def _made(place: int, problem: Any, raises: bool) -> Problem | Error:
    """The problem that something stands for, or what is wrong with it."""
    try:
        if isinstance(problem, Problem):
            return problem
        if isinstance(problem, tuple) and len(problem) in (2, 3) and all(_has_two_dimensions(matrix) for matrix in problem):
            return qap(*problem)
        return tsp(problem)
    except Error as error:
        if not raises:
            return error
        if isinstance(error, InvalidInputError):
            raise InvalidInputError(f"problems[{place}]: {error}") from error
        raise


def _has_two_dimensions(matrix: Any) -> bool:
    """Whether something is a matrix; what numpy cannot read is none, which whoever reads it then tells."""
    try:
        return np.ndim(matrix) == 2
    except Exception:
        return False


class _Calls:
    """Results, and who is told of them as they come."""

    def __init__(self, made: list[Problem | Error], right: list[Problem], callback: CallbackOfMany | None) -> None:
        self._made, self._right, self._callback = made, right, callback
        self._places = [place for place, problem in enumerate(made) if isinstance(problem, Problem)]
        self._known: dict[int, Result | Exception] = {}

    def tell_wrong(self) -> bool:
        """Tells of what is no problem; whether the others are to be solved."""
        for place, problem in enumerate(self._made):
            if self._callback is not None and not isinstance(problem, Problem):
                try:
                    self._callback(Solved(place, problem))
                except StopIteration:
                    return False
        return True

    def tell(self, one: int, answer: Any) -> object:
        """Tells of one of the right problems."""
        assert self._callback is not None
        return self._callback(Solved(self._places[one], cast("Result | Error", self.found(one, answer))))

    def results(self) -> list[Result | None]:
        """What is known of the right problems."""
        known = [self._known.get(one) for one in range(len(self._right))]
        return [one if isinstance(one, Result) else None for one in known]

    def found(self, one: int, answer: Any) -> Result | Exception | None:
        """The result of an answer, made once. Where the device fails the error has the best one before."""
        if answer is not None and one not in self._known:
            if isinstance(answer, DeviceError) and isinstance(answer.result, tuple):
                answer.result = result_of(self._right[one], answer.result)
            self._known[one] = result_of(self._right[one], answer) if isinstance(answer, tuple) else answer
        return self._known.get(one)
