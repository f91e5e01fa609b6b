// Tests gotos that make cycles with several entries (irreducible control flow): with and without
// barriers, in waiting loops, next to sub-group functions. The model is a state machine, which has
// no such cycle.
#include "opencl_fixture.h"

#include <algorithm>

using namespace lockstep::test;

namespace {

const char *const source = R"(
uint chain(uint i, uint n) {
  int it = n;
  uint r = i;
  if (i & 1) goto swap;
start:
  r = r * 3 + 1;
  if (r & 4) {
swap:
    r ^= 7;
    if (r & 8) goto start;
  }
  if (--it > 0) {
    if (it & 1) goto swap;
    goto start;
  }
  return r;
}
uint counters(uint i, uint n) {
  int it = n, rest = 3;
  uint r = i;
  if (i & 1) goto swap;
start:
  r = r * 3 + 1;
  if (r & 4) {
swap:
    r ^= 7;
  }
  if (--rest > 0) goto start;
  rest = 3;
  if (--it > 0) {
    if (it & 1) goto swap;
    goto start;
  }
  return r;
}
kernel void plain(global uint *out, uint n) {
  uint i = get_global_id(0);
  out[i] = chain(i, n) * 31 + counters(i, n);
}
// All meet at each barrier, on three paths.
kernel void meetings(global uint *out, uint n) {
  local uint shared[40];
  uint i = get_global_id(0), l = get_local_id(0), last = get_local_size(0) - 1, r = i;
  if (i % 3 == 0) goto first;
  if (i % 3 == 1) goto second;
  goto meeting;
first:
  r = r * 3 + 1;
  if (r & 2) goto meeting;
second:
  r ^= 9 + n;
meeting:
  shared[l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  r += shared[last - l] * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (--n != 0) {
    if (r & 4) goto second;
    if (r & 8) goto first;
    goto meeting;
  }
  out[i] = r;
}
// All sub-groups have the same width, the last one of a group perhaps not so many work-items.
kernel void sums(global uint *out, uint n) {
  uint i = get_global_id(0), l = get_local_id(0), r = i;
  if (i % 3 == 0) goto second;
first:
  r = r * 3 + 1;
second:
  r = (r ^ 9) + sub_group_reduce_add(r);
  if (--n != 0) {
    if (r & 4) goto second;
    goto first;
  }
  out[i] = r;
  out[get_global_size(0) + i] = get_max_sub_group_size();
}
// Both branches of `again` lead to the barrier, one of them without passing `longer`.
kernel __attribute__((intel_reqd_sub_group_size(WIDTH))) void nested(global uint *out, uint n) {
  local uint shared[40];
  uint i = get_global_id(0), l = get_local_id(0), last = get_local_size(0) - 1, r = i;
  goto longer;
again:
  if (i % 7 == 4) goto meeting;
longer:
  r = r * 3 + 1;
meeting:
  shared[l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  r += shared[last - l] * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (--n != 0) goto again;
  out[i] = r;
}
// As `nested`, with a known number of rounds and ways that do not change: copies of a round would
// separate work-items at the barriers.
kernel __attribute__((intel_reqd_sub_group_size(WIDTH))) void counted(global uint *out, uint n) {
  local uint shared[40];
  uint i = get_global_id(0), l = get_local_id(0), last = get_local_size(0) - 1, r = i + n, k = 0;
  int16 kept[9];
  for (uint j = 0; j < 9; ++j) kept[j] = (int16)(n);
  goto outer;
again:
  r = r * 3 + 1;
  kept[1] = (int16)(1);
  if (l % 4 == 2) goto inner;
outer:
  r ^= 5;
inner:
  shared[l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  r += shared[last - l] * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++k < 4) goto again;
  out[i] = r + kept[8].s7 + kept[1].s7;
}
// As `counted`, and `outer` goes to the barrier on two ways: the cycle in the loop has two entries.
kernel __attribute__((intel_reqd_sub_group_size(WIDTH))) void entries(global uint *out, uint n) {
  local uint shared[40];
  uint i = get_global_id(0), l = get_local_id(0), last = get_local_size(0) - 1, r = i + n, k = 0;
  int16 kept[9];
  for (uint j = 0; j < 9; ++j) kept[j] = (int16)(n);
  goto outer;
again:
  r = r * 3 + 1;
  kept[1] = (int16)(1);
  if (l % 4 == 2) goto inner;
outer:
  r ^= 5;
  if (l % 3 == 1) goto meeting;
inner:
  r += 7;
meeting:
  shared[l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  r += shared[last - l] * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (++k < 4) goto again;
  out[i] = r + kept[8].s7 + kept[1].s7;
}
// Only one lane reaches the operation of a sub-group, which takes the active ones.
kernel __attribute__((intel_reqd_sub_group_size(WIDTH))) void one_lane(global uint *out, uint n) {
  local uint shared[40];
  uint i = get_global_id(0), l = get_local_id(0), last = get_local_size(0) - 1, r = i;
  if (n & 1) goto below;
above:
  shared[l] = r;
  barrier(CLK_LOCAL_MEM_FENCE);
  r += shared[last - l] * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 1) r += sub_group_clustered_reduce_max(n, 1u);
below:
  if (--n != 0) goto above;
  out[i] = r;
}
// Each waits for the one before it.
kernel void relay(global uint *out, uint n) {
  volatile global atomic_uint *baton = (volatile global atomic_uint *)(out + get_global_size(0));
  uint i = get_global_id(0), seen = i + 1, steps = n;
  if (i & 1) goto look;
pause:
  steps = steps * 3 + 1;
  if (steps & 4) {
look:
    seen = atomic_load_explicit(baton, memory_order_acquire, memory_scope_device);
    steps ^= 7;
    if (steps & 8) goto pause;
  }
  if (seen != i) {
    if (steps & 1) goto look;
    goto pause;
  }
  out[i] = steps != 0 ? seen : i;
  atomic_store_explicit(baton, i + 1, memory_order_release, memory_scope_device);
}
)";

enum class Next { start, swap, below };

cl_uint chain(cl_uint i, cl_uint n) {
  cl_uint r = i;
  for (Next next = i & 1 ? Next::swap : Next::start;;)
    switch (next) {
    case Next::start:
      r = r * 3 + 1;
      next = r & 4 ? Next::swap : Next::below;
      break;
    case Next::swap:
      r ^= 7;
      next = r & 8 ? Next::start : Next::below;
      break;
    case Next::below:
      if (--n == 0)
        return r;
      next = n & 1 ? Next::swap : Next::start;
    }
}

cl_uint counters(cl_uint i, cl_uint n) {
  cl_uint r = i, rest = 3;
  for (Next next = i & 1 ? Next::swap : Next::start;;)
    switch (next) {
    case Next::start:
      r = r * 3 + 1;
      next = r & 4 ? Next::swap : Next::below;
      break;
    case Next::swap:
      r ^= 7;
      next = Next::below;
      break;
    case Next::below:
      next = Next::start;
      if (--rest != 0)
        break;
      rest = 3;
      if (--n == 0)
        return r;
      next = n & 1 ? Next::swap : Next::start;
    }
}

constexpr size_t group = 40, items = 3 * group;

class IrreducibleFlow : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    // So that a group of 40 has several sub-groups.
    size_t width = 4;
    if (const std::vector<size_t> sizes = sub_group_sizes(); !has_sub_group_size(width))
      width = *std::min_element(sizes.begin(), sizes.end());
    ASSERT_LT(width, group);
    program_ = build(source, ("-cl-std=CL3.0 -DWIDTH=" + std::to_string(width)).c_str());
  }
  std::vector<cl_uint> run(const char *name, cl_uint n) {
    Kernel kernel = make_kernel(program_, name);
    Memory out = make_buffer(2 * items * sizeof n);
    write(out, std::vector<cl_uint>(2 * items, 0));
    const cl_mem memory = out;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof memory, &memory), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof n, &n), CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr),
        CL_SUCCESS);
    return read<cl_uint>(out, 2 * items);
  }

  Program program_;
};

TEST_F(IrreducibleFlow, EndsAndIsRight) {
  for (cl_uint n : {1, 2, 9}) {
    const std::vector<cl_uint> got = run("plain", n);
    for (cl_uint i = 0; i != items; ++i)
      ASSERT_EQ(got[i], chain(i, n) * 31 + counters(i, n)) << i << ", " << n;
  }
}

TEST_F(IrreducibleFlow, MeetsAtBarriers) {
  for (cl_uint n : {1, 2, 7}) {
    const std::vector<cl_uint> got = run("meetings", n);
    std::vector<cl_uint> r(items), way(items);
    for (cl_uint i = 0; i != items; ++i) {
      r[i] = i;
      way[i] = i % 3;
    }
    for (cl_uint rest = n; rest != 0; --rest) {
      for (cl_uint i = 0; i != items; ++i) {
        if (way[i] == 0) {
          r[i] = r[i] * 3 + 1;
          way[i] = r[i] & 2 ? 2 : 1;
        }
        if (way[i] == 1)
          r[i] ^= 9 + rest;
      }
      const std::vector<cl_uint> shared = r;
      for (size_t i = 0; i != items; ++i) {
        r[i] += shared[i / group * group + group - 1 - i % group] * 5;
        way[i] = r[i] & 4 ? 1 : r[i] & 8 ? 0 : 2;
      }
    }
    for (size_t i = 0; i != items; ++i)
      ASSERT_EQ(got[i], r[i]) << i << ", " << n;
  }
}

TEST_F(IrreducibleFlow, MeetsInSubGroups) {
  for (cl_uint n : {1, 6}) {
    const std::vector<cl_uint> got = run("sums", n);
    const size_t width = got[items];
    ASSERT_NE(width, 0);
    std::vector<cl_uint> r(items);
    std::vector<bool> first(items);
    for (cl_uint i = 0; i != items; ++i) {
      r[i] = i;
      first[i] = i % 3 != 0;
    }
    for (cl_uint rest = n; rest != 0; --rest) {
      std::vector<cl_uint> sums(items); // a sub-group's sum, at the index of its first work-item
      auto sum_of = [&](size_t i) -> cl_uint & { return sums[i - i % group % width]; };
      for (size_t i = 0; i != items; ++i) {
        if (first[i])
          r[i] = r[i] * 3 + 1;
        sum_of(i) += r[i];
      }
      for (size_t i = 0; i != items; ++i) {
        r[i] = (r[i] ^ 9) + sum_of(i);
        first[i] = !(r[i] & 4);
      }
    }
    for (size_t i = 0; i != items; ++i)
      ASSERT_EQ(got[i], r[i]) << i << ", " << n;
  }
}

// What two barriers around an exchange with the opposite work-item of the group do.
void exchange(std::vector<cl_uint> &r) {
  const std::vector<cl_uint> shared = r;
  for (size_t i = 0; i != items; ++i)
    r[i] += shared[i / group * group + group - 1 - i % group] * 5;
}

TEST_F(IrreducibleFlow, MeetsInNestedLoops) {
  for (cl_uint n : {1, 2, 7}) {
    const std::vector<cl_uint> got = run("nested", n);
    std::vector<cl_uint> r(items);
    for (cl_uint i = 0; i != items; ++i)
      r[i] = i;
    for (cl_uint rest = n; rest != 0; --rest) {
      for (size_t i = 0; i != items; ++i)
        if (rest == n || i % 7 != 4)
          r[i] = r[i] * 3 + 1;
      exchange(r);
    }
    for (size_t i = 0; i != items; ++i)
      ASSERT_EQ(got[i], r[i]) << i << ", " << n;
  }
}

TEST_F(IrreducibleFlow, MeetsInNestedLoopsOfKnownLength) {
  for (const bool has_entries : {false, true}) {
    const std::vector<cl_uint> got = run(has_entries ? "entries" : "counted", 3);
    std::vector<cl_uint> r(items);
    for (cl_uint i = 0; i != items; ++i)
      r[i] = i + 3;
    for (int round = 0; round != 4; ++round) {
      for (size_t i = 0; i != items; ++i) {
        const bool passes_outer = round == 0 || i % group % 4 != 2;
        if (round != 0)
          r[i] = r[i] * 3 + 1;
        if (passes_outer)
          r[i] ^= 5;
        if (has_entries && !(passes_outer && i % group % 3 == 1))
          r[i] += 7;
      }
      exchange(r);
    }
    for (size_t i = 0; i != items; ++i)
      ASSERT_EQ(got[i], r[i] + 3 + 1) << i << (has_entries ? ", entries" : ", counted");
  }
}

TEST_F(IrreducibleFlow, MeetsThoughOneLaneHasAnOperation) {
  for (cl_uint n : {2, 5, 6}) {
    const std::vector<cl_uint> got = run("one_lane", n);
    std::vector<cl_uint> r(items);
    for (cl_uint i = 0; i != items; ++i)
      r[i] = i;
    for (cl_uint rest = n & 1 ? n - 1 : n; rest != 0; --rest) {
      exchange(r);
      for (size_t i = 0; i < items; i += group)
        r[i] += rest;
    }
    for (size_t i = 0; i != items; ++i)
      ASSERT_EQ(got[i], r[i]) << i << ", " << n;
  }
}

TEST_F(IrreducibleFlow, Waits) {
  const std::vector<cl_uint> got = run("relay", 1);
  for (cl_uint i = 0; i != items; ++i)
    ASSERT_EQ(got[i], i);
  EXPECT_EQ(got[items], items);
}

} // namespace
