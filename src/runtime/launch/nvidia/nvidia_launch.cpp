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

uint64_t round_up(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The block has the address of its descriptors, which contain the address of its contents.
bool is_image(const compiler::KernelInfo &info, const Access &access) {
  return access.argument >= 0 && info.args[access.argument].kind == ArgKind::image;
}

// An address of the host in the arguments would be an invalid access on the card, and the context
// would be lost. Allocations have the same address on the card, unlike memory objects.
Result<void> check_memories(const compiler::KernelInfo &info, const LaunchArguments &arguments,
                            const MemorySpace *space) {
  if ((arguments.reach & set_of(AllocationKind::buffer)) != 0 ||
      std::ranges::any_of(arguments.memories, [&](const Access &access) {
        return access.is_placed && !is_image(info, access) &&
               !access.memory.buffer()->has_address_in(space);
      }))
    return unsupported_on_nvidia(info, "may use memory by its address on the host");
  if (!can_access(space, arguments.memories))
    return unsupported_on_nvidia(info, "gets memory of another device");
  return {};
}

} // namespace

// The block gets addresses on the card. What remains null was null before.
Result<void> NvidiaLaunch::place_arguments() {
  for (const LaunchShape::Pointer &pointer : shape_->pointers()) {
    const void *address = nullptr;
    std::memcpy(&address, block_.data() + pointer.offset, sizeof address);
    if (address && std::ranges::none_of(accesses(), [&](const Access &access) {
          return access.argument == int(pointer.argument);
        }))
      return unsupported_on_nvidia(kernel(),
                                   "gets the address of memory that is shared with the host");
  }
  for (const Access &access : accesses()) {
    if (access.argument < 0 || access.is_placed)
      continue;
    auto begin = access.memory.buffer()->address_in(shape_->space());
    LOCKSTEP_TRY(begin);
    const std::byte *address = *begin + access.memory.offset();
    std::memcpy(block_.data() + kernel().args[access.argument].offset, &address, sizeof address);
  }
  return {};
}

// On the host, the descriptors have addresses of the host's copy. On the card, texels are aligned to
// their size, as the image functions for GPUs require: its copies of buffers are, and the API checks
// pitches and the offsets of sub-buffers.
Result<std::vector<compiler::ImageDescriptor>>
NvidiaLaunch::levels_on_card(const ImagePlace &place) const {
  auto begin = place.memory->address_in(shape_->space());
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
  if (!shape_->has_images() && places.empty())
    return {};
  const std::vector<compiler::KernelArg> &args = kernel().args;
  const auto place_one = [&](const ImagePlace &place) -> Result<void> {
    auto levels = levels_on_card(place);
    LOCKSTEP_TRY(levels);
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i].kind == ArgKind::image && args[i].offset == place.offset) {
        images_.resize(args.size());
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
    if (is_image(kernel(), access))
      LOCKSTEP_TRY(place_one({args[access.argument].offset, access.memory.buffer()}));
  for (const ImagePlace &place : places)
    LOCKSTEP_TRY(place_one(place));
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i].kind == ArgKind::image && (images_.empty() || images_[i].empty()))
      return unsupported_on_nvidia(kernel(), "gets an image without its memory");
  if (images_.empty() || !shape_->code())
    return {};
  for (const compiler::PtxParameter &parameter : code().code.parameters)
    if (parameter.kind == PtxParameterKind::image) {
      auto copy = program.image_descriptors(images_[parameter.index]);
      LOCKSTEP_TRY(copy);
      const uint64_t address = (*copy)->address();
      std::memcpy(block_.data() + args[parameter.index].offset, &address, sizeof address);
      descriptors_.push_back(std::move(*copy));
    }
  return {};
}

// Names the argument by its address on the card.
std::string NvidiaLaunch::name_memory(uint64_t address) const {
  for (const LaunchShape::Pointer &pointer : shape_->pointers()) {
    const compiler::KernelArg &arg = kernel().args[pointer.argument];
    if (arg.kind != ArgKind::global_pointer)
      continue;
    uint64_t begin = 0;
    std::memcpy(&begin, block_.data() + pointer.offset, sizeof begin);
    for (const Access &access : accesses())
      if (access.argument == int(pointer.argument) && address >= begin &&
          address - begin < access.memory.size())
        return fmt::format("byte {} of argument {}{}", address - begin, pointer.argument,
                           arg.name.empty() ? "" : fmt::format(" '{}'", arg.name));
  }
  return fmt::format("the address {:#x}", address);
}

Result<std::unique_ptr<PersistentRun>> NvidiaLaunch::make_persistent_run() const {
  const Part &part = shape_->parts()[0];
  const uint64_t groups = uint64_t{part.grid[0]} * part.grid[1] * part.grid[2],
                 items = uint64_t{part.block[0]} * part.block[1] * part.block[2];
  const compiler::GroupFrames &frames = code().code.frames;
  const uint64_t bytes = round_up(items * frames.item_bytes, 16) + frames.local_bytes +
                         round_up(shape_->shared_bytes(), 16);
  return PersistentRun::make(
      shape_->code(), std::static_pointer_cast<NvidiaMemory>(shape_->space()),
      {uint32_t(groups), part.blocks}, round_up(bytes, 128), shape_->waiting_memory(),
      {kernel().name, [this](uint64_t address) { return name_memory(address); }});
}

Result<std::unique_ptr<NvidiaLaunch>> NvidiaLaunch::make(const Device &device, NvidiaKernel &kernel,
                                                         const LaunchGeometry &geometry,
                                                         LaunchArguments &&arguments) {
  LOCKSTEP_TRY(check_memories(kernel.info(), arguments, device.memory_space().get()));
  if (arguments.enqueues)
    return unsupported_on_nvidia(kernel.info(), "enqueues other kernels");
  LOCKSTEP_TRY(device.start());
  auto shape = kernel.shape(device, geometry, arguments);
  LOCKSTEP_TRY(shape);
  std::unique_ptr<NvidiaLaunch> launch(new NvidiaLaunch(std::move(*shape), std::move(arguments)));
  LOCKSTEP_TRY(launch->place_arguments());
  LOCKSTEP_TRY(launch->place_images(kernel.program(), arguments.image_places));
  return launch;
}

const void *NvidiaLaunch::address_of(std::size_t part, std::size_t parameter,
                                     const RunWords &run) const {
  const compiler::PtxParameter &kind = code().code.parameters[parameter];
  switch (kind.kind) {
  case PtxParameterKind::value:
  case PtxParameterKind::pointer:
  case PtxParameterKind::image:
    return block_.data() + kernel().args[kind.index].offset;
  case PtxParameterKind::image_word:
    return reinterpret_cast<const std::byte *>(images_[kind.index].data()) + kind.offset;
  case PtxParameterKind::printf_buffer:
    return &run.printf_buffer;
  case PtxParameterKind::group_pool:
    return &run.group_pool;
  default:
    return shape_->word(part, parameter);
  }
}

Result<void> NvidiaLaunch::enqueue_parts(cuda::Stream *stream, uint64_t printf_buffer,
                                         PersistentRun *persistent, bool again) const {
  const CudaContext &context = *code().context;
  if (const uint32_t bytes = shape_->shared_bytes(); bytes > LaunchShape::shared_without_request)
    LOCKSTEP_TRY(
        context.checked(context.cuda().set_function_attribute(
                            code().function, cuda::function_max_dynamic_shared_bytes, int(bytes)),
                        fmt::format("requesting {} bytes of local memory for {}", bytes, name())));
  for (std::size_t part = 0; part < shape_->parts().size(); ++part) {
    RunWords run{.printf_buffer = printf_buffer};
    if (persistent && again) {
      run.group_pool = persistent->begin_again();
    } else if (persistent) {
      auto address = persistent->begin(stream);
      LOCKSTEP_TRY(address);
      run.group_pool = *address;
    }
    LOCKSTEP_TRY(enqueue_part(stream, part, run));
    if (persistent)
      LOCKSTEP_TRY(persistent->end(stream));
  }
  return {};
}

// The driver copies the values of the parameters during the call.
Result<void> NvidiaLaunch::enqueue_part(cuda::Stream *stream, std::size_t part,
                                        const RunWords &run) const {
  constexpr std::size_t few = 32;
  std::array<void *, few> of_few;
  std::vector<void *> of_many;
  const auto parameters = [&] {
    const std::size_t count = code().code.parameters.size();
    of_many.resize(count > few ? count : 0);
    void **const all = count > few ? of_many.data() : of_few.data();
    for (std::size_t i = 0; i < count; ++i)
      all[i] = const_cast<void *>(address_of(part, i, run));
    return all;
  };
  if (KernelGraphs *const graphs = shape_->graphs();
      graphs && graphs->launch(stream, block_, parameters))
    return {};
  const CudaContext &context = *code().context;
  const auto &[groups, block, base, blocks] = shape_->parts()[part];
  const auto grid = shape_->is_persistent() ? std::array<uint32_t, 3>{blocks, 1, 1} : groups;
  const cuda::Status status =
      context.cuda().launch(code().function, grid[0], grid[1], grid[2], block[0], block[1],
                            block[2], shape_->shared_bytes(), stream, parameters(), nullptr);
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
  if (!shape_->code())
    return std::unique_ptr<Run>();
  const bool prints = !code().code.printf_formats.empty();
  if (!may_wait() && !prints) {
    LOCKSTEP_TRY(enqueue_parts(stream, 0, nullptr, /*again=*/false));
    return std::unique_ptr<Run>();
  }
  std::unique_ptr<PersistentRun> groups;
  if (may_wait()) {
    auto made = make_persistent_run();
    LOCKSTEP_TRY(made);
    groups = std::move(*made);
  }
  std::unique_ptr<PrintfRun> printing;
  if (prints) {
    auto made = PrintfRun::make(shape_->code(), shape_->space(), shape_->work_items());
    LOCKSTEP_TRY(made);
    printing = std::move(*made);
  }
  auto run = std::make_unique<OneRun>(*this, std::move(groups), std::move(printing));
  if (auto enqueued = run->enqueue(stream, /*again=*/false); !enqueued) {
    // A part may run, and uses the memory of the run.
    code().context->cuda().synchronize_stream(stream);
    return enqueued.take_error();
  }
  return std::unique_ptr<Run>(std::move(run));
}

} // namespace lockstep::runtime
