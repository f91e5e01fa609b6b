#!/usr/bin/env python3
"""Runs every example on Lockstep and on every other OpenCL platform of this machine, and prints one table; those in SYCL
on Lockstep alone, which they are compiled for.

Each example runs in a process of its own, with a time limit, so that a crash or a hang on one platform is a cell of the
table and not the end of it. Lockstep is the one of the build tree; the others are what the loader finds by itself.

Exit code: 0 if every row of Lockstep was verified.
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LOCKSTEP = "Lockstep"
COLUMNS = ["what", "platform", "verified", "time", "rate", "note"]


def examples(directory, variable):
    """The programs that the build made, in the order of CMakeLists.txt."""
    text = (HERE / "CMakeLists.txt").read_text()
    start = f"set({variable}"
    names = text[text.index(start) + len(start) :]
    return [directory / name for name in names[: names.index(")")].split()]


def environment(platform, build):
    """The loader's environment: only the build tree's ICD for Lockstep, the system's own for the others."""
    env = dict(os.environ)
    env.pop("OCL_ICD_VENDORS", None)
    if platform == LOCKSTEP:
        env["OCL_ICD_VENDORS"] = str(build / "vendors")
    return env


def other_platforms(program, build):
    try:
        done = subprocess.run([program, "--list-platforms"], env=environment(None, build), capture_output=True, text=True,
                              timeout=60)
    except subprocess.TimeoutExpired:
        return []
    return [name for name in done.stdout.splitlines() if name and name != LOCKSTEP]


def end_of(done):
    """What a process's end says, if it was not a plain success."""
    first_line = (done.stderr.strip().splitlines() or [""])[0].split(": ", 1)[-1][:100]
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}: {first_line}"
    return f"exit code {done.returncode}: {first_line}" if done.returncode else ""


def run_one(program, platform, arguments):
    """The rows of one example on one platform; a failure is a row too."""
    return run([program, "--platform", platform], program.name.replace("_", " "), platform, arguments)


def run_sycl(program, arguments):
    """SYCL programs are compiled for Lockstep. Those that measure nothing tell by their end whether all was right."""
    what = "SYCL: " + program.name.replace("_", " ")
    return run([program], what, LOCKSTEP, arguments) or [[what, LOCKSTEP, "yes", "", "", ""]]


def run(command, what, platform, arguments):
    command = command + (["--small"] if arguments.small else [])
    try:
        done = subprocess.run(command, env=environment(platform, arguments.build), capture_output=True, text=True,
                              timeout=arguments.time_limit)
        output, problem = done.stdout, end_of(done)
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b"").decode()
        problem = f"still running after {arguments.time_limit} s"
    rows = []
    for line in output.splitlines():
        if line.startswith("ROW\t"):
            name, platform_name, verified, seconds, rate, unit, note = line.split("\t")[1:8]
            rows.append([name, platform_name, verified, show_time(seconds), f"{show_rate(rate)} {unit}".strip(), note])
    if problem and not any(row[2] == "NO" for row in rows):
        rows.append([what, platform, "FAILED", "", "", problem])
    return rows


def show_time(seconds):
    return f"{float(seconds) * 1e3:.3f} ms" if seconds else ""


def show_rate(rate):
    return f"{float(rate):.3g}" if rate else ""


def print_table(rows):
    rows = [COLUMNS] + rows
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    right = {3, 4}
    for number, row in enumerate(rows):
        cells = [cell.rjust(width) if i in right else cell.ljust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build" / "release", help="build tree")
    parser.add_argument("--only", default="", help="only examples whose name contains this")
    parser.add_argument("--platform", action="append", help="only these platforms (may be repeated)")
    parser.add_argument("--small", action="store_true", help="the sizes of the tests: a few seconds in all")
    parser.add_argument("--time-limit", type=float, default=120, metavar="SECONDS", help="for one example on one platform")
    arguments = parser.parse_args()
    arguments.build = arguments.build.resolve()

    programs = [p for p in examples(arguments.build / "examples", "examples") if arguments.only in p.name]
    sycl_programs = [p for p in examples(arguments.build / "examples_sycl", "sycl_examples") if arguments.only in p.name]
    missing = [p for p in programs + sycl_programs if not p.exists()]
    if missing or not programs + sycl_programs:
        sys.exit(f"not built: {', '.join(map(str, missing)) or arguments.only}; run `cmake --build {arguments.build}` first")

    platforms = arguments.platform or [LOCKSTEP] + (other_platforms(programs[0], arguments.build) if programs else [])
    rows = []
    for program in programs:
        results = []
        for platform in platforms:
            if sys.stderr.isatty():
                print(f"\r\033[K{program.name} on {platform} ...", end="", file=sys.stderr, flush=True)
            results.append(run_one(program, platform, arguments))
        # The same measurement on all platforms stands together.
        order = []
        for what in (row[0] for rows_of_one in results for row in rows_of_one):
            if what not in order:
                order.append(what)
        rows += [row for what in order for rows_of_one in results for row in rows_of_one if row[0] == what]
    for program in sycl_programs if LOCKSTEP in platforms else []:
        rows += run_sycl(program, arguments)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print_table(rows)
    bad = [row for row in rows if row[1] == LOCKSTEP and row[2] in ("NO", "FAILED")]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
