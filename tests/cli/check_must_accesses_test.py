"""The footprint that the checker computes for a launch is what its kernel accesses: programs/must_accesses.cpp
has random kernels. More of them: check_must_accesses_test.py TOOL PROGRAM --seed 1 --count 1000"""

import collections
import json
import pathlib
import re
import sys

import cli

FOUND = 66
PROGRAM, SEED, COUNT = None, 1, 60


class CheckMustAccessesTest(cli.ToolTest):
    def test_random_kernels(self):
        vendors = pathlib.Path(cli.TOOL).parent.parent / "vendors"
        for seed in range(SEED, SEED + COUNT, 20):
            report = self.folder / f"{seed}.json"
            done = self.tool("check", "--only", "commands", "--json", report, PROGRAM, seed, min(20, SEED + COUNT - seed), code=FOUND,
                             OCL_ICD_VENDORS=str(vendors))
            found, names = collections.Counter(), {}
            for line in map(json.loads, report.read_text().splitlines()):
                if "more" in line:
                    found[names[line["of"]]] += line["more"]
                    continue
                name = names[line["id"]] = re.search(r"kernel '(\w+)'", line["headline"])[1]
                self.assertFalse(line["note"], f"{name} is perhaps touched")
                found[name] += 1
            for name, touched in (line.split() for line in done.out.splitlines()):
                with self.subTest(name):
                    self.assertEqual(found[name + "_beside"], 0)
                    self.assertEqual(found[name + "_touched"], int(touched))


if __name__ == "__main__":
    for number in ("COUNT", "SEED"):
        if (option := f"--{number.lower()}") in sys.argv:
            place = sys.argv.index(option)
            globals()[number] = int(sys.argv[place + 1])
            del sys.argv[place:place + 2]
    PROGRAM = str(pathlib.Path(sys.argv.pop(2)).resolve())
    cli.main()
