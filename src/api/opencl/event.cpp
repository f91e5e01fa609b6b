// User events, waiting and callbacks (OpenCL 3.0 API section 5.11).
#include "api/opencl/event.h"

#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "runtime/threads/callback_thread.h"

#include <span>

using lockstep::opencl::Ref;

_cl_event::_cl_event(cl_context event_context, cl_command_queue event_queue,
                     cl_command_type command_type, lockstep::runtime::CommandRef event_command)
    : context(event_context), queue(event_queue), type(command_type),
      command(std::move(event_command)) {}

// No thread can set a user event without its handle, so the dependent commands fail now instead of
// waiting forever.
void _cl_event::abandon() {
  if (command->is_user_event())
    command->set_user_status(lockstep::runtime::status::dependency_failed);
}

namespace lockstep::opencl {
namespace {

Check check_event(EntryPoint &api, cl_event event) {
  if (!is_valid(event))
    return failure(CL_INVALID_EVENT, "event is not a valid event (section 5.11)");
  api.report_to(event->context.get());
  return {};
}

Check check_event_list(EntryPoint &api, std::span<const cl_event> events) {
  for (size_t i = 0; i < events.size(); ++i) {
    if (!is_valid(events[i]))
      return failure(CL_INVALID_EVENT, "event_list[{}] is not a valid event (section 5.11)", i);
    if (i == 0)
      api.report_to(events[0]->context.get());
    if (events[i]->context.get() != events[0]->context.get())
      return failure(CL_INVALID_CONTEXT,
                     "event_list[{}] and event_list[0] are of different contexts (section 5.11)",
                     i);
  }
  return {};
}

} // namespace

cl_event clCreateUserEvent(cl_context context, cl_int *errcode_ret) {
  EntryPoint api("clCreateUserEvent", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.11)");
  return api.success(create_object<_cl_event>(context, nullptr, cl_command_type{CL_COMMAND_USER},
                                              runtime::Command::create_user_event()));
}

cl_int clSetUserEventStatus(cl_event event, cl_int execution_status) {
  EntryPoint api("clSetUserEventStatus");
  if (Check broken = check_event(api, event))
    return api.fail(broken);
  if (!event->is_user_event())
    return api.fail(CL_INVALID_EVENT,
                    "event belongs to a command; it is not a user event (section 5.11)");
  if (execution_status > CL_COMPLETE)
    return api.fail(CL_INVALID_VALUE,
                    "execution_status is {}, neither CL_COMPLETE nor negative (section 5.11)",
                    execution_status);
  Ref<_cl_event> keep(event); // dependent commands may release the event
  if (!event->command->set_user_status(execution_status))
    return api.fail(CL_INVALID_OPERATION, "the status of event was set before (section 5.11)");
  return api.success();
}

cl_int clWaitForEvents(cl_uint num_events, const cl_event *event_list) {
  EntryPoint api("clWaitForEvents");
  if (num_events == 0)
    return api.fail(CL_INVALID_VALUE, "num_events is 0 (section 5.11)");
  if (!event_list)
    return api.fail(CL_INVALID_VALUE, "event_list is null (section 5.11)");
  std::span events(event_list, num_events);
  if (Check broken = check_event_list(api, events))
    return api.fail(broken);

  // Take references first: while this thread waits for one event, another thread may release the
  // next.
  std::vector<runtime::CommandRef> commands;
  commands.reserve(events.size());
  for (cl_event event : events)
    commands.push_back(event->command);
  Ref<_cl_context> context(events[0]->context);
  runtime::Status first_failure = CL_COMPLETE;
  for (const runtime::CommandRef &command : commands)
    if (runtime::Status status = command->wait_and_poll();
        status < CL_COMPLETE && first_failure == CL_COMPLETE)
      first_failure = status;
  if (first_failure != CL_COMPLETE)
    return api.fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                    "an event of event_list ended with error {} (section 5.11)", first_failure);
  return api.success();
}

cl_int clRetainEvent(cl_event event) {
  EntryPoint api("clRetainEvent");
  if (Check broken = check_event(api, event))
    return api.fail(broken);
  retain(event);
  return api.success();
}

cl_int clReleaseEvent(cl_event event) {
  EntryPoint api("clReleaseEvent");
  if (Check broken = check_event(api, event))
    return api.fail(broken);
  if (!release(event))
    return api.fail(CL_INVALID_EVENT,
                    "event was released as often as it was retained (section 5.11)");
  return api.success();
}

cl_int clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                          void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
                          void *user_data) {
  EntryPoint api("clSetEventCallback");
  if (Check broken = check_event(api, event))
    return api.fail(broken);
  if (!pfn_notify)
    return api.fail(CL_INVALID_VALUE, "pfn_notify is null (section 5.11)");
  if (command_exec_callback_type != CL_SUBMITTED && command_exec_callback_type != CL_RUNNING &&
      command_exec_callback_type != CL_COMPLETE)
    return api.fail(CL_INVALID_VALUE,
                    "command_exec_callback_type is {}, none of CL_SUBMITTED, CL_RUNNING, "
                    "CL_COMPLETE (section 5.11)",
                    command_exec_callback_type);
  if (auto started = runtime::start_callback_thread(); !started)
    return api.fail(CL_OUT_OF_RESOURCES, "{} (section 5.11)", started.error().message);
  // The callback holds a use of the event, because the handle that it receives must be valid.
  event->command->add_callback(command_exec_callback_type,
                               [=, keep = Ref<_cl_event>(event)](runtime::Status reached) {
                                 pfn_notify(keep.get(), reached, user_data);
                               });
  return api.success();
}

} // namespace lockstep::opencl
