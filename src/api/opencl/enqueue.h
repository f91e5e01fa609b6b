// What all clEnqueue* functions have in common: the checks of queue, memory objects and wait list;
// operations that keep alive what they use; and the end, where a command enters the graph and its
// event is given to the program.
//
// An entry point reads: check (no effects) -> make the operation -> submit().
#pragma once

#include "api/opencl/error.h"
#include "api/opencl/event.h"
#include "api/opencl/memory.h"
#include "api/opencl/queue.h"
#include "runtime/graph/command.h"
#include "runtime/graph/operation.h"

#include <CL/cl.h>

#include <array>
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
// Valid, of the queue's context, and a sub-buffer aligned for the queue's device.
Check check_memory(cl_command_queue queue, cl_mem memory, const char *argument,
                   const char *section);
Check check_inside(const _cl_mem &memory, const char *argument, size_t offset, size_t size,
                   const char *section);
enum class HostAccess { read, write };
// CL_MEM_HOST_* of the buffer allow it.
Check check_host_access(const _cl_mem &memory, HostAccess access, const char *section);
Check read_wait_list(cl_command_queue queue, const EventArguments &arguments, WaitList &to,
                     const char *section);

// ---- operations

// Gives the sentence of a failed command to the context's notify callback. A command that was not
// run because one that it waits for failed says nothing: the first failure has spoken.
void report_failure(cl_command_queue queue, const Error &error);

// An operation of the runtime that keeps its queue and memory objects alive until it is done
// (sections 5.1, 5.5.1).
template <class Operation, size_t memory_count> class Holding : public Operation {
public:
  using Memories = std::array<cl_mem, memory_count>;

  template <class... Arguments>
  Holding(cl_command_queue queue, const Memories &memories, Arguments &&...arguments)
      : Operation(std::forward<Arguments>(arguments)...), queue_(queue) {
    for (size_t i = 0; i < memory_count; ++i)
      memories_[i] = Ref<_cl_mem>(memories[i]);
  }
  void failed(const Error &error) override { report_failure(queue_.get(), error); }

private:
  Ref<_cl_command_queue> queue_;
  std::array<Ref<_cl_mem>, memory_count> memories_;
};

// Does nothing: the command is there for its place in the order.
class NoWork : public runtime::HostOperation {
public:
  uint64_t parts() const override { return 0; }
  bool runs_in_place() const override { return true; }
  Result<void> run(uint64_t, uint64_t, runtime::Worker *) override { return {}; }
};

// ---- the end

struct Submission {
  cl_command_queue queue;
  cl_command_type type;
  const WaitList &wait_list;
  cl_event *event; // may be null
  bool blocking = false;
};

// Enqueues the command. A blocking one is waited for; if it fails, so does this, and no event is
// given.
Check submit(const Submission &submission, const runtime::CommandRef &command);
// For commands that entered their queue already (markers).
void give_event(cl_command_queue queue, cl_command_type type, const runtime::CommandRef &command,
                cl_event *event);

} // namespace lockstep::opencl
