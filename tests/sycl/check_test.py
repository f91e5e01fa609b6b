"""`lockstep check --only commands` and SYCL programs: checked/commands.cpp; races in kernels that are compiled without -g: checked/races.cpp;
undefined values: checked/undefined.cpp; what reports call things: checked/words.cpp. Run as check_test.py LOCKSTEP COMMANDS RACES UNDEFINED
WORDS."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import cli  # noqa: E402

RIGHT = """usm_depends_on usm_in_order usm_waited usm_copied_after accessors host_accessor host_accessors_one_after_the_other pointer_of_host_accessor_given_to_commands host_task memory_after_the_buffer
           memory_brought_up_to_date memory_only_read memory_with_final_data memory_used_as_it_is part_of_memory device_memory_by_commands""".split()
USM = """usm_without_depends_on usm_of_two_queues usm_copied_meanwhile usm_filled_meanwhile usm_depends_on_another""".split()
TOUCHED = {"memory_read_before_the_buffer_ends": "reads", "memory_written_before_the_buffer_ends": "writes",
           "memory_written_by_another_thread": "writes"}
SCOPES_RIGHT = """groups_device groups_system groups_fences_device group_work_group group_device group_fences_work_group
                  sub_group_sub_group sub_group_fences_sub_group barrier_device""".split()
SCOPES_WRONG = {"groups_work_group": "is for its own group only: memory_scope::device would do",
                "groups_swap_work_group": "their scopes do not include the other group: memory_scope::device would",
                "groups_sub_group": "is for its own sub-group only: memory_scope::device would do",
                "groups_fences_work_group": "that releases stands before it (of its own group only: those at lines ",
                "group_sub_group": "their scopes do not include the other sub-group: memory_scope::work_group would",
                "group_fences_sub_group": "that releases stands before it (of its own sub-group only: those at lines ",
                "sub_group_work_item": "is for its own work-item only: memory_scope::work_group would do",
                "sub_group_fences_work_item": "that releases stands before it (of its own work-item only: those at lines ",
                "barrier_work_group": "is relaxed, and no atomic_fence that releases stands before it",
                "count_work_group": "their scopes do not include the other group: memory_scope::device would"}
OVERLAPS_RIGHT = """pointers_apart pointers_at_own_element pointers_behind_rows pointers_behind_a_guard one_pointer_apart
                    table_of_the_same_half table_of_other_memory accessors_apart sub_buffers_apart sub_buffers_of_the_same
                    columns_beside_each_other""".split()
OVERLAPS_WRONG = """pointers_at_the_next_element pointers_at_the_last_element pointers_in_the_last_row pointers_before_a_guard
                    one_pointer_at_the_next_element table_of_the_other_half accessors_that_overlap accessors_of_the_same
                    sub_buffers_that_overlap columns_that_are_one""".split()
DEFINED = """shared_written host_accessor_written host_accessor_written_and_held host_task_written iterators_given local_written group_written
             large_shared_written large_device_written large_written_again_by_kernel large_written_again_by_address large_written_again_by_command large_other_written
             large_accessor_written""".split()
UNDEFINED = {"shared_half_written": "SHARED", "host_accessor_read": "ADDED", "local_half_written": "TURNED",
             "group_half_written": "OF GROUP", "large_shared_half_written": "LARGE", "large_device_half_written": "LARGE",
             "large_spoilt_by_kernel": "LARGE",
             "large_spoilt_by_address": "LARGE", "large_spoilt_by_command": "LARGE", "large_same_written": "WRITTEN BY ANOTHER",
             "large_accessor_half_written": "BY ACCESSOR"}
FOUND = 66
PROGRAM = RACES = VALUES = WORDS = None


class CheckTest(cli.ToolTest):
    def check(self, case, code, *options):
        done = self.tool("check", "--only", "commands", *options, PROGRAM, case, code=code)
        self.assertNotIn("wrong", done.out)
        return done.err

    def line_of(self, mark, file="commands.cpp"):
        lines = (HERE / "checked" / file).read_text().splitlines()
        return 1 + next(i for i, line in enumerate(lines) if f"// {mark}" in line)

    def test_right_programs(self):
        for case in RIGHT:
            with self.subTest(case):
                self.assertIn("nothing found", self.check(case, 0))

    def test_allocations_without_order(self):
        for case in USM:
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertIn("commands in", report)
                self.assertIn("and both use the same memory", report)

    def test_pointers_of_host_accessors_that_are_kept(self):
        for case, what, mark in (("pointer_of_host_accessor_read_after_it", "reads", "KEPT"),
                                 ("pointer_of_host_accessor_written_after_it", "writes", "KEPT AND WRITTEN")):
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertIn(f"the program {what} memory of a buffer that no host_accessor gives it any more", report)
                self.assertIn(f"byte 20 of a buffer of {4 << 18} bytes", report)
                self.assertRegex(report, rf"commands.cpp:{self.line_of(mark)}:")

    def test_pointers_of_host_accessors_that_commands_are_given(self):
        for case, what in (("pointer_of_host_accessor_given_to_commands_after_it",
                            "it reads memory of a buffer that no host_accessor gives the program any more, as the host's"),
                           ("pointer_of_host_accessor_for_reading_written_by_a_command",
                            "it writes what a host_accessor gave the program to read")):
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertIn(f"commands in 'memcpy': {what}", report)
                self.assertRegex(report, r"memcpy (reads|writes) bytes 0 to \d+ of a buffer, where a host_accessor has shown it to the program")

    def test_memory_of_a_device_that_the_program_touches(self):
        has_keys = " ospke" in pathlib.Path("/proc/cpuinfo").read_text()
        for case, what, mark in (("device_memory_read_by_the_program", "reads", "DEVICE READ"),
                                 ("device_memory_written_by_a_host_task", "writes", "DEVICE WRITTEN")):
            with self.subTest(case):
                report = self.check(case, FOUND if has_keys else 0)
                if has_keys:
                    self.assertIn(f"the program {what} memory of a device, which commands and kernels alone may touch", report)
                    self.assertIn(f"byte {2 << 18} of an allocation of {4 << 18} bytes", report)
                    self.assertRegex(report, rf"commands.cpp:{self.line_of(mark)}:")
                else:
                    self.assertIn("this CPU has no protection keys", report)

    def test_kernels_without_debug_information(self):
        self.assertIn("nothing found", self.tool("check", RACES, "mirror").err)
        report = self.tool("check", RACES, "mirror_without_barrier", code=FOUND).err
        self.assertRegex(report, r"race in '[^']+': \w+ of what another work-item of the group has \w+, unordered")
        for mark in ("WRITTEN", "READ"):
            line = self.line_of(mark, "races.cpp")
            self.assertRegex(report, rf"\n  (?:read|write) +\S*races.cpp:{line}:\d+  .*// {mark}   group \d, item \d+ \(global \d+\)\n")
        self.assertRegex(report, r"local_accessor 'group', byte \d+ of the group's local memory")
        self.assertIn("no group_barrier of their group stands between", report)

    def test_scopes(self):
        for case in SCOPES_RIGHT:
            with self.subTest(case):
                self.assertIn("nothing found", self.tool("check", RACES, case).err)
        for case, missing in SCOPES_WRONG.items():
            with self.subTest(case):
                report = self.tool("check", RACES, case, code=FOUND).err
                self.assertIn("lockstep check: race in", report)
                self.assertIn(missing, report)
                self.assertNotIn("atomic_ref.hpp", report) # but who calls it
                self.assertNotIn("group_barrier.hpp", report)

    def test_memory_that_members_share(self):
        for case in OVERLAPS_RIGHT:
            with self.subTest(case):
                self.assertIn("nothing found", self.tool("check", RACES, case).err)
        for case in OVERLAPS_WRONG:
            with self.subTest(case):
                self.assertIn("lockstep check: race in", self.tool("check", RACES, case, code=FOUND).err)

    def test_undefined_values(self):
        for case in DEFINED:
            with self.subTest(case):
                self.assertIn("nothing found", self.tool("check", "--only", "undefined", VALUES, case).err)
        for case, mark in UNDEFINED.items():
            with self.subTest(case):
                report = self.tool("check", "--only", "undefined", VALUES, case, code=FOUND).err
                self.assertIn("lockstep check: undefined in", report)
                self.assertRegex(report, rf"undefined.cpp:{self.line_of(mark, 'undefined.cpp')}:")

    def test_memory_that_is_the_buffers(self):
        for case, what in TOUCHED.items():
            with self.subTest(case):
                report = self.check(case, FOUND)
                self.assertIn(f"the program {what} memory that it has given to a buffer, before the buffer ends", report)
                self.assertIn(f"byte {4 << 17} of {4 << 18} bytes", report)
        self.assertRegex(self.check("memory_read_before_the_buffer_ends", FOUND), rf"commands.cpp:{self.line_of('READ')}:")
        self.assertRegex(self.check("memory_written_before_the_buffer_ends", FOUND), rf"commands.cpp:{self.line_of('WRITTEN')}:")
        report = self.check("memory_moved_before_the_buffer_ends", FOUND)
        self.assertIn("the program reads memory that it has given to a buffer, before the buffer ends", report)
        self.assertRegex(report, rf"commands.cpp:{self.line_of('MOVED')}:")
        file = self.folder / "found.json"
        report = self.check("little_memory_written_before_the_buffer_ends", FOUND, "--json", file)
        self.assertIn("the program has written memory that it has given to a buffer, before the buffer ended", report)
        self.assertIn("byte 12 of 64 bytes", report)
        self.assertEqual(json.loads(file.read_text().splitlines()[0])["kind"], "commands")

    def words(self, case, only, *options, code=FOUND):
        return self.tool("check", "--only", only, *options, WORDS, case, code=code).err

    def test_names_of_kernels(self):
        line = self.line_of("UNNAMED", "words.cpp")
        for case, name in (("named", "named_kernel"), ("unnamed", rf"lambda at words\.cpp:{line}:\d+"), ("function_object", r"app::next_gets"),
                           ("template", r"app::of_type<float>"), ("not_a_class", "int"), ("reduced", rf"lambda at words\.cpp:{self.line_of('REDUCED', 'words.cpp')}:\d+")):
            with self.subTest(case):
                report = self.words(case, "races")
                self.assertRegex(report, rf"race in '{name}': ")
                self.assertRegex(report, rf"more of race in '{name}' at ")
                self.assertNotIn("_ZTS", report)

    def test_names_of_kernels_in_options(self):
        file = self.folder / "known"
        for name in ("named_kernel", "named_*", "_ZTS*named_kernel"):
            file.write_text(f"race kernel={name}\n")
            self.assertEqual("lockstep check: nothing found\nSUMMARY: lockstep check: nothing found\n", self.words("named", "races", "--suppress", file, code=0))
            self.assertIn("1 finding", self.words("named", "races", "--kernel", name))
        file.write_text("race argument=values\n")
        self.assertEqual("lockstep check: nothing found\nSUMMARY: lockstep check: nothing found\n", self.words("named", "races", "--suppress", file, code=0))
        self.assertIn("nothing was checked", self.words("named", "races", "--kernel", "named", code=3))
        found = self.folder / "found.json"
        self.words("named", "races", "--json", found)
        report = json.loads(found.read_text().splitlines()[0])
        self.assertEqual((report["title"], report["name"]), ("named_kernel", "values"))
        self.assertRegex(report["kernel"], "^_ZTS.*named_kernel")

    def test_memory_in_words(self):
        for case, only, text in (
                ("named", "races", r"'values', element \d+ \(4 bytes, byte \d+\) of an allocation of 1024 bytes \(malloc_device\)"),
                ("unnamed", "races", r"'shared', element \d+ \(4 bytes, byte \d+\) of an allocation of 1024 bytes \(malloc_shared\)"),
                ("function_object", "races", r"'memory\.pointer', element \d+ \(4 bytes, byte \d+\) of an allocation of 1024 bytes \(malloc_host\)"),
                ("template", "races", r"local_accessor 'tile', byte \d+ of the group's local memory"),
                ("accessors", "races", r"accessor 'to', element \d+ \(8 bytes, byte \d+\) of a buffer of 2048 bytes"),
                ("beyond_accessor", "memory", r"write of 8 bytes beyond accessor 'to'\n"),
                ("beyond_accessor", "memory", r"accessor 'to' has 2048 bytes, 256 elements of 8 bytes; this is element 256 \("),
                ("beyond_pointer", "memory", r"write of 4 bytes beyond 'values'\n"),
                ("beyond_local", "memory", r"write of 4 bytes beyond local_accessor 'tile'\n"),
                ("undefined", "undefined", r"\n  to 'result'\n  it comes from 'values'\n")):
            with self.subTest(case):
                self.assertRegex(self.words(case, only), text)

    def test_ids_have_the_dimension_first_that_sycl_has_first(self):
        self.assertRegex(self.words("two_dimensions", "races"), r"group \(0, 0\), item \(0, 5\) \(global \(0, 5\)\)\n")
        self.assertRegex(self.words("named", "races"), r"words.cpp:\d+:\d+  .*   work-item \d+\n")

    def test_missing_edges_in_words(self):
        for case, only, text in (
                ("named", "races", "nothing orders the work-items of a parallel_for over a range, which has no barriers"),
                ("template", "races", "no group_barrier of their group stands between"),
                ("fence_space", "races", "a barrier stands between, but without access::fence_space::local_space"),
                ("relaxed", "races", "memory_order::release where they publish what was written and memory_order::acquire where that is read"),
                ("weak", "races", "read 'values'[256]"),
                ("weak", "races", "is relaxed: memory_order::acquire would do"),
                ("copied", "races", "no wait_for stands between: the copy may not have got here"),
                ("commands", "commands", "commands in 'memcpy': nothing orders it with kernel 'fills', and both use the same memory"),
                ("commands", "commands", "kernel 'fills' writes bytes 0 to 1024 of an allocation of 1024 bytes (malloc_device)"),
                ("commands", "commands", "both are in one queue, which is not in order: command "),
                ("commands", "commands", " needs depends_on with the event of command "),
                ("filled", "commands", "commands in 'fill': nothing orders it with kernel"),
                ("two_queues", "commands", "they are in different queues: command "),
                ("freed", "memory", "use after release in 'uses_freed': ")):
            with self.subTest(case):
                report = self.words(case, only)
                self.assertIn(text, report)
                self.assertNotRegex(report, "CLK_|memory_order_|memory_scope_|wait list|wait_group_events")


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    RACES = str(pathlib.Path(sys.argv.pop(2)).resolve())
    VALUES = str(pathlib.Path(sys.argv.pop(2)).resolve())
    WORDS = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
