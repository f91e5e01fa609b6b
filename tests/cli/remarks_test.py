"""Remarks say what the assembly shows: each claim is looked up there. One processor, so that the claims are known."""

import re

import cli
from cli import KERNELS

FILE = KERNELS / "remarks.cl"
WITH_GATHER = "skylake-avx512"  # sub-groups of 16 work-items, gathers
WITHOUT_GATHER = "nehalem"      # sub-groups of 4 work-items


class RemarksTest(cli.ToolTest):
    def compile(self, kernel, cpu=WITH_GATHER, **environment):
        """The remarks and the assembly."""
        done = self.tool("compile", FILE, "-k", kernel, "--local-size", 64, "--remarks", "--emit", "asm",
                         LOCKSTEP_CPU=cpu, **environment)
        return done.err, done.out

    def test_the_first_line_is_about_the_kernel(self):
        for cpu, size in ((WITH_GATHER, 16), (WITHOUT_GATHER, 4)):
            first = self.compile("straight", cpu)[0].splitlines()[0]
            self.assertIn(f"remark: kernel straight: sub-groups of {size} work-items, looped form", first)
            self.assertIn("the local size 64x1x1", first)
        self.assertIn("sub-groups of 1 work-item,", self.compile("straight", LOCKSTEP_LANES="0")[0])

    def test_nothing_to_complain_about(self):
        remarks, assembly = self.compile("straight")
        self.assertNotIn("remarks.cl:", remarks)
        self.assertNotIn("spill", remarks)
        self.assertRegex(assembly, r"vaddps.*zmm|vaddps.*\(%r")

    def test_gather(self):
        remarks, assembly = self.compile("look_up")
        self.assertIn(f"{FILE}:10:12: lanes: gather", remarks)
        self.assertRegex(assembly, "vpgather[dq]d")  # by 32-bit or 64-bit places
        remarks, assembly = self.compile("look_up", WITHOUT_GATHER)
        self.assertIn(f"{FILE}:10:12: lanes: one lane after the other: load", remarks)
        self.assertNotIn("gather", assembly)

    def test_own_vectors_whose_elements_are_used(self):
        for kernel in ("rows_by_dot", "rows_by_element"):
            remarks, assembly = self.compile(kernel)
            self.assertIn("lanes: one lane: most of the work is in vectors of the kernel's own", remarks)
            self.assertNotIn("gather", remarks + assembly)
        self.assertRegex(self.compile("rows_by_dot")[1], r"vmulps\s+-?[\w()%,]*\(%r.*%xmm")

    def test_divergent_loop(self):
        remarks, assembly = self.compile("collatz")
        self.assertIn(f"{FILE}:3:3: lanes: divergent loop", remarks)

    def test_what_lanes_add_together(self):
        remarks, assembly = self.compile("count")
        self.assertIn(f"{FILE}:14:27: lanes: atomic addition: the lanes' values are added to each other first", remarks)
        self.assertRegex(assembly, r"lock\s+(x?add|inc)")

    def test_who_reserves_in_a_pipe_waits_for_nobody(self):
        for kernel in ("put", "take"):
            done = self.tool("compile", KERNELS / "reservations.cl", "-k", kernel, "--options", "-cl-std=CL3.0", "--local-size", 64,
                             "--remarks")
            self.assertIn("looped form", done.out)
            self.assertNotIn("waits:", done.out)

    def test_spills_and_stack_are_those_of_the_code(self):
        remarks, assembly = self.compile("crowded")
        spills, reloads = map(int, re.search(r"code: (\d+) register spills, (\d+) reloads in all", remarks).groups())
        accesses = len(re.findall(r"\(%r[sb]p", assembly))
        self.assertGreater(spills, 0)
        self.assertGreater(accesses, spills)  # what is spilled is on the stack
        frame = int(re.search(r"code: (\d+) bytes of stack", remarks).group(1))  # without what aligns it
        self.assertGreaterEqual(frame + 64, int(re.search(r"subq\s+\$(\d+), %rsp", assembly).group(1)))
        instructions = int(re.search(r"code: (\d+) instructions", remarks).group(1))
        written = len(re.findall(r"^\t[a-z]", assembly, re.MULTILINE))
        self.assertLess(abs(instructions - written), 0.1 * written + 5)

    def test_alone_they_are_all_that_is_printed(self):
        remarks, assembly = self.compile("look_up")
        self.assertIn("ret", assembly)
        alone = self.tool("compile", FILE, "-k", "look_up", "--local-size", 64, "--remarks", LOCKSTEP_CPU=WITH_GATHER)
        self.assertEqual((alone.out, alone.err), (remarks, ""))
        both = self.tool("compile", FILE, "-k", "look_up", "--local-size", 64, "--remarks", "--times",
                         LOCKSTEP_CPU=WITH_GATHER)
        self.assertTrue(both.out.startswith(remarks))
        self.assertRegex(both.out, r"all stages +[0-9.]+ ms\n$")
        for further in (("--stage", "lanes"), ("--emit", "ir"), ("-o", "-")):
            done = self.tool("compile", FILE, "-k", "look_up", "--local-size", 64, "--remarks", *further,
                             LOCKSTEP_CPU=WITH_GATHER)
            self.assertEqual(done.err, remarks)
            self.assertIn("ret", done.out)
            self.assertNotIn("remark", done.out)

    def run_it(self, **environment):
        return self.tool("run", KERNELS / "add.cl", "--global", 4, "--arg", "buf:float:4=iota", "--arg",
                         "buf:float:4=2", "--arg", "buf:float:4", "--compare", "2=iota:2", **environment).err

    def test_of_a_program_that_runs(self):
        self.assertNotIn("remark", self.run_it())
        for _ in range(2):  # compiled, and from the disk cache
            self.assertIn("lockstep: remark: kernel add: sub-groups of", self.run_it(LOCKSTEP_REMARKS="1"))
        place = self.folder / "remarks.txt"
        self.assertNotIn("remark", self.run_it(LOCKSTEP_REMARKS=str(place)))
        once = place.read_text()
        self.assertIn("kernel add", once)
        self.run_it(LOCKSTEP_REMARKS=str(place))
        self.assertEqual(place.read_text(), once + once)
        self.assertIn(f"LOCKSTEP_REMARKS={self.folder}: Is a directory", self.run_it(LOCKSTEP_REMARKS=str(self.folder)))


cli.main()
