// Tests sub-group functions of every kind, type and sub-group size. The calls are in straight-line
// code, behind divergent branches, in loops that lanes leave one after the other, and after early
// returns. Sub-groups may be partial, and groups may have several dimensions. sub_group_model.h
// computes the expected values.
#include "opencl_fixture.h"
#include "sub_group_model.h"

#include <array>
#include <random>

using namespace lockstep::test;

namespace {

using LocalSize = std::array<size_t, 2>;

constexpr unsigned loop_rounds = 3;

// Returns which lanes are active at each call of the kernel below.
template <class T> std::vector<bool> active_in(unsigned place, const Lanes<T> &lanes) {
  std::vector<bool> active(lanes.values.size());
  for (unsigned lane = 0; lane != active.size(); ++lane) {
    if (place == 0)
      active[lane] = true;
    else if (place == 1)
      active[lane] = lanes.values[lane] < 50;
    else if (place == 2)
      active[lane] = lanes.values[lane] >= 50;
    else if (place < 3 + loop_rounds)
      active[lane] = lane % loop_rounds >= place - 3;
    else
      active[lane] = lane % 4 != 1;
  }
  return active;
}
constexpr unsigned places = 3 + loop_rounds + 1;

template <class T>
std::string kernel_source(const std::vector<SubGroupFunction<T>> &functions, const char *type,
                          unsigned width) {
  std::string body;
  auto stores = [&](const std::string &place, bool by_all) {
    std::string text;
    for (size_t index = 0; index != functions.size(); ++index)
      if (by_all || !functions[index].needs_all)
        text += "    out[((" + place + ") * COUNT + " + std::to_string(index) +
                ") * items + i] = " + functions[index].expression + ";\n";
    return text;
  };
  std::string attribute =
      width ? "__attribute__((intel_reqd_sub_group_size(" + std::to_string(width) + ")))\n" : "";
  return "#define TYPE " + std::string(type) + "\n#define COUNT " +
         std::to_string(functions.size()) + "\n" + attribute +
         "kernel void k(global TYPE *out, const global TYPE *in, global uint *widths) {\n"
         "  size_t items = get_num_groups(0) * get_local_size(0) * get_local_size(1);\n"
         "  size_t i = get_group_id(0) * get_local_size(0) * get_local_size(1) + "
         "get_local_linear_id();\n"
         "  uint lane = get_sub_group_local_id();\n  TYPE x = in[i];\n"
         "  widths[i] = get_max_sub_group_size();\n" +
         stores("0", true) + "  if (x < 50) {\n" + stores("1", false) + "  } else {\n" +
         stores("2", false) + "  }\n  for (uint round = 0; round <= lane % 3; ++round) {\n" +
         stores("3 + round", false) + "  }\n  if (lane % 4 == 1) return;\n" + stores("6", false) +
         "}\n";
}

class SubGroup : public DeviceTest {
protected:
  // `width` 0: the device chooses.
  template <class T>
  void check(const std::vector<SubGroupFunction<T>> &functions, const char *type, unsigned width,
             LocalSize local, const char *more_options = "") {
    const size_t groups = 2, group_items = local[0] * local[1], items = groups * group_items;
    std::vector<T> in(items);
    std::mt19937 random(width * 1000 + unsigned(items));
    for (T &value : in)
      value = static_cast<T>(random() % 100 + (std::is_signed_v<T> ? -20 : 0));
    const std::string options = "-cl-std=CL3.0 -DWIDTH=get_max_sub_group_size() -DCLUSTER=" +
                                std::to_string(cluster_of(width ? width : 4)) + "u " + more_options;
    Program program = build(kernel_source(functions, type, width).c_str(), options.c_str());
    Kernel kernel = make_kernel(program, "k");
    const size_t results = places * functions.size() * items;
    Memory out = make_buffer(results * sizeof(T)), data = make_buffer(items * sizeof(T)),
           widths = make_buffer(items * sizeof(cl_uint));
    write(data, in);
    write(out, std::vector<T>(results, T(77)));
    cl_uint argument = 0;
    for (cl_mem memory : {out.get(), data.get(), widths.get()})
      ASSERT_EQ(clSetKernelArg(kernel, argument++, sizeof memory, &memory), CL_SUCCESS);
    const size_t global[] = {groups * local[0], local[1]};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local.data(), 0, nullptr,
                                     nullptr),
              CL_SUCCESS);
    const auto got = read<T>(out, results);
    const cl_uint used = read<cl_uint>(widths, 1)[0];
    if (width)
      ASSERT_EQ(used, width);
    if (cluster_of(used) != cluster_of(width ? width : 4))
      GTEST_SKIP() << "the device's sub-groups are too small for this kernel";
    for (size_t group = 0; group != items; group += group_items)
      for (size_t first = 0; first < group_items; first += used)
        compare(functions, type, in, got, group + first,
                std::min<size_t>(used, group_items - first), used);
  }

  template <class T>
  void compare(const std::vector<SubGroupFunction<T>> &functions, const char *type,
               const std::vector<T> &in, const std::vector<T> &got, size_t first, size_t count,
               unsigned width) {
    Lanes<T> lanes{{&in[first], &in[first] + count}, {}, width};
    for (unsigned place = 0; place != places; ++place) {
      lanes.active = active_in(place, lanes);
      for (size_t index = 0; index != functions.size(); ++index)
        for (unsigned lane = 0; lane != count; ++lane) {
          std::optional<T> wanted(T(77)); // the kernel stored nothing
          if (lanes.active[lane] && (place == 0 || !functions[index].needs_all))
            wanted = functions[index].meaning(lanes, lane);
          const T is = got[(place * functions.size() + index) * in.size() + first + lane];
          if (wanted)
            ASSERT_EQ(+is, +*wanted) << functions[index].expression << " for " << type << ", width "
                                     << width << ", lane " << lane << " of " << count << ", place "
                                     << place << ", item " << first + lane;
        }
    }
  }

  template <class T> void check_type(const char *type) {
    check(arithmetic_functions<T>(), type, 0, {50, 1});
    check(moving_functions<T>(), type, 0, {50, 1});
  }
};

TEST_F(SubGroup, EverySize) {
  EXPECT_FALSE(sub_group_sizes().empty());
  for (size_t width : sub_group_sizes()) {
    check(arithmetic_functions<cl_int>(), "int", unsigned(width), {12, 7});
    check(moving_functions<cl_float>(), "float", unsigned(width), {100, 1});
    check(predicate_functions(), "uint", unsigned(width), {30, 3});
  }
}

TEST_F(SubGroup, SmallAndLargeGroups) {
  for (LocalSize local : {LocalSize{1, 1}, {3, 1}, {5, 5}, {64, 1}, {16, 16}}) {
    check(arithmetic_functions<cl_uint>(), "uint", 0, local);
    check(moving_functions<cl_int>(), "int", has_sub_group_size(8) ? 8 : 0, local);
    check(predicate_functions(), "uint", 0, local);
  }
}

TEST_F(SubGroup, WithoutOptimization) {
  check(arithmetic_functions<cl_short>(), "short", 0, {20, 1}, "-cl-opt-disable");
  check(moving_functions<cl_double>(), "double", 0, {20, 1}, "-cl-opt-disable");
  check(predicate_functions(), "uint", 0, {20, 1}, "-cl-opt-disable");
}

TEST_F(SubGroup, Char) {
  check_type<cl_char>("char");
  check_type<cl_uchar>("uchar");
}
TEST_F(SubGroup, Short) {
  check_type<cl_short>("short");
  check_type<cl_ushort>("ushort");
}
TEST_F(SubGroup, Long) {
  check_type<cl_long>("long");
  check_type<cl_ulong>("ulong");
}
TEST_F(SubGroup, FloatingPoint) {
  check_type<cl_float>("float");
  check_type<cl_double>("double");
}

// Programs that name no version get OpenCL C 1.2. It declares the functions of each extension that is
// reported.
TEST_F(SubGroup, ExtensionsAreDeclaredInTheDefaultVersion) {
  Program program = build(R"(
kernel void k(global uint *p) {
  uint x = get_sub_group_local_id();
  x += sub_group_reduce_add(x) + sub_group_elect() + sub_group_non_uniform_all(x) + sub_group_ballot(x).x;
  x += sub_group_shuffle(x, 0) + sub_group_shuffle_xor(x, 1);
  x += sub_group_shuffle_up(x, 1) + sub_group_shuffle_down(x, 1);
  x += sub_group_rotate(x, 1) + sub_group_clustered_rotate(x, 1, 2);
  x += sub_group_clustered_reduce_add(x, 2) + sub_group_non_uniform_reduce_add(x);
  p[get_global_id(0)] = x;
})");
  make_kernel(program, "k");
}

// IDs and sizes, also in the smaller groups at the edge of a range.
TEST_F(SubGroup, Ids) {
  Program program = build(R"(
kernel void ids(global uint *out) {
  size_t i = (get_global_id(1) * get_global_size(0) + get_global_id(0)) * 8;
  out[i] = get_sub_group_size(); out[i + 1] = get_max_sub_group_size();
  out[i + 2] = get_num_sub_groups(); out[i + 3] = get_enqueued_num_sub_groups();
  out[i + 4] = get_sub_group_id(); out[i + 5] = get_sub_group_local_id();
  out[i + 6] = get_local_linear_id(); out[i + 7] = get_local_size(0) * get_local_size(1);
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "ids");
  for (LocalSize local : {LocalSize{1, 1}, {7, 3}, {32, 2}, {5, 16}, {64, 1}}) {
    const size_t global[] = {100, 20}, items = global[0] * global[1];
    Memory out = make_buffer(items * 32);
    cl_mem memory = out;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local.data(), 0, nullptr,
                                     nullptr),
              CL_SUCCESS);
    const auto rows = read<std::array<cl_uint, 8>>(out, items);
    const cl_uint width = rows[0][1];
    auto groups_of = [&](size_t count) { return cl_uint((count + width - 1) / width); };
    for (const auto &row : rows) {
      ASSERT_EQ(row[1], width);
      ASSERT_EQ(row[4], row[6] / width);
      ASSERT_EQ(row[5], row[6] % width);
      ASSERT_EQ(row[0], std::min(width, row[7] - row[4] * width));
      ASSERT_EQ(row[2], groups_of(row[7]));
      ASSERT_EQ(row[3], groups_of(local[0] * local[1]));
    }
  }
}

// Lanes communicate through local memory with only a sub-group barrier between them.
TEST_F(SubGroup, Barrier) {
  if (!has_sub_group_size(8))
    GTEST_SKIP() << "no sub-groups of 8";
  Program program = build(R"(
__attribute__((intel_reqd_sub_group_size(8))) kernel void turn(global int *data) {
  local int shared_memory[256];
  local int *mine = shared_memory + get_sub_group_id() * 8;
  uint lane = get_sub_group_local_id();
  int value = data[get_global_id(0)];
  for (int round = 0; round < 5; ++round) {
    mine[lane] = value;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    value = mine[(lane + 1) % get_sub_group_size()] + round;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
  }
  data[get_global_id(0)] = value;
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "turn");
  std::vector<cl_int> data(60), expected(60);
  for (size_t i = 0; i != data.size(); ++i)
    data[i] = cl_int(i * i);
  for (size_t group = 0; group != 60; group += 30)
    for (size_t lane = 0; lane != 30; ++lane) {
      size_t first = lane / 8 * 8, size = std::min<size_t>(8, 30 - first);
      expected[group + lane] = data[group + first + (lane - first + 5) % size] + 10;
    }
  Memory buffer = make_buffer(60 * sizeof(cl_int));
  write(buffer, data);
  cl_mem memory = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t global = 60, local = 30;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(buffer, 60), expected);
}

// cl_intel_subgroups: shuffles of two sources, shuffles of vectors, and block reads and writes.
TEST_F(SubGroup, Intel) {
  if (!has_sub_group_size(16))
    GTEST_SKIP() << "no sub-groups of 16";
  Program program = build(R"(
__attribute__((intel_reqd_sub_group_size(16))) kernel void
k(global int *out, global const uint *in, global uint *copy) {
  size_t i = get_global_id(0), n = get_global_size(0);
  uint lane = get_sub_group_local_id();
  int a = i, b = i + 1000;
  out[i] = intel_sub_group_shuffle(a, 15 - lane);
  out[n + i] = intel_sub_group_shuffle_xor(a, 3);
  out[2 * n + i] = intel_sub_group_shuffle_down(a, b, 5);
  out[3 * n + i] = intel_sub_group_shuffle_up(a, b, lane);
  int3 v = intel_sub_group_shuffle_down((int3)(a, a * 2, a * 3), (int3)(b, b * 2, b * 3), 1);
  out[4 * n + i] = v.x + v.y + v.z;
  float16 w = intel_sub_group_shuffle((float16)(a), 4);
  out[5 * n + i] = (int)(w.s0 + w.sf);
  int4 c = sub_group_broadcast((int4)(a, b, a, b), 7);
  out[6 * n + i] = c.x + c.w;
  size_t block = (i - lane) * 4;
  uint4 four = intel_sub_group_block_read4(in + block);
  intel_sub_group_block_write4(copy + block, four * 2);
  uint2 two = intel_sub_group_block_read2(in + block);
  out[7 * n + i] = (int)(two.x + two.y + intel_sub_group_block_read(in + block) +
                         intel_sub_group_block_read8(in).s7);
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "k");
  constexpr int n = 64;
  Memory out = make_buffer(8 * n * 4), in = make_buffer(4 * n * 4), copy = make_buffer(4 * n * 4);
  std::vector<cl_uint> numbers(4 * n);
  for (size_t i = 0; i != numbers.size(); ++i)
    numbers[i] = cl_uint(i * 7 + 1);
  write(in, numbers);
  cl_uint argument = 0;
  for (cl_mem memory : {out.get(), in.get(), copy.get()})
    ASSERT_EQ(clSetKernelArg(kernel, argument++, sizeof memory, &memory), CL_SUCCESS);
  const size_t global = n, local = 32;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
      CL_SUCCESS);
  const auto got = read<cl_int>(out, 8 * n);
  const auto copied = read<cl_uint>(copy, 4 * n);
  for (int i = 0; i != n; ++i) {
    const int lane = i % 16, first = i - lane;
    auto of_two = [&](int index) { return index < 16 ? first + index : first + index - 16 + 1000; };
    EXPECT_EQ(got[i], first + 15 - lane);
    EXPECT_EQ(got[n + i], first + (lane ^ 3));
    EXPECT_EQ(got[2 * n + i], of_two(lane + 5));
    EXPECT_EQ(got[3 * n + i], of_two(16 + lane - lane));
    EXPECT_EQ(got[4 * n + i], 6 * of_two(lane + 1));
    EXPECT_EQ(got[5 * n + i], 2 * (first + 4));
    EXPECT_EQ(got[6 * n + i], 2 * (first + 7) + 1000);
    const auto at = [&](int element) { return int(numbers[first * 4 + lane + 16 * element]); };
    EXPECT_EQ(got[7 * n + i], 2 * at(0) + at(1) + int(numbers[7 * 16 + lane]));
  }
  for (size_t i = 0; i != copied.size(); ++i)
    EXPECT_EQ(copied[i], 2 * numbers[i]);
}

// A loop that continues while one lane votes for it is uniform: its body runs with all lanes.
TEST_F(SubGroup, LoopOnAVote) {
  if (!has_sub_group_size(16))
    GTEST_SKIP() << "no sub-groups of 16";
  Program program = build(R"(
__attribute__((intel_reqd_sub_group_size(16))) kernel void vote(global int *data) {
  int left = data[get_global_id(0)], rounds = 0;
  if (left & 1) {
    while (sub_group_non_uniform_any(left > 0)) {
      left -= 3;
      rounds += popcount(sub_group_ballot(left > 0).x);
    }
  }
  data[get_global_id(0)] = rounds * 1000 + left;
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "vote");
  std::vector<cl_int> data(64), expected(64);
  for (int i = 0; i != 64; ++i)
    data[i] = i * 37 % 51;
  for (int first = 0; first != 64; first += 16) {
    std::vector<int> left(&data[first], &data[first] + 16);
    int rounds = 0;
    auto wants = [&](int lane) { return (data[first + lane] & 1) && left[lane] > 0; };
    auto count = [&] {
      int sum = 0;
      for (int lane = 0; lane != 16; ++lane)
        sum += wants(lane);
      return sum;
    };
    while (count()) {
      for (int lane = 0; lane != 16; ++lane)
        left[lane] -= data[first + lane] & 1 ? 3 : 0;
      rounds += count();
    }
    for (int lane = 0; lane != 16; ++lane)
      expected[first + lane] = left[lane] + (data[first + lane] & 1 ? rounds * 1000 : 0);
  }
  Memory buffer = make_buffer(64 * sizeof(cl_int));
  write(buffer, data);
  cl_mem memory = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
  const size_t global = 64, local = 32;
  ASSERT_EQ(
      clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(read<cl_int>(buffer, 64), expected);
}

} // namespace
