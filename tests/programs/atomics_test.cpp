// Compares atomic functions of OpenCL C 2.0 with the host's arithmetic: every type, operation,
// order and scope; cl_ext_float_atomics; and orders that the compiler rejects.
#include "half_numbers.h"
#include "opencl_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

using namespace lockstep::test;

namespace {

constexpr cl_device_info single_capabilities =
    0x4231; // CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
constexpr cl_device_info double_capabilities = 0x4232, half_capabilities = 0x4233;
constexpr cl_ulong all_capabilities = 7 | 7 << 16;

class Atomics : public DeviceTest {
protected:
  void run(const std::string &source, cl_mem out, size_t items, size_t local) {
    Program program = build(source.c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof out, &out), CL_SUCCESS);
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  }
  bool has_extension(const std::string &name) {
    std::string list(1 << 14, '\0');
    clGetDeviceInfo(device_, CL_DEVICE_EXTENSIONS, list.size(), list.data(), nullptr);
    return (" " + list).find(" " + name) != std::string::npos;
  }
};

constexpr size_t items = 256, local_items = 64;

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// Applies each operation to its own variable, in global, generic and local memory, by all
// work-items. It checks the operation's result if that does not depend on the order. T: type, A:
// atomic type, F(x): arguments of an explicit form. Operations of a single work-item use one of the
// first four, as there may be no more.
const char *const integer_kernel = R"(
  #define APPLY(p, i)                                                                     \
    atomic_fetch_add_explicit(p + 0, (T)(i + 1) F);                                       \
    atomic_fetch_sub_explicit(p + 1, (T)(3 * i) F);                                       \
    atomic_fetch_or_explicit(p + 2, (T)1 << (i % 31) F);                                  \
    atomic_fetch_and_explicit(p + 3, ~((T)1 << (i % 31)) F);                              \
    atomic_fetch_xor_explicit(p + 4, (T)i << 3 F);                                        \
    atomic_fetch_min_explicit(p + 5, (T)100 - (T)i F);                                    \
    atomic_fetch_max_explicit(p + 6, (T)i - (T)100 F);                                    \
    if (i == 2) sum += atomic_exchange_explicit(p + 7, (T)77 F);                          \
    { T seen = atomic_load_explicit(p + 8 L);                                             \
      while (!atomic_compare_exchange_weak_explicit(p + 8, &seen, seen * 3 + 1 C)) ; }    \
    { T seen = atomic_load_explicit(p + 9 L);                                             \
      while (!atomic_compare_exchange_strong_explicit(p + 9, &seen, seen + 2 C)) ; }      \
    if (i == 1) { atomic_init(p + 10, (T)5); }                                            \
    if (i == 3) atomic_store_explicit(p + 11, (T)-9 S);
  kernel void k(global A *out) {
    T i = (T)get_global_id(0), sum = 0;
    APPLY(out, i)
    volatile A *generic_out = out + 12;
    APPLY(generic_out, i)
    local A scratch[12];
    for (uint j = get_local_id(0); j < 12; j += get_local_size(0)) atomic_init(scratch + j, (T)40);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    i = (T)get_local_id(0);
    APPLY(scratch, i)
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) == get_num_groups(0) / 2)
      for (uint j = get_local_id(0); j < 12; j += get_local_size(0))
        atomic_store(out + 24 + j, atomic_load(scratch + j));
  }
)";

template <class T> void apply(T *p, size_t count) {
  using U = std::make_unsigned_t<T>;
  for (size_t number = 0; number < count; ++number) {
    const T i = T(number);
    p[0] = T(U(p[0]) + U(i + 1));
    p[1] = T(U(p[1]) - U(3 * i));
    p[2] |= T(U{1} << (number % 31));
    p[3] &= T(~(U{1} << (number % 31)));
    p[4] ^= T(U(i) << 3);
    p[5] = std::min(p[5], T(U{100} - U(i)));
    p[6] = std::max(p[6], T(U(i) - U{100}));
    p[8] = T(U(p[8]) * 3 + 1);
    p[9] = T(U(p[9]) + 2);
    if (number == 2)
      p[7] = 77;
    if (number == 1)
      p[10] = 5;
    if (number == 3)
      p[11] = T(-9);
  }
}

// The largest set of work-items that may share an object with this scope: others would race.
enum class Scope { device, work_group, sub_group };

struct Form {
  const char *any, *load, *store, *both;
  Scope scope = Scope::device;
};
// If no scope is given, the form has only an order. The failure order is not stronger than the
// success order.
const Form forms[] = {
    {", memory_order_relaxed", ", memory_order_relaxed", ", memory_order_relaxed",
     ", memory_order_relaxed, memory_order_relaxed"},
    {", memory_order_acquire", ", memory_order_acquire", ", memory_order_relaxed",
     ", memory_order_acquire, memory_order_acquire"},
    {", memory_order_release, memory_scope_device", ", memory_order_relaxed, memory_scope_device",
     ", memory_order_release, memory_scope_device",
     ", memory_order_release, memory_order_relaxed, memory_scope_device"},
    {", memory_order_acq_rel, memory_scope_work_group",
     ", memory_order_acquire, memory_scope_work_group",
     ", memory_order_release, memory_scope_work_group",
     ", memory_order_acq_rel, memory_order_acquire, memory_scope_work_group", Scope::work_group},
    {", memory_order_seq_cst, memory_scope_all_svm_devices",
     ", memory_order_seq_cst, memory_scope_all_svm_devices",
     ", memory_order_seq_cst, memory_scope_all_svm_devices",
     ", memory_order_seq_cst, memory_order_seq_cst, memory_scope_all_svm_devices"},
    {", memory_order_seq_cst, memory_scope_sub_group",
     ", memory_order_seq_cst, memory_scope_sub_group",
     ", memory_order_seq_cst, memory_scope_sub_group",
     ", memory_order_seq_cst, memory_order_acquire, memory_scope_sub_group", Scope::sub_group},
};

class Integers : public Atomics {
protected:
  bool has_scope_of_all_devices() const {
    cl_device_atomic_capabilities scopes = 0;
    clGetDeviceInfo(device_, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof scopes, &scopes, nullptr);
    return scopes & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
  }
  template <class T> void try_type(const std::string &type, const Form &form) {
    SCOPED_TRACE(type + form.any);
    if (std::string(form.any).find("all_svm_devices") != std::string::npos &&
        !has_scope_of_all_devices())
      return;
    std::string source = integer_kernel;
    for (auto [from, to] :
         {std::pair{" F)", form.any}, {" L)", form.load}, {" S)", form.store}, {" C)", form.both}})
      source = replaced(source, from, std::string(to) + ")");
    source = "typedef " + type + " T;\ntypedef atomic_" + type + " A;\n" + source;
    size_t all = items, local = form.scope == Scope::device ? local_items : items;
    if (form.scope == Scope::sub_group) {
      const bool has_four = has_sub_group_size(4);
      all = local = has_four ? 4 : 1;
      if (has_four)
        source = replaced(source, "kernel void",
                          "__attribute__((intel_reqd_sub_group_size(4))) kernel void");
    }
    std::vector<T> expected(36, T(40));
    Memory out = make_buffer(expected.size() * sizeof(T));
    write(out, expected);
    run(source, out, all, local);
    apply(expected.data(), all);
    apply(expected.data() + 12, all);
    apply(expected.data() + 24, local);
    EXPECT_EQ(read<T>(out, expected.size()), expected);
  }
};

TEST_F(Integers, OfEachTypeInEachOrderAndScope) {
  for (size_t i = 0; i < std::size(forms); ++i) {
    if (i % 2) {
      try_type<cl_int>("int", forms[i]);
      try_type<cl_ulong>("ulong", forms[i]);
    } else {
      try_type<cl_uint>("uint", forms[i]);
      try_type<cl_long>("long", forms[i]);
    }
  }
  try_type<cl_ulong>("size_t", forms[0]);
  try_type<cl_long>("ptrdiff_t", forms[1]);
  try_type<cl_ulong>("uintptr_t", forms[3]);
  try_type<cl_long>("intptr_t", forms[4]);
}

// ---- initializers, flags

TEST_F(Atomics, ProgramScopeInitializers) {
  Memory out = make_buffer(64);
  run(R"(global atomic_int a = ATOMIC_VAR_INIT(-5);
         global atomic_ulong b = ATOMIC_VAR_INIT(1UL << 40);
         global atomic_float c = ATOMIC_VAR_INIT(1.5f);
         global atomic_double d = ATOMIC_VAR_INIT(-0.25);
         global atomic_flag f = ATOMIC_FLAG_INIT;
         kernel void k(global double *out) {
           out[0] = atomic_load(&a); out[1] = atomic_load(&b); out[2] = atomic_load(&c);
           out[3] = atomic_load(&d);
           out[4] = atomic_flag_test_and_set_explicit(&f, memory_order_acquire);
           out[5] = atomic_flag_test_and_set(&f);
           atomic_flag_clear_explicit(&f, memory_order_release, memory_scope_device);
           out[6] = atomic_flag_test_and_set(&f);
         })",
      out, 1, 1);
  EXPECT_EQ(read<double>(out, 7), (std::vector<double>{-5, 0x1p40, 1.5, -0.25, 0, 1, 0}));
}

// Flags used as mutexes, in each memory; the data that they protect needs no atomics.
TEST_F(Atomics, FlagsAreMutexes) {
  Memory out = make_buffer(8);
  write<cl_int>(out, {0, 0});
  run(R"(global atomic_flag shared_flag = ATOMIC_FLAG_INIT;
         void add(volatile atomic_flag *flag, volatile int *sum, int value) {
           while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire)) ;
           *sum += value;
           atomic_flag_clear_explicit(flag, memory_order_release);
         }
         kernel void k(global int *out) {
           local atomic_flag flag; local int sum;
           if (get_local_id(0) == 0) { atomic_flag_clear(&flag); sum = 0; }
           work_group_barrier(CLK_LOCAL_MEM_FENCE);
           add(&flag, &sum, (int)get_local_id(0));
           add(&shared_flag, out, (int)get_global_id(0));
           work_group_barrier(CLK_LOCAL_MEM_FENCE);
           if (get_local_id(0) == 0) add(&shared_flag, out + 1, sum);
         })",
      out, items, local_items);
  EXPECT_EQ(read<cl_int>(out, 2), (std::vector<cl_int>{255 * 128, 4 * 63 * 32}));
}

// ---- cl_ext_float_atomics

class FloatAtomics : public Atomics {
protected:
  // Writes the numbers, as halves if the type is half.
  template <class T> void write_as(const std::string &type, cl_mem to, const std::vector<T> &data) {
    if (type != "half")
      return write(to, data);
    std::vector<cl_half> halves;
    for (T value : data)
      halves.push_back(Halves().rounded(value, Rounding::nearest));
    write(to, halves);
  }
  template <class T> std::vector<T> read_as(const std::string &type, cl_mem from, size_t count) {
    if (type != "half")
      return read<T>(from, count);
    std::vector<T> data;
    for (cl_half bits : read<cl_half>(from, count))
      data.push_back(T(number_of_half(bits)));
    return data;
  }
  template <class T> void try_type(const std::string &type, size_t all, size_t local) {
    SCOPED_TRACE(type);
    // All sums are exact, so the result does not depend on the order.
    const std::string source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\ntypedef " + type +
                               " T;\ntypedef atomic_" + type + R"( A;
      #ifndef cl_ext_float_atomics
      #error
      #endif
      #define APPLY(p, i)                                                                \
        atomic_fetch_add(p + 0, (T)0.25 * i);                                            \
        atomic_fetch_sub_explicit(p + 1, (T)0.5 * i, memory_order_relaxed);              \
        atomic_fetch_min_explicit(p + 2, (T)10 - i, memory_order_acq_rel,                \
                                  memory_scope_device);                                  \
        atomic_fetch_max(p + 3, i - (T)10);                                              \
        if (i == 5) { T old = atomic_exchange(p + 4, (T)1.5); atomic_store(p + 5, old); }
      kernel void k(global A *out) {
        T i = (T)get_global_id(0);
        APPLY(out, i)
        A *generic_out = out + 6;
        APPLY(generic_out, i)
        local A scratch[6];
        if (get_local_id(0) < 6)
          atomic_store_explicit(scratch + get_local_id(0), (T)2, memory_order_relaxed);
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        i = (T)get_local_id(0);
        APPLY(scratch, i)
        work_group_barrier(CLK_LOCAL_MEM_FENCE);
        if (get_group_id(0) == 1 && get_local_id(0) < 6)
          atomic_store(out + 12 + get_local_id(0), atomic_load(scratch + get_local_id(0)));
      })";
    std::vector<T> expected(18, T(2));
    Memory out = make_buffer(expected.size() * sizeof(T));
    write_as(type, out, expected);
    run(source, out, all, local);
    for (size_t part = 0; part < 3; ++part) {
      const T last = T(part == 2 ? local - 1 : all - 1), sum = last * (last + 1) / 2;
      T *p = expected.data() + 6 * part;
      p[0] += sum / 4;
      p[1] -= sum / 2;
      p[2] = 10 - last;
      p[3] = last - 10;
      p[4] = T(1.5);
    }
    EXPECT_EQ(read_as<T>(type, out, expected.size()), expected);
  }
};

TEST_F(FloatAtomics, AreWhatTheQueriesSay) {
  ASSERT_TRUE(has_extension("cl_ext_float_atomics"));
  EXPECT_EQ(device_info<cl_ulong>(single_capabilities), all_capabilities);
  EXPECT_EQ(device_info<cl_ulong>(double_capabilities), all_capabilities);
  EXPECT_EQ(device_info<cl_ulong>(half_capabilities), all_capabilities);
  try_type<float>("float", items, local_items);
  try_type<double>("double", items, local_items);
  try_type<float>("half", 32, 16); // with more, the sums would not be exact
}

// Halves that share a word, with results that require rounding.
TEST_F(FloatAtomics, HalvesBesideEachOther) {
  Memory out = make_buffer(16);
  write<cl_half>(out, std::vector<cl_half>(8, 0));
  run(R"(#pragma OPENCL EXTENSION cl_khr_fp16 : enable
         kernel void k(global atomic_half *out) {
           atomic_fetch_add(out + get_global_id(0) % 3, (half)1);
           atomic_fetch_sub(out + 3 + get_global_id(0) % 3, (half)2);
         })",
      out, 3000, 100);
  EXPECT_EQ(read_as<float>("half", out, 8),
            (std::vector<float>{1000, 1000, 1000, -2000, -2000, -2000, 0, 0}));
  const std::vector<float> before{2048, 2048, 65504, 0x1p-24f, 1, 1, -0.f, 5};
  write_as<float>("half", out, before);
  run(R"(#pragma OPENCL EXTENSION cl_khr_fp16 : enable
         kernel void k(global atomic_half *out) {
           half old = atomic_fetch_add(out, (half)1);
           old += atomic_fetch_add(out + 1, (half)3);
           atomic_fetch_add(out + 2, (half)16);
           atomic_fetch_sub(out + 3, (half)0x1p-23f);
           atomic_fetch_min(out + 4, (half)NAN);
           atomic_fetch_max(out + 5, (half)NAN);
           atomic_fetch_max(out + 6, (half)0x1p-24f);
           atomic_store(out + 7, old);
         })",
      out, 1, 1);
  EXPECT_EQ(read_as<float>("half", out, 8),
            (std::vector<float>{2048, 2052, INFINITY, -0x1p-24f, 1, 1, 0x1p-24f, 4096}));
}

// A NaN loses against a number, as in fmin and fmax.
TEST_F(FloatAtomics, MinimaAndMaximaOfNotANumber) {
  Memory out = make_buffer(16);
  const float nan = std::nanf("");
  write<float>(out, {nan, nan, 1, 1});
  run(R"(kernel void k(global atomic_float *out) {
           atomic_fetch_min(out, 3.0f); atomic_fetch_max(out + 1, 3.0f);
           atomic_fetch_min(out + 2, NAN); atomic_fetch_max(out + 3, NAN);
         })",
      out, 1, 1);
  EXPECT_EQ(read<float>(out, 4), (std::vector<float>{3, 3, 1, 1}));
}

// In global and in local memory, with the sums that the host computes. A GPU's addition may flush.
TEST_F(FloatAtomics, SumsKeepSubnormalNumbers) {
  const std::vector<float> numbers{0,         -0.0F,      0x1p-149F, -0x1p-149F,        0x1.8p-127F,
                                   0x1p-126F, -0x1p-126F, 0x1p-101F, -0x1.000002p-100F, 0x1p-100F,
                                   1,         -1};
  const size_t count = numbers.size();
  std::vector<float> values, sums;
  for (float old : numbers)
    for (float added : numbers) {
      values.push_back(old);
      sums.push_back(old + added);
    }
  Memory out = make_buffer(2 * sums.size() * sizeof(float));
  values.insert(values.end(), numbers.begin(), numbers.end());
  write<float>(out, values);
  run(R"(kernel void k(global float *out) {
           size_t i = get_global_id(0), n = get_global_size(0);
           float added = out[n + get_local_id(0)];
           local atomic_float sums[12];
           atomic_store_explicit(sums + get_local_id(0), out[i], memory_order_relaxed);
           barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
           atomic_fetch_add_explicit((global atomic_float *)out + i, added, memory_order_relaxed);
           atomic_fetch_add_explicit(sums + get_local_id(0), added, memory_order_relaxed);
           if (out[i] != atomic_load_explicit(sums + get_local_id(0), memory_order_relaxed))
             out[i] = NAN;
         })",
      out, sums.size(), count);
  std::vector<cl_uint> bits;
  for (float sum : sums)
    bits.push_back(std::bit_cast<cl_uint>(sum));
  EXPECT_EQ(read<cl_uint>(out, sums.size()), bits);
}

// ---- orders that the specification forbids

TEST_F(Atomics, WrongOrdersAreRefused) {
  struct Case {
    const char *call, *reason;
  };
  for (const Case &wrong : {
           Case{"atomic_store_explicit(p, 1, memory_order_acquire)", "order of a store"},
           Case{"atomic_store_explicit(p, 1, memory_order_acq_rel, memory_scope_device)",
                "order of a store"},
           Case{"atomic_load_explicit(p, memory_order_release)", "order of a load"},
           Case{"atomic_load_explicit(p, memory_order_acq_rel)", "order of a load"},
           Case{"atomic_load_explicit(p, (memory_order)17)", "not a memory_order"},
           Case{"atomic_flag_clear_explicit(f, memory_order_acquire)", "order of a store"},
           Case{"atomic_compare_exchange_strong_explicit(p, &e, 1, memory_order_seq_cst, "
                "memory_order_release)",
                "order of a failure"},
           Case{"atomic_compare_exchange_weak_explicit(p, &e, 1, memory_order_seq_cst, "
                "memory_order_acq_rel, memory_scope_device)",
                "order of a failure"},
           Case{"atomic_compare_exchange_weak_explicit(p, &e, 1, memory_order_relaxed, "
                "memory_order_acquire)",
                "stronger"},
           Case{"atomic_compare_exchange_weak_explicit(p, &e, 1, memory_order_acq_rel, "
                "memory_order_seq_cst)",
                "stronger"},
       }) {
    const std::string source = std::string("kernel void k(global atomic_int *p, global atomic_flag "
                                           "*f) { int e = 0; ") +
                               wrong.call + "; }";
    const char *text = source.c_str();
    cl_int status = 1;
    Program program(clCreateProgramWithSource(context_, 1, &text, nullptr, &status));
    EXPECT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.0", nullptr, nullptr),
              CL_BUILD_PROGRAM_FAILURE)
        << wrong.call;
    std::string log(1 << 14, '\0');
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    EXPECT_NE(log.find(wrong.reason), std::string::npos) << wrong.call << "\n" << log.c_str();
    EXPECT_NE(log.find("OpenCL C 6.15.12"), std::string::npos) << log.c_str();
  }
}

} // namespace
