"""What the tests share."""

import os
import pathlib
import shutil
import signal
import sys
import sysconfig

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: Seconds that a run may take which would go on for a minute if it did not end as it should: little of that, and much on a machine that others
#: use, too.
FAR_LESS = 30
#: The program that came with the package.
PROGRAM = shutil.which("myrmex", path=sysconfig.get_path("scripts"))


def interrupt():
    """What Ctrl-C sends to this process. (On Windows os.kill would end it.)"""
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        os.kill(os.getpid(), signal.SIGINT)


def is_permutation(solution, n):
    """Whether it holds 0 to n - 1, each once."""
    return solution.dtype == np.int64 and np.array_equal(np.sort(solution), np.arange(n))


def tour_length(points, tour, closed=True):
    """The Euclidean length of a tour."""
    places = np.asarray(points, dtype=float)[np.append(tour, tour[0]) if closed else tour]
    return np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1)).sum()
