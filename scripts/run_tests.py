"""What `make test` runs: style checks, all tests of the release build, and what can run under sanitizers.

    /usr/bin/python3 scripts/run_tests.py [--jobs N] [STAGE...]     stages: style release asan tsan

The last lines are the times of the stages, the slowest tests, and the sum of all: `N passed, N failed`. Exit code 1 if
anything failed.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIMES = ROOT / "build" / "test-results" / "times.json"

# The parts that are built and tested under a sanitizer. Memory: everything that holds handles, through the loader too.
# Races: the runtime by itself, because neither LLVM nor kernels are instrumented.
SANITIZED = {
    "asan": ["src/support", "src/platform/linux", "src/runtime", "src/api", "tests/programs", "tests/errors"],
    "tsan": ["src/support", "src/platform/linux", "src/runtime"],
}
# Most of the time of these tests is compilation, by the release build's compiler, which is not instrumented. Tests of the other
# folders compile their kernels, so that leaks in it are found.
COMPILED_BEFORE = ["tests/programs"]
# Tests that a sanitizer cannot find more in: the same program with other machine code, which it does not look at, and
# programs that ask for many kernels' results, not for what the library does with objects, threads and memory. One worker
# does nothing beside another.
OTHER_CODE = ("_(LANES=|SUB_GROUP_SIZE=|CPU=|x86-64|out_of_line_functions|one_lane|4_lanes)|"
              "^(early_return|half_maths|half_memory|half_types|image_blocks|image_formats|image_sampling|logarithms|"
              "maths_edge_cases|maths_in_lanes|matrix_products|neighbor_groups|outlined_lanes|places_in_memory|relaxed_maths|"
              "saturated_conversions|shuffle|structures|sub_group|tiles|transposed_columns|work_group_collective)_test|"
              "^(image_tiles|mipmap)_test_FORM=")
NOT_SANITIZED = {"asan": OTHER_CODE, "tsan": f"{OTHER_CODE}|_one_worker$"}
SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}


SLOWEST = 10  # tests that the table at the end names


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.failures = []
        self.steps = []  # seconds, seconds of processors, and what took them
        self.tests = []

    def add_junit(self, file, stage):
        """Counts the test cases of a JUnit file."""
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            self.tests.append((float(case.get("time", 0)), f"{stage}: {case.get('name')}"))
            if case.find("failure") is not None or case.get("status") == "fail":
                self.add_failure(f"{stage}: {case.get('name')}")
            elif case.find("skipped") is not None:
                self.skipped += 1
            else:
                self.passed += 1

    def add_failure(self, what):
        self.failed += 1
        self.failures.append(what)

    def timed(self, what, step, *arguments):
        """Calls `step`, and records how long it took, and how long processors worked for it."""
        begin, begin_processors = time.monotonic(), seconds_of_processors()
        result = step(*arguments)
        self.steps.append((time.monotonic() - begin, seconds_of_processors() - begin_processors, what))
        return result

    def print_times(self):
        """Also writes the times of the steps where the next run finds them."""
        if self.steps:
            TIMES.parent.mkdir(parents=True, exist_ok=True)
            TIMES.write_text(json.dumps({what: seconds for seconds, _, what in self.steps}))
        print("\nminutes  of processors  step")
        sums = [sum(step[i] for step in self.steps) for i in range(2)]
        for seconds, of_processors, what in [*self.steps, (*sums, "all")]:
            print(f"{seconds / 60:7.1f}  {of_processors / 60:13.1f}  {what}")
        print("\nseconds  the slowest tests")
        for seconds, what in sorted(self.tests, reverse=True)[:SLOWEST]:
            print(f"{seconds:7.1f}  {what}")
        print()


def seconds_of_processors():
    """Of all programs that have ended and that this one has started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def say(sentence):
    print(f"== {sentence}", flush=True)


def run(command, environment=None):
    """Shows a command and runs it; returns its exit code."""
    print("$ " + " ".join(map(str, command)), flush=True)
    return subprocess.run([str(c) for c in command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL).returncode


def results_file(name):
    file = ROOT / "build" / "test-results" / f"{name.replace('/', '-')}.xml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    return file


def run_and_count(command, junit, stage, tally, environment=None):
    """A test runner that fails without naming a failed test (or without a report at all) is a failure of its own."""
    failed_before = tally.failed
    code = run(command, environment)
    if junit.exists():
        tally.add_junit(junit, stage)
    if (code != 0 and tally.failed == failed_before) or not junit.exists():
        tally.add_failure(f"{stage}: `{' '.join(map(str, command))}` ended with exit code {code}")


def test_environment(keep_cache=False):
    """Tests must not see what another build has left in the user's disk cache."""
    cache = ROOT / "build" / "test-cache"
    if not keep_cache:
        shutil.rmtree(cache, ignore_errors=True)
    return {**os.environ, "LOCKSTEP_CACHE_DIR": str(cache)}


def style(arguments, tally):
    junit = results_file("style")
    tally.timed("style", run_and_count, ["scripts/check/all", "--junit", junit], junit, "style", tally)


def configure_and_build(preset, arguments, tally, targets, definitions=()):
    say(f"{preset}: configure")
    if os.environ.get("CI"):  # no source is changed and built again
        definitions = [*definitions, "-DLOCKSTEP_UNITY_BUILD=ON"]
    if run(["cmake", "--preset", preset, *definitions]) != 0:
        tally.add_failure(f"{preset}: configure")
        return False
    say(f"{preset}: build {'everything' if not targets else ', '.join(targets)}, {arguments.jobs} at a time")
    target_arguments = ["--target", *targets] if targets else []
    if tally.timed(f"{preset}: build", run, ["cmake", "--build", f"build/{preset}", "-j", arguments.jobs, *target_arguments]) != 0:
        tally.add_failure(f"{preset}: build")
        return False
    return True


def ctest(preset, folder, arguments, tally, environment, left_out=()):
    junit = results_file(f"{preset}/{folder}" if folder else preset)
    run_and_count(["ctest", "--test-dir", f"build/{preset}/{folder}".rstrip("/"), "--output-on-failure", "--no-tests=error",
                   "--timeout", "1200", "-LE", "performance", *left_out, "-j", arguments.jobs, "--output-junit", junit],
                  junit, f"{preset} {folder}".strip(), tally, environment)


def release(arguments, tally):
    if configure_and_build("release", arguments, tally, []):
        say("release: all tests but the measurements (label performance)")
        tally.timed("release: tests", ctest, "release", "", arguments, tally, test_environment())


def sanitized(preset, arguments, tally):
    folders = SANITIZED[preset]
    # Half of the time to build, for passes that no test under a sanitizer is about: the release build's compiler.
    built = ROOT / "build" / "release"
    takes_it = "release" in arguments.stages and not arguments.instrument_compiler
    compiler = built if takes_it else ""
    if not configure_and_build(preset, arguments, tally, [f"{folder}/all" for folder in folders],
                               [f"-DLOCKSTEP_COMPILER_FROM={compiler}"]):
        return
    # The release build's compiler has compiled the kernels of these programs before: its tests have filled the disk cache.
    compiled = [folder for folder in folders if takes_it and folder in COMPILED_BEFORE]
    tally.timed(f"{preset}: tests", sanitized_tests, preset, compiled, [f for f in folders if f not in compiled], arguments, tally)


def sanitized_tests(preset, compiled, others, arguments, tally):
    """The tests of `compiled` find in the disk cache what the tests before them have left; those of `others` find nothing."""
    for name, folders in [("compiled_before", compiled), ("sanitized_tests", others)]:
        if not folders:
            continue
        # One run of ctest for all folders, so that no core waits for the last test of each.
        tests = ROOT / "build" / preset / name
        tests.mkdir(parents=True, exist_ok=True)
        (tests / "CTestTestfile.cmake").write_text("".join(f'subdirs("../{folder}")\n' for folder in folders))
        say(f"{preset}: tests of {', '.join(folders)}")
        ctest(preset, name, arguments, tally, {**SANITIZER_OPTIONS, **test_environment(keep_cache=folders is compiled)},
              ["-E", NOT_SANITIZED[preset]])


STAGES = {
    "style": style,
    "release": release,
    "asan": lambda arguments, tally: sanitized("asan", arguments, tally),
    "tsan": lambda arguments, tally: sanitized("tsan", arguments, tally),
}
CONTENTS = {
    "style": "the checks of scripts/check/all",
    "release": "everything is built, and all tests run but the measurements",
    "asan": "the runtime and the APIs are built with AddressSanitizer and UndefinedBehaviorSanitizer, and their tests run",
    "tsan": "the runtime is built with ThreadSanitizer, and its tests run",
}


def say_what_runs(stages):
    """What is to come, and how long each step took the last time."""
    last = json.loads(TIMES.read_text()) if TIMES.exists() else {}
    for number, stage in enumerate(stages, 1):
        times = [f"{what.removeprefix(stage).strip(': ') or 'all'} {seconds / 60:.1f}"
                 for what, seconds in last.items() if what.split(":")[0] == stage]
        took = f" (last time, in minutes: {', '.join(times)})" if times else ""
        say(f"stage {number} of {len(stages)}, {stage}: {CONTENTS[stage]}{took}")
    if not last:
        say("all stages take 25 to 60 minutes on two cores when nothing is compiled yet; the times are printed at the end")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="compilers and tests at a time")
    parser.add_argument("--instrument-compiler", action="store_true",
                        help="build the compiler under sanitizers, too; without the stage release it always is")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=" ".join(STAGES))
    arguments = parser.parse_args()
    unknown = [stage for stage in arguments.stages if stage not in STAGES]
    if unknown:
        parser.error(f"no stage {' '.join(unknown)}; there are {' '.join(STAGES)}")
    tally = Tally()
    chosen = arguments.stages = arguments.stages or list(STAGES)
    say_what_runs(chosen)
    for number, stage in enumerate(chosen, 1):
        begin = time.monotonic()
        say(f"stage {number} of {len(chosen)}: {stage}")
        STAGES[stage](arguments, tally)
        say(f"stage {stage} took {time.monotonic() - begin:.0f} s")
    tally.print_times()
    for failure in tally.failures:
        print(f"FAILED {failure}")
    skipped = f", {tally.skipped} skipped" if tally.skipped else ""
    print(f"{tally.passed} passed, {tally.failed} failed{skipped}")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
