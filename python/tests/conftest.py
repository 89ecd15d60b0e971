"""Cities for tests that need no special ones."""

import signal
import time

import numpy as np
import pytest

# A shell that starts the tests in the background lets them ignore interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def alone():
    """Waits until what earlier runs were left at has ended: a set-up that nobody waits for goes on."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        before = time.process_time()
        time.sleep(0.1)
        if time.process_time() - before < 0.01:
            return
    pytest.fail("an earlier run goes on")


@pytest.fixture(scope="session")
def points():
    """Cities in the unit square."""
    return np.random.default_rng(1).random((60, 2))
