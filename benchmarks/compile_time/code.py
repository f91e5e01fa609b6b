#!/usr/bin/env python3
"""The machine code of all kernels in benchmarks/ and examples/, for three processors: for changes that should not change it.

    benchmarks/compile_time/code.py --build BUILD write FOLDER     compiles, and prints the processor time of all together
    benchmarks/compile_time/code.py compare BEFORE AFTER           lists kernels with another code, and their instructions

Each kernel is compiled for local sizes of 256 and of 16 x 16. `compare` fails if a kernel is missing in AFTER.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROCESSORS = ["skylake-avx512", "x86-64-v3", "x86-64-v2"]
LOCAL_SIZES = ["256", "16,16"]
INSTRUCTION = re.compile(r"^\t[a-z]", re.MULTILINE)


def kernels(tool):
    for source in sorted([*ROOT.glob("benchmarks/**/*.cl"), *ROOT.glob("examples/**/*.cl")]):
        names = subprocess.run([tool, "compile", source, "--list-kernels"], capture_output=True, text=True)
        for name in names.stdout.split():
            yield source, name


def write_one(tool, folder, source, name, processor, size):
    file = folder / f"{source.parent.name}.{source.stem}.{name}.{size.replace(',', 'x')}.{processor}.s"
    done = subprocess.run([tool, "compile", source, "-k", name, "--local-size", size, "-o", file], capture_output=True, text=True,
                          env={**os.environ, "LOCKSTEP_CPU": processor})
    if done.returncode:
        file.write_text(done.stderr)


def write(tool, folder, only):
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        work = [threads.submit(write_one, tool, folder, source, name, processor, size) for source, name in kernels(tool)
                for processor in PROCESSORS for size in LOCAL_SIZES if re.search(only, f"{source.stem}.{name}")]
        for each in work:
            each.result()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(work)} compilations, {usage.ru_utime + usage.ru_stime:.1f} s of processor time")


def compare(before, after):
    is_complete, counts, same = True, [0, 0], 0
    for old in sorted(before.glob("*.s")):
        new = after / old.name
        if not new.exists():
            print(f"{old.stem}: missing")
            is_complete = False
            continue
        texts = old.read_text(), new.read_text()
        numbers = [len(INSTRUCTION.findall(text)) for text in texts]
        counts = [total + number for total, number in zip(counts, numbers)]
        if texts[0] == texts[1]:
            same += 1
        else:
            print(f"{old.stem}: {numbers[0]} -> {numbers[1]} instructions")
    print(f"{same} have the same code; all instructions: {counts[0]} -> {counts[1]}")
    return is_complete


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="the build folder")
    parser.add_argument("--only", default="", help="kernels whose SOURCE.NAME matches this pattern")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("write").add_argument("folder", type=pathlib.Path)
    comparison = commands.add_parser("compare")
    comparison.add_argument("before", type=pathlib.Path)
    comparison.add_argument("after", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.command == "write":
        write(arguments.build / "bin/lockstep", arguments.folder, arguments.only)
    else:
        sys.exit(0 if compare(arguments.before, arguments.after) else 1)


if __name__ == "__main__":
    main()
