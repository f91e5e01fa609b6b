// Barriers and locks between work-groups in many spellings: who polls, how the goal is computed,
// and how the work-items of a group learn of it. Each must hold back every group until all have
// come, and must be reported as a deadlock if one never comes.
#include "opencl_fixture.h"

#include <string>
#include <vector>

using namespace lockstep::test;

namespace {

constexpr cl_uint groups = 24, rounds = 12;

struct Spelling {
  const char *name, *code; // one barrier; `t` counts them from 0
};

// Counters that only grow.
const Spelling barriers[] = {
    {"leader", "if (me == 0) { goal += GROUPS; ADD; while (COUNT < goal) ; } BARRIER"},
    {"computed", "if (me == 0) { ADD; while (COUNT < (t + 1) * GROUPS) ; } BARRIER"},
    {"computed_in_64_bits",
     "if (me == 0) { ADD; while (COUNT < (t + 1) * (get_num_groups(0) + MISSING)) ; } BARRIER"},
    {"by_division", "if (me == 0) { ADD; while (COUNT / GROUPS <= t) ; } BARRIER"},
    {"by_difference",
     "if (me == 0) { ADD; while ((int)(COUNT - (t + 1) * GROUPS) < 0) ; } BARRIER"},
    {"all_poll", "if (me == 0) ADD; while (COUNT < (t + 1) * GROUPS) ; BARRIER"},
    {"any", "if (me == 0) ADD; while (!work_group_any(COUNT >= (t + 1) * GROUPS)) ; BARRIER"},
    {"all", "if (me == 0) ADD; while (!work_group_all(COUNT >= (t + 1) * GROUPS)) ; BARRIER"},
    {"least", "if (me == 0) ADD; while (work_group_reduce_min(COUNT) < (t + 1) * GROUPS) ;"},
    {"broadcast", "if (me == 0) ADD; goal += GROUPS;"
                  "while (work_group_broadcast(me == 0 ? COUNT : 0u, 0) < goal) ;"},
    {"last_looks", "if (me == 0) ADD; goal += GROUPS;"
                   "while (work_group_broadcast(COUNT, get_local_size(0) - 1) < goal) ;"},
    {"all_carried", "if (me == 0) ADD; int ready = 0;"
                    "while (!work_group_all(ready)) ready = COUNT >= (t + 1) * GROUPS; BARRIER"},
    {"any_carried", "if (me == 0) ADD; bool ready = false;"
                    "for (; !work_group_any(ready); ready = COUNT >= (t + 1) * GROUPS) ;"},
    {"least_carried", "if (me == 0) ADD; uint seen_by_me = 0; goal += GROUPS;"
                      "while (work_group_reduce_min(seen_by_me) < goal) seen_by_me = COUNT;"
                      "if (seen_by_me < goal) x[i] = x[n + i] = 99;"},
    {"broadcast_carried", "if (me == 0) ADD; int ready = 0; while (!ready) {"
                          "if (me == 0) ready = COUNT >= (t + 1) * GROUPS;"
                          "ready = work_group_broadcast(ready, 0); }"},
    {"local_variable", "if (me == 0) ADD; do { BARRIER if (me == 0) seen = COUNT; BARRIER }"
                       "while (seen < (t + 1) * GROUPS);"},
    {"flags", "if (me == 0) STORE(flags + get_group_id(0), t + 1);"
              "for (uint i = me; i < GROUPS; i += get_local_size(0)) while (LOAD(flags + i) <= t) ;"
              "BARRIER"},
};

std::string source_of(const Spelling &spelling, cl_uint missing) {
  const std::string start = R"(
#define LOAD(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define STORE(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define ADD atomic_fetch_add_explicit(count, 1u, memory_order_acq_rel, memory_scope_device)
#define COUNT LOAD(count)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#define GROUPS ((uint)get_num_groups(0) + MISSING)
// Each round adds one to what the next group had.
kernel void run(global uint *x, global atomic_uint *count, global atomic_uint *flags, uint rounds) {
  local uint seen;
  const uint me = get_local_id(0), n = get_global_size(0), i = get_global_id(0);
  const uint other = (i + get_local_size(0)) % n;
  uint goal = 0;
  for (uint t = 0; t < rounds; ++t) {
    x[(t + 1) % 2 * n + i] = x[t % 2 * n + other] + 1;
    BARRIER
)";
  return "#define MISSING " + std::to_string(missing) + "u\n" + start + spelling.code +
         "\n  }\n}\n";
}

class GridBarriers : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    x_ = make_buffer(2 * groups * 256 * sizeof(cl_uint));
    count_ = make_buffer(sizeof(cl_uint));
    flags_ = make_buffer(groups * sizeof(cl_uint));
  }

  cl_int run(const Spelling &spelling, size_t local, cl_uint missing) {
    const std::string source = source_of(spelling, missing);
    Program program = build(source.c_str(), "-cl-std=CL3.0");
    Kernel kernel = make_kernel(program, "run");
    const size_t global = groups * local;
    write(x_, std::vector<cl_uint>(2 * global));
    write(count_, std::vector<cl_uint>(1));
    write(flags_, std::vector<cl_uint>(groups));
    cl_mem arguments[] = {x_, count_, flags_};
    for (cl_uint i = 0; i < 3; ++i)
      EXPECT_EQ(clSetKernelArg(kernel, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 3, sizeof rounds, &rounds), CL_SUCCESS);
    Event event;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr,
                                     event.out()),
              CL_SUCCESS);
    const cl_event wanted = event;
    clWaitForEvents(1, &wanted); // returns an error if the launch failed
    return event_info<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS);
  }

  Memory x_, count_, flags_;
};

TEST_F(GridBarriers, HoldGroupsBackUntilAllHaveCome) {
  for (const Spelling &spelling : barriers)
    for (size_t local : {1, 24, 256}) {
      ASSERT_EQ(run(spelling, local, 0), CL_COMPLETE) << spelling.name << ", local size " << local;
      const auto x = read<cl_uint>(x_, 2 * groups * local);
      for (size_t i = 0; i < groups * local; ++i)
        ASSERT_EQ(x[rounds % 2 * groups * local + i], rounds)
            << spelling.name << ", local size " << local << ", work-item " << i;
    }
}

TEST_F(GridBarriers, AreDeadlockedIfOneDoesNotCome) {
  for (const Spelling &spelling : barriers) {
    if (std::string(spelling.name) == "flags") // a flag that does not exist
      continue;
    EXPECT_EQ(run(spelling, 64, 1), CL_OUT_OF_RESOURCES) << spelling.name;
  }
}

} // namespace
