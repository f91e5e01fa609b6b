import json
import socket

import cli
from cli import KERNELS

ADD = KERNELS / "add.cl"
ARGUMENTS = ["--arg", "buf:float:4096=iota", "--arg", "buf:float:4096=1", "--arg", "buf:float:4096"]


class TraceTest(cli.ToolTest):
    def trace(self, **environment):
        self.tool("run", ADD, "--global", 4096, "--local", 64, *ARGUMENTS, "--compare", "2=iota:1",
                  LOCKSTEP_TRACE="trace.json", **environment)
        return json.loads((self.folder / "trace.json").read_text())

    def test_a_kernel_comes_after_what_wrote_its_arguments(self):
        bars = {e["args"]["command"]: e for e in self.trace() if e["ph"] == "X" and e["cat"] == "command"}
        kernels = [e for e in bars.values() if e["name"] == "add"]
        self.assertEqual(len(kernels), 1)
        arguments = {a["argument"]: a for a in kernels[0]["args"]["accesses"]}
        self.assertEqual({n: a["bytes"] for n, a in arguments.items()}, {0: 16384, 1: 16384, 2: 16384})
        ends = {number: e["ts"] + e["dur"] for number, e in bars.items()}
        waited_for = kernels[0]["args"]["after"]
        self.assertTrue(waited_for)
        for number in waited_for:
            self.assertLessEqual(round(ends[number], 3), kernels[0]["ts"])

    def test_sizes_and_threads(self):
        trace = self.trace()
        kernel, = [e for e in trace if e.get("cat") == "command" and e["name"] == "add"]
        self.assertEqual((kernel["args"]["global_size"], kernel["args"]["local_size"]), ([4096, 1, 1], [64, 1, 1]))
        self.assertTrue([e for e in trace if e.get("cat") == "command" and e["args"].get("bytes") == 16384])
        shares = [e for e in trace if e.get("cat") == "worker"]
        self.assertTrue(all(e["name"] == "add" and e["args"]["command"] == kernel["args"]["command"] for e in shares), shares)
        self.assertEqual(sum(e["args"]["groups"] for e in shares), 64)
        calls = {e["name"]: e for e in trace if e.get("cat") == "call"}
        self.assertIn("clBuildProgram", calls)
        compiled, = [e for e in trace if e.get("cat") == "compile"]
        self.assertEqual(compiled["name"], "compile add")
        launch = calls["clEnqueueNDRangeKernel"]  # which compiles
        self.assertEqual(launch["tid"], compiled["tid"])
        self.assertLessEqual(launch["ts"], compiled["ts"])
        self.assertGreaterEqual(round(launch["ts"] + launch["dur"], 3), round(compiled["ts"] + compiled["dur"], 3))
        rows = {}
        for event in trace:  # bars of one row are nested or disjoint
            if event["ph"] == "X":
                rows.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
        for bars in rows.values():
            open_bars = []
            for begin, end in sorted(bars, key=lambda bar: (bar[0], -bar[1])):
                while open_bars and open_bars[-1] <= begin + 1e-6:
                    open_bars.pop()
                self.assertTrue(not open_bars or end <= open_bars[-1] + 1e-6, bars)
                open_bars.append(end)

    def test_the_tool_runs_a_program(self):
        done = self.tool("trace", "-o", "t.json", cli.TOOL, "run", ADD, "--global", 4096, *ARGUMENTS)
        self.assertIn("lockstep trace: t.json; ", done.err)
        self.assertTrue([e for e in json.loads((self.folder / "t.json").read_text()) if e["name"] == "add"])
        graph = self.tool("trace", "--dot", "t.json").out
        self.assertRegex(graph, r'\Adigraph commands \{\n(.*\n)+  c\d+ \[label="\d+ add\\n\[4096,1,1\]\\n\d+\.\d+ ms"\];\n')
        self.assertRegex(graph, r"\n  c\d+ -> c\d+ \[label=\"memory -> 'sum'\"\];\n")
        self.assertEqual(self.tool("trace", "-o", "none.json", "/bin/sh", "-c", "exit 3", code=3).err,
                         "lockstep trace: nothing was traced: the program did not use Lockstep\n")
        self.assertIn("which program", self.tool("trace", code=2).err)
        self.assertIn("cannot be run", self.tool("trace", "./absent", code=127).err)

    def test_waits_of_groups(self):
        """Group g waits for group g + 1, which begins later."""
        (self.folder / "chain.cl").write_text(
            "kernel void chain(global atomic_int *left) {\n"
            "  int above = get_num_groups(0) - 1 - get_group_id(0);\n"
            "  while (atomic_load_explicit(left, memory_order_acquire, memory_scope_device) != above)\n"
            "    ;\n"
            "  atomic_store_explicit(left, above + 1, memory_order_release, memory_scope_device);\n"
            "}\n")
        for wanted in ("0", "1"):
            self.tool("run", "chain.cl", "--options", "-cl-std=CL3.0", "--global", 128, "--local", 1, "--arg",
                      "buf:int:1=zeros", LOCKSTEP_TRACE="trace.json", LOCKSTEP_TRACE_GROUPS=wanted, LOCKSTEP_THREADS="1")
            trace = json.loads((self.folder / "trace.json").read_text())
            kernel, = [e for e in trace if e.get("cat") == "command" and e["name"] == "chain"]
            waits, = kernel["args"]["waits"]
            self.assertRegex(waits["place"], r"chain.cl:3:\d+$")
            self.assertEqual(waits["waits"], 127)
            self.assertGreater(waits["microseconds"], 0)
            counts = [e["args"]["groups"] for e in trace if e["ph"] == "C" and e["name"] == "waiting groups of chain"]
            self.assertEqual(counts[-1], 0)
            self.assertGreater(max(counts), 0)
            bars = [e for e in trace if e.get("cat") == "wait"]
            self.assertEqual(len(bars), 2 * 127 * int(wanted))
            self.assertEqual(len({(e["ph"], e["id"]) for e in bars}), len(bars))

    def test_groups_if_wanted(self):
        self.assertFalse([e for e in self.trace() if e.get("cat") == "group"])
        for form in ("looped", "resumable"):
            groups = [e for e in self.trace(LOCKSTEP_TRACE_GROUPS="1", LOCKSTEP_FORM=form) if e.get("cat") == "group"]
            begun = [e for e in groups if e["ph"] in "Xb"]
            covered = set()
            for event in begun:
                first, count = event["args"]["group"][0], event["args"]["count"][0]
                self.assertFalse(covered & set(range(first, first + count)))
                covered |= set(range(first, first + count))
            self.assertEqual(covered, set(range(64)))
            self.assertEqual(sum(e["ph"] == "b" for e in groups), sum(e["ph"] == "e" for e in groups))

    def test_one_file_for_each_process(self):
        for _ in range(2):
            self.tool("run", ADD, "--global", 4096, *ARGUMENTS, LOCKSTEP_TRACE="t.%p.json")
        self.assertEqual(len(list(self.folder.glob("t.*.json"))), 2)

    def test_names_with_host_and_rank(self):
        rank = {"OMPI_COMM_WORLD_RANK": "12", "OMPI_COMM_WORLD_LOCAL_RANK": "0", "OMPI_COMM_WORLD_LOCAL_SIZE": "1"}
        self.tool("run", ADD, "--global", 4096, *ARGUMENTS, LOCKSTEP_TRACE="t-%h-%r-%%.json", **rank)
        events = json.loads((self.folder / f"t-{socket.gethostname()}-12-%%.json").read_text())
        names = [e["args"]["name"] for e in events if e["name"] == "process_name"]
        self.assertTrue(all(name.startswith(f"rank 12 on {socket.gethostname()}: ") for name in names), names)

    def test_merge(self):
        """Arrows and bars of two processes stay in rows of their own, and the second process is later by what the clock says."""
        for rank in ("1", "0"):
            self.tool("run", ADD, "--global", 4096, *ARGUMENTS, LOCKSTEP_TRACE=f"t-{rank}.json", LOCKSTEP_TRACE_GROUPS="1", OMPI_COMM_WORLD_RANK=rank)
        single = [json.loads((self.folder / f"t-{rank}.json").read_text()) for rank in (0, 1)]
        start = [int(e["args"]["start_unix_ns"]) for t in single for e in t if e["name"] == "lockstep_process"]
        killed = (self.folder / "t-0.json").read_text().rstrip("]\n") + ',\n{"ph":"X","na'  # half an event
        (self.folder / "t-0.json").write_text(killed)
        done = self.tool("trace", "merge", "t-1.json", "t-0.json", "-o", "all.json")
        self.assertIn("2 processes in all.json", done.out)
        merged = json.loads((self.folder / "all.json").read_text())
        self.assertEqual(len(merged), len(single[0]) + len(single[1]))
        names = {e["pid"]: e["args"]["name"] for e in merged if e["name"] == "process_name"}
        self.assertEqual(sorted(names), [1, 2, 3, 4])
        self.assertIn("rank 0 on ", names[1])
        self.assertIn("rank 1 on ", names[3])
        for rank, trace in enumerate(single):
            own = [e for e in merged if e["pid"] in (2 * rank + 1, 2 * rank + 2)]
            later = (start[rank] - min(start)) / 1000
            for before, after in zip(trace, own):
                self.assertEqual(before["ph"], after["ph"])
                if "ts" in before:
                    self.assertAlmostEqual(before["ts"] + later, after["ts"], 2)
        arrows = [e["id"] for e in merged if e["ph"] == "s"]
        self.assertEqual(len(arrows), len(set(arrows)))
        self.assertGreater(start[0], start[1])

    def test_merge_of_other_files(self):
        for text in ("", "{}", "[1]", '[{"name": "lockstep_process"}]'):
            (self.folder / "other.json").write_text(text)
            done = self.tool("trace", "merge", "other.json", code=2)
            self.assertIn("other.json is not a trace of Lockstep", done.err)
        self.assertIn("absent.json", self.tool("trace", "merge", "absent.json", code=2).err)

    def test_a_file_that_cannot_be_written_is_told_of(self):
        done = self.tool("run", ADD, "--global", 4096, *ARGUMENTS, LOCKSTEP_TRACE="absent/trace.json")
        self.assertIn("LOCKSTEP_TRACE=absent/trace.json: No such file or directory", done.err)


cli.main()
