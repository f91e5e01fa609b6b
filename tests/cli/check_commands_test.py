"""`lockstep check --only commands` finds commands that nothing orders, and no others: programs/command_races.cpp."""

import pathlib
import subprocess
import sys

import cli

RIGHT = """parts_by_event native_kernel_by_event rows_side_by_side in_order by_events by_barrier by_marker by_finish by_wait_for_a_later_one polled_and_waited_for by_callback by_user_event two_readers halves halves_of_a_child child_by_event
           gathered_beside constant_memory_by_event constant_memory_beside maps_waited_for steps_of_stencil_by_events atomics filled_beside_long_rows filled_between_what_is_copied counted_in_copies_beside word_between_counters_is_filled other_buffers_later unmapped_before unmapped_by_event read_while_mapped_for_reading
           runs_when_it_is_unmapped mapped_again touched_while_mapped other_part_stays_mapped commands_use_what_is_mapped
           shared_is_unmapped_before shared_is_read_while_mapped_for_reading shared_is_touched_while_mapped shared_is_touched_by_commands""".split()
WRONG = """parts_without_event filled_in_a_long_row filled_where_it_is_copied counted_in_copies_and_filled native_kernel_without_event rows_that_overlap read_without_event child_without_event read_long_after read_after_polling two_queues waits_for_the_wrong_event written_while_read fills_that_overlap
           halves_that_overlap rows_that_meet_rows rest_is_read_and_written steps_of_stencil gathered_while_written constant_memory_while_written native_kernel_beside_a_half read_while_mapped_for_writing written_while_mapped unmapped_without_event
           shared_is_read_while_mapped_for_writing shared_is_written_while_mapped written_from_what_another_queue_unmaps read_into_what_kernel_uses""".split()
NOT_MAPPED = """host_reads_unmapped host_writes_unmapped another_thread_reads_unmapped host_reads_before_map_has_ended host_reads_long_after_map_has_ended host_reads_after_polling_of_map
                host_copies_unmapped""".split()
NO_KEYS = "this CPU has no protection keys: what the program does with memory of a device, and with shared virtual memory that is not mapped, is not seen"
FOUND = 66
PROGRAM = None


class CheckCommandsTest(cli.ToolTest):
    def check(self, case, code, *options, program=None):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        return self.tool("check", *(options or ["--only", "commands"]), program or PROGRAM, case, code=code, OCL_ICD_VENDORS=str(vendors)).err

    def line_of(self, mark):
        source = pathlib.Path(__file__).parent / "programs" / "command_races_host.cpp"
        return 1 + next(i for i, line in enumerate(source.read_text().splitlines()) if line.endswith(f"// {mark}"))

    def test_right_programs(self):
        for case in RIGHT:
            with self.subTest(case):
                self.assertIn("nothing found", self.check(case, 0))

    def test_wrong_programs(self):
        for case in WRONG:
            with self.subTest(case):
                self.assertIn("commands in", self.check(case, FOUND))

    def test_what_touches_other_bytes_is_not_even_a_note(self):
        for case in ("halves", "halves_of_a_child", "gathered_beside", "rows_side_by_side", "filled_beside_long_rows", "filled_between_what_is_copied", "counted_in_copies_beside", "word_between_counters_is_filled"):
            self.assertNotIn("note", self.check(case, 0))

    def test_a_report_names_both_commands(self):
        report = self.check("read_without_event", FOUND)
        self.assertIn("commands in 'read': nothing orders it with kernel 'number'", report)
        self.assertRegex(report, r"command \d+, kernel 'number', argument 0 writes bytes 0 to 16384")
        self.assertRegex(report, r"command \d+, read reads bytes 0 to 16384")
        self.assertRegex(report, r"both are in one out-of-order queue: the event of command \d+ belongs into the wait list of "
                                 r"command \d+ ")
        self.assertRegex(self.check("two_queues", FOUND), r"they are in different queues: the event of command \d+ belongs")

    def test_a_query_of_the_status_orders_nothing(self):
        advice = r"the program queried the status of command \d+, which orders nothing: clWaitForEvents does"
        self.assertRegex(self.check("read_after_polling", FOUND), advice)
        self.assertNotRegex(self.check("read_long_after", FOUND), advice)

    def test_what_is_mapped(self):
        report = self.check("read_while_mapped_for_writing", FOUND)
        self.assertIn("commands in 'take': it reads what the program has mapped for writing", report)
        self.assertRegex(report, r"command \d+, map for writing, of bytes 0 to 16384")
        self.assertRegex(report, r"command \d+, kernel 'take', argument 0 reads bytes 0 to 16384")
        self.assertIn("it writes what the program has mapped", self.check("written_while_mapped", FOUND))
        self.assertIn("it is not unmapped: clEnqueueUnmapMemObject belongs before the kernel",
                      self.check("written_while_mapped", FOUND))

    def test_the_host_where_nothing_is_mapped(self):
        for case in NOT_MAPPED:
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertRegex(report, r"commands in 'host': the program (reads|writes) memory of a buffer that is not mapped")
                self.assertRegex(report, r"byte \d+ of a buffer of 16384 bytes")
        self.assertIn("the program writes what it has mapped for reading only",
                      self.check("host_writes_what_is_mapped_for_reading", FOUND))
        report = self.check("host_writes_unmapped", FOUND)
        self.assertIn("byte 12 of a buffer of 16384 bytes", report)
        for case, line in (("host_reads_unmapped", "HOST READS"), ("host_writes_unmapped", "HOST WRITES"),
                           ("host_copies_unmapped", "HOST COPIES"),
                           ("host_reads_unmapped_while_stderr_is_locked", "HOST READS LOCKED")):
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertRegex(report, rf"command_races_host.cpp:{self.line_of(line)}:\d+ ")
                self.assertEqual(report.count("check: commands in"), 1)

    def test_commands_that_are_given_addresses_of_maps(self):
        report = self.check("read_into_what_is_mapped_for_reading", FOUND)
        self.assertIn("commands in 'read': it writes what the program has mapped for reading only", report)
        self.assertRegex(report, r"command \d+, read writes bytes 0 to 16384 of a buffer, where a map has shown it to the program")
        for case, last in ("read_into_what_was_unmapped", 16384), ("read_into_more_than_is_mapped", 8196):
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertIn("commands in 'read': it writes memory of a buffer that is not mapped, as the host's", report)
                self.assertRegex(report, rf"read writes bytes 0 to {last} of a buffer")
                self.assertEqual(report.count("check: commands in"), 1)

    def test_the_host_without_debug_information_or_names(self):
        stripped = self.folder / "stripped"
        subprocess.run(["strip", "-o", stripped, PROGRAM], check=True)
        for case in ("host_reads_unmapped", "host_copies_unmapped"): # that copies is the C library
            with self.subTest(case):
                self.assertRegex(self.check(case, FOUND, program=stripped), rf"<no line> +code at 0x[0-9a-f]+ of {stripped}\n")

    def test_the_host_where_shared_virtual_memory_is_not_mapped(self):
        has_keys = " ospke" in pathlib.Path("/proc/cpuinfo").read_text()
        not_mapped = r"coarse-grained shared virtual memory that is not mapped"
        for case, line, headline, byte in (
                ("shared_is_read_unmapped", "SHARED READS", f"reads {not_mapped}", "byte 12 of an allocation of 16384 bytes, and the program has waited for no map of it"),
                ("shared_is_written_after_unmap", "SHARED WRITES", f"writes {not_mapped}", "no unmap has followed has this byte"),
                ("shared_is_read_before_map_has_ended", "SHARED READS EARLY", f"reads {not_mapped}", "the program has waited for no map of it"),
                ("shared_is_read_where_it_is_not_mapped", "SHARED READS BESIDE", f"reads {not_mapped}", "byte 16380 of an allocation"),
                ("shared_is_written_while_mapped_for_reading", "SHARED WRITES FOR READING", "writes what it has mapped for reading only", "byte 4 of"),
                ("shared_is_written_by_native_kernel", "SHARED NATIVE", f"writes {not_mapped}", "byte 0 of"),
                ("memory_of_device_is_written", "DEVICE WRITES", "writes memory of a device, which commands and kernels alone may touch",
                 "byte 20 of an allocation of 16384 bytes: a copy brings it")):
            with self.subTest(case):
                report = self.check(case, FOUND if has_keys else 0)
                if has_keys:
                    self.assertIn(f"commands in 'host': the program {headline}", report)
                    self.assertIn(byte, report)
                    self.assertRegex(report, rf"command_races_host.cpp:{self.line_of(line)}:\d+ ")
                    self.assertEqual(report.count("check: commands in"), 1)
                else:
                    self.assertEqual(report.count(NO_KEYS), 1)

    def test_with_races(self):
        self.assertIn("nothing found", self.check("by_events", 0, "--only", "races,commands"))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
