// Contexts (OpenCL 3.0 API section 4.4).
#pragma once

#include "api/opencl/object.h"
#include "runtime/device_enqueue/device_queues.h"
#include "runtime/graph/command.h"
#include "runtime/threads/callback_thread.h"

#include <CL/cl.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace lockstep::opencl {

// Receives reports from the runtime about commands that kernels have enqueued. These commands
// retain the context.
class ContextClient final : public runtime::CommandClient {
public:
  explicit ContextClient(cl_context context) : context_(context) {}
  void retain() override;
  void release() override;
  void failed(const Error &error) override;
  void warn(const std::string &sentence) override;

private:
  const cl_context context_;
};

// The on-device queues of one device.
struct QueuesOnDevice {
  cl_command_queue default_queue =
      nullptr;        // not counted as a use; the queue's destructor resets it, under the lock
  unsigned count = 0; // number of the other queues
};

} // namespace lockstep::opencl

struct _cl_context : lockstep::opencl::Object {
  using NotifyFunction = void(CL_CALLBACK *)(const char *, const void *, size_t, void *);
  using DestructorFunction = void(CL_CALLBACK *)(cl_context, void *);
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::context;

  _cl_context(std::vector<lockstep::opencl::Ref<_cl_device_id>> context_devices,
              std::vector<cl_context_properties> context_properties, NotifyFunction notify_function,
              void *notify_data);
  ~_cl_context(); // calls the destructor callbacks, last registered first
  void end();     // runs the destructor, but not while a command is being settled

  bool has_device(cl_device_id device) const;
  // Passes a sentence to pfn_notify, if the program gave one, on the callback thread. It does not
  // call pfn_notify directly: a handler may wait for commands, and the calling thread may run those
  // commands or hold their locks. Thread-safe.
  void notify_later(const std::string &sentence) const;
  // Calls pfn_notify at once, on the thread of the program whose call failed.
  void notify(const std::string &sentence) const;

  const std::vector<lockstep::opencl::Ref<_cl_device_id>>
      devices;                                         // in the program's order, no duplicates
  const std::vector<cl_context_properties> properties; // as given, with the final 0; empty if null

  // State for kernels that enqueue kernels.
  const std::shared_ptr<lockstep::runtime::DeviceQueues> device_queues =
      std::make_shared<lockstep::runtime::DeviceQueues>();
  lockstep::opencl::ContextClient client{this};
  lockstep::runtime::DeferringMutex on_device_mutex;
  std::map<cl_device_id, lockstep::opencl::QueuesOnDevice> on_device; // guarded by on_device_mutex
  lockstep::opencl::Ref<_cl_command_queue>
  default_queue(cl_device_id device); // null if the device has no default queue

  void add_destructor(DestructorFunction function, void *user_data);

private:
  struct Destructor {
    DestructorFunction function;
    void *user_data;
  };
  const NotifyFunction notify_function_;
  void *const notify_data_;
  lockstep::runtime::DeferringMutex mutex_;
  std::vector<Destructor> destructors_;
  // Destroys this context; null if no destructor callback is registered.
  std::unique_ptr<lockstep::runtime::LaterCall> destroys_;
};
