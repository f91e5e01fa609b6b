"""`lockstep check --only commands` and kernels that enqueue others: kernels/enqueued.cl has the pairs."""

import re

import cli
from cli import KERNELS

FILE = KERNELS / "enqueued.cl"
FOUND = 66


def kernels(verdict):
    return re.findall(rf"^kernel void (\w+)\(.*// {verdict}$", FILE.read_text(), re.M)


class CheckEnqueuedTest(cli.ToolTest):
    def check(self, kernel, code, *options, **environment):
        return self.tool("check", "--only", "commands", *options, cli.TOOL, "run", FILE, "-k", kernel, "--options", "-cl-std=CL3.0",
                         "--global", 256, "--local", 64, "--arg", "buf:int:256", code=code, **environment).err

    def test_right_kernels(self):
        self.assertGreater(len(kernels("right")), 10)
        for kernel in kernels("right"):
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, 0, **environment)
                    self.assertIn("nothing found", report)
                    self.assertNotIn("note", report)

    def test_wrong_kernels(self):
        self.assertGreater(len(kernels("wrong")), 10)
        for kernel in kernels("wrong"):
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):  # of groups, only what comes after the call is known to be unordered
                    self.assertIn("nothing orders it with", self.check(kernel, FOUND, "--threads", 1, **environment))

    def line_of(self, kernel, text):
        """Of the first one behind the begin of the kernel that has this text."""
        lines = FILE.read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith(f"kernel void {kernel}("))
        return 1 + next(i for i in range(begin, len(lines)) if text in lines[i])

    def test_a_report_has_the_lines_of_both(self):
        for kernel, *places in (("children_meet", ("write", "^{ data[get_global_id(0)] = 1; }"),
                                 ("write", "^{ data[get_global_id(0) + 63] = 2; }")),
                                ("written_after", ("write", "  data[0] = 7;"), ("read", "data[64] = data[0];"))):
            for environment in ({}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}):
                with self.subTest(kernel, **environment):
                    report = self.check(kernel, FOUND, "--threads", 1, **environment)
                    for what, text in places:
                        self.assertRegex(report, rf"\n  {what} +\S*enqueued\.cl:{self.line_of(kernel, text)}:\d+  .*"
                                                 rf"{re.escape(text.strip())}.*   kernel '\w+'\n")
                    self.assertEqual(len(re.findall(r"enqueued\.cl:\d+:\d+  ", report)), 2, report)

    def test_a_report_names_both(self):
        report = self.check("children_meet", FOUND)
        self.assertIn("commands in '__children_meet_block_invoke_2_kernel': nothing orders it with kernel "
                      "'__children_meet_block_invoke_kernel', and both use the same memory", report)
        self.assertIn("kernel '__children_meet_block_invoke_kernel', enqueued by 'children_meet', writes bytes 252 to 256 of a "
                      "buffer of 1024 bytes", report)
        self.assertIn("the event that enqueue_kernel gives for the first belongs into the wait list of the second", report)

    def test_a_report_of_a_parent(self):
        report = self.check("written_after", FOUND)
        self.assertIn("commands in '__written_after_block_invoke_kernel': nothing orders it with kernel 'written_after', which has "
                      "enqueued it, and both use the same memory", report)
        self.assertIn("kernel 'written_after' writes bytes 0 to 4 of a buffer of 1024 bytes", report)
        self.assertIn("CLK_ENQUEUE_FLAGS_NO_WAIT lets it begin at once: with CLK_ENQUEUE_FLAGS_WAIT_KERNEL it waits", report)
        self.assertIn("lets it wait for the one work-group that has enqueued it",
                      self.check("group_is_waited_for_alone", FOUND, "--threads", 1))


if __name__ == "__main__":
    cli.main()
