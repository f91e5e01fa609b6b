// clEnqueueNativeKernel (OpenCL 3.0 API section 5.10).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"

#include <cstddef>
#include <cstring>
#include <optional>

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section 5.10";

using NativeFunction = void(CL_CALLBACK *)(void *);

struct NativeKernel {
  cl_command_queue queue;
  NativeFunction function;
  const void *arguments;
  size_t size; // of the arguments, bytes
  cl_uint memory_count;
  const cl_mem *memories;
  const void *const *places; // of the handles in the arguments
  EventArguments events;
  WaitList wait_list{};
};

// Offset of a place in the arguments; none if it is not inside.
std::optional<size_t> offset_of(const NativeKernel &native, const void *place) {
  auto begin = reinterpret_cast<uintptr_t>(native.arguments),
       at = reinterpret_cast<uintptr_t>(place);
  if (at < begin || native.size < sizeof(void *) || at - begin > native.size - sizeof(void *))
    return std::nullopt;
  return at - begin;
}

Check check_arguments(const NativeKernel &native) {
  if (!native.function)
    return failure(CL_INVALID_VALUE, "user_func is null ({})", section);
  if (!native.arguments && (native.size > 0 || native.memory_count > 0))
    return failure(CL_INVALID_VALUE, "args is null, but cb_args or num_mem_objects is not 0 ({})",
                   section);
  if (native.arguments && native.size == 0)
    return failure(CL_INVALID_VALUE, "cb_args is 0, but args is not null ({})", section);
  if (native.memory_count > 0 && (!native.memories || !native.places))
    return failure(CL_INVALID_VALUE, "{} is null, but num_mem_objects is {} ({})",
                   native.memories ? "args_mem_loc" : "mem_list", native.memory_count, section);
  if (native.memory_count == 0 && (native.memories || native.places))
    return failure(CL_INVALID_VALUE, "{} is not null, but num_mem_objects is 0 ({})",
                   native.memories ? "mem_list" : "args_mem_loc", section);
  return {};
}

Check check_memories(const NativeKernel &native) {
  for (cl_uint i = 0; i < native.memory_count; ++i) {
    if (native.memories[i]) // null stays null
      if (Check broken =
              check_memory(native.queue, native.memories[i], "an element of mem_list", section))
        return broken;
    if (!offset_of(native, native.places[i]))
      return failure(CL_INVALID_VALUE, "args_mem_loc[{}] does not point into args ({})", i,
                     section);
  }
  return {};
}

Check check(EntryPoint &api, NativeKernel &native) {
  if (Check broken = check_queue(api, native.queue, section))
    return broken;
  if (Check broken = check_arguments(native))
    return broken;
  if (Check broken = check_memories(native))
    return broken;
  return read_wait_list(native.queue, native.events, native.wait_list, section);
}

// The copied arguments with pointers in place of handles, and what keeps the pointers good.
struct NativeCall {
  NativeFunction function;
  std::vector<std::max_align_t> arguments; // aligned for whatever struct the program has put there
  std::vector<Ref<_cl_mem>> memories;
  Ref<_cl_command_queue> queue;

  void operator()() { function(arguments.empty() ? nullptr : arguments.data()); }
};

NativeCall make_call(const NativeKernel &native) {
  NativeCall call{native.function, {}, {}, Ref<_cl_command_queue>(native.queue)};
  call.arguments.resize((native.size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
  auto *bytes = reinterpret_cast<std::byte *>(call.arguments.data());
  if (native.size > 0)
    std::memcpy(bytes, native.arguments, native.size);
  for (cl_uint i = 0; i < native.memory_count; ++i) {
    cl_mem memory = native.memories[i];
    const void *pointer = memory ? memory->data() : nullptr;
    std::memcpy(bytes + *offset_of(native, native.places[i]), &pointer, sizeof pointer);
    if (memory)
      call.memories.emplace_back(memory);
  }
  return call;
}

} // namespace

cl_int clEnqueueNativeKernel(cl_command_queue command_queue, NativeFunction user_func, void *args,
                             size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                             const void **args_mem_loc, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueNativeKernel");
  NativeKernel native{
      command_queue,   user_func, args,         cb_args,
      num_mem_objects, mem_list,  args_mem_loc, {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, native))
    return api.fail(broken);
  auto command = runtime::Command::create_task(runtime::TaskPlace::worker, make_call(native));
  if (Check broken =
          submit({command_queue, CL_COMMAND_NATIVE_KERNEL, native.wait_list, event}, command))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl
