# The commands of the README. Each does all its own set-up on a fresh Debian 12 machine and says what it does.
# What they build lies in build/<preset>/; `cmake --preset release && cmake --build build/release` is the same by hand.

PRESET ?= release
JOBS ?= $(shell nproc)
STAGES ?= style release asan tsan
BUILD := build/$(PRESET)
PYTHON := /usr/bin/python3

# Lets a fresh clone in another folder use what ccache has: paths below the checkout are hashed as relative ones.
export CCACHE_BASEDIR ?= $(CURDIR)

.PHONY: help dependencies build demo cluster-demo test test-one test-quick test-spirv test-arm64 clients check format tidy install package test-package clean
.DEFAULT_GOAL := help

help:
	@echo "make demo       build the examples, run them on Lockstep and every other OpenCL platform, print one table"
	@echo "make cluster-demo   programs of MPI, and of StarPU and Celerity (CELERITY=PREFIX), on 1, 2 and 4 local ranks"
	@echo "make test       style checks, all tests, and the tests under sanitizers    (STAGES=\"$(STAGES)\")"
	@echo "make test-one T=NAME   build and run one test: of ctest, a GoogleTest case, an IR test, a source file of tests"
	@echo "make test-quick the tests of ctest's label quick, after a build of everything; some minutes"
	@echo "make test-spirv the tests of OpenCL C again, through SPIR-V                  (PROGRAMS=\"atomics_test ...\")"
	@echo "make test-arm64 build for AArch64 with Debian's packages, run tests under qemu-user; long"
	@echo "make clients    run other people's OpenCL programs on Lockstep, print one table of their verdicts"
	@echo "make build      configure and build everything into $(BUILD)         (PRESET=debug|release|asan|tsan)"
	@echo "make check      only the style checks (scripts/check/all)"
	@echo "make format     format all C++ sources with clang-format-22"
	@echo "make tidy       clang-tidy-22 over all sources; minutes"
	@echo "make install    install into the system (DESTDIR and PREFIX are honored)"
	@echo "make package    build packages for Debian 12 into build/packages; make test-package installs them into a bare system"
	@echo "make clean      remove build/"

dependencies:
	@scripts/install_dependencies.sh

$(BUILD)/build.ninja: CMakePresets.json | dependencies
	@echo "== configure: cmake --preset $(PRESET)"
	@cmake --preset $(PRESET)

build: $(BUILD)/build.ninja
	@echo "== build: everything, $(JOBS) at a time"
	@cmake --build $(BUILD) -j $(JOBS)

demo: $(BUILD)/build.ninja
	@echo "== build: Lockstep and the examples, $(JOBS) at a time"
	@cmake --build $(BUILD) -j $(JOBS) --target liblockstep lockstep_cli examples/all
	@echo "== run: each example on Lockstep and on every other OpenCL platform of this machine (about a minute)"
	@$(PYTHON) examples/run_demo.py --build $(BUILD)

cluster-demo: $(BUILD)/build.ninja
	@echo "== build: Lockstep and the programs of examples/cluster, $(JOBS) at a time"
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target liblockstep lockstep_driver examples/cluster/all
	@echo "== run: each program on 1, 2 and 4 ranks (about a minute)"
	@$(PYTHON) examples/cluster/run_demo.py --build $(BUILD) $(if $(CELERITY),--celerity $(CELERITY))

test: dependencies
	@$(PYTHON) scripts/run_tests.py --jobs $(JOBS) $(STAGES)

test-one: $(BUILD)/build.ninja
	@$(PYTHON) scripts/run_one_test.py --preset $(PRESET) --jobs $(JOBS) "$(T)"

test-quick: build
	@echo "== test: the label quick"
	@ctest --test-dir $(BUILD) --output-on-failure -L quick -j $(JOBS)

test-spirv: $(BUILD)/build.ninja
	@echo "== build: everything, $(JOBS) at a time"
	@cmake --build $(BUILD) -j $(JOBS)
	@echo "== run: tests of OpenCL C through SPIR-V (some minutes)"
	@$(PYTHON) tests/spirv/run.py --build $(BUILD) $(PROGRAMS)

test-arm64: dependencies
	@scripts/arm64/test.sh $(JOBS) $(TESTS)

clients: $(BUILD)/build.ninja
	@scripts/install_dependencies.sh --clients
	@echo "== build: Lockstep, and programs of ours on the libraries"
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target clients
	@echo "== run: each client (a few minutes)"
	@$(PYTHON) tests/clients/run.py --build $(BUILD) $(CLIENTS)

check: dependencies
	@scripts/check/all

format: dependencies
	@find include src tools tests examples benchmarks \( -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) -print0 | \
	  xargs -0 clang-format-22 -i
	@echo "formatted"

tidy: $(BUILD)/build.ninja
	@echo "== tidy: clang-tidy-22 over src/ and tools/; minutes"
	@cmake --build $(BUILD) -j $(JOBS)
	@run-clang-tidy-22 -quiet -p $(BUILD) -j $(JOBS) '$(CURDIR)/(src|tools)/.*\.cpp$$'

install: build
	@echo "== install"
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

package: dependencies
	@scripts/install_dependencies.sh --packaging
	@echo "== package: build/packages"
	@debian/rules clean binary
	@dh_clean
	@lintian --fail-on error,warning build/packages/*.deb

test-package: package
	@$(PYTHON) scripts/test_packages.py build/packages

clean:
	@rm -rf build
	@echo "removed build/"
