#include "runtime/launch/cpu/diagnostics/fault_place.h"

#include "runtime/device/launch_names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace lockstep::runtime {
namespace {

// An address may be at least this far from a memory object, and still be reported relative to it.
constexpr std::size_t least_reach = std::size_t{1} << 20;

struct Near {
  SharedMemory memory;
  std::size_t distance =
      ~std::size_t{0}; // from the end to the address, or from the address to the begin
  bool is_behind = false;
};

void consider(Near &nearest, const SharedMemory &memory, uintptr_t address) {
  const uintptr_t end = memory.begin + memory.size;
  const bool is_behind = address >= end;
  const std::size_t distance = is_behind ? address - end : memory.begin - address;
  if ((!is_behind && address >= memory.begin) || distance >= nearest.distance ||
      distance >= std::max(memory.size, least_reach))
    return;
  nearest = {memory, distance, is_behind};
}

uintptr_t word_at(const void *block, std::size_t byte) {
  uintptr_t word = 0;
  std::memcpy(&word, static_cast<const std::byte *>(block) + byte, sizeof word);
  return word;
}

// The arguments of OpenCL C that point there, or the variable that a SYCL lambda has captured.
std::string names_of(const SharedMemory &memory, const compiler::KernelInfo &kernel,
                     const void *block, std::span<const Access> accesses) {
  if (is_sycl(kernel)) {
    const auto *member = Captured(kernel, block, accesses).leading_to(memory);
    return member ? Captured::text_of(*member) : "";
  }
  std::string names;
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    const compiler::KernelArg &arg = kernel.args[i];
    if (arg.kind == compiler::ArgKind::global_pointer &&
        word_at(block, arg.offset) - memory.begin < std::max<std::size_t>(memory.size, 1))
      names += fmt::format("{}argument {}{}", names.empty() ? "" : " or ", i,
                           arg.name.empty() ? "" : " '" + arg.name + "'");
  }
  return names;
}

} // namespace

std::string place_of_fault(uintptr_t address, const compiler::KernelInfo &kernel, const void *block,
                           std::span<const Access> accesses) {
  Near nearest;
  for (const Access &access : accesses)
    if (const auto &buffer = access.memory.buffer())
      if (const auto memory =
              shared_memory_at(reinterpret_cast<uintptr_t>(buffer->root().data()), accesses))
        consider(nearest, *memory, address);
  for (std::size_t byte = 0; byte + sizeof(uintptr_t) <= kernel.argument_block_size;
       byte += sizeof(uintptr_t))
    if (const auto memory = shared_memory_at(word_at(block, byte), accesses))
      consider(nearest, *memory, address);
  if (nearest.distance == ~std::size_t{0})
    return "";
  const std::string names = names_of(nearest.memory, kernel, block, accesses);
  return fmt::format(", {} bytes {} of {}{}", nearest.distance,
                     nearest.is_behind ? "behind the end" : "before the begin", nearest.memory.text,
                     names.empty() ? "" : " (" + names + ")");
}

} // namespace lockstep::runtime
