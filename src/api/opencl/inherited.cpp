#include "api/opencl/inherited.h"

#include "api/opencl/context.h"
#include "api/opencl/event.h"
#include "api/opencl/kernel.h"
#include "api/opencl/memory.h"
#include "api/opencl/program.h"
#include "api/opencl/queue.h"
#include "api/opencl/sampler.h"

namespace lockstep::opencl {
namespace {

thread_local constinit const InheritedArgument *current = nullptr;

template <class T> cl_context context_of(const void *handle) {
  return static_cast<const T *>(handle)->context.get();
}

} // namespace

InheritedArgument::InheritedArgument(std::initializer_list<const void *> arguments)
    : outer_(current) {
  for (const void *argument : arguments) {
    kind_ = inherited_kind(argument);
    if (kind_ == ObjectKind::none)
      continue;
    handle_ = argument;
    break;
  }
  current = handle_ ? this : nullptr;
}

InheritedArgument::~InheritedArgument() {
  current = outer_;
}

cl_context InheritedArgument::context() const {
  switch (kind_) {
  case ObjectKind::context:
    return static_cast<cl_context>(const_cast<void *>(handle_));
  case ObjectKind::queue:
    return context_of<_cl_command_queue>(handle_);
  case ObjectKind::memory:
    return context_of<_cl_mem>(handle_);
  case ObjectKind::program:
    return context_of<_cl_program>(handle_);
  case ObjectKind::kernel:
    return static_cast<const _cl_kernel *>(handle_)->program->context.get();
  case ObjectKind::event:
    return context_of<_cl_event>(handle_);
  case ObjectKind::sampler:
    return context_of<_cl_sampler>(handle_);
  default:
    return nullptr;
  }
}

const InheritedArgument *InheritedArgument::of_this_thread() {
  return current;
}

} // namespace lockstep::opencl
