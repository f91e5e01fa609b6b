#include "api/sycl/card_arguments.h"

#include "api/sycl/buffer.h"
#include "api/sycl/error.h"
#include "runtime/memory/allocations.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::sycl_api {
namespace {

uint64_t word_at(const std::vector<std::byte> &block, std::size_t offset) {
  uint64_t word = 0;
  std::memcpy(&word, block.data() + offset, sizeof word);
  return word;
}

[[noreturn]] void unsupported(const RecordedLaunch &launch, const char *what) {
  raise(sycl::errc::feature_not_supported,
        fmt::format("the kernel {} uses {}, which this version does not support on {} yet",
                    launch.kernel->info().name, what, launch.device->runtime().description().name));
}

// The members in front of the buffer handle are the address of the first element, three ranges or
// ids of one to three words, and the access mode (include/lockstep/sycl/detail/buffer_elements.hpp).
// The number of dimensions is not known, but a size is never an address inside the buffer.
void place_accessor(std::vector<std::byte> &block, uint32_t handle, const runtime::Buffer &memory,
                    const std::byte *on_device) {
  const auto begin = reinterpret_cast<uint64_t>(memory.data());
  for (const uint32_t dimensions : {1, 2, 3}) {
    const uint32_t before = 16 + 24 * dimensions;
    if (handle < before)
      break;
    const uint64_t address = word_at(block, handle - before);
    if (address < begin || address - begin > memory.size())
      continue;
    const uint64_t placed = reinterpret_cast<uint64_t>(on_device) + (address - begin);
    std::memcpy(block.data() + handle - before, &placed, sizeof placed);
    return;
  }
  raise(sycl::errc::runtime, "an accessor in a function object has another layout than expected");
}

bool has_image_at(const RecordedLaunch &launch, std::size_t offset) {
  return std::ranges::find(launch.image_places, offset, &RecordedLaunch::ImagePlace::offset) !=
         launch.image_places.end();
}

// In the accessor of an image, the descriptor's address follows the buffer handle
// (include/lockstep/sycl/image_accessor.hpp).
bool is_of_image(const RecordedLaunch &launch, const AccessorPlace &handle) {
  return has_image_at(launch, handle.offset + sizeof(std::shared_ptr<void>));
}

void check_pointers(const runtime::MemorySpace *space, const RecordedLaunch &launch) {
  const runtime::Allocations &all = runtime::Allocations::instance();
  if (!all.any())
    return;
  for (std::size_t at = 0; at + sizeof(uint64_t) <= launch.block.size(); at += sizeof(uint64_t))
    if (const auto known = all.find(reinterpret_cast<const void *>(word_at(launch.block, at)));
        known && !known->memory->has_address_in(space))
      unsupported(launch, "a pointer to memory that was not allocated for the device's context");
}

// Whether the address is in the buffer of the accessor. An accessor of a part gives the address of
// the whole buffer: then the argument names no bytes, since the requirement names those of the part.
bool add_buffer_at(uint64_t address, const Requirement &one, int32_t argument,
                   runtime::Accesses &to) {
  const std::shared_ptr<runtime::Buffer> memory = one.buffer->state().memory();
  const uint64_t offset = address - reinterpret_cast<uint64_t>(memory->data());
  const std::size_t first = one.buffer->offset_in_root();
  if (offset < first || offset - first > one.buffer->bytes())
    return false;
  const bool is_whole = offset == one.begin;
  to.push_back({.memory = {memory, offset, is_whole ? one.end - one.begin : 0},
                .mode = is_whole ? one.mode : runtime::AccessMode::read,
                .argument = argument});
  return true;
}

// The memory that an argument of a kernel of another language points to: that of an accessor, an
// OpenCL memory object or an allocation. The launch places the address of a buffer.
void add_memory_of_argument(uint64_t address, const RecordedLaunch &launch,
                            const std::vector<Requirement> &requirements, int32_t argument,
                            runtime::Accesses &to) {
  for (const Requirement &one : requirements)
    if (add_buffer_at(address, one, argument, to))
      return;
  for (const std::shared_ptr<Buffer> &one : launch.memories) {
    const std::size_t begin = one->offset_in_root();
    if (add_buffer_at(address, {one, runtime::AccessMode::read_write, begin, begin + one->bytes()},
                      argument, to))
      return;
  }
  if (const auto known =
          runtime::Allocations::instance().find(reinterpret_cast<const void *>(address)))
    to.push_back(
        {.memory = {known->memory, 0, known->size()}, .argument = argument, .is_placed = true});
}

} // namespace

PlacedArguments arguments_in(const std::shared_ptr<runtime::MemorySpace> &space,
                             const RecordedLaunch &launch,
                             const std::vector<Requirement> &requirements) {
  check_pointers(space.get(), launch);
  PlacedArguments placed{launch.block, accesses_of(requirements)};
  std::vector<std::byte> &block = placed.block;
  if (!launch.in_image) { // the launch itself checks pointers that remain
    const std::vector<compiler::KernelArg> &args = launch.kernel->info().args;
    for (std::size_t i = 0; i < args.size(); ++i)
      if (args[i].kind == compiler::ArgKind::global_pointer ||
          args[i].kind == compiler::ArgKind::constant_pointer)
        if (const uint64_t address = word_at(block, args[i].offset))
          add_memory_of_argument(address, launch, requirements, int32_t(i), placed.memories);
    return placed;
  }
  for (const AccessorPlace &place : launch.in_image->accessors) {
    if (place.kind == AccessorPlace::Kind::image && !place.is_in_union &&
        word_at(block, place.offset) && !has_image_at(launch, place.offset))
      unsupported(launch, "an image of another command group");
    if (place.kind != AccessorPlace::Kind::buffer || is_of_image(launch, place))
      continue;
    for (const Requirement &one : requirements) {
      const sycl::detail::buffer_interface *handle = one.buffer.get();
      if (reinterpret_cast<uint64_t>(handle) != word_at(block, place.offset))
        continue;
      const std::shared_ptr<runtime::Buffer> memory = one.buffer->state().memory();
      place_accessor(block, place.offset, *memory, value_or_raise(memory->address_in(space)));
      break;
    }
  }
  return placed;
}

} // namespace lockstep::sycl_api
