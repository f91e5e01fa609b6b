"""`lockstep check --only commands` finds commands that nothing orders, and no others: programs/command_races.cpp."""

import pathlib
import sys

import cli

RIGHT = """in_order by_events by_barrier by_marker by_finish by_wait_for_a_later_one by_polling by_user_event two_readers halves
           atomics other_buffers_later unmapped_before unmapped_by_event read_while_mapped_for_reading
           runs_when_it_is_unmapped mapped_again""".split()
WRONG = """read_without_event read_long_after two_queues waits_for_the_wrong_event written_while_read fills_that_overlap
           halves_that_overlap read_while_mapped_for_writing written_while_mapped unmapped_without_event""".split()
FOUND = 66
PROGRAM = None


class CheckCommandsTest(cli.ToolTest):
    def check(self, case, code, *options):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        return self.tool("check", *(options or ["--only", "commands"]), PROGRAM, case, code=code, OCL_ICD_VENDORS=str(vendors)).err

    def test_right_programs(self):
        for case in RIGHT:
            with self.subTest(case):
                self.assertIn("nothing found", self.check(case, 0))

    def test_wrong_programs(self):
        for case in WRONG:
            with self.subTest(case):
                self.assertIn("commands in", self.check(case, FOUND))

    def test_a_report_names_both_commands(self):
        report = self.check("read_without_event", FOUND)
        self.assertIn("commands in 'read': nothing orders it with kernel 'number'", report)
        self.assertRegex(report, r"command \d+, kernel 'number', argument 0 writes bytes 0 to 16384")
        self.assertRegex(report, r"command \d+, read reads bytes 0 to 16384")
        self.assertIn("both are in one out-of-order queue", report)
        self.assertIn("they are in different queues", self.check("two_queues", FOUND))

    def test_what_is_mapped(self):
        report = self.check("read_while_mapped_for_writing", FOUND)
        self.assertIn("commands in 'take': it reads what the program has mapped for writing", report)
        self.assertRegex(report, r"command \d+, map for writing, of bytes 0 to 16384")
        self.assertRegex(report, r"command \d+, kernel 'take', argument 0 reads bytes 0 to 16384")
        self.assertIn("it writes what the program has mapped", self.check("written_while_mapped", FOUND))
        self.assertIn("it is not unmapped: clEnqueueUnmapMemObject belongs before the kernel",
                      self.check("written_while_mapped", FOUND))

    def test_with_races(self):
        self.assertIn("nothing found", self.check("by_events", 0, "--only", "races,commands"))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
