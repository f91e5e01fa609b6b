// What does an empty launch cost?
//
// Six variants, in microseconds per launch: 1,000 launches in a batch and one wait; each launch
// with its own wait (a round trip); a chain of 1,000 dependent kernels in an in-order queue, and
// with events in an out-of-order queue; and the first and the third as command buffers, which are
// recorded once and enqueued each time. Expectation: batch under 3, round trip under 20, chain like
// the batch, command buffers less. Each launch has one work-item, so that the launch itself is
// measured. Rival: none; a function call is not comparable.
#include "benchmarks/harness/session.h"
#include "benchmarks/questions.h"

#include <CL/cl_ext.h>

#include <stdexcept>

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
      // In an out-of-order queue each call must also wait for the previous one.
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
  if (!by_events) {
    b.sycl = "chain_in_order";
    b.sycl_data = {chain_length, {}, {}, count->data(), sizeof(cl_uint)};
  }
  b.verify = [=] { return count->front() == chain_length; };
  return b;
}

// A command buffer, with only those parts of cl_khr_command_buffer that are the same in all its
// versions.
class Recorded {
public:
  explicit Recorded(Session &session) : session_(session) {
    cl_command_queue queue = session.queue();
    buffer_ = function<clCreateCommandBufferKHR_fn>("clCreateCommandBufferKHR")(1, &queue, nullptr,
                                                                                nullptr);
  }
  ~Recorded() { function<clReleaseCommandBufferKHR_fn>("clReleaseCommandBufferKHR")(buffer_); }
  Recorded(const Recorded &) = delete;
  Recorded &operator=(const Recorded &) = delete;

  void add(const cl::Kernel &kernel) {
    const size_t one = 1;
    check(function<clCommandNDRangeKernelKHR_fn>("clCommandNDRangeKernelKHR")(
        buffer_, nullptr, nullptr, kernel(), 1, nullptr, &one, &one, 0, nullptr, nullptr, nullptr));
  }
  void finalize() {
    check(function<clFinalizeCommandBufferKHR_fn>("clFinalizeCommandBufferKHR")(buffer_));
    enqueue_ = function<clEnqueueCommandBufferKHR_fn>("clEnqueueCommandBufferKHR");
  }
  void enqueue() const { check(enqueue_(0, nullptr, buffer_, 0, nullptr, nullptr)); }

private:
  template <class Function> Function function(const char *name) const {
    const auto platform = session_.device.getInfo<CL_DEVICE_PLATFORM>();
    return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform, name));
  }
  static void check(cl_int status) {
    if (status != CL_SUCCESS)
      throw std::runtime_error("a command buffer fails with " + std::to_string(status));
  }

  Session &session_;
  cl_command_buffer_khr buffer_ = nullptr;
  clEnqueueCommandBufferKHR_fn enqueue_ = nullptr;
};

Benchmark replay_of_empty() {
  const int launches = 1000;
  Benchmark b{.unit = "us", .amount = launches, .measure = Measure::time};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("launch/launch.cl", "empty");
    auto recorded = std::make_shared<Recorded>(s);
    for (int i = 0; i < launches; ++i)
      recorded->add(k);
    recorded->finalize();
    return [recorded] { recorded->enqueue(); };
  };
  b.verify = [] { return true; };
  b.needs = {"cl_khr_command_buffer"};
  return b;
}

Benchmark replay_of_chain() {
  auto count = std::make_shared<std::vector<cl_uint>>(1);
  Benchmark b{.unit = "us", .amount = chain_length, .measure = Measure::time};
  b.opencl = [=](Session &s) {
    cl::Kernel k = s.kernel("launch/launch.cl", "link");
    cl::Buffer buffer = s.output(*count);
    k.setArg(1, buffer);
    auto recorded = std::make_shared<Recorded>(s);
    for (cl_uint i = 0; i < chain_length; ++i) {
      k.setArg(0, i);
      recorded->add(k);
    }
    recorded->finalize();
    return [=, &s] {
      s.queue.enqueueFillBuffer(buffer, cl_uint(0), 0, sizeof(cl_uint));
      recorded->enqueue();
    };
  };
  b.verify = [=] { return count->front() == chain_length; };
  b.needs = {"cl_khr_command_buffer"};
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

Benchmark launch_replay_batch(Scale) {
  return replay_of_empty();
}
Benchmark launch_replay_chain(Scale) {
  return replay_of_chain();
}

} // namespace lockstep::benchmarks
