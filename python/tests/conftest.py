"""Cities for tests that need no special ones."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def points():
    """Cities in the unit square."""
    return np.random.default_rng(1).random((60, 2))
