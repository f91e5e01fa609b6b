import os
import pathlib
import subprocess

import cli


class InstallTest(cli.ToolTest):
    """cmake --install into a prefix of its own: everything is found from there, nothing from the build tree."""

    def install(self, *arguments, **environment):
        build = pathlib.Path(cli.TOOL).parents[1]
        subprocess.run(["cmake", "--install", build, *arguments], env={**os.environ, **environment}, check=True,
                       capture_output=True)

    def test_any_prefix(self):
        self.install("--prefix", self.folder / "prefix")
        vendors = self.folder / "prefix" / "etc" / "OpenCL" / "vendors"
        library = pathlib.Path((vendors / "lockstep.icd").read_text().strip())
        self.assertTrue(library.is_file(), library)
        self.assertIn(self.folder / "prefix", library.parents)
        tool = self.folder / "prefix" / "bin" / "lockstep"
        done = subprocess.run([tool, "doctor"], env={**self.environment, "OCL_ICD_VENDORS": str(vendors)},
                              capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{library} can be loaded", done.stdout)

    def test_the_prefixes_of_the_system_use_the_loaders_folder(self):
        for prefix in ["/usr", "/usr/local"]:
            stage = self.folder / prefix.strip("/").replace("/", "-")
            self.install("--prefix", prefix, DESTDIR=str(stage))
            library = (stage / "etc/OpenCL/vendors/lockstep.icd").read_text().strip()
            self.assertTrue(library.startswith(prefix + "/"), library)
            self.assertTrue((stage / library.lstrip("/")).is_file(), library)

    def test_packages_have_the_version_of_the_tool(self):
        changelog = (pathlib.Path(__file__).resolve().parents[2] / "debian" / "changelog").read_text()
        done = subprocess.run([cli.TOOL, "--version"], capture_output=True, text=True, check=True)
        self.assertIn(changelog.split("(")[1].split(")")[0], done.stdout)


cli.main()
