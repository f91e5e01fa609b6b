#!/usr/bin/env python3
"""Runs the benchmarks and prints one table: Lockstep by OpenCL and by SYCL, every other OpenCL platform of this machine, and
plain C++.

    benchmarks/run.py                            all, three rounds, the build tree build/release
    benchmarks/run.py --only matrix --rounds 5   some, more carefully
    benchmarks/run.py --list
    benchmarks/run.py --platform "PoCL new=/opt/pocl/vendors"       one more OpenCL platform: its directory of ICD files
    benchmarks/run.py --variant "1 lane=LOCKSTEP_LANES=0"           Lockstep once more, with an environment variable
    benchmarks/run.py --checked                  what the checker costs, in time and memory: some lines (--only "": all); with
                                                 Oclgrind beside, if it is installed: it needs small data and time
                                                 (--small --time-limit 3000)
    benchmarks/run.py --anchors                  the ratios that Lockstep is held to (anchors.py): measure, value, target

Each figure comes from several processes, each with one benchmark and one contender and nothing beside it, in turns: what
disturbs the machine for a minute disturbs all contenders alike. A figure is the median over the samples of all rounds; the
spread behind it is half the distance between the quartiles, in percent. Every result is verified. The first round begins
with empty compiler caches, the later ones find what the first has left: so the first round gives the cold build times,
and the later ones the warm ones.

All measurements go into a JSON file too; --compare FILE shows what has changed since then. --markdown prints the tables of
results.md; --from FILE prints what an earlier run has measured and runs nothing, --from FILE --results
writes the table of results.md. One round of everything takes about ten minutes on two cores:

    chrt -f 50 benchmarks/run.py --rounds 1 --markdown           for a machine with other work beside
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import anchors

HERE = pathlib.Path(__file__).resolve().parent
LOCKSTEP, SYCL, NATIVE, UNDER_CHECK = anchors.LOCKSTEP, "SYCL", anchors.NATIVE, "checked"
# What the checker is measured with unless --only says otherwise: all proven, all but little proven, nothing proven, groups
# that wait or take locks, and small launches.
CHECKED = ["stream_triad", "matrix_naive", "matrix_tile_16x16", "n_body", "tree_2_26", "scan_work_group", "histogram_local",
           "sort_bitonic", "sparse_product", "product_by_lock", "tree_one_launch", "sum_in_groups_that_wait",
           "lock_groups", "barrier_of_launch", "pipe_of_sub_groups", "launch_batch", "launch_round_trip"]
# Where Debian's package has it. Not as a platform of the loader: there its functions that the program's library has too call the
# loader's, and these call them again, so that making a queue of OpenCL 2.0 never ends.
OCLGRIND = pathlib.Path("/usr/lib/oclgrind/liboclgrind-rt.so")
CACHE_VARIABLES = ["LOCKSTEP_CACHE_DIR", "POCL_CACHE_DIR"]


class Contender:
    def __init__(self, name, vendors, platform_name, environment=None):
        self.name, self.vendors, self.platform_name = name, vendors, platform_name
        self.environment = environment or {}

    def command(self, bench, benchmark, arguments):
        which = {NATIVE: ["--native"], SYCL: ["--sycl"]}.get(self.name, ["--platform", self.platform_name])
        return ([bench, "--name", benchmark] + which + (["--small"] if arguments.small else []) +
                (["--processor-time"] if arguments.processor_time else []))


def named(text):
    """NAME=VALUE of the command line."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    return name, value


def contenders(build, platforms, variants, checked):
    """Lockstep of the build tree, by OpenCL and SYCL, its variants, each platform with nothing but its own library, and C++;
    with those that are checked, Oclgrind."""
    found = [Contender(LOCKSTEP, build / "vendors", LOCKSTEP), Contender(SYCL, build / "vendors", None)]
    for name, setting in variants:
        found.append(Contender(name, build / "vendors", LOCKSTEP, dict([named(setting)])))
    for icd in sorted(pathlib.Path("/etc/OpenCL/vendors").glob("*.icd")):
        if "lockstep" not in icd.name:
            found.append(Contender("PoCL" if "pocl" in icd.name else icd.stem, icd, ""))
    found += [Contender(name, pathlib.Path(vendors).resolve(), "") for name, vendors in platforms]
    if checked and OCLGRIND.exists():
        found.append(Contender("Oclgrind", None, "Oclgrind", {"LD_PRELOAD": str(OCLGRIND), "OCLGRIND_DATA_RACES": "1"}))
    return found + [Contender(NATIVE, None, None)]


def run_one(bench, benchmark, contender, cache, arguments):
    """One process; its JSON, or {"problem": ...}."""
    env = {"LOCKSTEP_NVIDIA": "0", **os.environ, **contender.environment}  # `first`: on a card
    # Benchmarks share source files, so each has caches of its own: else the second would find its build done.
    own_cache = cache / benchmark / contender.name
    own_cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    for variable in CACHE_VARIABLES:
        env[variable] = str(own_cache)
    if contender.vendors:
        env["OCL_ICD_VENDORS"] = str(contender.vendors)
    try:
        done = subprocess.run(contender.command(bench, benchmark, arguments), env=env, capture_output=True, text=True,
                              timeout=arguments.time_limit, cwd=cache)
    except subprocess.TimeoutExpired:
        return {"problem": "hang"}
    if done.returncode < 0:
        return {"problem": signal.Signals(-done.returncode).name}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["exit code %d" % done.returncode]
        ours = [line for line in lines if line.startswith("bench:")] or lines
        return {"problem": ours[-1][:120]}
    return json.loads(done.stdout.strip().splitlines()[-1])


class Result:
    """What all rounds of one benchmark say of one contender."""

    def __init__(self, rounds):
        self.rounds = rounds
        self.problem = next((r["problem"] for r in rounds if "problem" in r), None)
        self.skipped = next((r["skipped"] for r in rounds if "skipped" in r), None)
        good = [r for r in rounds if "seconds" in r]
        if not self.problem and any(not r["verified"] for r in good):
            self.problem = "WRONG"
        self.value = self.spread = None
        if good and not self.problem:
            first = good[0]
            seconds = [s for r in good for s in r["seconds"]]
            values = [first["amount"] / s if first["measure"] == "rate" else s * 1e6 / first["amount"] for s in seconds]
            self.value = statistics.median(values)
            quarters = statistics.quantiles(values, n=4) if len(values) > 3 else [self.value] * 3
            self.spread = 50 * (quarters[2] - quarters[0]) / self.value

    def times(self, key, cold):
        found = [r[key] for r in (self.rounds[:1] if cold else self.rounds[1:]) if key in r]
        return statistics.median(found) if found else None

    def cell(self):
        if self.problem:
            return "hang" if self.problem == "hang" else "WRONG" if self.problem == "WRONG" else "failed"
        return "-" if self.value is None else number(self.value)

    def peak(self):
        return max((r["peak_mb"] for r in self.rounds if "peak_mb" in r), default=math.nan) # earlier runs have none


def results_of(raw):
    return {b: {c: Result(rounds) for c, rounds in by_name.items()} for b, by_name in raw.items()}


def number(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def better(results, a, b, measure):
    """How many times a is better than b, or ''."""
    x, y = (results.get(name) for name in (a, b))
    if not x or not y or not x.value or not y.value:
        return ""
    return number(x.value / y.value if measure == "rate" else y.value / x.value)


def spread(results):
    """The largest of the contenders."""
    return f"{max((r.spread for r in results.values() if r.spread), default=0):.0f} %"


def print_table(header, rows):
    widths = [max(len(row[i]) for row in [header] + rows) for i in range(len(header))]
    for n, row in enumerate([header] + rows):
        print("  ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
        if n == 0:
            print("  ".join("-" * width for width in widths))


def print_figures(all_results, names):
    rivals = [n for n in names if n != LOCKSTEP]
    header = ["benchmark", "unit"] + names + ["spread"] + [f"{LOCKSTEP}:{rival}" for rival in rivals]
    rows = []
    for benchmark, results in all_results.items():
        some = next((r.rounds[0] for r in results.values() if "unit" in r.rounds[0]), {})
        if benchmark.startswith("build"):
            continue
        rows.append([benchmark, some.get("unit", "")] + [results[n].cell() if n in results else "" for n in names] +
                    [spread(results)] + [better(results, LOCKSTEP, rival, some.get("measure")) for rival in rivals])
    print_table(header, rows)


# The lines of the table of results.md: several benchmarks in one are parts of a cell.
SUMMARY = [
    ("empty launch in a batch / round trip", ["launch_batch", "launch_round_trip"]),
    ("stream triad", ["stream_triad"]),
    ("matrix product, naive / in 16x16 tiles / 64x1 groups", ["matrix_naive", "matrix_tile_16x16", "matrix_tile_1x64"]),
    ("n-body", ["n_body"]),
    ("Mandelbrot", ["mandelbrot"]),
    ("Black-Scholes", ["black_scholes_plain"]),
    ("tree reduction, 2^26 ints", ["tree_2_26"]),
    ("sum, strided, then a tree", ["sum_strided_tree"]),
    ("sum in one launch, groups wait for groups, 2^24 ints", ["tree_one_launch"]),
    ("product, a lock taken by each work-item (C++: without a lock)", ["product_by_lock"]),
    ("sparse product", ["sparse_product"]),
    ("bitonic sort (C++: std::sort)", ["sort_bitonic"]),
]


def unit_of(results):
    return next((r.rounds[0] for r in results.values() if "unit" in r.rounds[0]), {}).get("unit", "")


def summary(all_results, names):
    return [[title, unit_of(all_results[benchmarks[0]])] +
            [" / ".join(all_results[b][n].cell() if n in all_results[b] else "-" for b in benchmarks) for n in names]
            for title, benchmarks in SUMMARY if all(b in all_results for b in benchmarks)]


def markdown_table(header, lines):
    return "\n".join(["| " + " | ".join(header) + " |", "|---" * len(header) + "|"] +
                     ["| " + " | ".join("" if cell == "-" else cell for cell in line) + " |" for line in lines])


def print_markdown(all_results, names):
    rows = summary(all_results, names)
    rivals = [n for n in names if n != LOCKSTEP]
    everything = []
    for benchmark, results in all_results.items():
        some = next((r.rounds[0] for r in results.values() if "unit" in r.rounds[0]), {})
        everything.append([benchmark, unit_of(results)] + [results[n].cell() if n in results else "" for n in names] +
                          [spread(results)] + [better(results, LOCKSTEP, rival, some.get("measure")) for rival in rivals])
    for header, lines in [(["", "unit"] + names, rows),
                          (["benchmark", "unit"] + names + ["spread"] + [f"to {rival}" for rival in rivals], everything)]:
        if lines:
            print("\n" + markdown_table(header, lines))
    print("\n" + "\n".join(means(all_results, rivals)))


TABLE_BEGIN, TABLE_END = "<!-- figures of benchmarks/run.py -->", "<!-- end of figures -->"


def write_results(report, all_results):
    """Puts the table of results.md in its place, with where it comes from."""
    # Without SYCL and without other platforms than the first.
    names = [n for n in dict.fromkeys(name for by_name in all_results.values() for name in by_name) if n != SYCL]
    rounds = max(len(r.rounds) for by_name in all_results.values() for r in by_name.values())
    machine = report["machine"]
    text = [f"Measured by `benchmarks/run.py` at commit {report.get('commit', 'unknown')} on {report['date'][:10]}, results "
            f"verified: {machine['cpu']}, {machine['threads']} threads, {rounds} round{'s' if rounds > 1 else ''}.", "",
            markdown_table(["", "unit"] + names, summary(all_results, names)), ""]
    text += [line + "." for line in means(all_results, [n for n in names if n != LOCKSTEP])]
    results = HERE / "results.md"
    before, begin, rest = results.read_text().partition(TABLE_BEGIN)
    _, end, after = rest.partition(TABLE_END)
    if not begin or not end:
        sys.exit(f"{results} has no place for the figures: {TABLE_BEGIN} ... {TABLE_END}")
    results.write_text(before + begin + "\n" + "\n".join(text) + "\n" + end + after)


def means(all_results, rivals):
    """Geometric means over the lines that both have."""
    lines = []
    for rival in rivals:
        ratios = []
        for results in all_results.values():
            some = next((r.rounds[0] for r in results.values() if "unit" in r.rounds[0]), {})
            ours, theirs = results.get(LOCKSTEP), results.get(rival)
            if ours and theirs and ours.value and theirs.value:
                ratio = ours.value / theirs.value
                ratios.append(ratio if some.get("measure") == "rate" else 1 / ratio)
        if ratios:
            lines.append(f"{len(ratios)} lines against {rival}: {number(statistics.geometric_mean(ratios))} times in the "
                         "geometric mean")
    return lines


def print_builds(all_results, names):
    """Cold and warm build and first launch of every kernel."""
    opencl = [n for n in names if n != NATIVE]
    header = ["build + first launch, ms", ""] + [f"{n} {t}" for n in opencl for t in ("cold", "warm")]
    rows = []
    for benchmark, results in all_results.items():
        cells = []
        for name in opencl:
            for cold in (True, False):
                build, first = (results[name].times(k, cold) if name in results else None for k in ("build_ms", "first_ms"))
                cells.append("" if build is None else f"{build:.1f} + {first:.1f}")
        if any(cells):
            rows.append([benchmark, ""] + cells)
    print_table(header, rows)


def print_price(all_results):
    """What the checker costs: its least time over the least without it, the peak memory of the process, and all in one number."""
    rows, prices = [], {}
    for benchmark, results in all_results.items():
        plain, checked = results.get(LOCKSTEP), results.get(UNDER_CHECK)
        if not plain or not checked or not plain.value or not checked.value:
            continue
        least = [min(s for r in result.rounds for s in r.get("seconds", [])) for result in (plain, checked)]
        prices[benchmark] = least[1] / least[0]
        rows.append([benchmark, ""] + [f"{1e3 * s:.3g}" for s in least] + [f"{prices[benchmark]:.2f}"] +
                    [f"{result.peak():.0f}" for result in (plain, checked)] + [f"{checked.peak() / plain.peak():.2f}"])
    if not rows:
        return
    print_table(["price of the checker", "", "ms", "checked", "times", "peak MB", "checked", "times"], rows)
    worst = max(prices, key=prices.get)
    print(f"\n{len(prices)} lines: {statistics.geometric_mean(prices.values()):.2f} times in the geometric mean, "
          f"{prices[worst]:.1f} at most ({worst}); above 10: {', '.join(b for b, p in prices.items() if p > 10) or 'none'}")


def print_problems(all_results):
    for benchmark, results in all_results.items():
        for name, result in results.items():
            if result.problem:
                print(f"{benchmark}, {name}: {result.problem}")
            elif result.skipped and name not in (NATIVE, SYCL) and not benchmark.startswith("limit"):
                print(f"{benchmark}, {name}: skipped, {result.skipped}")


def print_comparison(all_results, old):
    rows = []
    for benchmark, results in all_results.items():
        for name, result in results.items():
            before = old["results"].get(benchmark, {}).get(name)
            if not before or not result.value:
                continue
            value = Result(before).value
            measure = result.rounds[0]["measure"]
            if value:
                gain = result.value / value if measure == "rate" else value / result.value
                if abs(gain - 1) > 0.1:
                    rows.append([benchmark, name, number(value), number(result.value), f"{gain:.2f} times as good"])
    print(f"\nchanged by more than 10 % since {old['date']}:" if rows else f"\nnothing changed since {old['date']}")
    if rows:
        print_table(["benchmark", "contender", "before", "now", ""], rows)


def machine():
    model = ""
    try:
        model = next(l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": model, "threads": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg()[0]}


def commit():
    try:
        return subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def measure_all(bench, pairs, arguments):
    """All rounds of pairs of a benchmark and a contender, in their order."""
    cache = pathlib.Path(tempfile.mkdtemp(prefix="benchmark-caches-"))
    raw = {}
    try:
        for turn in range(arguments.rounds):
            for benchmark, contender in pairs:
                if sys.stderr.isatty():
                    print(f"\r\033[Kround {turn + 1} of {arguments.rounds}: {benchmark}, {contender.name}", end="",
                          file=sys.stderr, flush=True)
                earlier = raw.setdefault(benchmark, {}).setdefault(contender.name, [])
                if any("problem" in r or "skipped" in r for r in earlier):
                    continue # it will not get better
                earlier.append(run_one(bench, benchmark, contender, cache, arguments))
    finally:
        shutil.rmtree(cache, ignore_errors=True)
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr)
    return raw


def run_anchors(build, bench, arguments):
    by_name = {c.name: c for c in contenders(build, [], [], False)}
    raw = {}

    def measure_pairs(pairs):
        raw.update(measure_all(bench, [(benchmark, by_name[name]) for benchmark, name in pairs], arguments))
        return {(benchmark, name): Result(raw[benchmark][name]) for benchmark, name in pairs}

    lines = anchors.measure(arguments, build, measure_pairs)
    print_table(["measure", "value", "target", "", ""], [line.cells() for line in lines])
    if arguments.json:
        arguments.json.write_text(json.dumps({"date": now(), "commit": commit(), "machine": machine(), "small": arguments.small,
                                              "anchors": [line.json() for line in lines], "results": raw}, indent=1))
    return 1 if any(line.wrong for line in lines) else 0


def now():
    return datetime.datetime.now().isoformat(timespec="seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parent / "build" / "release", help="build tree")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="benchmarks whose name contains WORD")
    parser.add_argument("--contender", action="append", help="only these (Lockstep, PoCL, C++, ...)")
    parser.add_argument("--platform", type=named, action="append", default=[], metavar="NAME=DIRECTORY",
                        help="one more OpenCL platform, by its directory of ICD files")
    parser.add_argument("--variant", type=named, action="append", default=[], metavar="NAME=VARIABLE=VALUE",
                        help="Lockstep once more, with an environment variable")
    parser.add_argument("--checked", action="store_true", help="Lockstep, once more with the checker, and Oclgrind")
    parser.add_argument("--anchors", action="store_true", help="the ratios with targets, and which of them are met")
    parser.add_argument("--ispc-examples", metavar="FILE", help="with --anchors: the library of ISPC's examples (against_ispc.cpp)")
    parser.add_argument("--ispc-data", metavar="FOLDER", help="with --anchors: $ISPC/examples/cpu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processor-time", action="store_true",
                        help="time of all threads of a process, not of the clock: for a machine with other work beside")
    parser.add_argument("--small", action="store_true", help="small data: to see that all verify, not for figures")
    parser.add_argument("--time-limit", type=float, default=120, metavar="SECONDS", help="for one process")
    parser.add_argument("--json", type=pathlib.Path, help="where the measurements go (default: in the build tree)")
    parser.add_argument("--compare", type=pathlib.Path, metavar="FILE", help="measurements of an earlier run")
    parser.add_argument("--markdown", action="store_true", help="print the figures as tables in Markdown")
    parser.add_argument("--results", action="store_true", help="with --from: put the table of results.md in its place")
    parser.add_argument("--from", dest="earlier", type=pathlib.Path, metavar="FILE", help="print measurements of an earlier run")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()

    if arguments.checked:
        arguments.variant.append((UNDER_CHECK, "LOCKSTEP_CHECK=1"))
        arguments.contender = arguments.contender or [LOCKSTEP, UNDER_CHECK, "Oclgrind"] + [n for n, _ in arguments.platform]
        arguments.only = arguments.only or CHECKED
    if arguments.earlier:
        report = json.loads(arguments.earlier.read_text())
        results = results_of(report["results"])
        if arguments.results:
            write_results(report, results)
            return 0
        present = list(dict.fromkeys(name for by_name in results.values() for name in by_name))
        (print_markdown if arguments.markdown else print_figures)(results, present)
        print_price(results)
        return 0

    build = arguments.build.resolve()
    bench = build / "benchmarks" / "bench"
    if not bench.exists():
        sys.exit(f"{bench} is not built; run `cmake --build {build} --target bench` first")
    if arguments.anchors:
        return run_anchors(build, bench, arguments)
    table = [line.split("\t") for line in
             subprocess.run([bench, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()]
    names = [name for name, question in table if not arguments.only or any(word in name for word in arguments.only)]
    if arguments.list or not names:
        for name, question in table:
            print(f"{name:32} benchmarks/{question}/")
        return 0
    chosen = [c for c in contenders(build, arguments.platform, arguments.variant, arguments.checked)
              if not arguments.contender or c.name in arguments.contender]

    raw = measure_all(bench, [(name, contender) for name in names for contender in chosen], arguments)
    results = results_of(raw)
    present = [c.name for c in chosen]
    (print_markdown if arguments.markdown else print_figures)(results, present)
    print()
    print_builds(results, present)
    print()
    print_price(results)
    print_problems(results)

    report = {"date": now(), "commit": commit(), "machine": machine(),
              "small": arguments.small, "results": raw}
    if arguments.compare:
        print_comparison(results, json.loads(arguments.compare.read_text()))
    target = arguments.json or build / "benchmarks" / f"results-{report['date'].replace(':', '')}.json"
    target.write_text(json.dumps(report, indent=1))
    print(f"\nmeasurements: {target}")
    return 1 if any(r[LOCKSTEP].problem for r in results.values() if LOCKSTEP in r) else 0


if __name__ == "__main__":
    sys.exit(main())
