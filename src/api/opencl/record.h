// The steps that all clCommand*KHR functions share. The request of an entry point (enqueue.h) is
// checked and made as for an immediate command; its operation becomes a node of the command
// buffer's graph.
#pragma once

#include "api/opencl/command_buffer.h"
#include "api/opencl/enqueue.h"

#include <mutex>
#include <vector>

namespace lockstep::opencl {

// The first three and the last four arguments of a clCommand*KHR function.
struct RecordArguments {
  cl_command_buffer_khr buffer;
  cl_command_queue queue; // may be null if the buffer has only one queue
  const CommandProperties *properties;
  cl_uint sync_point_count;
  const cl_sync_point_khr *sync_points;
  cl_sync_point_khr *sync_point;
  cl_mutable_command_khr *handle;
};

// Holds the command buffer's lock while a command is recorded.
class Recording {
public:
  explicit Recording(const RecordArguments &arguments) : given_(arguments) {}

  // Checks the buffer, its state and the queue.
  Check begin(EntryPoint &api);
  // Fails if the command has properties or requests a mutable handle; only launches may.
  Check check_plain() const;
  // Reads the explicit dependencies.
  Check read_sync_points();
  Place place() const { return buffer().queues[queue_]->place(); }
  _cl_command_buffer_khr &buffer() const { return *given_.buffer; }
  const RecordArguments &given() const { return given_; }

  _cl_command_buffer_khr::Node add(std::shared_ptr<runtime::Operation> operation);
  void add_barrier();

private:
  _cl_command_buffer_khr::Node add(std::shared_ptr<runtime::Operation> operation, bool is_barrier);

  const RecordArguments &given_;
  std::unique_lock<runtime::DeferringMutex> lock_;
  uint32_t queue_ = 0;
  std::vector<runtime::RecordedGraph::Dependency> dependencies_;
};

// Implements a complete entry point.
template <class Request>
cl_int record(const char *entry_point, const RecordArguments &arguments, Request request) {
  EntryPoint api(entry_point);
  Recording recording(arguments);
  if (Check broken = recording.begin(api))
    return api.fail(broken);
  if (Check broken = recording.check_plain())
    return api.fail(broken);
  const Place place = recording.place();
  if (Check broken = request.check(place))
    return api.fail(broken);
  if (Check broken = recording.read_sync_points())
    return api.fail(broken);
  MadeOperation operation;
  if (Check broken = request.make(place, operation))
    return api.fail(broken);
  recording.add(std::move(operation));
  return api.success();
}

} // namespace lockstep::opencl
