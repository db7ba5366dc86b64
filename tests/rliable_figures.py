"""Compute the figures of rliable, the library of Agarwal et al. (2021), with which tests/training/test_stats.py
compares `training.stats`: `python -m tests.rliable_figures`.

The program installs rliable in a temporary virtual environment, because its dependency arch cannot be imported with
pandas 3. It then prints rliable's figures for two tables of made-up scores. Exit status: 0 if the figures are those in
the test, 1 otherwise.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

VERSIONS = ("rliable==1.2.0", "arch==7.2.0", "pandas==2.3.3")
RUNS, TASKS = 7, 3
# scores of two algorithms, float64[tasks, runs]
OURS = np.array([[(37 * r + 11 * t + 5 * r * t) % 100 for r in range(RUNS)] for t in range(TASKS)]) / 100
THEIRS = np.array([[(53 * r + 29 * t + 3 * r * t + 20) % 90 for r in range(RUNS)] for t in range(TASKS)]) / 100
THRESHOLDS = np.linspace(0, 1, 6)  # of the performance profile
RESAMPLES = 20_000
# Two bootstraps with different random numbers give ends of intervals that differ by less.
NEAR, NEAR_PROFILE = 0.02, 0.05


def computed() -> dict[str, list[float]]:
    """Return rliable's figures. A list contains a value and the two ends of its 95 % interval, or one row of the
    performance profile. Raises ImportError if rliable is not installed.
    """
    from rliable import library, metrics

    ours, theirs = OURS.T, THEIRS.T  # rliable wants float64[runs, tasks]
    found = {}
    for name, scores in (("iqm of ours", ours), ("iqm of theirs", theirs)):
        found[name] = estimate({name: scores}, lambda table: np.array([metrics.aggregate_iqm(table)]))
    found["improvement"] = estimate(
        {"improvement": (ours, theirs)}, lambda *two: np.array([metrics.probability_of_improvement(*two)])
    )
    profile, between = library.create_performance_profile({"ours": ours}, THRESHOLDS, reps=RESAMPLES)
    rows = (profile["ours"], *between["ours"])
    return found | {f"profile {row}": list(map(float, of)) for row, of in zip(("value", "low", "high"), rows)}


def estimate(scores, function) -> list[float]:
    """Return a value and the two ends of its interval."""
    from rliable import library

    values, between = library.get_interval_estimates(scores, function, reps=RESAMPLES)
    (name,) = scores
    return [float(values[name][0]), *map(float, between[name][:, 0])]


def expected() -> dict[str, list[float]]:
    """Return the figures in tests/training/test_stats.py, in the same form as `computed`."""
    from tests.training import test_stats as test

    return {
        "iqm of ours": [test.IQM["ours"], *test.IQM_BETWEEN["ours"]],
        "iqm of theirs": [test.IQM["theirs"], *test.IQM_BETWEEN["theirs"]],
        "improvement": [test.IMPROVEMENT, *test.IMPROVEMENT_BETWEEN],
        "profile value": test.PROFILE,
        "profile low": test.PROFILE_LOW,
        "profile high": test.PROFILE_HIGH,
    }


def tolerance(name: str) -> list[float] | float:
    """Return how much the figures with this name may differ: values only by rounding, ends of intervals by luck."""
    if name == "profile value":
        return 1e-6
    return NEAR_PROFILE if name.startswith("profile") else [1e-9, NEAR, NEAR]


def main() -> int:
    """Install rliable, and compare the figures. Returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="carc_env-rliable-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *VERSIONS], check=True)
        program = "import json, rliable_figures as told; print(json.dumps(told.computed()))"
        done = subprocess.run([python, "-c", program], cwd=Path(__file__).parent, stdout=subprocess.PIPE, check=True)
    found, apart = json.loads(done.stdout.splitlines()[-1]), []
    for name, wanted in expected().items():
        print(f"{name:14} rliable {np.round(found[name], 4)}  test {np.round(wanted, 4)}")
        if not (np.abs(np.subtract(found[name], wanted)) <= tolerance(name)).all():
            apart.append(name)
    print(f"different: {', '.join(apart)}" if apart else "all figures are those in the test")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
