#include "api/opencl/enqueue.h"

#include "api/opencl/image.h"
#include "api/opencl/memory_flags.h"
#include "runtime/graph/polled_device.h"

#include <memory>

namespace lockstep::opencl {

void WaitList::assign(std::span<const cl_event> events) {
  count_ = events.size();
  if (count_ > few_.size())
    more_.resize(count_);
  runtime::Command **to = more_.empty() ? few_.data() : more_.data();
  for (cl_event event : events)
    *to++ = event->command.get();
}

Check check_queue(EntryPoint &api, cl_command_queue queue, const char *section) {
  if (!is_host_queue(queue))
    return failure(CL_INVALID_COMMAND_QUEUE, "command_queue is not a valid host command queue ({})",
                   section);
  api.report_to(queue->context.get());
  return {};
}

Check check_memory(const Place &place, cl_mem memory, const char *argument, const char *section) {
  if (!is_valid(memory))
    return failure(CL_INVALID_MEM_OBJECT, "{} is not a valid memory object ({})", argument,
                   section);
  return check_place(place, *memory, argument, section);
}

Check check_place(const Place &place, const _cl_mem &memory, const char *argument,
                  const char *section) {
  if (memory.context.get() != place.context)
    return failure(CL_INVALID_CONTEXT, "{} and command_queue are of different contexts ({})",
                   argument, section);
  if (memory.parent && !memory.image &&
      memory.offset() % place.device->device->limits().base_address_align_bytes != 0)
    return failure(
        CL_MISALIGNED_SUB_BUFFER_OFFSET,
        "{} is a sub-buffer whose origin {} is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN ({})",
        argument, memory.offset(), section);
  return {};
}

Check check_buffer(const Place &place, cl_mem buffer, const char *argument, const char *section) {
  if (Check broken = check_memory(place, buffer, argument, section))
    return broken;
  if (!buffer->is_buffer())
    return failure(CL_INVALID_MEM_OBJECT, "{} is {}, not a buffer ({})", argument, buffer->what(),
                   section);
  return {};
}

Check check_inside(const _cl_mem &memory, const char *argument, size_t offset, size_t size,
                   const char *section) {
  if (offset <= memory.size() && size <= memory.size() - offset)
    return {};
  return failure(CL_INVALID_VALUE,
                 "{} bytes at offset {} are not inside {}, which has {} bytes ({})", size, offset,
                 argument, memory.size(), section);
}

Check check_may_change(const _cl_mem &memory, const char *argument, const char *section) {
  if (!(memory.flags & CL_MEM_IMMUTABLE_EXT))
    return {};
  return failure(CL_INVALID_OPERATION,
                 "{} was created with CL_MEM_IMMUTABLE_EXT, and cannot be changed ({})", argument,
                 section);
}

Check check_host_access(const _cl_mem &memory, HostAccess access, const char *section) {
  bool reads = access == HostAccess::read;
  if (!reads)
    if (Check broken = check_may_change(memory, memory.image ? "image" : "buffer", section))
      return broken;
  cl_mem_flags forbidden =
      CL_MEM_HOST_NO_ACCESS | (reads ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
  if (!(memory.flags & forbidden))
    return {};
  return failure(CL_INVALID_OPERATION,
                 "the host may not {} the buffer, which was created with {} ({})",
                 reads ? "read" : "write",
                 memory.flags & CL_MEM_HOST_NO_ACCESS ? "CL_MEM_HOST_NO_ACCESS"
                 : reads                              ? "CL_MEM_HOST_WRITE_ONLY"
                                                      : "CL_MEM_HOST_READ_ONLY",
                 section);
}

Check read_wait_list(cl_command_queue queue, const EventArguments &arguments, WaitList &to,
                     const char *section) {
  if (!arguments.list && arguments.count > 0)
    return failure(CL_INVALID_EVENT_WAIT_LIST,
                   "event_wait_list is null, but num_events_in_wait_list is {} ({})",
                   arguments.count, section);
  if (arguments.list && arguments.count == 0)
    return failure(CL_INVALID_EVENT_WAIT_LIST,
                   "num_events_in_wait_list is 0, but event_wait_list is not null ({})", section);
  std::span events(arguments.list, arguments.count);
  for (size_t i = 0; i < events.size(); ++i) {
    if (!is_valid(events[i]))
      return failure(CL_INVALID_EVENT_WAIT_LIST, "event_wait_list[{}] is not a valid event ({})", i,
                     section);
    if (events[i]->context.get() != queue->context.get())
      return failure(CL_INVALID_CONTEXT,
                     "event_wait_list[{}] and command_queue are of different contexts ({})", i,
                     section);
  }
  to.assign(events);
  return {};
}

Check check_statuses(const EventArguments &events, const char *section) {
  for (cl_uint i = 0; i < events.count; ++i)
    if (events.list[i]->command->status() < CL_COMPLETE)
      return failure(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                     "event_wait_list[{}] has ended with error {} ({})", i,
                     events.list[i]->command->status(), section);
  return {};
}

namespace {

struct ReleaseEvent {
  void operator()(cl_event event) const { drop_use(event); }
};

} // namespace

Check submit(const Submission &submission, const runtime::CommandRef &command) {
  // Create the event first: its allocation may fail, and at this point nothing has been enqueued.
  std::unique_ptr<_cl_event, ReleaseEvent> event;
  if (submission.event)
    event.reset(create_object<_cl_event>(submission.queue->context.get(), submission.queue,
                                         submission.type, command));
  if (event)
    command->has_event();
  submission.queue->commands.enqueue(*command, submission.wait_list.commands());
  if (!submission.blocking) {
    runtime::PolledDevice::assist_all();
  } else if (runtime::Status status = command->wait_and_poll(); runtime::is_failure(status)) {
    const Error *error = command->error();
    return failure(status, "the command failed: {}", error ? error->message : "no reason is known");
  }
  if (submission.event)
    *submission.event = event.release();
  return {};
}

void give_event(cl_command_queue queue, cl_command_type type, const runtime::CommandRef &command,
                cl_event *event) {
  if (event)
    *event = create_object<_cl_event>(queue->context.get(), queue, type, command);
}

} // namespace lockstep::opencl
