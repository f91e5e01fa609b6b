// If all lanes of a sub-group hold the same values in a private array, the compiler shares one
// array (share_private_arrays.cpp). The results must equal those of one array per work-item.
#include "opencl_fixture.h"

#include <numeric>
#include <string>

namespace lockstep::test {
namespace {

constexpr size_t count = 1000, local = 50; // the last sub-groups are partial
constexpr int nodes = 127;

class SharedPrivateArrays : public DeviceTest {
protected:
  struct Results {
    std::vector<cl_int> values, sub_groups;
  };

  // kernel void k(global const int *in, global int *out, global int *sub_groups, int n)
  Results run(const std::string &source, const std::vector<cl_int> &in, cl_int n) {
    Program program = build(source.c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    Memory from = make_buffer(in.size() * sizeof(cl_int), CL_MEM_COPY_HOST_PTR,
                              const_cast<cl_int *>(in.data())),
           to = make_buffer(count * sizeof(cl_int)),
           sub_groups = make_buffer(count * sizeof(cl_int));
    cl_mem memories[3] = {from, to, sub_groups};
    for (cl_uint i = 0; i < 3; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &memories[i]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 3, sizeof n, &n), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &count, &local, 0, nullptr, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    return {read<cl_int>(to, count), read<cl_int>(sub_groups, count)};
  }

  static std::vector<cl_int> numbers(size_t size) {
    std::vector<cl_int> result(size);
    for (size_t i = 0; i < size; ++i)
      result[i] = cl_int((i * 2654435761U) >> 8 & 0xffff);
    return result;
  }
};

// A sub-group descends if one of its work-items votes for it. The array is the stack of nodes to
// visit.
TEST_F(SharedPrivateArrays, HoldWhatASubGroupHasVotedOn) {
  const std::vector<cl_int> in = numbers(count);
  const Results got = run(R"(
    kernel void k(global const int *in, global int *out, global int *sub_groups, int n) {
      const size_t me = get_global_id(0);
      int open[16], left = 0, at = 0, visited = 0;
      for (;;) {
        visited = visited * 31 + at;
        if (sub_group_any((in[me] * (at + 1) & 15) == 0) && 2 * at + 2 < n) {
          open[left++] = 2 * at + 2;
          at = 2 * at + 1;
          continue;
        }
        if (left == 0)
          break;
        at = open[--left];
      }
      out[me] = visited;
      sub_groups[me] = get_group_id(0) * 64 + get_sub_group_id();
    })",
                          in, nodes);
  for (size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin; end < count && got.sub_groups[end] == got.sub_groups[begin];)
      ++end;
    std::vector<int> open = {0};
    unsigned visited = 0;
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      visited = visited * 31 + unsigned(at);
      bool any = false;
      for (size_t i = begin; i < end; ++i)
        any |= (in[i] * (at + 1) & 15) == 0;
      if (any && 2 * at + 2 < nodes) {
        open.push_back(2 * at + 2);
        open.push_back(2 * at + 1);
      }
    }
    for (size_t i = begin; i < end; ++i)
      ASSERT_EQ(unsigned(got.values[i]), visited) << i;
  }
}

// Only the work-items in range fill the array.
TEST_F(SharedPrivateArrays, AreFilledBehindAGuard) {
  const std::vector<cl_int> in = numbers(count);
  constexpr cl_int inside = 777;
  const Results got = run(R"(
    kernel void k(global const int *in, global int *out, global int *sub_groups, int n) {
      const int me = get_global_id(0);
      out[me] = -1;
      if (me >= n)
        return;
      int table[32], sum = me;
      for (int i = 0; i < 32; ++i)
        table[i] = in[i] & 31;
      for (int i = 0, at = 0; i < 100; ++i, at = table[at]) {
        sum += at;
        table[at] = (table[at] + i) & 31;
      }
      out[me] = sum;
    })",
                          in, inside);
  int table[32], sum = 0;
  for (int i = 0; i < 32; ++i)
    table[i] = in[size_t(i)] & 31;
  for (int i = 0, at = 0; i < 100; ++i, at = table[at]) {
    sum += at;
    table[at] = (table[at] + i) & 31;
  }
  for (cl_int i = 0; i < cl_int(count); ++i)
    ASSERT_EQ(got.values[size_t(i)], i < inside ? sum + i : -1) << i;
}

// The loop gathers, so the compiler serializes it over the lanes, unless all lanes count in one
// shared array.
TEST_F(SharedPrivateArrays, AreNotCountedInOncePerLane) {
  const std::vector<cl_int> in = numbers(count);
  const Results got = run(R"(
    kernel void k(global const int *in, global int *out, global int *sub_groups, int n) {
      const int me = get_global_id(0);
      int rounds[2] = {0, me};
      int sum = 0;
      for (int i = 0; i < n; ++i) {
        sum += in[in[(me + i) % 1000] % 1000];
        rounds[n > 5 ? 0 : 1] += 1;
      }
      out[me] = sum + rounds[n > 5 ? 0 : 1] * 1000000;
      int steps[8];
      steps[n & 7] = 0;
      for (int i = 0; i < n; ++i) {
        sum += in[in[(me + 3 * i) % 1000] % 1000];
        steps[n & 7] += 1;
      }
      sub_groups[me] = sum + steps[n & 7] * 1000000;
    })",
                          in, 12);
  for (size_t me = 0; me < count; ++me) {
    int sum = 0;
    for (size_t i = 0; i < 12; ++i)
      sum += in[size_t(in[(me + i) % 1000]) % 1000];
    ASSERT_EQ(got.values[me], sum + 12000000) << me;
    for (size_t i = 0; i < 12; ++i)
      sum += in[size_t(in[(me + 3 * i) % 1000]) % 1000];
    ASSERT_EQ(got.sub_groups[me], sum + 12000000) << me;
  }
}

} // namespace
} // namespace lockstep::test
