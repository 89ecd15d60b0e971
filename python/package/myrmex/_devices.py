"""What there is to choose from: devices, algorithms, parameters, presets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _myrmex


@dataclass(frozen=True)
class Device:
    """A GPU of this machine."""

    #: What chooses it: ``"wgpu:0"``, ``"cuda:0"``.
    id: str
    #: The driver's name for it.
    name: str
    #: ``"vulkan"``, ``"metal"``, ``"dx12"`` or ``"cuda"``.
    api: str
    #: ``"discrete GPU"``, ``"integrated GPU"``, ``"virtual GPU"``, ``"software"`` or ``"other"``.
    kind: str
    #: The driver and its version; of CUDA devices the compute capability.
    driver: str


def devices() -> list[Device]:
    """The GPUs of this machine, once for each interface that reaches them. None is needed: there is the CPU.

    >>> import myrmex
    >>> all(device.id.startswith(("wgpu:", "cuda:")) for device in myrmex.devices())
    True
    """
    found: list[dict[str, Any]] = json.loads(_myrmex.devices())
    return [
        Device(
            id=f"{'cuda' if device['api'] == 'cuda' else 'wgpu'}:{device['index']}",
            name=device["name"],
            api=device["api"],
            kind=device["kind"],
            driver=device["driver"],
        )
        for device in found
    ]


def algorithms() -> list[dict[str, str]]:
    """The algorithms: name and summary of each, that of ``"auto"`` first.

    >>> import myrmex
    >>> [it["name"] for it in myrmex.algorithms()][0]
    'auto'
    """
    found: list[dict[str, str]] = json.loads(_myrmex.algorithms())
    return found


def parameters(algorithm: str) -> list[dict[str, str]]:
    """The parameters of an algorithm: name, summary, range, unit and source of each. They go into ``settings``.

    >>> import myrmex
    >>> [it["range"] for it in myrmex.parameters("eax") if it["name"] == "population"]
    ['2 to 65536']
    """
    found: list[dict[str, str]] = json.loads(_myrmex.parameters(algorithm))
    return found


def presets() -> list[dict[str, str]]:
    """The ant systems of the papers: name, summary and source of each. One is chosen by ``settings={"preset": NAME}``."""
    found: list[dict[str, str]] = json.loads(_myrmex.presets())
    return found
