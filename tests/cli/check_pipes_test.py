"""`lockstep check` finds what is wrong in the wrong uses of pipes of kernels/pipes.cl, and nothing in the right ones."""

import pathlib
import sys

import cli
from cli import KERNELS

RIGHT = """packets packets_read packets_of_work_items packets_of_work_items_read packets_of_sub_groups packets_of_sub_groups_read
           packets_of_groups packets_of_groups_read two_of_a_sub_group_write_one_packet_in_turn written_by_all read_by_all_read""".split()
WRONG = """two_of_a_group_write_one_packet written_by_all_committed_too_early written_by_all_committed_behind_local_barrier
           read_by_all_committed_too_early_read hand_over_by_packets hand_over_by_packets_read hand_over_by_reservations""".split()
FOUND = 66
PROGRAM = None


class CheckPipesTest(cli.ToolTest):
    def check(self, *kernels, options=(), code, **environment):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        return self.tool("check", *options, PROGRAM, KERNELS / "pipes.cl", *kernels, code=code, OCL_ICD_VENDORS=str(vendors),
                         **environment).err

    def test_right_kernels(self):
        for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}, {"LOCKSTEP_THREADS": "1"}):
            with self.subTest(**environment):
                self.assertIn("nothing found", self.check(*RIGHT, code=0, **environment))

    def test_other_checks_make_no_findings(self):
        everything = ("--only", "races,barriers,commands,memory,undefined")
        self.assertIn("nothing found", self.check(*RIGHT, options=everything, code=0))

    def test_wrong_kernels(self):
        for kernel in WRONG:
            for environment in ({}, {"LOCKSTEP_LANES": "0"}):
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, options=("--threads", 1), code=FOUND, **environment)
                    self.assertRegex(report, f"race in '{kernel}'")
                    self.assertEqual(report.count("check: race in"), 1)

    def test_the_memory_is_a_packet_of_an_argument(self):
        report = self.check("two_of_a_sub_group_write_one_packet", options=("--threads", 1), code=FOUND)
        self.assertIn("race in 'two_of_a_sub_group_write_one_packet': write of what another work-item of the group has written", report)
        self.assertIn("argument 0 'to', byte 0 of the packet in slot 0\n", report)

    def test_who_commits_is_named(self):
        report = self.check("written_by_all_committed_too_early", options=("--threads", 1), code=FOUND)
        self.assertRegex(report, r"\n  write +\S*:\d+:\d+ .*   group 0, item \d+ \(global \d+\)\n")
        self.assertRegex(report, r"\n  commit +\S*:\d+:\d+ .*   group 0, item 0 \(global 0\)\n")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    cli.main()
