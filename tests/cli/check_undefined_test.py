"""`lockstep check --only undefined` tells undefined values that decide something: kernels/undefined.cl, and
programs/undefined_buffers.cpp."""

import json
import pathlib
import sys

import cli
from cli import KERNELS

FILE = KERNELS / "undefined.cl"
RIGHT = """branch table through_function in_vain padding bits of_builtins local_right local_sum copied counted fresh_written
fresh_copied voted summed told_to_all told_in_vain told_to_sub_group shuffled shuffled_in_vain loaded exchanged swapped
multiplied waited_for counted_arrivals""".split()
WAY, PLACE = "decides a branch", "decides what is accessed"
STORED, GIVEN = "what was computed from a value that was never written is stored", "is given to a collective"
WRONG = {
    "branch_wrong": WAY,
    "loop_wrong": WAY,
    "choice_wrong": WAY,
    "index_wrong": PLACE,
    "table_wrong": STORED,
    "round_wrong": STORED,
    "through_function_wrong": STORED,
    "bits_wrong": WAY,
    "of_builtins_wrong": STORED,
    "local_wrong": STORED,
    "local_sum_wrong": STORED,
    "first_group_wrong": WAY,
    "copied_wrong": STORED,
    "counted_wrong": STORED,
    "fresh_wrong": STORED,
    "fresh_counted_wrong": STORED,
    "fresh_vectors_wrong": WAY,
    "voted_wrong": GIVEN,
    "summed_wrong": GIVEN,
    "told_to_all_wrong": WAY,
    "told_to_all_computed_wrong": STORED,
    "told_who_wrong": GIVEN,
    "told_to_sub_group_wrong": WAY,
    "shuffled_wrong": STORED,
    "shuffled_computed_wrong": STORED,
    "shuffled_from_wrong": WAY,
    "loaded_wrong": WAY,
    "loaded_volatile_wrong": WAY,
    "exchanged_wrong": STORED,
    "swapped_wrong": WAY,
    "swapped_in_local_wrong": WAY,
    "multiplied_fresh_wrong": STORED,
    "multiplied_by_fresh_wrong": STORED,
    "added_weakly_wrong": STORED,
    "never_expected_wrong": f"({WAY}|{STORED})",
    "lock_never_made_wrong": WAY,
}
RIGHT_PROGRAMS = """given written filled mapped by_kernel copied half part rows copied_in_vain copied_as_rows svm_filled svm_mapped
                    copied_over_by_commands through_pipe through_pipe_in_vain read_twice read_where_written read_when_written""".split()
RIGHT_IMAGES = "given filled written mapped drawn copied beside copied_in_vain".split()
WRONG_IMAGES = "never_drawn never_drawn_filtered half_drawn copied_by_kernel copied_by_command".split()
RIGHT_SHARED = """written written_and_branch written_with_zeros written_anywhere written_bytes written_vectors written_tiles
                  written_tiles_apart written_meanwhile written_later written_half filled by_kernel copied copied_by_kernel
                  copied_in_vain counted buffer_of_it""".split()
WRONG_SHARED = {
    "never_written": STORED,
    "branch_never_written": WAY,
    "other_half": STORED,
    "each_other": STORED,
    "all_but_two": STORED,
    "bytes_never_written": STORED,
    "vectors_each_other": STORED,
    "tiles_never_written": STORED,
    "tiles_apart_other": STORED,
    "half_meanwhile": STORED,
    "half_copied": STORED,
    "counted_never_written": STORED,
    "one_of_few": STORED,
    "buffer_never_written": STORED,
}
WRONG_PROGRAMS = """never_written half_only rows_with_gaps mapped_for_reading other_part copied_by_kernel copied_by_command
                    copied_by_command_over_data copied_by_kernel_over_data copied_as_rows_with_gaps svm_never_written
                    svm_half_copied through_pipe_half""".split()
# Of what is only read, other code is run where all of it is defined when the launch begins.
WRONG_READS = """never_written before_written half_written when_copied_over_by_command when_copied_over_by_kernel
                 while_copied_over""".split()
FOUND = 66
PROGRAM = SHARED = None
SETTINGS = ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"})


class CheckUndefinedTest(cli.ToolTest):
    def check(self, kernel, *options, code, only="undefined", groups=2, local=64, prints=(), **environment):
        count = groups * local
        return self.tool("check", "--only", only, *options, cli.TOOL, "run", FILE, "-k", kernel, "--options", "-cl-std=CL2.0",
                         "--global", count, "--local", local, "--arg", f"buf:int:{count}", "--arg", "buf:int:16",
                         "--arg", "buf:int:64=none", "--arg", f"local:int:{local}", *prints, code=code, **environment)

    def test_right_kernels(self):
        for kernel in RIGHT:
            for environment in SETTINGS:
                if kernel == "shuffled" and environment.get("LOCKSTEP_LANES"):
                    continue  # who is alone finds no other one
                with self.subTest(kernel, **environment):
                    self.assertIn("nothing found", self.check(kernel, code=0, **environment).err)

    def test_wrong_kernels(self):
        for kernel, what in WRONG.items():
            for environment in SETTINGS:
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, code=FOUND, **environment).err
                    self.assertRegex(report, f"undefined in '{kernel}': .*{what}")
                    # A broadcast from nobody knows whom is looked for at nobody knows what address.
                    self.assertEqual(report.count("check: undefined in"), 2 if kernel == "told_who_wrong" else 1)

    def test_a_report_names_place_and_variable(self):
        report = self.check("loop_wrong", "--threads", 1, code=FOUND).err
        self.assertRegex(report, r"branch +\S*:\d+:\d+  for \(int i = 0; i < end; \+\+i\)   work-item 5 \(group 0, local 5\)")
        self.assertIn("it comes from 'i', 'end'", report)
        report = self.check("fresh_wrong", code=FOUND).err
        self.assertIn("to argument 0 'data'", report)
        self.assertIn("it comes from 'fresh'", report)

    def test_a_report_has_all_ids_of_the_work_item(self):
        file = self.folder / "found.json"
        self.check("loop_wrong", "--threads", 1, "--json", file, code=FOUND)
        first = json.loads(file.read_text().splitlines()[0])["places"][0]
        self.assertEqual([first[each] for each in ("group", "local", "global")], [[0, 0, 0], [5, 0, 0], [5, 0, 0]])

    def test_the_results_stay(self):
        for environment in SETTINGS:
            with self.subTest(**environment):
                done = self.check("local_sum", code=0, prints=("--print", "0:2"), **environment)
                self.assertRegex(done.out, r"\b64\b.*\b64\b")

    def test_arrays_of_a_work_item_come_into_registers(self):
        """Loops over them are unrolled as they are without the check, so that lanes are chosen alike."""
        file = self.folder / "rows.cl"
        file.write_text("""
kernel void rows(uint n, global const float *a, global const float *b, global float *c) {
  const uint column = get_global_id(0) * 16, row = get_global_id(1) * 4;
  float16 sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (uint k = 0; k < n; ++k)
    for (uint i = 0; i < 4; ++i)
      sum[i] += a[(row + i) * n + k] * vload16(0, b + k * n + column);
  for (uint i = 0; i < 4; ++i)
    vstore16(sum[i], 0, c + (row + i) * n + column);
}""")
        for kinds in "0", "undefined":
            done = self.tool("compile", file, "--local-size", "8,4", "--remarks", "-o", "/dev/null", LOCKSTEP_CPU="x86-64-v3", LOCKSTEP_CHECK=kinds)
            self.assertIn("one lane: most of the work is in vectors of the kernel's own", done.err)

    def test_with_other_kinds(self):
        everything = "races,commands,memory,undefined"
        for kernel in RIGHT:
            with self.subTest(kernel):
                # Work-items of both groups write the same words there, or count in them.
                if kernel not in ("padding", "fresh_written", "told_in_vain", "shuffled_in_vain", "exchanged"):
                    self.assertIn("nothing found", self.check(kernel, code=0, only=everything).err)
        for kernel in ("branch_wrong", "local_wrong", "table_wrong", "copied_wrong"):
            with self.subTest(kernel):
                self.assertIn(f"undefined in '{kernel}'", self.check(kernel, code=FOUND, only=everything).err)

    def test_groups_at_an_edge(self):
        self.assertIn("nothing found", self.check("local_right", code=0, groups=3, local=10).err)
        self.assertIn("undefined in", self.check("first_group_wrong", code=FOUND, groups=3, local=10).err)

    def test_other_kernels_are_followed_but_not_told(self):
        self.assertIn("nothing was checked", self.check("local_sum_wrong", "--kernel", "other", code=3,
                                                        prints=("--print", "0:2")).err)

    def run_program(self, case, code, program=None, **environment):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        return self.tool("check", "--only", "undefined", program or PROGRAM, case, code=code, OCL_ICD_VENDORS=str(vendors),
                         **environment).err

    def test_programs(self):
        for case in RIGHT_PROGRAMS:
            with self.subTest(case):
                self.assertIn("nothing found", self.run_program(case, 0))
        for case in RIGHT_IMAGES:
            with self.subTest(case):
                self.assertIn("nothing found", self.run_program(f"image_{case}", 0))
        for case in WRONG_IMAGES:
            with self.subTest(case):
                self.assertRegex(self.run_program(f"image_{case}", FOUND), "undefined in '(look|filter)': what was computed")
        for case in WRONG_PROGRAMS:
            with self.subTest(case):
                self.assertIn("undefined in 'add_one': what was computed", self.run_program(case, FOUND))
        for case in WRONG_READS:
            with self.subTest(case):
                self.assertRegex(self.run_program(f"read_{case}", FOUND), "undefined in 'one_more(_again)?': what was computed")

    def test_memory_that_the_program_writes_at_any_time(self):
        for environment in SETTINGS:
            for case in RIGHT_SHARED:
                with self.subTest(case, **environment):
                    self.assertIn("nothing found", self.run_program(case, 0, SHARED, **environment))
            for case, what in WRONG_SHARED.items():
                with self.subTest(case, **environment):
                    self.assertRegex(self.run_program(case, FOUND, SHARED, **environment), f"undefined in '[a-z_]+': .*{what}")


if __name__ == "__main__":
    SHARED = str(pathlib.Path(sys.argv.pop(3)).resolve())
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
