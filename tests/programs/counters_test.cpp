// Work-items add to one counter and use its old value: as a ticket, as a place in a list, or to see
// whether they are the last ones. Each old value must occur once, however additions are combined:
// those of lanes into one, and those of several short work-groups of a large launch.
#include "opencl_fixture.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace lockstep::test;

namespace {

constexpr size_t groups = 16'384; // enough for batches of groups on many threads
// The first one measures the groups, and the second one has the code for batches compiled.
constexpr int launches = 4;
constexpr std::chrono::milliseconds to_compile{60};

// `old` must be a number below the number of additions. The last one sums what all have written
// before.
const char *const by_group = R"(
  TYPE take(volatile global ATOMIC *counter) { return TAKE; }
  kernel void k(volatile global ATOMIC *counter, global uint *seen, global uint *written, global uint *sum) {
    local uint is_last;
    const uint group = get_group_id(0) + get_num_groups(0) * get_group_id(1);
    const uint count = get_num_groups(0) * get_num_groups(1);
    if (get_local_id(0) == get_local_size(0) / 2) {
      written[group] = group % 7 + 1;
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      const uint old = (uint)take(counter + 3);
      seen[old % count] += 1 + old / count;
      is_last = old == count - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last && get_local_id(0) == 0) {
      uint all = 0;
      for (uint i = 0; i < count; ++i)
        all += written[i];
      *sum = all;
    }
  }
)";

// Each work-item for which WHICH holds takes a place.
const char *const by_item = R"(
  kernel void k(volatile global ATOMIC *counter, global uint *seen, global uint *written, global uint *sum) {
    const uint i = get_global_id(0);
    if (WHICH) {
      const uint old = (uint)(TAKE);
      seen[old % get_global_size(0)] += 1 + old / get_global_size(0);
      atomic_inc(sum);
    }
  }
)";

// A ticket lock around plain memory.
const char *const by_ticket = R"(
  kernel void k(volatile global atomic_uint *counter, global uint *seen, global uint *written, global uint *sum) {
    if (get_local_id(0) == 0) {
      const uint ticket = atomic_fetch_add_explicit(counter, 1u, memory_order_relaxed, memory_scope_device);
      while (atomic_load_explicit(counter + 32, memory_order_acquire, memory_scope_device) != ticket)
        ;
      seen[ticket] = *sum + 1 - ticket;
      *sum += 1;
      atomic_store_explicit(counter + 32, ticket + 1, memory_order_release, memory_scope_device);
    }
  }
)";

class Counters : public DeviceTest {
protected:
  // Returns the sum; `seen` must then be one for each of the first `additions`.
  void check(const std::string &defines, const char *source, size_t local, uint32_t start,
             size_t additions, uint32_t expected_sum, size_t items = 0) {
    SCOPED_TRACE(defines);
    Program program = build((defines + source).c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "k");
    const size_t global = items ? items : groups * local;
    Memory counter = make_buffer(64 * sizeof(uint64_t)), seen = make_buffer(4 * global),
           written = make_buffer(4 * global), sum = make_buffer(4);
    const cl_mem buffers[] = {counter, seen, written, sum};
    for (cl_uint i = 0; i < 4; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]), CL_SUCCESS);
    for (int launch = 0; launch < launches; ++launch) {
      if (launch == 2)
        std::this_thread::sleep_for(to_compile);
      std::vector<uint32_t> counters(128, start);
      write(counter, counters);
      write(seen, std::vector<uint32_t>(global));
      write(sum, std::vector<uint32_t>(1));
      ASSERT_EQ(
          clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          CL_SUCCESS);
      const auto counts = read<uint32_t>(seen, global);
      EXPECT_EQ(std::count(counts.begin(), counts.begin() + ptrdiff_t(additions), 1U),
                ptrdiff_t(additions));
      EXPECT_EQ(std::count(counts.begin() + ptrdiff_t(additions), counts.end(), 0U),
                ptrdiff_t(global - additions));
      EXPECT_EQ(read<uint32_t>(sum, 1)[0], expected_sum);
    }
  }
};

std::string define(const std::string &type, const std::string &atomic, const std::string &take) {
  return "#define TYPE " + type + "\n#define ATOMIC " + atomic + "\n#define TAKE " + take + "\n";
}

TEST_F(Counters, OfGroups) {
  uint32_t sum = 0;
  for (uint32_t group = 0; group < groups; ++group)
    sum += group % 7 + 1;
  const char *const order = ", memory_scope_device)";
  for (size_t local : {size_t(1), size_t(64), size_t(48)}) {
    check(define("uint", "uint", "atomic_inc(counter)"), by_group, local, 0, groups, sum);
    check(define("int", "int", "atomic_add(counter, 1)"), by_group, local, 0, groups, sum);
    check(
        define("uint", "atomic_uint",
               std::string("atomic_fetch_add_explicit(counter, 1u, memory_order_acq_rel") + order),
        by_group, local, 0, groups, sum);
    check(define("uint", "atomic_uint", "atomic_fetch_add(counter, 1u)"), by_group, local, 0,
          groups, sum);
  }
  // A counter that goes down, and one of 64 bits.
  check(define("uint", "uint", "(get_num_groups(0) - atomic_dec(counter)) - 1"), by_group, 64,
        groups - 1, groups, sum);
  check(define("long", "atomic_long",
               std::string("atomic_fetch_add_explicit(counter, 1l, memory_order_acq_rel") + order),
        by_group, 64, 0, groups, sum);
}

TEST_F(Counters, OfLanes) {
  constexpr size_t items = 1 << 16;
  const std::string inc = "#define ATOMIC uint\n#define TAKE atomic_inc(counter)\n";
  for (size_t local : {size_t(64), size_t(16), size_t(4)}) {
    check(inc + "#define WHICH true\n", by_item, local, 0, items, items, items);
    check(inc + "#define WHICH i % 3 == 1\n", by_item, local, 0, items / 3, items / 3, items);
    check(inc + "#define WHICH i % 64 == 40\n", by_item, local, 0, items / 64, items / 64, items);
  }
  // Each takes two, and uses the first one.
  check("#define ATOMIC uint\n#define TAKE atomic_add(counter, 2u) / 2\n#define WHICH true\n",
        by_item, 64, 0, items, items, items);
  check("#define ATOMIC int\n#define TAKE atomic_sub(counter, -1)\n#define WHICH i % 2\n", by_item,
        64, 0, items / 2, items / 2, items);
  check("#define ATOMIC uint\n#define TAKE atomic_dec(counter)\n#define WHICH true\n", by_item, 64,
        items - 1, items, items, items);
  // A work-item takes as many as its id says, of which it uses the first.
  check("#define ATOMIC uint\n#define TAKE atomic_add(counter, i % 3)\n#define WHICH i % 3 == 1\n",
        by_item, 64, 0, items / 3, items / 3, items);
}

TEST_F(Counters, OfALock) {
  for (size_t local : {size_t(1), size_t(64)})
    check("", by_ticket, local, 0, groups, groups);
}

} // namespace
