"""`lockstep check --only memory` tells accesses that are out of bounds, and makes none of them: kernels/bounds.cl."""

import json
import pathlib
import signal
import subprocess
import sys

import cli
from cli import KERNELS

FILE = KERNELS / "bounds.cl"
RIGHT = """neighbor gathered loop atomic vectors local_right local_variable private_right table_right copied
           ping_pong ping_pong_with_argument one_of_two_arguments one_of_two_tables private_or_local""".split()
# Kernel, what is told, and at which work-item with one thread.
WRONG = {
    "neighbor_beyond": "write of 4 bytes beyond argument 0 'data'",
    "before": "read of 4 bytes before argument 1 'few'",
    "gathered_beyond": "read of 4 bytes beyond argument 1 'few'",
    "loop_beyond": "read of 4 bytes beyond argument 1 'few'",
    "atomic_beyond": "atomic update of 4 bytes beyond argument 1 'few'",
    "vectors_beyond": "write of [0-9]+ bytes beyond argument 0 'data'",
    "swap_beyond": "atomic update of 4 bytes beyond argument 1 'few'",
    "product_beyond": "(read|atomic update) of 4 bytes beyond argument 1 'few'",
    "pointer_that_moves_beyond": "read of 4 bytes beyond argument 1 'few'",
    "local_beyond": "write of 4 bytes beyond argument 2 'tmp'",
    "local_variable_beyond": "write of 4 bytes beyond variable 'own'",
    "private_beyond": "read of 4 bytes beyond variable 'own'",
    "private_loop_beyond": "write of 4 bytes beyond variable 'own'",
    "table_beyond": "read of 4 bytes beyond variable 'table'",
    "ping_pong_beyond": "write of 4 bytes beyond variable 'b'",
    "ping_pong_with_argument_beyond": "write of 4 bytes beyond argument 2 'tmp'",
    "one_of_two_arguments_beyond": "read of 4 bytes beyond argument 1 'few'",
    "one_of_two_tables_beyond": "write of 4 bytes beyond variable 'other'",
    "private_or_local_beyond": "read of 4 bytes beyond variable 'own'",
    "copied_beyond": "copy from what is beyond argument 1 'few'",
}
FAR = {
    "far_before": "read of 4 bytes before argument 1 'few'",
    "far_beyond": "write of 4 bytes beyond argument 1 'few'",
    "far_beyond_atomically": "atomic update of 4 bytes beyond argument 1 'few'",
    "far_beyond_local": "read of 4 bytes beyond argument 2 'tmp'",
    "far_copied": "copy from what is beyond argument 1 'few'",
}
RIGHT_PROGRAMS = """whole part users_memory middle_of_svm by_list released_before_it_runs freed_by_command
migrated_before_freed_by_command memory_of_the_host""".split()
WRONG_PROGRAMS = {
    "beyond_whole": "out of bounds in 'number_next': write of 4 bytes beyond argument 0 'a'",
    "beyond_part": "out of bounds in 'number_next': write of 4 bytes beyond argument 0 'a'",
    "beyond_svm": "out of bounds in 'number_next': write of 4 bytes beyond argument 0 'a'",
    "freed_before": "use after release in 'number': write of 4 bytes in memory that was released",
    "freed_before_by_list": "use after release in 'number_by_list': write of 4 bytes in memory that was released",
    "freed_before_it_runs": "use after release in 'number': 4096 bytes are freed that it uses, and it has not ended",
    "freed_before_it_is_filled": "use after release in 'fill': 4096 bytes are freed that it uses, and it has not ended",
    "freed_before_it_fails": "use after release in 'number': 4096 bytes are freed that it uses, and it has not ended",
    "freed_by_command_before_it_is_read": "use after release in 'read': 4096 bytes are freed that it uses, and it has not ended",
    "null_in_list": "out of bounds in 'number_by_list': write of 4 bytes through a null pointer",
    "aborts": "write of 4 bytes beyond argument 0 'a'",
    "crashes": "write of 4 bytes beyond argument 0 'a'",
    "is_killed": "write of 4 bytes beyond argument 0 'a'",
    "waits_for_input": "write of 4 bytes beyond argument 0 'a'",
    "exits_at_once": "write of 4 bytes beyond argument 0 'a'",
    "in_child": "write of 4 bytes beyond argument 0 'a'",
}
FOUND = 66
PROGRAM = None


def vendors():
    return {"OCL_ICD_VENDORS": str(pathlib.Path(cli.TOOL).parent.parent / "vendors")}


class CheckMemoryTest(cli.ToolTest):
    def check(self, kernel, *options, code, only="memory", groups=2, local=64, prints=(), **environment):
        return self.tool("check", "--only", only, *options, cli.TOOL, "run", FILE, "-k", kernel, "--options",
                         "-cl-std=CL3.0" if "private_or_local" in kernel else "-cl-std=CL1.2",
                         "--global", groups * local, "--local", local, "--arg", f"buf:int:{groups * local}", "--arg",
                         "buf:int:16", "--arg", f"local:int:{local}", *prints, code=code, **environment)

    def test_right_kernels(self):
        for kernel in RIGHT:
            for environment in ({}, {"LOCKSTEP_LANES": "0"}):
                with self.subTest(kernel, **environment):
                    self.assertIn("nothing found", self.check(kernel, code=0, **environment).err)

    def test_wrong_kernels(self):
        for kernel, what in WRONG.items():
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, code=FOUND, **environment).err
                    self.assertRegex(report, f"out of bounds in '{kernel}': {what}")

    def test_what_is_not_made_is_not_looked_up_elsewhere(self):
        """Nothing lies there, and so there is nothing that other kinds know of it."""
        for kernel, what in FAR.items():
            for only in "memory", "memory,undefined", "races,barriers,commands,memory,undefined":
                for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                    with self.subTest(kernel, only=only, **environment):
                        result = self.check(kernel, code=FOUND, only=only, prints=("--print", "0:128"), **environment)
                        self.assertRegex(result.err, f"out of bounds in '{kernel}': {what}")
                        self.assertNotIn("undefined in", result.err)
                        self.assertEqual(result.out.split()[1:], ["7"] * 128)

    def test_a_report_names_place_and_element(self):
        report = self.check("neighbor_beyond", "--threads", 1, code=FOUND).err
        self.assertRegex(report, r"write +\S*:12:\d+  kernel void neighbor_beyond.*   "
                                 r"work-item 127 \(group 1, local 63\)")
        self.assertIn("argument 0 'data' has 512 bytes, 128 elements of 4 bytes; this is element 128 (byte 512, 0 bytes beyond)",
                      report)
        self.assertEqual(report.count("check: out of bounds in"), 1)
        self.assertRegex(report, r"\nagain: lockstep check --only memory --threads 1 ")

    def test_what_is_beyond_is_not_done_and_the_rest_is(self):
        """The store beyond would hit what lies behind the buffer; the others arrive, lane by lane."""
        result = self.check("gathered_beyond", code=FOUND, prints=("--print", "0:128"))
        self.assertEqual(result.out.split()[1:], ["7"] * 128)
        result = self.check("neighbor_beyond", code=FOUND, prints=("--print", "0:128"))
        self.assertEqual(result.out.split()[1:], ["0"] + ["1"] * 127)

    def test_a_copy_of_the_worker_is_as_large_as_what_it_is_of(self):
        """Of what a kernel only updates, if it has work-items enough."""
        result = self.check("atomic_beyond", "--threads", 1, code=FOUND, groups=32, prints=("--print", "1:16"))
        self.assertIn("argument 1 'few' has 64 bytes, 16 elements of 4 bytes; this is element 16 (byte 64, 0 bytes beyond)",
                      result.err)
        self.assertEqual(result.out.split()[1:], ["1"] * 16)
        result = self.check("atomic", code=0, groups=32, prints=("--print", "1:16"))
        self.assertEqual(result.out.split()[1:], ["128"] * 16)

    def test_together_with_races(self):
        self.assertIn("out of bounds in", self.check("local_beyond", code=FOUND, only="races,memory").err)
        for kernel in RIGHT:
            if kernel not in ("neighbor", "copied"):
                with self.subTest(kernel):
                    self.check(kernel, code=0, only="races,memory")

    def test_without_it_nothing_is_told(self):
        self.assertNotIn("out of bounds", self.check("gathered", code=0, only="races").err)

    def test_suppression_and_json(self):
        known = self.folder / "known"
        known.write_text("out-of-bounds kernel=neigh* at=:12 argument=data\n")
        self.assertIn("nothing found", self.check("neighbor_beyond", "--suppress", known, code=0).err)
        file = self.folder / "found.json"
        self.check("neighbor_beyond", "--json", file, code=FOUND)
        found = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual([(each["kind"], each["kernel"], each["places"][0]["line"]) for each in found],
                         [("out of bounds", "neighbor_beyond", 12)])
        self.assertEqual([found[0]["places"][0][each] for each in ("group", "local", "global")],
                         [[1, 0, 0], [63, 0, 0], [127, 0, 0]])

    def findings_in(self, file):
        return [(each["kind"], each["kernel"]) for each in map(json.loads, file.read_text().splitlines()) if "kind" in each]

    def test_json_is_written_at_once(self):
        """Also if the program ends badly, goes elsewhere, or still runs when lockstep check itself is killed; of each run."""
        one = [("out of bounds", "number_next")]
        for case in ("aborts", "crashes", "is_killed", "exits_at_once", "in_child"):
            with self.subTest(case):
                file = self.folder / f"{case}.json"
                self.tool("check", "--only", "memory", "--json", file, PROGRAM, case, code=FOUND, **vendors())
                self.assertEqual(self.findings_in(file), one)
        self.tool("check", "--only", "memory", "--schedules", 3, "--json", "here.json", "sh", "-c",
                  f"cd / && {PROGRAM} is_killed & {PROGRAM} aborts; wait", code=FOUND, **vendors())
        here = self.folder / "here.json"
        self.assertEqual(self.findings_in(here), 6 * one)
        found = [json.loads(line) for line in here.read_text().splitlines()]
        self.assertEqual(len({each["id"] for each in found}), 6)
        for seed in range(3):
            again = f"lockstep check --only memory --seed {seed} --threads 1 sh -c "
            self.assertEqual(sum(each["again"].startswith(again) for each in found), 2)

    def test_ends_of_the_tool(self):
        for end in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            with self.subTest(end):
                file = self.folder / f"{end}.json"
                run = subprocess.Popen([cli.TOOL, "check", "--only", "memory", "--json", file, PROGRAM, "waits_for_input"],
                                       env={**self.environment, **vendors(), "TMPDIR": str(self.folder)}, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertEqual(run.stdout.readline(), "found\n")
                self.assertEqual(self.findings_in(file), [("out of bounds", "number_next")])
                run.send_signal(end)  # SIGTERM goes on to the program, SIGINT is ignored: a terminal sends it to both
                said = run.communicate(timeout=60)[1]
                if end == signal.SIGKILL:
                    self.assertEqual(run.returncode, -end)
                else:
                    self.assertEqual(run.returncode, FOUND)
                    self.assertIn("lockstep check: 1 finding\n", said)
                    self.assertFalse(list(self.folder.glob("lockstep-check-*")))

    def test_bad_requests(self):
        """Each is a sentence and status 2, and the program is not run."""
        mark = self.folder / "ran"
        for options, sentence in ((["--nonsense"], "'--nonsense' is not an option"),
                                  (["--only", "memory", "--treads=1"], "'--treads=1' is not an option"),
                                  (["--only", "memory,lies"], "'lies' is not a kind of finding"),
                                  (["--json", "/does/not/exist/found.json"], "/does/not/exist/found.json cannot be written"),
                                  (["--threads", 0], "not in range 1 to 4096"),
                                  (["--exit-code", 300], "not in range 1 to 255"),
                                  (["--schedules", "many"], "--schedules")):
            with self.subTest(options):
                self.assertIn(sentence, self.tool("check", *options, "touch", mark, code=2).err)
                self.assertFalse(mark.exists())
        self.assertIn("'/' cannot be run", self.tool("check", "/", code=2).err)
        self.assertIn("app is required", self.tool("check", "--only", "memory", code=2).err)
        self.assertIn("nothing was checked", self.tool("check", "--", "touch", mark, code=3).err)
        self.assertTrue(mark.exists())

    def check_program(self, case, code):
        return self.tool("check", "--only", "memory", PROGRAM, case, code=code, **vendors()).err

    def test_right_programs(self):
        for case in RIGHT_PROGRAMS:
            with self.subTest(case):
                self.assertIn("nothing found", self.check_program(case, 0))

    def test_wrong_programs(self):
        for case, what in WRONG_PROGRAMS.items():
            with self.subTest(case):
                self.assertIn(what, self.check_program(case, FOUND))

    def test_places_of_programs_without_a_name_are_told_apart(self):
        report = self.tool("check", "--only", "memory", PROGRAM, "two_programs", code=FOUND, **vendors()).err
        self.assertEqual(report.count("check: out of bounds in 'one'"), 1) # it is built twice
        self.assertEqual(report.count("check: out of bounds in 'two'"), 1)

    def test_each_place_is_told_once(self):
        self.assertEqual(self.check_program("many", FOUND).count("check: out of bounds in"), 4)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
