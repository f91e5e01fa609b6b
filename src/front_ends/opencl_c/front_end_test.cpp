// Tests what a program observes of the front end: macros, headers, diagnostics, limits.
#include "front_ends/common/device_features.h"
#include "front_ends/front_ends.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace lockstep::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

// The log of a build that must succeed.
std::string builds(std::string_view source, std::string_view options = "-cl-std=CL3.0") {
  std::string log;
  auto program = build_opencl_c(source, options, log);
  EXPECT_TRUE(program) << source << "\n" << log;
  return log;
}

std::string fails(std::string_view source, std::string_view options = "-cl-std=CL3.0",
                  ErrorKind kind = ErrorKind::build_failure) {
  std::string log;
  auto program = build_opencl_c(source, options, log);
  EXPECT_FALSE(program) << source;
  if (!program) {
    EXPECT_EQ(program.error().kind, kind);
    EXPECT_FALSE(program.error().message.empty());
  }
  EXPECT_THAT(log, HasSubstr("error"));
  return log;
}

// A source that compiles only if the preprocessor condition holds.
std::string requires_that(std::string_view condition) {
  return fmt::format("#if !({})\n#error not so\n#endif\nkernel void k() {{}}\n", condition);
}

TEST(FrontEnd, DiagnosticsNameTheSourceAndTheLine) {
  std::string log = fails("kernel void k(global int *a) {\n  a[0] = nothing;\n}\n");
  EXPECT_THAT(log, HasSubstr("<source>:2:10: error: use of undeclared identifier 'nothing'"));
  EXPECT_THAT(log, HasSubstr("1 error generated."));
}

TEST(FrontEnd, WarningsAreLoggedSuppressedOrErrors) {
  const char *source = "kernel void k(global int *a) { if (a = 0) a[0] = 1; }";
  EXPECT_THAT(builds(source), HasSubstr("warning:"));
  EXPECT_EQ(builds(source, "-w"), "");
  EXPECT_THAT(fails(source, "-Werror"), HasSubstr("error:"));
}

// Errors of newer clangs that were warnings in older ones, and thus on other platforms.
TEST(FrontEnd, OldCarelessnessIsNoError) {
  for (const auto &[source, group] : std::initializer_list<std::pair<const char *, const char *>>{
           {"kernel void k(global float2 *q) { global float4 *p = q; p[0] = 1; }",
            "-Wincompatible-pointer-types"},
           {"void f(global uint4 *p) { p[0] = 1; } kernel void k(global uint *q) { f(q + 1); }",
            "-Wincompatible-pointer-types"},
           {"kernel void k(global float *q) { global int *p; p = q; p[0] = 1; }",
            "-Wincompatible-pointer-types"},
           {"typedef struct { int a; } A; typedef struct { int b; } B;"
            "kernel void k(global A *a) { local B l; local A *p = &l; p->a = 1; *a = *p; }",
            "-Wincompatible-pointer-types"},
           {"kernel void k(global ulong *q) { global int *p = q[0]; p[0] = 1; }",
            "-Wint-conversion"},
           {"kernel void k(global ulong *q) { q[0] = q; }", "-Wint-conversion"},
           {"ulong f(global int *p) { return p; } kernel void k(global int *q) { q[0] = f(q); }",
            "-Wint-conversion"},
           {"twice(int x) { return 2 * x; } kernel void k(global int *q) { q[0] = twice(q[1]); }",
            "-Wimplicit-int"},
           {"kernel void k(global int *q) { const n = q[1]; q[0] = n; }", "-Wimplicit-int"}})
    for (const char *version : {"", "-cl-std=CL1.0", "-cl-std=CL2.0", "-cl-std=CL3.0"}) {
      EXPECT_THAT(builds(source, version), AllOf(HasSubstr("warning:"), HasSubstr(group)));
      EXPECT_EQ(builds(source, std::string(version) + " -w"), "");
      EXPECT_THAT(fails(source, std::string(version) + " -Werror"), HasSubstr("error:"));
    }
  // Errors in every version: an address space changes what the machine does.
  EXPECT_THAT(fails("kernel void k(global int *q) { local int *p = q; *p = 1; }"),
              HasSubstr("changes address space"));
  EXPECT_THAT(fails("kernel void k(global int *q) { q[0] = nowhere(q[1]); }"),
              HasSubstr("nowhere"));
}

TEST(FrontEnd, VersionMacros) {
  builds(requires_that("__OPENCL_VERSION__ == 300 && __OPENCL_C_VERSION__ == 120"), "");
  builds(requires_that("__OPENCL_C_VERSION__ == 100"), "-cl-std=CL1.0");
  builds(requires_that("__OPENCL_C_VERSION__ == 110"), "-cl-std=CL1.1");
  builds(requires_that("__OPENCL_C_VERSION__ == 300 && !defined(CL_VERSION_3_1)"), "-cl-std=CL3.0");
  builds(requires_that("__OPENCL_C_VERSION__ == 310 && CL_VERSION_3_1 == 310"),
         "-cl-std=CL3.1 -Werror");
  builds(requires_that(
      "defined(__ENDIAN_LITTLE__) && defined(__IMAGE_SUPPORT__) && !defined(__EMBEDDED_PROFILE__) "
      "&& !defined(__SPIR__) && !defined(__FAST_RELAXED_MATH__)"));
  builds(requires_that("defined(__FAST_RELAXED_MATH__)"), "-cl-fast-relaxed-math");
}

TEST(FrontEnd, ExtensionMacrosAreExactlyThoseOfTheTable) {
  std::string wanted = "defined(__OPENCL_C_VERSION__)";
  for (const NameVersion &extension : language_extensions)
    if (extension.name != "cl_ext_float_atomics") // needs the atomic types of 2.0
      wanted += fmt::format(" && defined({})", extension.name);
  for (const char *version : {"", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2"})
    builds(requires_that(wanted + " && !defined(cl_ext_float_atomics)"), version);
  wanted += " && defined(cl_ext_float_atomics)";
  builds(requires_that(wanted), "-cl-std=CL2.0");
  for (const NameVersion &feature : opencl_c_features)
    wanted += fmt::format(" && defined({})", feature.name);
  builds(requires_that(wanted));
  builds(requires_that(
      "!defined(cl_khr_gl_sharing) && !defined(cl_khr_gl_msaa_sharing) && "
      "!defined(cl_clang_storage_class_specifiers) && !defined(cl_intel_subgroups_short)"));
  builds(requires_that("!defined(__opencl_c_generic_address_space)"), "-cl-std=CL1.2");
}

TEST(FrontEnd, BitFieldsWithThePragmaOnly) {
  const std::string text = "struct S { int a : 3; uint b : 7; };\n"
                           "kernel void k(global struct S *s) { s->b += s->a; }";
  builds("#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n" + text);
  EXPECT_THAT(fails(text), HasSubstr("bit-fields are not supported in OpenCL"));
}

TEST(FrontEnd, DefinitionsWithTextAndSpaces) {
  builds(
      "#if N != 3 || !defined(FLAG)\n#error\n#endif\n"
      "constant char text[] = TEXT; kernel void k(global int *a) { a[0] = SUM(1, 2) + text[0]; }",
      R"(-D N=3 -DFLAG -DTEXT=\"hello\" -D "SUM(a, b)=a + b")");
}

TEST(FrontEnd, BuiltinNamesAreNoMacros) {
  builds("#define STRING_(x) #x\n#define STRING(x) STRING_(x)\n"
         "constant char path[] = STRING(DIR); constant char check[] = \"/home/exp/sin/min\";\n"
         "kernel void k(global int *a) { int exp = 3, log = path[6] == check[6]; a[0] = exp + log; "
         "}\n",
         "-DDIR=/home/exp/sin/min -cl-std=CL3.0");
}

TEST(FrontEnd, EmbeddedHeadersByNameAndInFolders) {
  std::string log;
  std::vector<EmbeddedHeader> headers = {{"a.h", "#include \"sub/b.h\"\n#define A B\n"},
                                         {"sub/b.h", "#include \"c.h\"\n#define B C\n"},
                                         {"sub/c.h", "#define C 7\n"}};
  auto object = compile_opencl_c("#include <a.h>\n#if A != 7\n#error\n#endif\n", "", headers, log);
  EXPECT_TRUE(object) << log;
  headers[2].source = "#define C nothing\n!\n";
  object = compile_opencl_c("#include <a.h>\nint x = A;\n", "", headers, log);
  EXPECT_FALSE(object);
  EXPECT_THAT(log, HasSubstr("sub/c.h:2:1: error"));
  EXPECT_THAT(log, Not(HasSubstr("lockstep-embedded")));
}

TEST(FrontEnd, IncludeDirectoriesAndChangedFiles) {
  auto directory =
      std::filesystem::temp_directory_path() / fmt::format("lockstep front end {}", ::getpid());
  std::filesystem::create_directories(directory);
  auto write = [&](const char *text) { std::ofstream(directory / "h.h") << text; };
  std::string options = fmt::format("-I \"{}\"", directory.string());
  write("#define VALUE 1\n");
  builds("#include \"h.h\"\n" + requires_that("VALUE == 1"), options);
  write("#define VALUE 2\n"); // the cache must notice
  fails("#include \"h.h\"\n" + requires_that("VALUE == 1"), options);
  builds("#include \"h.h\"\n" + requires_that("VALUE == 2"), options);
  std::filesystem::remove_all(directory);
  fails("#include \"h.h\"\n" + requires_that("VALUE == 2"), options);
}

TEST(FrontEnd, BadOptionsAreNamedInTheLog) {
  EXPECT_THAT(fails("", "-foo", ErrorKind::invalid_argument), HasSubstr("-foo"));
  EXPECT_THAT(fails("", "-cl-std=CL9.9", ErrorKind::invalid_argument), HasSubstr("CL9.9"));
}

TEST(FrontEnd, MissingThingsAreNamed) {
  EXPECT_THAT(fails("int helper(int); kernel void k(global int *a) { a[0] = helper(1); }"),
              HasSubstr("helper"));
  EXPECT_THAT(fails("extern constant int table; kernel void k(global int *a) { a[0] = table; }"),
              HasSubstr("table"));
  builds("int helper(int); kernel void k(global int *a) { a[0] = 1; }");
}

// clang crashes on its own macros for the null queue and the null event, and compares both types by
// instructions that LLVM lacks.
TEST(FrontEnd, QueuesAndEventsAreCompared) {
  for (const char *std : {"-cl-std=CL2.0", "-cl-std=CL3.0"})
    builds("kernel void k(global int *p) {\n"
           "  queue_t q = get_default_queue(), none = CLK_NULL_QUEUE;\n"
           "  clk_event_t e = CLK_NULL_EVENT, f = create_user_event();\n"
           "  p[0] = q == none; p[1] = q != CLK_NULL_QUEUE; p[2] = e == f; p[3] = f != "
           "CLK_NULL_EVENT;\n"
           "}\n",
           std);
}

TEST(FrontEnd, OpenClC20) {
  const std::string std = "-cl-std=CL2.0";
  builds("#if __OPENCL_C_VERSION__ != 200 || CL_VERSION_2_0 != 200 || !defined(__IMAGE_SUPPORT__)\n"
         "#error\n#endif\n",
         std);
  // Features that 2.0 introduced, without the macros of 3.0.
  builds("global int counter = 1; global atomic_int a = ATOMIC_VAR_INIT(2); int *g = &counter;\n"
         "int f(int *any) { return *any; }\n"
         "kernel void k(global int *p, global atomic_flag *flag) {\n"
         "  local int l; int v = 1; static global int s = 3; l = 2;\n"
         "  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
         "  int (^twice)(int) = ^(int x) { return 2 * x; };\n"
         "  p[0] = f(p) + f(&l) + f(&v) + s + twice(3) + get_enqueued_local_size(0);\n"
         "  atomic_fetch_add_explicit(&a, 1, memory_order_acq_rel, memory_scope_device);\n"
         "  while (atomic_flag_test_and_set(flag));\n}\n",
         std);
}

TEST(FrontEnd, CallsThatNobodyCanMakeAreRefused) {
  EXPECT_THAT(
      fails("kernel void k(global int *a) {\n  __asm__ volatile(\"foobar %0\" :: \"r\"(a[0]));\n}"),
      HasSubstr("<source>:2:3: error: inline assembly"));
  EXPECT_THAT(fails("kernel void k(global int *a) {\n"
                    "  int (^f)(int) = ^(int x) { return x; };\n"
                    "  a[0] = (a[1] ? f : f)(a[2]);\n}",
                    "-cl-std=CL2.0"),
              HasSubstr("error"));
}

TEST(FrontEnd, ReportedLimitsAreHeld) {
  const std::string std = "-cl-std=CL3.0";
  builds("global char big[16 << 20]; kernel void k(global char *a) { a[0] = big[a[1]]; }", std);
  EXPECT_THAT(fails("global char big[(16 << 20) + 1]; kernel void k(global char *a) { a[0] = "
                    "big[a[1]]; }",
                    std),
              HasSubstr("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE"));
  builds("typedef struct { char c[4096]; } S; kernel void k(S s) { }");
  EXPECT_THAT(fails("typedef struct { char c[4096]; } S; kernel void k(S s, char c) { }"),
              HasSubstr("CL_DEVICE_MAX_PARAMETER_SIZE, 4096"));
  auto with_arguments = [](int count) {
    std::string source = "kernel void k(char a0";
    for (int i = 1; i < count; ++i)
      source += fmt::format(", char a{}", i);
    return source + ") { }";
  };
  builds(with_arguments(1024)); // only their bytes count
}

TEST(FrontEnd, RecursionIsRefused) {
  EXPECT_THAT(fails("int f(int x) { return x ? f(x - 1) : 0; } kernel void k(global int *a) { a[0] "
                    "= f(3); }"),
              HasSubstr("the function f calls itself"));
  EXPECT_THAT(fails("int g(int); int f(int x) { return g(x); } int g(int x) { return f(x); }"
                    "kernel void k(global int *a) { a[0] = f(3); }"),
              HasSubstr("calls itself"));
  EXPECT_THAT(fails("kernel void k(global int *a) { k(a); }"),
              HasSubstr("the function k calls itself"));
}

TEST(FrontEnd, KernelsCallKernelsAndEmptySourcesBuild) {
  builds("kernel void a(global int *p) { *p = 1; } kernel void b(global int *p) { a(p); }");
  builds("");
  builds("// nothing\n");
}

TEST(FrontEnd, NestingThatOverflowsOrdinaryStacks) {
  auto kernel = [](const std::string &expression) {
    return "kernel void k(global int *a) { a[0] = " + expression + "; }";
  };
  auto repeated = [](size_t count, const char *text) {
    std::string result;
    for (size_t i = 0; i < count; ++i)
      result += text;
    return result;
  };
  builds(kernel("a[1]" + repeated(5000, "+a[2]")), "-w");
  builds(kernel(repeated(5000, "~") + "a[1]"), "-w");
  builds(kernel(repeated(5000, "a[1] ? 1 : ") + "0"), "-w");
  builds("kernel void k(global int *a) { " + repeated(3000, "if (a[1]) a[0] = 1; else ") + "; }",
         "-w");
  fails(kernel(repeated(100000, "(") + "1" + repeated(100000, ")")), "-w"); // clang's bracket depth
  fails(kernel(repeated(100000, "{")), "-w");
}

// Each expression has a source location, and clang may count its column from the start of the line.
TEST(FrontEnd, OneLineOfHalfAMegabyte) {
  std::string source = "kernel void k(global int *a) { int x = a[0];";
  for (int i = 0; i < 25000; ++i)
    source += " x = x * 3 + " + std::to_string(i) + ";";
  const auto begin = std::chrono::steady_clock::now();
  builds(source + " a[0] = x; }");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 30); // 1 s, or minutes
}

// clang compares unknown names with those that it knows: 1 s, or minutes.
TEST(FrontEnd, NamesOf200000Letters) {
  const std::string name(200000, 'n');
  const auto begin = std::chrono::steady_clock::now();
  fails("kernel void k(global int *a) { int " + name + "a = 1; a[0] = " + name + "b; }");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(took.count(), 30);
}

// clang would report each such error with 4 GiB of blanks.
TEST(FrontEnd, NumbersOfLinesThatWrapAround) {
  for (const char *line : {"#line 4294967290", "# 4294967290"}) {
    const std::string log = fails(std::string(line) + "\nkernel void k() {\n  a;\n}\n");
    EXPECT_LT(log.size(), 4096u);
    EXPECT_THAT(log, HasSubstr("undeclared identifier 'a'"));
  }
}

TEST(FrontEnd, LogsHaveAnEnd) {
  std::string source;
  for (int i = 0; i < 40; ++i)
    source += "#error " + std::string(1 << 20, 'x') + "\n";
  const std::string log = fails(source);
  EXPECT_LT(log.size(), size_t{17} << 20);
  EXPECT_THAT(log.substr(log.size() - 100), HasSubstr("left out"));
}

TEST(FrontEnd, GarbageIsAnError) {
  fails(std::string(100000, '\xff'));
  fails(std::string("kernel void k() { \0 @ }", 23));
  fails("#include __FILE__\n");
  fails("#include \"/dev/null/nothing\"\n");
  fails("#error " + std::string(1 << 20, 'x') + "\n");
}

TEST(FrontEnd, TheWorkingDirectoryHasBeenRemoved) {
  const std::filesystem::path before = std::filesystem::current_path();
  const auto removed =
      std::filesystem::temp_directory_path() / fmt::format("removed{}", ::getpid());
  std::filesystem::create_directory(removed);
  std::filesystem::current_path(removed);
  std::filesystem::remove(removed);
  builds("kernel void k(global float *a) { a[0] = sin(a[1]); }");
  EXPECT_THAT(fails("#include \"nothing.h\"\nkernel void k() {}"),
              HasSubstr("'nothing.h' file not found"));
  std::filesystem::current_path(before);
}

TEST(FrontEnd, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> built = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t, &built] {
      for (int i = 0; i < 5; ++i) {
        std::string log;
        std::string value = std::to_string(t * 100 + i) + "+" + std::to_string(::getpid());
        built += bool(build_opencl_c(
            "kernel void k(global float *a) { a[0] = sin(a[1]) + " + value + "; }", "", log));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(built, 40);
}

} // namespace
} // namespace lockstep::compiler
