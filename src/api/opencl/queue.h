// Command queues (OpenCL 3.0 API section 5.1).
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/device.h"
#include "api/opencl/object.h"
#include "runtime/graph/command_queue.h"

#include <CL/cl.h>

#include <memory>
#include <string>
#include <vector>

namespace lockstep::opencl {

// Where an operation will run: everything that is needed to check and make it.
struct Place {
  cl_context context;
  cl_device_id device;
};

// Receives reports from the runtime about the commands of a queue. These commands retain the queue.
class QueueClient final : public runtime::CommandClient {
public:
  explicit QueueClient(cl_command_queue queue) : queue_(queue) {}
  void retain() override;
  void release() override;
  void failed(const Error &error) override;
  void warn(const std::string &sentence) override;

private:
  const cl_command_queue queue_;
};

} // namespace lockstep::opencl

struct _cl_command_queue : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::queue;

  _cl_command_queue(cl_context queue_context, cl_device_id queue_device,
                    cl_command_queue_properties queue_properties,
                    std::vector<cl_queue_properties> given_properties);
  // A handle for a queue of another API. It shares the commands; that API receives the reports.
  _cl_command_queue(cl_context queue_context, cl_device_id queue_device,
                    cl_command_queue_properties queue_properties,
                    std::shared_ptr<lockstep::runtime::CommandQueue> queue_commands);

  ~_cl_command_queue();

  lockstep::opencl::Place place() const { return {context.get(), device.get()}; }
  // Returns true if kernels, not the host, enqueue to this queue.
  bool is_on_device() const { return properties & CL_QUEUE_ON_DEVICE; }

  const lockstep::opencl::Ref<_cl_context> context;
  const lockstep::opencl::Ref<_cl_device_id> device;
  const cl_command_queue_properties properties;
  const std::vector<cl_queue_properties>
      property_list; // as given, with the final 0; empty if null or the old call

  // On-device queues only: the number by which kernels identify the queue, and its size in bytes.
  uint64_t number = 0;
  cl_uint size = 0;

  lockstep::opencl::QueueClient client{this};
  const std::shared_ptr<lockstep::runtime::CommandQueue> shared_commands;
  lockstep::runtime::CommandQueue &commands; // *shared_commands
};

namespace lockstep::opencl {

inline bool is_host_queue(cl_command_queue queue) {
  return is_valid(queue) && !queue->is_on_device();
}

} // namespace lockstep::opencl
