"""lockstep++ as build systems use it: objects, archives, a shared library, depfiles, errors told once."""

import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

DRIVER, TESTS = sys.argv[1], pathlib.Path(__file__).parent
SOURCES = TESTS / "same_name"
COMMON = ("-O1", "-g", "-fPIC")  # sources with the same options parse SYCL's headers once: prepared_headers_test.py


def run(*command, folder=None):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)


class Driver(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="lockstep-driver-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def compile(self, *arguments):
        done = run(DRIVER, *COMMON, *map(str, arguments), folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done

    def test_objects_archive_and_shared_library(self):
        self.compile("-fsycl", "-c", "-MD", "-MF", "first.d", SOURCES / "first.cpp", "-o", "first.o")
        self.compile("-c", SOURCES / "second.cpp")
        self.assertEqual(run("ar", "rcs", "libsecond.a", "second.o", folder=self.folder).returncode, 0)
        self.compile("-shared", SOURCES / "in_library.cpp", "-o", "libthird.so")
        self.compile(SOURCES / "main.cpp", "first.o", "libsecond.a", "-L.", "-lthird", "-Wl,-rpath,$ORIGIN", "-o", "all")
        self.assertEqual(run(str(self.folder / "all")).stdout, "1 2 3\n")
        self.assertIn("sycl.hpp", (self.folder / "first.d").read_text())

    def test_sources_without_kernels(self):
        (self.folder / "plain.cpp").write_text("int main() { return 7; }\n")
        self.compile("plain.cpp", "-o", "plain")
        self.assertEqual(run(str(self.folder / "plain")).returncode, 7)
        self.assertIn("LOCKSTEP", self.compile("-E", "-dM", "-include", "sycl/version.hpp", "plain.cpp").stdout)

    def test_what_was_compiled_for_another_border_is_told(self):
        """By an image that registers itself, by a source without kernels, and by headers of before there were numbers."""
        source = """
            #include <cstdio>
            #include <cstring>
            #include <sycl/sycl.hpp>
            #include <dlfcn.h>
            static const sycl::detail::image old{"0.0.9", "", 0, "", nullptr};
            int main(int, char **arguments) try {
              if (!std::strcmp(arguments[1], "image"))
                lockstep_sycl_add_image(&old);
              if (!std::strcmp(arguments[1], "source"))
                lockstep_sycl_library_of(1);
              if (!std::strcmp(arguments[1], "headers"))
                reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "_Z21lockstep_sycl_libraryv"))();
              sycl::queue queue;
            } catch (const sycl::exception &e) {
              std::puts(e.what());
              return 3;
            }
            """
        (self.folder / "program.cpp").write_text(source)
        self.compile("program.cpp", "-o", "program")
        for part, says in (("image", "lockstep++ 0.0.9,"), ("source", "border 1,"), ("headers", "without a border")):
            done = run(str(self.folder / "program"), part)
            self.assertEqual(done.returncode, 3, (part, done.stderr))
            self.assertIn(says, done.stdout)
            self.assertIn("compile all of it again", done.stdout)
        self.assertEqual(run(str(self.folder / "program"), "none").returncode, 0)

    def test_what_the_driver_needs_is_named(self):
        """Moved without its headers, or without its library."""
        driver = self.folder / "bin" / "lockstep++"
        driver.parent.mkdir()
        shutil.copy(DRIVER, driver)
        (self.folder / "plain.cpp").write_text("int main() {}\n")
        headers = self.folder / "include" / "lockstep" / "sycl"
        for missing in ("include/lockstep/sycl/sycl.hpp", "liblockstep_sycl.so"):
            done = run(str(driver), "plain.cpp", "-o", "plain", folder=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"error: .*{missing} is not there; lockstep.. was installed without it")
            self.assertFalse((self.folder / "plain").exists())
            headers.mkdir(parents=True, exist_ok=True)
            (headers / "sycl.hpp").touch()

    def test_errors_are_told_once(self):
        (self.folder / "wrong.cpp").write_text("#include <sycl/sycl.hpp>\nint main() { sycl::queue q; q.nothing(); }\n")
        done = run(DRIVER, *COMMON, "wrong.cpp", "-o", "wrong", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("wrong.cpp:2:", done.stderr)
        self.assertFalse((self.folder / "wrong").exists())

    def test_numbers_that_lose_something_in_braces_and_options_of_dpcpp(self):
        (self.folder / "narrow.cpp").write_text(
            "#include <sycl/sycl.hpp>\n"
            "int main(int n, char **) {\n"
            "  sycl::vec<float, 1> host{n + 1};\n"
            "  sycl::queue().single_task([=] { sycl::vec<float, 1> device{n + 1}; (void)device; }).wait();\n"
            "  return int(host[0]) - 2;\n"
            "}\n")
        done = run(DRIVER, *COMMON, "-fsycl", "-fno-sycl-id-queries-fit-in-int", "-fsycl-device-code-split=per_kernel",
                   "narrow.cpp", "-o", "narrow", folder=self.folder)  # what makefiles for DPC++ give
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("warning:"), 2, done.stderr)
        self.assertEqual(run("./narrow", folder=self.folder).returncode, 0)
        (self.folder / "more.cpp").write_text(
            "#include <sycl/sycl.hpp>\n"
            "int main(int, char **) {\n"
            "  long n = 4;\n"
            "  sycl::queue().single_task([=] { int pair[] = {n, 1}; (void)pair; }).wait();\n"
            "}\n")
        done = run(DRIVER, *COMMON, "more.cpp", "-o", "more", folder=self.folder)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        for option in ("-Wno-narrowing", "-Wno-error=c++11-narrowing"):
            self.assertEqual(run(DRIVER, *COMMON, "-w", option, "more.cpp", "-o", "more", folder=self.folder).returncode, 0)

    def test_a_library_that_is_unloaded(self):
        """And loaded again; its object is one for link time optimization."""
        (self.folder / "kernels.cpp").write_text("""
            #include <sycl/sycl.hpp>
            extern "C" int triple_sum(int n) {
              sycl::queue queue;
              int *values = sycl::malloc_shared<int>(n, queue), sum = 0;
              queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { values[i] = int(i) * 3; }).wait();
              for (int i = 0; i < n; ++i)
                sum += values[i];
              sycl::free(values, queue);
              return sum;
            }""")
        (self.folder / "loader.cpp").write_text("""
            #include <cstdio>
            #include <dlfcn.h>
            int main() {
              for (int n = 10; n <= 30; n += 10) {
                void *library = dlopen("./libkernels.so", RTLD_NOW);
                std::printf("%d ", reinterpret_cast<int (*)(int)>(dlsym(library, "triple_sum"))(n));
                dlclose(library);
                std::printf("%s\\n", dlopen("./libkernels.so", RTLD_NOW | RTLD_NOLOAD) ? "stays" : "gone");
              }
            }""")
        self.compile("-flto", "-fuse-ld=lld", "-shared", "kernels.cpp", "-o", "libkernels.so")
        self.compile("loader.cpp", "-o", "loader")
        done = run(str(self.folder / "loader"), folder=self.folder)
        self.assertEqual(done.stdout, "135 gone\n570 gone\n1305 gone\n", done.stderr)

    def test_libraries_that_follow_each_other_under_the_check(self):
        """At one address, with kernels of the same names: what is found is of the one that is loaded, and names its lines."""
        text = """
            #include <sycl/sycl.hpp>
            extern "C" int run(int n) {
              sycl::queue queue;
              std::vector<int> values(1 << 16, 1);
              sycl::buffer<int> buffer(values);
              queue.submit([&](sycl::handler &handler) {
                sycl::accessor data(buffer, handler);
                handler.parallel_for(sycl::nd_range<1>(n, n), [=](sycl::nd_item<1> item) {
                  const auto i = item.get_local_id(0);
                  data[(i + 1) % n] += FACTOR; // NEXT
                  if (FACTOR == 1)
                    sycl::group_barrier(item.get_group());
                  data[i] *= FACTOR; // OWN
                });
              }).wait();
              int sum = FACTOR == 1 ? 0 : values[1 << 15] - 1; // MEMORY
              sycl::host_accessor all(buffer);
              for (int i = 0; i < n; ++i)
                sum += all[i];
              return sum;
            }"""
        (self.folder / "loader.cpp").write_text("""
            #include <cstdio>
            #include <dlfcn.h>
            int main() {
              for (int n = 8; n <= 16; n += 4)
                for (int factor = 1; factor <= 2; ++factor) {
                  void *library = dlopen(factor == 1 ? "./libone.so" : "./libtwo.so", RTLD_NOW);
                  const int sum = reinterpret_cast<int (*)(int)>(dlsym(library, "run"))(n);
                  std::printf("%s ", factor == 2 ? "unordered" : sum == 2 * n ? "right" : "wrong");
                  dlclose(library);
                }
            }""")
        for number, name in ((1, "one"), (2, "two")):
            (self.folder / "kernels.cpp").write_text(text.replace("FACTOR", str(number)))
            self.compile("-shared", "kernels.cpp", "-o", f"lib{name}.so")
        self.compile("loader.cpp", "-o", "loader")
        source = text.splitlines()
        next_line, own_line, memory_line = (1 + [word in line for line in source].index(True)
                                            for word in ("// NEXT", "// OWN", "// MEMORY"))
        for kinds, findings, places in (("races,barriers", 1, (next_line, own_line)), ("commands", 1, (memory_line,)),
                                        ("races,commands", 2, (next_line, own_line, memory_line)),
                                        ("memory", 0, ()), ("undefined", 0, ())):
            with self.subTest(kinds):
                done = run(str(pathlib.Path(DRIVER).parent / "lockstep"), "check", "--only", kinds, "./loader",
                           folder=self.folder)
                self.assertEqual((done.returncode, done.stdout), (66 if findings else 0, "right unordered " * 3), done.stderr)
                self.assertEqual(len(re.findall("^lockstep check: (?:race|commands) in", done.stderr, re.M)), findings,
                                 done.stderr)
                for line in places:
                    self.assertIn(f"kernels.cpp:{line}:", done.stderr)

    def test_headers_of_others(self):
        """What programs have without asking for it elsewhere, and <complex.h>, whose I is a macro."""
        (self.folder / "headers.cpp").write_text("#include <complex.h>\n#include <sycl/sycl.hpp>\n"
                                                 "auto now() { assert(std::cout.good()); return std::chrono::steady_clock::now(); }\n")
        self.compile("-fsyntax-only", "headers.cpp")

    def test_external_functions(self):
        """Functions of other sources in kernels: in an object, an archive, a shared library. One uses a constant."""
        folder = TESTS / "external"
        self.compile("-c", folder / "object.cpp")
        self.compile("-c", folder / "archive.cpp")
        self.assertEqual(run("ar", "rcs", "libother.a", "archive.o", folder=self.folder).returncode, 0)
        self.compile("-shared", folder / "library.cpp", "-o", "liblast.so")
        self.compile(folder / "main.cpp", "object.o", "-L.", "-lother", "-llast", "-Wl,-rpath,$ORIGIN", "-o", "all")
        self.assertEqual(run(str(self.folder / "all")).stdout, "5020 321 60 35 14\n")
        done = run(DRIVER, *COMMON, str(folder / "main.cpp"), "object.o", "-L.", "-lother", "-o", "none", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("undefined reference to `in_library(int)'", done.stderr)

    def test_what_kernels_may_not_do(self):
        """One error for each line that says so, and no other."""
        source = TESTS / "driver" / "wrong_kernels.cpp"
        wanted = {number: line.split("// error: ")[1] for number, line in enumerate(source.read_text().splitlines(), 1)
                  if "// error: " in line}
        done = run(DRIVER, *COMMON, "-ferror-limit=0", "-c", str(source), folder=self.folder)
        self.assertEqual(done.returncode, 1)
        got = {}
        for line in done.stderr.splitlines():
            if ": error: " in line:
                place, sentence = line.split(": error: ")
                got.setdefault(int(place.split(":")[1]), []).append(sentence)
        self.assertEqual(sorted(got), sorted(wanted), done.stderr)
        for number, word in wanted.items():
            self.assertEqual([word in sentence for sentence in got[number]], [True], (number, got[number]))
        self.assertFalse((self.folder / "wrong_kernels.o").exists())

    def test_version_and_help(self):
        done = run(DRIVER, "--version", folder=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\Alockstep\+\+ \d+\.\d+\.\d+ \(Lockstep, SYCL 2020\)\n.*clang version 22\.")
        done = run(DRIVER, "--help", folder=self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage: lockstep++ [options] file...", done.stdout)

    def test_clangd_understands_sources(self):
        config = run(DRIVER, "--clangd-config", folder=self.folder)
        self.assertEqual(config.returncode, 0)
        headers = re.search(r'-isystem, "([^"]+)"\]\n\Z', config.stdout)[1]
        self.assertTrue((pathlib.Path(headers) / "sycl" / "sycl.hpp").is_file())
        clangd = shutil.which("clangd-22")
        if not clangd:
            self.skipTest("clangd-22 is not installed")
        (self.folder / ".clangd").write_text(config.stdout)
        (self.folder / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(self.folder), "file": "edited.cpp", "arguments": [DRIVER, "-O2", "-c", "edited.cpp"]}]))
        for member, errors in (("i[0]", 0), ("i[0].nothing", 1)):
            (self.folder / "edited.cpp").write_text(
                "#include <sycl/sycl.hpp>\n"
                f"void f(sycl::queue q, float *x) {{ q.parallel_for(8, [=](sycl::id<1> i) {{ x[i] = {member}; }}); }}\n")
            done = run(clangd, "--check=edited.cpp", "--log=error", folder=self.folder)
            found = [line for line in done.stderr.splitlines() if line.startswith("E[") and "IncludeCleaner" not in line]
            self.assertEqual(len(found), errors, done.stderr)

    def test_the_calls_that_lead_to_an_error_are_noted(self):
        (self.folder / "calls.cpp").write_text(
            "#include <sycl/sycl.hpp>\n#include <cstdio>\n#include <iostream>\n"
            "struct Base { virtual int value() const { return 1; } };\n"
            "int inner(const Base &base) { return base.value(); }\n"
            "int outer(const Base &base) { return inner(base) + 1; }\n"
            "void f(sycl::queue q) {\n"
            "  q.single_task([] { Base base; (void)outer(base); });\n"
            "  q.single_task([] { std::cout << 1 << 'a' << std::endl; });\n"
            "  q.single_task([] { printf(\"%d\", 1); });\n"
            "}\n")
        done = run(DRIVER, *COMMON, "-c", "calls.cpp", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"calls.cpp:5:38: error: .*calls a virtual function(.*\n)+calls.cpp:6:38: note: 'inner' is "
                                      r"called here\n(.*\n)+calls.cpp:8:39: note: 'outer' is called here\n")
        self.assertEqual([int(line) for line in re.findall(r"^calls.cpp:(\d+):\d+: error:", done.stderr, re.M)].count(9), 1,
                         done.stderr)
        self.assertRegex(done.stderr, r"calls.cpp:9:\d+: note: sycl::stream prints from kernels")
        self.assertRegex(done.stderr, r"calls.cpp:10:\d+: note: sycl::ext::oneapi::experimental::printf and sycl::stream print")

    def test_captures_that_other_devices_could_not_use(self):
        (self.folder / "captures.cpp").write_text(
            "#include <sycl/sycl.hpp>\n#include <string>\n#include <tuple>\n"
            "struct Mine { Mine(); Mine(const Mine &); int value; };\n"
            "template <> struct sycl::is_device_copyable<Mine> : std::true_type {};\n"
            "struct Accessors { sycl::accessor<int, 1> one; int number; };\n"
            "void f(sycl::queue q, int *p, std::string text, Mine mine, std::tuple<int, float> pair, sycl::buffer<int> buffer) {\n"
            "  int n = 3;\n"
            "  q.single_task([&] { p[0] = n; });\n"
            "  q.single_task([=] { p[0] = int(text.size()); });\n"
            "  q.single_task([=] { p[0] = mine.value + std::get<0>(pair) + n; });\n"
            "  q.submit([&](sycl::handler &h) {\n"
            "    Accessors all{{buffer, h}, 1};\n"
            "    sycl::local_accessor<int> local(1, h);\n"
            "    h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { local[0] = all.one[0] + all.number; });\n"
            "  });\n"
            "}\n")
        done = run(DRIVER, *COMMON, "-c", "captures.cpp", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        warnings = re.findall(r"^captures.cpp:(\d+):\d+: warning: a kernel captures '(\w+)' (by reference|of type)", done.stderr,
                              re.M)
        self.assertEqual(sorted(warnings), [("10", "text", "of type"), ("9", "n", "by reference"), ("9", "p", "by reference")],
                         done.stderr)
        self.assertEqual(run(DRIVER, *COMMON, "-w", "-c", "captures.cpp", folder=self.folder).stderr, "")

    def test_where_compilation_takes_its_time(self):
        (self.folder / "timed.cpp").write_text("int timed(int x) { return x + 1; }\n")
        done = run(DRIVER, *COMMON, "-ftime-report", "-ftime-trace", "-c", "timed.cpp", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\) +Front end\n")
        names = {event["name"] for event in json.loads((self.folder / "timed.json").read_text())["traceEvents"]}
        self.assertTrue({"Frontend", "Backend"} <= names, names)

    def test_output_that_is_no_file_stays(self):
        """What a failed compilation removes is a file: not a pipe, say, to which its object was written."""
        (self.folder / "wrong.cpp").write_text(
            "#include <sycl/sycl.hpp>\nint state;\nvoid f(sycl::queue q) { q.single_task([] { state = 1; }); }\n")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        writing = os.open(pipe, os.O_WRONLY)  # so that there is no end to read before the compiler is done
        os.set_blocking(reading, True)

        def drain():
            while os.read(reading, 1 << 16):
                pass

        reader = threading.Thread(target=drain)
        reader.start()
        try:
            done = run(DRIVER, *COMMON, "-c", "wrong.cpp", "-o", str(pipe), folder=self.folder)
        finally:
            os.close(writing)
            reader.join()
            os.close(reading)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(stat.S_ISFIFO(pipe.lstat().st_mode))

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
        configured = run("cmake", "-G", "Ninja", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={prefix}",
                         "-DCMAKE_CXX_COMPILER_LAUNCHER=/usr/bin/env;SEEN=1", folder=self.folder)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run("cmake", "--build", "out", folder=self.folder)
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertNotIn("warning", built.stdout)
        self.assertEqual(run(str(self.folder / "out" / "program")).stdout, "1 2 3\n")
        package = (next(prefix.rglob("lockstep.pc"))).read_text()
        self.assertIn(f"prefix={prefix}\n", package)
        self.assertTrue((prefix / "bin" / "lockstep++").exists())
        # Projects that take the compiler from a toolchain file, and a link step of DPC++'s by another compiler.
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(user CXX)\nfind_package(Lockstep REQUIRED)\n"
            f"add_executable(program {SOURCES}/main.cpp {SOURCES}/first.cpp {SOURCES}/second.cpp {SOURCES}/in_library.cpp)\n")
        toolchain = next(prefix.rglob("toolchain.cmake"))
        configured = run("cmake", "-G", "Ninja", "-S", ".", "-B", "by_toolchain", "--toolchain", str(toolchain), folder=self.folder)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run("cmake", "--build", "by_toolchain", folder=self.folder)
        self.assertEqual(built.returncode, 0, built.stdout)
        self.assertEqual(run(str(self.folder / "by_toolchain" / "program")).stdout, "1 2 3\n")
        objects = sorted(map(str, (self.folder / "by_toolchain").rglob("*.o")))
        folder = next(prefix.rglob("libsycl.so")).parent
        done = run("g++", *objects, f"-L{folder}", "-lsycl", f"-Wl,-rpath,{folder.parent}", "-o", "by_linker", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("./by_linker", folder=self.folder).stdout, "1 2 3\n")

    def device_code(self, source):
        """The kernel IR of a source, optimized, as text: it is a string in the IR of the host side."""
        host = self.compile("-S", "-emit-llvm", source, "-o", "-").stdout
        text = re.search(r'@lockstep\.image\.bitcode = .*? c"(.*?)"', host)[1]
        bitcode = re.sub(rb"\\(\\|[0-9A-F]{2})", lambda c: b"\\" if c[1] == b"\\" else bytes([int(c[1], 16)]), text.encode())
        (self.folder / "device.bc").write_bytes(bitcode)
        return run(str(pathlib.Path(DRIVER).with_name("lockstep-opt")), "-passes=default<O1>", "device.bc", folder=self.folder).stdout

    def test_scopes_of_atomics(self):
        """What is for less than the system says so in the IR."""
        (self.folder / "scopes.cpp").write_text("""
            #include <sycl/sycl.hpp>
            template <sycl::memory_scope S> using counter = sycl::atomic_ref<int, sycl::memory_order::relaxed, S>;
            void count(sycl::queue &queue, int *memory) {
              queue.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) {
                using sycl::memory_order, sycl::memory_scope;
                int *mine = memory + i[0] * 8;
                counter<memory_scope::device>(mine[0]) += 1;
                counter<memory_scope::work_item>(mine[1]).fetch_sub(2);
                counter<memory_scope::sub_group>(mine[2]).fetch_min(3);
                int old = counter<memory_scope::work_group>(mine[3]).exchange(4);
                counter<memory_scope::work_group>(mine[4]).compare_exchange_strong(old, 5, memory_order::acq_rel);
                counter<memory_scope::work_group>(mine[5]).fetch_or(6, memory_order::relaxed, memory_scope::system);
                old = counter<memory_scope::device>(mine[6]).load(memory_order::acquire, memory_scope::work_group);
                counter<memory_scope::work_group>(mine[7]).store(old);
                sycl::atomic_fence(memory_order::acq_rel, memory_scope::work_group);
                sycl::atomic_fence(memory_order::acq_rel, memory_scope::device);
              });
            }""")
        lines = re.findall(r"(atomicrmw \w+|cmpxchg|load atomic|store atomic|fence)( .*)", self.device_code("scopes.cpp"))
        scopes = [(what, (re.findall(r'syncscope\("(\w+)"\)', rest) or [""])[0]) for what, rest in lines]
        self.assertEqual(scopes,
                         [("atomicrmw add", "device"), ("atomicrmw sub", "singlethread"), ("atomicrmw min", "subgroup"),
                          ("atomicrmw xchg", "workgroup"), ("cmpxchg", "workgroup"), ("atomicrmw or", ""), ("load atomic", "workgroup"),
                          ("store atomic", "workgroup"), ("fence", "workgroup"), ("fence", "device")])

    def test_errors_that_nobody_handles_end_the_program(self):
        """At wait_and_throw, when a queue ends, and in a destructor that would wait for ever."""
        (self.folder / "program.cpp").write_text("""
            #include <sycl/sycl.hpp>
            int main(int, char **words) {
              sycl::queue queue;
              switch (words[1][0]) {
              case '1':
                queue.submit([](sycl::handler &group) { group.host_task([] { throw std::runtime_error("the task's own words"); }); });
                queue.wait_and_throw();
                break;
              case '2': {
                sycl::queue own;
                own.single_task([] { *static_cast<volatile int *>(nullptr) = 1; });
                own.wait();
                break;
              }
              case '3': {
                int value = 0;
                sycl::buffer<int> buffer(&value, 1);
                new sycl::host_accessor<int>(buffer);
                queue.submit([&](sycl::handler &group) {
                  sycl::accessor a(buffer, group);
                  group.single_task([=] { a[0] = 1; });
                });
              }
              }
            }""")
        self.compile("program.cpp", "-o", "program")
        for number, sentence in (("1", "no handler for it: the task's own words"),
                                 ("2", "no handler for it: "), ("3", "a host_accessor, which this thread made")):
            done = run(str(self.folder / "program"), number)
            self.assertEqual(done.returncode, -signal.SIGABRT, done)
            self.assertIn(sentence, done.stderr)

    def expect_messages(self, name, lines):
        """Compiles lines that end with `// kind: column: words`, where the compiler is to say that, and nothing else."""
        (self.folder / name).write_text("\n".join(lines) + "\n")
        done = run(DRIVER, *COMMON, "-c", name, folder=self.folder)
        wanted = {(number, *line.split("// ")[1].split(": ")[:2]): line.split(": ", 2)[2]
                  for number, line in enumerate(lines, 1) if "// " in line}
        got = {}
        for line, column, kind, words in re.findall(rf"^{name}:(\d+):(\d+): (warning|error): (.*)", done.stderr, re.M):
            got.setdefault((int(line), kind, column), []).append(words)
        self.assertEqual(sorted(got), sorted(wanted), done.stderr)
        for place, words in wanted.items():
            self.assertIn(words, " ".join(got[place]))

    def test_attributes_in_wrong_places(self):
        """None is dropped in silence, and each message is of the line and column where the attribute is."""
        self.expect_messages("places.cpp", [
            "#include <sycl/sycl.hpp>",
            "#define LANES(n) sycl::reqd_sub_group_size(n)",
            "[[sycl::reqd_sub_group_size(8)]] int variable; // warning: 3: only applies to functions",
            "int f(sycl::queue q, int n) {",
            "  q.parallel_for(8, [=](sycl::item<1>) [[sycl::no_such_one(1)]] {}); // warning: 42: unknown attribute",
            "  q.parallel_for(8, [=](sycl::item<1>) [[intel::no_such_one]] {}); // warning: 42: unknown attribute",
            "  q.parallel_for(8, [=](sycl::item<1>) -> void [[LANES(8)]] {}); // error: 50: cannot be applied to types",
            "  q.parallel_for(8, [=](sycl::item<1>) [[LANES(n)]] {}); // error: 42: constant expression",
            "  q.parallel_for(8, [=](sycl::item<1>) [[LANES(0)]] {}); // error: 42: constant expression",
            "  q.parallel_for(8, [=](sycl::item<1>) [[sycl::device_has(sycl::aspect(99))]] {}); // error: 48: constant expression",
            "  [[sycl::reqd_sub_group_size(8)]] ++n; // warning: 5: only applies to functions",
            "  return n + undeclared; // error: 14: undeclared",
            "}"])
        self.expect_messages("declarations.cpp", [
            "#include <sycl/sycl.hpp>",
            "struct Late { void operator()(sycl::item<1>) const; };",
            "[[sycl::reqd_work_group_size(8)]] void Late::operator()(sycl::item<1>) const {} // error: 9: first declaration",
            "struct Two { [[sycl::reqd_sub_group_size(8)]] [[sycl::reqd_sub_group_size(4)]] void",
            "  operator()(sycl::item<1>) const {} }; // error: 3: twice",
            "void f(sycl::queue q) { q.parallel_for(8, Late()); q.parallel_for(8, Two()); }"])

    def test_attributes_with_too_many_arguments(self):
        (self.folder / "many.cpp").write_text(
            "#include <sycl/sycl.hpp>\nvoid f(sycl::queue q) {\n"
            "  q.parallel_for(8, [=](sycl::item<1>) [[sycl::reqd_sub_group_size(8, 8)]] {});\n"
            "  q.parallel_for(8, [=](sycl::item<1>) [[sycl::reqd_work_group_size(1, 1, 1, 1)]] {});\n"
            "  q.parallel_for(8, [=](sycl::item<1>) [[sycl::reqd_work_group_size]] {});\n}\n")
        done = run(DRIVER, *COMMON, "-fsyntax-only", "many.cpp", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("reqd_sub_group_size has one argument (SYCL 2020 section 5.8.1)", done.stderr)
        self.assertEqual(done.stderr.count("one to three dimensions"), 2, done.stderr)
        for line in (3, 4, 5):
            self.assertIn(f"many.cpp:{line}:", done.stderr)

    def test_options_of_other_compilers(self):
        """What has a meaning has it, what has none is taken, and what would be something else is refused with a reason."""
        (self.folder / "options.cpp").write_text("""
            #include <sycl/sycl.hpp>
            #include <cstdio>
            #ifndef __SYCL_UNNAMED_LAMBDA__
            #define __SYCL_UNNAMED_LAMBDA__ 0
            #endif
            #ifdef __SYCL_DEVICE_ONLY__
            #define VALUE FROM_FRONT_END
            #else
            #define VALUE 0
            #endif
            int main() {
              sycl::queue queue;
              int *out = sycl::malloc_shared<int>(3, queue);
              queue.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) {
                out[0] = int(item.get_sub_group().get_max_local_range()[0]);
                out[1] = VALUE;
              }).wait();
              queue.parallel_for(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(4)]] {
                out[2] = int(item.get_sub_group().get_max_local_range()[0]);
              }).wait();
              std::printf("%d %d %d %d\\n", out[0], out[1], out[2], __SYCL_UNNAMED_LAMBDA__);
            }""")
        done = self.compile(
            "-fsycl", "-fsycl-targets=spir64,spir64_x86_64", "-fsycl-dead-args-optimization", "-fno-sycl-dead-args-optimization",
            "-fsycl-early-optimizations", "-fsycl-max-parallel-link-jobs=4", "-fsycl-link-huge-device-code", "-fno-sycl-rdc",
            "-fsycl-default-sub-group-size=16", "-Xsycl-target-frontend", "-DFROM_FRONT_END=7", "-fsycl-id-queries-fit-in-int",
            "-Wno-sycl-strict", "-Wsycl-target", "-Wno-error=sycl-2017-compat", "-fp-model=precise", "-xHost", "-qopenmp-simd", "options.cpp", "-lsycl",
            "-o", "options")
        self.assertEqual(done.stderr, "")
        self.assertEqual(run("./options", folder=self.folder).stdout, "16 7 4 1\n")
        (self.folder / "plain.cpp").write_text("int main() {}\n")
        self.compile("-fp-model", "fast", "-fsyntax-only", "plain.cpp")
        done = self.compile(
            "-fno-sycl-use-bitcode", "-fsycl-libspirv-path=/x", "-fsycl-new-offload-driver", "-fsycl-exp-range-rounding",
            "-ftarget-export-symbols", "-fno-sycl-add-default-spec-consts-image", "-Wno-incorrect-sub-group-size",
            "-qno-opt-calloc", "-qoverride-limits", "-no-fma", "-fma", "-no-vec", "-vec", "-vec-threshold0", "-unroll", "-unroll8",
            "-unroll=0", "-inline-level=0", "-inline-level=2", "-no-ansi-alias", "-ansi-alias", "-w1", "-w3", "-debug", "-debug",
            "full", "-diag-disable", "10441", "-diag-enable=all", "-fno-alias", "-fp-speculation=safe", "-no-ftz", "-no-prec-div",
            "-prec-sqrt", "-no-intel-lib", "-use-intel-optimized-headers", "-traceback", "-sox", "-fsyntax-only", "plain.cpp")
        self.assertEqual(done.stderr, "")
        shown = run(DRIVER, "-###", "-no-fma", "-debug", "minimal", "-unroll0", "-c", "plain.cpp", folder=self.folder).stderr
        for option in ("-ffp-contract=off", "-debug-info-kind=line-tables-only", "-fno-unroll-loops"):
            self.assertIn(option, shown)
        (self.folder / "part.cpp").write_text("int part() { return 41; }\n")
        (self.folder / "whole.cpp").write_text("extern int linked; namespace { const int first = ++linked; }\n")
        (self.folder / "main.cpp").write_text("int part(), linked; int main() { return part() + linked; }\n")
        for name in ("part", "whole"):
            self.compile("-c", f"{name}.cpp", "-o", f"{name}.o")
            run("ar", "rc", f"lib{name}.a", f"{name}.o", folder=self.folder)
        self.compile("main.cpp", "-foffload-static-lib=libpart.a", "-foffload-whole-static-lib=libwhole.a", "-o", "linked")
        self.assertEqual(run("./linked", folder=self.folder).returncode, 42)
        for option, words in (("-Xsycl-target-backend=spir64_gen -device pvc", "no effect"), ("-Xs -device", "no effect"),
                              ("-Xspirv-translator --spirv-ext=+all", "no effect"), ("-ftarget-register-alloc-mode=pvc:auto", "no effect"),
                              ("-fsycl-allow-func-ptr", "no effect"), ("-fsycl-targets=nvptx64-nvidia-cuda,spir64", "nvptx64-nvidia-cuda")):
            with self.subTest(option):
                done = run(DRIVER, *option.split(" ", 1), "-fsyntax-only", "plain.cpp", folder=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, f"lockstep..: warning: {option.split()[0].split('=')[0]}.*{words}")
        for option in ("-fsycl-host-compiler=g++", "-fsycl-targets=nvptx64-nvidia-cuda", "-fsycl-default-sub-group-size=some",
                       "-fsycl-device-only", "-fsycl-pstl-offload=gpu", "-qmkl", "-mkl=parallel", "-fp-model=slow", "-Xsycl-target-frontend",
                       "-fsycl-help", "-fintelfpga", "-fast", "-restrict", "-fopenmp-targets=spir64"):
            with self.subTest(option):
                done = run(DRIVER, "-fsyntax-only", "plain.cpp", option, folder=self.folder)
                self.assertEqual((done.returncode, done.stderr.count("error:")), (1, 1), done.stderr)
                self.assertIn(f"error: {option}", done.stderr)
                self.assertNotIn("unknown argument", done.stderr)

    def test_kernels_that_are_compiled_with_the_program(self):
        (self.folder / "aot.cpp").write_text("""
            #include <sycl/sycl.hpp>
            #include <cstdio>
            int main(int count, char **) {
              sycl::queue queue;
              int *out = sycl::malloc_shared<int>(1000, queue);
              queue.parallel_for(1000, [=](sycl::id<1> i) { out[i] = int(i) + count; }).wait();
              queue.parallel_for(sycl::nd_range<1>(1000, 40), [=](sycl::nd_item<1> item) {
                out[item.get_global_id(0)] += int(item.get_local_id(0));
              }).wait();
              if (count == 2)
                queue.submit([&](sycl::handler &handler) {
                  sycl::local_accessor<int> local(40, handler);
                  handler.parallel_for(sycl::nd_range<1>(40, 40), [=](sycl::nd_item<1> item) {
                    local[item.get_local_id(0)] = 7;
                    out[item.get_global_id(0)] = local[item.get_local_id(0)];
                  });
                }).wait();
              std::printf("%d %d\\n", out[0], out[999]);
            }""")
        done = run(DRIVER, "--aot=x86-64,native", "--aot-local-size=40", "aot.cpp", "-o", "aot", folder=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^lockstep..: note: --aot leaves out the kernel lambda at aot.cpp:14:\d+: it has a local "
                                      r"accessor, whose size only the launch knows; it is compiled when it is launched\n$")
        only = ("env", "LOCKSTEP_CACHE=0", "LOCKSTEP_AOT=only", "LOCKSTEP_REMARKS=1", "./aot")
        done = run(*only, folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (0, "1 1039\n"), done.stderr)
        self.assertIn("kernel lambda at aot.cpp:7:", done.stderr)
        self.assertNotIn("for any local size;", done.stderr)
        done = run(*only, "local", folder=self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("no code for the local size 40x1x1 and these local accessors", done.stderr)
        self.assertEqual(run("env", "LOCKSTEP_AOT=0", "./aot", "local", folder=self.folder).stdout, "7 1040\n")
        # DPC++'s spelling
        self.compile("-fsycl-targets=spir64_x86_64", "-Xsycl-target-backend", "-march=avx2", "-w", "aot.cpp", "-o", "avx2")
        done = run("env", "LOCKSTEP_CACHE=0", "LOCKSTEP_CPU=x86-64-v4", "LOCKSTEP_REMARKS=1", "./avx2", folder=self.folder)
        self.assertIn("code for x86-64-v3 that was made ahead of time", done.stderr)
        for option, words in (("--aot=", "names of processors"), ("--aot=pentium-42", "is not a processor"),
                              ("--aot-local-size=4,x", "positive numbers")):
            with self.subTest(option):
                done = run(DRIVER, option, "-c", "aot.cpp", folder=self.folder)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_a_trace_names_the_accessors_that_order_kernels(self):
        (self.folder / "order.cpp").write_text("""
            #include <sycl/sycl.hpp>
            class produce;
            class use;
            int main() {
              sycl::queue queue;
              sycl::buffer<int> data(64), other(64);
              queue.submit([&](sycl::handler &handler) {
                sycl::accessor out(data, handler, sycl::write_only);
                handler.parallel_for<produce>(64, [=](sycl::id<1> i) { out[i] = 1; });
              });
              queue.submit([&](sycl::handler &handler) {
                sycl::accessor in(data, handler, sycl::read_only);
                sycl::accessor to(other, handler, sycl::write_only);
                handler.parallel_for<use>(64, [=](sycl::id<1> i) { to[i] = in[i]; });
              });
              queue.wait();
            }""")
        self.compile("order.cpp", "-o", "order")
        tool = str(pathlib.Path(DRIVER).parent / "lockstep")
        self.assertEqual(run(tool, "trace", "-o", "t.json", "./order", folder=self.folder).returncode, 0)
        commands = {e["name"]: e["args"] for e in json.loads((self.folder / "t.json").read_text()) if e.get("cat") == "command"}
        produce, use = commands["produce"], commands["use"]
        self.assertEqual(use["because"][str(produce["command"])], "accessor 'out' -> accessor 'in'")
        graph = run(tool, "trace", "--dot", "t.json", folder=self.folder).stdout
        self.assertIn(f"c{produce['command']} -> c{use['command']} [label=\"accessor 'out' -> accessor 'in'\"];", graph)

    def test_queries_of_other_classes_are_refused(self):
        wrong = {"queue": ("int", "info::platform::name"), "device": ("int", "info::platform::name"),
                 "platform": ("int", "info::device::name"), "context": ("info::device::name", "info::queue::device"),
                 "event": ("info::event_profiling::command_end", "int"), "kernel": ("int", "info::kernel_device_specific::work_group_size")}
        calls = "\n".join(f"void use(sycl::{of} &one) {{\n" + "\n".join(f"one.get_info<{query}>();" for query in queries) + "\n}"
                          for of, queries in wrong.items())
        (self.folder / "queries.cpp").write_text("#include <sycl/sycl.hpp>\nnamespace info = sycl::info;\n" + calls +
                                                 "\nvoid right(sycl::device d, sycl::event e, sycl::kernel k, sycl::queue q) {\n"
                                                 "d.get_info<info::device::name>();\n"
                                                 "d.get_info<info::device::max_work_item_sizes<2>>();\n"
                                                 "d.get_info<info::device::platform>();\n"
                                                 "e.get_info<info::event::command_execution_status>();\n"
                                                 "e.get_profiling_info<info::event_profiling::command_end>();\n"
                                                 "k.get_info<info::kernel::function_name>();\n"
                                                 "k.get_info<info::kernel_device_specific::work_group_size>(d);\n"
                                                 "q.get_info<info::queue::context>();\n}\n")
        done = run(DRIVER, *COMMON, "-ferror-limit=0", "-fsyntax-only", "queries.cpp", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        for of, queries in wrong.items():
            article = "an" if of == "event" else "a"
            self.assertEqual(done.stderr.count(f"get_info() of {article} {of} takes a type of info::{of} (SYCL 2020 section"),
                             len(queries), done.stderr)
        self.assertNotRegex(done.stderr, r"queries\.cpp:(2[89]|3\d):\d+: error")

    def test_headers_define_no_macros_of_their_own(self):
        (self.folder / "macros.cpp").write_text("#include <sycl/sycl.hpp>\n")
        macros = self.compile("-dM", "-E", "macros.cpp").stdout
        self.assertEqual(re.findall(r"#define (\w*LOCKSTEP\w*)", macros), ["SYCL_IMPLEMENTATION_LOCKSTEP"])
        self.assertNotIn("#define __lockstep", macros)

    def test_options_that_clang_does_not_know(self):
        done = run(DRIVER, "-fno-such-option", str(SOURCES / "first.cpp"), "-c", folder=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("-fno-such-option", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
