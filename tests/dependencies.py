"""What the package stands on: `python -m tests.dependencies` writes docs/dependencies.md from what is installed.

Each library with the version in constraints.txt, its licence as its own metadata state it, and the extras that bring it.
"""

import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
EXTRAS = ("train", "pettingzoo", "web", "data", "cluster", "docs")  # of users; not those of developers
CORE = "the package"
LONG = 40  # characters: a longer text is the licence itself, not its name
HEAD = """# Dependencies and their licences

`make docs` writes this page. The table lists the libraries of the package and of the extras
`train`, `pettingzoo`, `web`, `data`, `cluster` and `docs`, with the versions in
[constraints.txt](../constraints.txt). `make` installs these libraries, and also the libraries of
the extra `dev`, which are not in the table. The licences come from the metadata of the libraries.
The last column names the extras that install the library. If the last column says `the package`,
carc_env itself requires the library.

| library | version | licence | brought by |
|---|---|---|---|
"""


def brought() -> dict[str, list[str]]:
    """For each library, by its canonical name, what brings it: the package itself, or some extras."""
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
    """What an installed library asks for here, with one of its extras or without."""
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    wanted = [Requirement(line) for line in lines]
    return [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": extra})]


def licence(name: str) -> str:
    """The name of the licence of an installed library."""
    told = metadata.metadata(name)
    if told.get("License-Expression"):
        return str(told["License-Expression"])
    classified = [line.split(" :: ")[-1] for line in told.get_all("Classifier", []) if line.startswith("License ::")]
    short = str(told.get("License") or "").strip()
    return "; ".join(classified) or (short if 0 < len(short) <= LONG else "see its files")


def page() -> str:
    """The page as text."""
    rows = []
    for name, origins in sorted(brought().items()):
        try:
            version = metadata.version(name).partition("+")[0]  # without the kind of build
        except metadata.PackageNotFoundError:
            continue  # not for this system
        rows.append(f"| {name} | {version} | {licence(name)} | {', '.join(origins)} |\n")
    return HEAD + "".join(rows)


def pinned() -> dict[str, str]:
    """The versions in constraints.txt by canonical name."""
    lines = re.findall(r"^([\w.-]+)==([^;\s]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in lines}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}", file=sys.stderr)
