"""lockstep++ as build systems use it: objects, archives, a shared library, depfiles, errors told once."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

DRIVER, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2]).parent


def run(*command, folder=None):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)


class Driver(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lockstep-driver-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def compile(self, *arguments):
        done = run(DRIVER, *map(str, arguments), folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done

    def test_objects_archive_and_shared_library(self):
        self.compile("-fsycl", "-c", "-MD", "-MF", "first.d", SOURCES / "first.cpp", "-o", "first.o")
        self.compile("-c", SOURCES / "second.cpp")
        self.assertEqual(run("ar", "rcs", "libsecond.a", "second.o", folder=self.folder).returncode, 0)
        self.compile("-shared", "-fPIC", SOURCES / "in_library.cpp", "-o", "libthird.so")
        self.compile("-g", SOURCES / "main.cpp", "first.o", "libsecond.a", "-L.", "-lthird", "-Wl,-rpath,$ORIGIN", "-o", "all")
        self.assertEqual(run(str(self.folder / "all")).stdout, "1 2 3\n")
        self.assertIn("sycl.hpp", (self.folder / "first.d").read_text())

    def test_sources_without_kernels(self):
        (self.folder / "plain.cpp").write_text("int main() { return 7; }\n")
        self.compile("plain.cpp", "-o", "plain")
        self.assertEqual(run(str(self.folder / "plain")).returncode, 7)
        self.assertIn("LOCKSTEP", self.compile("-E", "-dM", "-include", "sycl/version.hpp", "plain.cpp").stdout)

    def test_errors_are_told_once(self):
        (self.folder / "wrong.cpp").write_text("#include <sycl/sycl.hpp>\nint main() { sycl::queue q; q.nothing(); }\n")
        done = run(DRIVER, "wrong.cpp", "-o", "wrong", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("wrong.cpp:2:", done.stderr)
        self.assertFalse((self.folder / "wrong").exists())

    def test_cmake_package_and_pkg_config(self):
        """Installed into a prefix of its own, and found from there."""
        prefix = self.folder / "prefix"
        build = pathlib.Path(DRIVER).parents[1]
        done = run("cmake", "--install", str(build), "--prefix", str(prefix))
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(user CXX)\nfind_package(Lockstep 0.1 REQUIRED)\n"
            f"set(from {SOURCES})\nadd_executable(program ${{from}}/main.cpp ${{from}}/first.cpp ${{from}}/second.cpp "
            "${from}/in_library.cpp)\nadd_sycl_to_target(TARGET program SOURCES ${from}/first.cpp)\n")
        configured = run("cmake", "-G", "Ninja", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefix}", folder=self.folder)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run("cmake", "--build", "out", folder=self.folder)
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertEqual(run(str(self.folder / "out" / "program")).stdout, "1 2 3\n")
        package = (next(prefix.rglob("lockstep.pc"))).read_text()
        self.assertIn(f"prefix={prefix}\n", package)
        self.assertTrue((prefix / "bin" / "lockstep++").exists())

    def test_options_that_clang_does_not_know(self):
        done = run(DRIVER, "-fno-such-option", str(SOURCES / "first.cpp"), "-c", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("-fno-such-option", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
