#include "runtime/launch/nvidia/launch_shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

using compiler::ArgKind;
using compiler::PtxParameterKind;
using compiler::PtxVariant;
using Size = std::array<uint64_t, 3>;

constexpr Size most_blocks = {0x7fff'ffff, 65535, 65535};

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The groups of one dimension, as ranges of blocks with the same size.
struct BlockRange {
  uint64_t base;
  uint32_t blocks, block_size;
};

std::vector<BlockRange> ranges_of(uint64_t global, uint64_t local, uint64_t most) {
  std::vector<BlockRange> ranges;
  const uint64_t full = global / local;
  for (uint64_t base = 0; base < full; base += most)
    ranges.push_back({base, uint32_t(std::min(most, full - base)), uint32_t(local)});
  if (global % local)
    ranges.push_back({full, 1, uint32_t(global % local)});
  return ranges;
}

} // namespace

Error unsupported_on_nvidia(const compiler::KernelInfo &info, std::string_view what) {
  return {ErrorKind::unsupported,
          fmt::format("kernel '{}' {}, which this version does not support on NVIDIA cards yet",
                      info.name, what)};
}

bool LaunchShape::serves(const LaunchGeometry &geometry, const LaunchArguments &arguments) const {
  return geometry_.work_dim == geometry.work_dim && geometry_.global_size == geometry.global_size &&
         geometry_.local_size == geometry.local_size &&
         geometry_.global_offset == geometry.global_offset &&
         std::ranges::equal(local_sizes_, arguments.local_sizes) &&
         image_formats_ == arguments.images && local_arguments_ == arguments.local_arguments;
}

// What no code for NVIDIA cards can do.
Result<void> LaunchShape::check_kinds() {
  for (std::size_t i = 0; i < info_->args.size(); ++i)
    switch (info_->args[i].kind) {
    case ArgKind::value:
    case ArgKind::local_pointer:
    case ArgKind::sampler:
      break;
    case ArgKind::global_pointer:
    case ArgKind::constant_pointer:
    case ArgKind::pipe:
      pointers_.push_back({uint32_t(i), info_->args[i].offset});
      break;
    case ArgKind::image:
      has_images_ = true;
      break;
    case ArgKind::queue:
    case ArgKind::block:
      return unsupported_on_nvidia(*info_, "enqueues other kernels");
    }
  if (info_->enqueues)
    return unsupported_on_nvidia(*info_, "enqueues other kernels");
  return {};
}

Result<void> LaunchShape::set_geometry(const LaunchGeometry &geometry, const DeviceLimits &limits) {
  work_dim_ = geometry.work_dim;
  uint64_t items = 1;
  for (uint32_t d = 0; d < work_dim_; ++d) {
    global_offset_[d] = geometry.global_offset[d];
    global_size_[d] = geometry.global_size[d];
    num_groups_[d] = global_size_[d] / local_size_[d] + (global_size_[d] % local_size_[d] != 0);
  }
  for (uint32_t d = 0; d < 3; ++d) {
    if (const auto &required = info_->reqd_work_group_size;
        required[0] != 0 && required[d] != local_size_[d])
      return Error{ErrorKind::invalid_argument,
                   fmt::format("kernel '{}' requires the local size {}x{}x{}", info_->name,
                               required[0], required[1], required[2])};
    items *= local_size_[d];
    if (local_size_[d] > limits.max_work_item_sizes[d] || items > limits.max_work_group_size)
      return Error{ErrorKind::out_of_resources,
                   fmt::format("a local size of {}x{}x{} is beyond the device's {} work-items a "
                               "group",
                               local_size_[0], local_size_[1], local_size_[2],
                               limits.max_work_group_size)};
  }
  return {};
}

void LaunchShape::make_parts() {
  for (const BlockRange &z : ranges_of(global_size_[2], local_size_[2], most_blocks[2]))
    for (const BlockRange &y : ranges_of(global_size_[1], local_size_[1], most_blocks[1]))
      for (const BlockRange &x : ranges_of(global_size_[0], local_size_[0], most_blocks[0]))
        parts_.push_back({{x.blocks, y.blocks, z.blocks},
                          {x.block_size, y.block_size, z.block_size},
                          {x.base, y.base, z.base}});
}

void LaunchShape::make_graphs() {
  if (parts_.size() != 1 || is_persistent_ || has_images_ || !code_->code.printf_formats.empty() ||
      shared_bytes_ > shared_without_request)
    return;
  const auto &[grid, block, base, blocks] = parts_[0];
  graphs_ = std::make_unique<KernelGraphs>(code_->context,
                                           cuda::KernelNode{.function = code_->function,
                                                            .grid_x = grid[0],
                                                            .grid_y = grid[1],
                                                            .grid_z = grid[2],
                                                            .block_x = block[0],
                                                            .block_y = block[1],
                                                            .block_z = block[2],
                                                            .shared_bytes = shared_bytes_});
}

PtxVariant LaunchShape::variant() const {
  const bool is_whole = std::ranges::all_of(parts_, [this](const Part &part) {
    return std::ranges::equal(part.block, local_size_); // also the only group may be smaller
  });
  return parts_.size() <= 1 && is_whole && global_offset_ == Size{} ? PtxVariant::plain
                                                                    : PtxVariant::general;
}

Result<void> LaunchShape::place_local_memory(std::span<const uint64_t> sizes, uint64_t limit) {
  uint64_t end = 0;
  for (std::size_t i = 0; i < info_->args.size(); ++i) {
    const compiler::KernelArg &arg = info_->args[i];
    if (arg.kind != ArgKind::local_pointer)
      continue;
    const uint64_t begin = round_up(end, std::max(16u, arg.pointee_alignment));
    end = begin + (i < sizes.size() ? sizes[i] : 0);
    local_offsets_.resize(info_->args.size());
    local_offsets_[i] = uint32_t(std::min(begin, limit));
  }
  const uint64_t all = end + (code_ ? code_->code.static_shared : info_->local_memory_size);
  if (all > limit)
    return Error{ErrorKind::out_of_resources,
                 fmt::format("kernel '{}' needs {} bytes of local memory; the device has {}",
                             info_->name, all, limit)};
  shared_bytes_ = uint32_t(end);
  return {};
}

// All groups may wait for each other, so they are one part, whatever their sizes.
Result<void> LaunchShape::let_groups_wait(NvidiaKernel &kernel, const Device &device,
                                          const compiler::Specialization &specialization) {
  if (!code_ || !code_->code.groups_wait)
    return {};
  const bool has_sizes = parts_.size() > 1;
  auto code = kernel.code(specialization,
                          has_sizes ? PtxVariant::persistent_of_sizes : PtxVariant::persistent);
  LOCKSTEP_TRY(code);
  code_ = std::move(*code);
  is_persistent_ = true;
  waiting_memory_ = device.limits().global_memory_bytes / 4;
  if (has_sizes) {
    Part all;
    for (std::size_t d = 0; d < 3; ++d)
      all.grid[d] = uint32_t(std::min<uint64_t>(num_groups_[d], UINT32_MAX));
    all.block = {uint32_t(local_size_[0] * local_size_[1] * local_size_[2]), 1, 1};
    parts_ = {all};
  }
  Part &part = parts_[0];
  const uint64_t groups = num_groups_[0] * num_groups_[1] * num_groups_[2];
  if (groups >= UINT32_MAX / 2)
    return Error{
        ErrorKind::out_of_resources,
        fmt::format("kernel '{}' has {} work-groups that may wait for each other; the limit is {}",
                    info_->name, groups, UINT32_MAX / 2)};
  const CudaContext &context = *code_->context;
  const CudaContext::Use use(context);
  int blocks = 0; // on each multiprocessor
  LOCKSTEP_TRY(context.checked(
      context.cuda().blocks_per_multiprocessor(&blocks, code_->function,
                                               int(part.block[0] * part.block[1] * part.block[2]),
                                               shared_bytes_),
      "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
  part.blocks = uint32_t(std::min(groups, uint64_t(std::max(1, blocks)) * device.compute_units()));
  return {};
}

uint64_t LaunchShape::word_of(const compiler::PtxParameter &parameter, const Part &part) const {
  switch (parameter.kind) {
  case PtxParameterKind::local_offset:
    return local_offsets_[parameter.index];
  case PtxParameterKind::global_offset:
    return global_offset_[parameter.index];
  case PtxParameterKind::group_base:
    return part.group_base[parameter.index];
  case PtxParameterKind::num_groups:
    return num_groups_[parameter.index];
  case PtxParameterKind::enqueued_local_size:
    return local_size_[parameter.index];
  case PtxParameterKind::global_size:
    return global_size_[parameter.index];
  case PtxParameterKind::work_dim:
    return work_dim_;
  case PtxParameterKind::variables:
    return code_->variables ? code_->variables->address() : 0;
  case PtxParameterKind::part_groups:
    return part.grid[parameter.index];
  case PtxParameterKind::value:
  case PtxParameterKind::pointer:
  case PtxParameterKind::image:
  case PtxParameterKind::image_word: // the arguments have these
  case PtxParameterKind::printf_buffer:
  case PtxParameterKind::group_pool: // each run has its own
  case PtxParameterKind::unused:
    break;
  }
  return 0;
}

Result<std::shared_ptr<const LaunchShape>> LaunchShape::make(const Device &device,
                                                             NvidiaKernel &kernel,
                                                             const LaunchGeometry &geometry,
                                                             const LaunchArguments &arguments) {
  std::shared_ptr<LaunchShape> shape(new LaunchShape(kernel.shared_info(), device.memory_space()));
  LOCKSTEP_TRY(shape->check_kinds());
  shape->geometry_ = geometry;
  shape->local_sizes_.assign(arguments.local_sizes.begin(), arguments.local_sizes.end());
  shape->local_arguments_ = arguments.local_arguments;
  shape->image_formats_ = arguments.images;
  Size &local = shape->local_size_;
  local = geometry.local_size == Size{} ? kernel.choose_local_size(device, geometry)
                                        : geometry.local_size;
  for (uint32_t d = geometry.work_dim; d < 3; ++d)
    local[d] = 1;
  LOCKSTEP_TRY(shape->set_geometry(geometry, device.limits()));
  shape->make_parts();
  // Code for any size, unless all groups have the same.
  compiler::Specialization wanted{.local_arguments = arguments.local_arguments,
                                  .images = arguments.images};
  if (!shape->parts_.empty()) {
    if (shape->variant() == PtxVariant::plain)
      std::ranges::copy(local, wanted.local_size.begin());
    auto code = kernel.code(wanted, shape->variant());
    LOCKSTEP_TRY(code);
    shape->code_ = std::move(*code);
  }
  LOCKSTEP_TRY(
      shape->place_local_memory(arguments.local_sizes, device.limits().local_memory_bytes));
  LOCKSTEP_TRY(shape->let_groups_wait(kernel, device, wanted));
  if (!shape->code_)
    return std::shared_ptr<const LaunchShape>(std::move(shape));
  if (const uint64_t items = local[0] * local[1] * local[2]; items > shape->code_->most_threads)
    return Error{ErrorKind::out_of_resources,
                 fmt::format("a work-group of {} work-items of kernel '{}' needs more registers "
                             "than the device has; it can have {}",
                             items, shape->info_->name, shape->code_->most_threads)};
  for (const Part &part : shape->parts_)
    for (const compiler::PtxParameter &parameter : shape->code_->code.parameters)
      shape->words_.push_back(shape->word_of(parameter, part));
  shape->make_graphs();
  return std::shared_ptr<const LaunchShape>(std::move(shape));
}

} // namespace lockstep::runtime
