#!/usr/bin/python3
"""Builds SYCL-CTS with lockstep++, runs it, and compares it with the table of docs/conformance.md:

    scripts/run_sycl_cts.py SUITE FOLDER [--build build/release] [--jobs N] [--full] [--update] [CATEGORY...]

SUITE is a checkout of github.com/KhronosGroup/SYCL-CTS with its submodules; nothing of it is in this project. It is copied
to FOLDER, where CHANGES below are made, and built there: every category, or those that are named. No filter excludes any.
A finding, and exit code 1, is a category whose numbers of passed and failed test cases are not those of its row, one that
has no row, and a source that does not compile. With --full the suite's full conformance is on, which the table does not
tell of: its numbers are only shown. With --update those of the page are set to what was seen; remarks are for people.
All of it takes two and a half hours of processor time, --jobs at a time; with --full far more.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "conformance.md"
HEADING = "## What the Khronos tests of SYCL say"
ROW = re.compile(r"^\| (?P<category>[a-z0-9_/]+) \| (?P<passed>\d+) \| (?P<failed>\d+) \|(?P<remark>.*)\|$")

GROUP_OF = ("tests/extension/oneapi_non_uniform_groups/group_of.h", """\
          if (!NonUniformGroupHelper<GroupT>::should_participate(sub_group,
                                                                 test_case))
            return;
""", """\
          if (!NonUniformGroupHelper<GroupT>::should_participate(sub_group,
                                                                 test_case)) {
            for (int i = 0; i < total_case_count; ++i)
              res_acc[gid][i] = true;
            return;
          }
""")

# What is not the implementation's: file, what stands there, what is to stand there.
CHANGES = [
    # The implementations that the suite knows.
    ("cmake/AddSYCLExecutable.cmake", ";ProtoSYCL\"", ";ProtoSYCL;Lockstep\""),
    ("tests/common/disabled_for_test_case.h", "#error Unknown SYCL implementation\n", ""),
    # A tag without its bracket.
    ("tests/extension/oneapi_local_memory/local_memory.cpp", "\"[oneapi_local_memory\"", "\"[oneapi_local_memory]\""),
    # Headers of C++ and OpenCL that the tests use and do not include.
    ("tests/group_functions/group_scan.h", "#include <valarray>\n", "#include <unordered_map>\n#include <valarray>\n"),
    ("tests/scalars/scalars_interoperability_types.cpp", "#include \"../common/common.h\"\n",
     "#include <CL/cl.h>\n#include \"../common/common.h\"\n"),
    ("tests/extension/oneapi_composite_device/descendent_device.cpp", "#include <algorithm>\n",
     "#include <algorithm>\n#include <numeric>\n"),
    ("tests/extension/oneapi_composite_device/more_complex_test_cases.cpp", "#include <algorithm>\n",
     "#include <algorithm>\n#include <numeric>\n"),
    # Work-items outside the group leave before they have written what is looked at: in two tests of the same file.
    GROUP_OF, GROUP_OF,
    # An id compared with a number, which SYCL does not have.
    ("tests/extension/oneapi_root_group/root_group.cpp", "(root.get_local_id() == 0)",
     "(root.get_local_id() == sycl::id<Dimensions>())"),
]

# lockstep++ is the compiler, so there is nothing to find, and targets need nothing.
MODULES = {
    "FindLockstep.cmake": "set(Lockstep_FOUND TRUE)\n",
    "AdaptLockstep.cmake": """add_library(SYCL::SYCL INTERFACE IMPORTED GLOBAL)
function(add_sycl_to_target)
endfunction()
function(add_sycl_executable_implementation)
  cmake_parse_arguments(ARG "" "NAME;OBJECT_LIBRARY" "TESTS" ${ARGN})
  add_library(${ARG_OBJECT_LIBRARY} OBJECT ${ARG_TESTS})
  add_executable(${ARG_NAME} $<TARGET_OBJECTS:${ARG_OBJECT_LIBRARY}>)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES)
    set_target_properties(${ARG_OBJECT_LIBRARY} PROPERTIES ${property} $<TARGET_PROPERTY:${ARG_NAME},${property}>)
  endforeach()
endfunction()
""",
}

# The suite divides the device into parts of 3 and 1 compute units, and wants several in kernel bundles.
PARTITIONED = {"device", "queue", "kernel_bundle"}


def copy_and_change(suite, copy):
    """The suite as it is built."""
    if copy.exists():
        return
    shutil.copytree(suite, copy, ignore=shutil.ignore_patterns(".git"))
    for name, old, new in CHANGES:
        file = copy / name
        text = file.read_text()
        if old not in text:
            sys.exit(f"{name}: there is no {old!r}; this is another revision of the suite than the page tells of")
        file.write_text(text.replace(old, new, 1))
    for name, text in MODULES.items():
        (copy / "cmake" / name).write_text(text)


def configure(copy, build, driver, full):
    subprocess.run(["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DSYCL_IMPLEMENTATION=Lockstep",
                    f"-DCMAKE_CXX_COMPILER={driver}", "-DCMAKE_CXX_FLAGS=-O0 -w", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                    "-DSYCL_CTS_ENABLE_EXT_ONEAPI_TESTS=ON", "-DSYCL_CTS_ENABLE_KHR_TESTS=ON",
                    f"-DSYCL_CTS_ENABLE_FULL_CONFORMANCE={'ON' if full else 'OFF'}"], check=True)


def read_programs(build):
    """Category -> its programs, with the objects that each is made of."""
    programs = collections.defaultdict(lambda: collections.defaultdict(list))
    for entry in json.loads((build / "compile_commands.json").read_text()):
        found = re.search(r" -o (tests/(\S+)/CMakeFiles/(test_\w+)_objects\.dir/\S+)", entry["command"])
        if found:
            programs[found[2]][found[3]].append(build / found[1])
    return programs


def run(program, environment):
    """Passed and failed test cases, and what went wrong beside them, or None. What fails as it is expected to is neither."""
    done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False)
    if whole := re.search(r"^All tests passed \(.*in (\d+) test cases?\)", done.stdout, re.MULTILINE):
        return int(whole[1]), 0, None
    last = re.findall(r"^test cases:.*", done.stdout, re.MULTILINE)
    if not last:
        return 0, 0, f"ended with code {done.returncode} and no results: {(done.stdout + done.stderr)[-400:]}"
    count = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed)(?! as)", last[-1])}
    return count.get("passed", 0), count.get("failed", 0), None


def run_category(build, category, programs, environment):
    """Passed and failed test cases, and findings."""
    if category in PARTITIONED:
        environment = dict(environment, LOCKSTEP_THREADS="4")
    passed = failed = 0
    findings = []
    for name, objects in sorted(programs.items()):
        findings += [f"{file.name.removesuffix('.o')} does not compile" for file in objects if not file.exists()]
        if not (build / "bin" / name).exists():
            findings.append(f"{name} is not there")
            continue
        seen = run(build / "bin" / name, environment)
        passed, failed = passed + seen[0], failed + seen[1]
        findings += [f"{name} {seen[2]}"] if seen[2] else []
    return passed, failed, findings


def read_rows(lines):
    """Category -> passed, failed of the rows below the heading."""
    rows, inside = {}, False
    for line in lines:
        if line.startswith("#"):
            inside = line.strip() == HEADING
        elif inside and (found := ROW.match(line)):
            rows[found["category"]] = int(found["passed"]), int(found["failed"])
    return rows or sys.exit(f"{PAGE.name} has no rows below {HEADING}")


def update(category, passed, failed):
    lines = PAGE.read_text().splitlines(keepends=True)
    for number, line in enumerate(lines):
        if (found := ROW.match(line.rstrip("\n"))) and found["category"] == category:
            lines[number] = f"| {category} | {passed} | {failed} |{found['remark']}|\n"
    PAGE.write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("categories", nargs="*", metavar="CATEGORY")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--full", action="store_true", help="SYCL_CTS_ENABLE_FULL_CONFORMANCE")
    parser.add_argument("--update", action="store_true", help="write what was seen into the page")
    arguments = parser.parse_intermixed_args()
    copy, build = arguments.folder.resolve() / "suite", arguments.folder.resolve() / ("full" if arguments.full else "build")
    copy_and_change(arguments.suite, copy)
    if not (build / "build.ninja").exists():
        configure(copy, build, arguments.build.resolve() / "bin" / "lockstep++", arguments.full)
    programs, rows = read_programs(build), read_rows(PAGE.read_text().splitlines())
    if unknown := set(arguments.categories) - set(programs):
        parser.error(f"no category {', '.join(sorted(unknown))}; there are {', '.join(sorted(programs))}")
    wanted = sorted(arguments.categories or programs)
    targets = [f"bin/{name}" for category in wanted for name in programs[category]]
    subprocess.run(["ninja", "-C", build, "-k", "0", "-j", str(arguments.jobs), *targets], check=False)
    environment = {"LOCKSTEP_NVIDIA": "0", **os.environ, "OCL_ICD_VENDORS": str(arguments.build.resolve() / "vendors")}
    trouble = 0
    for category in wanted:
        passed, failed, findings = run_category(build, category, programs[category], environment)
        if not arguments.full and rows.get(category) != (passed, failed):
            told = rows.get(category)
            findings.append(f"the page says {'%d passed, %d failed' % told if told else 'nothing'}")
            if arguments.update:
                update(category, passed, failed)
        trouble += len(findings)
        print(f"{category:40} {passed} passed, {failed} failed", *findings, sep="\n  ", flush=True)
    print(f"{trouble} findings" if trouble else "no findings")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
