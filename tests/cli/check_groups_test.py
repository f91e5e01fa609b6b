"""`lockstep check` and what work-items of a group call together: arguments that must be the same for all, and which event of
an async copy is waited for. kernels/group_operations.cl has the pairs."""

import json

import cli
from cli import KERNELS

FILE = KERNELS / "group_operations.cl"
RIGHT = """scope_same broadcast_same broadcast_in_rounds reduce_in_equal_rounds barrier_without_flags_in_equal_rounds
           sub_group_broadcast_same sub_group_shuffle_differs copy_same each_event_in_turn events_in_a_list
           events_in_a_list_of_unknown_length event_of_all events_of_rounds flags_same
           sub_group_barrier_of_some_sub_groups ways_of_all way_to_the_return one_barrier_on_two_ways another_barrier_on_two_ways""".split()
DIFFERENT = {"flags_differ": "flags of barrier", "flags_differ_by_sub_group": "flags of barrier",
             "scope_differs": "scope of work_group_barrier", "broadcast_differs": "local_id_x of work_group_broadcast",
             "broadcast_differs_by_sub_group": "local_id_x of work_group_broadcast",
             "broadcast_in_rows_differs": "local_id_y of work_group_broadcast",
             "copy_to_differs": "dst of async_work_group_copy", "copy_from_differs": "src of async_work_group_copy",
             "copy_count_differs": "num_gentypes of async_work_group_copy",
             "copy_stride_differs": "stride of async_work_group_strided_copy",
             "copy_lines_differ": "num_lines of async_work_group_copy_2D2D",
             "copy_event_differs": "event of an async copy",
             "awaited_event_differs": "event_list of wait_group_events",
             "awaited_number_differs": "num_events of wait_group_events"}
OF_SUB_GROUP = {"sub_group_broadcast_differs": "sub_group_local_id of sub_group_broadcast",
                "sub_group_non_uniform_broadcast_differs": "index of sub_group_non_uniform_broadcast",
                "sub_group_rotate_differs": "delta of sub_group_rotate",
                "sub_group_inverse_ballot_differs": "value of sub_group_inverse_ballot",
                "sub_group_barrier_differs": "flags of sub_group_barrier"}
OTHER_EVENT = """other_event other_event_of_rounds last_event_of_rounds no_event one_event_twice source_of_other_event""".split()
FOUND = 66


class CheckGroupsTest(cli.ToolTest):
    def check(self, kernel, *options, code, **environment):
        return self.tool("check", *options, cli.TOOL, "run", FILE, "-k", kernel, "--options", "-cl-std=CL3.0", "--global", 256,
                         "--local", 64, "--arg", "buf:int:256", "--arg", "buf:uint:1", "--arg", "local:int:64", code=code,
                         **environment).err

    def line_of(self, kernel, text):
        lines = FILE.read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if f" {kernel}(" in line)
        return 1 + next(i for i in range(begin, len(lines)) if text in lines[i])

    def test_right_kernels(self):
        for kernel in RIGHT:
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                if kernel.startswith("sub_group") and environment.get("LOCKSTEP_LANES"):
                    continue
                with self.subTest(kernel, **environment):
                    if kernel == "flags_same":  # the flag is the right one, but who does not know that
                        self.assertNotIn("divergence", self.check(kernel, code=0, **environment))
                    else:
                        self.assertIn("nothing found", self.check(kernel, code=0, **environment))

    def test_different_arguments(self):
        for kernel, what in DIFFERENT.items():
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, code=FOUND, **environment)
                    self.assertIn(f"divergence in '{kernel}': '{what}' is not the same for all work-items of a group", report)
        for kernel, what in OF_SUB_GROUP.items():
            with self.subTest(kernel):
                report = self.check(kernel, code=FOUND)
                self.assertIn(f"divergence in '{kernel}': '{what}' is not the same for all work-items of a sub-group", report)

    def test_different_operations(self):
        report = self.check("reduces_that_differ", code=FOUND)
        self.assertIn("work-items of one group go to different barriers, copies or collectives", report)

    def test_different_operations_on_the_ways_of_a_switch(self):
        for kernel in ("ways_that_differ", "ways_that_differ_or_return", "ways_that_differ_by_sub_group",
                       "one_barrier_or_another_on_two_ways", "one_barrier_or_the_default"):
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    self.assertIn(f"divergence in '{kernel}'", self.check(kernel, code=FOUND, **environment))

    def test_barriers_of_sub_groups(self):
        for kernel in ("sub_group_barrier_in_branch", "sub_group_barrier_behind_return"):
            report = self.check(kernel, "--threads", 1, code=FOUND)
            self.assertRegex(report, rf"divergence in '{kernel}': \d+ of \d+ work-items of a sub-group get here\n")
        report = self.check("sub_group_barrier_behind_return", "--threads", 1, code=FOUND)
        self.assertRegex(report, r"\n  gets here .*   group 0, item 0 \(global 0\)\n  does not .*   group 0, item 3 \(global 3\)\n")
        self.check("sub_group_barrier_behind_return", "--only", "races", code=0)
        self.tool("check", cli.TOOL, "run", FILE, "-k", "sub_group_barrier_of_some_sub_groups", "--options", "-cl-std=CL3.0",
                  "--global", 150, "--local", 50, "--arg", "buf:int:150", "--arg", "buf:uint:1", "--arg", "local:int:50")

    def test_a_report_has_both_values(self):
        file = self.folder / "found.json"
        report = self.check("flags_differ", "--threads", 1, "--json", file, code=FOUND)
        self.assertRegex(report, r"0x1 +\S*:\d+:\d+  barrier\(.*   group 0, item 0 \(global 0\)\n")
        self.assertRegex(report, r"0x2 +\S*:\d+:\d+  barrier\(.*   group 0, item 1 \(global 1\)\n")
        found = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual(found[0]["kind"], "divergence")
        self.assertEqual([place["what"] for place in found[0]["places"]], ["0x1", "0x2"])
        self.assertEqual([place["global"] for place in found[0]["places"]], [[0, 0, 0], [1, 0, 0]])

    def test_the_wrong_event(self):
        for kernel in OTHER_EVENT:
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    self.assertIn(f"async copy in '{kernel}'", self.check(kernel, code=FOUND, **environment))

    def test_which_event_is_said(self):
        report = self.check("other_event", code=FOUND)
        wait, copies = self.line_of("other_event", "&first"), self.line_of("other_event", "TWO")
        self.assertIn(f"wait_group_events at line {wait} waits for the event of another copy, that of line {copies}", report)
        self.assertIn("no wait_group_events for the event of this one stands between", report)
        report = self.check("one_event_twice", code=FOUND)
        self.assertIn("no work-item waits for its event", report)
        self.assertRegex(report, rf"copy +\S*:{self.line_of('one_event_twice', 'TWO')}:")
        self.assertRegex(report, r"wait +\S*:\d+:\d+  wait_group_events\(1, &first\);")
        self.assertIn("waits for no event of a copy that is under way", self.check("no_event", code=FOUND))


if __name__ == "__main__":
    cli.main()
