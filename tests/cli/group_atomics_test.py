"""What only one work-group can see takes no locked instruction, whatever the form; what others see takes them."""

import re

import cli
from cli import KERNELS

LOCKED = r"\block\b|\bxchg\w?\s[^\n]*\(|\bmfence\b"


class GroupAtomicsTest(cli.ToolTest):
    def locked_instructions(self, kernel, **environment):
        done = self.tool("compile", KERNELS / "group_atomics.cl", "-k", kernel, "--local-size", 64, "--options",
                         "-cl-std=CL3.0", LOCKSTEP_CPU="skylake-avx512", **environment)
        self.assertIn("ret", done.out)
        return re.findall(LOCKED, done.out)

    def test_of_a_group(self):
        for form in ("looped", "resumable"):
            for kernel in ("in_local_memory", "of_the_group", "of_the_sub_group"):
                self.assertEqual(self.locked_instructions(kernel, LOCKSTEP_FORM=form), [], (kernel, form))

    def test_of_a_device(self):
        for kernel in ("of_the_device", "of_all_devices"):
            self.assertGreaterEqual(len(self.locked_instructions(kernel)), 7, kernel)

    def test_locks(self):
        self.assertEqual(self.locked_instructions("lock_in_local_memory"), [])
        self.assertEqual(self.locked_instructions("lock_of_the_group"), [])
        self.assertNotEqual(self.locked_instructions("lock_of_the_device"), [])


cli.main()
