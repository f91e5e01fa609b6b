"""What the tests of the command line tool share. Each is run as `NAME_test.py PATH/TO/lockstep`."""

import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
RACES = KERNELS / "races"
SPIRV = KERNELS.parents[1] / "spirv" / "modules"
TOOL = None


def race(kernel):
    """What names a kernel of kernels/races/ to `lockstep run`."""
    return race_file(kernel), "-k", kernel, "--options", f"-cl-std=CL3.0 -I {RACES}"


@functools.cache
def race_file(kernel):
    return next(file for file in RACES.glob("*.cl") if f"\nkernel void {kernel}(" in file.read_text())


class ToolTest(unittest.TestCase):
    """A test with an empty folder, an empty disk cache and no variable of the user's."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP_", "OCL_ICD"))}
        self.environment["LOCKSTEP_CACHE_DIR"] = str(self.folder / "cache")
        self.environment["LOCKSTEP_CUDA_LIBRARY"] = "libcuda_of_no_machine.so.1"  # no card of this machine
        self.identity = {}  # whom the tool runs as, if not as ourselves

    def tool_status(self, *arguments, **environment):
        """Runs the tool; returns what it printed, with .out, .err and .returncode. ctest limits the time of a test."""
        done = subprocess.run([TOOL, *map(str, arguments)], env={**self.environment, **environment}, cwd=self.folder,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=600, **self.identity)
        done.out, done.err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        return done

    def assemble(self, module):
        """Makes NAME.spv in the folder of the test from tests/spirv/modules/NAME.spvasm."""
        subprocess.run(["spirv-as", "--target-env", "spv1.2", SPIRV / f"{module}.spvasm", "-o",
                        self.folder / f"{module}.spv"], check=True)

    def tool(self, *arguments, code=0, **environment):
        """The same, and checks its exit code."""
        done = self.tool_status(*arguments, **environment)
        self.assertEqual(done.returncode, code, f"{arguments}\nstdout: {done.out}\nstderr: {done.err}")
        return done


def main():
    global TOOL
    TOOL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    # The tests import this file under its own name; they must see the same TOOL as __main__ does.
    unittest.main(module="__main__", verbosity=1)
