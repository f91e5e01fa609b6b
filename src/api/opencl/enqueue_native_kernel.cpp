// clEnqueueNativeKernel (OpenCL 3.0 API section 5.10).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "runtime/external_commands/program_threads.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <cstring>
#include <optional>

namespace lockstep::opencl {
namespace {

using NativeFunction = void(CL_CALLBACK *)(void *);

// Calls the function with a copy of its arguments in which pointers replace the memory handles.
class NativeCall : public runtime::ProgramFunction {
public:
  NativeCall(NativeFunction function, std::vector<std::max_align_t> arguments,
             runtime::Accesses memories)
      : function_(function), arguments_(std::move(arguments)), memories_(std::move(memories)) {}
  std::span<const runtime::Access> accesses() const override { return memories_; }
  Result<void> run(uint64_t, uint64_t) override {
    function_(arguments_.empty() ? nullptr : arguments_.data());
    return {};
  }

private:
  const NativeFunction function_;
  std::vector<std::max_align_t> arguments_; // aligned for any struct of the program
  const runtime::Accesses memories_;
};

struct NativeKernel {
  static constexpr const char *section = "section 5.10";
  static constexpr cl_command_type type = CL_COMMAND_NATIVE_KERNEL;
  NativeFunction function;
  const void *arguments;
  size_t size; // bytes of the arguments
  cl_uint memory_count;
  const cl_mem *memories;
  const void *const *places; // addresses of the handles in the arguments

  Check check(const Place &place) const {
    if (Check broken = check_arguments())
      return broken;
    return check_memories(place);
  }
  Check make(const Place &, MadeOperation &to) const;

private:
  std::optional<size_t> offset_of(const void *place) const;
  Check check_arguments() const;
  Check check_memories(const Place &place) const;
};

// Returns the offset of an address in the arguments; none if it is outside.
std::optional<size_t> NativeKernel::offset_of(const void *place) const {
  auto begin = reinterpret_cast<uintptr_t>(arguments), at = reinterpret_cast<uintptr_t>(place);
  if (at < begin || size < sizeof(void *) || at - begin > size - sizeof(void *))
    return std::nullopt;
  return at - begin;
}

Check NativeKernel::check_arguments() const {
  if (!function)
    return failure(CL_INVALID_VALUE, "user_func is null ({})", section);
  if (!arguments && (size > 0 || memory_count > 0))
    return failure(CL_INVALID_VALUE, "args is null, but cb_args or num_mem_objects is not 0 ({})",
                   section);
  if (arguments && size == 0)
    return failure(CL_INVALID_VALUE, "cb_args is 0, but args is not null ({})", section);
  if (memory_count > 0 && (!memories || !places))
    return failure(CL_INVALID_VALUE, "{} is null, but num_mem_objects is {} ({})",
                   memories ? "args_mem_loc" : "mem_list", memory_count, section);
  if (memory_count == 0 && (memories || places))
    return failure(CL_INVALID_VALUE, "{} is not null, but num_mem_objects is 0 ({})",
                   memories ? "mem_list" : "args_mem_loc", section);
  return {};
}

Check NativeKernel::check_memories(const Place &place) const {
  for (cl_uint i = 0; i < memory_count; ++i) {
    if (memories[i]) // a null handle becomes a null pointer
      if (Check broken = check_memory(place, memories[i], "an element of mem_list", section))
        return broken;
    if (!offset_of(places[i]))
      return failure(CL_INVALID_VALUE, "args_mem_loc[{}] does not point into args ({})", i,
                     section);
  }
  return {};
}

Check NativeKernel::make(const Place &, MadeOperation &to) const {
  std::vector<std::max_align_t> copy((size + sizeof(std::max_align_t) - 1) /
                                     sizeof(std::max_align_t));
  auto *bytes = reinterpret_cast<std::byte *>(copy.data());
  if (size > 0)
    std::memcpy(bytes, arguments, size);
  runtime::Accesses accesses;
  for (cl_uint i = 0; i < memory_count; ++i) {
    const cl_mem memory = memories[i];
    const void *pointer = memory ? memory->data() : nullptr;
    std::memcpy(bytes + *offset_of(places[i]), &pointer, sizeof pointer);
    if (memory)
      accesses.push_back({{memory->buffer, 0, memory->size()}, runtime::AccessMode::read_write});
  }
  to = std::make_unique<NativeCall>(function, std::move(copy), std::move(accesses));
  return {};
}

} // namespace

cl_int clEnqueueNativeKernel(cl_command_queue command_queue, NativeFunction user_func, void *args,
                             size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                             const void **args_mem_loc, cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueNativeKernel", command_queue,
                 NativeKernel{user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc},
                 {num_events_in_wait_list, event_wait_list, event});
}

} // namespace lockstep::opencl
