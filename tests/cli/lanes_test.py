"""Every kernel of the examples and the benchmarks runs in lanes, or a remark says why it does not."""

import cli

PROJECT = cli.KERNELS.parents[2]
FILES = sorted([*PROJECT.glob("examples/**/*.cl"), *PROJECT.glob("benchmarks/**/*.cl")])
ALL_VARIANTS = "-cl-std=CL3.0 -DT=float -DTILE=16 -DTILE_X=16 -DTILE_Y=16 -DCOLLECTIVES -DLAST_GROUP -DSUB_GROUPS"


class LanesTest(cli.ToolTest):
    def test_every_kernel(self):
        self.assertGreater(len(FILES), 20)  # they have been found
        for file in FILES:
            kernels = self.tool("compile", file, "--options", ALL_VARIANTS, "--list-kernels").out.split()
            self.assertTrue(kernels, file)
            for kernel in kernels:
                with self.subTest(file=file.name, kernel=kernel):
                    remarks = self.tool("compile", file, "--options", ALL_VARIANTS, "-k", kernel, "--remarks",
                                        "-o", "/dev/null").err
                    self.assertIn(f"remark: kernel {kernel}: sub-groups of ", remarks)
                    if "sub-groups of 1 work-item," in remarks:
                        self.assertIn("lanes: one lane: ", remarks)


cli.main()
