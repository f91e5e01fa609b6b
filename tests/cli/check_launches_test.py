"""`lockstep check` and kernels of which what is proven hangs on the launch: kernels/races/launches.cl."""

import cli

FOUND = 66


class CheckLaunchesTest(cli.ToolTest):
    def run_kernel(self, kernel, *arguments, code):
        return self.tool("run", "--check", *cli.race(kernel), *arguments, code=code).err

    def test_rows_and_runs(self):
        for pitch, code in ((64, 0), (63, FOUND), (80, 0), (0, FOUND)):
            with self.subTest(pitch):
                report = self.run_kernel("rows", "--global", "64,4", "--local", "16,2", "--arg", "buf:int:1024", "--arg",
                                         f"uint={pitch}", code=code)
                self.assertIn("race in 'rows'" if code else "nothing found", report)
        for distance, partner, code in ((8, 8, 0), (1, 1, 0), (24, 24, 0), (8, 7, FOUND), (24, 20, FOUND), (8, 9, FOUND)):
            with self.subTest(distance=distance, partner=partner):
                report = self.run_kernel("pairs_of_runs", "--global", 96, "--local", 32, "--arg", "buf:int:256", "--arg",
                                         f"uint={distance}", "--arg", f"uint={partner}", code=code)
                self.assertIn("race in 'pairs_of_runs'" if code else "nothing found", report)
        for pitch, width, code in ((50, 50, 0), (64, 50, 0), (50, 51, FOUND), (64, 64, 0), (50, 64, FOUND)):
            with self.subTest(pitch=pitch, width=width):
                report = self.run_kernel("rows_of_a_width", "--global", "64,4", "--local", "16,2", "--arg", "buf:int:1024",
                                         "--arg", f"uint={pitch}", "--arg", f"uint={width}", code=code)
                self.assertIn("race in 'rows_of_a_width'" if code else "nothing found", report)

    def test_exchanges(self):
        for kernel, step, code in (("exchange", 8, 0), ("exchange", 24, 0), ("exchange", 7, 0), ("exchange", 0, 0),
                                   ("exchange_by_both", 8, FOUND), ("exchange_by_both", 0, 0), ("exchange_by_clear_bits", 8, 0),
                                   ("exchange_by_clear_bits", 24, 0), ("exchange_by_clear_bits", 0, 0),
                                   ("exchange_by_some_bits", 8, 0), ("exchange_by_some_bits", 24, FOUND)):
            with self.subTest(kernel, step=step):
                report = self.run_kernel(kernel, "--global", 96, "--local", 32, "--arg", "buf:int:256", "--arg", f"uint={step}", code=code)
                self.assertIn(f"race in '{kernel}'" if code else "nothing found", report)

    def test_elements_up_to_an_end(self):
        for kernel in ("parts_up_to_the_end", "parts_that_end_early", "parts_of_eight", "parts_below_the_largest_number"):
            for each, more, end, code in (((8, 0, 4, 0), (7, 0, 0, FOUND), (4, 0, 9, FOUND), (9, 0, 1, 0))
                                          if kernel == "parts_below_the_largest_number" else
                                          ((8, 0, 1000, 0), (8, 1, 1000, FOUND), (8, 1, 8, 0), (0, 0, 0, 0), (7, 1, 400, FOUND),
                                           (16, 8, 1000, 0 if kernel == "parts_of_eight" else FOUND))):
                with self.subTest(kernel, each=each, more=more, end=end):
                    report = self.run_kernel(kernel, "--global", 128, "--local", 64, "--arg", "buf:int:4096", "--arg",
                                             f"uint={each}", "--arg", f"uint={more}", "--arg", f"uint={end}", code=code)
                    self.assertIn(f"race in '{kernel}'" if code else "nothing found", report)

    def test_copies(self):
        def copies(kernel, pitch, distance, code):
            return self.run_kernel(kernel, "--global", 256, "--local", 64, "--arg", "buf:int:1024", "--arg", f"uint={pitch}",
                                   "--arg", f"uint={distance}", "--arg", "local:int:256", code=code)

        for distance, code in ((64, 0), (100, 0), (63, FOUND), (0, FOUND)):
            with self.subTest(distance=distance):
                self.assertIn("async copy in" if code else "nothing found", copies("copies_of_rows", 0, distance, code))
        for pitch, distance, code in ((64, 1, 0), (63, 1, FOUND), (128, 2, 0), (1, 4, 0), (4, 4, FOUND), (0, 1, FOUND)):
            with self.subTest(pitch=pitch, distance=distance):
                self.assertIn("race in" if code else "nothing found", copies("copies_to_rows", pitch, distance, code))


if __name__ == "__main__":
    cli.main()
