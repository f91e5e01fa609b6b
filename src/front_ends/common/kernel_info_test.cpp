// Tests KernelInfo of signatures that are easy to get wrong.
#include "front_ends/front_ends.h"
#include "kernel_ir/source_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::compiler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<KernelInfo> kernels_of(std::string_view source,
                                   std::string_view options = "-cl-std=CL3.0") {
  std::string log;
  auto program = build_opencl_c(source, options, log);
  EXPECT_TRUE(program) << log;
  return program ? program->kernels : std::vector<KernelInfo>{};
}

KernelInfo kernel_of(std::string_view source, std::string_view options = "-cl-std=CL3.0") {
  auto kernels = kernels_of(source, options);
  EXPECT_EQ(kernels.size(), 1u);
  return kernels.size() == 1 ? kernels[0] : KernelInfo{};
}

struct Layout {
  ArgKind kind;
  uint32_t size, alignment, offset;
  bool operator==(const Layout &) const = default;
};

std::vector<Layout> layouts_of(const KernelInfo &kernel) {
  std::vector<Layout> result;
  for (const KernelArg &arg : kernel.args)
    result.push_back({arg.kind, arg.size, arg.alignment, arg.offset});
  return result;
}

std::vector<std::string> type_names_of(std::string_view parameters) {
  KernelInfo kernel = kernel_of(
      "typedef struct { int a; } S; struct T { char c; }; typedef uint index; enum E { x };\n"
      "kernel void k(" +
          std::string(parameters) + ") {}",
      "-cl-std=CL3.0 -cl-kernel-arg-info");
  std::vector<std::string> names;
  for (const KernelArg &arg : kernel.args)
    names.push_back(arg.type_name);
  return names;
}

TEST(KernelInfo, NaturalAlignmentAndThreeVectorsAsFour) {
  KernelInfo kernel = kernel_of(
      "kernel void k(char a, double b, float3 c, char3 d, short e, global int *f, char g) {}");
  EXPECT_THAT(layouts_of(kernel),
              ElementsAre(Layout{ArgKind::value, 1, 1, 0}, Layout{ArgKind::value, 8, 8, 8},
                          Layout{ArgKind::value, 16, 16, 16}, Layout{ArgKind::value, 4, 4, 32},
                          Layout{ArgKind::value, 2, 2, 36},
                          Layout{ArgKind::global_pointer, 8, 8, 40},
                          Layout{ArgKind::value, 1, 1, 48}));
  EXPECT_EQ(kernel.argument_block_size, 56u);
}

TEST(KernelInfo, LargeVectorsAndNoArguments) {
  KernelInfo kernel = kernel_of("kernel void k(uchar a, double16 b, float8 c) {}");
  EXPECT_THAT(layouts_of(kernel),
              ElementsAre(Layout{ArgKind::value, 1, 1, 0}, Layout{ArgKind::value, 128, 128, 128},
                          Layout{ArgKind::value, 32, 32, 256}));
  kernel = kernel_of("kernel void k() {}");
  EXPECT_THAT(kernel.args, IsEmpty());
  EXPECT_EQ(kernel.argument_block_size, 0u);
}

TEST(KernelInfo, StructsByValue) {
  KernelInfo kernel =
      kernel_of("typedef struct { float4 a; int b; } S; struct T { char c[13]; };\n"
                "typedef struct __attribute__((packed)) { char a; double d; } P;\n"
                "typedef union { int i; double2 d; } U; typedef struct { int big[1000]; } B;\n"
                "kernel void k(S s, struct T t, P p, U u, B b) {}");
  EXPECT_THAT(layouts_of(kernel),
              ElementsAre(Layout{ArgKind::value, 32, 16, 0}, Layout{ArgKind::value, 13, 1, 32},
                          Layout{ArgKind::value, 9, 1, 45}, Layout{ArgKind::value, 16, 16, 64},
                          Layout{ArgKind::value, 4000, 4, 80}));
}

TEST(KernelInfo, PointerKindsAndPointees) {
  KernelInfo kernel = kernel_of(
      "struct T;\n"
      "kernel void k(global float *g, constant float *c, local char *l1, local float3 *l2, "
      "local double16 *l3, local void *l4, local struct T *l5, global int *global *gg) {}",
      "-cl-std=CL3.0 -w");
  std::vector<ArgKind> kinds;
  std::vector<uint32_t> alignments;
  for (const KernelArg &arg : kernel.args) {
    kinds.push_back(arg.kind);
    alignments.push_back(arg.pointee_alignment);
    EXPECT_EQ(arg.size, 8u);
  }
  using enum ArgKind;
  EXPECT_THAT(kinds, ElementsAre(global_pointer, constant_pointer, local_pointer, local_pointer,
                                 local_pointer, local_pointer, local_pointer, global_pointer));
  EXPECT_THAT(alignments,
              ElementsAre(1u, 1u, 1u, 16u, 128u, 128u, 128u, 1u)); // 128: unknown, so the largest
}

TEST(KernelInfo, TypeNamesAsTheSpecificationSpellsThem) {
  EXPECT_THAT(type_names_of(
                  "unsigned int a, unsigned char b, unsigned short c, unsigned long d, unsigned e"),
              ElementsAre("uint", "uchar", "ushort", "ulong", "uint"));
  EXPECT_THAT(
      type_names_of("global unsigned int *a, global const uchar4 * restrict b, constant char *c"),
      ElementsAre("uint*", "uchar4*", "char*"));
  EXPECT_THAT(type_names_of(
                  "S s, struct T t, global struct T * u, index i, local void *v, global index *w"),
              ElementsAre("S", "structT", "structT*", "index", "void*", "index*"));
  EXPECT_THAT(type_names_of("global int * global * p, const int q, signed char r"),
              ElementsAre("int**", "int", "char"));
}

// C (6.7.3) allows writes through such a cast if the object is not const.
TEST(KernelInfo, CastsThatDropConst) {
  const auto qualifiers = [](const std::string &body) {
    return kernel_of("kernel void k(global const int *a, constant int *c, global int *b) {" + body +
                         "}",
                     "-cl-std=CL3.0")
        .args[0]
        .type_qualifiers;
  };
  for (const char *reads :
       {"b[0] = a[0];", "global const char *d = (global const char *)a; b[0] = *d;",
        "b[0] = vload4(0, a).x;", "b[0] = ((global const int4 *)a)->x;", "b[0] = !a;",
        "int d = 1; const int *e = &d; b[0] = *e;", "b[0] = c[0];"})
    EXPECT_THAT(qualifiers(reads), ElementsAre("const")) << reads;
  for (const char *writes :
       {"((global int *)a)[1] = 2;", "vstore2((int2)(1), 0, (global int *)a);",
        "*(global int *)(ulong)a = 3;", "*(int *)a = 4;",
        "event_t e = async_work_group_copy((local int *)0, a, 1, 0);"
        "e = async_work_group_copy((global int *)a, (local const int *)0, 1, e);"})
    EXPECT_THAT(qualifiers(writes), ElementsAre("const", may_be_written)) << writes;
}

TEST(KernelInfo, OnlyKernelsThatCastConstCountAsWriting) {
  const auto kernels = kernels_of(R"(
void writes(global const int *a) { ((global int *)a)[0] = 1; }
void calls(global const int *a) { writes(a); }
void __attribute__((overloadable)) named(global const int *a) { *(global int *)a = 1; }
void __attribute__((overloadable)) named(global const float *a) {}
void block(global const int *a) { void (^inner)(void) = ^{ ((global int *)a)[0] = 1; }; inner(); }
kernel void reads(global const int *a, global int *b) { b[0] = a[0]; }
kernel void by_call(global const int *a) { calls(a); }
kernel void itself(global const int *a) { ((global int *)a)[0] = 1; }
kernel void by_kernel(global const int *a) { itself(a); }
kernel void by_name(global const int *a) { named(a); }
kernel void by_other_name(global const float *a) { named(a); }
kernel void by_block(global const int *a) { block(a); }
)");
  EXPECT_EQ(kernels.size(), 7u);
  for (const KernelInfo &kernel : kernels) {
    const bool only_reads = kernel.name == "reads" || kernel.name == "by_other_name";
    EXPECT_EQ(std::ranges::count(kernel.args[0].type_qualifiers, may_be_written),
              only_reads ? 0 : 1)
        << kernel.name;
  }
}

TEST(KernelInfo, Qualifiers) {
  KernelInfo kernel = kernel_of(
      "kernel void k(global const int *a, global int *restrict b, global volatile int *c, "
      "constant int *d, global int *const e, const int f, "
      "global const volatile int *restrict const g) {}",
      "-cl-kernel-arg-info");
  ASSERT_EQ(kernel.args.size(), 7u);
  EXPECT_TRUE(kernel.has_arg_info);
  EXPECT_THAT(kernel.args[0].type_qualifiers, ElementsAre("const"));
  EXPECT_THAT(kernel.args[1].type_qualifiers, ElementsAre("restrict"));
  EXPECT_THAT(kernel.args[2].type_qualifiers, ElementsAre("volatile"));
  EXPECT_THAT(kernel.args[3].type_qualifiers, ElementsAre("const"));
  EXPECT_THAT(kernel.args[4].type_qualifiers, IsEmpty());
  EXPECT_THAT(kernel.args[5].type_qualifiers, IsEmpty());
  EXPECT_THAT(kernel.args[6].type_qualifiers,
              testing::UnorderedElementsAre("const", "volatile", "restrict"));
  EXPECT_EQ(kernel.args[3].address_space, "constant");
  EXPECT_EQ(kernel.args[5].address_space, "private");
  EXPECT_EQ(kernel.args[0].access, "none");
  EXPECT_EQ(kernel.args[6].name, "g");
}

TEST(KernelInfo, NamesOnlyWithTheOption) {
  EXPECT_FALSE(kernel_of("kernel void k(int a) {}", "").has_arg_info);
  EXPECT_EQ(kernel_of("kernel void k(int a) {}", "").args[0].name, "a"); // for reports
  EXPECT_TRUE(kernel_of("kernel void k(int a) {}", "-cl-kernel-arg-info").has_arg_info);
}

TEST(KernelInfo, DenormsAreZeroWithTheOption) {
  EXPECT_FALSE(kernel_of("kernel void k() {}").denorms_are_zero);
  EXPECT_TRUE(kernel_of("kernel void k() {}", "-cl-denorms-are-zero").denorms_are_zero);
  EXPECT_TRUE(kernel_of("kernel void k() {}", "-cl-fast-relaxed-math").denorms_are_zero);
}

TEST(KernelInfo, Attributes) {
  KernelInfo kernel = kernel_of("#define HINT __attribute__((work_group_size_hint(1, 2, 3)))\n"
                                "kernel __attribute__((reqd_work_group_size( 8,\n 4, 2 ))) HINT\n"
                                "__attribute__((vec_type_hint(uint4))) void k() {}");
  EXPECT_THAT(kernel.reqd_work_group_size, ElementsAre(8u, 4u, 2u));
  EXPECT_THAT(kernel.work_group_size_hint, ElementsAre(1u, 2u, 3u));
  EXPECT_EQ(kernel.vec_type_hint, "uint4");
  EXPECT_EQ(kernel.attributes,
            "reqd_work_group_size(8,4,2) work_group_size_hint(1,2,3) vec_type_hint(uint4)");
  EXPECT_EQ(kernel_of("kernel void k() {}").attributes, "");
}

TEST(KernelInfo, LocalMemoryOfTheKernelAndWhatItCalls) {
  auto kernels = kernels_of(
      "void helper(global int *p) { }\n"
      "kernel void a(global int *p) { local int x[10]; x[p[0]] = 1; p[1] = x[p[2]]; }\n"
      "kernel void b(global int *p) { local char c; local double d; c = 1; d = 2; p[0] = c + d; }\n"
      "kernel void both(global int *p) { a(p); b(p); }\n"
      "kernel void none(global int *p) { helper(p); }\n");
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[0].local_memory_size, 40u);
  EXPECT_EQ(kernels[1].local_memory_size, 16u);
  EXPECT_EQ(kernels[2].local_memory_size, 56u);
  EXPECT_EQ(kernels[3].local_memory_size, 0u);
}

TEST(KernelInfo, UniformWorkGroups) {
  const char *source = "kernel void k() {}";
  EXPECT_TRUE(kernel_of(source, "").uniform_work_group_size);
  EXPECT_FALSE(kernel_of(source, "-cl-std=CL3.0").uniform_work_group_size);
  EXPECT_TRUE(
      kernel_of(source, "-cl-std=CL3.0 -cl-uniform-work-group-size").uniform_work_group_size);
}

TEST(KernelInfo, ProgramScopeVariables) {
  std::string log;
  auto program =
      build_opencl_c("global int counter = 3; global double table[10]; constant int c = 1;\n"
                     "kernel void k(global int *p) { p[0] = counter++ + table[1] + c; }",
                     "-cl-std=CL3.0", log);
  ASSERT_TRUE(program) << log;
  EXPECT_EQ(program->global_variable_size, 84u);
}

TEST(KernelInfo, PrivateMemory) {
  EXPECT_GE(kernel_of("kernel void k(global int *p) { int a[100]; a[p[0]] = 1; p[1] = a[p[2]]; }")
                .private_memory_size,
            400u);
}

// Kernels that clang generates for blocks are not kernels of the program.
TEST(KernelInfo, BlocksStandApart) {
  std::string log;
  auto program = build_opencl_c(
      "void helper(queue_t q, global int *p) {\n"
      "  enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *a, local void *b) { p[0] = 1; }, 4u, "
      "8u);\n"
      "}\n"
      "kernel void enqueues(queue_t q, global int *p) { helper(q, p); }\n"
      "kernel void asks(global int *p) { p[0] = is_valid_event(create_user_event()); }\n"
      "kernel void does_not(global int *p) { int (^block)(int) = ^(int x) { return 2 * x; }; p[0] "
      "= block(1); }\n",
      "-cl-std=CL3.0", log);
  ASSERT_TRUE(program) << log;
  ASSERT_EQ(program->kernels.size(), 3u);
  for (const KernelInfo &kernel : program->kernels) {
    EXPECT_EQ(kernel.enqueues, kernel.name != "does_not") << kernel.name;
    EXPECT_FALSE(kernel.explains_failures);
  }
  EXPECT_THAT(
      layouts_of(program->kernels[0]),
      ElementsAre(Layout{ArgKind::queue, 8, 8, 0}, Layout{ArgKind::global_pointer, 8, 8, 8}));
  ASSERT_EQ(program->blocks.size(), 1u);
  EXPECT_THAT(layouts_of(program->blocks[0]),
              ElementsAre(Layout{ArgKind::block, 8, 8, 0}, Layout{ArgKind::local_pointer, 8, 8, 8},
                          Layout{ArgKind::local_pointer, 8, 8, 16}));
  EXPECT_FALSE(program->blocks[0].enqueues);
  auto read_back = read_program_binary(write_binary(*program));
  ASSERT_TRUE(read_back);
  ASSERT_EQ(read_back->blocks.size(), 1u);
  EXPECT_EQ(read_back->blocks[0].name, program->blocks[0].name);
  EXPECT_TRUE(read_back->kernels[0].enqueues);
  program =
      build_opencl_c("kernel void k(global int *p) { p[0] = is_valid_event(CLK_NULL_EVENT); }",
                     "-cl-std=CL3.0 -g", log);
  ASSERT_TRUE(program) << log;
  EXPECT_TRUE(program->kernels[0].explains_failures);
}

} // namespace
} // namespace lockstep::compiler
