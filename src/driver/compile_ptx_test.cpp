// Tests what the interface for NVIDIA devices says of a kernel beside its text. IR tests
// (tests/passes) test the passes.
#include "driver/compile_ptx.h"

#include "abi/image_descriptor.h"
#include "front_ends/front_ends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace lockstep::compiler {
namespace {

using Kind = PtxParameterKind;

KernelModule program(const char *source, const char *options = "-cl-std=CL3.0") {
  std::string log;
  auto module = build_opencl_c(source, options, log);
  EXPECT_TRUE(module) << log;
  return module ? std::move(*module) : KernelModule();
}

CodeOptions options_for(const char *architecture = "sm_90") {
  auto options = code_options_for_nvidia(architecture);
  EXPECT_TRUE(options);
  return std::move(*options);
}

PtxCode compile(const KernelModule &module, PtxVariant variant = PtxVariant::plain,
                const Specialization &specialization = {}) {
  auto code = compile_to_ptx_uncached(module, "k", specialization, options_for(), variant, nullptr);
  EXPECT_TRUE(code) << (code ? "" : code.error().message);
  return code ? std::move(*code) : PtxCode();
}

std::string error_of(const char *source) {
  const KernelModule module = program(source);
  auto code = compile_to_ptx_uncached(module, "k", {}, options_for(), PtxVariant::plain, nullptr);
  EXPECT_FALSE(code);
  return code ? "" : code.error().message;
}

std::vector<std::pair<Kind, uint32_t>> kinds(const PtxCode &code) {
  std::vector<std::pair<Kind, uint32_t>> result;
  for (const PtxParameter &parameter : code.parameters)
    result.emplace_back(parameter.kind, parameter.index);
  return result;
}

const char *const kernel_that_waits = R"(
  kernel void k(global atomic_int *flags, global int *to) {
    size_t g = get_group_id(0);
    if (g > 0)
      while (!atomic_load_explicit(flags + g - 1, memory_order_acquire, memory_scope_device)) {}
    to[get_global_id(0)] = (int)get_group_id(1);
    atomic_store_explicit(flags + g, 1, memory_order_release, memory_scope_device);
  })";

TEST(CompilePtx, KernelsWhoseGroupsWaitAreKnown) {
  EXPECT_TRUE(compile(program(kernel_that_waits)).groups_wait);
  EXPECT_FALSE(compile(program(R"(
    kernel void k(global atomic_int *sum, global int *from, int n) {
      for (int i = 0; i < n; ++i)
        atomic_fetch_add(sum, from[i]);
      local atomic_int mine;
      if (get_local_id(0) == 0)
        atomic_store(&mine, 0);
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_fetch_add(&mine, 1);
      while (atomic_load(&mine) < 4) {} // only the items of the own group can end it
    })"))
                   .groups_wait);
}

TEST(CompilePtx, PersistentGroupsHaveFramesAndSites) {
  const KernelModule module = program(kernel_that_waits);
  const PtxCode code = compile(module, PtxVariant::persistent);
  EXPECT_TRUE(std::ranges::any_of(code.parameters, [](const PtxParameter &parameter) {
    return parameter.kind == Kind::group_pool;
  }));
  EXPECT_NE(code.text.find("barrier.sync"), code.text.npos) << code.text;
  EXPECT_GT(code.frames.item_bytes, 4u); // the number of the place, and something else
  EXPECT_EQ(code.frames.item_bytes % 16, 0u);
  EXPECT_EQ(code.frames.local_bytes, 0u);
  ASSERT_EQ(code.wait_sites.size(), 1u);
  EXPECT_GT(code.wait_sites[0].line, 0u);
  const PtxCode plain = compile(module);
  EXPECT_NE(plain.text.find("%ctaid"), std::string::npos);
  EXPECT_EQ(plain.frames.item_bytes, 0u);
  EXPECT_TRUE(plain.wait_sites.empty());
}

TEST(CompilePtx, PersistentGroupsMayHaveSeveralSizes) {
  const KernelModule module = program(kernel_that_waits);
  const auto parameters = kinds(compile(module, PtxVariant::persistent_of_sizes));
  for (uint32_t dimension : {0u, 1u, 2u}) {
    EXPECT_TRUE(std::ranges::count(parameters, std::pair{Kind::global_size, dimension}));
    EXPECT_TRUE(std::ranges::count(parameters, std::pair{Kind::enqueued_local_size, dimension}));
  }
}

TEST(CompilePtx, PersistentGroupsKeepLocalMemory) {
  const PtxCode code = compile(program(R"(
    kernel void k(global atomic_int *flags, global int *to) {
      local int mine[100];
      mine[get_local_id(0)] = to[get_local_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0)
        while (atomic_load(&flags[get_group_id(0)]) == 0) {}
      barrier(CLK_LOCAL_MEM_FENCE);
      to[get_global_id(0)] = mine[99 - get_local_id(0)];
    })"),
                               PtxVariant::persistent);
  EXPECT_EQ(code.frames.local_bytes, 400u);
}

TEST(CompilePtx, ParametersAreThoseOfTheKernel) {
  const PtxCode code = compile(program(R"(
    typedef struct { int a[5]; } S;
    kernel void k(global int *p, local int *l, S s, float3 v, char c, constant int *q) {
      l[get_local_id(0)] = s.a[0] + (int)v.x + c;
      p[get_global_id(0)] = l[0] + q[0];
    })"));
  EXPECT_EQ(code.entry, "k");
  EXPECT_EQ(kinds(code), (std::vector<std::pair<Kind, uint32_t>>{{Kind::pointer, 0},
                                                                 {Kind::local_offset, 1},
                                                                 {Kind::value, 2},
                                                                 {Kind::value, 3},
                                                                 {Kind::value, 4},
                                                                 {Kind::pointer, 5}}));
  std::vector<uint32_t> sizes;
  for (const PtxParameter &parameter : code.parameters)
    sizes.push_back(parameter.size);
  EXPECT_EQ(sizes, (std::vector<uint32_t>{8, 4, 20, 16, 1, 8}));
  EXPECT_TRUE(code.uses_dynamic_shared);
  EXPECT_EQ(code.static_shared, 0u);
}

TEST(CompilePtx, LocalVariablesAreStaticSharedMemory) {
  Specialization specialization;
  specialization.local_size = {16, 2, 1};
  const PtxCode code = compile(program(R"(
    kernel void k(global int *p) {
      local int tile[32];
      tile[get_local_id(0)] = p[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      p[get_global_id(0)] = tile[31 - get_local_id(0)];
    })"),
                               PtxVariant::plain, specialization);
  EXPECT_EQ(code.static_shared, 128u);
  EXPECT_FALSE(code.uses_dynamic_shared);
  EXPECT_EQ(code.local_size, specialization.local_size);
  EXPECT_NE(code.text.find(".reqntid 16, 2, 1"), std::string::npos);
}

TEST(CompilePtx, GeneralCodeHasTheLaunchAsParameters) {
  const KernelModule module = program(R"(
    kernel void k(global ulong *p) {
      p[get_global_id(1)] = get_group_id(0) + get_num_groups(2) + get_global_size(0);
    })");
  EXPECT_EQ(kinds(compile(module)), (std::vector<std::pair<Kind, uint32_t>>{{Kind::pointer, 0}}));
  EXPECT_EQ(kinds(compile(module, PtxVariant::general)),
            (std::vector<std::pair<Kind, uint32_t>>{{Kind::pointer, 0},
                                                    {Kind::global_offset, 1},
                                                    {Kind::group_base, 0},
                                                    {Kind::group_base, 1},
                                                    {Kind::num_groups, 2},
                                                    {Kind::enqueued_local_size, 1},
                                                    {Kind::global_size, 0}}));
}

TEST(CompilePtx, PrintfHasItsFormatsAndABuffer) {
  const PtxCode code = compile(program(R"(
    kernel void k(int n, float4 v) {
      printf("%d\n", n);
      printf("%v4f\n", v);
      printf("%d\n", n + 1);
    })"));
  EXPECT_EQ(code.printf_formats, (std::vector<std::string>{"%d\n", "%v4f\n"}));
  EXPECT_EQ(code.parameters.back().kind, Kind::printf_buffer);
}

TEST(CompilePtx, ProgramVariablesAreInOneBlock) {
  const KernelModule module = program(R"(
    global int first = 5;
    global long values[2] = {1, -2};
    global long *global place = &values[1];
    kernel void k(global long *p) { p[0] = first + *place; values[0] = 7; }
  )");
  const PtxCode code = compile(module);
  EXPECT_EQ(code.parameters.back().kind, Kind::variables);
  auto variables = ptx_variables(module, options_for());
  ASSERT_TRUE(variables);
  ASSERT_EQ(variables->bytes.size(), 32u);
  int64_t words[4] = {};
  std::memcpy(words, variables->bytes.data(), sizeof words);
  EXPECT_EQ(words[0], 5);
  EXPECT_EQ(words[1], 1);
  EXPECT_EQ(words[2], -2);
  EXPECT_EQ(words[3], 16); // the offset of values[1]
  EXPECT_EQ(variables->addresses, std::vector<uint64_t>{24});
}

// clang's null pointer to global memory is a cast of the generic one.
TEST(CompilePtx, ProgramVariablesMayBeNullOrTheNumberOfAnAddress) {
  const KernelModule module = program(R"(
    global int first = 5;
    global int second = 6;
    global int *global none;
    global ulong number = (ulong)&second;
    kernel void k(global ulong *p) {
      p[0] = first++ + second++ + (none == 0) + number++;
      none = &first;
    }
  )");
  auto variables = ptx_variables(module, options_for());
  ASSERT_TRUE(variables) << variables.error().message;
  ASSERT_EQ(variables->bytes.size(), 24u);
  uint64_t words[3] = {};
  std::memcpy(words, variables->bytes.data(), sizeof words);
  EXPECT_EQ(words[0], 5 + (uint64_t{6} << 32));
  EXPECT_EQ(words[1], 4u); // clang's order; the offset of `second`
  EXPECT_EQ(words[2], 0u);
  EXPECT_EQ(variables->addresses, std::vector<uint64_t>{8});
}

TEST(CompilePtx, OrdersOfUpdatesAreKept) {
  const PtxCode code = compile(program(R"(
    kernel void k(global atomic_int *p) {
      atomic_fetch_add_explicit(p, 1, memory_order_release, memory_scope_device);
    })"));
  const size_t fence = code.text.find("fence.acq_rel.gpu"), update = code.text.find("atom.global");
  EXPECT_NE(update, std::string::npos);
  EXPECT_LT(fence, update);
}

// libclc makes intrinsics of some of them, which LLVM cannot select.
TEST(CompilePtx, NativeFunctionsAreInstructions) {
  const PtxCode code = compile(program(R"(
    kernel void k(global float2 *p) {
      p[0] = native_exp(p[1]) + native_exp2(p[2]) + native_exp10(p[3]) + native_sin(p[4]);
      p[5] = native_log(p[6]) + native_log2(p[7]) + native_log10(p[8]) + native_tan(p[9]);
      p[10] = native_powr(p[11], p[12]) + native_cos(p[13]) + native_rsqrt(p[14]);
    })"));
  EXPECT_NE(code.text.find("ex2.approx.ftz.f32"), std::string::npos);
  EXPECT_NE(code.text.find("lg2.approx.ftz.f32"), std::string::npos);
}

TEST(CompilePtx, SquareRootsAreExactOnRequest) {
  const char *const source = R"(
    kernel void k(global float *p, global float4 *q) { p[0] = sqrt(p[1]); q[1] = sqrt(q[2]); })";
  const std::string exact = compile(program(source, "-cl-fp32-correctly-rounded-divide-sqrt")).text;
  EXPECT_EQ(exact.find("sqrt.approx"), std::string::npos) << exact;
  EXPECT_NE(exact.find("sqrt.rn.f32"), std::string::npos) << exact;
  EXPECT_NE(compile(program(source)).text.find("sqrt.approx"), std::string::npos);
}

TEST(CompilePtx, DivisionIsNotGuarded) {
  const KernelModule module = program("kernel void k(global int *p) { p[0] = p[1] / p[2]; }");
  EXPECT_EQ(compile(module).text.find("selp"), std::string::npos);
}

TEST(CompilePtx, FeaturesThatTheDeviceLacksAreErrors) {
  EXPECT_NE(error_of("__attribute__((intel_reqd_sub_group_size(8))) kernel void k(global int *q) {"
                     " q[0] = get_sub_group_size(); }")
                .find("sub-group size"),
            std::string::npos);
}

TEST(CompilePtx, APipeIsAPointer) {
  const PtxCode code =
      compile(program("kernel void k(read_only pipe int p, global int *q) { read_pipe(p, q); }"));
  ASSERT_EQ(code.parameters.size(), 2u);
  EXPECT_EQ(code.parameters[0].kind, PtxParameterKind::pointer);
  EXPECT_NE(code.text.find("atom.acq_rel.gpu.global.cas.b64"), std::string::npos) << code.text;
}

TEST(CompilePtx, StringsOfPrintfMayComeFromArguments) {
  EXPECT_NE(compile(program("kernel void k(constant char *s) { printf(\"%s\", s); }")).text, "");
}

constexpr uint32_t rgba_of_bytes = image_format(0x10B5, 0x10D2); // CL_RGBA, CL_UNORM_INT8
constexpr uint32_t rgba_of_floats = image_format(0x10B5, 0x10DE);

std::vector<std::pair<uint32_t, uint32_t>> words(const PtxCode &code) {
  std::vector<std::pair<uint32_t, uint32_t>> result;
  for (const PtxParameter &parameter : code.parameters)
    if (parameter.kind == Kind::image_word)
      result.emplace_back(parameter.index, parameter.offset);
  std::ranges::sort(result);
  return result;
}

std::size_t count(const std::string &text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(CompilePtx, ImagesOfKnownFormatsHaveTheirSizesAsParameters) {
  const KernelModule module = program(R"(
    kernel void k(read_only image2d_t from, sampler_t sampler, write_only image2d_t to) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      write_imagef(to, at, read_imagef(from, sampler, at) + read_imagef(from, sampler, at.yx));
    })");
  const uint32_t sampler = sampler_clamp_to_edge | sampler_nearest;
  const PtxCode code =
      compile(module, PtxVariant::plain, {.images = {rgba_of_bytes, sampler, rgba_of_floats}});
  ASSERT_GE(code.parameters.size(), 3u);
  EXPECT_EQ(code.parameters[0].kind, Kind::unused);
  EXPECT_EQ(code.parameters[1].kind, Kind::value);
  EXPECT_EQ(code.parameters[2].kind, Kind::unused);
  const uint32_t data = offsetof(ImageDescriptor, data),
                 pitch = offsetof(ImageDescriptor, row_pitch),
                 width = offsetof(ImageDescriptor, width),
                 height = offsetof(ImageDescriptor, height);
  EXPECT_EQ(words(code), (std::vector<std::pair<uint32_t, uint32_t>>{{0, data},
                                                                     {0, pitch},
                                                                     {0, width},
                                                                     {0, height},
                                                                     {2, data},
                                                                     {2, pitch},
                                                                     {2, width},
                                                                     {2, height}}));
  // One instruction for each texel.
  EXPECT_EQ(count(code.text, "ld.global.b32"), 2);
  EXPECT_EQ(count(code.text, "ld.global"), 2);
  EXPECT_EQ(count(code.text, "st.global.v4.b32"), 1);
  EXPECT_EQ(count(code.text, "st.global"), 1);
  EXPECT_EQ(code.text.find(".func"), std::string::npos);
}

TEST(CompilePtx, ImagesOfUnknownFormatsAreDescribedInMemory) {
  const PtxCode code = compile(program(R"(
    kernel void k(read_only image3d_t from, sampler_t sampler, global float4 *to) {
      to[0] = read_imagef(from, sampler, to[1]) + read_imagef(from, sampler, to[2]);
    })"));
  EXPECT_EQ(code.parameters[0].kind, Kind::image);
  EXPECT_NE(code.text.find(".func"), std::string::npos);
}

// As many as CL_DEVICE_MAX_READ_IMAGE_ARGS; a kernel has 4352 bytes of parameters.
TEST(CompilePtx, ManyImagesAreDescribedInMemory) {
  std::string source = "kernel void k(global float4 *to";
  for (int i = 0; i < 128; ++i)
    source += ", read_only image2d_t i" + std::to_string(i);
  source += ") { int2 at = (int2)(get_global_id(0), get_global_id(1)); float4 sum = 0;";
  for (int i = 0; i < 128; ++i)
    source += "sum += read_imagef(i" + std::to_string(i) + ", at);";
  const PtxCode code = compile(program((source + "to[at.x] = sum; }").c_str()), PtxVariant::general,
                               {.images = std::vector<uint32_t>(129, rgba_of_floats)});
  std::size_t bytes = 0;
  for (const PtxParameter &parameter : code.parameters)
    bytes += parameter.size;
  EXPECT_LE(bytes, 4352u);
  EXPECT_EQ(code.parameters[128].kind, Kind::image);
}

TEST(CompilePtx, LevelsOfImagesAreDescribedInMemory) {
  const PtxCode code = compile(program(R"(
    #pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
    kernel void k(read_only image2d_t from, sampler_t sampler, global float4 *to) {
      to[0] = read_imagef(from, sampler, to[1].xy, to[1].z);
    })"),
                               PtxVariant::plain, {.images = {rgba_of_floats, sampler_linear, 0}});
  EXPECT_EQ(code.parameters[0].kind, Kind::image);
}

std::array<uint32_t, 2> warp_shape(const KernelModule &module) {
  auto shape = ptx_warp_shape(module, "k", options_for());
  EXPECT_TRUE(shape);
  return shape ? *shape : std::array<uint32_t, 2>();
}

TEST(CompilePtx, WarpsAreArrangedByTheDistanceOfAccesses) {
  EXPECT_EQ(warp_shape(program("kernel void k(global float *p) { p[get_global_id(0)] = 1; }")),
            (std::array<uint32_t, 2>{32, 1}));
  EXPECT_EQ(warp_shape(program(R"(
    kernel void k(global float *to, global const float *from, int n) {
      int x = get_global_id(0), y = get_global_id(1);
      to[x * n + y] = from[y * n + x];
    })")),
            (std::array<uint32_t, 2>{8, 4}));
  // Each work-item computes 16 columns.
  EXPECT_EQ(warp_shape(program(R"(
    kernel void k(global const float *a, global const float4 *b, global float4 *c, int n) {
      int x = get_global_id(0), y = get_global_id(1);
      float4 sum[4] = {0, 0, 0, 0};
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < 4; ++j)
          sum[j] += a[y * n + i] * b[i * (n / 4) + 4 * x + j];
      for (int j = 0; j < 4; ++j)
        c[y * (n / 4) + 4 * x + j] = sum[j];
    })")),
            (std::array<uint32_t, 2>{4, 8}));
}

TEST(CompilePtx, LimitsAreErrors) {
  EXPECT_NE(error_of("__attribute__((intel_reqd_sub_group_size(16))) kernel void k() {}")
                .find("sub-group size"),
            std::string::npos);
  EXPECT_NE(error_of("kernel void k(global int *p) { local int a[13000]; int i = get_local_id(0); "
                     "a[i] = i; barrier(1); p[i] = a[p[i]]; }")
                .find("49152"),
            std::string::npos);
}

TEST(CompilePtx, ArchitecturesBeforeSm70AreUnknown) {
  EXPECT_FALSE(code_options_for_nvidia("sm_60"));
  EXPECT_FALSE(code_options_for_nvidia("znver5"));
  EXPECT_TRUE(code_options_for_nvidia("sm_120"));
}

} // namespace
} // namespace lockstep::compiler
