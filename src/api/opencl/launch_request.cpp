#include "api/opencl/launch_request.h"

#include "runtime/memory/transfers.h"

#include <algorithm>
#include <limits>

namespace lockstep::opencl {
namespace {

constexpr cl_uint max_dimensions = 3;

} // namespace

Check LaunchRequest::check_handle(const Place &place) const {
  if (!is_valid(kernel))
    return failure(CL_INVALID_KERNEL, "kernel is not a valid kernel ({})", section);
  if (kernel->program->context.get() != place.context)
    return failure(CL_INVALID_CONTEXT, "kernel and command_queue are of different contexts ({})",
                   section);
  return {};
}

Check LaunchRequest::find_code(const Place &place) {
  if (code)
    return {};
  code = kernel->code(place.device).get();
  if (!code)
    return failure(
        CL_INVALID_PROGRAM_EXECUTABLE,
        "the program of kernel {} has no executable for the device of command_queue ({})",
        kernel->info.name, section);
  return {};
}

Check LaunchRequest::check_arguments(const Place &place) {
  if (Check broken = find_code(place))
    return broken;
  return kernel->snapshot(place, section, arguments);
}

// Copies sizes and offsets to the geometry. A global size that is null or contains 0 is valid since
// OpenCL 2.1.
Check LaunchRequest::check_global() {
  if (work_dim == 0 || work_dim > max_dimensions)
    return failure(CL_INVALID_WORK_DIMENSION, "work_dim is {}, not 1 to {} ({})", work_dim,
                   max_dimensions, section);
  geometry.work_dim = work_dim;
  is_empty = !global_size;
  uint64_t items = 1;
  for (cl_uint dim = 0; dim < work_dim; ++dim) {
    uint64_t offset = global_offset ? global_offset[dim] : 0;
    uint64_t size = global_size ? global_size[dim] : 0;
    if (offset > std::numeric_limits<size_t>::max() - size)
      return failure(
          CL_INVALID_GLOBAL_OFFSET,
          "global_work_offset[{0}] plus global_work_size[{0}] is more than a size_t can hold ({1})",
          dim, section);
    geometry.global_offset[dim] = offset;
    geometry.global_size[dim] = size;
    is_empty |= size == 0;
    if (size != 0 && __builtin_mul_overflow(items, size, &items))
      return failure(CL_INVALID_GLOBAL_WORK_SIZE,
                     "global_work_size has more work-items in all dimensions together than 64 bits "
                     "can count ({})",
                     section);
  }
  return {};
}

Check LaunchRequest::check_local_limits(const runtime::Device &device) const {
  uint64_t items = 1;
  for (cl_uint dim = 0; dim < work_dim; ++dim) {
    size_t size = local_size[dim];
    if (size == 0)
      return failure(CL_INVALID_WORK_GROUP_SIZE, "local_work_size[{}] is 0 ({})", dim, section);
    if (size > device.limits().max_work_item_sizes[dim])
      return failure(CL_INVALID_WORK_ITEM_SIZE,
                     "local_work_size[{}] is {}, more than CL_DEVICE_MAX_WORK_ITEM_SIZES, {} ({})",
                     dim, size, device.limits().max_work_item_sizes[dim], section);
    items *= size; // cannot overflow: three factors of about 16 bits
  }
  const compiler::KernelInfo &info = kernel->info;
  uint64_t most = info.reqd_work_group_size[0] // check_local() compares the sizes
                      ? device.limits().max_work_group_size
                      : code->largest_group(device);
  if (items > most)
    return failure(CL_INVALID_WORK_GROUP_SIZE,
                   "local_work_size has {} work-items, more than CL_KERNEL_WORK_GROUP_SIZE of "
                   "kernel {}, {} ({})",
                   items, info.name, most, section);
  return {};
}

// `size` is the given local size, or else the size that the kernel requires.
Check LaunchRequest::check_uniform(const std::array<uint64_t, 3> &size) const {
  if (!kernel->info.uniform_work_group_size)
    return {};
  for (cl_uint dim = 0; dim < work_dim; ++dim)
    if (geometry.global_size[dim] % size[dim] != 0)
      return failure(CL_INVALID_WORK_GROUP_SIZE,
                     "global_work_size[{}] is {}, not a multiple of the local size {}, and the "
                     "program of kernel {} "
                     "does not support non-uniform work-groups ({})",
                     dim, geometry.global_size[dim], size[dim], kernel->info.name, section);
  return {};
}

// Only SPIR-V can require a number of sub-groups (SubgroupsPerWorkgroup). Without a given local size,
// the work-group is one row of full sub-groups.
Check LaunchRequest::check_sub_groups(const Place &place) {
  const compiler::KernelInfo &info = kernel->info;
  const uint64_t count = info.reqd_sub_group_count;
  if (count == 0)
    return {};
  std::array<uint32_t, 3> local = info.reqd_work_group_size;
  if (local_size)
    std::ranges::copy(geometry.local_size, local.begin());
  else if (local[0] == 0)
    local = {static_cast<uint32_t>(std::min<uint64_t>(count * code->preferred_multiple(),
                                                      code->largest_group(*place.device->device))),
             1, 1};
  auto size = code->sub_group_size(local);
  if (!size)
    return failure(CL_OUT_OF_RESOURCES, "{} ({})", size.error().message, section);
  const uint64_t items = uint64_t{local[0]} * local[1] * local[2];
  const uint64_t given = (items + *size - 1) / *size;
  if (given != count)
    return failure(CL_INVALID_WORK_GROUP_SIZE,
                   "a work-group of ({}, {}, {}) has {} sub-groups, but kernel {} requires {} ({})",
                   local[0], local[1], local[2], given, info.name, count, section);
  std::ranges::copy(local, geometry.local_size.begin());
  return check_uniform(geometry.local_size);
}

Check LaunchRequest::check_local(const Place &place) {
  const std::array<uint32_t, 3> &required = kernel->info.reqd_work_group_size;
  std::array<uint64_t, 3> size{required[0], required[1], required[2]};
  bool is_required = required[0] != 0;
  if (local_size) {
    if (Check broken = check_local_limits(*place.device->device))
      return broken;
    std::array<uint64_t, 3> given{1, 1, 1};
    std::copy_n(local_size, work_dim, given.begin());
    if (is_required && given != size)
      return failure(CL_INVALID_WORK_GROUP_SIZE,
                     "local_work_size is ({}, {}, {}), but kernel {} requires ({}, {}, {}) ({})",
                     given[0], given[1], given[2], kernel->info.name, required[0], required[1],
                     required[2], section);
    size = geometry.local_size = given;
  }
  if (!local_size && !is_required)
    return {}; // the runtime chooses a valid one
  for (cl_uint dim = work_dim; dim < max_dimensions; ++dim)
    if (size[dim] != 1)
      return failure(CL_INVALID_WORK_GROUP_SIZE,
                     "work_dim is {}, but kernel {} requires ({}, {}, {}) ({})", work_dim,
                     kernel->info.name, required[0], required[1], required[2], section);
  return check_uniform(size);
}

Check LaunchRequest::check_sizes(const Place &place) {
  if (Check broken = find_code(place))
    return broken;
  if (Check broken = check_global())
    return broken;
  if (Check broken = check_local(place))
    return broken;
  return check_sub_groups(place);
}

Check LaunchRequest::check(const Place &place) {
  if (Check broken = check_handle(place))
    return broken;
  if (Check broken = check_arguments(place))
    return broken;
  return check_sizes(place);
}

Check LaunchRequest::make(const Place &place, MadeOperation &to) {
  if (is_empty) {
    to = std::make_unique<runtime::NoWork>(std::move(arguments.memories));
    return {};
  }
  auto enqueues = kernel->enqueues(place, arguments);
  auto launch = code->prepare(*place.device->device, geometry,
                              {.block = arguments.block,
                               .local_sizes = arguments.local_sizes,
                               .memories = std::move(arguments.memories),
                               .reach = arguments.reach,
                               .images = std::move(arguments.images),
                               .enqueues = std::move(enqueues)});
  if (!launch)
    return failure(code_of(launch.error().kind, CL_INVALID_WORK_GROUP_SIZE), "{} ({})",
                   launch.error().message, section);
  to = std::move(*launch);
  return {};
}

} // namespace lockstep::opencl
