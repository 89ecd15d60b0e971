"""What the README and the notebook print runs as it is printed, and the package has the types that it says."""

import itertools
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import myrmex
from common import PROGRAM, ROOT

BLOCKS = [
    block
    for file in ("python/README.md", "README.md")
    for block in re.findall(r"```python\n(.*?)```", (ROOT / file).read_text(), re.S)
]


@pytest.mark.parametrize("block", range(len(BLOCKS)))
def test_block_runs(block):
    subprocess.run([sys.executable, "-c", BLOCKS[block]], check=True)


def test_all_blocks_are_found():
    assert len(BLOCKS) == 5 and len(BLOCKS[0].splitlines()) <= 10


def test_calls_for_those_who_come_from_another_package_do_what_the_page_says():
    page = (ROOT / "docs/guide/switching.md").read_text()
    calls = re.findall(r"`(myrmex\.solve_\w+\(.*?\))`", page)
    flows, distances = (np.random.default_rng(seed).integers(1, 99, (7, 7)) for seed in (1, 2))
    places = {"A": (0, 1), "B": (2, 1), "C": (2, 0), "D": (0, 0)}
    known = {"myrmex": myrmex, "M": distances, "A": flows, "B": distances, "pm": [[0, 3]], "places": places, "G": "ABCDEFG"}
    found = {call: eval(call, known) for call in calls}
    # Seven cities with asymmetric distances are not searched: all their orders are gone through.
    ended = {call: "trivial" if "solve_tsp(M" in call else "optimal" for call in calls}
    assert len(found) == 7 and {call: result.ended for call, result in found.items()} == ended, found
    assert found["myrmex.solve_tsp(M, start=0, end=0)"].tour[0] == 0
    assert sorted(found["myrmex.solve_tsp(list(places.values()), names=list(places))"].names) == list(places)
    assert sorted(found["myrmex.solve_tsp(M, names=list(G))"].names) == list("ABCDEFG")
    assert found["myrmex.solve_qap(-A, B, fixed=pm)"].permutation[0] == 3
    orders = [list(order) for order in itertools.permutations(range(7))]
    costs = [(flows * distances[np.ix_(order, order)]).sum() for order in orders]
    assert found["myrmex.solve_qap(A, B)"].length == min(costs)
    placed = [cost for order, cost in zip(orders, costs) if order[0] == 3]
    assert found["myrmex.solve_qap(-A, B, fixed=pm)"].length == -max(placed)


def test_program_is_there():
    said = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    assert said.strip() == f"myrmex {myrmex.__version__}"


def test_package_is_the_installed_one():
    assert "site-packages" in myrmex.__file__


def test_notebook_runs_and_shows_what_it_says():
    cells = json.loads((ROOT / "python/examples/first_tour.ipynb").read_text())["cells"]
    cells = [cell for cell in cells if cell["cell_type"] == "code"]
    said = [output for cell in cells for output in cell["outputs"]]
    assert any("image/svg+xml" in output.get("data", {}) for output in said)
    script = "\n".join("".join(cell["source"]) for cell in cells)
    found = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    printed = ["".join(output["text"]) for output in said if output["output_type"] == "stream"]
    assert found == "".join(printed)
