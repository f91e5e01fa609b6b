"""The ratios that Lockstep is held to, each with its target: `run.py --anchors` measures them and prints which are met.

Ratios are of Lockstep's speed to that of a rival on the same machine: of loops in OpenMP, of the peak of fused multiply-adds
(the fastest of limit_multiply_add_*), of OpenBLAS, of ISPC. A contender that is not installed skips its lines, with a sentence
that says so. Every result is verified: a wrong one fails its line and the run.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

LOCKSTEP, NATIVE = "Lockstep", "C++"
PEAK = ["limit_multiply_add_8", "limit_multiply_add_16"]
# Measure, target, the benchmark of Lockstep, the benchmarks of the rival, what is missing if the rival's are skipped, and what
# if Lockstep's is.
NO_OPENMP, NO_BLAS, NO_CLBLAST = "bench was built without OpenMP", "OpenBLAS is not installed", "CLBlast is not installed"
RATIOS = [(f"BabelStream {kernel} to OpenMP", 0.95, f"babel_{kernel}", [f"babel_{kernel}"], NO_OPENMP, "")
          for kernel in ("copy", "mul", "add", "triad", "dot")] + [
    ("scalar float FMA to peak", 0.95, "arithmetic_float", PEAK, "", ""),
    ("sgemm naive to peak", 0.35, "matrix_naive", PEAK, "", ""),
    ("sgemm in 16x16 tiles to peak", 0.55, "matrix_tile_16x16", PEAK, "", ""),
    ("sgemm of CLBlast, tuned, to OpenBLAS", 0.9, "matrix_clblast_tuned", ["matrix_clblast_tuned"], NO_BLAS, NO_CLBLAST),
]
COLD_START, ISPC_MEAN, ISPC_LEAST = 150, 1.1, 0.9  # milliseconds, times, times
ISPC_LINE = re.compile(r"^(.+?) +([\d.]+) ms +ISPC +([\d.]+) ms +([\d.]+) times as fast .*?\)  ?(DIFFERENT)?$")


class Line:
    """One line of the table. `value` is None if there is none, and then `note` says why."""

    def __init__(self, measure, target, value=None, note="", unit="", is_at_most=False, wrong=False):
        self.measure, self.target, self.value, self.note, self.unit = measure, target, value, note, unit
        self.is_at_most, self.wrong = is_at_most, wrong

    def verdict(self):
        if self.value is None:
            return "FAILED" if self.wrong else "skipped"
        return "met" if (self.value <= self.target if self.is_at_most else self.value >= self.target) else "missed"

    def cells(self):
        show = lambda value: f"{value:.0f}{self.unit}" if self.unit else f"{value:.2f}"
        return [self.measure, "" if self.value is None else show(self.value),
                ("at most " if self.is_at_most else "at least ") + show(self.target), self.verdict(), self.note]

    def json(self):
        return {"measure": self.measure, "value": self.value, "unit": self.unit.strip(), "target": self.target,
                "target_is": "at most" if self.is_at_most else "at least", "verdict": self.verdict(), "note": self.note}


def needed(only):
    """The processes of one round, (benchmark, contender), in turns: each rival beside what is compared with it."""
    pairs = []
    for measure, _, ours, rivals, _, _ in RATIOS:
        if only in measure:
            pairs += [(rival, NATIVE) for rival in rivals] + [(ours, LOCKSTEP)]
    return list(dict.fromkeys(pairs))


def ratio(entry, results):
    """`results`: by (benchmark, contender), a Result of run.py."""
    measure, target, ours_name, rival_names, no_rival, no_ours = entry
    ours, rivals = results[ours_name, LOCKSTEP], [results[name, NATIVE] for name in rival_names]
    for result, who, absent in [(ours, LOCKSTEP, no_ours)] + [(rival, "the rival", no_rival) for rival in rivals]:
        if result.problem:
            return Line(measure, target, note=f"{who}: {result.problem}", wrong=True)
        if result.value is None:
            return Line(measure, target, note=absent or result.skipped or "")
    best = max(rivals, key=lambda rival: rival.value)
    unit = ours.rounds[0]["unit"]
    return Line(measure, target, ours.value / best.value,
                f"{ours.value:.4g} of {best.value:.4g} {unit}, spread {max(ours.spread, best.spread):.0f} %")


def cold_start(bench, vendors, starts=7):
    """The time of a whole process that builds one kernel with empty compiler caches, launches it and checks its result.
    The first start is not counted: it reads the libraries from the disk."""
    line = Line("cold start of a small program", COLD_START, unit=" ms", is_at_most=True)
    milliseconds = []
    for _ in range(starts + 1):
        cache = tempfile.mkdtemp(prefix="benchmark-cache-")
        try:
            begin = time.monotonic()
            done = subprocess.run([bench, "--name", "build_small_kernel", "--platform", LOCKSTEP, "--once"], cwd=cache,
                                  env={"LOCKSTEP_NVIDIA": "0", **os.environ, "LOCKSTEP_CACHE_DIR": cache,
                                       "OCL_ICD_VENDORS": str(vendors)},
                                  capture_output=True, text=True, timeout=60)
            milliseconds.append(1e3 * (time.monotonic() - begin))
        finally:
            shutil.rmtree(cache, ignore_errors=True)
        if done.returncode or not json.loads(done.stdout)["verified"]:
            line.wrong, line.note = True, (done.stderr.strip().splitlines() or ["wrong result"])[-1][:120]
            return line
    line.value = statistics.median(milliseconds[1:])
    line.note = f"{min(milliseconds[1:]):.0f} to {max(milliseconds[1:]):.0f} ms in {starts} starts"
    return line


def ispc_lines(text):
    """Of the output of against_ispc: name to (ratio, is wrong). ISPC's own math is as exact as that of OpenCL's relaxed math,
    so the line of a program with relaxed math replaces the one without."""
    found = {}
    for match in filter(None, map(ISPC_LINE.match, text.splitlines())):
        found[match[1]] = float(match[4]), bool(match[5])
    return {name: value for name, value in found.items() if f"{name}, relaxed" not in found}


def against_ispc(program, vendors, examples, data):
    """Two lines: the geometric mean and the least of ISPC's example programs, one thread of each."""
    lines = [Line("ISPC's examples, geometric mean", ISPC_MEAN), Line("ISPC's examples, least", ISPC_LEAST)]

    def skip(note, wrong=False):
        for line in lines:
            line.note, line.wrong = note, wrong
        return lines

    if not examples:
        return skip("no library of ISPC's examples: --ispc-examples; the head of against_ispc.cpp says how to build one")
    if not program.exists():
        return skip(f"{program.name} is not built")
    core = max(os.sched_getaffinity(0))
    done = subprocess.run([program, examples] + ([data] if data else []), capture_output=True, text=True, timeout=600,
                          env=dict(os.environ, LOCKSTEP_THREADS="1", OCL_ICD_VENDORS=str(vendors)),
                          preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    found = ispc_lines(done.stdout)
    wrong = [name for name, (_, is_wrong) in found.items() if is_wrong]
    if done.returncode or wrong or not found:
        return skip(f"different results: {', '.join(wrong)}" if wrong else (done.stderr.strip() or "no output")[-120:], True)
    ratios = {name: value for name, (value, _) in found.items()}
    lines[0].value, lines[1].value = statistics.geometric_mean(ratios.values()), min(ratios.values())
    lines[0].note = f"{len(ratios)} programs" + ("" if data else "; without volume and rays, which need --ispc-data")
    lines[1].note = min(ratios, key=ratios.get)
    return lines


def measure(arguments, build, measure_pairs):
    """All lines. `measure_pairs` measures pairs (benchmark, contender) in turns and returns their results."""
    only = (arguments.only or [""])[0]
    results = measure_pairs(needed(only))
    lines = [ratio(entry, results) for entry in RATIOS if only in entry[0]]
    benchmarks, vendors = build / "benchmarks", build / "vendors"
    if only in "ISPC's examples":
        lines += against_ispc(benchmarks / "against_ispc", vendors, arguments.ispc_examples, arguments.ispc_data)
    if only in "cold start of a small program":
        lines.append(cold_start(benchmarks / "bench", vendors))
    return lines
