# The commands of this project. `make` alone lists them.
# The first run makes a virtual environment in .venv; nothing else of the machine is touched.

CONFIG ?= configs/quick.toml
# More options of the training, such as ARGS=--resume to go on with a run that was stopped.
ARGS ?=
# Processes that run tests side by side: two more than the cores of a small machine, as some tests wait for a server or a browser.
WORKERS ?= 4
# Which Python makes the environment; the first of these that can. The pinned versions are those for 3.11.
PYTHON ?= python3.11 python3 python3.12 python3.13 python3.14 python3.10 python
# The Pythons that `make wheel-check` tries, as programs; those that are not there are left out.
WHEEL_PYTHONS ?= python3.10 python3.11 python3.12 python3.13 python3.14

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# Each worker has a thread of its own; those that torch would add only wait for each other. Each process reads what another has
# made of the tests' sources, also where Python is told to keep nothing.
PYTEST := OMP_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q
CAN_MAKE_VENV := import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 14))

.PHONY: help setup train lint compile test test-long test-jit test-plain test-checked nightly mutants canary wheel-check bench docs notebooks pictures clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

setup: $(READY) ## only make .venv with everything in it

# Done again when a dependency or a pin has changed.
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
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[train,pettingzoo,web,data,docs,cluster,dev]"
	@touch $@

train: $(READY) ## train an agent from scratch with CONFIG=configs/quick.toml and report its strength
	$(BIN)/python -m training.ppo --config $(CONFIG) $(ARGS)

lint: $(READY) ## check the code: ruff, its format, the types, and the workflows
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

compile: $(READY) ## compile all rules
	TERM=dumb $(BIN)/carc doctor --compile

OBSERVED := tests/test_observed.py::test_what_is_seen_is_what_it_was
# Everything runs once, on rules compiled as users have them. What plays by the rules runs also uncompiled, with fewer random games
# (tests/modes.py). docs/testing.md says what each mode has found.
IN_ALL_MODES := tests/laws tests/naive tests/scenarios tests/envs/test_identity.py tests/envs/test_encode.py \
	tests/test_events.py tests/test_records.py tests/test_sheets.py \
	'$(OBSERVED)[base]' '$(OBSERVED)[carcassonne]'
# One small test for each compiled function that the others leave out: lines of compiled code can be counted only uncompiled.
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

# Rules are compiled, by two processes for different kinds of games, while the tests run that need none of it; those give way, as
# nothing else can begin before the rules are compiled.
test: $(READY) ## the test suite: all of it once, that of the rules also uncompiled
	@$(BIN)/python -m tests.compiled goldmines & first=$$!; \
		$(BIN)/python -m tests.compiled everything & second=$$!; \
		nice $(MAKE) --no-print-directory test-plain; status=$$?; wait $$first && wait $$second && exit $$status
	@$(MAKE) --no-print-directory test-jit
	@echo "make test: the tests ran on compiled rules; those of the rules ran in samples also uncompiled; what takes long and seldom" \
		"breaks is left to \`make test-long\` (minutes); array bounds checked in compiled code, what repeats with other parameters," \
		"stress, code for a GPU, and long random runs are left to \`make nightly\` (hours)"

test-long: $(READY) ## what `make test` leaves out as it takes long and seldom breaks: the site, tutorials, many servers, each learner, axe
	$(PYTEST) -m "long and not stress"

test-jit: $(READY) ## the tests of `make test`, on rules compiled as usual
	$(PYTEST)

test-checked: $(READY) ## the tests of the rules in samples, on compiled rules that check every array index
	NUMBA_BOUNDSCHECK=1 $(PYTEST) $(IN_ALL_MODES)

# nothing in it waits for a server or a browser
test-plain: $(READY) ## the tests of the rules in samples, with the compiler switched off
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n 2 $(ONLY_PLAIN) $(IN_ALL_MODES)

nightly: $(READY) ## what takes long: repetitions, stress, code for a GPU, a million odd inputs, 1,000 games a law, 20,000 against the naive model
	$(BIN)/python -m pytest -q -m "stress or long"
	NUMBA_BOUNDSCHECK=1 $(PYTEST)
	NUMBA_BOUNDSCHECK=1 $(PYTEST) tests/laws --hypothesis-profile=wide
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m tests.fuzz --inputs 1000000 --workers $(WORKERS)
	$(BIN)/python -m tests.guided record --seconds 3600
	$(BIN)/python -m tests.guided checkpoint --seconds 3600
	$(BIN)/python -m tests.naive --games 20000 --workers $(WORKERS)

mutants: $(READY) ## plant 300 small faults in the rules, observations and bots, one at a time: which do the tests notice?
	$(BIN)/python -m tests.mutants $(ARGS)

wheel-check: $(READY) ## build the wheel and try it in fresh environments: oldest and newest dependencies, each Python of WHEEL_PYTHONS
	$(BIN)/python -m tests.wheel $(WHEEL_PYTHONS) $(ARGS)

canary: $(READY) ## try the newest numba, NumPy, Gymnasium, Stable-Baselines3 and PettingZoo in an environment of their own
	$(BIN)/python -m tests.canary

bench: $(READY) ## measure the speed of everything on this machine
	$(BIN)/carc bench

docs: $(READY) ## write the tables of the documentation anew, and make a site of all pages, build/site/index.html
	$(BIN)/python -m carc_env.commands.docs
	$(BIN)/python -m training.benchmark_report
	$(BIN)/python -m tests.dependencies
	$(BIN)/python -m sphinx -q -E -n -W --keep-going docs build/site

notebooks: $(READY) ## write the tutorials as Jupyter notebooks, build/notebooks/*.ipynb
	$(BIN)/python -m tests.notebooks

pictures: $(READY) ## draw the pictures of the README, of the gallery and, with a browser, of the page anew
	$(BIN)/python -m carc_env.commands.docs pictures
	$(BIN)/python -m tests.web.pictures

clean: ## remove what tests and builds left behind; .venv and runs/ stay
	rm -rf build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find carc_env training tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
