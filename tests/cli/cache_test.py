import json
import os

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

    def problem(self, directory):
        """Kernels run all the same, and `show` says what is wrong."""
        self.environment["LOCKSTEP_CACHE_DIR"] = str(directory)
        self.run_a_kernel()
        data = json.loads(self.tool("cache", "show", "--json").out)
        self.assertFalse(data["enabled"])
        self.assertEqual(data["entries"], 0)
        return data["problem"]

    def test_a_file_in_place_of_the_directory(self):
        (self.folder / "file").write_text("no directory")
        self.assertIn("is not a directory", self.problem(self.folder / "file"))
        self.assertIn("cannot be created: Not a directory", self.problem(self.folder / "file" / "below"))

    def test_a_directory_that_nobody_can_create(self):
        self.assertIn("cannot be created", self.problem("/proc/lockstep"))

    def test_a_directory_that_is_read_only(self):
        directory = self.folder / "read only"
        directory.mkdir()
        directory.chmod(0o555)
        if os.geteuid() == 0:  # for whom nothing is read-only
            nobody = 65534
            self.folder.chmod(0o755)
            os.chown(directory, nobody, nobody)
            self.identity = {"user": nobody, "group": nobody, "extra_groups": []}
        self.assertIn("cannot be written: Permission denied", self.problem(directory))
        self.assertEqual(list(directory.iterdir()), [])


cli.main()
