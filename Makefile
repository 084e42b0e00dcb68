# What people run. `make help` lists it.

SHELL := /bin/bash

# One set of flags for build, demo, test and check: another flag would build everything again.
SWIFT_FLAGS = -c release -Xswiftc -enable-testing -Xswiftc -warnings-as-errors
export SWIFT_FLAGS

# Minutes after which a run of the tests counts as stuck.
TEST_MINUTES ?= 30
STRESS_MINUTES ?= 240

SWIFT_SOURCES = Package.swift Sources Tests Examples

.DEFAULT_GOAL := help
.PHONY: help deps build demo test stress format check corpus clean

help: ## lists these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## installs what is missing to build and test
	@scripts/deps.sh

build: deps ## builds the command line and the libraries
	swift build $(SWIFT_FLAGS)

demo: build ## shows it at work
	scripts/demo.sh

test: deps ## runs all tests; needs /dev/fuse
	swift build $(SWIFT_FLAGS) --build-tests
	scripts/test.sh $(TEST_MINUTES)

stress: deps ## runs the tests with many more rounds; takes hours
	swift build $(SWIFT_FLAGS) --build-tests
	FAKEPROVIDER_STRESS=1 scripts/test.sh $(STRESS_MINUTES)

format: ## formats the Swift sources
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

check: ## checks the format, the house rules and the samples
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	scripts/tidy.sh
	python3 Samples/make-samples.py --check

corpus: ## makes the sample documents again
	python3 Samples/make-samples.py

clean: ## removes what was built
	swift package clean
