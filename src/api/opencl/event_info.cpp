// clGetEventInfo and clGetEventProfilingInfo (OpenCL 3.1 API sections 5.11 and 5.14).
#include "api/opencl/entry_points.h"
#include "api/opencl/event.h"
#include "api/opencl/info.h"
#include "runtime/events/events.h"

namespace lockstep::opencl {
namespace {

// A query of the status is not a synchronization point.
cl_int polled_status(const _cl_event &event) {
  const runtime::Status status = event.command->status();
  if (runtime::is_settled(status))
    runtime::notify(&runtime::Listener::command_polled, *event.command);
  return status;
}

constexpr InfoRow<_cl_event> event_info[] = {
    row<_cl_event>(CL_EVENT_COMMAND_QUEUE, [](auto &event) { return event.queue.get(); }),
    row<_cl_event>(CL_EVENT_CONTEXT, [](auto &event) { return event.context.get(); }),
    row<_cl_event>(CL_EVENT_COMMAND_TYPE, [](auto &event) { return event.type; }),
    row<_cl_event>(CL_EVENT_COMMAND_EXECUTION_STATUS,
                   [](auto &event) { return polled_status(event); }),
    row<_cl_event>(CL_EVENT_REFERENCE_COUNT,
                   [](auto &event) -> cl_uint { return event.references; }),
};

using runtime::CommandTimes;
constexpr InfoRow<CommandTimes> profiling_info[] = {
    row<CommandTimes>(CL_PROFILING_COMMAND_QUEUED,
                      [](auto &times) -> cl_ulong { return times.queued; }),
    row<CommandTimes>(CL_PROFILING_COMMAND_SUBMIT,
                      [](auto &times) -> cl_ulong { return times.submitted; }),
    row<CommandTimes>(CL_PROFILING_COMMAND_START,
                      [](auto &times) -> cl_ulong { return times.started; }),
    row<CommandTimes>(CL_PROFILING_COMMAND_END,
                      [](auto &times) -> cl_ulong { return times.ended; }),
    // A command completes after it ended, when the kernels that it enqueued have completed too.
    row<CommandTimes>(CL_PROFILING_COMMAND_COMPLETE,
                      [](auto &times) -> cl_ulong { return times.completed; }),
};

Check check_profiling(const _cl_event &event) {
  if (event.is_user_event())
    return failure(CL_PROFILING_INFO_NOT_AVAILABLE, "event is a user event (section 5.14)");
  if (event.command->times().queued == 0)
    return failure(
        CL_PROFILING_INFO_NOT_AVAILABLE,
        "the queue of event was created without CL_QUEUE_PROFILING_ENABLE (section 5.14)");
  if (runtime::Status status = event.command->status(); status != CL_COMPLETE)
    return failure(CL_PROFILING_INFO_NOT_AVAILABLE,
                   "the status of event is {}, not CL_COMPLETE (section 5.14)", status);
  return {};
}

} // namespace

cl_int clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetEventInfo");
  if (!is_valid(event))
    return api.fail(CL_INVALID_EVENT, "event is not a valid event (section 5.11)");
  api.report_to(event->context.get());
  return read_info(api, event_info, *event,
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.11");
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
                               size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret) {
  EntryPoint api("clGetEventProfilingInfo");
  if (!is_valid(event))
    return api.fail(CL_INVALID_EVENT, "event is not a valid event (section 5.14)");
  api.report_to(event->context.get());
  if (Check broken = check_profiling(*event))
    return api.fail(broken);
  return read_info(api, profiling_info, event->command->times(),
                   {param_name, param_value_size, param_value, param_value_size_ret},
                   "section 5.14");
}

} // namespace lockstep::opencl
