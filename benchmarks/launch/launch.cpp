// Question: what does a launch cost, when nothing is to be done?
//
// Four ways: 1,000 in a batch and one wait; each with its own wait (a round trip); a chain of 1,000
// kernels that depend on each other, by an in-order queue, and by events in an out-of-order queue.
// Microseconds for one launch. Expectation: batch under 3, round trip under 20, chain as the batch.
// One work-group of one item: what is measured is the way there, not the way through. Rival: none;
// a function call is no launch. Last finding: see benchmarks/findings.md.
#include "benchmarks/harness/session.h"
#include "benchmarks/questions.h"

namespace lockstep::benchmarks {

namespace {

constexpr cl_uint chain_length = 1000;

Benchmark empty(bool round_trip) {
  const int launches = 1000;
  Benchmark b{.unit = "us", .amount = launches, .measure = Measure::time};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("launch/launch.cl", "empty");
    return [=, &s] {
      for (int i = 0; i < launches; ++i) {
        s.launch(k, 1, 1);
        if (round_trip)
          s.queue.finish();
      }
    };
  };
  b.verify = [] { return true; };
  return b;
}

Benchmark chain(bool by_events) {
  auto count = std::make_shared<std::vector<cl_uint>>(1);
  Benchmark b{.unit = "us", .amount = chain_length, .measure = Measure::time};
  b.opencl = [=](Session &s) {
    if (by_events)
      s.queue = cl::CommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl::Kernel k = s.kernel("launch/launch.cl", "link");
    cl::Buffer buffer = s.output(*count);
    k.setArg(1, buffer);
    return [=, &s]() mutable {
      // In an out-of-order queue each call must wait for the one before, too.
      s.queue.finish();
      std::vector<cl::Event> before(1);
      s.queue.enqueueFillBuffer(buffer, cl_uint(0), 0, sizeof(cl_uint), nullptr, &before[0]);
      for (cl_uint i = 0; i < chain_length; ++i) {
        k.setArg(0, i);
        cl::Event done;
        s.queue.enqueueNDRangeKernel(k, cl::NullRange, 1, 1, by_events ? &before : nullptr,
                                     by_events ? &done : nullptr);
        before[0] = done;
      }
    };
  };
  b.verify = [=] { return count->front() == chain_length; };
  return b;
}

} // namespace

Benchmark launch_batch(Scale) {
  return empty(false);
}
Benchmark launch_round_trip(Scale) {
  return empty(true);
}
Benchmark launch_chain_in_order(Scale) {
  return chain(false);
}
Benchmark launch_chain_by_events(Scale) {
  return chain(true);
}

} // namespace lockstep::benchmarks
