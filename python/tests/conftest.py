"""Cities for tests that need no special ones."""

import signal

import numpy as np
import pytest

# A shell that starts the tests in the background lets them ignore interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def points():
    """Cities in the unit square."""
    return np.random.default_rng(1).random((60, 2))
