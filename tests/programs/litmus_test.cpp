// Litmus tests of the memory model (OpenCL C section 6.15.12.1): they fail if they observe a
// forbidden outcome. They do not check for allowed outcomes, which depend on timing.
#include "opencl_fixture.h"

#include <string>
#include <vector>

using namespace lockstep::test;

namespace {

// Each launch of one work-item is a thread of the litmus test. All threads visit the same indices
// in the same order; each index has its own variables x and y and its own results.
//
// The threads wait for each other once per 8192 indices. At each index they also poll the other
// thread a few times, because a thread stays at an index for nanoseconds only. That polling is
// unrolled, since a loop would count as a wait. Measured: relaxed store buffering, which is allowed,
// was observed 48,908 times in a million.
class Litmus : public DeviceTest {
protected:
  static constexpr size_t places = 250'000;
  static constexpr int repetitions = 4;

  // `threads`: the code of each thread at an index; r[n] is its n-th result.
  void never(const std::vector<std::string> &threads, const std::string &forbidden) {
    std::string source = R"(
      #define X (x + i)
      #define Y (y + i)
      #define LOAD(p, order) atomic_load_explicit(p, memory_order_##order, memory_scope_device)
      #define STORE(p, v, order) atomic_store_explicit(p, v, memory_order_##order, memory_scope_device)
      #define FENCE(order) atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_##order, memory_scope_device)
      #define LOOK8 if (LOAD(other, relaxed) <= i) if (LOAD(other, relaxed) <= i) if (LOAD(other, relaxed) <= i) if (LOAD(other, relaxed) <= i)
      #define LOOK LOOK8 LOOK8
      kernel void litmus(global atomic_int *x, global atomic_int *y, global char *results,
                         global atomic_uint *progress, uint places, uint thread, uint threads) {
        global char *r = results;
        global atomic_uint *own = progress + 32 * thread;
        global atomic_uint *other = progress + 32 * ((thread + 1) % threads);
        for (uint i = 0; i < places; ++i, r += 4) {
          STORE(own, i + 1, relaxed);
          if (i % 8192 == 0)
            while (LOAD(other, relaxed) <= i) ;
          LOOK LOOK LOOK LOOK LOOK LOOK LOOK LOOK ;
    )";
    for (size_t i = 0; i < threads.size(); ++i)
      source += (i ? "else if (thread == " : "if (thread == ") + std::to_string(i) + ") {" +
                threads[i] + "}\n";
    source += R"(}}
      kernel void count(global const char *results, global atomic_uint *seen) {
        global const char *r = results + 4 * get_global_id(0);
        if ()" +
              forbidden + ") atomic_fetch_add(seen, 1u); }";
    Program program = build(source.c_str(), "-cl-std=CL3.0");
    Kernel litmus = make_kernel(program, "litmus"), count = make_kernel(program, "count");
    Memory x = make_buffer(places * 4), y = make_buffer(places * 4), r = make_buffer(places * 4);
    Memory progress = make_buffer(512);
    const cl_uint number = places, zero = 0;
    cl_mem arguments[] = {x, y, r, progress};
    for (cl_uint i = 0; i < 4; ++i)
      EXPECT_EQ(clSetKernelArg(litmus, i, sizeof(cl_mem), &arguments[i]), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(litmus, 4, sizeof number, &number), CL_SUCCESS);
    Memory forbidden_seen = make_buffer(4);
    write<cl_uint>(forbidden_seen, {0});
    cl_mem counted[] = {r, forbidden_seen};
    for (cl_uint i = 0; i < 2; ++i)
      EXPECT_EQ(clSetKernelArg(count, i, sizeof(cl_mem), &counted[i]), CL_SUCCESS);
    const size_t one = 1, all = places;
    std::vector<Queue> queues;
    std::vector<Event> done(threads.size());
    for (size_t i = 0; i < threads.size(); ++i)
      queues.push_back(make_queue(0));
    const cl_uint count_of_threads = cl_uint(threads.size());
    EXPECT_EQ(clSetKernelArg(litmus, 6, sizeof count_of_threads, &count_of_threads), CL_SUCCESS);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (cl_mem memory : {x.get(), y.get(), progress.get()})
        EXPECT_EQ(clEnqueueFillBuffer(queue_, memory, &zero, 4, 0,
                                      memory == progress.get() ? 512 : places * 4, 0, nullptr,
                                      nullptr),
                  CL_SUCCESS);
      EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
      std::vector<cl_event> list;
      for (cl_uint i = 0; i < threads.size(); ++i) {
        EXPECT_EQ(clSetKernelArg(litmus, 5, sizeof i, &i), CL_SUCCESS);
        EXPECT_EQ(clEnqueueNDRangeKernel(queues[i], litmus, 1, nullptr, &one, &one, 0, nullptr,
                                         done[i].out()),
                  CL_SUCCESS);
        list.push_back(done[i]);
      }
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, count, 1, nullptr, &all, nullptr,
                                       cl_uint(list.size()), list.data(), nullptr),
                CL_SUCCESS);
    }
    EXPECT_EQ(read<cl_uint>(forbidden_seen, 1)[0], 0u) << forbidden;
  }
};

TEST_F(Litmus, MessagePassing) {
  const std::string forbidden = "r[0] == 1 && r[1] == 0";
  never({"STORE(X, 1, relaxed); STORE(Y, 1, release);",
         "r[0] = LOAD(Y, acquire); r[1] = LOAD(X, relaxed);"},
        forbidden);
  never({"STORE(X, 1, relaxed); FENCE(release); STORE(Y, 1, relaxed);",
         "r[0] = LOAD(Y, relaxed); FENCE(acquire); r[1] = LOAD(X, relaxed);"},
        forbidden);
  never({"STORE(X, 1, relaxed); FENCE(acq_rel); STORE(Y, 1, relaxed);",
         "r[0] = LOAD(Y, acquire); r[1] = LOAD(X, relaxed);"},
        forbidden);
  never({"STORE(X, 1, seq_cst); STORE(Y, 1, seq_cst);",
         "r[0] = LOAD(Y, seq_cst); r[1] = LOAD(X, seq_cst);"},
        forbidden);
  // The message need not be atomic if its reader has seen the flag.
  never({"((global int *)x)[i] = 1; STORE(Y, 1, release);",
         "r[0] = LOAD(Y, acquire); r[1] = r[0] ? ((global int *)x)[i] : 1;"},
        forbidden);
  never({"((global int *)x)[i] = 1; atomic_fetch_add_explicit(Y, 1, memory_order_release);",
         "r[0] = atomic_fetch_or_explicit(Y, 0, memory_order_acquire); "
         "r[1] = r[0] ? ((global int *)x)[i] : 1;"},
        forbidden);
}

TEST_F(Litmus, StoreBuffering) {
  const std::string forbidden = "r[0] == 0 && r[1] == 0";
  never({"STORE(X, 1, seq_cst); r[0] = LOAD(Y, seq_cst);",
         "STORE(Y, 1, seq_cst); r[1] = LOAD(X, seq_cst);"},
        forbidden);
  never({"STORE(X, 1, relaxed); FENCE(seq_cst); r[0] = LOAD(Y, relaxed);",
         "STORE(Y, 1, relaxed); FENCE(seq_cst); r[1] = LOAD(X, relaxed);"},
        forbidden);
  never({"atomic_exchange(X, 1); r[0] = LOAD(Y, seq_cst);",
         "STORE(Y, 1, seq_cst); r[1] = LOAD(X, seq_cst);"},
        forbidden);
}

TEST_F(Litmus, LoadBuffering) {
  const std::string forbidden = "r[0] == 1 && r[1] == 1";
  never({"r[0] = LOAD(X, acquire); STORE(Y, 1, release);",
         "r[1] = LOAD(Y, acquire); STORE(X, 1, release);"},
        forbidden);
  never({"r[0] = LOAD(X, relaxed); FENCE(acq_rel); STORE(Y, 1, relaxed);",
         "r[1] = LOAD(Y, relaxed); FENCE(acq_rel); STORE(X, 1, relaxed);"},
        forbidden);
}

TEST_F(Litmus, IndependentReadsOfIndependentWrites) {
  const std::string forbidden = "r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0";
  never({"STORE(X, 1, seq_cst);", "r[0] = LOAD(X, seq_cst); r[1] = LOAD(Y, seq_cst);",
         "r[2] = LOAD(Y, seq_cst); r[3] = LOAD(X, seq_cst);", "STORE(Y, 1, seq_cst);"},
        forbidden);
  never({"STORE(X, 1, relaxed);",
         "r[0] = LOAD(X, relaxed); FENCE(seq_cst); r[1] = LOAD(Y, relaxed);",
         "r[2] = LOAD(Y, relaxed); FENCE(seq_cst); r[3] = LOAD(X, relaxed);",
         "STORE(Y, 1, relaxed);"},
        forbidden);
}

TEST_F(Litmus, Coherence) {
  // A thread that has read the newer value cannot read the older one later.
  never({"STORE(X, 1, relaxed); STORE(X, 2, relaxed);",
         "r[0] = LOAD(X, relaxed); r[1] = LOAD(X, relaxed);"},
        "r[0] > r[1]");
  never({"STORE(X, 1, relaxed); r[0] = LOAD(X, relaxed);",
         "STORE(X, 2, relaxed); r[1] = LOAD(X, relaxed);"},
        "r[0] == 2 && r[1] == 1");
  // One of two atomic additions reads the other one's result.
  never({"r[0] = atomic_fetch_add_explicit(X, 1, memory_order_relaxed);",
         "r[1] = atomic_fetch_add_explicit(X, 1, memory_order_relaxed);"},
        "r[0] == r[1]");
}

} // namespace
