"""`lockstep check` and programs of which only the binary is there: programs/from_binary.cpp."""

import pathlib
import sys

import cli

FOUND = 66
PROGRAM = None


class CheckBinaryTest(cli.ToolTest):
    def check(self, kernel, code, *more):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        source, *_, options = cli.race(kernel)
        binary = self.folder / f"{source.stem}.bin"
        if not binary.exists():
            self.tool("compile", source, "--options", options, "--emit", "binary", "-o", binary)
        return self.tool("check", PROGRAM, binary, kernel, *more, code=code, OCL_ICD_VENDORS=str(vendors)).err

    def test_elements_and_work_items_stand(self):
        self.assertIn("nothing found", self.check("mirror", 0))
        report = self.check("mirror_with_wrong_flag", FOUND)
        self.assertRegex(report, r"\n  write +<source>:9:\d+   group \d, item \d+ \(global \d+\)\n")
        self.assertRegex(report, r"\n  read +<source>:11:\d+   group \d, item \d+ \(global \d+\)\n")
        self.assertRegex(report, r"argument 2 'tmp', element \d+ \(int, byte")
        self.assertIn("a barrier stands between, but without CLK_LOCAL_MEM_FENCE: barrier(CLK_GLOBAL_MEM_FENCE) at line 10",
                      report)

    def test_between_groups(self):
        report = self.check("hand_over_relaxed_store", FOUND)
        self.assertRegex(report, r"argument 0 'data', element \d+ \(int, byte")
        self.assertRegex(report, r"the write at line \d+ is relaxed: memory_order_release would do")

    def test_the_environment_counts_as_it_was(self):
        self.assertIn("nothing found", self.check("mirror", 0, "clearenv"))
        self.assertIn("race in", self.check("mirror_with_wrong_flag", FOUND, "clearenv"))

    def test_constant_memory_that_is_written(self):
        """One buffer, as an argument in constant memory and as another one that is written."""
        for kernel in ("mirror_of_constant_memory", "half_of_constant_memory", "sum_of_constant_memory"):
            self.assertIn("nothing found", self.check(kernel, 0))
        report = self.check("mirror_of_constant_memory", FOUND, "one-buffer")
        self.assertIn("race in 'mirror_of_constant_memory'", report)
        self.assertRegex(report, r"argument [01] '(data|table)', element \d+ \(int, byte")
        for kernel in ("half_of_constant_memory", "sum_of_constant_memory"):
            self.assertIn("nothing found", self.check(kernel, 0, "one-buffer"))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
