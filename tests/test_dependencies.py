"""Checks that docs/dependencies.md lists the libraries that the package and its extras require, with the pinned
versions.
"""

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from carc_env.common import toml
from tests.dependencies import EXTRAS, PAGE, ROOT, pinned

ROW = re.compile(r"^\| ([\w.-]+) \| ([\w.]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
ROWS = {row[0]: row[1:] for row in ROW.findall(PAGE.read_text(encoding="utf-8")) if row[0] != "library"}
PROJECT = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ELSEWHERE = {"tomli"}  # required only on Python 3.10


def direct(lines):
    """Return the libraries that these requirements name, without the libraries in ELSEWHERE."""
    return {canonicalize_name(Requirement(line).name) for line in lines} - ELSEWHERE


def test_versions_are_the_pinned_ones():
    pins = pinned()
    assert {name: version for name, (version, *_) in ROWS.items()} == {name: pins[name] for name in ROWS}


def test_each_requirement_has_a_row_that_says_what_brings_it():
    for name in direct(PROJECT["dependencies"]):
        assert ROWS[name][2] == "the package"
    for extra in EXTRAS:
        for name in direct(PROJECT["optional-dependencies"][extra]):
            assert ROWS[name][2] == "the package" or extra in ROWS[name][2].split(", ")
