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

    def test_options_that_clang_does_not_know(self):
        done = run(DRIVER, "-fno-such-option", str(SOURCES / "first.cpp"), "-c", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("-fno-such-option", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
