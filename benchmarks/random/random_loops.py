#!/usr/bin/env python3
"""Looks for kernels that are slow: random data-parallel loops, each against the same loop in C++.

    benchmarks/random/random_loops.py                        100 loops; the ten worst ratios
    benchmarks/random/random_loops.py --seed 500 --count 20
    benchmarks/random/random_loops.py --processor x86-64-v3  both compile for this processor, not for this machine's
    benchmarks/random/random_loops.py --show 507             prints a loop in both languages, and the remarks of the compiler

generate.py makes a loop from a seed. The loop runs as a kernel on one thread of Lockstep, and as C++ by clang and g++ with -O3
for the same processor; the faster of the two counts. Each compiler may contract products and sums, but not reorder sums. A ratio
is the processor time of C++ by that of Lockstep: below 1, Lockstep is slower. The results of each loop are compared; different
ones are an error. Runs alternate, and each side counts with its shortest, since other programs only add to a time. Loops that
take C++ less than --least microseconds are compared but not ranked: they time the launch.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import generate

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "release"
FLAGS = ["-std=c++20", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-shared", "-fPIC"]
COMPILERS = {"clang++-22": ["-fveclib=libmvec", "-lmvec"], "g++": ["-lmvec"]}
HEADER = """#include <cmath>
#include <cstddef>
#include <cstdint>
typedef unsigned uint;
typedef uint16_t ushort;
typedef uint8_t uchar;
typedef uint64_t ulong;
using std::cos, std::exp, std::fabs, std::fma, std::fmax, std::sqrt;

"""


def write(folder, bodies, processor):
    """The list for random_loops, and a library by each compiler that there is."""
    lines = []
    for body in bodies:
        file = folder / f"loop_{body.seed}.cl"
        file.write_text(body.opencl())
        local = (body.local or "0,0").split(",") + ["1"]
        width = generate.WIDTH if body.is_plane else generate.ITEMS
        lines.append(f"loop_{body.seed} {body.storage} {body.items[0]} {body.items[1]} {local[0]} {local[1]} {width} {file}\n")
    (folder / "loops.txt").write_text("".join(lines))
    source = folder / "loops.cpp"
    source.write_text(HEADER + "\n".join(body.cpp() for body in bodies))
    libraries = {}
    for compiler, flags in COMPILERS.items():
        if shutil.which(compiler):
            libraries[compiler] = folder / f"{compiler}.so"
            subprocess.run([compiler, *FLAGS, f"-march={processor}", str(source), "-o", str(libraries[compiler]), *flags, "-w"],
                           check=True)
    if not libraries:
        sys.exit("neither clang++-22 nor g++ is installed")
    return libraries


def settings_of(processor):
    return {} if processor == "native" else {"LOCKSTEP_CPU": processor}


def measure(build, folder, libraries, processor):
    program = build / "benchmarks" / "random_loops"
    if not program.exists():
        sys.exit(f"{program} is not built; run `cmake --build {build} --target random_loops` first")
    done = subprocess.run([program, folder / "loops.txt", *libraries.values()], capture_output=True, text=True,
                          env=dict(os.environ, LOCKSTEP_THREADS="1", OCL_ICD_VENDORS=str(build / "vendors"),
                                   **settings_of(processor)))
    results = [json.loads(line) for line in done.stdout.splitlines()]
    for result in results:
        result["compiler"] = list(libraries)[result.pop("fastest")]
    return results, done.stderr.strip() if done.returncode else ""


def remarks(build, folder, body, processor):
    file = folder / f"loop_{body.seed}.cl"
    file.write_text(body.opencl())
    local = ["--local-size", body.local] if body.local else []
    done = subprocess.run([build / "bin" / "lockstep", "compile", file, *local, "--remarks"], capture_output=True, text=True,
                          env=dict(os.environ, **settings_of(processor)))
    return (done.stdout + done.stderr).strip()


def show(build, seed, processor):
    body = generate.Body(seed)
    with tempfile.TemporaryDirectory(prefix="random-loops-") as folder:
        print(f"{body.opencl()}\n{body.cpp()}\n{remarks(build, pathlib.Path(folder), body, processor)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=BUILD, help="build tree")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--least", type=float, default=5, metavar="MICROSECONDS", help="of C++, for a loop to be ranked")
    parser.add_argument("--worst", type=int, default=10, help="how many to list")
    parser.add_argument("--processor", default="native", help="an x86-64 processor that LLVM and g++ know")
    parser.add_argument("--show", type=int, metavar="SEED")
    parser.add_argument("--json", type=pathlib.Path, help="where the measurements go")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if arguments.show is not None:
        show(build, arguments.show, arguments.processor)
        return 0
    with tempfile.TemporaryDirectory(prefix="random-loops-") as name:
        folder = pathlib.Path(name)
        bodies = [generate.Body(seed) for seed in range(arguments.seed, arguments.seed + arguments.count)]
        results, problem = measure(build, folder, write(folder, bodies, arguments.processor), arguments.processor)
    ranked = sorted((result for result in results if result["cpp"] >= arguments.least), key=lambda result: result["ratio"])
    print("times as fast as C++      us  C++, us  by")
    for result in ranked[:arguments.worst]:
        print(f"{result['name']:14} {result['ratio']:6.2f} {result['ours']:8.1f} {result['cpp']:8.1f}  {result['compiler']}")
    wrong = [result["name"] for result in results if not result["equal"]]
    if ranked:
        ratios = [result["ratio"] for result in ranked]
        print(f"{len(ranked)} of {len(results)} loops: {statistics.geometric_mean(ratios):.2f} times as fast as C++ in the geometric mean; "
              f"{sum(ratio < 0.8 for ratio in ratios)} below 0.8, {sum(ratio < 0.5 for ratio in ratios)} below 0.5")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    if wrong:
        print("different results: " + ", ".join(wrong))
    if problem:
        print(problem)
    return 1 if wrong or problem else 0


if __name__ == "__main__":
    sys.exit(main())
