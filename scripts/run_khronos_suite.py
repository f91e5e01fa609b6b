#!/usr/bin/python3
"""Runs the Khronos suite and compares it with the table of docs/conformance.md, in both directions:

    scripts/run_khronos_suite.py FOLDER [--build build/release] [--minutes 30] [--jobs 1] [--update] [--card] [SUITE...]

FOLDER is where the suite's own build has put its binaries (its test_conformance/). Each row of the table "Suites" says
which of them is run and how, how many of its tests pass, fail and are skipped, and why. A finding, and exit code 1, is
a row whose numbers are others, a test that fails and is not named in its row, a test that is named there and does
neither fail nor get skipped, a binary that no row has, and a row whose binary is not there. `not run` in a row needs a
reason, and is passed over. With --update the numbers of the page are set to what was seen; reasons are for people.
With --jobs each test is a process of its own, that many at once: a machine with many cores is through in minutes.
With --card the tests run on an NVIDIA card, and the table is that of docs/nvidia.md.

The suite is built beside this project, from github.com/KhronosGroup/OpenCL-CTS; nothing of it is in here.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADING = "### Suites"
ROW = re.compile(r"^\| (?P<suite>[^|]+) \| `(?P<command>[^`|]+)` \| (?P<numbers>[^|]+\|[^|]+\|[^|]+) \|(?P<why>[^|]*)\|$")
NOT_RUN = "not run"

Row = collections.namedtuple("Row", "suite command passed failed skipped why")


def read_rows(page):
    """The rows below the heading of the page."""
    lines = page.read_text().splitlines()
    rows, inside = [], False
    for number, line in enumerate(lines):
        if line.startswith("#"):
            inside = line.strip() == HEADING
        elif inside and line.startswith("|") and not re.match(r"^\| Suite|^\|-", line):
            found = ROW.match(line)
            if not found:
                sys.exit(f"{page.name}:{number + 1}: not a row of suite, `command`, passed, failed, skipped, why")
            numbers = [cell.strip() for cell in found["numbers"].split("|")]
            rows.append(Row(found["suite"].strip(), found["command"].split(), *numbers, found["why"].strip()))
    if not rows:
        sys.exit(f"{page.name} has no rows below {HEADING}")
    return rows


def run(binary, arguments, environment, seconds):
    """What the suite writes of its tests: name -> pass, fail or skip; and what went wrong beside that, or None."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.json"
        environment = dict(environment, CL_CONFORMANCE_RESULTS_FILENAME=str(results))
        with open(pathlib.Path(folder) / "output", "w+b") as output:
            try:
                code = subprocess.run([binary, *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=output, stderr=subprocess.STDOUT, timeout=seconds).returncode
            except subprocess.TimeoutExpired:
                return {}, f"was ended after {seconds / 60:.0f} minutes"
            if not results.exists():
                output.seek(max(0, output.seek(0, os.SEEK_END) - 400))
                return {}, f"ended with code {code} and no results: {output.read().decode(errors='replace')}"
        tests = json.loads(results.read_text())["results"]
        return tests, f"was ended by signal {-code}" if code < 0 else None


def split(binary, arguments, environment):
    """The arguments of one process for each test. A name that the row gives twice, as for a suite that forgets its first
    argument, is given twice to each."""
    listed = subprocess.run([binary, "--list"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False).stdout
    names = [line.strip() for line in listed.splitlines() if line.startswith("\t")]
    options, times = [], collections.Counter()
    for argument in arguments:
        matching = [name for name in names if name == argument or
                    (argument.endswith("*") and name.startswith(argument[:-1]))]
        times.update(matching)
        options += [] if matching else [argument]
    return [[*options, *[name] * max(times[name], 1)] for name in names if times[name] or not times] or [arguments]


def run_split(binary, arguments, environment, seconds, jobs):
    """As run, each test in a process of its own, `jobs` of them at a time."""
    pieces = split(binary, arguments, environment)
    tests, troubles = {}, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = pool.map(lambda piece: run(binary, piece, environment, seconds), pieces)
        for piece, (seen, trouble) in zip(pieces, done):
            tests.update(seen)
            troubles += [f"{' '.join(piece)} {trouble}"] if trouble else []
    return tests, "; ".join(troubles) or None


def compare(row, tests):
    """Findings about a row, and how many tests passed, failed and were skipped."""
    names = collections.defaultdict(set)
    for name, result in tests.items():
        names[result].add(name)
    seen = tuple(len(names[result]) for result in ("pass", "fail", "skip"))
    findings = []
    told = (row.passed, row.failed, row.skipped)
    if tuple(map(str, seen)) != told:
        findings.append(f"passed, failed, skipped: {', '.join(map(str, seen))}; the page says {', '.join(told)}")
    named = set(re.findall(r"`([^`]+)`", row.why))
    findings += [f"{name} fails and is not named" for name in sorted(names["fail"] - named)]
    findings += [f"{name} is named and neither fails nor is skipped"
                 for name in sorted(named - names["fail"] - names["skip"])]
    if (names["fail"] or names["skip"]) and not row.why:
        findings.append("no reason for what fails or is skipped: " + " ".join(sorted(names["fail"] | names["skip"])))
    return findings, seen


def update(page, row, seen):
    """Sets the numbers of a row in the page as it is by now: suites take long, and somebody may have written in it."""
    start = f"| {row.suite} | `{' '.join(row.command)}` |"
    lines = page.read_text().splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.startswith(start):
            why = ROW.match(line.rstrip("\n"))["why"]
            lines[number] = f"{start} {seen[0]} | {seen[1]} | {seen[2]} |{why}|\n"
    page.write_text("".join(lines))


def missing(folder, rows):
    """Binaries without a row, and rows without a binary."""
    there = {str(file.relative_to(folder)) for file in folder.rglob("test_*")
             if file.is_file() and os.access(file, os.X_OK)}
    told = {row.command[0] for row in rows}
    return [f"{name}: the page has no row of it" for name in sorted(there - told)] + \
        [f"{name}: not in {folder}" for name in sorted(told - there)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--minutes", type=float, default=30, help="for one suite, or with --jobs for one test")
    parser.add_argument("--jobs", type=int, default=1, help="tests at once, each in a process of its own")
    parser.add_argument("--card", action="store_true", help="run the tests on an NVIDIA card")
    parser.add_argument("--update", action="store_true", help="write what was seen into the page")
    arguments = parser.parse_intermixed_args()
    folder = arguments.folder.resolve()
    page = ROOT / "docs" / ("nvidia.md" if arguments.card else "conformance.md")
    rows = read_rows(page)
    unknown = set(arguments.suites) - {row.suite for row in rows}
    if unknown:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(row.suite for row in rows)}")
    vendors = arguments.build.resolve() / "vendors"
    if not vendors.exists():
        parser.error(f"no {vendors}; build the target liblockstep first")
    environment = dict(os.environ, OCL_ICD_VENDORS=str(vendors))
    if arguments.card:
        environment |= {"LOCKSTEP_NVIDIA": "first", "CL_DEVICE_TYPE": "gpu"}
    else:
        environment |= {"LOCKSTEP_NVIDIA": "0"}

    findings = [] if arguments.suites or arguments.card else missing(folder, rows)
    for row in rows:
        wanted = row.suite in arguments.suites or (not arguments.suites and row.passed != NOT_RUN)
        if row.passed == NOT_RUN and not row.why:
            findings.append(f"{row.suite}: not run, and no reason")
        if not wanted or not (folder / row.command[0]).exists():
            continue
        begin = time.monotonic()
        words = [word.replace("FOLDER", str(folder)) for word in row.command[1:]]
        command = folder / row.command[0], words, environment, arguments.minutes * 60
        tests, trouble = run(*command) if arguments.jobs == 1 else run_split(*command, arguments.jobs)
        found, seen = compare(row, tests) if tests else ([], None)
        found = ([trouble] if trouble else []) + found
        print(f"{row.suite:28} {'as told' if not found else 'DIFFERS':8} {time.monotonic() - begin:7.1f} s  "
              f"{'' if seen is None else '%d passed, %d failed, %d skipped' % seen}", flush=True)
        for finding in found:
            print(f"  {finding}", flush=True)
        findings += [f"{row.suite}: {finding}" for finding in found]
        if arguments.update and seen is not None:
            update(page, row, seen)
    print(f"{len(findings)} findings" if findings else "the page is right")
    for finding in findings if not arguments.suites else []:
        print(f"  {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
