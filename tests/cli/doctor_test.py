import json
import os

import cli


class DoctorTest(cli.ToolTest):
    def findings(self, code, **environment):
        return json.loads(self.tool("doctor", "--json", code=code, **environment).out)

    def problems(self, **environment):
        return [f for f in self.findings(1, **environment) if f["verdict"] == "PROBLEM"]

    def test_a_build_tree_is_ready(self):
        findings = self.findings(0)
        self.assertTrue({"loader", "platforms", "library", "platform", "version", "LLVM", "libclc", "SYCL", "kernel"}
                        <= {f["topic"] for f in findings})
        self.assertIn("Lockstep is ready", self.tool("doctor").out)

    def test_an_icd_file_that_leads_nowhere(self):
        (self.folder / "lockstep.icd").write_text("/nowhere/liblockstep.so\n")
        problems = self.problems(OCL_ICD_VENDORS=str(self.folder))
        self.assertEqual(problems[0]["topic"], "library")
        self.assertIn("/nowhere/liblockstep.so, which does not exist", problems[0]["text"])
        self.assertTrue(problems[0]["advice"])

    def test_a_library_that_cannot_be_loaded(self):
        (self.folder / "liblockstep.so").write_text("this is no library")
        (self.folder / "lockstep.icd").write_text(f"{self.folder}/liblockstep.so\n")
        self.assertIn("cannot be loaded", self.problems(OCL_ICD_VENDORS=str(self.folder))[0]["text"])

    def test_a_vendors_folder_without_us(self):
        problems = self.problems(OCL_ICD_VENDORS=str(self.folder))
        self.assertEqual(problems[0]["topic"], "platforms")
        self.assertIn("OCL_ICD_VENDORS", problems[0]["advice"])

    def test_a_variable_that_nothing_reads(self):
        warnings = [f for f in self.findings(0, LOCKSTEP_CAHCE="0") if f["verdict"] == "warning"]
        self.assertIn("nothing reads LOCKSTEP_CAHCE", warnings[0]["text"])

    def test_a_cache_that_is_off(self):
        warnings = [f for f in self.findings(0, LOCKSTEP_CACHE="0") if f["verdict"] == "warning"]
        self.assertEqual(warnings[0]["topic"], "disk cache")
        self.assertIn("unset LOCKSTEP_CACHE", warnings[0]["advice"])

    def nvidia(self, **environment):
        return [(f["verdict"], f["text"]) for f in self.findings(0, **environment) if f["topic"] == "NVIDIA"]

    def test_nvidias_driver(self):
        fake = os.environ["FAKE_CUDA_LIBRARY"]
        self.assertEqual(self.nvidia(LOCKSTEP_CUDA_LIBRARY="libcuda_of_no_machine.so.1"),
                         [("note", "no NVIDIA driver: libcuda_of_no_machine.so.1: cannot open shared object file: "
                                   "No such file or directory")])
        cards = self.nvidia(LOCKSTEP_CUDA_LIBRARY=fake, FAKE_CUDA_DEVICES="2")
        self.assertEqual([verdict for verdict, _ in cards], ["ok", "ok"])
        self.assertIn("Fake Card, compute capability 9.0, 1.0 GiB, CUDA 12.8", cards[0][1])
        self.assertNotIn("LOCKSTEP", cards[0][1])
        self.assertIn("; LOCKSTEP_NVIDIA=0 hides it", self.nvidia(LOCKSTEP_CUDA_LIBRARY=fake, LOCKSTEP_NVIDIA="0")[0][1])
        self.assertIn("; hidden, as LOCKSTEP_CHECK", self.nvidia(LOCKSTEP_CUDA_LIBRARY=fake, LOCKSTEP_CHECK="1")[0][1])
        (verdict, text), = self.nvidia(LOCKSTEP_CUDA_LIBRARY=fake, FAKE_CUDA_CAPABILITY="61")
        self.assertEqual(verdict, "warning")
        self.assertIn("is not used: its compute capability is 6.1", text)
        (verdict, text), = self.nvidia(LOCKSTEP_CUDA_LIBRARY=fake, FAKE_CUDA_VERSION="10020")
        self.assertEqual(verdict, "note")
        self.assertIn("install a newer driver", text)

    def test_a_cache_folder_that_cannot_be_made(self):
        (self.folder / "file").write_text("")
        warnings = [f for f in self.findings(0, LOCKSTEP_CACHE_DIR=str(self.folder / "file" / "cache"))
                    if f["verdict"] == "warning"]
        self.assertEqual(warnings[0]["topic"], "disk cache")


cli.main()
