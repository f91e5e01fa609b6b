#!/usr/bin/python3
"""Compares the machine code that two builds of Lockstep make of all kernels of benchmarks/ and examples/.

    benchmarks/compile_time/compare_code.py BEFORE AFTER                  two build folders, such as build/release
    benchmarks/compile_time/compare_code.py BEFORE AFTER --keep FOLDER    keeps the assembly that differs, to look at

Compiles for several processors, with and without a local size, and with the check for races. No kernel runs. Prints a row for
each kernel whose code differs: instructions, those that access the stack, and those in the innermost loops. Then the processor
time of all compilations. Exit code 1 if any code differs.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROCESSORS = ["skylake-avx512", "x86-64-v3", "x86-64-v2"]
OPTIONS = "-cl-std=CL3.0 -DCOLLECTIVES -DONE_LAUNCH -DLAST_GROUP -DSUB_GROUPS"
LOCAL_SIZES = ["", "64", "16,16"]
INSTRUCTION = re.compile(r"^\t[a-z]\w*")
LABEL = re.compile(r"^(\.L\w+):")


def environment(build, **more):
    """Of a build folder, or of a copy of its bin/, lib/ and vendors/."""
    return {**os.environ, "LOCKSTEP_CACHE": "0", "OCL_ICD_VENDORS": str(build / "vendors"), **more}


def kernels(build):
    for file in sorted([*ROOT.glob("benchmarks/*/*.cl"), *ROOT.glob("examples/*.cl")]):
        done = subprocess.run([build / "bin" / "lockstep", "compile", file, "--options", OPTIONS, "--list-kernels"],
                              capture_output=True, text=True, env=environment(build), check=False)
        for line in done.stdout.splitlines():
            yield file, line.split()[0]


def compile_kernel(build, case):
    file, kernel, processor, local_size, check = case
    more = {"LOCKSTEP_CPU": processor, **({"LOCKSTEP_CHECK": "1"} if check else {})}
    command = [build / "bin" / "lockstep", "compile", file, "--options", OPTIONS, "-k", kernel, "-o", "/dev/stdout"]
    done = subprocess.run(command + (["--local-size", local_size] if local_size else []), capture_output=True, text=True,
                          env=environment(build, **more), check=False)
    return done.stdout if done.returncode == 0 else f"failed: {done.stderr}"


def figures(text):
    """Instructions; those that name the stack; those between a label and a jump back to it, without another jump back."""
    lines = [line for line in text.splitlines() if INSTRUCTION.match(line) or LABEL.match(line)]
    labels = {LABEL.match(line)[1]: at for at, line in enumerate(lines) if LABEL.match(line)}
    inner, last_end = 0, -1
    for at, line in enumerate(lines):
        target = re.match(r"^\tj\w+\t(\.L\w+)", line)
        begin = labels.get(target[1], at) if target else at
        if begin < at and begin > last_end:
            inner += sum(bool(INSTRUCTION.match(each)) for each in lines[begin:at + 1])
            last_end = at
    instructions = [line for line in lines if INSTRUCTION.match(line)]
    return len(instructions), sum("(%rsp)" in line or "(%rbp)" in line for line in instructions), inner


def all_code(build, cases, jobs):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        texts = list(pool.map(lambda case: compile_kernel(build, case), cases))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return texts, after.ru_utime - before.ru_utime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--only", default="", help="regular expression of FILE:KERNEL")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    before, after = arguments.before.resolve(), arguments.after.resolve()
    chosen = [(file, kernel) for file, kernel in kernels(before) if re.search(arguments.only, f"{file.stem}:{kernel}")]
    cases = [(file, kernel, processor, size, check) for file, kernel in chosen for processor in PROCESSORS
             for size in LOCAL_SIZES for check in (False, True) if not check or (processor == PROCESSORS[0] and size == "64")]
    (old, old_time), (new, new_time) = all_code(before, cases, arguments.jobs), all_code(after, cases, arguments.jobs)
    print("| kernel | processor | local size | instructions | with the stack | in inner loops |\n|---|---|---|---|---|---|")
    different = 0
    for (file, kernel, processor, size, check), one, two in zip(cases, old, new):
        if one == two:
            continue
        different += 1
        pairs = " | ".join(f"{a} → {b}" if a != b else f"{a}" for a, b in zip(figures(one), figures(two)))
        print(f"| {file.stem}: {kernel}{', checked' if check else ''} | {processor} | {size or 'any'} | {pairs} |")
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            for name, text in (("before", one), ("after", two)):
                suffix = f"{processor}.{size or 'any'}{'.checked' if check else ''}.{name}.s"
                (arguments.keep / f"{file.stem}.{kernel}.{suffix}").write_text(text)
    print(f"\n{len(cases)} compilations, {different} differ; processor time {old_time:.1f} s and {new_time:.1f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
