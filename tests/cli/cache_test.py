import json

import cli
from cli import KERNELS


class CacheTest(cli.ToolTest):
    def entries(self):
        return json.loads(self.tool("cache", "show", "--json").out)["entries"]

    def run_a_kernel(self):
        self.tool("run", KERNELS / "add.cl", "--global", 4, "--arg", "buf:float:4=iota", "--arg", "buf:float:4=2",
                  "--arg", "buf:float:4", "--compare", "2=iota:2")

    def test_fills_is_used_and_clears(self):
        self.assertEqual(self.entries(), 0)
        self.run_a_kernel()
        filled = self.entries()
        self.assertGreater(filled, 0)
        self.run_a_kernel()
        self.assertEqual(self.entries(), filled)
        self.assertIn(f"removed {filled} entries", self.tool("cache", "clear").out)
        self.assertEqual(self.entries(), 0)
        self.run_a_kernel()

    def test_switched_off(self):
        data = json.loads(self.tool("cache", "show", "--json", LOCKSTEP_CACHE="0").out)
        self.assertFalse(data["enabled"])
        self.assertIn("LOCKSTEP_CACHE=0", data["problem"])

    def test_show_names_the_directory(self):
        self.assertIn(str(self.folder / "cache"), self.tool("cache", "show").out)


cli.main()
