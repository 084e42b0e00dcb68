# What people run. `make help` lists it.

SHELL := /bin/bash

# One set of flags for build, demo, test and check: another flag would build everything again.
SWIFT_FLAGS = -c release -Xswiftc -enable-testing -Xswiftc -warnings-as-errors
export SWIFT_FLAGS

# Minutes after which a run of the tests counts as stuck.
TEST_MINUTES ?= 30
STRESS_MINUTES ?= 240

SWIFT_SOURCES = Package.swift Sources Tests Examples Benchmarks

.DEFAULT_GOAL := help
.PHONY: help deps samples build demo test stress format check profiles corpus newcomer clean

help: ## lists these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## installs what is missing to build and test
	@scripts/deps.sh

# Five megabytes that nobody needs in a repository; the same bytes on every machine.
LARGE_SAMPLE = Samples/documents/Grain Study.pdf

samples: deps ## makes the large sample document
	@test -e "$(LARGE_SAMPLE)" || python3 Samples/make-samples.py --large "$(LARGE_SAMPLE)"

build: samples ## builds the command line and the libraries
	swift build $(SWIFT_FLAGS)

demo: build ## shows it at work
	scripts/demo.sh

test: samples ## runs all tests; needs /dev/fuse
	swift build $(SWIFT_FLAGS) --build-tests
	scripts/test.sh $(TEST_MINUTES)
	scripts/consumer.sh

stress: samples ## runs the tests with many more rounds; takes hours
	swift build $(SWIFT_FLAGS) --build-tests
	FAKEPROVIDER_STRESS=1 scripts/test.sh $(STRESS_MINUTES)

format: ## formats the Swift sources
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

check: ## checks the format, the house rules and the samples
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	scripts/tidy.sh
	python3 Samples/make-samples.py --check

profiles: build ## writes the schema and the reference of profiles anew
	scripts/profiles.sh

corpus: build ## reads all of CORPUS=DIR through a mount, by several ways
	@test -n "$(CORPUS)" || { echo 'corpus: say which folder: make corpus CORPUS=DIR' >&2; exit 2; }
	python3 scripts/corpus.py "$(CORPUS)"

bench: build ## measures, as ratios; BENCH=clock or rules for that one alone
	python3 scripts/bench.py $(BENCH)

newcomer: ## follows the README on a fresh Debian; root, a network, half an hour
	scripts/newcomer.sh

clean: ## removes what was built
	swift package clean
