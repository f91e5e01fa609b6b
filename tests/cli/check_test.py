"""`lockstep check` finds what is wrong in the wrong kernel of each pair of kernels/races/, and nothing in the right one."""

import json
import re
import shlex

import cli

RIGHT = """mirror tile_with_ends global_mirror in_both_memories elements_of_one_vector tree neighboring_bytes same_value
           lanes_pass_on histogram hand_over hand_over_by_fences hand_over_each hand_over_in_loop
           old_hand_over lock_right sum_of_all
           copy_in copy_that_is_read copy_strided_beside copy_buffer_reused copy_out copies_beside_each_other hand_over_copy
           hand_over_second_copy barrier_of_whole_groups barrier_behind_guard_for_nobody barrier_in_equal_rounds
           copy_in_rounds_that_wait swap_with_guess sequence_of_updates read_by_all all_meet all_meet_by_default
           counters_of_sub_groups counter_of_the_group hand_on_in_sub_group hand_on_in_group
           hand_over_by_helpers hand_over_by_fences_of_helpers hand_over_in_a_scope_of_a_variable
           hand_over_by_fences_of_a_variable hand_over_by_barrier_of_helper
           mirror_behind_many_barriers read_behind_many_copies copies_around_many_waits
           sequence_of_own_stores counted_by_swaps product_by_swaps hand_over_by_product one_of_two_buffers""".split()
WRONG = """mirror_without_barrier mirror_with_wrong_flag global_mirror_with_wrong_flag
           in_both_memories_with_one_flag tree_that_reuses_too_early overlapping_words lanes_pass_on_without_barrier
           lanes_pass_on_to_another_sub_group histogram_read_plainly histogram_of_narrow_scope
           hand_over_relaxed_store hand_over_relaxed_load hand_over_with_one_fence
           hand_over_with_fence_of_local_memory hand_over_in_small_scope hand_over_before_the_others_have_written
           hand_over_in_loop_relaxed old_hand_over_without_fences lock_relaxed lock_given_back_relaxed sum_of_the_last
           hand_over_copy_not_awaited hand_over_second_copy_read_first swap_with_guess_that_decides
           mirror_with_no_flag mirror_with_collective_only lanes_pass_on_with_shuffle_only groups_write_one_row
           sequence_ended_by_store read_by_all_and_written variables_of_the_program pointer_from_one_of_two
           vectors_that_overlap counted_by_relaxed_atomics counted_with_fence_before_only last_group_without_barrier
           hand_over_by_flag_in_local_memory
           all_meet_relaxed all_meet_that_acquire_only all_meet_that_release_only all_meet_but_one
           counter_of_the_group_with_scope_of_a_sub_group counter_with_scope_of_a_work_item
           hand_on_with_scope_of_a_sub_group hand_over_by_helpers_relaxed_store hand_over_by_helpers_relaxed_load
           hand_over_by_helpers_in_small_scope hand_over_by_fences_of_helpers_for_local_memory
           hand_over_by_fences_of_helpers_in_small_scope hand_over_in_a_small_scope_of_a_variable
           hand_over_by_fences_of_a_variable_for_local_memory hand_over_by_barrier_of_helper_in_small_scope
           tile_with_ends_without_barrier tile_with_an_end_of_another
           mirror_behind_many_global_barriers sequence_of_own_stores_without_what_is_written_later
           counted_by_relaxed_swaps hand_over_by_relaxed_product product_by_swaps_read_plainly product_by_swaps_and_plainly
           one_of_two_buffers_read_beside""".split()
WRONG_COPIES = """copy_in_without_wait copy_in_with_barrier_only copy_source_written_meanwhile copy_strided_without_wait
                  copy_buffer_reused_too_early copy_out_before_others_have_written copies_that_overlap
                  copy_that_nobody_waits_for copy_that_is_never_read copy_awaited_by_some_groups
                  copies_of_which_one_is_awaited copy_target_written_meanwhile
                  read_behind_many_copies_without_wait copies_that_overlap_around_many_waits""".split()
PARTED = """barrier_in_branch barriers_in_switch barrier_behind_return barrier_in_unequal_rounds barriers_that_differ collective_in_branch""".split()
FOUND, NOTHING_CHECKED = 66, 3


class CheckTest(cli.ToolTest):
    def check(self, kernel, *options, code, groups=4, local=64, **environment):
        ints = max(groups, groups * local)
        return self.tool("check", *options, cli.TOOL, "run", *cli.race(kernel), "--global", groups * local,
                         "--local", local, "--arg", f"buf:int:{ints}", "--arg", "buf:uint:2", "--arg", f"local:int:{local}",
                         code=code, **environment)

    def test_right_kernels(self):
        for kernel in RIGHT:
            with self.subTest(kernel):
                self.assertIn("nothing found", self.check(kernel, code=0).err)

    def test_other_checks_make_no_races(self):
        for kernel in RIGHT:
            with self.subTest(kernel):
                everything = ("--only", "races,barriers,commands,memory,undefined")
                self.assertIn("nothing found", self.check(kernel, *everything, code=0).err)

    def test_wrong_kernels(self):
        for kernel in WRONG:
            with self.subTest(kernel):
                self.assertIn(f"race in '{kernel}'", self.check(kernel, code=FOUND).err)
        for kernel in WRONG_COPIES:
            with self.subTest(kernel):
                self.assertIn(f"async copy in '{kernel}'", self.check(kernel, code=FOUND).err)

    def test_plain_reads_that_end_waits_are_plain(self):
        report = self.check("hand_over_in_loop_relaxed", code=FOUND).err
        self.assertRegex(report, r"\n  read  .*HAND_OVER_IN_LOOP")
        self.assertNotIn("atomic read", report)

    def test_what_not_all_get_to(self):
        for kernel in PARTED:
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, code=FOUND, **environment).err
                    self.assertIn(f"divergence in '{kernel}'", report)
        report = self.check("barrier_in_branch", "--threads", 1, code=FOUND).err
        self.assertIn("10 of 64 work-items of a group get here", report)
        self.assertRegex(report, r"\n  gets here .*   group 0, item 0 \(global 0\)\n  does not .*   group 0, item 10 \(global 10\)\n")

    def test_with_one_thread_and_one_lane_and_any_order(self):
        for kernel in ("mirror", "hand_over", "lock_right", "sum_of_all"):
            self.check(kernel, "--threads", 1, code=0)
            self.check(kernel, "--seed", 3, code=0, LOCKSTEP_LANES="0")
        for kernel in ("mirror_without_barrier", "hand_over_relaxed_store", "lock_relaxed", "sum_of_the_last"):
            self.check(kernel, "--threads", 1, code=FOUND)
            self.check(kernel, "--seed", 3, code=FOUND, LOCKSTEP_LANES="0")

    def test_scopes_within_a_group(self):
        for kernel, other in (("counter_of_the_group_with_scope_of_a_sub_group", "the other sub-group"),
                              ("counter_with_scope_of_a_work_item", "the other work-item"),
                              ("hand_on_with_scope_of_a_sub_group", "the other sub-group")):
            report = self.check(kernel, code=FOUND).err
            self.assertIn(f"their scopes do not include {other}: memory_scope_work_group would", report)

    def test_tables_that_lie_on_two_pages(self):
        for threads in (1, 2):
            self.check("tables_of_groups", "--threads", threads, code=0, groups=256)
            for kernel in ("tables_of_groups_that_overlap", "tables_of_groups_read_by_others"):
                self.assertIn(f"race in '{kernel}'", self.check(kernel, "--threads", threads, code=FOUND, groups=256).err)

    def test_sums_of_3_and_of_65536_groups(self):
        for groups in (3, 65536):
            self.check("sum_of_all", code=0, groups=groups, local=4)
            self.check("sum_of_the_last", code=FOUND, groups=groups, local=4)
            # One thread runs the groups in their order, so the sum is what is found to come too early.
            report = self.check("sum_of_the_last", "--threads", 1, code=FOUND, groups=groups, local=4).err
            self.assertIn("read of what another group has written", report)
            self.assertRegex(report, rf"acquired 'flags'\[0\] at line \d+ from group {groups - 2} alone")

    def test_meetings_of_4096_groups(self):
        for kernel in ("all_meet", "all_meet_by_default"):
            self.check(kernel, code=0, groups=4096)
        for kernel in ("all_meet_relaxed", "all_meet_that_release_only", "all_meet_but_one"):
            self.assertIn(f"race in '{kernel}'", self.check(kernel, code=FOUND, groups=4096).err)

    def test_variables_have_their_names_in_the_source(self):
        report = self.check("variables_of_the_program", code=FOUND).err
        for name in ("of_the_program", "of_the_kernel"):
            self.assertIn(f"variable '{name}'", report)

    def test_a_report_names_both_places(self):
        report = self.check("mirror_with_wrong_flag", code=FOUND).err
        self.assertRegex(report, r"write +\S*:9:\d+  tmp\[ITEM\] = ITEM;   group \d, item \d+ \(global \d+\)\n")
        self.assertRegex(report, r"read +\S*:11:\d+  data.* = tmp\[LAST - ITEM\];   group \d, item \d+ \(global \d+\)\n")
        self.assertRegex(report, r"argument 2 'tmp', element \d+ \(int, byte")
        self.assertIn("a barrier stands between, but without CLK_LOCAL_MEM_FENCE: barrier(CLK_GLOBAL_MEM_FENCE) at "
                      "line 10 does not order local memory", report)
        self.assertEqual(report.count("check: race in"), 1)

    def test_the_memory_is_named_by_argument_and_element(self):
        report = self.check("pointer_from_one_of_two", "--threads", 1, code=FOUND).err
        self.assertIn("argument 0 'data', element 0 (int, byte 0)", report)
        report = self.check("vectors_that_overlap", "--threads", 1, code=FOUND).err
        self.assertIn("argument 0 'data', element 3 (int, byte 12)", report)
        self.assertRegex(report, r"as seen here, the write came first: what is overwritten is \d+")
        self.assertRegex(report, r"\(global 0\)\n.*\(global 1\)\n")

    def test_what_orders_no_groups(self):
        """More have released than are remembered one by one, or none has."""
        groups = 16
        report = self.check("counted_by_relaxed_atomics", code=FOUND, groups=groups).err
        self.assertRegex(report, r"nothing orders work-groups in this kernel: it has no atomic or fence that releases or acquires; "
                                 r"the atomic at line \d+ is relaxed: memory_order_release where it publishes")
        for kernel in "counted_with_fence_before_only", "counted_before_a_local_counter":
            report = self.check(kernel, "--threads", 1, code=FOUND, groups=groups).err
            self.assertRegex(report, r"group 15 has acquired nothing that a group released; what item 0 read of 'flags'\[0\] at line "
                                     r"\d+ is relaxed, and no fence that acquires stands behind it: memory_order_acquire would do")
        report = self.check("last_group_without_barrier", "--threads", 1, code=FOUND, groups=groups).err
        self.assertRegex(report, r"group 15, item 0 acquired 'flags'\[0\] at line \d+ after group 0 had released it: the others have "
                                 r"that after the next barrier\(CLK_GLOBAL_MEM_FENCE\) only")

    def test_a_release_covers_no_copy_under_way(self):
        report = self.check("hand_over_copy_not_awaited", code=FOUND).err
        self.assertIn("a release covers an async copy only if wait_group_events stands before it", report)

    def test_the_missing_edge_in_words(self):
        """Which atomic is too weak at which line, and what would do."""
        for kernel, words in {
                "hand_over_relaxed_store": r"the write at line \d+ is relaxed: memory_order_release would do",
                "hand_over_relaxed_load": r"the read at line \d+ is relaxed: memory_order_acquire would do",
                "hand_over_with_one_fence": r"the read at line \d+ is relaxed, and no fence with CLK_GLOBAL_MEM_FENCE that "
                                            r"acquires stands behind it: memory_order_acquire would do",
                "hand_over_with_fence_of_local_memory": r"the write at line \d+ is relaxed, and no fence with "
                                                        r"CLK_GLOBAL_MEM_FENCE that releases stands before it",
                "hand_over_in_small_scope": r"the write at line \d+ is for its own group only: memory_scope_device would do",
                "hand_over_before_the_others_have_written": r"what item 0 releases covers the other work-items of its group up "
                                                            r"to their last barrier\(CLK_GLOBAL_MEM_FENCE\): none stands",
                "lock_relaxed": r"the read at line \d+ is relaxed: memory_order_acquire would do",
                "lock_given_back_relaxed": r"the write at line \d+ is relaxed: memory_order_release would do",
                "sequence_ended_by_store": r"the atomic store at line \d+ replaced it, a read-modify-write would have kept it",
                "hand_over_by_flag_in_local_memory": r"that orders no global memory, since it is of the other: "
                                                     r"memory_order_seq_cst or fences with both flags would",
                "hand_over_second_copy_read_first": r"a release covers an async copy only if wait_group_events stands before it",
        }.items():
            with self.subTest(kernel):
                report = self.check(kernel, "--threads", 1, code=FOUND).err
                self.assertRegex(report, r"group \d+, item \d+ read 'flags?'(?:\[0\])? at line \d+ after group \d+, item \d+ had "
                                         r"written it at line \d+\n")
                self.assertRegex(report, words)
                self.assertRegex(report, r"as seen here, the [a-z ]+ came first: what is (read|overwritten) is -?\d+")

    def test_the_same_value_is_a_note(self):
        report = self.check("same_value", code=0).err
        self.assertIn("note in 'same_value'", report)
        self.assertIn("nothing found, 1 note", report)

    def test_a_guess_that_a_swap_tries_is_a_note(self):
        report = self.check("swap_with_guess", code=0).err
        self.assertIn("a swap finds out if what was read is wrong", report)
        self.assertIn("race in 'swap_with_guess'", self.check("swap_with_guess", "--strict", code=FOUND).err)

    def test_a_guess_hides_no_other_read(self):
        report = self.check("swap_with_guess_beside_a_read", code=FOUND, groups=1).err
        self.assertRegex(report, r"race in [^\n]*\n  read [^\n]* tmp\[0\] = data\[0\];   group 0, item 60 \(global 60\)\n")

    def test_both_of_two_readers_are_told_apart(self):
        for kernel in ("writes_what_it_read_first", "writes_what_it_read_last", "writes_what_another_wrote"):
            for lanes in ("0", "16"):
                with self.subTest(kernel, lanes=lanes):
                    report = self.check(kernel, code=FOUND, LOCKSTEP_LANES=lanes).err
                    self.assertEqual(len(re.findall(r"^  read .*group \d, item \d+ \(global \d+\)$", report, re.M)), 1, report)
                    self.assertNotIn("another item", report)
        # Who has written the word before may be neither of both. The command that repeats the run names both then.
        report = self.check("writes_what_a_third_one_wrote", "--threads", 1, code=FOUND).err
        self.assertNotIn("another item", report)
        self.assertRegex(report, r"other = tmp\[\(ITEM \+ 2\) % 64\];   group 0, item \d+ \(global \d+\)\n")

    def test_what_was_made_of_two_reads_has_a_line(self):
        report = self.check("histogram_read_either_way", code=FOUND).err
        self.assertRegex(report, r"\n  read +\S*:\d+:\d+  (if \(ITEM < 32\)|tmp\[ITEM\] = data\[0\])")

    def test_other_checks_tell_guesses_too(self):
        for other in ("memory", "undefined"):
            self.check("swap_with_guess", "--only", f"races,{other}", code=0)
            self.check("swap_with_guess_that_decides", "--only", f"races,{other}", code=FOUND)

    def test_work_items_have_all_their_ids(self):
        file = self.folder / "found.json"
        report = self.tool("check", "--json", file, cli.TOOL, "run", *cli.race("mirror_without_barrier"), "--global", "16,12",
                           "--local", "8,4", "--offset", "100,200", "--arg", "buf:int:256",
                           "--arg", "buf:uint:1", "--arg", "local:int:64", code=FOUND).err
        first = json.loads(file.read_text().splitlines()[0])
        self.assertRegex(report, r"group \(\d, \d, 0\), item \(\d, \d, 0\) \(global \(\d+, \d+\)\)\n")
        for place in first["places"]:
            group, local = place["group"], place["local"]
            self.assertIn(f"group ({group[0]}, {group[1]}, 0), item ({local[0]}, {local[1]}, 0)", place["who"])
            self.assertEqual(place["global"], [100 + 8 * group[0] + local[0], 200 + 4 * group[1] + local[1], 0])
        self.assertNotEqual(first["places"][0]["global"], first["places"][1]["global"])

    def test_by_the_letter(self):
        """OpenCL C 1.x: its atomics are seen in their group, its fences by their work-item, and volatile says nothing."""
        for kernel in ("histogram", "old_hand_over", "same_value"):
            with self.subTest(kernel):
                report = self.check(kernel, "--strict", code=FOUND).err
                self.assertIn(f"race in '{kernel}'", report)
                self.assertRegex(report, r"\nagain: lockstep check --strict --threads 1 ")
        for kernel in ("hand_over", "hand_over_by_fences", "lock_right", "sum_of_all", "mirror"):
            with self.subTest(kernel):
                self.assertIn("nothing found", self.check(kernel, "--strict", code=0).err)
        self.assertIn("nothing found", self.check("histogram", "--strict", code=0, groups=1).err)

    def test_json(self):
        file = self.folder / "found.json"
        self.check("mirror_without_barrier", "--json", file, code=FOUND)
        found = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertTrue(found)
        self.assertEqual(found[0]["kind"], "race")
        self.assertEqual(found[0]["kernel"], "mirror_without_barrier")
        self.assertEqual({place["line"] for place in found[0]["places"]}, {5, 6})
        self.assertEqual((found[0]["argument"], found[0]["name"]), (2, "tmp"))
        self.assertRegex(found[0]["again"], r"^lockstep check --threads 1 .* -k mirror_without_barrier ")

    def test_others_of_a_pair_are_counted(self):
        report = self.tool("run", *cli.race("groups_write_one_row"), "--global", 256, "--local",
                           64, "--arg", "buf:int:256", "--arg", "buf:uint:1", "--arg", "local:int:64", LOCKSTEP_CHECK="1").err
        self.assertEqual(report.count("lockstep check: race in"), 1)
        self.assertRegex(report, r"lockstep check: \d+ more of race in 'groups_write_one_row' at \S+:\d+:\d+ and \S+\n")
        file = self.folder / "found.json"
        report = self.check("groups_write_one_row", "--json", file, code=FOUND).err
        more = int(re.search(r"lockstep check: (\d+) more of race in 'groups_write_one_row' at ", report)[1])
        found = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual([each["more"] for each in found if each.get("of") == found[0]["id"]], [more])

    def test_json_of_a_source_that_is_no_utf8(self):
        file, kernel = self.folder / "found.json", self.folder / "gr\udcfc\udcdfe.cl"
        kernel.write_bytes(b"kernel void k(global int *a) { a[0] = get_global_id(0); } // gr\xfc\xdfe \xc3(\n")
        report = self.tool("check", "--json", file, cli.TOOL, "run", kernel, "--global", 64, "--local", 64, "--arg",
                           "buf:int:64", code=FOUND).err
        self.assertIn("race in 'k'", report)
        found = json.loads(file.read_text().splitlines()[0])
        self.assertIn("// gr\ufffd\ufffde \ufffd(", found["places"][0]["text"])

    def test_kinds(self):
        self.assertIn("nothing found", self.check("mirror_without_barrier", "--only", "barriers", code=0).err)
        self.assertIn("divergence in", self.check("barrier_in_branch", "--only", "barriers", code=FOUND).err)
        self.assertIn("no work-item waits", self.check("copy_that_nobody_waits_for", "--only", "barriers", code=FOUND).err)
        self.assertIn("nothing found", self.check("barrier_in_branch", "--only", "races", code=0).err)
        self.assertIn("nothing found", self.check("hand_over_relaxed_store", "--only", "barriers", code=0).err)
        self.assertIn("race in", self.check("mirror_without_barrier", "--only", "races,barriers", code=FOUND).err)

    def test_deadlocks_are_told_of(self):
        report = self.tool("check", cli.TOOL, "run", *cli.race("waits_for_nobody"), "--global",
                           256, "--local", 64, "--arg", "buf:int:256", "--arg", "buf:uint:1", "--arg", "local:int:64",
                           code=FOUND).err
        self.assertIn("kernel 'waits_for_nobody' is deadlocked", report)
        self.assertIn("deadlock in 'waits_for_nobody'", report)

    def test_a_wait_on_a_plain_variable(self):
        """Whoever comes first, in each form: the race is told of, and the launch ends."""
        read = 1 + cli.race_file("waits_on_plain_variable").read_text().splitlines().index("    while (data[0] == 0)")
        for seed in range(4):
            for environment in ({}, {"LOCKSTEP_LANES": "0"}):
                report = self.check("waits_on_plain_variable", "--seed", seed, code=FOUND, **environment).err
                self.assertRegex(report, rf"race in 'waits_on_plain_variable'[^\0]*read +\S*:{read}:")
        self.assertIn("race in 'waits_on_plain", self.check("waits_on_plain_variable", "--threads", 1, code=FOUND).err)
        for environment in ({}, {"LOCKSTEP_LANES": "0"}):
            self.assertIn("race in", self.check("waits_on_plain_variable_of_its_group", code=FOUND, **environment).err)

    def test_a_wait_on_a_plain_variable_that_nobody_writes(self):
        for environment in ({}, {"LOCKSTEP_LANES": "0"}):
            report = self.check("waits_on_plain_variable_for_nobody", code=FOUND, **environment).err
            self.assertRegex(report, r"deadlock in 'waits_on_plain_variable_for_nobody': \d+ work-groups wait")
            self.assertRegex(report, r"waits +\S*:\d+:\d+ ")
            self.assertRegex(report, r"wait at \S*:\d+:\d+ for byte 4 of the buffer of 1024 bytes that is argument 0 'data'")

    def test_bad_requests(self):
        self.assertIn("--frobnicate", self.tool("check", "--frobnicate", "true", code=2).err)
        self.assertIn("lies", self.tool("check", "--only", "lies", "true", code=2).err)
        self.assertIn("--strict is for races", self.tool("check", "--strict", "--only", "commands", "true", code=2).err)
        for option in ("--json", "--kernel"):
            self.assertIn(f"{option} is given, but empty", self.tool("check", option, "", "true", code=2).err)

    def test_settings_that_mean_nothing_are_told(self):
        arguments = ("run", *cli.race("mirror"), "--global", 64, "--local", 64, "--arg",
                     "buf:int:64", "--arg", "buf:uint:1", "--arg", "local:int:64")
        report = self.tool(*arguments, LOCKSTEP_CHECK="races,lies").err
        self.assertIn("LOCKSTEP_CHECK=races,lies: 'lies' is none of races, barriers, commands", report)
        report = self.tool(*arguments, LOCKSTEP_CHECK="races", LOCKSTEP_CHECK_NAMES="all").err
        self.assertIn("LOCKSTEP_CHECK_NAMES=all is not 'both'; ignored", report)
        self.assertNotIn("CHECK_NAMES", self.tool(*arguments, LOCKSTEP_CHECK="races", LOCKSTEP_CHECK_NAMES="both").err)

    def test_what_repeats_a_finding_is_said(self):
        report = self.check("mirror_without_barrier", "--seed", 5, code=FOUND).err
        self.assertRegex(report, r"\nagain: lockstep check --seed 5 --threads 1 \S*/lockstep run \S*barriers.cl -k mirror_without")
        self.assertNotIn("again:", self.check("mirror", code=0).err)

    def test_several_schedules(self):
        report = self.check("mirror_without_barrier", "--schedules", 3, code=FOUND).err
        self.assertEqual(report.count("check: race in"), 3)
        self.assertIn("again: lockstep check --seed 0 --threads 1", report)
        self.assertIn("nothing found", self.check("mirror", "--schedules", 2, "--seed", 4, code=0).err)

    def test_suppressions(self):
        file = self.folder / "known"
        file.write_text("# known\nrace kernel=mirror_* at=:5 argument=tmp\nasync-copy\n")
        report = self.check("mirror_without_barrier", "--suppress", file, code=0).err
        self.assertNotIn("race in", report)
        self.assertIn(f"{file}:3: this has suppressed nothing", report)
        self.assertNotIn(f"{file}:2:", report)
        file.write_text("race argument=data\n")
        self.assertIn("race in", self.check("mirror_without_barrier", "--suppress", file, code=FOUND).err)
        file.write_text("\nrace at=somewhere\n")
        self.assertIn(f"{file}:2: 'somewhere' is not FILE:LINE", self.check("mirror", "--suppress", file, code=2).err)
        self.assertIn("cannot be read", self.check("mirror", "--suppress", "/does/not/exist", code=2).err)
        self.assertIn(f"{self.folder} cannot be read", self.check("mirror", "--suppress", self.folder, code=2).err)
        self.assertIn("--suppress is given, but empty", self.check("mirror", "--suppress", "", code=2).err)

    def test_suppressions_of_a_program_that_goes_elsewhere(self):
        (self.folder / "known").write_text("race at=barriers.cl:5\nrace at=:5\n")
        command = [cli.TOOL, "run", *cli.race("mirror_without_barrier"), "--global", 64, "--local", 64, "--arg", "buf:int:64",
                   "--arg", "buf:uint:1", "--arg", "local:int:64"]
        report = self.tool("check", "--suppress", "known", "sh", "-c", f"cd / && exec {shlex.join(map(str, command))}",
                           code=0).err
        self.assertNotIn("cannot be read", report)

    def test_run_with_check(self):
        arguments = ["--global", 64, "--local", 64, "--arg", "buf:int:64", "--arg", "buf:uint:1", "--arg", "local:int:64"]
        self.assertIn("race in", self.tool("run", "--check", *cli.race("mirror_without_barrier"), *arguments, code=FOUND).err)
        self.assertIn("nothing found", self.tool("run", "--check", *cli.race("mirror"), *arguments, code=0).err)

    def test_status(self):
        self.check("mirror_without_barrier", "--exit-code", 5, code=5)
        self.check("mirror_without_barrier", "--kernel", "tree*", code=NOTHING_CHECKED)
        self.assertIn("nothing was checked", self.tool("check", "true", code=NOTHING_CHECKED).err)
        self.assertIn("cannot be run", self.tool("check", "/does/not/exist", code=2).err)
        self.assertIn("'lies' is not a kind", self.tool("check", "--only", "races,lies", "true", code=2).err)
        self.assertIn("nothing found", self.tool("run", *cli.race("mirror"), "--global", 64,
                                                 "--local", 64, "--arg", "buf:int:64", "--arg", "buf:uint:1", "--arg",
                                                 "local:int:64", LOCKSTEP_CHECK="1").err)


if __name__ == "__main__":
    cli.main()
