"""Programs of several ranks on this host: `cluster_test.py PATH/TO/lockstep FOLDER_OF_PROGRAMS`, where FOLDER has what
examples/cluster/CMakeLists.txt builds. All ranks share one empty disk cache."""

import collections
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TOOL, PROGRAMS = map(pathlib.Path, sys.argv[1:3])
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader",
          "--mca", "btl_vader_single_copy_mechanism", "none", "--mca", "mpi_yield_when_idle", "1"]


class Cluster(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lockstep-cluster-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
        self.environment.update(LOCKSTEP_CACHE_DIR=str(self.folder / "cache"), STARPU_HOME=self._folder_name("starpu"),
                                LOCKSTEP_NVIDIA="0")

    def _folder_name(self, name):
        (self.folder / name).mkdir()
        return str(self.folder / name)

    def run_ranks(self, ranks, *command, binding="none", **environment):
        done = subprocess.run([*MPIRUN, "--bind-to", binding, "-n", str(ranks), *map(str, command)], cwd=self.folder,
                              env={**self.environment, **environment}, capture_output=True, text=True, timeout=120)
        done.all = done.stdout + done.stderr
        return done

    def check_ranks(self, ranks, program, *arguments, **environment):
        done = self.run_ranks(ranks, PROGRAMS / program, *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.all)
        return done

    def test_jacobi(self):
        for ranks, kind, how in ((2, "shared", "waits"), (2, "device", "tasks"), (4, "host", "tasks")):
            with self.subTest(ranks=ranks, kind=kind, how=how):
                done = self.check_ranks(ranks, "jacobi", 130, 40, kind, how)
                self.assertIn(f"{ranks} ranks, 130 x 130 points, 40 steps, {kind}, {how}", done.stdout)
                self.assertIn("PASSED", done.stdout)

    def test_host_tasks_that_block(self):
        done = self.check_ranks(2, "ranks", "host_tasks")
        self.assertNotIn("lockstep:", done.stderr)

    def test_opencl_with_a_cold_cache(self):
        self.assertIn("PASSED", self.check_ranks(4, "heat_opencl", 130, 40).stdout)
        leftovers = [file.name for file in (self.folder / "cache").rglob("writing-*")]
        self.assertEqual(leftovers, [])

    def test_a_fault_of_one_rank_ends_the_job(self):
        begin = time.monotonic()
        done = self.run_ranks(3, PROGRAMS / "ranks", "fault")
        self.assertNotEqual(done.returncode, 0, done.all)
        self.assertLess(time.monotonic() - begin, 60)  # and not after the limit of run_ranks()
        self.assertIn(f"[{socket.gethostname()}:1] lockstep: ", done.all)
        self.assertNotIn("is through", done.stdout)

    def test_ranks_divide_the_cpus(self):
        cpus = len(os.sched_getaffinity(0))
        done = self.check_ranks(2, "ranks", "units")
        units = [int(line.split()[1]) for line in done.stdout.splitlines()]
        self.assertEqual((len(units), sum(units)), (2, max(2, cpus)))
        self.assertEqual(self.check_ranks(1, "ranks", "units", binding="core").stdout, "units 1\n")

    def test_placement_on_a_large_machine(self):
        self.run_ranks(4, "sh", "-c", f"{TOOL} info --json > info-$OMPI_COMM_WORLD_RANK",
                       HWLOC_SYNTHETIC="NUMANode:4 L3:1 core:8 pu:1")
        found = collections.Counter(json.loads((self.folder / f"info-{rank}").read_text())["threads"]["cpus"]
                                    for rank in range(4))
        self.assertEqual(found, {"0-7": 1, "8-15": 1, "16-23": 1, "24-31": 1})

    def test_traces_of_ranks(self):
        self.check_ranks(2, "jacobi", 66, 3, LOCKSTEP_TRACE="trace-%r.json")
        done = subprocess.run([TOOL, "trace", "merge", *sorted(self.folder.glob("trace-*.json")), "-o", "all.json"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = json.loads((self.folder / "all.json").read_text())
        names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
        kernels = collections.Counter(names[e["pid"]].split(" on ")[0] for e in events
                                      if e.get("cat") == "command" and "lambda at jacobi.cpp" in e["name"])
        self.assertEqual(kernels, {"rank 0": 4, "rank 1": 4})  # the first kernel and three steps
        spans = [(min(at), max(at)) for at in ([e["ts"] for e in events if e["ph"] == "X" and e["pid"] == pid] for pid in (1, 3))]
        self.assertLess(max(begin for begin, _ in spans), min(end for _, end in spans))  # they ran at the same time

    @unittest.skipUnless((PROGRAMS / "ring_starpu").exists(), "libstarpu-dev is not installed")
    def test_starpu(self):
        done = self.check_ranks(2, "ring_starpu", 4, STARPU_OPENCL_ON_CPUS="1", STARPU_OPENCL_ONLY_ON_CPUS="1",
                                STARPU_SILENT="1", STARPU_WORKERS_NOBIND="1")
        self.assertIn("PASSED", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
