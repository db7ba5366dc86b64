# The commands of this project. `make` alone lists them.
# The first command makes a virtual environment in .venv and installs everything there. It installs nothing elsewhere.

CONFIG ?= configs/quick.toml
# More options of `make train`, `make mutants` and `make wheel-check`. For example, `make train ARGS=--resume` continues
# a run that was stopped.
ARGS ?=
# The number of processes that run tests. The default is for a machine with two cores: some tests wait for a server or a
# browser, so more processes than cores are faster.
WORKERS ?= 4
# The first of these Pythons that can do so makes the virtual environment. The pinned versions are known to work with
# Python 3.11.
PYTHON ?= python3.11 python3 python3.12 python3.13 python3.14 python3.10 python
# The Pythons with which `make wheel-check` tries the wheel. Those that are not installed are left out.
WHEEL_PYTHONS ?= python3.10 python3.11 python3.12 python3.13 python3.14

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Each process uses one thread. With more threads, torch is slower, because the processes already use all cores.
# The empty PYTHONDONTWRITEBYTECODE makes Python save its bytecode, so that the other processes can load it.
PYTEST := OMP_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q
CAN_MAKE_VENV := import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))

.PHONY: help setup train lint compile test test-long test-jit test-plain test-checked nightly mutants canary wheel-check bench docs notebooks pictures clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: $(READY) ## make .venv and install everything in it

# Runs again when a dependency or a pinned version has changed.
$(READY): pyproject.toml constraints.txt
	@set -e; \
	if ! $(BIN)/python -c '$(CAN_MAKE_VENV)' 2>/dev/null; then \
		for python in $(PYTHON) none; do \
			if [ $$python = none ]; then \
				echo "make: no Python from 3.10 to 3.14 that has the modules venv and ensurepip" >&2; exit 1; \
			fi; \
			if $$python -c '$(CAN_MAKE_VENV)' 2>/dev/null; then break; fi; \
		done; \
		echo "$$python -m venv $(VENV)"; $$python -m venv --clear $(VENV); \
	fi
	@echo "installing everything into $(VENV), which takes some minutes; only errors and warnings are shown"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,pettingzoo,web,data,docs,cluster,dev]"
	@touch $@; echo "installed; to use Python and carc from $(VENV): source $(VENV)/bin/activate"

train: $(READY) ## train an agent from scratch with CONFIG=configs/quick.toml, and evaluate it
	$(BIN)/python -m training.ppo --config $(CONFIG) $(ARGS)

lint: $(READY) ## check the code, its format, its types, and the workflows of GitHub
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

compile: $(READY) ## compile all rules
	TERM=dumb $(BIN)/carc doctor --compile

OBSERVED := tests/test_observed.py::test_what_is_seen_is_what_it_was
# All tests run once, with the rules compiled as for users. The tests of the rules also run uncompiled, with fewer
# random games (see tests/modes.py). docs/testing.md describes the modes.
IN_ALL_MODES := tests/laws tests/naive tests/scenarios tests/envs/test_identity.py tests/envs/test_encode.py \
	tests/test_events.py tests/test_records.py tests/test_sheets.py \
	'$(OBSERVED)[base]' '$(OBSERVED)[carcassonne]'
# These tests call the compiled functions that the tests in IN_ALL_MODES do not call. Coverage cannot be measured in
# compiled code, so each compiled function needs a small test that also runs uncompiled.
VECTOR := tests/envs/test_vector.py
AEC := tests/envs/test_aec.py
ONLY_PLAIN := $(VECTOR)::test_episode_statistics_of_gymnasiums_wrapper $(VECTOR)::test_a_bot_that_answers_illegally_is_named \
	$(VECTOR)::test_an_illegal_action_can_raise_and_changes_nothing $(AEC)::test_an_illegal_action_loses_the_game \
	$(AEC)::test_agent_selection_follows_the_questions_through_an_ingot_draft \
	$(AEC)::test_rewards_given_by_last_add_up_to_the_final_margins \
	'tests/bots/test_one_network.py::test_a_network_loaded_once_plays_everywhere[base]' \
	tests/bots/test_one_network.py::test_it_plays_from_what_it_is_shown \
	tests/test_limits.py::test_room_for_chips_is_found_to_the_last_square \
	tests/test_limits.py::test_counts_begin_anew_before_their_number_wraps \
	tests/training/test_env.py::test_greedy_rows_are_the_answers_of_the_bot \
	'$(VECTOR)::test_random_actions_are_legal_and_every_legal_action_comes[rows]' \
	tests/cli/test_bench.py::test_json_is_one_flat_object_of_the_figures_asked_for \
	tests/envs/test_inputs.py::test_categories_are_planes_and_wide_ones_are_not \
	tests/envs/test_inputs.py::test_a_window_stands_in_the_middle_of_the_layout_across_the_seam_of_the_torus \
	tests/cli/test_doctor.py::test_what_is_compiled tests/test_features.py \
	tests/test_table.py

# Two processes compile the rules, for two kinds of games, while the uncompiled tests run. The uncompiled tests have a
# lower priority (`nice`), because all other tests have to wait for the compiled rules.
test: $(READY) ## run the test suite: all tests compiled, the tests of the rules also uncompiled
	@$(BIN)/python -m tests.compiled goldmines & first=$$!; \
		$(BIN)/python -m tests.compiled everything & second=$$!; \
		nice $(MAKE) --no-print-directory test-plain; status=$$?; wait $$first && wait $$second && exit $$status
	@$(MAKE) --no-print-directory test-jit
	@echo "make test: All tests ran with compiled rules. A sample of the tests of the rules also ran uncompiled." \
		"\`make test-long\` (minutes) runs the tests that take long and seldom fail. \`make nightly\` (hours) runs the" \
		"tests with checks of array bounds, repetitions with other parameters, stress tests, the tests of the code for" \
		"a GPU, and long random tests."

test-long: $(READY) ## run the tests that take long and seldom fail: the website, tutorials, several servers, each learner, accessibility
	$(PYTEST) -m "long and not stress"

test-jit: $(READY) ## run the tests of `make test` with compiled rules
	$(PYTEST)

test-checked: $(READY) ## run a sample of the tests of the rules, compiled with checks of every array index
	NUMBA_BOUNDSCHECK=1 $(PYTEST) $(IN_ALL_MODES)

# Two processes are enough, because these tests do not wait for a server or a browser.
test-plain: $(READY) ## run a sample of the tests of the rules, uncompiled
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n 2 $(ONLY_PLAIN) $(IN_ALL_MODES)

nightly: $(READY) ## run the tests that take hours: repetitions, stress, bounds checks, code for a GPU, fuzzing, many random games
	$(BIN)/python -m pytest -q -m "stress or long"
	NUMBA_BOUNDSCHECK=1 $(PYTEST)
	NUMBA_BOUNDSCHECK=1 $(PYTEST) tests/laws --hypothesis-profile=wide
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m tests.fuzz --inputs 1000000 --workers $(WORKERS)
	$(BIN)/python -m tests.guided record --seconds 3600
	$(BIN)/python -m tests.guided checkpoint --seconds 3600
	$(BIN)/python -m tests.naive --games 20000 --workers $(WORKERS)

mutants: $(READY) ## mutation tests: make 300 small changes to the code, one at a time, and count those that the tests detect
	$(BIN)/python -m tests.mutants $(ARGS)

wheel-check: $(READY) ## build the sdist and the wheel, and try the wheel in new environments; ARGS=--extras also tries each extra
	$(BIN)/python -m tests.wheel $(WHEEL_PYTHONS) $(ARGS)

canary: $(READY) ## try the newest numba, NumPy, Gymnasium, Stable-Baselines3 and PettingZoo in a new virtual environment
	$(BIN)/python -m tests.canary

bench: $(READY) ## measure the speed of everything on this machine
	$(BIN)/carc bench

docs: $(READY) ## update the generated pages and tables of the documentation, and make the website build/site/index.html
	$(BIN)/python -m carc_env.commands.docs
	$(BIN)/python -m training.benchmark_report
	$(BIN)/python -m tests.dependencies
	$(BIN)/python -m sphinx -q -E -n -W --keep-going docs build/site

notebooks: $(READY) ## convert the tutorials to Jupyter notebooks, build/notebooks/*.ipynb
	$(BIN)/python -m tests.notebooks

pictures: $(READY) ## draw the pictures of the README and of the gallery again, and, with a browser, those of the web page
	$(BIN)/python -m carc_env.commands.docs pictures
	$(BIN)/python -m tests.web.pictures

clean: ## remove the files that tests and builds have made, but keep .venv and runs/
	rm -rf build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find carc_env training tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
