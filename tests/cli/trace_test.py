import json

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
        bars = {e["args"]["command"]: e for e in self.trace() if e["ph"] == "X"}
        kernels = [e for e in bars.values() if e["name"] == "add"]
        self.assertEqual(len(kernels), 1)
        arguments = {a["argument"]: a for a in kernels[0]["args"]["accesses"]}
        self.assertEqual({n: a["bytes"] for n, a in arguments.items()}, {0: 16384, 1: 16384, 2: 16384})
        ends = {number: e["ts"] + e["dur"] for number, e in bars.items()}
        waited_for = kernels[0]["args"]["after"]
        self.assertTrue(waited_for)
        for number in waited_for:
            self.assertLessEqual(round(ends[number], 3), kernels[0]["ts"])

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

    def test_a_file_that_cannot_be_written_is_told_of(self):
        done = self.tool("run", ADD, "--global", 4096, *ARGUMENTS, LOCKSTEP_TRACE="absent/trace.json")
        self.assertIn("LOCKSTEP_TRACE=absent/trace.json: No such file or directory", done.err)


cli.main()
