// clEnqueueNDRangeKernel and clEnqueueTask (OpenCL 3.0 API section 5.10).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/kernel.h"
#include "compiler/compile.h"
#include "runtime/launch/cpu/kernel_launch.h"
#include "runtime/launch/cpu/local_size.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section 5.10";
constexpr cl_uint max_dimensions = 3;

struct KernelEnqueue {
  cl_command_queue queue;
  cl_kernel kernel;
  cl_uint work_dim;
  const size_t *global_offset, *global_size, *local_size; // as passed; each may be null
  EventArguments events;

  // Made by the check:
  WaitList wait_list{};
  std::shared_ptr<runtime::CpuKernel> code{};
  KernelArguments arguments{};
  runtime::LaunchGeometry geometry{};
  bool is_empty = false; // no work-item: the command only takes its place in the order

  const runtime::DeviceLimits &limits() const { return queue->device->device->limits(); }
};

Check check_kernel(KernelEnqueue &launch) {
  if (!is_valid(launch.kernel))
    return failure(CL_INVALID_KERNEL, "kernel is not a valid kernel ({})", section);
  if (launch.kernel->program->context.get() != launch.queue->context.get())
    return failure(CL_INVALID_CONTEXT, "kernel and command_queue are of different contexts ({})",
                   section);
  launch.code = launch.kernel->code(launch.queue->device.get());
  if (!launch.code)
    return failure(
        CL_INVALID_PROGRAM_EXECUTABLE,
        "the program of kernel {} has no executable for the device of command_queue ({})",
        launch.kernel->info.name, section);
  if (Check broken = launch.kernel->snapshot(launch.arguments))
    return broken;
  for (const Ref<_cl_mem> &memory : launch.arguments.memories)
    if (Check broken = check_memory(launch.queue, memory.get(), "an argument of kernel", section))
      return broken;
  return {};
}

// Sizes and offsets into the geometry. A global size that is null or has a 0 is no error from
// OpenCL 2.1 on.
Check check_global(KernelEnqueue &launch) {
  if (launch.work_dim == 0 || launch.work_dim > max_dimensions)
    return failure(CL_INVALID_WORK_DIMENSION, "work_dim is {}, not 1 to {} ({})", launch.work_dim,
                   max_dimensions, section);
  launch.geometry.work_dim = launch.work_dim;
  launch.is_empty = !launch.global_size;
  uint64_t items = 1;
  for (cl_uint dim = 0; dim < launch.work_dim; ++dim) {
    uint64_t offset = launch.global_offset ? launch.global_offset[dim] : 0;
    uint64_t size = launch.global_size ? launch.global_size[dim] : 0;
    if (offset > std::numeric_limits<size_t>::max() - size)
      return failure(
          CL_INVALID_GLOBAL_OFFSET,
          "global_work_offset[{0}] plus global_work_size[{0}] is more than a size_t holds ({1})",
          dim, section);
    launch.geometry.global_offset[dim] = offset;
    launch.geometry.global_size[dim] = size;
    launch.is_empty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(items, size, &items))
      return failure(
          CL_INVALID_GLOBAL_WORK_SIZE,
          "global_work_size has more work-items in all dimensions together than 64 bits count ({})",
          section);
  }
  return {};
}

Check check_local_limits(const KernelEnqueue &launch) {
  uint64_t items = 1;
  for (cl_uint dim = 0; dim < launch.work_dim; ++dim) {
    size_t size = launch.local_size[dim];
    if (size == 0)
      return failure(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[{}] is 0 ({})", dim, section);
    if (size > launch.limits().max_work_item_sizes[dim])
      return failure(CL_INVALID_WORK_ITEM_SIZE,
                     "local_work_size[{}] is {}, more than CL_DEVICE_MAX_WORK_ITEM_SIZES, {} ({})",
                     dim, size, launch.limits().max_work_item_sizes[dim], section);
    items *= size; // three factors below 2^16 or so
  }
  const compiler::KernelInfo &info = launch.kernel->info;
  uint64_t most =
      info.reqd_work_group_size[0] // compared with it later
          ? launch.limits().max_work_group_size
          : runtime::largest_group(info, launch.queue->device->device->local_size_limits(
                                             compiler::preferred_work_group_size_multiple(info)));
  if (items > most)
    return failure(CL_INVALID_WORK_GROUP_SIZE,
                   "local_work_size has {} work-items, more than CL_KERNEL_WORK_GROUP_SIZE of "
                   "kernel {}, {} ({})",
                   items, info.name, most, section);
  return {};
}

// `size` is the local size if given, else what the kernel requires.
Check check_uniform(const KernelEnqueue &launch, const std::array<uint64_t, 3> &size) {
  if (!launch.kernel->info.uniform_work_group_size)
    return {};
  for (cl_uint dim = 0; dim < launch.work_dim; ++dim)
    if (launch.geometry.global_size[dim] % size[dim] != 0)
      return failure(CL_INVALID_WORK_GROUP_SIZE,
                     "global_work_size[{}] is {}, no multiple of the local size {}, and the "
                     "program of kernel {} "
                     "does not support non-uniform work-groups ({})",
                     dim, launch.geometry.global_size[dim], size[dim], launch.kernel->info.name,
                     section);
  return {};
}

Check check_local(KernelEnqueue &launch) {
  const std::array<uint32_t, 3> &required = launch.kernel->info.reqd_work_group_size;
  std::array<uint64_t, 3> size{required[0], required[1], required[2]};
  bool is_required = required[0] != 0;
  if (launch.local_size) {
    if (Check broken = check_local_limits(launch))
      return broken;
    std::array<uint64_t, 3> given{1, 1, 1};
    std::copy_n(launch.local_size, launch.work_dim, given.begin());
    if (is_required && given != size)
      return failure(CL_INVALID_WORK_GROUP_SIZE,
                     "local_work_size is ({}, {}, {}), but kernel {} requires ({}, {}, {}) ({})",
                     given[0], given[1], given[2], launch.kernel->info.name, required[0],
                     required[1], required[2], section);
    size = launch.geometry.local_size = given;
  }
  if (!launch.local_size && !is_required)
    return {}; // the runtime chooses one that is right
  for (cl_uint dim = launch.work_dim; dim < max_dimensions; ++dim)
    if (size[dim] != 1)
      return failure(CL_INVALID_WORK_GROUP_SIZE,
                     "work_dim is {}, but kernel {} requires ({}, {}, {}) ({})", launch.work_dim,
                     launch.kernel->info.name, required[0], required[1], required[2], section);
  return check_uniform(launch, size);
}

Check check(EntryPoint &api, KernelEnqueue &launch) {
  if (Check broken = check_queue(api, launch.queue, section))
    return broken;
  if (Check broken = check_kernel(launch))
    return broken;
  if (Check broken = check_global(launch))
    return broken;
  if (Check broken = check_local(launch))
    return broken;
  return read_wait_list(launch.queue, launch.events, launch.wait_list, section);
}

class KernelOperation : public runtime::KernelLaunch {
public:
  KernelOperation(cl_command_queue queue, std::vector<Ref<_cl_mem>> memories,
                  runtime::PreparedLaunch prepared)
      : KernelLaunch(std::move(prepared)), queue_(queue), memories_(std::move(memories)) {}
  void failed(const Error &error) override { report_failure(queue_.get(), error); }
  void warn(const std::string &sentence) const override { queue_->context->notify(sentence); }

  // What a group that waits, waits for. The host may write a buffer on its own memory, and mapped
  // ones; memory that is no argument is a variable of the program.
  std::optional<runtime::KernelMemory> memory_at(const void *address) const override {
    for (const Ref<_cl_mem> &memory : memories_) {
      const _cl_mem &root = memory->root();
      const auto *byte = static_cast<const std::byte *>(address);
      if (byte < root.data() || byte >= root.data() + root.size())
        continue;
      const bool is_hosts = (root.flags & CL_MEM_USE_HOST_PTR) || !root.mapped.is_empty();
      return runtime::KernelMemory{root.data(), root.size(), is_hosts};
    }
    return std::nullopt;
  }

private:
  Ref<_cl_command_queue> queue_;
  std::vector<Ref<_cl_mem>> memories_;
};

cl_int enqueue_kernel(EntryPoint &api, KernelEnqueue &launch, cl_command_type type) {
  if (Check broken = check(api, launch))
    return api.fail(broken);
  runtime::CommandRef command;
  if (launch.is_empty) {
    command = runtime::Command::create<Holding<NoWork, 0>>(launch.queue, std::array<cl_mem, 0>{});
  } else {
    auto prepared = runtime::PreparedLaunch::make(
        *launch.queue->device->device, std::move(launch.code), launch.geometry,
        {launch.arguments.block, launch.arguments.local_sizes});
    if (!prepared)
      return api.fail(code_of(prepared.error().kind, CL_INVALID_WORK_GROUP_SIZE), "{} ({})",
                      prepared.error().message, section);
    command = runtime::Command::create<KernelOperation>(
        launch.queue, std::move(launch.arguments.memories), std::move(*prepared));
  }
  if (Check broken = submit({launch.queue, type, launch.wait_list, launch.events.event}, command))
    return api.fail(broken);
  return api.success();
}

} // namespace

cl_int clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                              const size_t *global_work_offset, const size_t *global_work_size,
                              const size_t *local_work_size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueNDRangeKernel");
  KernelEnqueue launch{command_queue,
                       kernel,
                       work_dim,
                       global_work_offset,
                       global_work_size,
                       local_work_size,
                       {num_events_in_wait_list, event_wait_list, event}};
  return enqueue_kernel(api, launch, CL_COMMAND_NDRANGE_KERNEL);
}

cl_int clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                     cl_event *event) {
  EntryPoint api("clEnqueueTask");
  const size_t one = 1;
  KernelEnqueue launch{command_queue,
                       kernel,
                       1,
                       nullptr,
                       &one,
                       &one,
                       {num_events_in_wait_list, event_wait_list, event}};
  return enqueue_kernel(api, launch, CL_COMMAND_TASK);
}

} // namespace lockstep::opencl
