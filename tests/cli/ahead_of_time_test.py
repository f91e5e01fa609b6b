"""`lockstep compile --processors`: binaries with machine code, and a program that runs them: programs/from_binary.cpp."""

import json
import pathlib
import subprocess
import sys

import cli

PROGRAM = None


class AheadOfTimeTest(cli.ToolTest):
    def compile(self, *more, **keywords):
        (self.folder / "add.cl").write_text("kernel void add(global int *a, global int *b, local int *c) {\n"
                                            "  size_t i = get_global_id(0), l = get_local_id(0);\n"
                                            "  c[l] = i;\n"
                                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                            "  a[i] = b[i] + c[get_local_size(0) - 1 - l];\n"
                                            "}\n")
        return self.tool("compile", "add.cl", "-o", "add.bin", *more, **keywords)

    def launch(self, **environment):
        """Launches 256 work-items in groups of 64."""
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        return subprocess.run([PROGRAM, "add.bin", "add"], cwd=self.folder, capture_output=True, text=True,
                              env={**self.environment, "OCL_ICD_VENDORS": str(vendors), "LOCKSTEP_CACHE": "0", **environment})

    def test_a_launch_compiles_nothing(self):
        self.compile("--processors", "x86-64,native")
        done = self.launch(LOCKSTEP_AOT="only", LOCKSTEP_REMARKS="1", LOCKSTEP_TRACE="trace.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("that was made ahead of time", done.stderr)
        work = {event["cat"] for event in json.loads((self.folder / "trace.json").read_text()) if "cat" in event}
        self.assertIn("load", work)
        self.assertNotIn("compile", work)

    def test_without_machine_code_a_launch_compiles(self):
        self.compile("--emit", "binary")
        done = self.launch(LOCKSTEP_TRACE="trace.json", LOCKSTEP_REMARKS="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("ahead of time", done.stderr)
        work = {event["cat"] for event in json.loads((self.folder / "trace.json").read_text()) if "cat" in event}
        self.assertIn("compile", work)
        done = self.launch(LOCKSTEP_AOT="only", LOCKSTEP_DEBUG="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("kernel add: no code for the local size 64x1x1 was made ahead of time", done.stderr)

    def test_machine_code_that_does_not_fit(self):
        self.compile("--processors", "x86-64-v4")
        done = self.launch(LOCKSTEP_CPU="x86-64-v2", LOCKSTEP_REMARKS="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("x86-64-v2 does not have all instructions of the processors that it is for (x86-64-v4); it is compiled now",
                      done.stderr)
        self.compile("--processors", "native")
        done = self.launch(LOCKSTEP_AOT="0", LOCKSTEP_REMARKS="1")
        self.assertIn("LOCKSTEP_AOT is 0; it is compiled now", done.stderr)
        done = self.launch(LOCKSTEP_CHECK="races", LOCKSTEP_REMARKS="1")
        self.assertIn("does not compile with the default options", done.stderr)

    def test_a_size_without_code_of_its_own(self):
        self.compile("--processors", "native", "--local-size", "32", "--local-size", "8,8")
        done = self.launch(LOCKSTEP_AOT="only", LOCKSTEP_REMARKS="1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("for any local size; code for the local size 64x1x1 would be faster", done.stderr)

    def test_a_damaged_binary(self):
        self.compile("--processors", "native")
        binary = bytearray((self.folder / "add.bin").read_bytes())
        binary[-100] ^= 1
        (self.folder / "add.bin").write_bytes(binary)
        done = self.launch(LOCKSTEP_DEBUG="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("damaged", done.stderr)

    def test_wrong_requests(self):
        for arguments, words in (((), "'pentium-42' is not a processor"), (("--emit", "asm"), "--processors makes a binary"),
                                 (("--local-size", "0"), "--local-size 0"), (("--local-size", "1,1,1,1"), "at most three"),
                                 (("--local-size", "5000"), "1 to 4096")):
            with self.subTest(arguments):
                self.assertIn(words, self.compile("--processors", "pentium-42", *arguments, code=2).err)
        self.assertIn("several --local-size", self.tool("compile", "add.cl", "--local-size", 1, "--local-size", 2, code=2).err)
        self.assertIn("default options only", self.compile("--processors", "native", code=2, LOCKSTEP_LANES="0").err)


PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
cli.main()
