"""What a run is asked for, as the extension takes it."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Mapping, NamedTuple, SupportsIndex, TypeAlias

from . import _arrays, _myrmex
from ._devices import Device
from ._errors import InvalidInputError
from ._outside import outside
from ._problem import Problem

#: Parameters by name.
SettingsLike: TypeAlias = Mapping[str, "int | float | str"]

#: Seconds that a run takes when nothing else ends it.
DEFAULT_TIME: float = _myrmex.DEFAULT_TIME


def pairs_of(
    seed: SupportsIndex | None, algorithm: str | None, effort: str | None, settings: SettingsLike | None
) -> list[tuple[str, Any]]:
    """What is asked for, by name."""
    asked: list[tuple[str, Any]] = []
    if algorithm is not None:
        asked.append(("algorithm", str(algorithm)))
    if seed is not None:
        asked.append(("seed", _arrays.whole("seed", seed, below=1 << 64)))
    if effort is not None:
        asked.append(("effort", str(effort)))
    if settings is not None and not isinstance(settings, Mapping):
        raise InvalidInputError(f"settings: expected parameters by name, such as {{'population': 100}}, not {settings!r}")
    for name, value in (settings or {}).items():
        word = str(name).replace("-", "_")
        if any(word == known for known, _ in asked):
            raise InvalidInputError(f"{word} is given twice: by itself and in 'settings'")
        asked.append((word, value))
    return asked


class Rules(NamedTuple):
    """When a run ends, as the extension takes it."""

    time: float | None
    iterations: int | None
    target: float | None
    stagnation: int | None
    stagnation_time: float | None
    rounds: int | None
    #: Seconds of the time that had passed when the run was asked for.
    spent: float = 0.0


def rules_asked(
    time: float | None,
    iterations: SupportsIndex | None,
    target: float | None,
    stagnation: SupportsIndex | None,
    stagnation_time: float | None,
    rounds: SupportsIndex | None,
) -> Rules:
    """The rules that were asked for."""
    return Rules(
        time=None if time is None else _arrays.seconds("time", time),
        iterations=None if iterations is None else _arrays.whole("iterations", iterations),
        target=None if target is None else _arrays.finite("target", target),
        stagnation=None if stagnation is None else _arrays.whole("stagnation", stagnation, least=1),
        stagnation_time=None if stagnation_time is None else _arrays.seconds("stagnation_time", stagnation_time),
        rounds=None if rounds is None else _arrays.whole("rounds", rounds, least=1),
    )


def rules_of(
    time: float | None,
    iterations: SupportsIndex | None,
    target: float | None,
    stagnation: SupportsIndex | None,
    stagnation_time: float | None,
    rounds: SupportsIndex | None = None,
    usual_rounds: int = _myrmex.DEFAULT_ROUNDS,
) -> Rules:
    """When a run ends: without a word after a time, or ``usual_rounds``."""
    if all(rule is None for rule in (time, iterations, target, stagnation, stagnation_time, rounds)):
        time, rounds = DEFAULT_TIME, usual_rounds
    return rules_asked(time, iterations, target, stagnation, stagnation_time, rounds)


def warn_of(problem: Problem, which: str = "") -> None:
    """Warns of what in a problem may be meant otherwise, at the line that called the package."""
    for text in problem.warnings:
        warnings.warn(f"{which}{text}", stacklevel=outside())


class Caller(NamedTuple):
    """What of the caller's takes part in a run, as the extension takes it."""

    callback: Callable[..., object] | None
    event: Any


def event_of(cancel: Any) -> Any:
    """What is looked at to end a run."""
    if not (cancel is None or callable(getattr(cancel, "is_set", None))):
        raise InvalidInputError(f"cancel: expected something with is_set(), such as a threading.Event, not {cancel!r}")
    return cancel


class Where(NamedTuple):
    """Where a run works, as the extension takes it."""

    device: str
    threads: int | None


def where(device: str | Device, threads: SupportsIndex | None) -> Where:
    """The device of a run, and how many threads it has alone."""
    return Where(
        device=device.id if isinstance(device, Device) else str(device),
        threads=None if threads is None else _arrays.whole("threads", threads, least=1),
    )
