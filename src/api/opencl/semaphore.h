// Semaphores (cl_khr_semaphore), binary ones. A wait belongs to the oldest signal that was enqueued before it and that no
// other wait has taken; so it is an edge of the graph from one to the other, and nobody blocks. A wait that comes first
// gets a gate, a command that the next signal opens.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/object.h"
#include "runtime/graph/command.h"

#include <CL/cl_ext.h>

#include <deque>
#include <mutex>
#include <vector>

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif

struct _cl_semaphore_khr : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::semaphore;
  static constexpr bool ends_with_release = true;
  using Properties = std::vector<cl_semaphore_properties_khr>;
  using Devices = std::vector<cl_device_id>;

  _cl_semaphore_khr(cl_context semaphore_context, Properties given, Devices of)
      : context(semaphore_context), properties(std::move(given)), devices(std::move(of)) {}
  ~_cl_semaphore_khr();

  // ---- of a command that is not enqueued yet, with the mutex held
  lockstep::runtime::CommandRef take_signal(lockstep::runtime::Command &wait);
  // Of one that is: nothing can fail any more.
  void give_signal(lockstep::runtime::Command &signal);

  cl_semaphore_payload_khr payload() const;

  const lockstep::opencl::Ref<_cl_context> context;
  const Properties properties; // as given, with the final 0
  const Devices devices;       // of the context
  mutable std::mutex mutex;

private:
  std::deque<lockstep::runtime::CommandRef> gates_;   // of waits that no signal has come for
  std::deque<lockstep::runtime::CommandRef> signals_; // that no wait has taken
  lockstep::runtime::CommandRef taken_, wait_;        // the last signal that was taken, and by what
};
