// What all clCommand*KHR functions have in common: an entry point's request (enqueue.h) is checked and made as for an
// immediate command, and the operation becomes a node of the command buffer's graph.
#pragma once

#include "api/opencl/command_buffer.h"
#include "api/opencl/enqueue.h"

#include <mutex>
#include <vector>

namespace lockstep::opencl {

// The first three arguments of such a function, and the last four.
struct RecordArguments {
  cl_command_buffer_khr buffer;
  cl_command_queue queue; // may be null if the buffer has one only
  const CommandProperties *properties;
  cl_uint sync_point_count;
  const cl_sync_point_khr *sync_points;
  cl_sync_point_khr *sync_point;
  cl_mutable_command_khr *handle;
};

// Holds the command buffer while a command is recorded.
class Recording {
public:
  explicit Recording(const RecordArguments &arguments) : given_(arguments) {}

  // Buffer, its state, queue.
  Check begin(EntryPoint &api);
  // No command but launches has properties, or can be changed.
  Check check_plain() const;
  // What it comes after, beside what is implied.
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

// All of an entry point.
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
