import json

import cli


class InfoTest(cli.ToolTest):
    def test_json_and_text_say_the_same(self):
        data = json.loads(self.tool("info", "--json").out)
        self.assertEqual(data["platform"]["name"], "Lockstep")
        self.assertGreaterEqual(data["device"]["compute_units"], 1)
        self.assertGreaterEqual(data["limits"]["work_group_size"], 1024)
        self.assertGreaterEqual(data["memory"]["local"], 32 * 1024)
        self.assertIn("LLVM 22", data["compiler"]["version"])
        text = self.tool("info").out
        self.assertIn(data["device"]["name"], text)
        self.assertIn(data["compiler"]["cache_directory"], text)

    def test_the_cache_is_the_one_of_the_environment(self):
        data = json.loads(self.tool("info", "--json").out)
        self.assertEqual(data["compiler"]["cache_directory"], str(self.folder / "cache"))
        self.assertFalse(json.loads(self.tool("info", "--json", LOCKSTEP_CACHE="0").out)["compiler"]["cache_enabled"])

    def test_no_color_in_a_pipe(self):
        self.assertNotIn("\033[", self.tool("info", TERM="xterm").out)

    def test_a_device_that_is_not_there(self):
        self.assertIn("--device 7", self.tool("info", "--device", 7, code=2).err)

    def test_version_and_unknown_subcommand(self):
        self.assertRegex(self.tool("--version").out, r"lockstep \d+\.\d+\.\d+")
        self.tool("nonsense", code=2)
        self.tool(code=2)


cli.main()
