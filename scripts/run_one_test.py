"""What `make test-one T=NAME` runs: builds what one test needs, and runs it.

    /usr/bin/python3 scripts/run_one_test.py [--preset release] [--jobs N] NAME

NAME is one of these:
    event_test                             a test of ctest: `ctest --test-dir build/release -N` lists them
    Event.CallbacksAreCalledOnce           a case of a GoogleTest program, or `Event.*`
    tests/passes/barrier-regions/loop.ll   an IR test, or a folder of IR tests; `tests/passes/` may be left out
    tests/sycl/kernels_test.cpp            a source file of tests: the program that it belongs to
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
IR_TESTS = ROOT / "tests" / "passes"
SOURCES = ("src", "tests", "tools", "device_lib")


def run(command, **environment):
    print("$ " + " ".join([f"{name}={value}" for name, value in environment.items()] + list(map(str, command))), flush=True)
    alone = {"LOCKSTEP_NVIDIA": "0", **os.environ}  # as tests/without_cards.cmake
    return subprocess.run(list(map(str, command)), cwd=ROOT, env={**alone, **environment}).returncode


def registered_tests(build):
    """The command of each test, by its name. `ctest --show-only` leaves out commands that are not built yet."""
    tests = {}
    for file in sorted(build.rglob("CTestTestfile.cmake")):
        for line in re.finditer(r"^add_test\(\[=*\[(.*?)\]=*\] (.*)\)$", file.read_text(), re.MULTILINE):
            tests[line[1]] = re.findall(r'"([^"]*)"', line[2])
    return tests


def ir_test(name):
    """The file or folder of IR tests that `name` names, or None."""
    for file in (ROOT / name, IR_TESTS / name, IR_TESTS / f"{name}.ll"):
        if file.is_relative_to(IR_TESTS) and file != IR_TESTS and file.exists():
            return file
    return None


def program_of_source(name, tests, build):
    """The test whose program is compiled from the source file `name`."""
    file = ROOT / name
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if entry["file"] == str(file) and (target := re.search(r" -o \S*/([^/ ]+)\.dir/", entry["command"])) and target[1] in tests:
            return target[1]
    # Programs of SYCL are not in that file; the first source has the name of the program, or the folder has.
    return next((test for test in (f"sycl_{file.stem}", f"sycl_{file.parent.name}_test") if file.is_file() and test in tests), None)


def source_of_case(name):
    """The source file that has a GoogleTest case; a suite's parameters do not count."""
    suite, _, case = name.partition(".")
    suite, case = suite.split("/")[-1], case.split("/")[0]
    case = r"\w+" if "*" in case or not case else re.escape(case)
    head = re.compile(rf"^ *(TYPED_)?TEST(_[FP])?\(\s*{re.escape(suite)},\s*{case}\s*\)", re.MULTILINE)
    for folder in SOURCES:
        for file in sorted((ROOT / folder).rglob("*.cpp")):
            if head.search(file.read_text()):
                return file.relative_to(ROOT)
    return None


def built_files(command, build):
    """The files of the build folder that a command names: targets of ninja."""
    return [str(pathlib.Path(word).relative_to(build)) for word in command if word.startswith(f"{build}/")]


def run_ir_tests(build, jobs, what):
    if run(["cmake", "--build", build, "-j", jobs, "--target", "lockstep-opt"]) != 0:
        return 1
    words = registered_tests(build)["passes"]
    return run([word if word != str(IR_TESTS) else what for word in words if word not in ("-sv", "-j2")] + ["-v", f"-j{jobs}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("name", metavar="NAME")
    arguments = parser.parse_args()
    build = ROOT / "build" / arguments.preset
    if not (build / "build.ninja").exists() and run(["cmake", "--preset", arguments.preset]) != 0:
        return 1
    if what := ir_test(arguments.name):
        return run_ir_tests(build, arguments.jobs, what)
    tests, cases = registered_tests(build), {}
    test = arguments.name if arguments.name in tests else program_of_source(arguments.name, tests, build)
    if not test and (source := source_of_case(arguments.name)):
        test = program_of_source(source, tests, build)
        name = arguments.name if "." in arguments.name else f"{arguments.name}.*"
        cases = {"GTEST_FILTER": f"{name}:*/{name}/*:{name}/*:*/{name}"}
    if not test:
        print(f"There is no test '{arguments.name}': no IR test, test of ctest, GoogleTest case or test source has this name.\n"
              f"`ctest --test-dir build/{arguments.preset} -N` lists the tests of ctest.", file=sys.stderr)
        return 2
    targets = [*built_files(tests[test], build), "liblockstep"]
    if run(["cmake", "--build", build, "-j", arguments.jobs, "--target", *targets]) != 0:
        return 1
    return run(["ctest", "--test-dir", build, "--verbose", "--no-tests=error", "-R", f"^{re.escape(test)}$"], **cases)


if __name__ == "__main__":
    sys.exit(main())
