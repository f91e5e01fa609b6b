"""SYCL's headers, which lockstep++ parses once for many sources: used where nobody can tell, made again where something changed."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

DRIVER = pathlib.Path(sys.argv[1])
PROGRAM = """// A comment,
/* and another one. */
#include <vector>
# include <sycl/sycl.hpp> // as others write it
int main() {
  std::vector<int> values(16);
  sycl::queue queue;
  {
    sycl::buffer buffer(values);
    queue.submit([&](sycl::handler &group) {
      sycl::accessor all(buffer, group);
      group.parallel_for(all.get_range(), [=](sycl::id<1> i) { all[i] = VALUE; });
    });
  }
  return values[15];
}
"""
ONLY_HOST = "-fsyntax-only"  # a third of the time, where one side says it all
SMALL_SYCL = "#pragma once\n#include <sycl/version.hpp>\n"  # what the driver decides does not depend on more
SMALL_PROGRAM = PROGRAM[:PROGRAM.index("int main")] + "static_assert(VALUE > 0);\n"


class PreparedHeaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A cache with the headers for -DVALUE=7, that tests begin with a copy of."""
        holder = tempfile.TemporaryDirectory(prefix="lockstep-headers-")
        cls.addClassCleanup(holder.cleanup)
        cls.common_cache = pathlib.Path(holder.name) / "cache"

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lockstep-headers-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.cache = self.folder / "cache"
        self.driver = DRIVER
        self.write("program.cpp", PROGRAM)

    def write(self, name, text):
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)

    def compile(self, *arguments):
        """With what clang tells of reading precompiled headers on the host's side."""
        command = [str(self.driver), "-O0", "-c", "-Xclang", "-print-stats", "-o", "object.o", *arguments]
        environment = os.environ | {"LOCKSTEP_CACHE_DIR": str(self.cache)}
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=200, env=environment)
        self.used = "macros read (" in done.stderr
        self.errors = [line for line in done.stderr.splitlines() if "error:" in line]
        return done

    def expect(self, used, *arguments):
        """It compiles, with prepared headers or without."""
        done = self.compile(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.used, used, arguments)

    def begin_prepared(self):
        if not self.common_cache.exists():
            self.cache = self.common_cache
            self.expect(False, "-DVALUE=7", "program.cpp")
            self.expect(True, "-DVALUE=7", "program.cpp")
            self.cache = self.folder / "cache"
        shutil.copytree(self.common_cache, self.cache)

    def value_of_program(self):
        subprocess.run([str(self.driver), "object.o", "-o", "program"], cwd=self.folder, check=True, timeout=200)
        return subprocess.run([str(self.folder / "program")], timeout=100).returncode

    def test_programs_are_as_they_were(self):
        """Also of one set of options beside another, and what the build system is told."""
        self.begin_prepared()
        self.expect(False, "-DVALUE=1", ONLY_HOST, "-MD", "-MF", "before.d", "program.cpp")
        self.expect(True, "-DVALUE=7", "-MD", "-MF", "after.d", "program.cpp")
        self.assertEqual(self.value_of_program(), 7)
        before, after = (set((self.folder / name).read_text().replace("\\\n", " ").split()) for name in ("before.d", "after.d"))
        self.assertEqual(before, after)
        kept = sorted(path.name for path in self.cache.rglob("*-headers"))
        self.assertEqual(len(kept), 2)  # host and device
        self.write("nine.cpp", PROGRAM + "static_assert(VALUE == 9);\n")
        self.expect(False, "-DVALUE=9", ONLY_HOST, "nine.cpp")

    def test_other_options(self):
        self.use_small_headers()
        for used in (False, True, True):  # seen, made, found
            self.expect(used, "-DVALUE=7", ONLY_HOST, "program.cpp")
        self.expect(False, "-DVALUE=7", ONLY_HOST, "-std=c++20", "program.cpp")

    def test_errors_are_told_once_in_the_users_line(self):
        self.write("wrong.cpp", "#include <sycl/sycl.hpp>\nint main() { sycl::queue q; q.nothing(); }\n")
        self.write("kernel.cpp", "#include <sycl/sycl.hpp>\nint state;\nvoid f(sycl::queue q) {\n"
                                 "  q.single_task([=] { state = 1; });\n}\n")
        self.begin_prepared()
        for source, place in (("wrong.cpp", "wrong.cpp:2:"), ("kernel.cpp", "kernel.cpp:4:")):
            self.assertEqual(self.compile("-DVALUE=7", source).returncode, 1)
            self.assertEqual((self.used, len(self.errors)), (True, 1), self.errors)
            self.assertIn(place, self.errors[0])

    def test_sources_that_could_tell(self):
        """Text or options before the headers, and headers of others that might have such."""
        self.use_small_headers()
        self.expect(False, "-DVALUE=7", ONLY_HOST, "program.cpp")
        self.write("own.h", "#define NDEBUG\n")
        self.write("define.cpp", "#define NDEBUG\n" + SMALL_PROGRAM)
        self.write("own.cpp", '#include "own.h"\n' + SMALL_PROGRAM)
        self.write("complex.cpp", "#include <complex.h>\n" + SMALL_PROGRAM)
        self.write("condition.cpp", "#if 1\n#endif\n" + SMALL_PROGRAM)
        self.write("spliced.cpp", "// a comment \\\n  that goes on\n" + SMALL_PROGRAM)
        self.expect(True, "-DVALUE=7", ONLY_HOST, "program.cpp")
        for source in ("define.cpp", "own.cpp", "complex.cpp", "condition.cpp", "spliced.cpp"):
            self.expect(False, "-DVALUE=7", ONLY_HOST, source)
        for _ in range(2):
            self.expect(False, "-DVALUE=7", ONLY_HOST, "-include", "own.h", "program.cpp")

    def test_folders_with_files_of_the_same_names(self):
        self.use_small_headers()
        for used in (False, True):
            self.expect(used, "-DVALUE=7", ONLY_HOST, "-I.", "program.cpp")
        self.write("mine/vector", "#include_next <vector>\n#undef VALUE\n#define VALUE 5\n")
        self.write("bits/nothing.h", "")
        for folder, value in (("-Imine", 5), ("-I.", 7)):
            self.write("program.cpp", SMALL_PROGRAM + f"static_assert(VALUE == {value});\n")
            self.expect(False, "-DVALUE=7", ONLY_HOST, folder, "program.cpp")

    def use_own_installation(self):
        """Headers that the test may change."""
        prefix = self.folder / "prefix"
        build = DRIVER.parents[1]
        (prefix / "bin").mkdir(parents=True)
        self.driver = prefix / "bin" / "lockstep++"
        shutil.copy(DRIVER, self.driver)
        shutil.copytree(build / "include" / "lockstep", prefix / "include" / "lockstep", symlinks=False)
        (prefix / "lib").symlink_to(next(build.rglob("liblockstep_sycl.so")).parent)
        header = prefix / "include" / "lockstep" / "sycl" / "version.hpp"
        text = header.read_text()
        self.write("new_value.cpp", SMALL_PROGRAM + "static_assert(new_value == 12);\n")
        return header, lambda: header.write_text(text + "\nconstexpr int new_value = 12;\n")

    def use_small_headers(self, last="<cstddef>"):
        """An installation whose headers are parsed at once."""
        header, change_header = self.use_own_installation()
        (header.parent / "sycl.hpp").write_text(f"{SMALL_SYCL}#include {last}\n")
        self.write("program.cpp", SMALL_PROGRAM)
        return header, change_header

    def test_headers_that_changed(self):
        """Of another installation, and edited there."""
        _, change_header = self.use_small_headers()
        self.expect(False, "-DVALUE=7", ONLY_HOST, "program.cpp")
        self.expect(True, "-DVALUE=7", ONLY_HOST, "program.cpp")
        change_header()
        self.expect(True, "-DVALUE=7", ONLY_HOST, "program.cpp")
        self.write("other.cpp", SMALL_PROGRAM + "static_assert(new_value == 12);\n")
        self.expect(True, "-DVALUE=7", ONLY_HOST, "other.cpp")

    def test_headers_that_change_while_they_are_parsed(self):
        """What was parsed may be the old text, so it is not kept."""
        header, change_header = self.use_small_headers("<regex>")  # which takes a while after the header that changes
        self.expect(False, "-DVALUE=7", ONLY_HOST, "program.cpp")
        os.utime(header, ns=(0, header.stat().st_mtime_ns))  # the next one who reads it leaves a time

        def change_once_it_is_read():
            end = time.monotonic() + 20
            while header.stat().st_atime_ns == 0 and time.monotonic() < end:
                time.sleep(0.001)
            change_header()

        other = threading.Thread(target=change_once_it_is_read)
        other.start()
        self.compile("-DVALUE=7", ONLY_HOST, "program.cpp")
        other.join()
        for _ in range(2):
            done = self.compile("-DVALUE=7", ONLY_HOST, "new_value.cpp")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_caches_that_cannot_be_used(self):
        """Damaged, no folder, switched off: the headers are parsed, and nothing is said."""
        self.begin_prepared()
        for entry in self.cache.rglob("*-headers"):
            entry.write_bytes(entry.read_bytes()[:100000] + b"damaged")
        self.assertEqual((self.compile("-DVALUE=7", "program.cpp").returncode, self.errors), (0, []))
        self.assertEqual(self.value_of_program(), 7)
        self.use_small_headers()
        self.write("file", "")
        self.cache = self.folder / "file"
        for _ in range(2):
            self.expect(False, "-DVALUE=7", ONLY_HOST, "program.cpp")
        self.cache = self.folder / "cache"
        os.environ["LOCKSTEP_CACHE"] = "0"
        self.addCleanup(os.environ.pop, "LOCKSTEP_CACHE")
        self.expect(False, "-DVALUE=7", ONLY_HOST, "program.cpp")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
