// Semaphores (cl_khr_semaphore), binary ones. A wait belongs to the oldest signal that was enqueued before it and that no
// other wait has taken; so it is an edge of the graph from one to the other, and nobody blocks. A wait that comes first
// gets a gate, a command that the next signal opens.
//
// One that can be exported, or came from another process, is the kernel's (runtime/graph/shared_signal.h): signals are given
// when their command runs, and a wait gets a gate that opens when there is one to take. A sync file that is imported is a
// signal like those that commands give, once.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/object.h"
#include "runtime/graph/command.h"
#include "runtime/graph/shared_signal.h"

#include <CL/cl_ext.h>

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_SEMAPHORE_EXPORTABLE_KHR
#define CL_SEMAPHORE_EXPORTABLE_KHR 0x2054
#endif

namespace lockstep::opencl {

// Types of handles that platform and device import and export. There is no export of sync files: drivers in the kernel make
// them, and nobody else can.
inline constexpr std::array<cl_external_semaphore_handle_type_khr, 2> imported_semaphore_types = {
    CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
inline constexpr std::array<cl_external_semaphore_handle_type_khr, 1> exported_semaphore_types = {
    CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR};

} // namespace lockstep::opencl

struct _cl_semaphore_khr : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::semaphore;
  static constexpr bool ends_with_release = true;
  using Properties = std::vector<cl_semaphore_properties_khr>;
  using Devices = std::vector<cl_device_id>;
  using HandleTypes = std::vector<cl_external_semaphore_handle_type_khr>;
  using SharedSignal = std::shared_ptr<lockstep::runtime::SharedSignal>;
  struct Made {
    Properties properties;
    Devices devices;
    HandleTypes exported;
    SharedSignal shared;          // null: of this process alone
    bool is_of_sync_file = false; // imported; its payload comes with import_sync_file
  };

  _cl_semaphore_khr(cl_context semaphore_context, Made made)
      : context(semaphore_context), properties(std::move(made.properties)),
        devices(std::move(made.devices)), exported(std::move(made.exported)),
        shared(std::move(made.shared)), is_of_sync_file(made.is_of_sync_file) {}
  ~_cl_semaphore_khr();

  // ---- of a command that is not enqueued yet, with the mutex held
  // ErrorKind::out_of_resources: the system cannot wait for a signal of another process.
  lockstep::Result<lockstep::runtime::CommandRef> take_signal(lockstep::runtime::Command &wait);
  // Of one that is: nothing can fail any more.
  void give_signal(lockstep::runtime::Command &signal);

  // Instead of all signals that there are.
  void import_signal(lockstep::runtime::CommandRef signal);

  cl_semaphore_payload_khr payload() const;

  const lockstep::opencl::Ref<_cl_context> context;
  const Properties properties; // as given, with the final 0
  const Devices devices;       // of the context
  const HandleTypes exported;
  const SharedSignal shared;
  const bool is_of_sync_file;
  mutable lockstep::runtime::DeferringMutex mutex;

private:
  std::deque<lockstep::runtime::CommandRef> gates_;   // of waits that no signal has come for
  std::deque<lockstep::runtime::CommandRef> signals_; // that no wait has taken
  lockstep::runtime::CommandRef taken_, wait_;        // the last signal that was taken, and by what
};
