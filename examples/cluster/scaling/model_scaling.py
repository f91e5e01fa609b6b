#!/usr/bin/env python3
"""Models weak and strong scaling of jacobi.cpp with SimGrid's SMPI (Debian: libsimgrid-dev).

    examples/cluster/scaling/model_scaling.py [--build build/release] [--ranks 1,4,...] [--latency S] [--bandwidth B]

First it measures the time of a step of jacobi.cpp on one rank for several plates. Then stencil_smpi.c runs on simulated
nodes. The time of a step there is interpolated; below the smallest plate it is that plate's, above the largest it grows
with the points. Latency and bandwidth of the network are assumptions. docs/cluster.md says what the model leaves out.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PLATES = (64, 128, 256, 512, 1024, 2048)
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s"/>
</platform>
"""
# Factors of 1: SMPI's own are those of one cluster with TCP.
SETTINGS = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/bw-factor:0:1", "--cfg=smpi/lat-factor:0:1",
            "--cfg=contexts/stack-size:128", "--log=root.thres:error"]


def measured_steps(build, runs):
    """Points and seconds of a step: the shortest of some runs, since other work on the machine only adds time."""
    environment = {**os.environ, "OCL_ICD_VENDORS": str(build / "vendors")}
    times = {}
    for plate in PLATES:
        steps = max(100, min(5000, 2 ** 26 // plate ** 2))
        for _ in range(runs):
            command = ["mpirun", "--bind-to", "none", "-n", "1", str(build / "examples/cluster/jacobi"), str(plate), str(steps),
                       "shared", "waits"]
            if os.geteuid() == 0:
                command.insert(1, "--allow-run-as-root")
            output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
            seconds = float(re.search(r": ([\d.]+) s;", output)[1]) / steps
            times[plate ** 2] = min(times.get(plate ** 2, 1e9), seconds)
    return times


def step_time(times, points):
    known = sorted(times.items())
    if points <= known[0][0]:
        return known[0][1]
    for (low, first), (high, second) in zip(known, known[1:]):
        if points <= high:
            return first + (second - first) * (points - low) / (high - low)
    return known[-1][1] * points / known[-1][0]


def modelled_step(folder, ranks, options, width, inner, outer):
    """Microseconds of a step."""
    platform, hosts = folder / "platform.xml", folder / "hosts"
    platform.write_text(PLATFORM.format(last=ranks - 1, bandwidth=options.bandwidth, latency=options.latency / 2))
    hosts.write_text("".join(f"n{rank}\n" for rank in range(ranks)))
    done = subprocess.run(["smpirun", "-no-privatize", "-np", str(ranks), "-platform", platform, "-hostfile", hosts, *SETTINGS,
                           folder / "stencil_smpi", str(width), str(options.steps), repr(inner), repr(outer)],
                          capture_output=True, text=True)
    found = re.search(r"step: ([\d.]+) us", done.stdout)
    if done.returncode or not found:
        sys.exit(f"smpirun failed:\n{done.stdout}{done.stderr}")
    return float(found[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--ranks", default="1,16,256,1024,10000")
    parser.add_argument("--steps", type=int, default=3, help="of the simulation")
    parser.add_argument("--runs", type=int, default=15, help="of each measurement")
    parser.add_argument("--latency", type=float, default=1.5e-6, help="seconds between two nodes")
    parser.add_argument("--bandwidth", type=float, default=25e9, help="bytes per second of a node's link")
    parser.add_argument("--times", help="POINTS:MICROSECONDS,... in place of the measurement")
    options = parser.parse_args()
    if options.times:
        pairs = [pair.split(":") for pair in options.times.split(",")]
        times = {int(points): float(microseconds) * 1e-6 for points, microseconds in pairs}
    else:
        times = measured_steps(options.build.resolve(), options.runs)
    print("step of one rank: " + ", ".join(f"{points} points {seconds * 1e6:.1f} us" for points, seconds in times.items()))
    print(f"network: latency {options.latency * 1e6:g} us, bandwidth {options.bandwidth / 1e9:g} GB/s")
    cases = [("weak, 4096 x 4096 points each", 4096, lambda ranks: 4096), ("weak, 1024 x 64 points each", 1024, lambda ranks: 64),
             ("strong, 32768 x 32768 points", 32768, lambda ranks: 32768 / ranks)]
    with tempfile.TemporaryDirectory(prefix="lockstep-scaling-") as folder:
        folder = pathlib.Path(folder)
        subprocess.run(["smpicc", "-O2", HERE / "stencil_smpi.c", "-o", folder / "stencil_smpi"], check=True)
        for name, width, rows_of in cases:
            print(f"\n{name}\n{'ranks':>6} {'waits, us':>12} {'efficiency':>11} {'overlap, us':>12} {'efficiency':>11}")
            alone = step_time(times, width * rows_of(1)) * 1e6
            for ranks in map(int, options.ranks.split(",")):
                line, points = f"{ranks:6}", width * rows_of(ranks)
                outer = min(points, 2 * width)
                for work in ((0, points), (points - outer, outer)):
                    seconds = [step_time(times, part) if part else 0 for part in work]
                    step = modelled_step(folder, ranks, options, width, *seconds)
                    share = alone / step / (1 if name.startswith("weak") else ranks)
                    line += f" {step:12.1f} {share:10.1%}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
