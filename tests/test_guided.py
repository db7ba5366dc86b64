"""Tests of the fuzzer that is guided by coverage: its seed inputs are read or refused, and it finds the errors that it
looks for.
"""

import json
import subprocess
import sys

import pytest

from tests import guided


@pytest.mark.parametrize("name", guided.TARGETS)
def test_seeds_are_read_or_refused_with_a_clear_error(name):
    target, seeds = guided.TARGETS[name]
    for seed in seeds():
        target(seed)
        target(seed[:-9])


def test_wrapping_leads_past_the_checksums(monkeypatch):
    """Checks that a record gets past the checksums in each wrapping, so that its contents are checked. A checkpoint
    whose tensors do not belong to its card gets past them too.
    """
    texts = []
    monkeypatch.setattr(guided, "check_error", lambda error: texts.append(str(error)))
    for way in (b"z{}", b"j{}"):
        guided.try_record(way)
    assert texts[0] == texts[1] and "record" in texts[0]
    guided.try_checkpoint(guided.checkpoint_seeds()[1])
    assert len(texts) == 2, "the numbers are others than those of the card, and yet they are read"


def test_only_usual_tables_are_played_on(monkeypatch):
    """Checks that any other allowed size is replaced by a usual one, because the rules are compiled for each size. A
    size that is not allowed stays as it is, so that the reader refuses it.
    """
    sizes = []
    monkeypatch.setattr(guided, "replay", lambda record: sizes.append(record["config"]["table_size"]))
    for size in (5, 30, 75, 101, 102, -1, None, "30", [30]):
        guided.try_record(b"j" + json.dumps({"config": {"table_size": size}}).encode())
    assert sizes == [25, 25, 75, 25, 102, -1, None, "30", [30]]


@pytest.mark.parametrize("error", [TypeError, RecursionError, KeyError])
def test_any_other_error_ends_the_run(monkeypatch, error):
    def broken(record):
        raise error

    monkeypatch.setattr(guided, "replay", broken)
    with pytest.raises(error):
        guided.try_record(b"j{}")


@pytest.mark.stress
def test_it_runs(tmp_path):
    pytest.importorskip("atheris")
    words = [sys.executable, "-m", "tests.guided", "record", "--seconds", "10", "--folder", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "cov:" in done.stderr
