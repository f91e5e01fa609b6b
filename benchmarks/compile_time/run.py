#!/usr/bin/python3
"""How long large kernels take to compile, by stage: processor time of `lockstep compile --times`, and the size of their IR.

    benchmarks/compile_time/run.py [--build build/release] [--limit SECONDS] [KERNEL...]        those of the table below
    benchmarks/compile_time/run.py --file F.cl --options '...' --local-size 64 KERNEL...         kernels of a file
    benchmarks/compile_time/run.py --checked [KERNEL...]        what the check for races adds: all kernels of benchmarks/

Kernels that a program makes while it runs are recorded first; then `--recorded FOLDER` measures all that it launched:

    LD_PRELOAD="$PWD/build/release/lib/librecord_kernels.so libOpenCL.so.1" RECORD_KERNELS=FOLDER program ...

Prints a table in Markdown.
"""

import argparse
import math
import os
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "LOCKSTEP_CACHE": "0"}  # it would keep what the front end makes
HASHCAT = pathlib.Path("/usr/share/hashcat/OpenCL")

# Stages in columns.
COLUMNS = [("front end", ["front-end"]), ("link, inline", ["link", "inline", "specialize"]), ("scalar", ["scalar-optimization"]),
           ("waits, lanes", ["waits", "lanes"]), ("loops, launch", ["work-item-loops", "suspensions", "launch", "coroutine"]),
           ("optimize", ["optimize", "place-local-memory"]), ("machine code", ["machine-code"])]


def hashcat_options(vector_size, mode, digest_words):
    """What hashcat 6.2.6 gives for a processor without instructions that it knows."""
    absent = "ADD ADDC SUB SUBC VADD VADDC VADD_CO VADDC_CO VSUB VSUBB VSUB_CO VSUBB_CO VPERM VADD3 VBFE BFE LOP3 MOV64 PRMT"
    return " ".join([f"-D KERNEL_STATIC -D INCLUDE_PATH={HASHCAT} -D XM2S(x)=#x -D M2S(x)=XM2S(x)",
                     "-D LOCAL_MEM_TYPE=2 -D VENDOR_ID=2147483648 -D CUDA_ARCH=0", *(f"-D HAS_{name}=0" for name in absent.split()),
                     f"-D VECT_SIZE={vector_size} -D DEVICE_TYPE=2 -D DGST_R0=0 -D DGST_R1=1 -D DGST_R2=2 -D DGST_R3=3",
                     f"-D DGST_ELEM={digest_words} -D KERN_TYPE={mode} -D ATTACK_EXEC=10 -D ATTACK_KERN=0 -D ATTACK_MODE=0", "-w"])


def hashcat(mode, kernel, digest_words, vector_size=1, more=""):
    options = f"{hashcat_options(vector_size, mode, digest_words)} {more}"
    return (HASHCAT / f"m{mode:05}-pure.cl", options, "", f"m{mode:05}_{kernel}")


SCRYPT = "-D SCRYPT_N=1024 -D SCRYPT_R=1 -D SCRYPT_P=1 -D SCRYPT_TMTO=1 -D SCRYPT_TMP_ELEM=8"
KERNELS = [  # sha512crypt, bcrypt, scrypt, PBKDF2 with SHA2-256
    hashcat(1800, "init", 16), hashcat(1800, "loop", 16), hashcat(1800, "comp", 16),
    hashcat(3200, "loop", 6, more="-D FIXED_LOCAL_SIZE=1"), hashcat(8900, "init", 8, more=SCRYPT),
    hashcat(8900, "loop", 8, more=SCRYPT), hashcat(10900, "init", 4), hashcat(10900, "loop", 4),
    hashcat(10900, "loop", 4, vector_size=16)]


def recorded(folder):
    """What a program launched, the longest source first."""
    for launches in sorted(folder.glob("*.kernels"), key=lambda f: -f.with_suffix(".cl").stat().st_size):
        options = launches.with_suffix(".options")
        for line in launches.read_text().splitlines():
            kernel, local_size = line.split(" ", 1)
            yield (launches.with_suffix(".cl"), options.read_text() if options.exists() else "", local_size, kernel)


def lines_of_ir(tool, file, options, local_size, kernel, limit):
    done = subprocess.run([tool, "compile", file, "--options", options, "-k", kernel, "--emit", "bitcode", "-o", "/dev/stdout"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT, timeout=limit, check=False)
    text = subprocess.run(["llvm-dis-22", "-o", "-"], input=done.stdout, stdout=subprocess.PIPE, check=False).stdout
    return sum(1 for line in text.splitlines() if line.startswith(b"  ") and b"#dbg" not in line)


def measure(tool, file, options, local_size, kernel, limit):
    """A row: lines of IR, seconds by column, megabytes; None where the limit came first."""
    command = [tool, "compile", file, "--options", options, "-k", kernel, "--times", "-o", "/dev/null",
               *(["--local-size", local_size] if local_size else [])]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENVIRONMENT,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    output = child.stdout.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    times = {name: float(ms) / 1e3 for name, ms in re.findall(r"^([\w-]+) +([0-9.]+) ms", output, re.M)}
    if status or "machine-code" not in times:
        print(output[-500:], file=sys.stderr)
        return None
    return times, usage.ru_maxrss // 1024


def kernels_of_benchmarks(tool):
    """All of them, for groups of 64 work-items in one dimension, unless they say otherwise."""
    options = "-cl-std=CL3.0 -DCOLLECTIVES -DONE_LAUNCH -DLAST_GROUP -DSUB_GROUPS"
    for file in sorted(ROOT.glob("benchmarks/*/*.cl")):
        done = subprocess.run([tool, "compile", file, "--options", options, "--list-kernels"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=ENVIRONMENT, check=False)
        for line in done.stdout.decode().splitlines():
            yield file, options, "64", line.split()[0]


def print_checked(rows, tool, limit):
    """Seconds without and with the check, and how many times as long; the geometric mean and the most of all."""
    print("| kernel | without, s | with, s | times |\n|---|---|---|---|")
    times = []
    for file, options, local_size, kernel in rows:
        seconds = []
        for check in ("", "1"):
            ENVIRONMENT["LOCKSTEP_CHECK"] = check
            row = measure(tool, file, options, local_size, kernel, limit)
            seconds.append(row and sum(sum(row[0].get(stage, 0) for stage in stages) for _, stages in COLUMNS))
        if not all(seconds):
            print(f"| {kernel} | not compiled |")
            continue
        times.append(seconds[1] / seconds[0])
        print(f"| {file.stem}: {kernel} | {seconds[0]:.3f} | {seconds[1]:.3f} | {times[-1]:.2f} |", flush=True)
    mean = math.exp(sum(map(math.log, times)) / len(times)) if times else 0
    print(f"\n{len(times)} kernels, {mean:.2f} times in the geometric mean, {max(times, default=0):.2f} at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--limit", default=600, type=int, help="seconds of processor time a kernel may take")
    parser.add_argument("--file", type=pathlib.Path)
    parser.add_argument("--options", default="")
    parser.add_argument("--local-size", default="")
    parser.add_argument("--recorded", type=pathlib.Path)
    parser.add_argument("--checked", action="store_true")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    tool = arguments.build.resolve() / "bin" / "lockstep"
    if arguments.file:
        chosen = [(arguments.file, arguments.options, arguments.local_size, kernel) for kernel in arguments.kernels]
    else:
        chosen = list(recorded(arguments.recorded)) if arguments.recorded else KERNELS
        chosen = [row for row in chosen if not arguments.kernels or row[3] in arguments.kernels]
    if arguments.checked:
        if not (arguments.file or arguments.recorded):
            chosen = [row for row in kernels_of_benchmarks(tool) if not arguments.kernels or row[3] in arguments.kernels]
        return print_checked(chosen, tool, arguments.limit)
    print(f"| kernel | instructions of the program | {' | '.join(title for title, _ in COLUMNS)} | all, s | MB |")
    print("|---|" + "---|" * (len(COLUMNS) + 3))
    for file, options, local_size, kernel in chosen:
        if not file.exists():
            print(f"| {kernel} | {file} is not there |")
            continue
        lines = lines_of_ir(tool, file, options, local_size, kernel, arguments.limit)
        row = measure(tool, file, options, local_size, kernel, arguments.limit)
        vector = re.search(r"VECT_SIZE=(\d+)", options)
        name = kernel + (f", vectors of {vector.group(1)}" if vector and vector.group(1) != "1" else "")
        if not row:
            print(f"| {name} | {lines} | more than {arguments.limit} s |", flush=True)
            continue
        times, megabytes = row
        cells = [sum(times.get(stage, 0) for stage in stages) for _, stages in COLUMNS]
        print(f"| {name} | {lines} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {sum(cells):.1f} | {megabytes} |", flush=True)


if __name__ == "__main__":
    main()
