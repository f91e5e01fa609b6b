// Event objects (OpenCL 3.0 API section 5.11): the program's handle of a command of the graph.
//
// The command has its own lifetime, and the event is one of its references. So the event object can
// be destroyed with the program's last release although other commands still wait for the command.
// A pending callback counts as a use of the event, because the callback receives the handle.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/object.h"
#include "api/opencl/queue.h"
#include "runtime/graph/command.h"

#include <CL/cl.h>

struct _cl_event : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::event;

  // `event_queue` is null for a user event, and for a command buffer on several queues.
  _cl_event(cl_context event_context, cl_command_queue event_queue, cl_command_type command_type,
            lockstep::runtime::CommandRef event_command);

  // Called when the program drops its last reference.
  void abandon();

  bool is_user_event() const { return type == CL_COMMAND_USER; }

  const lockstep::opencl::Ref<_cl_context> context;
  const lockstep::opencl::Ref<_cl_command_queue> queue;
  const cl_command_type type;
  const lockstep::runtime::CommandRef command;
};
