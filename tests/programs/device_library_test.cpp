// Tests the device library as programs use it: work-item functions, fences and atomics, async
// copies, printf, generic pointers. Also tests the builtins that Lockstep implements because libclc
// lacks them or has wrong ones.
#include "opencl_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace lockstep::test {
namespace {

class DeviceLibrary : public DeviceTest {
protected:
  // Runs `body` as a kernel over `global` work-items. Its arguments are two buffers, `in` and
  // `out`.
  template <class In, class Out>
  std::vector<Out> run(const std::string &body, const char *in_type, const std::vector<In> &in,
                       const char *out_type, size_t out_count, std::vector<size_t> global,
                       std::vector<size_t> local = {}, const std::string &before = "",
                       const char *options = "-cl-std=CL3.0") {
    std::string source = before + "\nkernel void k(global const " + in_type + " *in, global " +
                         out_type + " *out) {\n" + body + "\n}\n";
    Program program = build(source.c_str(), options);
    Kernel kernel = make_kernel(program, "k");
    Memory in_buffer = make_buffer(std::max<size_t>(in.size(), 1) * sizeof(In));
    Memory out_buffer = make_buffer(out_count * sizeof(Out));
    if (!in.empty())
      write(in_buffer, in);
    write(out_buffer, std::vector<Out>(out_count));
    cl_mem buffers[] = {in_buffer, out_buffer};
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr,
                                     global.data(), local.empty() ? nullptr : local.data(), 0,
                                     nullptr, nullptr),
              CL_SUCCESS);
    return read<Out>(out_buffer, out_count);
  }

  // Computes one value per work-item, without an input.
  template <class Out>
  std::vector<Out> values(const char *type, const std::string &expression, size_t count) {
    return run<int, Out>("out[get_global_id(0)] = " + expression + ";", "int", {}, type, count,
                         {count});
  }
};

// True is -1 in an element of a vector, also if the compiler folds the expression.
TEST_F(DeviceLibrary, LogicOfConstantVectors) {
  auto out = run<int, cl_int>(
      "constant short2 x = (short2)(26, 0) || (short2)(0, 0);\n"
      "const short2 y = (short2)(26, 0) && (short2)(0, 1);\n"
      "short2 z[2] = {(short2)(1, 0) || x, !((short2)(1, 0) && (short2)(1, 0))};\n"
      "int4 w = f || (float4)(0, NAN, 0, -0.0f);\n"
      "vstore2(a, 0, out); vstore2(convert_int2(b[0]), 1, out); vstore2(convert_int2(b[1]), 2, "
      "out);\n"
      "vstore2(convert_int2(x), 3, out); vstore2(convert_int2(y), 4, out);\n"
      "vstore2(convert_int2(z[0]), 5, out); vstore2(convert_int2(z[1]), 6, out);\n"
      "vstore4(w, 0, out + 14); out[18] = out[0] || out[1]; out[19] = out[1] && out[0];",
      "int", {}, "int", 20, {1}, {},
      "constant int2 a = (int2)(5, 0) || (int2)(0, 0);\n"
      "constant float4 f = (float4)(5, 0, 1, 0);\n"
      "constant short2 b[2] = {(short2)(0, 7) && (short2)(3, 4), (ushort2)(26, 0) || "
      "(ushort2)3};\n");
  EXPECT_EQ(out, (std::vector<cl_int>{-1, 0, 0, -1, -1, -1, -1, 0, 0, 0,
                                      -1, 0, 0, -1, -1, -1, -1, 0, 1, 0}));
}

TEST_F(DeviceLibrary, WorkItemFunctionsInThreeDimensions) {
  auto out = run<int, cl_ulong>(
      "size_t i = get_global_linear_id() * 8;\n"
      "out[i] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);\n"
      "out[i + 1] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);\n"
      "out[i + 2] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);\n"
      "out[i + 3] = get_global_size(0) + 100 * get_global_size(1) + 10000 * get_global_size(2);\n"
      "out[i + 4] = get_local_size(0) + 100 * get_local_size(1) + 10000 * get_local_size(2);\n"
      "out[i + 5] = get_num_groups(0) + 100 * get_num_groups(1) + 10000 * get_num_groups(2);\n"
      "out[i + 6] = get_local_linear_id();\n"
      "out[i + 7] = get_work_dim();",
      "int", {}, "ulong", 8 * 6 * 4 * 2, {6, 4, 2}, {3, 2, 1});
  for (cl_ulong z = 0; z < 2; ++z)
    for (cl_ulong y = 0; y < 4; ++y)
      for (cl_ulong x = 0; x < 6; ++x) {
        const cl_ulong *item = &out[8 * (x + 6 * (y + 4 * z))];
        EXPECT_EQ(item[0], x + 100 * y + 10000 * z);
        EXPECT_EQ(item[1], x % 3 + 100 * (y % 2));
        EXPECT_EQ(item[2], x / 3 + 100 * (y / 2) + 10000 * z);
        EXPECT_EQ(item[3], 6u + 400 + 20000);
        EXPECT_EQ(item[4], 3u + 200 + 10000);
        EXPECT_EQ(item[5], 2u + 200 + 20000);
        EXPECT_EQ(item[6], x % 3 + 3 * (y % 2));
        EXPECT_EQ(item[7], 3u);
      }
}

TEST_F(DeviceLibrary, DimensionsThatDoNotExist) {
  auto out = run<int, cl_ulong>(
      "uint d = in[0];\n"
      "out[0] = get_global_id(d); out[1] = get_local_id(d); out[2] = get_group_id(d);\n"
      "out[3] = get_global_offset(d); out[4] = get_global_size(d); out[5] = get_local_size(d);\n"
      "out[6] = get_num_groups(d); out[7] = get_enqueued_local_size(d);",
      "int", {3}, "ulong", 8, {1});
  EXPECT_EQ(out, (std::vector<cl_ulong>{0, 0, 0, 0, 1, 1, 1, 1}));
  out = run<int, cl_ulong>("uint d = in[0]; out[0] = get_global_size(d) + "
                           "get_local_size(0xffffffffu) + get_global_id(1);",
                           "int", {2}, "ulong", 1, {1});
  EXPECT_EQ(out[0], 2u);
}

TEST_F(DeviceLibrary, LastGroupMayBeSmaller) {
  auto out = run<int, cl_ulong>(
      "size_t i = get_global_id(0) * 2; out[i] = get_local_size(0); out[i + 1] = "
      "get_enqueued_local_size(0);",
      "int", {}, "ulong", 20, {10}, {4});
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(out[2 * i], i < 8 ? 4u : 2u);
    EXPECT_EQ(out[2 * i + 1], 4u);
  }
}

TEST_F(DeviceLibrary, AtomicsOfOpenClC1) {
  auto out = run<int, cl_int>(
      "int i = get_global_id(0);\n"
      "atomic_add(out, 2); atomic_sub(out + 1, 2); atomic_inc(out + 2); atomic_dec(out + 3);\n"
      "atomic_min(out + 4, -i); atomic_max(out + 5, i); atomic_or(out + 6, 1 << (i % 31));\n"
      "atomic_and(out + 7, i); atomic_xor(out + 8, i); atomic_xchg(out + 9, 7);\n"
      "atomic_cmpxchg(out + 10, 0, 5); atom_add(out + 11, 3);\n"
      "atomic_xchg((global float *)(out + 12), 1.0f);\n"
      "atomic_max((global uint *)(out + 13), 0x80000000u + i);\n"
      "local int sum; if (get_local_id(0) == 0) sum = 0; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "atomic_add(&sum, i); barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 0) "
      "atomic_add(out + 14, sum);",
      "int", {}, "int", 15, {1000}, {50});
  EXPECT_EQ(out[0], 2000);
  EXPECT_EQ(out[1], -2000);
  EXPECT_EQ(out[2], 1000);
  EXPECT_EQ(out[3], -1000);
  EXPECT_EQ(out[4], -999);
  EXPECT_EQ(out[5], 999);
  EXPECT_EQ(out[6], 0x7fffffff);
  EXPECT_EQ(out[7], 0);
  EXPECT_EQ(out[8], 0); // 0 ^ 1 ^ ... ^ 999
  EXPECT_EQ(out[9], 7);
  EXPECT_EQ(out[10], 5);
  EXPECT_EQ(out[11], 3000);
  EXPECT_EQ(out[12], 0x3f800000);
  EXPECT_EQ(static_cast<cl_uint>(out[13]), 0x80000000u + 999);
  EXPECT_EQ(out[14], 999 * 1000 / 2);
}

TEST_F(DeviceLibrary, AtomicsOf64Bits) {
  auto out = run<int, cl_long>(
      "long i = get_global_id(0);\n"
      "atom_add(out, 10000000000L); atom_min(out + 1, -i << 33); atom_max(out + 2, i << 33);\n"
      "atom_inc(out + 3); atom_xchg(out + 4, 1L << 40); atom_cmpxchg(out + 5, 0L, 1L << 41);\n"
      "atom_or(out + 6, 1L << (i % 63));",
      "int", {}, "long", 7, {100});
  EXPECT_EQ(out, (std::vector<cl_long>{1000000000000, -(99LL << 33), 99LL << 33, 100, 1LL << 40,
                                       1LL << 41, 0x7fffffffffffffff}));
}

TEST_F(DeviceLibrary, AtomicsOfOpenClC2WithOrdersAndScopes) {
  auto out = run<int, cl_int>(
      "global atomic_int *a = (global atomic_int *)out; atomic_int *generic_a = a;\n"
      "memory_order order = in[0]; int i = get_global_id(0);\n"
      "atomic_fetch_add(a, 1); atomic_fetch_add_explicit(generic_a + 1, 2, order);\n"
      "atomic_fetch_sub_explicit(a + 2, 1, memory_order_acq_rel, memory_scope_device);\n"
      "atomic_fetch_sub_explicit(a + 11 + get_group_id(0), 1, memory_order_acq_rel, "
      "memory_scope_work_group);\n"
      "atomic_fetch_max_explicit(a + 3, i, memory_order_relaxed, memory_scope_all_svm_devices);\n"
      "atomic_fetch_min(a + 4, -i); atomic_fetch_or(a + 5, i); atomic_fetch_xor(a + 6, i); \n"
      "int seen = atomic_load_explicit(a + 7, order); \n"
      "while (!atomic_compare_exchange_weak_explicit(a + 7, &seen, seen + 3, order, "
      "memory_order_relaxed)) {}\n"
      "float wanted = atomic_load((atomic_float *)(a + 8));\n"
      "while (!atomic_compare_exchange_strong((atomic_float *)(a + 8), &wanted, wanted + 0.5f)) "
      "{}\n"
      "if (i == 5) atomic_store(a + 9, atomic_exchange(a + 10, 12) + 1);\n"
      "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device);",
      "int", {5 /* memory_order_seq_cst */}, "int", 11 + 20, {400}, {20});
  for (int group = 0; group != 20; ++group)
    EXPECT_EQ(out[std::size_t(11 + group)], -20);
  EXPECT_EQ(out[0], 400);
  EXPECT_EQ(out[1], 800);
  EXPECT_EQ(out[2], -400);
  EXPECT_EQ(out[3], 399);
  EXPECT_EQ(out[4], -399);
  EXPECT_EQ(out[5], 511);
  EXPECT_EQ(out[6], 0); // 0 ^ 1 ^ ... ^ 399
  EXPECT_EQ(out[7], 1200);
  EXPECT_EQ(out[8], 0x43480000); // 200.0f
  EXPECT_EQ(out[9], 1);
  EXPECT_EQ(out[10], 12);
}

TEST_F(DeviceLibrary, AtomicFlagAndEveryWidth) {
  auto out = run<int, cl_long>(
      "local atomic_flag flag; local atomic_ulong sum; local atomic_double real; local "
      "atomic_uintptr_t address;\n"
      "if (get_local_id(0) == 0) { atomic_flag_clear(&flag); atomic_init(&sum, 0); "
      "atomic_init(&real, 0.5);\n"
      "  atomic_init(&address, 100); }\n"
      "work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
      "if (!atomic_flag_test_and_set(&flag)) atomic_fetch_add((global atomic_long *)out, 1);\n"
      "atomic_fetch_add(&sum, 1UL << 33); atomic_fetch_sub(&address, (ptrdiff_t)1);\n"
      "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);\n"
      "if (get_local_id(0) == 0) { out[1 + get_group_id(0)] = atomic_load(&sum);\n"
      "  out[3 + get_group_id(0)] = atomic_exchange(&real, 1.0) == 0.5;\n"
      "  out[5 + get_group_id(0)] = atomic_load(&address); }",
      "int", {}, "long", 7, {32}, {16});
  EXPECT_EQ(out, (std::vector<cl_long>{2, 16LL << 33, 16LL << 33, 1, 1, 84, 84}));
}

TEST_F(DeviceLibrary, AsyncCopiesBothWaysWithStrides) {
  std::vector<cl_int> in(256);
  std::iota(in.begin(), in.end(), 0);
  auto out = run<cl_int, cl_int>(
      "local int a[64]; local int4 b[8]; local int3 c[2]; local char2 d[4];\n"
      "event_t e = async_work_group_copy(a, in + 10, 32, 0);\n"
      "e = async_work_group_strided_copy(a + 32, in, 32, 3, e);\n"
      "e = async_work_group_copy(b, (global const int4 *)in, 8, e);\n"
      "e = async_work_group_copy(c, (global const int3 *)in, 2, e);\n"
      "e = async_work_group_copy(d, (global const char2 *)in, 4, e);\n"
      "wait_group_events(1, &e);\n"
      "int i = get_local_id(0);\n"
      "a[i] += 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "event_t f[2]; f[0] = async_work_group_copy(out, a, 64, 0);\n"
      "f[1] = async_work_group_strided_copy(out + 64, a, 16, 2, 0);\n"
      "wait_group_events(2, f);\n"
      "prefetch(in, 100);\n"
      "if (i == 0) { out[100] = b[7].s3; out[101] = c[1].s2; out[102] = d[2].s0; }",
      "int", in, "int", 103, {32}, {32});
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], static_cast<int>(i) + 11);
    EXPECT_EQ(out[32 + i], static_cast<int>(i) * 3);
  }
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[64 + 2 * i], static_cast<int>(i) + 11);
    EXPECT_EQ(out[65 + 2 * i], 0);
  }
  EXPECT_EQ(out[100], 31);
  EXPECT_EQ(out[101], 6);
  EXPECT_EQ(out[102], 1);
}

// Copies in both directions with run-time strides. Some strides have specialized code, one does
// not. The bytes between the elements keep their values.
TEST_F(DeviceLibrary, StridedAsyncCopiesOfEveryType) {
  struct Type {
    const char *name;
    size_t size, used; // in bytes
  };
  constexpr Type types[] = {{"char", 1, 1},    {"ushort", 2, 2}, {"int", 4, 4},
                            {"float", 4, 4},   {"ulong", 8, 8},  {"uchar2", 2, 2},
                            {"short3", 8, 6},  {"int2", 8, 8},   {"float4", 16, 16},
                            {"long8", 64, 64}, {"int16", 64, 64}};
  constexpr size_t count = 67, copies = 5; // strides 1 to 5
  std::vector<cl_uchar> in(64 * (count * copies + 1));
  for (size_t i = 0; i != in.size(); ++i)
    in[i] = cl_uchar(i % 251 + 1);
  for (const Type &type : types) {
    const std::string number = std::to_string(count);
    auto out = run<cl_uchar, cl_uchar>(
        "local T l[" + number + "]; global const T *from = (global const T *)in + 1;\n" +
            "for (size_t stride = 1; stride <= get_num_groups(0) * 5; ++stride) {\n"
            "  global T *to = (global T *)out + (stride - 1) * " +
            std::to_string(count * copies) +
            ";\n  event_t e = async_work_group_strided_copy(l, from, " + number +
            ", stride, 0);\n  wait_group_events(1, &e);\n"
            "  e = async_work_group_strided_copy(to, l, " +
            number +
            ", stride, 0);\n"
            "  wait_group_events(1, &e);\n}",
        "uchar", in, "uchar", type.size * count * copies * copies, {4}, {4},
        std::string("typedef ") + type.name + " T;");
    for (size_t element = 0; element != count * copies * copies; ++element) {
      const size_t stride = element / (count * copies) + 1, place = element % (count * copies);
      const bool is_copied = place % stride == 0 && place / stride < count;
      for (size_t byte = 0; byte != type.used; ++byte)
        ASSERT_EQ(out[element * type.size + byte],
                  is_copied ? in[(place + 1) * type.size + byte] : 0)
            << type.name << ", stride " << stride << ", element " << place;
    }
  }
}

// OpenCL C 7.4 allows 2 ulp, also for arguments outside the domain of the processor's estimate.
TEST_F(DeviceLibrary, ReciprocalSquareRootsAreWithinTwoUlps) {
  std::vector<cl_float> in = {0.0f, -0.0f, INFINITY,  -INFINITY,   -1.0f,     NAN,
                              1.0f, 4.0f,  0x1p-149f, 0x1.8p-140f, 0x1p-126f, 0x1.fffffep127f};
  for (cl_uint bits = 1; bits < 0x7f800000u; bits += 0x7fffu)
    in.push_back(std::bit_cast<cl_float>(bits));
  in.resize((in.size() + 63) / 64 * 64, 2.0f);
  for (const char *body :
       {"out[get_global_id(0)] = rsqrt(in[get_global_id(0)]);",
        "float4 v = rsqrt((float4)(in[get_global_id(0)], 1, 4, 0)); "
        "out[get_global_id(0)] = v.y == 1 && v.z == 0.5f && isinf(v.w) ? v.x : 7;"}) {
    auto out = run<cl_float, cl_float>(body, "float", in, "float", in.size(), {in.size()}, {64});
    EXPECT_EQ(out[0], INFINITY);
    EXPECT_EQ(out[1], -INFINITY);
    EXPECT_EQ(out[2], 0.0f);
    for (size_t i : {3, 4, 5})
      EXPECT_TRUE(std::isnan(out[i])) << in[i];
    for (size_t i = 6; i != in.size(); ++i) {
      const double exact = 1 / std::sqrt(double(in[i]));
      const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
      ASSERT_LE(std::fabs(double(out[i]) - exact), 2 * ulp) << in[i];
    }
    EXPECT_EQ(out[6], 1.0f);
    EXPECT_EQ(out[7], 0.5f);
  }
}

// LLVM's vectorizer assumed that a masked counter does not wrap (hide-low-masks). Tests a loop that
// is uniform for all lanes, and sub-groups of one work-item.
TEST_F(DeviceLibrary, IndicesOfMaskedCounters) {
  std::vector<cl_uint> in(300);
  for (size_t i = 0; i != in.size(); ++i)
    in[i] = cl_uint(i * i + 7);
  for (cl_uint mask : {1u, 3u, 7u, 15u, 31u, 63u}) {
    const std::string m = std::to_string(mask);
    auto out = run<cl_uint, cl_uint>(
        "uint n = get_global_size(0) * 3, base = get_num_groups(0), sum = 0, x = get_local_id(0);\n"
        "for (uint i = 0; i < n; ++i) sum += in[base + (i & " +
            m +
            ")] * i;\n"
            "out[x] = sum; out[64 + x] = in[base + x % " +
            std::to_string(mask + 1) + "];",
        "uint", in, "uint", 128, {64}, {64});
    auto alone = run<cl_uint, cl_uint>("uint base = get_num_groups(0), x = get_local_id(0);\n"
                                       "out[x] = get_sub_group_size() == 1 ? in[base + (x & " +
                                           m + ")] : 0;",
                                       "uint", in, "uint", 64, {64}, {64},
                                       "__attribute__((intel_reqd_sub_group_size(1)))");
    cl_uint sum = 0;
    for (cl_uint i = 0; i != 192; ++i)
      sum += in[1 + (i & mask)] * i;
    for (cl_uint x = 0; x != 64; ++x) {
      ASSERT_EQ(out[x], sum) << "mask " << mask;
      ASSERT_EQ(out[64 + x], in[1 + (x & mask)]) << "mask " << mask;
      ASSERT_EQ(alone[x], in[1 + (x & mask)]) << "mask " << mask;
    }
  }
}

TEST_F(DeviceLibrary, GenericPointersAndAddressSpaces) {
  auto out = run<int, cl_int>(
      "local int l[4]; int p = 0; int *pointers[3]; pointers[0] = out; pointers[1] = l; "
      "pointers[2] = &p;\n"
      "for (int i = 0; i < 3; ++i) out[i] = which(pointers[i]);\n"
      "float f; out[3] = (int)(4 * fract(1.75f, (float *)&f)) + (int)f; int e; out[4] = "
      "(int)(frexp(12.0, &e) * 100) + e;\n"
      "local float whole; out[5] = (int)(100 * modf(2.25f, (float *)&whole)); out[6] = "
      "(int)whole;\n"
      "vstore4((int4)(1, 2, 3, 4), 0, (int *)(out + 7)); int3 v = vload3(0, (int *)(out + 7)); "
      "out[11] = v.x + v.y + v.z;\n"
      "out[12] = get_fence(pointers[1]) != 0; out[13] = to_global((int *)0) == 0;",
      "int", {}, "int", 14, {1}, {1},
      "int which(int *p) { return to_global(p) ? 1 : to_local(p) ? 3 : to_private(p) ? 0 : -1; }");
  EXPECT_EQ(out, (std::vector<cl_int>{1, 3, 0, 4, 79, 25, 2, 1, 2, 3, 4, 6, 1, 1}));
}

// Generic pointers, program-scope variables, blocks and a smaller last group are optional in OpenCL
// C 3.0; 2.0 requires them.
TEST_F(DeviceLibrary, OpenClC20) {
  std::vector<int> in(10);
  std::iota(in.begin(), in.end(), 0);
  auto out = run<int, int>("local int shared;\n"
                           "if (get_local_id(0) == 0) shared = 1000;\n"
                           "work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
                           "int own = 100, i = get_global_id(0);\n"
                           "int (^with_own)(int) = ^(int x) { return x + own; };\n"
                           "out[i] = with_own(value(&in[i])) + value(&shared) + get_local_size(0) "
                           "* 10000 + get_enqueued_local_size(0) * 100000;\n"
                           "atomic_fetch_add(&count, 1);",
                           "int", in, "int", 10, {10}, {4},
                           "global atomic_int count = ATOMIC_VAR_INIT(5);\n"
                           "int value(const int *any) { return *any; }",
                           "-cl-std=CL2.0");
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(out[i], i + 1100 + (i < 8 ? 4 : 2) * 10000 + 400000) << i;
}

TEST_F(DeviceLibrary, ConstantMemoryVectors) {
  auto out =
      run<int, cl_float>("float4 a = vload4(1, table); float3 b = vload3(1, table); float2 h = "
                         "vload_half2(0, halves);\n"
                         "vstore4(a, 0, out); vstore3(b, 0, out + 4); vstore2(h, 0, out + 7);",
                         "int", {}, "float", 9, {1}, {1},
                         "constant float table[] = {0, 1, 2, 3, 4, 5, 6, 7};\n"
                         "constant ushort bits[] = {0x3c00, 0xc000};\n"
                         "#define halves ((constant half *)bits)");
  EXPECT_EQ(out, (std::vector<cl_float>{4, 5, 6, 7, 3, 4, 5, 1, -2}));
}

TEST_F(DeviceLibrary, HalfStoresRoundAsTheirNamesSay) {
  // A number between 1 and the next half, 1 + 2^-10.
  auto out = run<cl_double, cl_ushort>(
      "global half *h = (global half *)out; double x = in[0];\n"
      "vstore_half(x, 0, h); vstore_half_rte(x, 1, h); vstore_half_rtz(x, 2, h);\n"
      "vstore_half_rtp(x, 3, h); vstore_half_rtn(x, 4, h); vstore_half_rtz(-x, 5, h);\n"
      "vstore_half_rtp(-x, 6, h); vstore_half_rtn(-x, 7, h);\n"
      "vstore_half4_rte((double4)(x, 65520, 1e-10, -INFINITY), 2, h);\n"
      "vstore_half((float)x, 12, (half *)h);",
      "double", {1 + 0x1p-11 + 0x1p-30}, "ushort", 13, {1}, {1});
  EXPECT_EQ(out, (std::vector<cl_ushort>{0x3c01, 0x3c01, 0x3c00, 0x3c01, 0x3c00, 0xbc00, 0xbc00,
                                         0xbc01, 0x3c01, 0x7c00, 0, 0xfc00, 0x3c00}));
}

TEST_F(DeviceLibrary, Gamma) {
  std::vector<cl_double> in = {1,        2,
                               5,        0.5,
                               -0.5,     -1.5,
                               10.5,     100.25,
                               171.6,    1e-300,
                               -1e-8,    3.7,
                               7.999999, 8,
                               -170.5,   -180.5,
                               172,      1e300,
                               0.0,      -0.0,
                               -3,       -std::numeric_limits<double>::infinity()};
  auto out = run<cl_double, cl_double>("int i = get_global_id(0); out[i] = tgamma(in[i]);",
                                       "double", in, "double", in.size(), {in.size()});
  for (size_t i = 0; i < 16; ++i) {
    double expected = std::tgamma(in[i]);
    double ulp = std::nextafter(std::abs(expected), INFINITY) - std::abs(expected);
    EXPECT_LE(std::abs(out[i] - expected), 20 * ulp)
        << in[i]; // 16 ulp for ours, and some for the host's
  }
  EXPECT_TRUE(std::isinf(out[16]) && std::isinf(out[17]));
  EXPECT_EQ(out[18], INFINITY);
  EXPECT_EQ(out[19], -INFINITY);
  EXPECT_TRUE(std::isnan(out[20]) && std::isnan(out[21]));
  std::vector<cl_float> floats = {0.5f, 4.5f, 34.5f, 36.0f, -2.5f, 0.001f, 5, 6};
  auto float_out = run<cl_float, cl_float>("vstore8(tgamma(vload8(0, in)), 0, out);", "float",
                                           floats, "float", 8, {1});
  for (size_t i = 0; i < floats.size(); ++i)
    EXPECT_FLOAT_EQ(float_out[i], static_cast<float>(std::tgamma(static_cast<double>(floats[i]))))
        << floats[i];
}

// C99 F.9.5.3, to which OpenCL C 7.5.1 refers. It does not specify the sign that lgamma_r stores.
TEST_F(DeviceLibrary, LogarithmOfGammaAtItsEdges) {
  const cl_float infinity = std::numeric_limits<cl_float>::infinity();
  const std::vector<cl_float> in = {1, 2, 0, -1, infinity, -infinity, NAN, 3};
  auto check = [&](const std::vector<cl_float> &out) {
    for (size_t i = 0; i < 2; ++i)
      EXPECT_EQ(out[i], 0) << in[i];
    for (size_t i = 2; i < 6; ++i)
      EXPECT_EQ(out[i], infinity) << in[i];
    EXPECT_TRUE(std::isnan(out[6]));
    EXPECT_FLOAT_EQ(out[7], std::log(2.0F));
  };
  check(run<cl_float, cl_float>("int i = get_global_id(0); out[i] = lgamma(in[i]);", "float", in,
                                "float", in.size(), {in.size()}));
  check(run<cl_float, cl_float>("int8 signs; vstore8(lgamma_r(vload8(0, in), &signs), 0, out);",
                                "float", in, "float", in.size(), {1}));
}

TEST_F(DeviceLibrary, SaturatedMultiplyAddOfLong) {
  constexpr cl_long most = std::numeric_limits<cl_long>::max(),
                    least = std::numeric_limits<cl_long>::min();
  std::vector<cl_long> in = {
      0,          -5,         7,    1,     most,       1,          1,
      most,       least,      -1,   least, 0,          most,       most,
      least,      least,      most, 5,     3000000000, 3000000000, 300000000000000000,
      4000000000, 4000000000, 0,    -1,    1,          least};
  auto out = run<cl_long, cl_long>(
      "int i = get_global_id(0); out[i] = mad_sat(in[3 * i], in[3 * i + 1], in[3 * i + 2]);",
      "long", in, "long", 9, {9});
  EXPECT_EQ(out, (std::vector<cl_long>{7, most, -1, most, most, least, most, most, least}));
}

// A product may exceed an int, and the addend may carry from the upper half beyond the type.
TEST_F(DeviceLibrary, MultiplyAddOfIntAndLong) {
  const std::vector<cl_int> in = {0, 1, -3, 65536, 46341, 2147483647, -2147483647 - 1, -4259841};
  auto out = run<cl_int, cl_long>(
      "int i = get_global_id(0), x = in[i] | 1, most = INT_MAX - (i == 99);\n"
      "out[6 * i] = mad_sat(x, x, -2);\n"
      "out[6 * i + 1] = (uint)mad_sat(x, x, -2) % 2u;\n"
      "out[6 * i + 2] = mad_sat((int2)(x), (int2)(-x), (int2)(most)).y;\n"
      "out[6 * i + 3] = mad_hi(x, x, most);\n"
      "out[6 * i + 4] = mad_hi(x, x, most) < most;\n"
      "out[6 * i + 5] = mad_hi((long)x << 32, (long)x << 32, LONG_MAX - (i == 99));",
      "int", in, "long", 6 * in.size(), {in.size()});
  constexpr cl_long most = std::numeric_limits<cl_int>::max(), least = -most - 1;
  for (size_t i = 0; i < in.size(); ++i) {
    const cl_long x = in[i] | 1, square = std::clamp(x * x - 2, least, most);
    const cl_int high = cl_int(cl_uint((x * x >> 32) + most));
    EXPECT_EQ(out[6 * i], square) << x;
    EXPECT_EQ(out[6 * i + 1], cl_uint(square) % 2) << x;
    EXPECT_EQ(out[6 * i + 2], std::clamp(x * cl_int(-cl_uint(x)) + most, least, most)) << x;
    EXPECT_EQ(out[6 * i + 3], high) << x;
    EXPECT_EQ(out[6 * i + 4], high < most) << x;
    EXPECT_EQ(cl_ulong(out[6 * i + 5]), cl_ulong(x * x) + 0x7fffffffffffffff) << x;
  }
}

// The result is the low 32 bits of the product, whatever its sign: a square may be negative.
// Constant factors are tested, too: a compiler once derived wrong facts about the upper and lower
// half.
TEST_F(DeviceLibrary, ProductsOf24BitsWrap) {
  const std::vector<cl_int> factors = {3,        46341,    -46341,     65536, 8388607, -8388608,
                                       12345678, -5000000, 0x7fffffff, 92682, -70000,  1 << 23};
  auto out = run<cl_int, cl_int>(
      "int i = get_global_id(0), x = in[i], y = in[11 - i];\n"
      "out[5 * i] = mul24(x, x);\n"
      "out[5 * i + 1] = mul24(x, x) < 0 ? convert_short_sat((float)mul24(x, x)) : 77;\n"
      "out[5 * i + 2] = mad24(x, y, INT_MAX);\n"
      "out[5 * i + 3] = mad24((int2)(x), (int2)(x), (int2)(0)).y >> 31;\n"
      "out[5 * i + 4] = (int)mul24((uint)x, (uint)y);",
      "int", factors, "int", 5 * factors.size(), {factors.size()});
  auto low = [](cl_int v) { return cl_long(cl_int(cl_uint(v) << 8)) >> 8; };
  for (size_t i = 0; i < factors.size(); ++i) {
    const cl_long x = low(factors[i]), y = low(factors[11 - i]);
    const cl_int square = cl_int(cl_uint(x * x));
    EXPECT_EQ(out[5 * i], square) << factors[i];
    EXPECT_EQ(out[5 * i + 1], square < 0 ? std::max(square, -32768) : 77) << factors[i];
    EXPECT_EQ(out[5 * i + 2], cl_int(cl_uint(x * y + 0x7fffffff))) << factors[i];
    EXPECT_EQ(out[5 * i + 3], square < 0 ? -1 : 0) << factors[i];
    EXPECT_EQ(cl_uint(out[5 * i + 4]), cl_uint((x & 0xffffff) * (y & 0xffffff))) << factors[i];
  }
}

TEST_F(DeviceLibrary, UpperHalfOfAProduct) {
  constexpr cl_long factor = 7772568800528478361;
  std::vector<cl_long> in = {0,
                             1,
                             -1,
                             -3,
                             factor,
                             -factor,
                             std::numeric_limits<cl_long>::max(),
                             std::numeric_limits<cl_long>::min()};
  auto out =
      run<cl_long, cl_long>("int i = get_global_id(0); long known = i == 1 ? -2 : -3;\n"
                            "out[4 * i] = mul_hi(in[i], 7772568800528478361L); out[4 * i + "
                            "1] = mul_hi(in[i], in[7 - i]);\n"
                            "out[4 * i + 2] = (uint)mul_hi(7772568800528478361L, known) % 3u;\n"
                            "out[4 * i + 3] = mul_hi((ulong)in[i], (ulong)in[7 - i]);",
                            "long", in, "long", 32, {8});
  for (size_t i = 0; i < in.size(); ++i) {
    auto high = [](__int128 product) { return static_cast<cl_long>(product >> 64); };
    EXPECT_EQ(out[4 * i], high(__int128{in[i]} * factor));
    EXPECT_EQ(out[4 * i + 1], high(__int128{in[i]} * in[7 - i]));
    EXPECT_EQ(out[4 * i + 2], i == 1 ? 0 : 2); // of 2^32 - 1 and 2^32 - 2
    auto unsigned_product = static_cast<unsigned __int128>(static_cast<cl_ulong>(in[i])) *
                            static_cast<cl_ulong>(in[7 - i]);
    EXPECT_EQ(out[4 * i + 3], static_cast<cl_long>(unsigned_product >> 64));
  }
}

TEST_F(DeviceLibrary, MathsOfEveryWidthAgreesWithTheHost) {
  std::vector<cl_float> in(64);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = 0.37f * static_cast<float>(i) - 9.5f;
  auto out = run<cl_float, cl_float>(
      "for (int i = 0; i < 4; ++i) vstore16(sin(vload16(i, in)) + exp(vload16(i, in)), i, out);\n",
      "float", in, "float", 64, {1});
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_NEAR(out[i], std::sin(in[i]) + std::exp(in[i]), 1e-6 * (1 + std::exp(in[i])));
}

// The compiler folds calls of builtins with constant arguments. For exp(-8103 squared), a result
// that erfc discards, libclc's exp converts an out-of-range number to int. That undefined value
// must not remove the rest of the kernel.
TEST_F(DeviceLibrary, MathsOfConstants) {
  auto out = run<int, cl_float>(
      "out[1] = 1.0f + erfc(exp(clamp(exp10(clamp(clamp(7.27f, -8.0f, 8.0f), -4.0f, 4.0f)), "
      "-9.0f, 9.0f)));\n"
      "out[0] = 5.0f;",
      "int", {}, "float", 2, {1});
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[1], 1 + std::erfc(std::exp(9.0f)));
}

// stdout contains the kernel's output when clFinish returns.
TEST_F(DeviceLibrary, Printf) {
  testing::internal::CaptureStdout();
  run<int, cl_int>("if (get_global_id(0) == 3)\n"
                   "  printf(\"%d|%5.2f|%s|%v4hld|%#x|%c|%ld|%v3hhu|%%\\n\", -7, 1.5f, \"text\", "
                   "(int4)(1, 2, 3, 4), 255, 'y', "
                   "1L << 40, (uchar3)(1, 2, 255));\n"
                   "out[get_global_id(0)] = printf(\"\");",
                   "int", {}, "int", 8, {8}, {4});
  clFinish(queue_);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "-7| 1.50|text|1,2,3,4|0xff|y|1099511627776|1,2,255|%\n");
}

// All that the argument of %s may be: a literal, a choice of literals, an array or a pointer of
// program scope. A precision limits what is read.
TEST_F(DeviceLibrary, PrintfOfStrings) {
  Program program = build(R"(
    constant char named[] = "named";
    constant char no_end[3] = {'e', 'n', 'd'};
    constant char *constant numbers[] = {"zero", "one", "two"};
    kernel void show(global const int *in) {
      const int i = in[get_global_id(0)];
      printf("%s %s %s|%5s|%-5s|%.2s|%.3s|%s|%d\n", "plain", i & 1 ? "odd" : "even", numbers[i],
             "r", "l", named, no_end, "", i);
    })",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "show");
  Memory in = make_buffer(3 * sizeof(cl_int));
  write(in, std::vector<cl_int>{2, 0, 1});
  const cl_mem memory = in;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t items = 3;
  testing::internal::CaptureStdout();
  EXPECT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  const std::string text = testing::internal::GetCapturedStdout();
  for (const char *line :
       {"plain even two|    r|l    |na|end||2\n", "plain even zero|    r|l    |na|end||0\n",
        "plain odd one|    r|l    |na|end||1\n"})
    EXPECT_NE(text.find(line), text.npos) << line << "is not in\n" << text;
}

TEST_F(DeviceLibrary, PrintfOfManyWorkItemsKeepsLinesWhole) {
  testing::internal::CaptureStdout();
  run<int, cl_int>("printf(\"item %d of %d\\n\", (int)get_global_id(0), (int)get_global_size(0));",
                   "int", {}, "int", 1, {40000}, {10});
  clFinish(queue_);
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40000);
  for (int i : {0, 1, 999, 39999})
    EXPECT_NE(text.find("item " + std::to_string(i) + " of 40000\n"), text.npos) << i;
}

} // namespace
} // namespace lockstep::test
