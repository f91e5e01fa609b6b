#include "runtime/launch/nvidia/nvidia_launch.h"

#include "runtime/launch/nvidia/nvidia_memory.h"
#include "runtime/launch/nvidia/printf_run.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

using compiler::ArgKind;
using compiler::PtxParameterKind;
using compiler::PtxVariant;
using Size = std::array<uint64_t, 3>;

constexpr Size most_blocks = {0x7fff'ffff, 65535, 65535};
constexpr uint64_t shared_without_request = 48 << 10; // bytes

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

Error unsupported(const compiler::KernelInfo &info, std::string_view what) {
  return {ErrorKind::unsupported,
          fmt::format("kernel '{}' {}, which this version does not support on NVIDIA cards yet",
                      info.name, what)};
}

// The block has the address of its descriptors, which contain the address of its contents.
bool is_image(const compiler::KernelInfo &info, const Access &access) {
  return access.argument >= 0 && info.args[access.argument].kind == ArgKind::image;
}

// What neither the code nor the launch can do.
Result<void> check_supported(const compiler::KernelInfo &info, const LaunchArguments &arguments,
                             const MemorySpace *space) {
  for (const compiler::KernelArg &arg : info.args)
    switch (arg.kind) {
    case ArgKind::value:
    case ArgKind::global_pointer:
    case ArgKind::constant_pointer:
    case ArgKind::local_pointer:
    case ArgKind::sampler:
    case ArgKind::image:
      break;
    case ArgKind::pipe:
      return unsupported(info, "has a pipe as argument");
    case ArgKind::queue:
    case ArgKind::block:
      return unsupported(info, "enqueues other kernels");
    }
  if (info.enqueues || arguments.enqueues)
    return unsupported(info, "enqueues other kernels");
  // An address of the host in the arguments would be an invalid access on the card, and the context
  // would be lost. Allocations have the same address on the card, unlike memory objects.
  if ((arguments.reach & set_of(AllocationKind::buffer)) != 0 ||
      std::ranges::any_of(arguments.memories, [&](const Access &access) {
        return access.is_placed && !is_image(info, access) &&
               !access.memory.buffer()->has_address_in(space);
      }))
    return unsupported(info, "may use memory by its address on the host");
  if (!can_access(space, arguments.memories))
    return unsupported(info, "gets memory of another device");
  return {};
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

Result<void> NvidiaLaunch::set_geometry(const LaunchGeometry &geometry,
                                        const DeviceLimits &limits) {
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

void NvidiaLaunch::make_parts() {
  Part whole;
  bool is_whole = true;
  for (unsigned d = 0; d < 3; ++d) {
    is_whole &= num_groups_[d] <= most_blocks[d] && global_size_[d] % local_size_[d] == 0;
    whole.grid[d] = uint32_t(num_groups_[d]);
    whole.block[d] = uint32_t(local_size_[d]);
  }
  if (is_whole && num_groups_[0] * num_groups_[1] * num_groups_[2] != 0) { // most launches
    parts_.push_back(whole);
    return;
  }
  for (const BlockRange &z : ranges_of(global_size_[2], local_size_[2], most_blocks[2]))
    for (const BlockRange &y : ranges_of(global_size_[1], local_size_[1], most_blocks[1]))
      for (const BlockRange &x : ranges_of(global_size_[0], local_size_[0], most_blocks[0]))
        parts_.push_back({{x.blocks, y.blocks, z.blocks},
                          {x.block_size, y.block_size, z.block_size},
                          {x.base, y.base, z.base}});
}

PtxVariant NvidiaLaunch::variant() const {
  const bool is_whole = std::ranges::all_of(parts_, [this](const Part &part) {
    return std::ranges::equal(part.block, local_size_); // also the only group may be smaller
  });
  return parts_.size() <= 1 && is_whole && global_offset_ == Size{} ? PtxVariant::plain
                                                                    : PtxVariant::general;
}

// The block gets addresses on the card. What remains null was null before.
Result<void> NvidiaLaunch::place_arguments(const LaunchArguments &arguments) {
  block_.assign(arguments.block.begin(), arguments.block.end());
  for (std::size_t i = 0; i < info_->args.size(); ++i) {
    const compiler::KernelArg &arg = info_->args[i];
    if (arg.kind != ArgKind::global_pointer && arg.kind != ArgKind::constant_pointer)
      continue;
    const void *address = nullptr;
    std::memcpy(&address, block_.data() + arg.offset, sizeof address);
    if (address && std::ranges::none_of(
                       accesses(), [i](const Access &access) { return access.argument == int(i); }))
      return unsupported(*info_, "gets the address of memory that is shared with the host");
  }
  for (const Access &access : accesses()) {
    if (access.argument < 0 || access.is_placed)
      continue;
    auto begin = access.memory.buffer()->address_in(space_);
    LOCKSTEP_TRY(begin);
    const std::byte *address = *begin + access.memory.offset();
    std::memcpy(block_.data() + info_->args[access.argument].offset, &address, sizeof address);
  }
  return {};
}

// On the host, the descriptors have addresses of the host's copy. On the card, texels are aligned to
// their size, as the image functions for GPUs require: its copies of buffers are, and the API checks
// pitches and the offsets of sub-buffers.
Result<std::vector<compiler::ImageDescriptor>>
NvidiaLaunch::levels_on_card(const ImagePlace &place) const {
  auto begin = place.memory->address_in(space_);
  LOCKSTEP_TRY(begin);
  const compiler::ImageDescriptor *on_host = nullptr;
  std::memcpy(&on_host, block_.data() + place.offset, sizeof on_host);
  std::vector<compiler::ImageDescriptor> levels(on_host, on_host + on_host->levels);
  for (compiler::ImageDescriptor &level : levels)
    level.data = *begin + (level.data - place.memory->data());
  return levels;
}

// The code reads an argument's descriptor from parameters, if it can. Where a function object has
// the address of a descriptor, it gets that of a copy on the card.
Result<void> NvidiaLaunch::place_images(NvidiaProgram &program,
                                        std::span<const ImagePlace> places) {
  const auto place_one = [&](const ImagePlace &place) -> Result<void> {
    auto levels = levels_on_card(place);
    LOCKSTEP_TRY(levels);
    for (std::size_t i = 0; i < info_->args.size(); ++i)
      if (info_->args[i].kind == ArgKind::image && info_->args[i].offset == place.offset) {
        images_.resize(info_->args.size());
        images_[i] = std::move(*levels);
        return {};
      }
    auto copy = program.image_descriptors(*levels);
    LOCKSTEP_TRY(copy);
    const uint64_t address = (*copy)->address();
    std::memcpy(block_.data() + place.offset, &address, sizeof address);
    descriptors_.push_back(std::move(*copy));
    return {};
  };
  for (const Access &access : accesses())
    if (is_image(*info_, access))
      LOCKSTEP_TRY(place_one({info_->args[access.argument].offset, access.memory.buffer()}));
  for (const ImagePlace &place : places)
    LOCKSTEP_TRY(place_one(place));
  for (std::size_t i = 0; i < info_->args.size(); ++i)
    if (info_->args[i].kind == ArgKind::image && (images_.empty() || images_[i].empty()))
      return unsupported(*info_, "gets an image without its memory");
  if (images_.empty() || !code_)
    return {};
  for (const compiler::PtxParameter &parameter : code_->code.parameters)
    if (parameter.kind == PtxParameterKind::image) {
      auto copy = program.image_descriptors(images_[parameter.index]);
      LOCKSTEP_TRY(copy);
      const uint64_t address = (*copy)->address();
      std::memcpy(block_.data() + info_->args[parameter.index].offset, &address, sizeof address);
      descriptors_.push_back(std::move(*copy));
    }
  return {};
}

Result<void> NvidiaLaunch::place_local_memory(std::span<const uint64_t> sizes, uint64_t limit) {
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

constexpr std::size_t parameter_alignment = 16; // at least that of any type

void *NvidiaLaunch::store(const void *value, std::size_t size) {
  const auto *bytes = static_cast<const std::byte *>(value);
  values_.resize(round_up(values_.size(), parameter_alignment));
  values_.insert(values_.end(), bytes, bytes + size);
  return values_.data() + values_.size() - size;
}

void NvidiaLaunch::store_parameters() {
  const std::vector<compiler::PtxParameter> &kinds = code_->code.parameters;
  std::size_t bytes = 0;
  for (const compiler::PtxParameter &parameter : kinds)
    bytes += round_up(std::max<std::size_t>(parameter.size, sizeof(uint64_t)), parameter_alignment);
  values_.reserve(bytes * parts_.size()); // so that addresses stay valid
  parameters_.reserve(kinds.size() * parts_.size());
  for (const Part &part : parts_)
    for (const compiler::PtxParameter &parameter : kinds)
      parameters_.push_back(value_of(parameter, part));
}

void *NvidiaLaunch::value_of(const compiler::PtxParameter &parameter, const Part &part) {
  const auto word = [this](uint64_t value) { return store(&value, sizeof value); };
  switch (parameter.kind) {
  case PtxParameterKind::value:
  case PtxParameterKind::pointer:
  case PtxParameterKind::image:
    return store(block_.data() + info_->args[parameter.index].offset, parameter.size);
  case PtxParameterKind::image_word:
    return store(reinterpret_cast<const std::byte *>(images_[parameter.index].data()) +
                     parameter.offset,
                 parameter.size);
  case PtxParameterKind::local_offset:
    return store(&local_offsets_[parameter.index], sizeof(uint32_t));
  case PtxParameterKind::global_offset:
    return word(global_offset_[parameter.index]);
  case PtxParameterKind::group_base:
    return word(part.group_base[parameter.index]);
  case PtxParameterKind::num_groups:
    return word(num_groups_[parameter.index]);
  case PtxParameterKind::enqueued_local_size:
    return word(local_size_[parameter.index]);
  case PtxParameterKind::global_size:
    return word(global_size_[parameter.index]);
  case PtxParameterKind::work_dim:
    return store(&work_dim_, sizeof work_dim_);
  case PtxParameterKind::variables:
    return word(code_->variables ? code_->variables->address() : 0);
  case PtxParameterKind::part_groups:
    return word(part.grid[parameter.index]);
  case PtxParameterKind::printf_buffer:
  case PtxParameterKind::group_pool: // each run has its own
  case PtxParameterKind::unused:
    break;
  }
  return word(0);
}

// All groups may wait for each other, so they are one part, whatever their sizes.
Result<void> NvidiaLaunch::let_groups_wait(NvidiaKernel &kernel, const Device &device,
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
    return Error{ErrorKind::out_of_resources,
                 fmt::format("{} has {} work-groups that may wait for each other; the limit is {}",
                             name(), groups, UINT32_MAX / 2)};
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

// Names the argument by its address on the card.
std::string NvidiaLaunch::name_memory(uint64_t address) const {
  for (std::size_t i = 0; i < info_->args.size(); ++i) {
    const compiler::KernelArg &arg = info_->args[i];
    if (arg.kind != ArgKind::global_pointer)
      continue;
    uint64_t begin = 0;
    std::memcpy(&begin, block_.data() + arg.offset, sizeof begin);
    for (const Access &access : accesses())
      if (access.argument == int(i) && address >= begin && address - begin < access.memory.size())
        return fmt::format("byte {} of argument {}{}", address - begin, i,
                           arg.name.empty() ? "" : fmt::format(" '{}'", arg.name));
  }
  return fmt::format("the address {:#x}", address);
}

Result<std::unique_ptr<PersistentRun>> NvidiaLaunch::make_persistent_run() const {
  const Part &part = parts_[0];
  const uint64_t groups = uint64_t{part.grid[0]} * part.grid[1] * part.grid[2],
                 items = uint64_t{part.block[0]} * part.block[1] * part.block[2];
  const compiler::GroupFrames &frames = code_->code.frames;
  const uint64_t bytes =
      round_up(items * frames.item_bytes, 16) + frames.local_bytes + round_up(shared_bytes_, 16);
  return PersistentRun::make(
      code_, std::static_pointer_cast<NvidiaMemory>(space_), {uint32_t(groups), part.blocks},
      round_up(bytes, 128), waiting_memory_,
      {info_->name, [this](uint64_t address) { return name_memory(address); }});
}

Result<std::unique_ptr<NvidiaLaunch>> NvidiaLaunch::make(const Device &device, NvidiaKernel &kernel,
                                                         const LaunchGeometry &geometry,
                                                         LaunchArguments arguments) {
  const compiler::KernelInfo &info = kernel.info();
  LOCKSTEP_TRY(check_supported(info, arguments, device.memory_space().get()));
  LOCKSTEP_TRY(device.start());
  std::unique_ptr<NvidiaLaunch> launch(new NvidiaLaunch(
      kernel.shared_info(), device.memory_space(), std::move(arguments.memories), arguments.reach));
  launch->local_size_ = geometry.local_size == Size{} ? kernel.choose_local_size(device, geometry)
                                                      : geometry.local_size;
  for (uint32_t d = geometry.work_dim; d < 3; ++d)
    launch->local_size_[d] = 1;
  LOCKSTEP_TRY(launch->set_geometry(geometry, device.limits()));
  launch->make_parts();
  // Code for any size, unless all groups have the same.
  compiler::Specialization wanted{.local_arguments = std::move(arguments.local_arguments),
                                  .images = std::move(arguments.images)};
  if (!launch->parts_.empty()) {
    if (launch->variant() == PtxVariant::plain)
      std::ranges::copy(launch->local_size_, wanted.local_size.begin());
    auto code = kernel.code(wanted, launch->variant());
    LOCKSTEP_TRY(code);
    launch->code_ = std::move(*code);
  }
  LOCKSTEP_TRY(launch->place_arguments(arguments));
  LOCKSTEP_TRY(
      launch->place_local_memory(arguments.local_sizes, device.limits().local_memory_bytes));
  LOCKSTEP_TRY(launch->let_groups_wait(kernel, device, wanted));
  LOCKSTEP_TRY(launch->place_images(kernel.program(), arguments.image_places));
  if (!launch->code_)
    return launch;
  const uint64_t items = launch->local_size_[0] * launch->local_size_[1] * launch->local_size_[2];
  if (items > launch->code_->most_threads)
    return Error{ErrorKind::out_of_resources,
                 fmt::format("a work-group of {} work-items of kernel '{}' needs more registers "
                             "than the device has; it can have {}",
                             items, info.name, launch->code_->most_threads)};
  launch->store_parameters();
  return launch;
}

Result<void> NvidiaLaunch::enqueue_parts(cuda::Stream *stream, uint64_t printf_buffer,
                                         PersistentRun *persistent, bool again) const {
  const CudaContext &context = *code_->context;
  const std::vector<compiler::PtxParameter> &kinds = code_->code.parameters;
  if (shared_bytes_ > shared_without_request)
    LOCKSTEP_TRY(context.checked(
        context.cuda().set_function_attribute(
            code_->function, cuda::function_max_dynamic_shared_bytes, int(shared_bytes_)),
        fmt::format("requesting {} bytes of local memory for {}", shared_bytes_, name())));
  std::vector<void *> of_run; // if the run has parameters of its own
  if (printf_buffer != 0 || persistent)
    of_run = parameters_;
  void **const parameters =
      of_run.empty() ? const_cast<void **>(parameters_.data()) : of_run.data();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    uint64_t pool = 0;
    if (persistent && again) {
      pool = persistent->begin_again();
    } else if (persistent) {
      auto address = persistent->begin(stream);
      LOCKSTEP_TRY(address);
      pool = *address;
    }
    for (std::size_t i = 0; i < kinds.size() && !of_run.empty(); ++i)
      switch (kinds[i].kind) {
      case PtxParameterKind::printf_buffer:
        parameters[p * kinds.size() + i] = &printf_buffer;
        break;
      case PtxParameterKind::group_pool:
        parameters[p * kinds.size() + i] = &pool;
        break;
      default:
        break;
      }
    LOCKSTEP_TRY(enqueue_part(stream, parts_[p], parameters + p * kinds.size()));
    if (persistent)
      LOCKSTEP_TRY(persistent->end(stream));
  }
  return {};
}

Result<void> NvidiaLaunch::enqueue_part(cuda::Stream *stream, const Part &part,
                                        void **parameters) const {
  const CudaContext &context = *code_->context;
  const auto grid = is_persistent_ ? std::array<uint32_t, 3>{part.blocks, 1, 1} : part.grid;
  const auto &block = part.block;
  const cuda::Status status =
      context.cuda().launch(code_->function, grid[0], grid[1], grid[2], block[0], block[1],
                            block[2], shared_bytes_, stream, parameters, nullptr);
  if (status == cuda::success)
    return {};
  return context.checked(status, "launching " + name());
}

// One run of a launch that needs memory for it. Each of the two may be null.
class NvidiaLaunch::OneRun final : public StreamWork::Run {
public:
  OneRun(const NvidiaLaunch &launch, std::unique_ptr<PersistentRun> groups,
         std::unique_ptr<PrintfRun> printing)
      : launch_(launch), groups_(std::move(groups)), printing_(std::move(printing)) {}

  Result<void> enqueue(cuda::Stream *stream, bool again) {
    if (printing_ && !again)
      LOCKSTEP_TRY(printing_->begin(stream));
    LOCKSTEP_TRY(
        launch_.enqueue_parts(stream, printing_ ? printing_->address() : 0, groups_.get(), again));
    return printing_ ? printing_->end(stream) : Result<void>();
  }
  Result<void> finish(Command &command) override {
    auto printed = printing_ ? printing_->finish(command) : Result<void>();
    auto ended = groups_ ? groups_->finish(command) : Result<void>();
    return ended ? std::move(printed) : std::move(ended);
  }
  void look(Command &command, bool others_run) override {
    if (groups_)
      groups_->look(command, others_run);
  }
  bool stands_still() const override { return groups_ && groups_->stands_still(); }
  void leave() override {
    if (groups_)
      groups_->leave();
  }
  bool has_left() const override { return groups_ && groups_->has_left(); }
  Result<void> enqueue_again(cuda::Stream *stream) override {
    return enqueue(stream, /*again=*/true);
  }

private:
  const NvidiaLaunch &launch_;
  const std::unique_ptr<PersistentRun> groups_;
  const std::unique_ptr<PrintfRun> printing_;
};

Result<std::unique_ptr<StreamWork::Run>> NvidiaLaunch::enqueue(cuda::Stream *stream) {
  if (!code_)
    return std::unique_ptr<Run>();
  const bool prints = !code_->code.printf_formats.empty();
  if (!is_persistent_ && !prints) {
    LOCKSTEP_TRY(enqueue_parts(stream, 0, nullptr, /*again=*/false));
    return std::unique_ptr<Run>();
  }
  std::unique_ptr<PersistentRun> groups;
  if (is_persistent_) {
    auto made = make_persistent_run();
    LOCKSTEP_TRY(made);
    groups = std::move(*made);
  }
  std::unique_ptr<PrintfRun> printing;
  if (prints) {
    auto made = PrintfRun::make(code_, space_);
    LOCKSTEP_TRY(made);
    printing = std::move(*made);
  }
  auto run = std::make_unique<OneRun>(*this, std::move(groups), std::move(printing));
  if (auto enqueued = run->enqueue(stream, /*again=*/false); !enqueued) {
    // A part may run, and uses the memory of the run.
    code_->context->cuda().synchronize_stream(stream);
    return enqueued.take_error();
  }
  return std::unique_ptr<Run>(std::move(run));
}

} // namespace lockstep::runtime
