// The three steps that all clEnqueue* functions share:
//   check    validates a request for the place where it will run (Place), without side effects
//   make     makes its operation, which needs no queue; command buffers use the same operations
//   enqueue  adds the operation to the graph as a command, and returns its event to the program
//
// A request holds the arguments of an entry point. Its type has these members:
//   static constexpr const char *section          section of the specification, for messages
//   cl_command_type type                          for the event; may be static constexpr
//   Check check(const Place &)
//   Check make(const Place &, MadeOperation &to)  reports failures that only the attempt detects
//   undo()                                        if make() has side effects: reverts them if there
//                                                 is no memory to enqueue the command
// The functions without an operation are in enqueue_marker.cpp.
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/event.h"
#include "api/opencl/memory.h"
#include "api/opencl/queue.h"
#include "runtime/graph/command.h"
#include "runtime/graph/operation.h"

#include <CL/cl.h>

#include <array>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::opencl {

// The last three arguments of an enqueue function.
struct EventArguments {
  cl_uint count;
  const cl_event *list;
  cl_event *event;
};

// The commands of a checked event_wait_list. Up to eight commands need no allocation.
class WaitList {
public:
  void assign(std::span<const cl_event> events);
  runtime::WaitList commands() const {
    return {more_.empty() ? few_.data() : more_.data(), count_};
  }

private:
  std::array<runtime::Command *, 8> few_;
  std::vector<runtime::Command *> more_;
  size_t count_ = 0;
};

// ---- Checks; messages name `section`, e.g. "section 5.2.2".

// Also directs the failures of `api` to the notify callback of the queue's context.
Check check_queue(EntryPoint &api, cl_command_queue queue, const char *section);
// Checks that the memory object is valid and of the context, and that a sub-buffer is aligned for
// the device.
Check check_memory(const Place &place, cl_mem memory, const char *argument, const char *section);
// The same for a memory object that is known to be valid.
Check check_place(const Place &place, const _cl_mem &memory, const char *argument,
                  const char *section);
// Like check_memory(), but also refuses images and pipes.
Check check_buffer(const Place &place, cl_mem buffer, const char *argument, const char *section);
Check check_inside(const _cl_mem &memory, const char *argument, size_t offset, size_t size,
                   const char *section);
enum class HostAccess { read, write };
// A command that changes the contents: fails if the object has CL_MEM_IMMUTABLE_EXT.
Check check_may_change(const _cl_mem &memory, const char *argument, const char *section);
// Fails if the CL_MEM_HOST_* flags of the object forbid the access.
Check check_host_access(const _cl_mem &memory, HostAccess access, const char *section);
Check read_wait_list(cl_command_queue queue, const EventArguments &arguments, WaitList &to,
                     const char *section);
// Fails if an event of a checked list has failed. Only some extensions require this check.
Check check_statuses(const EventArguments &events, const char *section);

// ---- Steps

using MadeOperation = std::unique_ptr<runtime::Operation>;

struct Submission {
  cl_command_queue queue;
  cl_command_type type;
  const WaitList &wait_list;
  cl_event *event; // may be null
  bool blocking;
};

// Enqueues the command and, if it is blocking, waits for it. If a blocking command fails, this
// function fails and returns no event.
Check submit(const Submission &submission, const runtime::CommandRef &command);
// Creates the event of a command that its queue already contains (a marker).
void give_event(cl_command_queue queue, cl_command_type type, const runtime::CommandRef &command,
                cl_event *event);

template <class Request>
Check enqueue(EntryPoint &api, cl_command_queue queue, Request &request,
              const EventArguments &events, bool blocking = false) {
  if (Check broken = check_queue(api, queue, Request::section))
    return broken;
  const Place place = queue->place();
  if (Check broken = request.check(place))
    return broken;
  WaitList wait_list;
  if (Check broken = read_wait_list(queue, events, wait_list, Request::section))
    return broken;
  MadeOperation operation;
  try {
    if (Check broken = request.make(place, operation))
      return broken;
    return submit({queue, request.type, wait_list, events.event, blocking},
                  runtime::Command::create(std::move(operation)));
  } catch (const std::bad_alloc &) {
    if constexpr (requires { request.undo(); })
      request.undo();
    throw;
  }
}

// Implements a complete entry point that returns an error code.
template <class Request>
cl_int enqueue(const char *entry_point, cl_command_queue queue, Request request,
               const EventArguments &events, bool blocking = false) {
  EntryPoint api(entry_point);
  if (Check broken = enqueue(api, queue, request, events, blocking))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
