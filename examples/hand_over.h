// The launches that hand_over.cpp and hand_over_wrong.cpp share, and the checks of their results.
#pragma once

#include "example.h"

#include <algorithm>
#include <string>
#include <vector>

namespace hand_over {

constexpr size_t group_size = 64;

struct Outcome {
  bool is_right;
  double seconds;
};

inline bool may_run(example::Example &e) {
  if (e.has_features({"__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_scope_device"}))
    return example::may_wait(e, "hand over by a lock and by a flag");
  e.skip("hand over by a lock and by a flag", "no atomics with order and scope");
  return false;
}

inline Outcome by_lock(example::Example &e, const std::string &options) {
  const size_t groups = e.size(16384, 256);
  cl::Kernel count(e.build("hand_over.cl", "-cl-std=CL3.0 " + options), "count");
  cl::Buffer lock(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  cl::Buffer counter(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  count.setArg(0, lock);
  count.setArg(1, counter);
  const double seconds = e.seconds([&] {
    e.queue.enqueueFillBuffer(lock, cl_uint(0), 0, sizeof(cl_uint));
    e.queue.enqueueFillBuffer(counter, cl_uint(0), 0, sizeof(cl_uint));
    e.queue.enqueueNDRangeKernel(count, cl::NullRange, groups * group_size, group_size);
  });
  return {example::read<cl_uint>(e, counter, 1)[0] == groups, seconds};
}

inline Outcome by_flag(example::Example &e, const std::string &options) {
  const size_t items = e.size(1 << 18, 1 << 12);
  cl::Kernel pass_on(e.build("hand_over.cl", "-cl-std=CL3.0 " + options), "pass_on");
  cl::Buffer flag(e.context, CL_MEM_READ_WRITE, sizeof(cl_uint));
  cl::Buffer message(e.context, CL_MEM_READ_WRITE, group_size * sizeof(cl_uint));
  cl::Buffer received(e.context, CL_MEM_READ_WRITE, items * sizeof(cl_uint));
  pass_on.setArg(0, flag);
  pass_on.setArg(1, message);
  pass_on.setArg(2, received);
  const double seconds = e.seconds([&] {
    e.queue.enqueueFillBuffer(flag, cl_uint(0), 0, sizeof(cl_uint));
    e.queue.enqueueFillBuffer(message, cl_uint(0), 0, group_size * sizeof(cl_uint));
    e.queue.enqueueNDRangeKernel(pass_on, cl::NullRange, items, group_size);
  });
  const auto got = example::read<cl_uint>(e, received, items);
  bool is_right = true;
  for (size_t i = group_size; i < items; ++i)
    is_right &= got[i] == 3 * (group_size - 1 - i % group_size);
  return {is_right, seconds};
}

inline Outcome by_event(example::Example &e, bool waits) {
  const size_t items = e.size(1 << 22, 1 << 14);
  cl::Program program = e.build("hand_over.cl", "-cl-std=CL3.0");
  cl::CommandQueue any_order(e.context, e.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl::Buffer list(e.context, CL_MEM_READ_WRITE, items * sizeof(cl_uint));
  cl::Buffer turned(e.context, CL_MEM_READ_WRITE, items * sizeof(cl_uint));
  cl::Kernel number(program, "number"), turn(program, "turn");
  number.setArg(0, list);
  turn.setArg(0, list);
  turn.setArg(1, turned);
  const double seconds = e.seconds([&] {
    std::vector<cl::Event> numbered(1);
    any_order.enqueueNDRangeKernel(number, cl::NullRange, items, group_size, nullptr, &numbered[0]);
    any_order.enqueueNDRangeKernel(turn, cl::NullRange, items, group_size,
                                   waits ? &numbered : nullptr);
    any_order.finish();
  });
  const auto got = example::read<cl_uint>(e, turned, items);
  bool is_right = true;
  for (size_t i = 0; i < items; ++i)
    is_right &= got[i] == items - 1 - i;
  return {is_right, seconds};
}

} // namespace hand_over
