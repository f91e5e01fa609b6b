"""A program that is built with -fsanitize=thread finds its own races with commands, and no others: programs/host_races.cpp."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

RIGHT = """waits_for_event finishes callback_before_wait user_event two_threads handed_over_by_a_flag other_half_than_the_kernel
           beside_the_rows shared_memory_waited_for mapped_and_unmapped""".split()
WRONG = """writes_beside_kernel uses_what_is_read_too_early waits_for_the_wrong_event slept_instead_of_waiting polled_instead_of_waiting own_half_of_the_kernel
           in_the_rows shared_memory_read_too_early handed_over_relaxed written_after_unmap""".split()
FOUND = 66  # the sanitizer's
PROGRAM = VENDORS = None


class HostRacesTest(unittest.TestCase):
    def run_case(self, case):
        with tempfile.NamedTemporaryFile("w") as suppressions:
            suppressions.write("called_from_lib:liblockstep.so\nmutex:lockstep\nmutex:libLLVM\nmutex:libclang\n")
            suppressions.flush()
            # What a kernel touches is known to the byte only under the check.
            environment = dict(os.environ, OCL_ICD_VENDORS=VENDORS, LOCKSTEP_CHECK="races",
                               TSAN_OPTIONS=f"exitcode={FOUND} suppressions={suppressions.name}")
            return subprocess.run([PROGRAM, case], env=environment, capture_output=True, text=True, timeout=120)

    def test_right_programs(self):
        for case in RIGHT:
            with self.subTest(case):
                done = self.run_case(case)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_programs(self):
        for case in WRONG:
            with self.subTest(case):
                done = self.run_case(case)
                self.assertEqual(done.returncode, FOUND, done.stderr)
                self.assertIn("WARNING: ThreadSanitizer: data race", done.stderr)


if __name__ == "__main__":
    VENDORS = sys.argv.pop(2)
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
