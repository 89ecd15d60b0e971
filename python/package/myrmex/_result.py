"""What a run found."""

from __future__ import annotations

import json
import math
import os
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _myrmex
from ._outside import outside
from ._problem import Problem

#: Up to so many cities a notebook shows the tour.
_SHOWN = 20_000


class Gain(NamedTuple):
    """A better solution, as callbacks are told of it.

    - ``permutation``: The cities in order, or the location of each facility; counted from 0.
    - ``cost``: Its cost as the solver counts it, a whole number.
    - ``length``: Its length in the unit of what was given; of an assignment its cost in that unit.
    - ``seconds``: Seconds since the run began.
    - ``iteration``: The iteration that found it; 0 for the solution that the run begins with.
    """

    permutation: npt.NDArray[np.int64]
    cost: int
    length: float
    seconds: float
    iteration: int


class Progress(NamedTuple):
    """How far a solver has come.

    - ``iteration``: Iterations made.
    - ``seconds``: Seconds since the solver was made.
    - ``cost``: Cost of the best solution so far, a whole number.
    - ``phase``: The phase of the recipe that runs, counted from 0.
    - ``round``: How often the phases have begun again.
    - ``length``: That cost in the unit of what was given, to within what costs are rounded by. An infinite entry counts in it as a great finite one.
    """

    iteration: int
    seconds: float
    cost: int
    phase: int
    round: int
    length: float


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a run found.

    - ``problem``: The problem that was solved.
    - ``permutation``: The best solution: the cities in order, or the location of each facility; counted from 0.
    - ``cost``: Its cost as the solver counts it, a whole number.
    - ``length``: Its length in the unit of what was given; of an assignment its cost in that unit.
    - ``ended``: Why the run ended: ``"time"``, ``"iterations"``, ``"target"``, ``"stagnation"``, ``"converged"`` (its phases came to
      their end), ``"cancelled"`` (the callback or ``cancel`` asked for it), ``"interrupted"`` (Ctrl-C), ``"optimal"`` (no solution is better, of few
      cities or facilities), ``"trivial"`` (so few that all solutions were tried at once, as the solver counts their costs) or
      ``"failed"`` (the device, see :class:`DeviceError`).
    - ``iterations``: Iterations made. (0, with no phases, where the run did not answer in time after its limit or an interrupt: then
      the solution is the best one known before, or a simple one where the set-up was not done; ``abandoned`` in :meth:`report` says which.)
    - ``seconds``: Seconds of the whole run, set-up included.
    - ``seed``: The seed.
    - ``backend``: ``"wgpu"``, ``"cuda"``, ``"cpu"``, ``"mixed"`` (devices of several) or ``"none"`` (the set-up was not done).
    - ``device``: The device's name.
    - ``phases``: What ran, phase by phase, in the form of the JSON report.
    - ``trace``: The gains over time, in the form of the JSON report.
    """

    problem: Problem
    permutation: npt.NDArray[np.int64]
    cost: int
    length: float
    ended: str
    iterations: int
    seconds: float
    seed: int
    backend: str
    device: str
    phases: list[dict[str, Any]]
    trace: list[dict[str, Any]]
    _report: dict[str, Any]

    @property
    def tour(self) -> npt.NDArray[np.int64]:
        """The cities in order, counted from 0; assignments have none."""
        if self.problem.kind != "tsp":
            raise AttributeError("an assignment has no tour; 'permutation' has the location of each facility")
        return self.permutation

    @property
    def names(self) -> list[str] | None:
        """The names of the cities in the order of the tour; of an assignment the name of each facility's location, in the order of the facilities
        (:attr:`Problem.facility_names`). None where they have none."""
        names = self.problem.city_names if self.problem.kind == "tsp" else self.problem.location_names
        return None if names is None else [names[place] for place in self.permutation.tolist()]

    def report(self) -> dict[str, Any]:
        """The whole report, in the form of the JSON that ``myrmex solve --json`` writes."""
        solution = self.permutation.tolist()
        report = dict(self._report)
        report["tour" if self.problem.kind == "tsp" else "permutation"] = solution
        names = self.names
        if names is not None and self.problem.kind == "tsp":
            report["tour_names"] = names
        ids = self.problem.city_ids
        if ids is not None:
            report["tour_ids"] = [ids[city] for city in solution]
        return report

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the solution as :meth:`Problem.write_solution` does: the ending says in which form."""
        self.problem.write_solution(path, self.permutation)

    def svg(self) -> str | None:
        """A picture of the tour; None where the cities have no places."""
        return self.problem.svg(self.permutation)

    def _repr_svg_(self) -> str | None:
        return self.svg() if len(self.permutation) <= _SHOWN else None

    def __repr__(self) -> str:
        what = "length" if self.problem.kind == "tsp" else "cost"
        return (
            f"<myrmex.Result of '{self.problem.name}': {what} {self.length:g} after {self.iterations} iterations, "
            f"{self.seconds:.2f} s ({self.ended})>"
        )


def result_of(problem: Problem, answer: _myrmex._Answer) -> Result:
    """The result that the extension tells of."""
    permutation, text, interrupted = answer
    # Its length and its report are of these.
    permutation.setflags(write=False)
    report: dict[str, Any] = json.loads(text)
    length = math.inf if report["length"] is None else report["length"]
    before = problem.warnings if "warnings" in report else ()
    told = [text for text in report.get("warnings", ()) if text not in before]
    if "abandoned" in report and interrupted:
        # Whoever interrupts a run knows why it was cut short, which comes last.
        told.pop()
    for text in told:
        warnings.warn(text, stacklevel=outside())
    return Result(
        problem=problem,
        permutation=permutation,
        cost=report["cost"],
        length=length,
        ended="interrupted" if interrupted else report["ended"],
        iterations=report["iterations"],
        seconds=report["seconds"],
        seed=report["seed"],
        backend=report["backend"],
        device=report["device"],
        phases=report["phases"],
        trace=report["trace"],
        _report=report,
    )
