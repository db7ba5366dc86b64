"""Plants small faults in the code, one at a time, and shows which of the tests notice them.

    python -m tests.mutants                     300 faults, drawn with seed 0
    python -m tests.mutants --only ferries      of these, the ones in files whose path contains this word
    python -m tests.mutants --list              prints the faults without planting them
    python -m tests.mutants --again             tries the faults again that no test has noticed
    python -m tests.mutants --stages examples   the last stage of tests; later stages take longer

A fault is a change of one expression or statement of `carc_env/rules`, `carc_env/observing` or `carc_env/bots`. It is
planted in a copy of the project in a temporary folder. The faults with the smallest hashes are drawn; the hash depends
on the fault and the seed, so an edit of the code changes only few of the faults drawn.

The stages are runs of tests, the fast ones first. Each stage tries the faults that no earlier stage has noticed, and
runs the tests that call the function that contains the fault (`mutants_calls.py`). A run that exceeds its time has
noticed the fault, too: most endless loops are found in this way.

Each result is appended to a file of JSON lines. With one worker, Ctrl-C therefore loses at most one result. The same
command continues from there. A result is valid until the file that contains the fault is edited. `--again` discards the
results of faults that were not noticed, so that new tests can notice them. The end of the report lists the faults that
no test noticed. `mutants_equal.toml` lists faults that change no result, with the reason; these are not planted.

Two public tools do not fit. mutmut 3 chooses a mutant when a function is called, which compiled code does not allow,
and mutates whole folders. cosmic-ray changes files in place, and has neither a sample with a seed nor several commands
of rising cost.
"""

import argparse
import ast
import copy
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue

from carc_env.common import toml
from tests.mutants_calls import NOTES, TESTS

ROOT = Path(__file__).parents[1]
ROOMS = ("rules", "observing", "bots")
EQUAL = ROOT / "tests" / "mutants_equal.toml"
NOT_COPIED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "build", "runs", "*.egg-info")
GRACE = 4.0  # a run may use this many times its usual processor time
START = 4.0  # seconds of processor time before the first test
NOTING = 3.0  # a run that notes the calls takes this many times as long at most


# --- the faults -------------------------------------------------------------------------------------------------------
TURNED = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
AT_THE_BOUND = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}  # fmt: skip
YES_OR_NO = re.compile(r"(is|has|can|may|gets|leads|fits)_")  # names of functions that return True or False


@dataclass(frozen=True)
class Mutant:
    """One fault: the bytes from `start` to `end` of a file are replaced by `text`."""

    file: str
    function: str
    line: int
    start: int
    end: int
    text: str
    before: str
    after: str
    number: int = 0  # tells apart the faults with the same key

    def __str__(self):
        return f"{self.file}:{self.line}: {self.before} -> {self.after}"

    @property
    def room(self) -> str:
        """The folder of `carc_env` that contains the fault."""
        return self.file.split("/")[1]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What identifies a fault in lists. Line numbers are left out, because they change too often."""
        return self.file, self.function, self.before, self.after

    def place_in_draw(self, seed: int) -> str:
        """Return the hash of the fault; the faults with the smallest hashes are drawn."""
        return hashlib.sha256(repr((seed, *self.key, self.number)).encode()).hexdigest()


def changes(node: ast.AST, function: str) -> list[ast.AST]:
    """Return the nodes that may replace a node."""
    if isinstance(node, ast.Compare):
        tables = [table for table in (TURNED, AT_THE_BOUND) if type(node.ops[0]) in table]
        return [changed(node, ops=[table[type(node.ops[0])](), *node.ops[1:]]) for table in tables]
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in ARITHMETIC:
        return [changed(node, op=ARITHMETIC[type(node.op)]())]
    if isinstance(node, ast.BoolOp):
        return [changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())]
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int):
        return [ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)]
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Compare):
        return [ast.UnaryOp(ast.Not(), node.test)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [ast.Pass()]
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Call | ast.Name | ast.Attribute | ast.Subscript):
        value = node.value
        other = (
            ast.UnaryOp(ast.Not(), value) if YES_OR_NO.match(function) else ast.BinOp(value, ast.Add(), ast.Constant(1))
        )
        return [ast.Return(other)]
    return []


def changed(node: ast.AST, **parts) -> ast.AST:
    """Return a copy of a node in which some parts are replaced."""
    node = copy.copy(node)
    for name, part in parts.items():
        setattr(node, name, part)
    return node


def nodes(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yield all nodes that are code, each with the name of the function that contains it. Types, messages and
    assertions are left out.
    """
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
                continue
            inside = node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else function
            yield node, inside
            yield from nodes(node, inside)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield all faults that can be planted in a file."""
    found = Counter()
    for mutant in planted_in(path):
        yield replace(mutant, number=found[mutant.key])
        found[mutant.key] += 1


def planted_in(path: Path) -> Iterator[Mutant]:
    """Yield all faults that can be planted in a file, without their numbers."""
    source = path.read_text(encoding="utf-8")
    begins = [0]  # where each line begins, in bytes, as the syntax tree counts
    for line in source.splitlines(keepends=True):
        begins.append(begins[-1] + len(line.encode()))
    data = source.encode()
    for node, function in nodes(ast.parse(source)):
        for new in changes(node, function):
            place = node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else node
            start, end = (
                begins[place.lineno - 1] + place.col_offset,
                begins[place.end_lineno - 1] + place.end_col_offset,
            )
            text = ast.unparse(new)
            text = f"({text})" if isinstance(new, ast.Compare | ast.BinOp | ast.BoolOp | ast.UnaryOp) else text
            first, last = begins[place.lineno - 1], begins[place.end_lineno]
            rest = re.sub(rb"\s*#.*", b"", data[end:last])  # a comment is no part of a fault
            before, after = (
                " ".join((data[first:start] + middle + rest).decode().split())
                for middle in (data[start:end], text.encode())
            )
            file = path.relative_to(ROOT).as_posix()
            yield Mutant(file, function, place.lineno, start, end, text, before, after)


def files() -> list[Path]:
    """Return the files in which faults are planted."""
    return [path for room in ROOMS for path in sorted((ROOT / "carc_env" / room).rglob("*.py"))]


def drawn(seed: int, count: int) -> list[Mutant]:
    """Return the first `count` of all faults that can be planted, in the order of their hashes. A smaller draw is the
    beginning of a larger one.
    """
    everything = (mutant for path in files() for mutant in mutants_of(path))
    return sorted(everything, key=lambda mutant: mutant.place_in_draw(seed))[:count]


def equal_ones() -> dict[tuple[str, str, str, str], str]:
    """Return the faults that change no result, each with the reason."""
    listed = toml.loads(EQUAL.read_text(encoding="utf-8"))["equal"]
    return {(one["file"], one["function"], one["before"], one["after"]): one["why"] for one in listed}


# --- the stages of tests ----------------------------------------------------------------------------------------------
COMPILED, UNCOMPILED = {}, {"NUMBA_DISABLE_JIT": "1"}


@dataclass(frozen=True)
class Stage:
    """A run of tests on faults in some folders, with its mode and its usual processor time in seconds."""

    name: str
    rooms: tuple
    mode: dict
    tests: str
    seconds: float


PLAIN = (
    "tests/test_chance.py tests/laws tests/envs/test_identity.py tests/test_events.py tests/test_records.py "
    "tests/test_sheets.py"
)
SEEN = (
    "tests/envs/test_encode.py tests/test_observation_layout.py tests/bots/test_prospects.py tests/bots/test_greedy.py "
    "tests/bots/test_systems_greedy.py tests/bots/test_keen.py::test_prices_are_read_as_they_are_written "
    "tests/bots/test_keen.py::test_prices_alone_ask_no_network "
    "tests/training/test_learn_values.py::test_chances_to_win_fit_what_games_ended_with"
)
OTHERS = (
    "tests/systems tests/test_limits.py tests/test_features.py tests/test_table.py tests/test_chances.py "
    "tests/test_observation_layout.py tests/test_steps.py "
    "tests/networks/test_networks.py::test_weights_of_tiles_fit_those_that_were_saved"
)
SUITE = "tests/naive tests/laws tests/bots tests/envs tests/cli/test_match.py tests/test_fuzz.py " + OTHERS
STAGES = (
    Stage("examples", ("rules",), UNCOMPILED, "tests/scenarios", 14),
    Stage("bots", ("bots",), COMPILED, "tests/bots tests/test_protocol.py tests/cli/test_match.py tests/envs", 120),
    Stage("observed", ("rules", "observing"), UNCOMPILED, "tests/test_observed.py", 25),
    Stage("seen", ("rules", "observing"), UNCOMPILED, SEEN, 80),
    Stage("systems", ("rules", "observing"), UNCOMPILED, OTHERS, 110),
    Stage("naive", ("rules", "observing"), UNCOMPILED, "tests/naive", 52),
    Stage("laws", ("rules", "observing"), UNCOMPILED, PLAIN, 80),
    Stage("suite", ("rules", "observing"), COMPILED, SUITE, 400),
)


def who_calls(calls: dict, mutant: Mutant) -> list[str]:
    """Return the tests that call the function of a fault, fast ones first. If the function is called before the first
    test, return all tests.
    """
    name = f"{mutant.file}:{mutant.function or '<module>'}"
    is_early = name in calls[""][1]
    found = [(seconds, test) for test, (seconds, names) in calls.items() if test and (is_early or name in names)]
    return [test for _, test in sorted(found)]


def wait_for(process: subprocess.Popen, seconds: float) -> tuple[bool, str]:
    """Wait for a run. Returns True if it ended in time, and its output."""
    try:
        return True, process.communicate(timeout=10 * GRACE * seconds)[0]
    except subprocess.TimeoutExpired:
        return False, ""
    finally:  # after Ctrl-C, too
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(folder: Path, stage: Stage, seconds: float, **told: str) -> tuple[bool, str]:
    """Run a stage in this copy of the project. Returns True if it notices a fault, and the first test that fails."""
    plugins = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "tests.mutants_calls"]
    limited = ["sh", "-c", 'ulimit -S -t "$0"; exec "$@"', str(int(GRACE * seconds))]
    own = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    if stage.rooms != ("bots",):  # bots are not compiled, so their faults leave the user's cache valid
        own["CARC_ENV_CACHE_DIR"] = str(folder / ".cache")
    process = subprocess.Popen(
        [*limited, sys.executable, "-m", "pytest", "-x", "-q", *plugins, *stage.tests.split()],
        cwd=folder,
        env={**os.environ, **own, **stage.mode, "OMP_NUM_THREADS": "1", **told},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    in_time, written = wait_for(process, seconds)
    if process.returncode == 0:
        return False, ""
    if in_time and -process.returncode in (signal.SIGKILL, signal.SIGTERM):  # a run over its time gets SIGXCPU instead
        raise RuntimeError(f"a run of stage {stage.name} was killed by somebody else, which says nothing of the fault")
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", written, re.MULTILINE)
    return True, found[1] if found else "time" if not in_time or process.returncode < 0 else written.strip()[-300:]


def plant_and_run(mutant: Mutant, stage: Stage, calls: dict, folders: SimpleQueue) -> dict:
    """Plant a fault in a free copy, run the tests of a stage that call its function, and take the fault out again."""
    folder, began = folders.get(), time.monotonic()
    path, sound = folder / mutant.file, (ROOT / mutant.file).read_bytes()
    tests, told, usual = who_calls(calls, mutant) if calls else [], {}, stage.seconds
    if calls:
        usual = min(usual, START + sum(calls[test][0] for test in tests))
        (folder / "tests.json").write_text(json.dumps(tests), encoding="utf-8")
        told = {TESTS: "tests.json"}
    try:
        path.write_bytes(sound[: mutant.start] + mutant.text.encode() + sound[mutant.end :])
        noticed, by = run(folder, stage, usual, **told) if tests or not calls else (False, "")
    finally:
        path.write_bytes(sound)
        shutil.rmtree(folder / ".cache", ignore_errors=True)
        folders.put(folder)
    seconds = round(time.monotonic() - began, 1)
    return {
        "mutant": str(mutant),
        "code": code_hash(mutant.file),
        "stage": stage.name,
        "noticed": noticed,
        "by": by,
        "seconds": seconds,
    }


# --- the run ----------------------------------------------------------------------------------------------------------
@cache
def code_hash(file: str) -> str:
    """Return a short hash of a file of the code, or an empty string if the file does not exist."""
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""


def results_in(path: Path, again: bool = False) -> list[dict]:
    """Return the results of earlier runs that are still valid; with `again`, only those of noticed faults."""
    if not path.exists():
        return []
    results = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    kept = [result for result in results if result["code"] == code_hash(result["mutant"].split(":")[0])]
    return [result for result in kept if result["noticed"] or not again]


def main() -> int:
    """Read the command line, plant the faults and report. Returns the exit status."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # so that Ctrl-C also works in the background of a shell
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300, help="how many faults are drawn (300)")
    parser.add_argument(
        "--only", default="", metavar="WORD", help="of these the ones in files whose path has this word"
    )
    parser.add_argument(
        "--stages", default=STAGES[-1].name, choices=[stage.name for stage in STAGES], help="the last one"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "mutants.jsonl")
    parser.add_argument("--again", action="store_true", help="try anew what no stage has noticed")
    parser.add_argument("--list", action="store_true", help="only say what would be planted")
    arguments = parser.parse_args()
    mutants = [mutant for mutant in drawn(arguments.seed, arguments.count) if arguments.only in mutant.file]
    if arguments.list:
        print(*mutants, sep="\n")
        return 0
    stages = STAGES[: [stage.name for stage in STAGES].index(arguments.stages) + 1]
    equal = equal_ones()
    planted = [mutant for mutant in mutants if mutant.key not in equal]
    results = results_in(arguments.results, arguments.again)
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    arguments.results.write_text("".join(json.dumps(result) + "\n" for result in results), encoding="utf-8")
    try:
        results = run_stages(planted, stages, results, arguments.results, arguments.workers)
    except KeyboardInterrupt:
        print("stopped; the same command continues")
        return 130
    return report(mutants, planted, stages, results)


def run_stages(planted, stages, results, file, workers) -> list[dict]:
    """Run each stage on the faults that no earlier stage has noticed. Returns old and new results."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as place, ThreadPoolExecutor(workers) as pool:
        folders = SimpleQueue()
        for number in range(workers):
            folders.put(Path(shutil.copytree(ROOT, Path(place, str(number)), ignore=NOT_COPIED)))
        for stage in stages:
            noticed = {result["mutant"] for result in results if result["noticed"]}
            done = noticed | {result["mutant"] for result in results if result["stage"] == stage.name}
            todo = [mutant for mutant in planted if mutant.room in stage.rooms and str(mutant) not in done]
            if not todo:
                continue
            plant = partial(plant_and_run, stage=stage, calls=calls_of(stage, folders), folders=folders)
            found = pool.map(plant, todo)
            try:
                for number, result in enumerate(found, 1):
                    results.append(result)
                    with file.open("a", encoding="utf-8") as lines:
                        lines.write(json.dumps(result) + "\n")
                    said = f"noticed by {result['by'].splitlines()[-1]}" if result["noticed"] else "not noticed"
                    print(f"{stage.name} {number}/{len(todo)}: {result['mutant']}: {said}", flush=True)
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return results


def calls_of(stage: Stage, folders: SimpleQueue) -> dict:
    """Return the functions that each test of a stage calls, or an empty dict if the functions with faults are compiled.
    The stage has to pass without any fault: a test that always fails would notice every fault.
    """
    folder = folders.get()
    notes, is_seen = folder / "calls.json", stage.mode == UNCOMPILED or stage.rooms == ("bots",)
    fails, by = run(folder, stage, NOTING * stage.seconds, **({NOTES: str(notes)} if is_seen else {}))
    folders.put(folder)
    if fails:
        raise SystemExit(f"stage {stage.name} fails without any fault: {by}")
    return json.loads(notes.read_text(encoding="utf-8")) if is_seen else {}


def report(mutants, planted, stages, results) -> int:
    """Print how many faults each stage noticed, and those that none noticed. Returns 1 if there are any, else 0."""
    noticed = {result["mutant"]: result["stage"] for result in results if result["noticed"]}
    counts = Counter(noticed.get(str(mutant)) for mutant in planted)
    print(f"\n{len(mutants)} faults, {len(mutants) - len(planted)} of them known to change nothing")
    for stage in stages:
        print(f"{counts[stage.name]:6d}  noticed by {stage.name}")
    survivors = [mutant for mutant in planted if str(mutant) not in noticed]
    print(f"{len(survivors):6d}  not noticed")
    for mutant in sorted(survivors, key=lambda mutant: (mutant.file, mutant.line)):
        print(f"        {mutant}")
    return int(bool(survivors))


if __name__ == "__main__":
    sys.exit(main())
