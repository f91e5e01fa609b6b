"""Reports of mistakes that people make, in kernels/mistakes.cl: each ends with the advice that helps its author. Those of SYCL
are in ../sycl/checked/mistakes.cpp. Run as mistakes_test.py LOCKSTEP SYCL_PROGRAM."""

import concurrent.futures
import os
import re
import sys

import cli
from cli import KERNELS

FILE = KERNELS / "mistakes.cl"
INTS, FLOATS, ONE_PER_ITEM = "buf:int:256=iota", "buf:float:256=iota", ("--global", 256, "--local", 64)
LOCAL_INTS, LOCAL_FLOATS = "local:int:64", "local:float:64"
UPDATE = r"use an atomic update \(%s\), or one element for each work-item and a reduction"
ONE_STATEMENT = "several work-items execute this statement on one element, and a barrier cannot order them: let one of them write it"
IN_LOCAL = "no barrier(CLK_LOCAL_MEM_FENCE) of their group stands between"
ALL_MUST_REACH = "all work-items of the group must reach it equally often"
# Kernel: the check, its arguments, and a part of the last line of its first report.
OPENCL = {
    "count_positive": ("races", [INTS, INTS], UPDATE % "atomic_add"),
    "histogram": ("races", [INTS, INTS], UPDATE % "atomic_add"),
    "histogram_of_group": ("races", [INTS, INTS], UPDATE % "atomic_add"),
    "sum_of_floats": ("races", [FLOATS, FLOATS], UPDATE % r"atomic_fetch_add on an atomic_float \(cl_ext_float_atomics\)"),
    "largest": ("races", [INTS, INTS], UPDATE % "atomic_max"),
    "last_index": ("races", [INTS, INTS], re.escape(ONE_STATEMENT)),
    "reverse_tile": ("races", [FLOATS, LOCAL_FLOATS], re.escape(IN_LOCAL) + r" lines 52 and 53$"),
    "reused_tile": ("races", [INTS, INTS], r"barrier\(CLK_LOCAL_MEM_FENCE\) at line 62 orders line 61 before line 63, but not line "
                                           "63 before line 61 of the next iteration: another barrier belongs there$"),
    "reused_tile_in_loop": ("races", [INTS, INTS, "int=4"], "at line 200 orders line 199 before line 201, but not line 201"),
    "wrong_flag": ("races", [INTS, LOCAL_INTS], r"without CLK_LOCAL_MEM_FENCE: barrier\(CLK_GLOBAL_MEM_FENCE\) at line 72 does not"),
    "tree_without_barrier": ("races", [FLOATS, FLOATS], "in one line: a barrier belongs between its iterations"),
    "tree_of_one_warp": ("races", [FLOATS, FLOATS], "in one line: a barrier belongs between its iterations"),
    "last_step": ("races", [INTS, INTS], re.escape(IN_LOCAL) + r" lines 108 and 112$"),
    "barrier_in_branch": ("barriers", [INTS, LOCAL_INTS], ALL_MUST_REACH),
    "return_before_barrier": ("barriers", [INTS, "int=100", LOCAL_INTS], ALL_MUST_REACH + ".* no work-item return before it"),
    "copy_without_wait": ("races", [FLOATS, FLOATS, LOCAL_FLOATS], "no wait_group_events stands between"),
    "flag_without_fence": ("races", [INTS, "buf:int:1"], "memory_order_release where they publish .* and memory_order_acquire where"),
    "blur_in_place": ("races", [FLOATS], "in one line: write to other memory than the line reads"),
    "off_by_one": ("memory", [INTS, INTS], "the read gives 0 here, and any value without the check$"),
    "wrong_guard": ("memory", [INTS, "int=256"], "the write is left out here, and hits other memory without the check$"),
    "uncleared": ("undefined", [INTS, INTS], "local memory is not cleared when a group begins: initialize it"),
    "sub_group_in_step": ("races", [INTS, LOCAL_INTS], re.escape(IN_LOCAL)),
}
GLOBAL_SIZES = {"wrong_guard": 320}
SYCL = {
    "histogram": ("races", UPDATE % "atomic_ref::fetch_add"),
    "sum": ("races", UPDATE % "atomic_ref::fetch_add"),
    "reverse_tile": ("races", r"no group_barrier of their group stands between lines \d+ and \d+$"),
    "tree": ("races", "in one line: a barrier belongs between its iterations"),
    "barrier_in_branch": ("barriers", ALL_MUST_REACH),
    "blur_in_place": ("races", "another kernel after this one, or other memory for the results, would do"),
    "off_by_one": ("memory", "the read gives 0 here, and any value without the check$"),
    "no_depends_on": ("commands", r"command \d+ needs depends_on with the event of command \d+, or the queue property::queue::in_order"),
    "read_before_buffer_ends": ("commands", "a host_accessor"),
    "two_queues": ("commands", r"command \d+ needs depends_on with the event of command \d+"),
    "never_written": ("undefined", "nothing has written that memory"),
}
FOUND = 66
PROGRAM = None


def first_report(text):
    """The lines of the first report: its headline, and those that are indented below it."""
    begin = text.index("lockstep check: ")
    return re.match(r".*\n(?:  .*\n)*", text[begin:])[0].splitlines()


class MistakesTest(cli.ToolTest):
    def check(self, case):
        name, (only, *rest) = case
        if isinstance(rest[0], list):
            arguments = [word for each in rest[0] for word in ("--arg", each)]
            program = [cli.TOOL, "run", FILE, "-k", name, "--options", "-cl-std=CL3.0", "--global", GLOBAL_SIZES.get(name, 256),
                       "--local", 64, *arguments]
        else:
            program = [PROGRAM, name]
        return name, rest[-1], self.tool_status("check", "--threads", 1, "--only", only, *program)

    def expect(self, cases):
        """The first report of each, by name."""
        reports = {}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, advice, done in pool.map(self.check, cases.items()):
                with self.subTest(name):
                    self.assertEqual(done.returncode, FOUND, done.err)
                    report = first_report(done.err)
                    self.assertRegex(report[-1], advice, done.err)
                    self.assertRegex(done.err, r"\nSUMMARY: lockstep check: \d findings? \(\d [a-z ]+\)\n\Z")
                    reports[name] = "\n".join(report)
        return reports

    def test_opencl(self):
        for name, report in self.expect(OPENCL).items():
            self.assertIn(f"\n  launch 1: {GLOBAL_SIZES.get(name, 256)} work-items in groups of 64\n", report)
            self.assertRegex(report, r"mistakes\.cl:\d+:\d+  \S")

    def test_sycl(self):
        source = (KERNELS.parents[1] / "sycl" / "checked" / "mistakes.cpp").read_text().splitlines()
        for name, report in self.expect(SYCL).items():
            for line, text in re.findall(r"mistakes\.cpp:(\d+):\d+  (.*?)   ", report):
                self.assertEqual(text, source[int(line) - 1].strip())
            if SYCL[name][0] != "commands":
                self.assertRegex(report, r"\n  (read|write|gets here|branch) +\S*mistakes\.cpp:\d+:\d+  \S")
                self.assertRegex(report, r"\n  launch 1: \d+ work-items( in groups of 64)?, enqueued at \S*mistakes\.cpp:\d+:")

    def test_floats_are_printed_as_floats(self):
        report = self.tool("check", "--threads", 1, cli.TOOL, "run", FILE, "-k", "sum_of_floats", "--options", "-cl-std=CL3.0",
                           "--global", 256, "--local", 64, "--arg", "buf:float:256=1.5", "--arg", "buf:float:1=1.145",
                           code=FOUND).err
        self.assertIn("what is overwritten is 1.145\n", report)
        self.assertIn("argument 1 'sum', element 0 (float, byte 0)\n", report)


PROGRAM = sys.argv.pop()
cli.main()
