import cli
from cli import KERNELS

ADD = KERNELS / "add.cl"
TWO = KERNELS / "two_kernels.cl"


class CompileTest(cli.ToolTest):
    def test_assembly_is_the_default(self):
        self.assertIn("ret", self.tool("compile", ADD).out)

    def test_all_stages_are_printed_in_order(self):
        stages = self.tool("compile", "--list-stages").out.split()
        self.assertGreater(len(stages), 3)
        printed = [line.split("after stage ")[1].split()[0]
                   for line in self.tool("compile", ADD, "--stage", "all").out.splitlines() if "---- after stage" in line]
        self.assertEqual(printed, [stage for stage in stages if stage in printed])
        only_one_form = {"work-item-loops", "suspensions", "coroutine"}  # looped or resumable
        self.assertLess(set(stages) - set(printed), only_one_form)

    def test_code_for_an_nvidia_device(self):
        out = self.tool("compile", TWO, "-k", "reverse", "--device", "nvidia:sm_80", "--emit", "ptx").out
        self.assertIn(".target sm_80", out)
        self.assertIn(".entry reverse(", out)
        out = self.tool("compile", TWO, "-k", "reverse", "--device", "nvidia:sm_80", "--stage", "retarget").out
        self.assertIn("nvptx64-nvidia-cuda", out)

    def test_an_unknown_nvidia_device(self):
        self.assertIn("sm_90", self.tool("compile", ADD, "--device", "nvidia:sm_60", code=2).err)
        self.assertIn("nvidia:sm_90", self.tool("compile", ADD, "--device", "other", code=2).err)
        self.assertIn("nvidia:sm_90", self.tool("compile", ADD, "--emit", "ptx", code=2).err)

    def test_one_stage(self):
        stage = self.tool("compile", "--list-stages").out.split()[-1]
        out = self.tool("compile", ADD, "--stage", stage).out
        self.assertEqual(out.count("---- after stage"), 1)
        self.assertIn("define", out)

    def test_unknown_stage_is_refused_with_the_list(self):
        err = self.tool("compile", ADD, "--stage", "nonsense", code=2).err
        self.assertIn("nonsense", err)
        self.assertIn(self.tool("compile", "--list-stages").out.split()[0], err)

    def test_times_go_to_stderr(self):
        done = self.tool("compile", ADD, "--times", "-o", "out.s")
        rows = [line.split()[0] for line in done.err.splitlines()]
        stages = self.tool("compile", "--list-stages").out.split()
        self.assertEqual([row for row in rows if row not in stages], ["front-end", "machine-code", "all"])
        self.assertGreater(len(rows), 10)
        self.assertEqual(done.out, "")
        self.assertIn("ret", (self.folder / "out.s").read_text())

    def test_local_size_specializes(self):
        any_size = self.tool("compile", TWO, "-k", "reverse").out
        fixed = self.tool("compile", TWO, "-k", "reverse", "--local-size", "64").out
        self.assertNotEqual(any_size, fixed)

    def test_neighbors_run_at_once(self):
        (self.folder / "rows.cl").write_text("""
kernel void rows(uint n, global const float *a, global const float *b, global float *c) {
  const uint x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (uint k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}""")
        rows = ["compile", "rows.cl", "--local-size", "64,1", "--remarks"]
        self.assertNotIn("calls are for", self.tool(*rows).out)
        self.assertIn("calls are for 8 rows", self.tool(*rows, "--neighbors", "1,8").out)
        self.assertIn("a power of two", self.tool(*rows, "--neighbors", "1,6", code=2).err)
        self.assertIn("positive whole number", self.tool(*rows, "--neighbors", "0", code=2).err)
        self.assertIn("--local-size", self.tool("compile", "rows.cl", "--neighbors", "1,8", code=2).err)

    def test_several_kernels_need_a_choice(self):
        err = self.tool("compile", TWO, code=2).err
        self.assertIn("reverse", err)
        self.assertIn("fill", err)
        self.assertEqual(self.tool("compile", TWO, "--list-kernels").out.split(), ["reverse", "fill"])

    def test_a_kernel_that_is_not_there(self):
        self.assertIn("'sub'", self.tool("compile", ADD, "-k", "sub", code=2).err)

    def test_build_errors_come_with_clangs_diagnostics(self):
        err = self.tool("compile", KERNELS / "broken.cl", code=1).err
        self.assertRegex(err, r"(?m)^\S*broken\.cl:\d+:\d+: error: .*undeclared_name")
        self.assertIn("does not compile", err)
        err = self.tool("compile", ADD, "--options", "-foo", code=2).err
        self.assertEqual(err.count("'-foo'"), 1, err)

    def test_build_options(self):
        (self.folder / "a.cl").write_text("kernel void a(global int *o) { *o = N; }")
        self.tool("compile", "a.cl", code=1)
        self.tool("compile", "a.cl", "--options", "-DN=5")
        self.tool("compile", "a.cl", "--options", "-no-such-option", code=2)

    def test_a_missing_file(self):
        self.assertIn("cannot read none.cl", self.tool("compile", "none.cl", code=1).err)

    def test_remarks_without_a_local_size_say_so(self):
        self.assertIn("--local-size 64", self.tool("compile", ADD, "--remarks").out.splitlines()[0])
        self.assertNotIn("--local-size", self.tool("compile", ADD, "--remarks", "--local-size", 64).out)

    def test_bitcode_and_binary(self):
        self.tool("compile", ADD, "--emit", "bitcode", "-o", "a.bc")
        self.assertEqual((self.folder / "a.bc").read_bytes()[:2], b"BC")
        self.tool("compile", ADD, "--emit", "binary", "-o", "a.bin")
        self.assertGreater((self.folder / "a.bin").stat().st_size, 100)

    def test_spirv(self):
        self.assemble("add")
        self.assertIn("ret", self.tool("compile", "add.spv").out)
        self.assertEqual(self.tool("compile", "add.spv", "--list-kernels").out.split(), ["add"])
        self.tool("compile", "add.spv", "--options", "-no-such-option", code=2)

    def test_a_damaged_spirv_module(self):
        self.assemble("add")
        module = bytearray((self.folder / "add.spv").read_bytes())
        add = module.index((5 << 16 | 128).to_bytes(4, "little"))
        module[add] = 129  # OpIAdd becomes OpFAdd
        (self.folder / "add.spv").write_bytes(module)
        err = self.tool("compile", "add.spv", code=1).err
        self.assertRegex(err, r"error: add\.spv:\d+: OpFAdd: ")
        self.assertIn("add.spv does not compile", err)

    def test_no_color_in_a_pipe(self):
        self.assertNotIn("\033[", self.tool("compile", KERNELS / "broken.cl", code=1, TERM="xterm").err)


cli.main()
