// What all clEnqueue* functions have in common, as three steps:
//   check    a request against where it is to run (Place), with no effect;
//   make     its operation, which needs no queue: a command buffer keeps the same ones;
//   enqueue  the operation as a command: it enters the graph, and the program is given its event.
//
// A request says what an entry point was asked for. Its type has
//   static constexpr const char *section            of the specification, for sentences
//   cl_command_type type                            for the event; may be static constexpr
//   Check check(const Place &)
//   Check make(const Place &, MadeOperation &to)    what can only be known by doing it fails here
//   undo()                                          where make() changes anything: there is no memory to enqueue it
// The functions that have no operation are in enqueue_marker.cpp.
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

// The commands of a checked event_wait_list. No allocation for the usual short ones.
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

// ---- checks; `section` is the one that the sentence names, e.g. "section 5.2.2"

// Also tells `api` whose notify callback hears of failures.
Check check_queue(EntryPoint &api, cl_command_queue queue, const char *section);
// Valid, of the context, and a sub-buffer aligned for the device.
Check check_memory(const Place &place, cl_mem memory, const char *argument, const char *section);
// The same, and no image.
Check check_buffer(const Place &place, cl_mem buffer, const char *argument, const char *section);
Check check_inside(const _cl_mem &memory, const char *argument, size_t offset, size_t size,
                   const char *section);
enum class HostAccess { read, write };
// CL_MEM_HOST_* of the buffer allow it.
// A command is to change its contents, which CL_MEM_IMMUTABLE_EXT forbids.
Check check_may_change(const _cl_mem &memory, const char *argument, const char *section);
Check check_host_access(const _cl_mem &memory, HostAccess access, const char *section);
Check read_wait_list(cl_command_queue queue, const EventArguments &arguments, WaitList &to,
                     const char *section);
// None of a checked list has failed. Only some extensions ask for it.
Check check_statuses(const EventArguments &events, const char *section);

// ---- the steps

using MadeOperation = std::unique_ptr<runtime::Operation>;

struct Submission {
  cl_command_queue queue;
  cl_command_type type;
  const WaitList &wait_list;
  cl_event *event; // may be null
  bool blocking;
};

// Enqueues the command. A blocking one is waited for; if it fails, so does this, and no event is
// given.
Check submit(const Submission &submission, const runtime::CommandRef &command);
// For commands that entered their queue already (markers).
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

// All of an entry point that returns an error code.
template <class Request>
cl_int enqueue(const char *entry_point, cl_command_queue queue, Request request,
               const EventArguments &events, bool blocking = false) {
  EntryPoint api(entry_point);
  if (Check broken = enqueue(api, queue, request, events, blocking))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
