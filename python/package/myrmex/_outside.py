"""Where a call into the package comes from."""

from __future__ import annotations

import sys


def outside() -> int:
    """How many calls up from its caller the first one outside of the package is, as ``warnings.warn`` counts."""
    package, level = __name__.rpartition(".")[0], 1
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
