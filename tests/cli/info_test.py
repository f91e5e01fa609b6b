import json
import os
import socket

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

    def test_threads_of_ranks(self):
        """Two ranks of MPI on a made-up machine of four NUMA nodes, and messages that say which rank speaks."""
        machine = {"HWLOC_SYNTHETIC": "NUMANode:4 L3:1 core:8 pu:1"}
        rank = {"OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "OMPI_COMM_WORLD_RANK": "7"}
        def threads(**environment):
            return json.loads(self.tool("info", "--json", **machine, **environment).out)["threads"]
        self.assertEqual(threads(), {"count": 32, "cpus": "0-31", "bound": True})
        self.assertEqual(threads(**rank), {"count": 16, "cpus": "16-31", "bound": True, "local_rank": 1, "local_ranks": 2})
        self.assertEqual(threads(LOCKSTEP_THREADS="8"), {"count": 8, "cpus": "0-31", "bound": False})
        self.assertEqual(threads(LOCKSTEP_CPUS="4-6,9"), {"count": 4, "cpus": "4-6,9", "bound": True})
        done = self.tool("info", **machine, **rank, LOCKSTEP_CPUS="40")
        self.assertIn("16 on CPUs 16-31; rank 1 of 2 on this host", done.out)
        self.assertIn(f"[{socket.gethostname()}:7] lockstep: LOCKSTEP_CPUS is '40', which is not a list of CPUs", done.err)

    def test_no_color_in_a_pipe(self):
        self.assertNotIn("\033[", self.tool("info", TERM="xterm").out)

    def test_a_device_that_is_not_there(self):
        self.assertIn("--device 7", self.tool("info", "--device", 7, code=2).err)
        name = json.loads(self.tool("info", "--json").out)["device"]["name"]
        for missing in ["no such name", "-1", "1x", ""]:
            err = self.tool("info", "--device", missing, code=2).err
            self.assertIn(f"--device {missing}: platform Lockstep has no such device; it has 1, counted from 0: {name}", err)

    def test_devices_by_type_and_name(self):
        fake = {"LOCKSTEP_CUDA_LIBRARY": os.environ["FAKE_CUDA_LIBRARY"]}
        hidden = {**fake, "LOCKSTEP_NVIDIA": "0"}
        def name(*arguments, **environment):
            return json.loads(self.tool("info", "--json", *arguments, **environment).out)["device"]["name"]
        cpu = name()
        self.assertEqual(name("--device", "0", **fake), cpu)
        self.assertEqual(name("--device", "CPU", **fake), cpu)
        self.assertEqual(name("--device", cpu[:5], **fake), cpu)
        self.assertEqual(name("--device", "nvidia", **fake), "Fake Card")
        self.assertEqual(name("--device", "gpu", **fake), "Fake Card")
        self.assertEqual(name("--device", "fake", **fake), "Fake Card")
        self.assertEqual(name("--device", "1", **fake), "Fake Card")
        self.assertEqual(name(**hidden), cpu)
        self.assertIn("it has 1, counted from 0", self.tool("info", "--device", "gpu", code=2, **hidden).err)
        self.assertEqual(name("--device", "cpu", **fake, LOCKSTEP_NVIDIA="first"), cpu)
        none = self.tool("info", "--device", "nvidia", code=2, LOCKSTEP_CUDA_LIBRARY="libcuda_of_no_machine.so.1")
        self.assertIn(f"it has 1, counted from 0: {cpu}", none.err)

    def test_a_cpu_that_reports_to_be_a_gpu(self):
        as_gpu = {"LOCKSTEP_DEVICE_TYPE": "gpu"}
        name = json.loads(self.tool("info", "--json").out)["device"]["name"]
        found = self.tool("info", "--json", "--device", "gpu", **as_gpu)
        self.assertEqual(json.loads(found.out)["device"]["name"], name)
        self.assertIn("--device cpu", self.tool("info", "--device", "cpu", code=2, **as_gpu).err)
        self.assertIn("LOCKSTEP_DEVICE_TYPE is 'fpga'", self.tool("info", LOCKSTEP_DEVICE_TYPE="fpga").err)

    def test_version_and_unknown_subcommand(self):
        self.assertRegex(self.tool("--version").out, r"lockstep \d+\.\d+\.\d+")
        self.tool("nonsense", code=2)
        self.tool(code=2)


cli.main()
