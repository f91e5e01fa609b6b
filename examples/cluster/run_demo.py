#!/usr/bin/env python3
"""Runs the programs of this folder on 1, 2 and 4 local ranks of MPI, and prints one table.

    examples/cluster/run_demo.py [--build build/release] [--celerity PREFIX]

Each program compares its result with serial C++, every bit. PREFIX is where Celerity is installed. Exit code: 0 if all
programs that were built are right.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RANKS = (1, 2, 4)
STARPU = {"STARPU_OPENCL_ON_CPUS": "1", "STARPU_OPENCL_ONLY_ON_CPUS": "1", "STARPU_SILENT": "1", "STARPU_WORKERS_NOBIND": "1"}
ROWS = [  # what, program, arguments, variables
    ("MPI + SYCL, waits", "jacobi", ["512", "100", "shared", "waits"], {}),
    ("MPI + SYCL, host tasks", "jacobi", ["512", "100", "device", "tasks"], {}),
    ("MPI + OpenCL", "heat_opencl", ["512", "100"], {}),
    ("Celerity", "heat_celerity", ["512", "100"], {"CELERITY_LOG_LEVEL": "err"}),
    ("StarPU + OpenCL", "ring_starpu", ["20"], STARPU)]
WHY_ABSENT = {"heat_celerity": "not built: pass --celerity PREFIX",
              "ring_starpu": "not built: libstarpu-dev is not installed"}


def build_celerity(prefix, build, folder):
    """Returns the program, or None after an explanation."""
    out = folder / "celerity"
    for command in (["cmake", "-S", HERE / "celerity", "-B", out, f"-DCMAKE_CXX_COMPILER={build / 'bin' / 'lockstep++'}",
                     f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release"], ["cmake", "--build", out]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode:
            print(done.stdout + done.stderr, file=sys.stderr)
            return None
    return out / "heat_celerity"


def run(program, arguments, ranks, environment):
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks),
               str(program), *arguments]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    begin = time.monotonic()
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return False, "took more than 300 s", 300
    seconds = re.search(r": ([\d.]+) s;", done.stdout)
    is_right = done.returncode == 0 and "PASSED" in done.stdout
    note = f"{seconds[1]} s" if seconds else (done.stdout + done.stderr).strip()[-200:]
    return is_right, note, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--celerity", type=pathlib.Path, help="where Celerity is installed")
    options = parser.parse_args()
    build = options.build.resolve()
    wrong = 0
    print(f"{'program':24} {'ranks':>5}  {'result':8} {'steps':>10} {'in all':>8}")
    with tempfile.TemporaryDirectory(prefix="lockstep-cluster-") as folder:
        folder = pathlib.Path(folder)
        programs = {name: build / "examples" / "cluster" / name for _, name, _, _ in ROWS}
        if options.celerity:
            programs["heat_celerity"] = build_celerity(options.celerity.resolve(), build, folder) or folder / "absent"
        environment = {**os.environ, "OCL_ICD_VENDORS": str(build / "vendors"), "STARPU_HOME": str(folder),
                       "LOCKSTEP_CACHE_DIR": str(folder / "cache")}
        for what, name, arguments, variables in ROWS:
            if not programs[name].exists():
                print(f"{what:24}        {WHY_ABSENT.get(name, 'not built: MPI is not installed')}")
                continue
            for ranks in RANKS:
                is_right, note, seconds = run(programs[name], arguments, ranks, {**environment, **variables})
                wrong += not is_right
                print(f"{what:24} {ranks:5}  {'right' if is_right else 'WRONG':8} {note:>10} {seconds:6.1f} s", flush=True)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
