"""Runs random kernels of tests/fuzz/ through SPIR-V (through_spirv.cpp).

    /usr/bin/python3 tests/spirv/run_fuzz.py --build build/release --seed 1 --count 100

LLVM's back end cannot write each program. Such a program runs from OpenCL C, and its reason must be one of FAULTS. A
program that gives other results than the interpreter fails, unless its source has one of WRONG_CODE. Exit code 1 if a
program fails, or if fewer than half of the programs went through SPIR-V.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What the back end writes wrongly, as the reader reports it.
FAULTS = {
    "not written": "the back end ends the process: integers of more than 64 bits, formats of printf",
    r"not read: .*OpBitwise\w+: operand \d is int\d+, not int\d+": "it combines integers of different widths",
    r"not read: .*OpInBoundsPtrAccessChain: it points to \w+, its result type to int8":
        "it writes a constant address in bytes as an index into structures",
}
# In the source: modules that are valid, and whose meaning is wrong.
WRONG_CODE = {
    "__cl_clang_bitfields": "it widens integers of 24, 40 or 48 bits, and leaves the upper bits undefined",
}


def run(build, *options):
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "OCL_ICD_VENDORS": str(build / "vendors"), "LOCKSTEP_CACHE_DIR": cache,
                       "LD_PRELOAD": str(build / "lib" / "libthrough_spirv.so"), "THROUGH_SPIRV_FALL_BACK": "1"}
        done = subprocess.run([build / "tests" / "fuzz" / "fuzz", "--platform", "Lockstep", "--time-limit", "300",
                               "--reports", "0", *options],
                              env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
        return done.stdout, done.stderr


def source_of(build, seed):
    return subprocess.run([build / "tests" / "fuzz" / "fuzz", "--print", "--seed", seed], capture_output=True, text=True,
                          check=True).stdout


def is_excused(build, seed, verdict):
    return verdict == "differs" and any(mark in source_of(build, seed) for mark in WRONG_CODE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    out, err = run(build, "--seed", str(arguments.seed), "--count", str(arguments.count))
    through = sum(int(count) for count in re.findall(r"through_spirv: (\d+) programs", err))
    left_out = re.findall(r"through_spirv: -\d+: (.*)", err)
    unknown = [reason for reason in left_out if not any(re.match(fault, reason) for fault in FAULTS)]
    failures = re.findall(r"^seed (\d+).*?: (differs|problem|crash|hang|illegal): (.*)$", out, re.MULTILINE)
    failed = [failure for failure in failures if not is_excused(build, *failure[:2])]
    print(f"{arguments.count} programs from seed {arguments.seed}: {through} through SPIR-V, {len(left_out)} not written, "
          f"{len(failures) - len(failed)} written wrongly, {len(failed) + len(unknown)} failures")
    for seed, verdict, sentence in failed:
        print(f"seed {seed}: {verdict}: {sentence}")
    for reason in unknown:
        print(reason)
    sys.exit(bool(failed or unknown or 2 * through < arguments.count))


if __name__ == "__main__":
    main()
