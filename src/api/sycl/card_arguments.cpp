#include "api/sycl/card_arguments.h"

#include "api/sycl/buffer.h"
#include "api/sycl/error.h"
#include "runtime/memory/allocations.h"

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

void check_pointers(const runtime::MemorySpace *space, const RecordedLaunch &launch) {
  const runtime::Allocations &all = runtime::Allocations::instance();
  if (!all.any())
    return;
  for (std::size_t at = 0; at + sizeof(uint64_t) <= launch.block.size(); at += sizeof(uint64_t))
    if (const auto known = all.find(reinterpret_cast<const void *>(word_at(launch.block, at)));
        known && !known->memory->has_address_in(space))
      unsupported(launch, "a pointer to memory that was not allocated for the device's context");
}

} // namespace

std::vector<std::byte> block_in(const std::shared_ptr<runtime::MemorySpace> &space,
                                const RecordedLaunch &launch,
                                const std::vector<Requirement> &requirements) {
  check_pointers(space.get(), launch);
  std::vector<std::byte> block = launch.block;
  if (!launch.in_image)
    return block; // the launch itself checks the arguments of kernels of other languages
  if (!launch.in_image->globals.empty())
    unsupported(launch, "device_global variables");
  for (const AccessorPlace &place : launch.in_image->accessors) {
    if (place.kind == AccessorPlace::Kind::image && word_at(block, place.offset))
      unsupported(launch, "images");
    if (place.kind != AccessorPlace::Kind::buffer)
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
  return block;
}

} // namespace lockstep::sycl_api
