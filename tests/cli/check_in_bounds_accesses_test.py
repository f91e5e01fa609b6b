"""Accesses are out of bounds where the kernel itself counts them there, also where the launch computes that none is and they are not
compared with the size of their memory: programs/in_bounds_accesses.cpp has random kernels.
More of them: check_in_bounds_accesses_test.py TOOL PROGRAM --seed 1 --count 1000"""

import json
import pathlib
import sys

import cli

FOUND = 66
PROGRAM, SEED, COUNT = None, 1, 60


class CheckInBoundsAccessesTest(cli.ToolTest):
    def test_random_kernels(self):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        outside, inside = 0, 0
        for seed in range(SEED, SEED + COUNT, 20):
            report = self.folder / f"{seed}.json"
            done = self.tool("check", "--only", "memory", "--json", report, PROGRAM, seed, min(20, SEED + COUNT - seed), code=FOUND,
                             OCL_ICD_VENDORS=str(vendors))
            found = set()
            for line in map(json.loads, report.read_text().splitlines()):
                if "more" not in line:
                    found.add(line["kernel"])
            for name, where, is_right in (line.split() for line in done.out.splitlines()):
                with self.subTest(name):
                    self.assertEqual("outside" if name in found else "inside", where)
                    self.assertEqual(is_right, "right")
                outside, inside = outside + (where == "outside"), inside + (where == "inside")
        self.assertGreater(min(outside, inside), COUNT / 4)


if __name__ == "__main__":
    for number in ("COUNT", "SEED"):
        if (option := f"--{number.lower()}") in sys.argv:
            place = sys.argv.index(option)
            globals()[number] = int(sys.argv[place + 1])
            del sys.argv[place:place + 2]
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
