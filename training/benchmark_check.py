"""Check a folder of results (`carc benchmark --check DIR`), or make the folder of a submission (`--submit DIR`).

The check prints a table. Each table row shows the results of one algorithm on one task, over all seeds. A table row is
**complete** if no seed, no decision and no game is missing. A table row is **reproducible** if the versions in its
results equal the versions of this checkout. If a reproducible row is measured again with this checkout, the results
should be the same, unless a remark says otherwise. The check runs no code from the checked folder.
"""

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from carc_env.common.errors import ConfigError
from carc_env.common.exit_status import FAILED, GOOD

from . import algorithms, results, seed_run, tasks, versions
from .benchmark_plan import BOTS
from .results import Result
from .state import RunError
from .tasks import CHECKERS, JUDGES, Task, needed_seeds

NOTE = "SUBMISSION.md"  # the name of the file that describes a submission
MOST_OVER = 1.05  # a run with more decisions than MOST_OVER times its budget gets a remark


@dataclass(frozen=True)
class Row:
    """The findings of the check for one algorithm on one task."""

    task: str
    algorithm: str
    seeds: list[int]
    missing: list[str]  # why the row is not complete
    apart: list[str]  # why the row is not reproducible
    notes: list[str]  # remarks on other properties of the results

    @property
    def is_good(self) -> bool:
        """True if the results are complete and reproducible."""
        return not self.missing and not self.apart


def check(folder: Path) -> list[Row]:
    """Check the results in a folder, grouped by task and algorithm. Raises RunError for a folder without results."""
    if not folder.is_dir():
        raise RunError(f"{folder}: not a folder")
    found: dict[tuple[str, str], list[Path]] = {}
    for place in results.places(folder):
        found.setdefault((place.parent.parent.name, place.parent.name), []).append(place)
    if not found:
        raise RunError(f"{folder}: contains no results of the benchmark (files <task>/<algorithm>/seed<n>.json)")
    return [checked(folder, *key, places) for key, places in found.items()]


def checked(folder: Path, task_id: str, algorithm: str, places: Sequence[Path]) -> Row:
    """Check the result files of an algorithm on a task."""
    missing, read = [], []
    for place in places:
        try:
            one = results.read(place)
        except RunError as error:
            missing.append(f"{place.name}: {str(error).removeprefix(f'{place}: ')}")
            continue
        read.append(one)
        is_elsewhere = results.path(folder, Task(**one["task"]), one["algorithm"], one["seed"]) != place
        missing += [f"{place.name}: contains the result of {results.title(one)}"] * is_elsewhere
        missing += [f"{place.name}: {what}" for what in wanting(one)]
    seeds = [one["seed"] for one in read]
    if not read:
        return Row(task_id, algorithm, seeds, missing, ["no result could be read"], [])
    told = results.current(Task(**read[0]["task"]))
    left = [seed for seed in range(1, needed_seeds(told) + 1) if seed not in seeds]
    missing += [f"missing seeds: {', '.join(map(str, left))}"] * bool(left)
    return Row(task_id, algorithm, seeds, missing, unlike(read, told, folder), notes(read))


def wanting(one: Result) -> list[str]:
    """Return descriptions of the missing parts of a result."""
    told, curve, found = Task(**one["task"]), one["curve"], []
    if 0 < one["decisions"] < told.decisions:
        found.append(f"{one['decisions']:,} of {told.decisions:,} decisions were made")
    if not curve or curve[0]["decisions"] != 0 or curve[-1]["decisions"] != one["decisions"]:
        found.append("the curve does not cover the whole training")
    for where, matches, names, pairs in (
        *((f"at {point['decisions']:,} decisions", point["matches"], CHECKERS, told.check_pairs) for point in curve),
        ("at the end", one["final"], JUDGES, told.eval_pairs),
    ):
        counts = {match["opponent"]: {len(match["wins"]), len(match["margins"])} for match in matches}
        found += [
            f"some of the {pairs} pairs against {name} {where} are missing"
            for name in names
            if counts.get(name) != {pairs}
        ]
    return found


def unlike(read: Sequence[Result], told: Task, folder: Path) -> list[str]:
    """Return descriptions of the differences between versions. The versions in the results are compared with the
    versions of this checkout, and with each other.
    """
    own = [one for one in tasks.TASKS if one.name == told.name]
    if not own:
        return [f"this checkout has no task {told.name}"]
    if versions.of_task(own[0].at(told.decisions)) != versions.of_task(told):
        return [f"{told.name} differs from this checkout's task {own[0].id}"]
    try:
        now = versions.of_measuring(told) | versions.of_algorithm(read[0]["algorithm"], home(read[0], folder))
    except (LookupError, SyntaxError, ValueError) as error:
        return [f"{read[0]['file']}: {error}" if isinstance(error, SyntaxError) else str(error)]
    apart = versions.differences(now, read[0]["versions"], versions.KNOWN)
    found = [f"this checkout has {what}" for what in apart]
    found += [
        f"seed{one['seed']}.json: its settings do not match the version {one['versions']['settings']}"
        for one in read
        if versions.named("settings", one["settings"]) != one["versions"]["settings"]
    ]
    for one in read[1:]:
        found += [
            f"seed{one['seed']}.json: {what} as in the first seed"
            for what in versions.differences(one["versions"], read[0]["versions"])
        ]
    return found


def home(one: Result, folder: Path) -> Path:
    """Return the file that defines the algorithm of a result. An algorithm in `algorithms.NAMES` is defined in a file
    of this package. A user's own algorithm is defined in a file in `folder`. Raises LookupError if there is no such
    file.
    """
    if one["file"] is None:
        if one["algorithm"] not in algorithms.NAMES:
            raise LookupError(f"this checkout has no algorithm {one['algorithm']}")
        return algorithms.home(one["algorithm"])
    path = folder / Path(one["file"]).name
    if not path.is_file():
        raise LookupError(
            f"the file of the algorithm, {path.name}, is not in the folder; `--submit` makes a folder with this file"
        )
    return path


def notes(read: Sequence[Result]) -> list[str]:
    """Return remarks about results, for example on uncommitted changes or illegal actions. Results with remarks can
    still be complete and reproducible.
    """
    found, here = notes_on_runs(read), seed_run.libraries()
    for name in ("python", *seed_run.LIBRARIES):
        told = sorted({one["libraries"].get(name, "none") for one in read})
        if told != [here.get(name, "none")]:
            found.append(f"{name} {' and '.join(told)} in the results, {here.get(name, 'none')} here")
    commits = sorted({str(one["commit"]) for one in read})
    changed = [commit for commit in commits if commit.endswith("+")]
    if changed:
        found.append(f"measured with uncommitted changes: {', '.join(changed)}")
    if "None" in commits:
        found.append(
            "measured with an installed copy of the package, so the commit is unknown; `pip install -e` in a checkout "
            "records it"
        )
    if read[0]["task"]["is_short"]:
        found.append(f"{read[0]['task']['decisions']:,} decisions, which is not the task's own budget")
    if any(not one["decisions"] for one in read) and read[0]["algorithm"] not in BOTS:
        found.append("made no decisions, so nothing was learned")
    illegal = sum(one["illegal"] for one in read)
    return found + [f"{illegal} illegal actions"] * bool(illegal)


def notes_on_runs(read: Sequence[Result]) -> list[str]:
    """Return remarks about the training runs, for example about interruptions."""
    found = []
    for one in read:
        told, where = Task(**one["task"]), f"seed{one['seed']}.json"
        if one["decisions"] > MOST_OVER * told.decisions:
            found.append(f"{where}: {one['decisions']:,} decisions, more than the budget of {told.decisions:,}")
        if one["decisions"] and len(one["curve"]) <= told.checks:
            found.append(f"{where}: the curve has {len(one['curve'])} of {told.checks + 1} points")
        if one["breaks"]:
            found.append(f"{where}: was interrupted, so a new run may have other games and other results")
        if one["machine"]["device"] != "cpu":
            found.append(f"{where}: learned on {one['machine']['device']}, so a new run may have other results")
    machines = {json.dumps(one["machine"]) for one in read}
    return found + [
        "the runs used different machines, or different settings of one machine, so their times cannot be compared"
    ] * (len(machines) > 1)


# --- telling ----------------------------------------------------------------------------------------------------------
def tell(folder: Path, as_json: bool) -> int:
    """Check a folder of results and print the findings. Returns the exit status. The status is GOOD if all results are
    complete and reproducible, and FAILED otherwise.
    """
    rows = check(folder)
    good = all(row.is_good for row in rows)
    if as_json:
        told = [asdict(row) | {"is_complete": not row.missing, "is_reproducible": not row.apart} for row in rows]
        print(json.dumps({"folder": str(folder), "is_good": good, "rows": told, "passed_over": passed_over(folder)}))
        return GOOD if good else FAILED
    for row in rows:
        words = ("incomplete" if row.missing else "complete", "not reproducible" if row.apart else "reproducible")
        print(f"{row.task}  {row.algorithm}  {len(row.seeds)} seeds  {', '.join(words)}")
        for what in (*row.missing, *row.apart, *row.notes):
            print(f"    {what}")
    for name, count in passed_over(folder).items():
        print(
            f"{folder / name}: {count} JSON files are not checked, because their paths do not have the form "
            "<task>/<algorithm>/seed<n>.json"
        )
    print(f"{folder}: {sum(row.is_good for row in rows)} of {len(rows)} rows are complete and reproducible")
    return GOOD if good else FAILED


def passed_over(folder: Path) -> dict[str, int]:
    """Count the JSON files in `folder` whose paths do not have the form of a result's path. Returns a dict of counts.
    The keys of the dict are names of files and subfolders of `folder`. For a subfolder, the count includes the files in
    its subfolders.
    """
    others = set(folder.rglob("*.json")) - set(results.places(folder))
    return dict(sorted(Counter(path.relative_to(folder).parts[0] for path in others).items()))


# --- submitting -------------------------------------------------------------------------------------------------------
def submit(folder: Path, spec: str | None, name: str | None, target: Path) -> None:
    """Make the folder of a submission, with the results of an algorithm on one task or on all tasks. Raises ConfigError
    for invalid arguments. Raises RunError if the results are incomplete or not reproducible.
    """
    if spec is None:
        raise ConfigError("--submit needs --algorithm NAME or FILE.py:CLASS")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ConfigError(f"--submit {target}: exists already and is not empty; name another folder")
    algorithms.find(spec)
    algorithm = algorithms.name_of(spec)
    wanted = None if name is None else tasks.task(name).name
    found = [
        place
        for place in results.places(folder)
        if place.parent.name == algorithm and wanted in (None, results.read(place)["task"]["name"])
    ]
    if not found:
        raise RunError(f"{folder}: contains no results of {algorithm}{f' on {wanted}' * (wanted is not None)}")
    copy(found, spec, target)
    rows = check(target)
    bad = [f"{row.task}: {what}" for row in rows for what in (*row.missing, *row.apart)]
    if bad:
        shutil.rmtree(target)
        raise RunError(f"the results cannot be submitted yet: {'; '.join(bad)}")
    firsts = {one["task"]["name"]: one for one in map(results.read, reversed(found))}
    (target / NOTE).write_text(note(spec, rows, list(firsts.values())), encoding="utf-8")
    print(f"{target} contains {len(found)} results of {algorithm}, complete and reproducible")


def copy(places: Iterable[Path], spec: str, target: Path) -> None:
    """Copy results into a folder. For a user's own algorithm, also copy the file with the algorithm's code."""
    for place in places:
        beside = target / place.parent.parent.name / place.parent.name
        beside.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, beside / place.name)
    if spec not in algorithms.NAMES:
        shutil.copyfile(algorithms.home(spec), target / algorithms.home(spec).name)


def note(spec: str, rows: Sequence[Row], found: Sequence[Result]) -> str:
    """Return the text of SUBMISSION.md. SUBMISSION.md describes a submission and lists the commands that reproduce the
    results. `found` has one result of each task.
    """
    algorithm = algorithms.name_of(spec)
    spec = spec if spec in algorithms.NAMES else f"{algorithms.home(spec).name}:{algorithm}"
    commands = [
        f"carc benchmark {row.task.partition('-v')[0]} --algorithm {spec} --seeds {len(row.seeds)} --results again"
        + f" --decisions {row.task.rpartition('-')[2]}" * ("-at-" in row.task)
        for row in rows
    ]
    told = [
        f"| {one['task']['name']} | {what} | `{version}` |"
        for one in found
        for what, version in versions.flat(one["versions"]).items()
    ]
    libraries = {", ".join(f"{name} {number}" for name, number in one["libraries"].items()) for one in found}
    commits = {f"commit {one['commit']}" if one["commit"] else "an unknown commit" for one in found}
    return "\n".join(
        [
            f"# {algorithm}",
            "",
            f"Results of the benchmark of carc_env, {sum(len(row.seeds) for row in rows)} seeds, measured at "
            f"{' and '.join(sorted(commits))} with {' or '.join(sorted(libraries))}. "
            "`carc benchmark --check .` checks the folder. These commands reproduce the results:",
            "",
            "```sh",
            *commands,
            "```",
            "",
            "| task | version of | |",
            "|---|---|---|",
            *told,
            "",
        ]
    )
