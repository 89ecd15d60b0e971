"""Short tours (travelling salesman problem) and good assignments (quadratic assignment problem), on any GPU or on the CPU.

>>> import myrmex
>>> result = myrmex.solve_tsp([[0, 0], [5, 5], [5, 0], [0, 5]], iterations=10)
>>> result.length
20.0

:func:`solve_tsp` and :func:`solve_qap` take arrays, :func:`solve_many` many of them at a time; :func:`read` reads files for :func:`solve`; a :class:`Solver` is driven in steps.
"""

import os as _os
import sys as _sys

# Mesa's layer that sorts GPUs by the display complains where there is no session. Devices are chosen by what they are, not by their order.
if _sys.platform == "linux" and "XDG_RUNTIME_DIR" not in _os.environ:
    _os.environ.setdefault("NODEVICE_SELECT", "1")

from ._asked import DEFAULT_TIME
from ._devices import Device, algorithms, devices, parameters, presets
from ._errors import (
    CheckpointError,
    DeviceError,
    Error,
    FileError,
    InvalidInputError,
    NoDeviceError,
    ParseError,
    TooLargeError,
)
from ._many import CallbackOfMany, Solved, solve_many
from ._myrmex import __version__
from ._problem import Problem, qap, read, tsp
from ._result import Gain, Progress, Result
from ._solve import Callback, Solver, solve, solve_qap, solve_tsp

__all__ = [
    "DEFAULT_TIME",
    "Callback",
    "CallbackOfMany",
    "CheckpointError",
    "Device",
    "DeviceError",
    "Error",
    "FileError",
    "Gain",
    "InvalidInputError",
    "NoDeviceError",
    "ParseError",
    "Problem",
    "Progress",
    "Result",
    "Solved",
    "Solver",
    "TooLargeError",
    "__version__",
    "algorithms",
    "devices",
    "parameters",
    "presets",
    "qap",
    "read",
    "solve",
    "solve_many",
    "solve_qap",
    "solve_tsp",
    "tsp",
]
