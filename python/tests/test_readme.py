"""What the README prints runs as it is printed, and the package has the types that it says."""

import re
import subprocess
import sys

import pytest

import myrmex
from common import ROOT

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


def test_program_is_there():
    program = sys.executable.rsplit("/", 1)[0] + "/myrmex"
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    assert said.strip() == f"myrmex {myrmex.__version__}"


def test_package_is_the_installed_one():
    assert "site-packages" in myrmex.__file__
