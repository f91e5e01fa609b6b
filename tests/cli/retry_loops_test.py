"""A compare-and-swap loop that goes on only because another swap succeeded does not wait: kernels/retry_loops.cl."""

import re

import cli
from cli import KERNELS

FILE = KERNELS / "retry_loops.cl"


class RetryLoopsTest(cli.ToolTest):
    def test_retries_are_looped_and_waits_are_resumable(self):
        names = re.findall(r"^kernel void (\w+)", FILE.read_text(), re.M)
        self.assertGreater(len(names), 10)
        for name in names:
            ir = self.tool("compile", FILE, "-k", name, "--options", "-cl-std=CL3.0", "--local-size", 64, "--stage", "waits").out
            waits = '"lockstep-form"="resumable' in ir
            self.assertEqual(waits, name.startswith("wait_"), name)


cli.main()
