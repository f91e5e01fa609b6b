import array

import cli
from cli import KERNELS

ADD = KERNELS / "add.cl"
TWO = KERNELS / "two_kernels.cl"
ADD_ARGUMENTS = ["--global", 256, "--arg", "buf:float:256=iota", "--arg", "buf:float:256=1", "--arg", "buf:float:256"]


class RunTest(cli.ToolTest):
    def test_print_compare_and_save(self):
        out = self.tool("run", ADD, *ADD_ARGUMENTS, "--print", "sum:4", "--compare", "2=iota:1", "--save", "2=out.bin").out
        self.assertIn("sum: 1 2 3 4\n", out)
        self.assertIn("equal 2: 256 values", out)
        saved = array.array("f")
        saved.frombytes((self.folder / "out.bin").read_bytes())
        self.assertEqual(saved.tolist(), [i + 1.0 for i in range(256)])

    def test_a_wrong_result_is_exit_code_1_and_says_where(self):
        out = self.tool("run", ADD, *ADD_ARGUMENTS, "--compare", "2=iota:1:2", code=1).out
        self.assertIn("different 2: 255 of 256 values; the first at element 1: 2 instead of 3", out)

    def test_tolerance(self):
        self.tool("run", ADD, *ADD_ARGUMENTS, "--compare", "2=iota:1.001", code=1)
        self.tool("run", ADD, *ADD_ARGUMENTS, "--compare", "2=iota:1.001~0.01")

    def test_file_as_input(self):
        (self.folder / "in.bin").write_bytes(array.array("f", [5.0, 6.0]).tobytes())
        out = self.tool("run", ADD, "--global", 2, "--arg", "buf:float=file:in.bin", "--arg", "buf:float:2=1",
                        "--arg", "buf:float:2", "--print", 2).out
        self.assertIn("2: 6 7\n", out)

    def test_local_memory_and_barrier(self):
        self.tool("run", TWO, "-k", "reverse", "--global", 256, "--local", 64, "--arg", "buf:int:256=iota",
                  "--arg", "local:int:64", "--save", "data=out.bin")
        saved = array.array("i")
        saved.frombytes((self.folder / "out.bin").read_bytes())
        self.assertEqual(saved.tolist(), [64 * (i // 64) + 63 - i % 64 for i in range(256)])

    def test_structs_vectors_and_two_dimensions(self):
        out = self.tool("run", TWO, "-k", "fill", "--global", "3,2", "--local", "1,1", "--arg", "buf:float4:6",
                        "--arg", "hex:020000000000c03f", "--arg", "float4=10,20,30,40", "--arg", "uchar=255",
                        "--arg", "ulong=0x10", "--print", "0:2").out
        self.assertIn("0: (12, 21.5, 285, 56) (12, 21.5, 285, 56)\n", out)

    def test_repeat_prints_times(self):
        out = self.tool("run", ADD, *ADD_ARGUMENTS, "--repeat", 5, "--compare", "2=iota:1").out
        self.assertRegex(out, r"add: 5 launches, shortest .*, median .*, longest .*")

    def test_repeat_starts_from_the_same_content(self):
        arguments = ["--global", 64, "--local", 64, "--arg", "buf:int:64=iota", "--arg", "local:int:64"]
        self.tool("run", TWO, "-k", "reverse", *arguments, "--repeat", 2, "--compare", "0=iota:63:-1")

    def test_errors_name_the_argument(self):
        def error(*arguments, code=2):
            return self.tool("run", ADD, "--global", 4, *arguments, code=code).err

        good = ["--arg", "buf:float:4", "--arg", "buf:float:4"]
        self.assertIn("3 arguments (", error(*good))
        self.assertIn("2 are given", error(*good))
        self.assertIn("--arg buf:flaot:4: 'flaot' is not a type", error(*good, "--arg", "buf:flaot:4"))
        self.assertIn("argument 2 ('sum')", error(*good, "--arg", "int=1"))
        self.assertIn("'nothing' is not an argument of kernel add", error(*good, "--arg", "buf:float:4", "--print", "nothing"))
        self.assertIn("at most three dimensions", self.tool("run", ADD, "--global", "1,1,1,1", code=2).err)
        self.assertIn("as many", self.tool("run", ADD, "--global", "4,4", "--local", "4", code=2).err)
        self.assertIn("'0'", self.tool("run", ADD, "--global", "0", code=2).err)
        self.assertIn("CL_INVALID_WORK_ITEM_SIZE",
                      self.tool("run", ADD, "--global", 1 << 20, "--local", 1 << 20, *good, "--arg", "buf:float:4", code=2).err)

    def test_build_errors(self):
        done = self.tool("run", KERNELS / "broken.cl", "--global", 1, "--arg", "buf:int:1", code=1)
        self.assertIn("undeclared_name", done.err)
        self.assertIn("CL_BUILD_PROGRAM_FAILURE", done.err)

    def test_spirv(self):
        self.assemble("add")
        numbers = "buf:int:64=iota"
        two = ("run", "add.spv", "--global", 64, "--arg", numbers, "--arg", numbers)
        done = self.tool(*two, "--arg", "buf:int:64", "--compare", "2=iota:0:2")
        self.assertNotIn("warning", done.err)
        # A module has no information on arguments.
        self.assertIn("kernel add has 3 arguments, and 2 are given", self.tool(*two, code=2).err)
        self.assertIn("argument 2 cannot be 'int=1' (4 bytes)", self.tool(*two, "--arg", "int=1", code=2).err)

    def test_barriers_of_spirv(self):
        """Barriers behind branches that differ between work-items, and beside unreachable blocks, in each form."""
        self.assemble("barriers")
        shifted = [7 if i % 64 == 0 else i - 1 + 100 * (i > 40) for i in range(256)]
        sums = [sum(range(32 * group, 32 * group + 32)) for group in range(8)]
        iota, zeros = "buf:uint:256=iota", "buf:uint:256"
        cases = [("sum_of_group", 32, [iota, "buf:uint:8"], 1, sums), ("shift", 64, [iota, "uint=1"], 0, shifted),
                 ("shift", 64, [iota, "uint=0"], 0, [7] * 256),
                 ("return_before", 8, [iota], 0, range(1, 257)), ("unreachable_before", 64, [zeros], 0, [1] * 256)]
        for settings in {}, {"LOCKSTEP_SUB_GROUP_SIZE": "4"}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}:
            for kernel, local, arguments, printed, expected in cases:
                with self.subTest(kernel, **settings):
                    options = [word for argument in arguments for word in ("--arg", argument)]
                    out = self.tool("run", "barriers.spv", "-k", kernel, "--global", 256, "--local", local, *options,
                                    "--print", f"{printed}:256", **settings).out
                    self.assertEqual(out.strip(), f"{printed}: " + " ".join(map(str, expected)))

    def test_loops_of_spirv(self):
        """A loop with a narrow counter, a stride, sums of bytes that wrap, and two exits, in each form."""
        self.assemble("loops")
        rgb = bytes(255 if i == 3 * 90 + 2 else 37 * i % 251 for i in range(3 * 256))
        (self.folder / "rgb").write_bytes(rgb)

        def sums(me):
            total, i = 0, 0
            while rgb[3 * (me + i) + 2] != 255:
                red, green, blue = rgb[3 * (me + i):][:3]
                total, i = total + 3 * ((red + green) % 256) + blue // 2, i + 4
                if i >= 128:
                    break
            return total, i

        expected = [number for me in range(128) for number in sums(me)]
        self.assertEqual(len({i for i in expected[1::2]}), 24)
        for settings in {}, {"LOCKSTEP_SUB_GROUP_SIZE": "4"}, {"LOCKSTEP_LANES": "0"}, {"LOCKSTEP_FORM": "resumable"}:
            for local in 1, 64:
                with self.subTest(local=local, **settings):
                    out = self.tool("run", "loops.spv", "--global", 128, "--local", local, "--arg", "buf:uchar=file:rgb", "--arg",
                                    "buf:uint:256", "--arg", "ushort=128", "--print", "1:256", **settings).out
                    self.assertEqual(out.strip(), "1: " + " ".join(map(str, expected)))

    def test_unknown_platform(self):
        self.assertIn("no platform 'Nobody'", self.tool("run", ADD, *ADD_ARGUMENTS, "--platform", "Nobody", code=2).err)

    def test_other_platforms_run_the_same_kernel(self):
        err = self.tool("run", ADD, *ADD_ARGUMENTS, "--platform", "Nobody", code=2).err
        for platform in ["Portable Computing Language"]:
            if platform in err:
                self.tool("run", ADD, *ADD_ARGUMENTS, "--platform", platform, "--compare", "2=iota:1")

    def test_help_has_examples(self):
        out = self.tool("run", "--help").out
        self.assertIn("Examples:", out)
        self.assertIn("buf:TYPE:COUNT", out)


cli.main()
