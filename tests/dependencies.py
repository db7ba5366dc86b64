"""Write docs/dependencies.md, the table of all required libraries: `python -m tests.dependencies`.

The table is made from the installed libraries. For each library, it has the installed version (which is the one in
constraints.txt), the licence that the metadata of the library state, and the extras that install the library.
"""

import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
# The extras in the table. Of `cuda` and `video`, constraints.txt does not pin all libraries; `dev` is for developers.
EXTRAS = ("train", "pettingzoo", "web", "data", "cluster", "openspiel", "human", "docs")
CORE = "the package"
LONG = 40  # characters: a longer text is the licence itself, not its name
MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy"  # the beginning of the MIT licence
HEAD = """# Dependencies and their licences

`make docs` writes this page. The table lists the libraries of the package and of the extras
`train`, `pettingzoo`, `web`, `data`, `cluster`, `openspiel`, `human` and `docs`, with the versions
in [constraints.txt](../constraints.txt). `make` installs these libraries, and also the libraries of
the extra `dev`, which are not in the table. The licences come from the metadata of the libraries,
or from the licence file if the metadata state no licence. The last column names the extras that
install the library. If the last column says `the package`, carc_env itself requires the library.

Some libraries are not in the table:

- On Python 3.10, carc_env also requires tomli (MIT).
- The extra `video` installs moviepy (MIT) and the libraries that moviepy requires. One of these
  libraries, imageio-ffmpeg (BSD-2-Clause), contains the program ffmpeg, which is licensed under the
  GPL.
- The extra `cuda` installs numba-cuda (BSD-2-Clause) and NVIDIA's compiler and libraries for CUDA.
  Most of NVIDIA's libraries have a proprietary licence. If the extra `train` installs PyTorch from
  PyPI on Linux, PyTorch also requires such libraries of NVIDIA.

| library | version | licence | installed by |
|---|---|---|---|
"""


def brought() -> dict[str, list[str]]:
    """Return the column `installed by`: for each library, by canonical name, CORE or the extras that install it."""
    found: dict[str, list[str]] = {}
    for origin in (CORE, *EXTRAS):
        left, seen = [("carc-env", origin if origin != CORE else "")], set()
        while left:
            name, extra = left.pop()
            for requirement in required(name, extra):
                key = canonicalize_name(requirement.name)
                for wanted in ("", *requirement.extras):
                    if (key, wanted) not in seen:
                        seen.add((key, wanted))
                        left.append((key, wanted))
        for key in {name for name, _ in seen}:
            if CORE not in found.get(key, []):
                found.setdefault(key, []).append(origin)
    return found


def required(name: str, extra: str) -> list[Requirement]:
    """Return what an installed library requires on this system. `extra` is one of its extras, or empty."""
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    wanted = [Requirement(line) for line in lines]
    return [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": extra})]


def licence(name: str) -> str:
    """Return the name of the licence of an installed library."""
    told = metadata.metadata(name)
    if told.get("License-Expression"):
        return str(told["License-Expression"])
    classified = [line.split(" :: ")[-1] for line in told.get_all("Classifier", []) if line.startswith("License ::")]
    short = str(told.get("License") or "").strip()
    return "; ".join(classified) or (short if 0 < len(short) <= LONG else from_files(name))


def from_files(name: str) -> str:
    """Return "MIT" if an installed library has a file with the MIT licence."""
    for file in metadata.files(name) or []:
        if file.name.startswith("LICEN") and MIT in " ".join(file.read_text().split()):
            return "MIT"
    return "see its files"


def page() -> str:
    """Return the text of the page."""
    rows = []
    for name, origins in sorted(brought().items()):
        try:
            version = metadata.version(name).partition("+")[0]  # 2.13.0+cpu is 2.13.0
        except metadata.PackageNotFoundError:
            continue  # not needed on this system
        rows.append(f"| {name} | {version} | {licence(name)} | {', '.join(origins)} |\n")
    return HEAD + "".join(rows)


def pinned() -> dict[str, str]:
    """Return the versions in constraints.txt, by canonical name."""
    lines = re.findall(r"^([\w.-]+)==([^;\s]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in lines}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}", file=sys.stderr)
