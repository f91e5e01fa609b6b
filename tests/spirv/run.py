"""Runs tests of tests/programs/ whose kernels go through SPIR-V (through_spirv.cpp).

    /usr/bin/python3 tests/spirv/run.py --build build/release [--excluded] [PROGRAM...]

Without a program: all in excluded.txt's list of programs. The tests in excluded.txt are left out (* is all tests of a
program); each has its reason there. With --excluded only those run, and the ones that pass are printed. Exit code 1 if a test fails, if a program ran no
kernel through SPIR-V, or if an excluded test does not exist.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def read_exclusions():
    """The reasons by test, by program: {"atomics_test": {"Atomics.Float": "back-end-crash"}}."""
    programs, reasons = {}, {}
    for number, line in enumerate((HERE / "excluded.txt").read_text().splitlines(), 1):
        words = line.split()
        if not words or words[0] == "#":
            continue
        if words[0].endswith(":"):
            reasons[words[0][:-1]] = " ".join(words[1:])
        elif len(words) == 1:
            programs.setdefault(words[0], {})
        elif len(words) == 3 and words[2] in reasons:
            programs.setdefault(words[0], {})[words[1]] = words[2]
        else:
            sys.exit(f"excluded.txt:{number}: '{line}' is not PROGRAM [TEST REASON], with a reason that the file explains")
    return programs


def environment(build, cache):
    return {**os.environ, "OCL_ICD_VENDORS": str(build / "vendors"), "LOCKSTEP_CACHE_DIR": cache,
            "LOCKSTEP_DEADLOCK_SECONDS": "1", "LD_PRELOAD": str(build / "lib" / "libthrough_spirv.so")}


def run(build, program, chosen, cache):
    """Runs the tests that the filter chooses; returns the names of those that failed and the number of programs."""
    done = subprocess.run([build / "bin" / program, f"--gtest_filter={chosen}"], env=environment(build, cache),
                          capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    failed = re.findall(r"^\[  FAILED  \] ([\w./]+) \(", done.stdout, re.MULTILINE)
    began = re.findall(r"^\[ RUN      \] ([\w./]+)$", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1) and began:  # it crashed
        failed.append(began[-1])
    count = re.search(r"^through_spirv: (\d+) programs$", done.stderr, re.MULTILINE)
    return failed, int(count[1]) if count else 0, began, done.stdout + done.stderr


def tests_of(build, program):
    lines = subprocess.run([build / "bin" / program, "--gtest_list_tests"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    names, suite = set(), ""
    for line in lines:
        line = line.split("#")[0].rstrip()
        if line.startswith("  "):
            names.add(suite + line.strip())
        elif line.endswith("."):
            suite = line
    return names


def check_program(build, program, excluded, cache):
    if "*" in excluded:
        print(f"{program}: {len(tests_of(build, program))} tests, all excluded")
        return True
    unknown = set(excluded) - tests_of(build, program)
    for test in sorted(unknown):
        print(f"{program}: excluded.txt names {test}, which the program does not have")
    failed, count, began, output = run(build, program, "-" + ":".join(excluded), cache)
    print(f"{program}: {len(began)} tests, {len(excluded)} excluded, {len(failed)} failed, {count} programs through SPIR-V")
    if failed:
        print(output)
    if count == 0:
        print(f"{program}: it has built nothing through SPIR-V")
    return not unknown and not failed and count > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--excluded", action="store_true")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    exclusions = read_exclusions()
    good = True
    with tempfile.TemporaryDirectory() as cache:
        for program in arguments.programs or exclusions:
            excluded = exclusions.get(program, {})
            if arguments.excluded:
                for test, reason in excluded.items():
                    failed, _, began, _ = run(build, program, test, cache)
                    print(f"{program} {test} ({reason}): {'passes' if began and not failed else 'fails'}")
            else:
                good = check_program(build, program, excluded, cache) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
