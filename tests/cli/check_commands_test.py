"""`lockstep check --only commands` finds commands that nothing orders, and no others: programs/command_races.cpp."""

import pathlib
import sys

import cli

RIGHT = """in_order by_events by_barrier by_marker by_finish by_wait_for_a_later_one by_polling by_user_event two_readers halves
           atomics other_buffers_later""".split()
WRONG = """read_without_event read_long_after two_queues waits_for_the_wrong_event written_while_read fills_that_overlap
           halves_that_overlap""".split()
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

    def test_with_races(self):
        self.assertIn("nothing found", self.check("by_events", 0, "--only", "races,commands"))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
