// Tests work-group collective functions for every type and operation. Groups have one to three
// dimensions, and full and partial sub-groups of every size. The calls are in loops, behind uniform
// branches, and one after the other without a barrier in between.
#include "opencl_fixture.h"
#include "sub_group_model.h"

#include <array>
#include <random>

using namespace lockstep::test;

namespace {

using LocalSize = std::array<size_t, 3>;

// Returns scans and reductions for every operation; `x` is small if products must stay exact.
template <class T> std::string kernel_source(const char *type) {
  std::string stores;
  size_t index = 0;
  for (const Operation<T> &operation : operations<T>())
    for (const char *kind : {"reduce_", "scan_inclusive_", "scan_exclusive_"}) {
      stores += "  out[" + std::to_string(index++) + " * n + i] = work_group_" + kind +
                operation.name + "((TYPE)" + (operation.small_values ? "(x < 0 ? 2 : 1)" : "x") +
                ");\n";
    }
  return "#define TYPE " + std::string(type) +
         "\nkernel void k(global TYPE *out, global const TYPE *in) {\n"
         "  size_t n = get_global_size(0) * get_global_size(1) * get_global_size(2);\n"
         "  size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * "
         "get_num_groups(0) + get_group_id(0);\n"
         "  size_t i = group * get_local_size(0) * get_local_size(1) * get_local_size(2) + "
         "get_local_linear_id();\n  TYPE x = in[i];\n" +
         stores + "}\n";
}

class WorkGroupCollective : public DeviceTest {
protected:
  void run(cl_kernel kernel, const std::vector<cl_mem> &arguments, LocalSize groups,
           LocalSize local) {
    for (cl_uint index = 0; index != arguments.size(); ++index)
      ASSERT_EQ(clSetKernelArg(kernel, index, sizeof(cl_mem), &arguments[index]), CL_SUCCESS);
    const size_t global[] = {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, global, local.data(), 0, nullptr,
                                     nullptr),
              CL_SUCCESS);
  }

  template <class T> void check(const char *type, LocalSize local) {
    const LocalSize groups{3, 2, 1};
    const size_t group_items = local[0] * local[1] * local[2], items = 6 * group_items;
    const auto list = operations<T>();
    std::vector<T> in(items);
    std::mt19937 random(42);
    for (T &value : in)
      value = static_cast<T>(random() % 200) + (std::is_signed_v<T> ? T(-100) : T(0));
    Program program = build(kernel_source<T>(type).c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    Memory data = make_buffer(items * sizeof(T)),
           out = make_buffer(3 * list.size() * items * sizeof(T));
    write(data, in);
    run(kernel, {out, data}, groups, local);
    const auto got = read<T>(out, 3 * list.size() * items);
    for (size_t group = 0; group != items; group += group_items) {
      Lanes<T> all{{&in[group], &in[group] + group_items},
                   std::vector<bool>(group_items, true),
                   unsigned(group_items)};
      for (size_t index = 0; index != list.size(); ++index) {
        const Operation<T> &operation = list[index];
        T expected[] = {combined(operation, all, 0, group_items), operation.identity,
                        operation.identity}; // reduction, inclusive and exclusive scan
        for (size_t item = 0; item != group_items; ++item) {
          expected[2] = expected[1];
          expected[1] = operation.combine(expected[1], combined(operation, all, item, item + 1));
          for (size_t kind = 0; kind != 3; ++kind)
            ASSERT_EQ(got[(index * 3 + kind) * items + group + item], expected[kind])
                << operation.name << " of " << type << ", kind " << kind << ", item " << item
                << " of " << group_items;
        }
      }
    }
  }

  template <class T> void check_broadcast(const char *type) {
    const std::string source = "kernel void k(global " + std::string(type) + R"( *data) {
  size_t i = (get_group_id(0) * get_local_size(0) * get_local_size(1) * get_local_size(2)) +
             get_local_linear_id();
  data[i] = work_group_broadcast(data[i], 2) * 3 + work_group_broadcast(data[i], 1, 3) * 5 +
            work_group_broadcast(data[i], 4, 2, 1) + work_group_broadcast(data[i], 0, 0, 0);
})";
    Program program = build(source.c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    const LocalSize local{5, 4, 2};
    std::vector<T> in(80);
    for (size_t i = 0; i != in.size(); ++i)
      in[i] = T(i * i);
    Memory data = make_buffer(in.size() * sizeof(T));
    write(data, in);
    run(kernel, {data}, {2, 1, 1}, local);
    const auto got = read<T>(data, in.size());
    for (size_t i = 0; i != in.size(); ++i) {
      const T *group = &in[i / 40 * 40];
      EXPECT_EQ(got[i], group[2] * 3 + group[3 * 5 + 1] * 5 + group[20 + 2 * 5 + 4] + group[0])
          << type;
    }
  }
};

constexpr LocalSize shapes[] = {{1, 1, 1},  {3, 1, 1}, {16, 1, 1},  {17, 1, 1}, {64, 1, 1},
                                {10, 7, 1}, {4, 3, 5}, {256, 1, 1}, {300, 1, 1}};

TEST_F(WorkGroupCollective, Shapes) {
  for (const LocalSize &local : shapes)
    check<cl_int>("int", local);
  check<cl_int>("int", {device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1, 1});
}

TEST_F(WorkGroupCollective, Types) {
  const LocalSize local{33, 2, 1};
  check<cl_uint>("uint", local);
  check<cl_long>("long", local);
  check<cl_ulong>("ulong", local);
  check<cl_float>("float", local);
  check<cl_double>("double", local);
}

TEST_F(WorkGroupCollective, Broadcast) {
  check_broadcast<cl_int>("int");
  check_broadcast<cl_uint>("uint");
  check_broadcast<cl_long>("long");
  check_broadcast<cl_ulong>("ulong");
  check_broadcast<cl_float>("float");
  check_broadcast<cl_double>("double");
}

TEST_F(WorkGroupCollective, Predicates) {
  Program program = build(R"(
kernel void k(global int *out, global const int *in) {
  size_t i = get_global_id(0), n = get_global_size(0);
  int x = in[i];
  out[i] = work_group_all(x > 0) * 2 + work_group_any(x > 97);
  out[n + i] = work_group_reduce_logical_and(x > 0) * 4 + work_group_reduce_logical_or(x > 97) * 2 +
               work_group_reduce_logical_xor(x & 4);
  out[2 * n + i] = work_group_scan_inclusive_logical_and(x < 90) * 4 +
                   work_group_scan_inclusive_logical_or(x > 80) * 2 +
                   work_group_scan_inclusive_logical_xor(x & 4);
  out[3 * n + i] = work_group_scan_exclusive_logical_and(x < 90) * 4 +
                   work_group_scan_exclusive_logical_or(x > 80) * 2 +
                   work_group_scan_exclusive_logical_xor(x & 4);
})",
                          "-cl-std=CL3.0");
  Kernel kernel = make_kernel(program, "k");
  constexpr int local = 50, groups = 20, n = local * groups;
  std::vector<cl_int> in(n);
  std::mt19937 random(3);
  for (cl_int &value : in)
    value = cl_int(random() % 99);
  Memory data = make_buffer(n * 4), out = make_buffer(4 * n * 4);
  write(data, in);
  run(kernel, {out, data}, {groups, 1, 1}, {local, 1, 1});
  const auto got = read<cl_int>(out, 4 * n);
  for (int group = 0; group != n; group += local) {
    bool all = true, any = false, odd = false;
    for (int i = group; i != group + local; ++i) {
      all &= in[i] > 0;
      any |= in[i] > 97;
      odd ^= (in[i] & 4) != 0;
    }
    bool before_all = true, before_any = false, before_odd = false;
    for (int i = group; i != group + local; ++i) {
      EXPECT_EQ(got[i], all * 2 + any);
      EXPECT_EQ(got[n + i], all * 4 + any * 2 + odd);
      EXPECT_EQ(got[3 * n + i], before_all * 4 + before_any * 2 + before_odd);
      before_all &= in[i] < 90;
      before_any |= in[i] > 80;
      before_odd ^= (in[i] & 4) != 0;
      EXPECT_EQ(got[2 * n + i], before_all * 4 + before_any * 2 + before_odd);
    }
  }
}

// Runs different collectives in turn, in a loop and behind a branch, with different types. A
// collective must not overwrite a slot before all work-items have read the previous result.
TEST_F(WorkGroupCollective, OneAfterTheOther) {
  for (size_t size : sub_group_sizes()) {
    const std::string attribute =
        "__attribute__((intel_reqd_sub_group_size(" + std::to_string(size) + ")))";
    Program program = build((attribute + R"(
kernel void k(global long *data, global const int *rounds) {
  size_t i = get_global_id(0);
  long x = data[i];
  for (int round = 0; round < *rounds; ++round) {
    int small = (int)(x % 100);
    x += work_group_scan_exclusive_add(small);
    if (work_group_any(small > 90)) {
      x += work_group_broadcast(x, round % get_local_size(0));
      x -= work_group_reduce_max(small);
    } else {
      x += work_group_reduce_add((double)(small & 7)) + round;
    }
    x ^= work_group_scan_inclusive_add(x) % 1000;
  }
  data[i] = x;
})")
                                .c_str(),
                            "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    constexpr size_t local = 40, n = 120;
    constexpr int rounds = 7;
    std::vector<cl_long> data(n);
    for (size_t i = 0; i != n; ++i)
      data[i] = cl_long(i * i % 97);
    Memory buffer = make_buffer(n * sizeof(cl_long)), count = make_buffer(sizeof(cl_int));
    write(buffer, data);
    write(count, std::vector<cl_int>{rounds});
    run(kernel, {buffer, count}, {n / local, 1, 1}, {local, 1, 1});
    for (size_t group = 0; group != n; group += local) {
      cl_long *x = &data[group];
      for (int round = 0; round != rounds; ++round) {
        int small[local], before = 0;
        for (size_t i = 0; i != local; ++i)
          small[i] = int(x[i] % 100);
        for (size_t i = 0; i != local; before += small[i++])
          x[i] += before;
        const int most = *std::max_element(small, small + local);
        if (most > 90) {
          const cl_long chosen = x[round % local];
          for (size_t i = 0; i != local; ++i)
            x[i] += chosen - most;
        } else {
          double sum = 0;
          for (int one : small)
            sum += one & 7;
          for (size_t i = 0; i != local; ++i)
            x[i] = cl_long(double(x[i]) + sum + round);
        }
        cl_long up_to = 0;
        for (size_t i = 0; i != local; ++i) {
          up_to += x[i];
          x[i] ^= up_to % 1000;
        }
      }
    }
    EXPECT_EQ(read<cl_long>(buffer, n), data) << attribute;
  }
}

} // namespace
