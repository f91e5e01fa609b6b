#!/usr/bin/env python3
"""Looks for cliffs: programs that a user would call the same, of which some are optimized and others are not.

    benchmarks/cliffs/cliffs.py                    measures: times of each variant, relative to the plain kernel
    benchmarks/cliffs/cliffs.py --only transpose   one kernel
    benchmarks/cliffs/cliffs.py --remarks          compiles only, and compares the remarks of the compiler

cliffs.cl has one kernel for each optimization. Each is compiled in the variants below. A variant is a cliff if it takes more
than 1.3 times as long as the plain kernel, or if the remarks show that it is not optimized. The remarks are those for one
processor with AVX-512, whatever the machine is. KNOWN lists the cliffs that are left; --remarks fails if it differs from what is
found, in either direction.
"""

import argparse
import math
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "cliffs.cl"
PROCESSOR = "skylake-avx512"
LIMIT = 1.3
LANE_AFTER_LANE = r"gather|scatter|one lane"


class Kernel:
    """`needs` and `never`: what the remarks of an optimized variant contain, and what they do not. `neighbors`: the groups
    that one call may run, as a launch offers them. `more`: variants that not every kernel has. Kernels whose local memory has one
    size have none without a local size."""

    def __init__(self, name, arguments, items, locals_, needs="", never="^$", neighbors="1", more=()):
        self.name, self.arguments, self.items = name, arguments, items
        self.plain, self.small, self.large = locals_
        self.needs, self.never, self.neighbors = needs, never, neighbors
        self.more = ("bounds", "x and y swapped", "linear id") + more if "," in items else more
        self.more += ("flat groups", "tall groups", "swapped, flat") if self.plain == SQUARE[0] else ()
        self.more += () if "local:" in arguments or name == "row_tile" else ("no local size",)


SQUARE, LINE = ("16,16", "8,8", "32,16"), ("256", "32", "512")
HAS_COPY = "each worker has a copy of 'to'"
KERNELS = [
    Kernel("copy", "{index}=2048 buf:{type}:4194304=1 buf:{type}:4194304", "2048,2048", SQUARE, never=LANE_AFTER_LANE),
    Kernel("transpose", "{index}=2048 buf:{type}:4194304=1 buf:{type}:4194304", "2048,2048", SQUARE,
           needs="elements are transposed in registers"),
    Kernel("stencil", "{index}=2048 buf:{type}:4202500=1 buf:{type}:4202500", "2048,2048", SQUARE, never=LANE_AFTER_LANE),
    Kernel("around", "{index}=2048 buf:uchar:4194304=1 buf:uchar:4194304", "2048,2048", SQUARE,
           needs="one vector where the elements of the lanes follow each other", neighbors="16,1"),
    Kernel("pairs", "{index}=0 buf:{type}:8388608=1 buf:{type}:8388608", "4194304", LINE, never=LANE_AFTER_LANE),
    Kernel("chain", "{index}=1024 buf:{type}:262144=1 buf:{type}:262144", "262144", LINE, needs="8 that follow each other",
           never=LANE_AFTER_LANE, neighbors="8"),
    Kernel("steps", "{index}=0 buf:{type}:4194304=1 buf:{type}:4194304 local:{type}:1024", "4194304", ("512", "256", "1024"),
           needs="each work-group fetches"),
    Kernel("histogram", "{index}=0 buf:{type}:4194304=iota buf:uint:256", "4194304", LINE, needs=HAS_COPY),
    Kernel("product", "{index}=0 buf:{type}:4194304=iota buf:uint:1=1", "4194304", LINE, needs=HAS_COPY),
    Kernel("group_product", "{index}=0 buf:{type}:4194304=iota buf:uint:1=1 local:uint:512", "4194304", LINE, needs=HAS_COPY),
    Kernel("last_group", "{index}=0 buf:{type}:4194304=iota buf:uint:131072 buf:uint:1 buf:uint:1 local:uint:512", "4194304", LINE,
           needs="additions of several work-groups at once"),
    Kernel("greatest", "{index}=0 buf:{type}:4194304=iota buf:uint:1", "4194304", LINE, needs=HAS_COPY),
    Kernel("strided", "{index}=16777216 buf:{type}:16777216=1 buf:{type}:4096", "4096", LINE, needs="run without masks"),
    Kernel("matrix", "{index}=512 buf:{type}:262144=1 buf:{type}:262144=1 buf:{type}:262144", "512,512", SQUARE,
           needs="that follow each other in dimension . run at once", never=LANE_AFTER_LANE, more=("early return",)),
    Kernel("distances", "{index}=1024 buf:{type}:1048576=1 buf:{type}:1048576=1 buf:{type}:1048576", "1024,1024", SQUARE,
           needs="rows take turns after blocks", never=LANE_AFTER_LANE, neighbors="64,16", more=("early return",)),
    Kernel("row_tile", "{index}=512 buf:{type}:262144=1 buf:{type}:262144=1 buf:{type}:262144", "512,512",
           ("64,1", "32,1", "256,1"), needs="8 work-groups that follow each other", never=LANE_AFTER_LANE, neighbors="1,8",
           more=("early return", "local argument", "unrolled", "one dimension")),
]
ADDED_ARGUMENTS = {"local argument": " local:{type}:64"}
# Names, and the macros of cliffs.cl that differ. Local sizes have no macro.
VARIANTS = {
    "plain": {},
    "one operation more": {"EXTRA": ""},
    "int": {"INDEX": "int"},
    "size_t": {"INDEX": "ulong"},
    "second block": {"SECOND_BLOCK": ""},
    "guard": {"GUARD": ""},
    "bounds": {"BOUNDS": ""},
    "x and y swapped": {"SWAPPED": ""},
    "early return": {"EARLY_RETURN": ""},
    "local argument": {"LOCAL_ARGUMENT": ""},
    "unrolled": {"UNROLL": ""},
    "one dimension": {"ONE_DIMENSION": ""},
    "linear id": {"LINEAR_ID": ""},
    "helper function": {"HELPER": ""},
    "not const": {"CONST": ""},
    "double": {"T": "double"},
    "small groups": {},
    "large groups": {},
    "no local size": {},
    "flat groups": {},
    "tall groups": {},
    "swapped, flat": {"SWAPPED": ""},
}
LOCAL_SIZES = {"flat groups": "256,1", "tall groups": "1,256", "swapped, flat": "256,1"}  # with neighbors that a launch offers
OF_SOME_KERNELS = {"bounds", "x and y swapped", "early return", "local argument", "unrolled", "one dimension", "linear id",
                   "no local size", *LOCAL_SIZES}
# Cliffs that are left: kernel, variant, and why.
KNOWN = {
    ("row_tile", "one dimension"): "the launch numbers groups in rows, and then compiles other code",
    ("row_tile", "linear id"): "the same",
    ("transpose", "linear id"): "the same",
    ("distances", "linear id"): "the same",
    ("distances", "guard"): "rows take turns at barriers, which not all work-items would reach",
    ("distances", "bounds"): "the same",
    ("distances", "early return"): "the same",
}


class Case:
    def __init__(self, kernel, variant):
        self.kernel, self.variant, self.macros = kernel, variant, VARIANTS[variant]
        sizes = {"small groups": kernel.small, "large groups": kernel.large, **LOCAL_SIZES}
        self.local = self.shape(sizes.get(variant, kernel.plain))
        self.items = self.shape(kernel.items)
        self.neighbors = "16,16" if variant in LOCAL_SIZES else self.shape(kernel.neighbors)

    def shape(self, sizes):
        numbers = sizes.split(",")
        if self.variant == "x and y swapped":
            numbers.reverse()
        if self.variant in ("one dimension", "linear id"):
            numbers = [str(math.prod(map(int, numbers)))]
        return ",".join(numbers)

    def exists(self):
        return self.variant not in OF_SOME_KERNELS or self.variant in self.kernel.more

    def of_kernel(self):
        macros = " ".join(f"-D{name}={value}" if value else f"-D{name}=" for name, value in self.macros.items())
        return [str(SOURCE), "-k", self.kernel.name] + (["--options", macros] if macros else [])

    def arguments(self):
        names = {"index": self.macros.get("INDEX", "uint"), "type": self.macros.get("T", "float")}
        arguments = (self.kernel.arguments + ADDED_ARGUMENTS.get(self.variant, "")).format(**names)
        return [word for argument in arguments.split() for word in ("--arg", argument)]


def output(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def is_optimized(tool, case):
    remarks = output([tool, "compile", *case.of_kernel(), "--local-size", case.local, "--neighbors", case.neighbors,
                      "--remarks"], LOCKSTEP_CPU=PROCESSOR)
    if case.variant == "linear id":  # the version for other rows may do what it likes
        return bool(re.search(case.kernel.needs, remarks))
    return bool(re.search(case.kernel.needs, remarks)) and not re.search(case.kernel.never, remarks)


def milliseconds(tool, case, repeat):
    local = [] if case.variant == "no local size" else ["--local", case.local]
    text = output([tool, "run", *case.of_kernel(), "--global", case.items, *local, "--repeat", str(repeat), *case.arguments()])
    number, unit = re.search(r"shortest ([\d.]+) (\w+)", text).groups()
    return float(number) * {"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3}[unit]


def cases(only):
    return [[case for case in (Case(kernel, variant) for variant in VARIANTS) if case.exists()]
            for kernel in KERNELS if re.search(only, kernel.name)]


def compare_remarks(tool, only):
    wrong = 0
    for row in cases(only):
        for case in row:
            if case.variant == "no local size":  # only a launch chooses one
                continue
            name, found = (case.kernel.name, case.variant), is_optimized(tool, case)
            if found != (name in KNOWN):
                continue
            wrong += 1
            print(f"{name[0]}, {name[1]}: " + ("no cliff any more: remove it from KNOWN" if found else "is not optimized"))
        print(f"{row[0].kernel.name}: {len(row)} variants")
    return wrong == 0


def measure(tool, only, repeat):
    print("| kernel | ms | " + " | ".join(list(VARIANTS)[1:]) + " |")
    print("|---|---|" + "---|" * (len(VARIANTS) - 1))
    for row in cases(only):
        # Plain and variant in turns: other load of the machine disturbs both.
        plain = milliseconds(tool, row[0], repeat)
        cells = []
        for variant in list(VARIANTS)[1:]:
            case = next((each for each in row if each.variant == variant), None)
            if not case:
                cells.append("")
                continue
            time = milliseconds(tool, case, repeat)
            ratio = time / min(plain, milliseconds(tool, row[0], repeat))
            cells.append(f"{ratio:.2f}" if ratio <= LIMIT else f"**{ratio:.2f}**")
        print(f"| {row[0].kernel.name} | {plain:.2f} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(HERE.parents[1] / "build/release/bin/lockstep"), help="the tool lockstep")
    parser.add_argument("--only", default="", help="kernels whose names match this pattern")
    parser.add_argument("--remarks", action="store_true", help="compile only")
    parser.add_argument("--repeat", type=int, default=20, help="launches of each variant")
    arguments = parser.parse_args()
    if arguments.remarks:
        sys.exit(0 if compare_remarks(arguments.tool, arguments.only) else 1)
    measure(arguments.tool, arguments.only, arguments.repeat)


if __name__ == "__main__":
    main()
