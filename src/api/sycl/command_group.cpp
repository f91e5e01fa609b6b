#include "api/sycl/command_group.h"

#include "api/sycl/buffer.h"
#include "api/sycl/card_arguments.h"
#include "api/sycl/command_graph.h"
#include "api/sycl/device_variables.h"
#include "api/sycl/error.h"
#include "api/sycl/event.h"
#include "api/sycl/images.h"
#include "api/sycl/kernel_bundle.h"
#include "api/sycl/launch_memory.h"
#include "api/sycl/memory_boxes.h"
#include "api/sycl/queue.h"
#include "api/sycl/stream_log.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/transfers.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::sycl_api {
namespace {

using sycl::detail::launch_shape;

// Returns a placeholder for the memory of a local accessor. It is unique in the program, is not a
// valid address, and is neither 0 nor a small number.
uint64_t next_mark() {
  static constinit std::atomic<uint64_t> last = uint64_t{0xb51c} << 48;
  return ++last;
}

constexpr uint32_t no_variable = ~uint32_t{0};

std::array<uint64_t, 3> device_order(const std::size_t (&sizes)[3], int dimensions,
                                     uint64_t unused) {
  std::array<uint64_t, 3> result{unused, unused, unused};
  for (int d = 0; d < dimensions; ++d)
    result[d] = sizes[dimensions - 1 - d];
  return result;
}

runtime::LaunchGeometry geometry_of(const launch_shape &shape) {
  runtime::LaunchGeometry geometry;
  geometry.work_dim = uint32_t(shape.dimensions);
  geometry.global_size = device_order(shape.global, shape.dimensions, 1);
  geometry.global_offset = device_order(shape.offset, shape.dimensions, 0);
  if (shape.local[0])
    geometry.local_size = device_order(shape.local, shape.dimensions, 1);
  return geometry;
}

std::string text_of(const std::size_t (&sizes)[3], int dimensions) {
  std::string text;
  for (int d = 0; d < dimensions; ++d)
    text += fmt::format("{}{}", d ? ", " : "{", sizes[d]);
  return text + "}";
}

void check_shape(const launch_shape &shape, const runtime::DeviceLimits &limits) {
  const bool is_nd = shape.local[0] || shape.local[1] || shape.local[2];
  const bool is_empty = !shape.global[0] || !shape.global[1] || !shape.global[2];
  if (!is_nd || is_empty)
    return;
  uint64_t items = 1;
  for (int d = 0; d < shape.dimensions; ++d) {
    const std::size_t local = shape.local[d];
    if (local == 0 || shape.global[d] % local != 0)
      raise(sycl::errc::nd_range,
            fmt::format("the global range {} is not a multiple of the local range {} (SYCL 2020 "
                        "section 4.9.4.2.2)",
                        text_of(shape.global, shape.dimensions),
                        text_of(shape.local, shape.dimensions)));
    if (local > limits.max_work_item_sizes[shape.dimensions - 1 - d] ||
        (items *= local) > limits.max_work_group_size)
      raise(sycl::errc::nd_range,
            fmt::format("a local range of {} is beyond the device's max_work_group_size, {} (SYCL "
                        "2020 section 4.9.4.2.2)",
                        text_of(shape.local, shape.dimensions), limits.max_work_group_size));
  }
}

// Checks the local range against [[sycl::reqd_work_group_size]].
void check_required_size(const launch_shape &shape, const compiler::KernelInfo &info) {
  const bool is_nd = shape.local[0] || shape.local[1] || shape.local[2];
  if (!is_nd || info.reqd_work_group_size[0] == 0)
    return;
  const auto given = device_order(shape.local, shape.dimensions, 1);
  for (int d = 0; d < 3; ++d)
    if (given[d] != info.reqd_work_group_size[d])
      raise(sycl::errc::nd_range,
            fmt::format("the local range is {}, and the kernel {} requires ({}, {}, {}) (the "
                        "dimension that is contiguous first; SYCL 2020 section 5.8.1)",
                        text_of(shape.local, shape.dimensions), info.name,
                        info.reqd_work_group_size[0], info.reqd_work_group_size[1],
                        info.reqd_work_group_size[2]));
}

// Host and device compilation of one source may differ in what a lambda captures, and so in its
// layout.
void check_function_size(const compiler::KernelInfo &info, std::size_t bytes) {
  if (const std::size_t on_device = info.args.front().size; on_device != bytes)
    raise(sycl::errc::kernel_argument,
          fmt::format("the function object of the kernel {} has {} bytes on the host and {} on the "
                      "device: it depends on a macro that is defined for one of them only (SYCL "
                      "2020 section 5.6)",
                      info.name, bytes, on_device));
}

void check_range(const launch_shape &shape) {
  constexpr std::size_t most = std::size_t{1} << 62;
  std::size_t items = 1;
  for (int d = 0; d < shape.dimensions; ++d)
    if (__builtin_mul_overflow(items, shape.global[d], &items) || items > most)
      raise(sycl::errc::nd_range, fmt::format("a range of {} has too many work-items",
                                              text_of(shape.global, shape.dimensions)));
}

std::shared_ptr<const Device> device_of(const Queue &queue) {
  return std::static_pointer_cast<const Device>(queue.device());
}

// The name of the member function of queue or handler.
const char *title_of(CommandGroup::NodeType type) {
  using Type = CommandGroup::NodeType;
  switch (type) {
  case Type::memcpy:
    return "memcpy";
  case Type::memset:
    return "memset";
  case Type::memfill:
    return "fill";
  default:
    return "command";
  }
}

bool is_empty(const launch_shape &shape) {
  for (int d = 0; d < shape.dimensions; ++d)
    if (shape.global[d] == 0)
      return true;
  return false;
}

} // namespace

runtime::Accesses accesses_of(const std::vector<Requirement> &requirements) {
  runtime::Accesses all;
  for (const Requirement &one : requirements)
    all.push_back(
        {runtime::MemoryView(one.buffer->state().memory(), one.begin, one.end - one.begin),
         one.mode});
  return all;
}

void CommandGroup::check_alone() const {
  if (operation_ || host_task_ || graph_)
    raise(sycl::errc::invalid,
          "a command group has more than one command (SYCL 2020 section 4.9.3)");
}

// Host threads run what the device of the queue cannot.
static void check_memories(const runtime::Operation &operation) {
  if (!runtime::can_access(operation.memory_space(), operation.accesses()))
    raise(sycl::errc::feature_not_supported,
          "a command accesses memory of malloc_device, and neither host threads nor the device of "
          "its queue can do that (SYCL 2020 section 4.8.3.2)");
}

static void check_range(const void *address, std::size_t bytes) {
  if (auto range = runtime::check_range(address, bytes); !range)
    raise(sycl::errc::invalid, range.error().message + " (SYCL 2020 section 4.9.4.3)");
}

void CommandGroup::set(NodeType type, std::unique_ptr<runtime::Operation> operation) {
  check_alone();
  check_memories(*operation);
  type_ = type;
  operation->set_title(title_of(type));
  operation_ = std::move(operation);
}

std::unique_ptr<runtime::Operation> CommandGroup::make_operation() {
  // accessors take part in the order even without a command
  if (!operation_ && !requirements_.empty())
    operation_ = std::make_unique<runtime::NoWork>(accesses());
  return std::move(operation_);
}

void CommandGroup::depends_on(const sycl::detail::event_pointer &event) {
  const auto &own = static_cast<const Event &>(*event);
  own.check_process("an event of depends_on");
  if (own.node())
    nodes_.push_back(own.node());
  else if (const runtime::CommandRef &command = own.command())
    dependencies_.push_back(command);
}

void CommandGroup::require(const sycl::detail::buffer_pointer &buffer,
                           sycl::detail::access_kind kind, std::size_t offset, std::size_t bytes) {
  auto own = std::static_pointer_cast<Buffer>(buffer);
  own->check_process("the buffer of an accessor");
  if (const auto &bound = own->state().bound(); bound && bound != queue_.context())
    raise(sycl::errc::invalid, "a buffer with the property context_bound is used with a queue of "
                               "another context (SYCL 2020 section 4.7.2.2)");
  const std::size_t begin = own->offset_in_root() + offset;
  requirements_.push_back({std::move(own), mode_of(kind), begin, begin + bytes});
}

void CommandGroup::require(const sycl::detail::image_pointer &image,
                           sycl::detail::access_kind kind) {
  const sycl::detail::buffer_pointer view = image->view();
  require(view, kind, 0, view->bytes());
  keep(view);
  images_.push_back({image->words(), std::static_pointer_cast<Buffer>(view)});
}

runtime::Accesses CommandGroup::accesses() const {
  return accesses_of(requirements_);
}

sycl::detail::stream_log *CommandGroup::stream_memory(std::size_t total, std::size_t of_item) {
  auto log = std::make_shared<const StreamLog>(queue_.on().runtime(), total, of_item);
  streams_.push_back(log);
  kept_.push_back(log);
  return log->memory();
}

void *CommandGroup::local_memory(std::size_t bytes, std::size_t alignment, std::size_t words) {
  local_memories_.push_back({next_mark(), bytes, alignment, words});
  return reinterpret_cast<void *>(local_memories_.back().mark);
}

static uint64_t word_at(std::span<const std::byte> bytes, std::size_t index = 0) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.subspan(index * sizeof word).data(), sizeof word);
  return word;
}

static std::vector<uint64_t> words_behind(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<uint64_t> words;
  for (std::size_t i = 1; i <= count; ++i)
    words.push_back(word_at(bytes, i));
  return words;
}

static void raise_foreign_accessor() {
  raise(sycl::errc::kernel_argument,
        "a kernel uses an accessor that its command group does not have: it was made for another "
        "one, or it is a placeholder and handler::require was not called (SYCL 2020 section "
        "4.9.4.1)");
}

// The name of the captured member at `offset`; empty unless a check is on.
static std::string name_at(const ImageKernel &kernel, uint32_t offset) {
  if (runtime::observer().is_checker())
    for (const compiler::FunctionMember &each : kernel.members)
      if (offset - each.offset < each.size)
        return each.name;
  return {};
}

// Finds local memory and images in the function object.
void CommandGroup::find_local_arguments(const ImageKernel &kernel, RecordedLaunch &launched) const {
  std::vector<compiler::LocalArgument> &found = launched.local_arguments;
  for (const AccessorPlace &place : kernel.accessors) {
    const std::span<const std::byte> bytes = std::span(launched.block).subspan(place.offset);
    if (place.kind == AccessorPlace::Kind::image) {
      for (const Image &image : images_)
        if (word_at(bytes) == image.words.descriptor && word_at(bytes, 1) == image.words.kind) {
          found.push_back({place.offset, no_variable, 0, 1, {image.words.kind}});
          launched.image_places.push_back({place.offset, image.memory});
          break;
        }
    } else if (place.kind == AccessorPlace::Kind::local) {
      const uint64_t mark = word_at(bytes);
      const auto memory = std::find_if(local_memories_.begin(), local_memories_.end(),
                                       [&](const LocalMemory &one) { return one.mark == mark; });
      if (memory != local_memories_.end()) // 0 bytes would mean that only words are used
        found.push_back({place.offset, uint32_t(memory - local_memories_.begin()),
                         std::max<uint64_t>(memory->bytes, 1), uint32_t(memory->alignment),
                         words_behind(bytes, memory->words), name_at(kernel, place.offset)});
      else if (mark != 0 && !place.is_in_union)
        raise_foreign_accessor();
    }
  }
}

// Local memory belongs to work-groups, so a kernel without work-groups cannot use it.
void CommandGroup::check_local_arguments(const RecordedLaunch &launched) {
  const launch_shape &shape = launched.shape;
  if (shape.local[0] || shape.local[1] || shape.local[2])
    return;
  for (const compiler::LocalArgument &one : launched.local_arguments)
    if (one.variable != no_variable)
      raise(sycl::errc::kernel_argument,
            "a local_accessor is used by a kernel that has no work-groups, of single_task or of "
            "parallel_for with a range (SYCL 2020 section 4.7.6.11)");
}

// An accessor holds the address of its buffer, or 0. In a union its bytes may be anything.
void CommandGroup::check_accessors(const ImageKernel &kernel,
                                   std::span<const std::byte> function) const {
  for (const AccessorPlace &place : kernel.accessors) {
    if (place.kind != AccessorPlace::Kind::buffer || place.is_in_union)
      continue;
    const uint64_t buffer = word_at(function.subspan(place.offset));
    if (buffer &&
        std::none_of(requirements_.begin(), requirements_.end(), [&](const Requirement &one) {
          const sycl::detail::buffer_interface *own = one.buffer.get();
          return reinterpret_cast<uintptr_t>(own) == buffer;
        }))
      raise_foreign_accessor();
  }
}

// The kernel specialized by a bundle or by constants. Null: neither is used; see kernel_of.
std::shared_ptr<runtime::Kernel> CommandGroup::kernel_for(ImageKernel &kernel) const {
  if (!bundle_ && constants_.empty())
    return nullptr;
  if (!bundle_) {
    Constants constants;
    for (const auto &[name, value] : constants_)
      constants.push_back({name, value});
    return compiled_kernel(kernel, queue_.on(), constants);
  }
  const KernelBundle::Entry *entry = bundle_->find(kernel);
  if (!entry)
    raise(sycl::errc::kernel_not_supported,
          fmt::format("the kernel bundle of the command group does not have the kernel {} (SYCL "
                      "2020 section 4.9.4.4)",
                      kernel.name));
  return compiled_kernel(kernel, queue_.on(), entry->constants);
}

std::unique_ptr<runtime::Operation>
RecordedLaunch::make(const std::vector<Requirement> &requirements) const {
  check_range(shape);
  check_shape(shape, device->runtime().limits());
  check_required_size(shape, kernel->info());
  if (is_empty(shape))
    return std::make_unique<runtime::NoWork>(accesses_of(requirements));
  const std::shared_ptr<runtime::MemorySpace> &space = device->runtime().memory_space();
  PlacedArguments placed;
  if (space)
    placed = arguments_in(space, *this, requirements);
  std::vector<runtime::ImagePlace> places;
  for (const ImagePlace &place : image_places)
    places.push_back({place.offset, place.memory->state().memory()});
  auto launch =
      kernel->prepare(device->runtime(), geometry_of(shape),
                      {.block = space ? placed.block : block,
                       .local_sizes = local_sizes,
                       .memories = space ? std::move(placed.memories) : accesses_of(requirements),
                       // arguments may contain pointers
                       .reach = space ? runtime::AllocationKinds(0) : runtime::all_allocations,
                       .local_arguments = local_arguments,
                       .images = images,
                       .image_places = std::move(places)});
  if (!launch)
    raise(launch.error());
  return std::move(*launch);
}

void CommandGroup::launch(RecordedLaunch launched) {
  launched.memories = memories_;
  set(NodeType::kernel, launched.make(requirements_));
  if (is_recorded_ || !nodes_.empty())
    launch_ = std::move(launched);
}

void CommandGroup::launch(const sycl::detail::kernel_reference &reference, const void *function,
                          std::size_t bytes, const launch_shape &shape) {
  // The range is checked later, when the kernel is known (RecordedLaunch::make). If the kernel
  // requires a work-group size that the device does not support, the error is
  // errc::kernel_not_supported; otherwise it is errc::nd_range.
  ImageKernel &in_image = kernel_in_image(reference);
  std::shared_ptr<runtime::Kernel> special = kernel_for(in_image);
  runtime::Kernel &kernel = special ? *special : kernel_of(in_image, queue_.on());
  check_function_size(kernel.info(), bytes);
  // The block is rounded up to whole words.
  std::vector<std::byte> block(kernel.info().argument_block_size);
  std::memcpy(block.data(), function, std::min(bytes, block.size()));
  launch(in_image,
         {device_of(queue_), &kernel, std::move(special), shape, std::move(block), {}, {}});
}

void CommandGroup::launch(const ImageKernel &kernel, RecordedLaunch launched) {
  launched.in_image = &kernel;
  if (!is_empty(launched.shape)) {
    check_accessors(kernel, launched.block);
    find_local_arguments(kernel, launched);
    check_local_arguments(launched);
  }
  launch(std::move(launched));
}

// Builds the function object of a free-function kernel from the arguments that were set.
std::vector<std::byte>
CommandGroup::block_of_function(const std::vector<sycl::detail::parameter_place> &places,
                                const compiler::KernelInfo &info) const {
  std::vector<std::byte> block(info.argument_block_size);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto given = arguments_.find(int(i));
    if (given == arguments_.end())
      raise(sycl::errc::kernel_argument,
            fmt::format("argument {} of the kernel {} was not set", i, info.name));
    const std::string &object = given->second.object;
    if (places[i].bytes && object.size() != places[i].bytes)
      raise(sycl::errc::kernel_argument,
            fmt::format("argument {} of the kernel {} has {} bytes, and was set with {}", i,
                        info.name, places[i].bytes, object.size()));
    std::memcpy(block.data() + places[i].offset, object.data(), places[i].bytes);
  }
  return block;
}

void CommandGroup::launch(const sycl::detail::kernel_pointer &pointer, const launch_shape &shape) {
  const auto &object = static_cast<const KernelObject &>(*pointer);
  object.check_process("the kernel of a launch");
  if (const ImageKernel *in_image = object.in_image()) {
    if (!in_image->parameters)
      raise(sycl::errc::invalid,
            "a kernel that is a function object of C++ is launched with set_arg (SYCL 2020 section "
            "4.9.4.2.3)");
    std::shared_ptr<runtime::Kernel> kernel = object.on(queue_.on());
    std::vector<std::byte> block = block_of_function(*in_image->parameters, kernel->info());
    return launch(*in_image, {device_of(queue_),
                              kernel.get(),
                              kernel,
                              shape,
                              std::move(block),
                              {},
                              {},
                              {},
                              &*in_image->parameters});
  }
  check_range(shape);
  check_shape(shape, queue_.on().runtime().limits());
  const std::shared_ptr<runtime::Kernel> kernel = object.on(queue_.on());
  const compiler::KernelInfo &info = kernel->info();
  RecordedLaunch launched{device_of(queue_), kernel.get(), kernel, shape, {}, {}, {}};
  launched.block.resize(info.argument_block_size);
  launched.local_sizes.resize(info.args.size());
  for (std::size_t i = 0; i < info.args.size(); ++i) {
    auto given = arguments_.find(int(i));
    if (given == arguments_.end())
      raise(sycl::errc::kernel_argument,
            fmt::format("argument {} of the kernel {} was not set", i, info.name));
    place_argument(given->second, info, i, launched);
  }
  launch(std::move(launched));
}

void CommandGroup::place_argument(const Argument &given, const compiler::KernelInfo &kernel,
                                  std::size_t index, RecordedLaunch &to) const {
  const compiler::KernelArg &wanted = kernel.args[index];
  if (given.image || wanted.kind == compiler::ArgKind::image ||
      wanted.kind == compiler::ArgKind::sampler)
    return place_image(given, kernel, index, to);
  const bool is_local = wanted.kind == compiler::ArgKind::local_pointer;
  if (is_local != (given.local_bytes != 0) || (!is_local && given.value.size() != wanted.size))
    raise(sycl::errc::kernel_argument,
          fmt::format("argument {} of the kernel {} has {} bytes{}, and was set with {}{}", index,
                      kernel.name, wanted.size, is_local ? " and is local memory" : "",
                      given.value.size(), given.local_bytes ? " as local memory" : ""));
  to.local_sizes[index] = given.local_bytes;
  if (!is_local)
    std::memcpy(to.block.data() + wanted.offset, given.value.data(), given.value.size());
}

void CommandGroup::place_image(const Argument &given, const compiler::KernelInfo &kernel,
                               std::size_t index, RecordedLaunch &to) const {
  const compiler::KernelArg &wanted = kernel.args[index];
  const bool is_sampler = wanted.kind == compiler::ArgKind::sampler;
  const uint32_t sampler = given.image ? uint32_t(given.image->kind >> 32) : 0;
  const std::string own_type = fmt::format("image{}d_t", given.dimensions);
  // A parameter type with a user-defined name is not compared.
  const bool is_other_image =
      !is_sampler && wanted.type_name.starts_with("image") && wanted.type_name != own_type;
  if (!given.image || (!is_sampler && wanted.kind != compiler::ArgKind::image) || is_other_image ||
      (is_sampler && sampler == 0))
    raise(sycl::errc::kernel_argument,
          fmt::format("argument {} of the kernel {} is of the type {}, and was set with {} (SYCL "
                      "2020 appendix C)",
                      index, kernel.name, wanted.type_name,
                      !given.image ? "an object that is not an accessor of an image"
                                   : "an accessor of an " + own_type +
                                         (sampler ? " with a sampler" : " without sampler")));
  const uint64_t word = is_sampler ? sampler : given.image->descriptor;
  std::memcpy(to.block.data() + wanted.offset, &word, sizeof word);
  to.images.resize(kernel.args.size());
  to.images[index] = is_sampler ? sampler : uint32_t(given.image->kind);
  for (const Image &image : images_)
    if (!is_sampler && image.words.descriptor == word) {
      to.image_places.push_back({wanted.offset, image.memory});
      break;
    }
}

void CommandGroup::set_argument(int index, const void *value, std::size_t bytes, const void *object,
                                std::size_t object_bytes) {
  arguments_[index] = {std::string(static_cast<const char *>(value), bytes), 0,
                       std::string(static_cast<const char *>(object), object_bytes)};
}

void CommandGroup::set_image_argument(int index, const sycl::detail::image_words &image,
                                      int dimensions, const void *object,
                                      std::size_t object_bytes) {
  arguments_[index] = {
      {}, 0, std::string(static_cast<const char *>(object), object_bytes), image, dimensions};
}

void CommandGroup::set_local_argument(int index, std::size_t bytes, const void *object,
                                      std::size_t object_bytes) {
  arguments_[index] = {{}, bytes, std::string(static_cast<const char *>(object), object_bytes)};
}

void CommandGroup::use_bundle(const sycl::detail::kernel_bundle_pointer &bundle) {
  auto own = std::static_pointer_cast<KernelBundle>(bundle);
  own->check_process("the bundle of use_kernel_bundle");
  if (own->context() != queue_.context())
    raise(sycl::errc::invalid,
          "use_kernel_bundle is given a bundle of another context than that of "
          "the queue (SYCL 2020 section 4.9.4.4)");
  if (!constants_.empty())
    raise(sycl::errc::invalid,
          "use_kernel_bundle is called after set_specialization_constant (SYCL "
          "2020 section 4.9.4.4)");
  bundle_ = std::move(own);
}

void CommandGroup::set_constant(const std::string &name, const void *value, std::size_t bytes) {
  if (bundle_)
    raise(sycl::errc::invalid,
          "set_specialization_constant is called after use_kernel_bundle (SYCL "
          "2020 section 4.9.5.2)");
  constants_[name] = std::string(static_cast<const char *>(value), bytes);
}

bool CommandGroup::get_constant(const std::string &name, void *to, std::size_t bytes) const {
  if (bundle_)
    raise(sycl::errc::invalid,
          "get_specialization_constant is called after use_kernel_bundle (SYCL "
          "2020 section 4.9.5.2)");
  auto found = constants_.find(name);
  if (found == constants_.end())
    return false;
  std::memcpy(to, found->second.data(), std::min(bytes, found->second.size()));
  return true;
}

std::vector<const sycl::detail::buffer_interface *> CommandGroup::required() const {
  std::vector<const sycl::detail::buffer_interface *> all;
  for (const Requirement &one : requirements_)
    all.push_back(one.buffer.get());
  return all;
}

void CommandGroup::host_task(std::function<void()> task) {
  check_alone();
  type_ = NodeType::host_task;
  host_task_ = std::move(task);
}

// When undefined values are checked, memory that the task may write by its accessors counts as
// defined.
std::function<void()> CommandGroup::take_host_task() {
  if (!runtime::memory_observer().observes_contents())
    return std::move(host_task_);
  return [task = std::move(host_task_), requirements = requirements_] {
    for (const Requirement &one : requirements)
      if (runtime::writes(one.mode))
        runtime::memory_observer().host_may_write(
            {one.buffer->state().memory()->data() + one.begin, one.end - one.begin});
    task();
  };
}

void CommandGroup::keep(std::shared_ptr<const void> memory) {
  kept_.push_back(std::move(memory));
}

void CommandGroup::keep_memory(const sycl::detail::buffer_pointer &buffer) {
  keep(buffer);
  memories_.push_back(std::static_pointer_cast<Buffer>(buffer));
}

void *CommandGroup::launch_memory(std::size_t bytes, std::size_t alignment, bool is_zeroed) {
  auto memory = sycl_api::launch_memory(queue_.on().runtime(), bytes, alignment, is_zeroed);
  keep(memory);
  return memory.get();
}

// Not measured: enough work-items for the multiprocessors of a card, and few values to combine.
sycl::detail::reduction_groups CommandGroup::groups_for_reductions() const {
  const runtime::Device &device = queue_.on().runtime();
  return device.memory_space() ? sycl::detail::reduction_groups{device.compute_units() * 4, 512}
                               : sycl::detail::reduction_groups();
}

void CommandGroup::copy(void *to, const void *from, std::size_t bytes) {
  if (bytes == 0)
    return set(NodeType::memcpy, std::make_unique<runtime::NoWork>());
  if (!to || !from)
    raise(sycl::errc::invalid, "memcpy is given a null pointer (SYCL 2020 section 4.9.4.3)");
  check_range(to, bytes);
  check_range(from, bytes);
  const runtime::Device &device = queue_.on().runtime();
  set(NodeType::memcpy, device.make_copy(view_on(device, to, bytes), view_on(device, from, bytes)));
}

void CommandGroup::fill(void *to, const void *pattern, std::size_t pattern_bytes,
                        std::size_t count) {
  const NodeType type = pattern_bytes == 1 ? NodeType::memset : NodeType::memfill;
  if (count == 0)
    return set(type, std::make_unique<runtime::NoWork>());
  if (!to)
    raise(sycl::errc::invalid, "fill is given a null pointer (SYCL 2020 section 4.9.4.3)");
  check_range(to, pattern_bytes * count);
  if (pattern_bytes <= runtime::Fill::max_pattern)
    return set(type, queue_.on().runtime().make_fill(runtime::view_at(to, pattern_bytes * count),
                                                     pattern, pattern_bytes));
  sycl::detail::memory_box box;
  box.data = to;
  box.element = pattern_bytes;
  box.memory[2] = box.range[2] = count;
  set(type, fill_of_box(queue_.on().runtime(), box, pattern));
}

void CommandGroup::copy(const sycl::detail::memory_box &to, const sycl::detail::memory_box &from) {
  set(NodeType::memcpy, copy_of_boxes(queue_.on().runtime(), to, from));
  operation_->set_title("copy");
}

void CommandGroup::fill(const sycl::detail::memory_box &to, const void *pattern) {
  set(NodeType::memfill, fill_of_box(queue_.on().runtime(), to, pattern));
}

void CommandGroup::hint(const void *, std::size_t) { // all memory is local
  set(NodeType::prefetch, std::make_unique<runtime::NoWork>());
}

void CommandGroup::barrier() {
  set(NodeType::ext_oneapi_barrier, std::make_unique<runtime::NoWork>(accesses()));
}

// A host task, since the program may hold the mutex of its memory for long.
void CommandGroup::update_host(const sycl::detail::memory_box &from) {
  if (auto update = static_cast<Buffer *>(from.buffer)->state().host_update(from))
    host_task(std::move(update));
  else
    barrier(); // kernels work on that memory directly
}

void CommandGroup::replay(const sycl::detail::executable_graph_pointer &graph) {
  check_alone();
  auto own = std::static_pointer_cast<ExecutableGraph>(graph);
  own->check_process("this graph");
  if (own->context() != queue_.context() || own->device() != queue_.device())
    raise(sycl::errc::invalid,
          "a graph is submitted to a queue of another context or device than it was made for "
          "(sycl_ext_oneapi_graph, ext_oneapi_graph)");
  type_ = NodeType::subgraph;
  graph_ = std::move(own);
}

} // namespace lockstep::sycl_api
