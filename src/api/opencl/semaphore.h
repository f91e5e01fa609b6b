// Binary semaphores (cl_khr_semaphore). A wait takes the oldest signal that was enqueued before it
// and that no other wait has taken. The wait becomes a graph edge from the signal, so no thread
// blocks. A wait without an earlier signal gets a gate: a command that the next signal opens.
//
// An exportable or imported semaphore is an object of the kernel (runtime/external_commands/shared_signal.h).
// It is signaled when the signal command runs. A wait gets a gate that opens when a signal can be
// taken. An imported sync file acts as one signal of a command.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/object.h"
#include "runtime/external_commands/shared_signal.h"
#include "runtime/graph/command.h"

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

// Handle types that the platform and the device import and export. Sync files cannot be exported,
// because only kernel drivers can create them.
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
    SharedSignal shared;          // null if only this process uses the semaphore
    bool is_of_sync_file = false; // imported; import_sync_file sets the payload
  };

  _cl_semaphore_khr(cl_context semaphore_context, Made made)
      : context(semaphore_context), properties(std::move(made.properties)),
        devices(std::move(made.devices)), exported(std::move(made.exported)),
        shared(std::move(made.shared)), is_of_sync_file(made.is_of_sync_file) {}
  ~_cl_semaphore_khr();

  // ---- The next two functions require that the caller holds the mutex.

  // Returns the signal that `wait`, which is not enqueued yet, depends on. Fails with
  // ErrorKind::out_of_resources if the system cannot wait for a signal of another process.
  lockstep::Result<lockstep::runtime::CommandRef> take_signal(lockstep::runtime::Command &wait);
  // Adds a signal command that is already enqueued. This function cannot fail.
  void give_signal(lockstep::runtime::Command &signal);

  // Replaces all existing signals.
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
  std::deque<lockstep::runtime::CommandRef> gates_;   // of waits without a signal
  std::deque<lockstep::runtime::CommandRef> signals_; // that no wait has taken
  lockstep::runtime::CommandRef taken_, wait_; // the last signal that a wait took, and that wait
};
