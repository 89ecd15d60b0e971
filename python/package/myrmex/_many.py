"""Many problems at a time."""

from __future__ import annotations

from typing import Any, Iterable, Literal, NamedTuple, SupportsIndex, TypeAlias, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _arrays, _myrmex
from ._devices import Device
from ._errors import DeviceError, Error, InvalidInputError
from ._problem import Problem, qap, tsp
from ._result import Result, result_of
from ._solve import Caller, SettingsLike, _device, _pairs, event_of, warn_of

#: What stands for a problem: itself, points or a matrix, two matrices or three.
ProblemLike: TypeAlias = Union[Problem, npt.ArrayLike, tuple[npt.ArrayLike, npt.ArrayLike], tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]


class RulesOfMany(NamedTuple):
    """When each problem ends, as the extension takes it."""

    time: float | None
    iterations: int | None
    stagnation: int | None
    stagnation_time: float | None
    rounds: int | None
    first_error: bool


@overload
def solve_many(
    problems: Iterable[ProblemLike],
    *,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    workers: SupportsIndex | None = None,
    cancel: Any = None,
    errors: Literal["raise"] = "raise",
) -> list[Result]: ...


@overload
def solve_many(
    problems: Iterable[ProblemLike],
    *,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    workers: SupportsIndex | None = None,
    cancel: Any = None,
    errors: Literal["return"],
) -> list[Result | Error]: ...


@overload
def solve_many(
    problems: Iterable[ProblemLike],
    *,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    workers: SupportsIndex | None = None,
    cancel: Any = None,
    errors: str,
) -> list[Result] | list[Result | Error]: ...


def solve_many(
    problems: Iterable[ProblemLike],
    *,
    time: float | None = None,
    iterations: SupportsIndex | None = None,
    stagnation: SupportsIndex | None = None,
    stagnation_time: float | None = None,
    rounds: SupportsIndex | None = None,
    seed: SupportsIndex | None = None,
    algorithm: str | None = None,
    effort: str | None = None,
    settings: SettingsLike | None = None,
    device: str | Device = "auto",
    workers: SupportsIndex | None = None,
    cancel: Any = None,
    errors: str = "raise",
) -> list[Result] | list[Result | Error]:
    """Solves many problems, several at a time; the results are in the order of the problems.

    A problem is a :class:`Problem`, an array as :func:`tsp` takes it without further words, or a tuple of two or three matrices as :func:`qap` takes
    them. ``device="auto"`` is the CPU here, where each has a thread of its own; on a GPU 4 of them share it, or 8 with the algorithms ``clk`` and
    ``memetic``. ``workers`` is another number of problems at a time; it changes no result, unless a rule counts time.

    Each problem ends at the first of: ``time`` seconds, set-up included; ``iterations``; ``stagnation`` iterations, or ``stagnation_time``
    seconds, without a gain; when the phases have come to their end ``rounds`` times. Without any of these it ends with ``rounds=1`` or
    ``stagnation=100``. The other words are those of :func:`solve`, and hold for all problems.

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
    words = _pairs(seed, algorithm, effort, settings)
    rules = RulesOfMany(
        time=None if time is None else _arrays.seconds("time", time),
        iterations=None if iterations is None else _arrays.whole("iterations", iterations),
        stagnation=None if stagnation is None else _arrays.whole("stagnation", stagnation, least=1),
        stagnation_time=None if stagnation_time is None else _arrays.seconds("stagnation_time", stagnation_time),
        rounds=None if rounds is None else _arrays.whole("rounds", rounds, least=1),
        first_error=raises,
    )
    most = None if workers is None else _arrays.whole("workers", workers, least=1)
    if isinstance(problems, (str, bytes)) or not isinstance(problems, Iterable):
        raise InvalidInputError(f"problems: expected a list of problems, not an object of the type {type(problems).__name__}")
    made = [_made(place, problem, raises) for place, problem in enumerate(problems)]
    right = [problem for problem in made if isinstance(problem, Problem)]
    odd = [place for place, problem in enumerate(made) if isinstance(problem, Problem) and problem.warnings]
    if odd:
        others = f" (and {len(odd) - 1} more)" if len(odd) > 1 else ""
        warn_of(cast(Problem, made[odd[0]]), f"problems[{odd[0]}]{others}: ")
    inner = [problem._problem for problem in right]
    told, interrupted = _myrmex.solve_many(inner, words, _device(device), most, rules, Caller(None, event_of(cancel)))
    found = [_found(problem, answer) for problem, answer in zip(right, told)]
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


def _found(problem: Problem, answer: Any) -> Result | Exception | None:
    """The result of an answer. Where the device fails the error has the best one before."""
    if isinstance(answer, DeviceError) and isinstance(answer.result, tuple):
        answer.result = result_of(problem, answer.result)
    return result_of(problem, answer) if isinstance(answer, tuple) else answer
