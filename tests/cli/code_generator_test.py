"""A kernel that LLVM's code generator crashes over is compiled for narrower vectors."""

import array
import pathlib
import struct
import unittest

import cli
from cli import KERNELS

FILE = KERNELS / "product_of_bits.cl"
OPTIONS = ["--options", "-cl-std=CL3.0"]
# A processor of which LLVM is known to crash over the kernel. When it no longer does, another pair must be found.
CRASHING = {"LOCKSTEP_CPU": "knl", "LOCKSTEP_SUB_GROUP_SIZE": "8", "LOCKSTEP_CACHE": "0"}


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class CodeGeneratorTest(cli.ToolTest):
    def test_a_remark_says_so_and_lanes_are_as_many(self):
        done = self.tool("compile", FILE, *OPTIONS, "--remarks", "--emit", "asm", **CRASHING, LOCKSTEP_VERIFY="0")
        self.assertIn("sub-groups of 8 work-items", done.err)
        self.assertIn("remark: code: made for vectors of 256 bits, not 512: LLVM crashed", done.err)
        self.assertIn("%ymm", done.out)
        self.assertNotIn("%zmm", done.out)

    def test_others_have_no_such_remark(self):
        done = self.tool("compile", FILE, *OPTIONS, "--remarks", **{**CRASHING, "LOCKSTEP_CPU": "skylake-avx512"})
        self.assertNotIn("made for vectors", done.out)

    def test_who_verifies_sees_the_crash(self):
        done = self.tool("compile", FILE, *OPTIONS, **CRASHING, LOCKSTEP_VERIFY="1", code=1)
        self.assertIn("LLVM crashed while compiling the kernel product_of_bits (Cannot select", done.err)

    @unittest.skipUnless(" avx2 " in pathlib.Path("/proc/cpuinfo").read_text(), "what is run needs AVX2")
    def test_the_result_is_right(self):
        self.tool("run", FILE, *OPTIONS, "--global", 64, "--local", 32, "--arg", "buf:float:64=iota",
                  "--arg", "buf:uint:64", "--arg", "uint=200", "--save", "1=out.bin", **CRASHING, LOCKSTEP_VERIFY="0")
        saved = array.array("I")
        saved.frombytes((self.folder / "out.bin").read_bytes())
        firsts = [i - i % 8 for i in range(64)]
        self.assertEqual(saved.tolist(), [min(bits_of(first + 1.0) * 200 >> 32, 51) * 100 + 8 for first in firsts])


cli.main()
