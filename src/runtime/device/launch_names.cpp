#include "runtime/device/launch_names.h"

#include "runtime/device/kernel.h"

#include "runtime/memory/access.h"
#include "runtime/memory/allocations.h"

#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

namespace lockstep::runtime {

static const char *maker_of(AllocationKind kind) {
  switch (kind) {
  case AllocationKind::device:
    return " (malloc_device)";
  case AllocationKind::host:
    return " (malloc_host)";
  case AllocationKind::shared:
    return " (malloc_shared)";
  default:
    return "";
  }
}

std::optional<SharedMemory> shared_memory_at(uintptr_t address, std::span<const Access> accesses) {
  for (const Access &access : accesses)
    if (const auto &buffer = access.memory.buffer()) {
      const Buffer &whole = buffer->root();
      const auto begin = reinterpret_cast<uintptr_t>(whole.data());
      if (address - begin < whole.size())
        return SharedMemory{begin, whole.size(), fmt::format("a buffer of {} bytes", whole.size())};
    }
  const auto known = Allocations::instance().find(reinterpret_cast<const void *>(address));
  if (!known)
    return std::nullopt;
  return SharedMemory{
      reinterpret_cast<uintptr_t>(known->begin()), known->size(),
      fmt::format("an allocation of {} bytes{}", known->size(), maker_of(known->kind))};
}

std::string name_of_access(const Launch &launch, const Access &access) {
  const compiler::KernelInfo &kernel = launch.kernel();
  const auto argument = std::size_t(access.argument);
  if (access.argument >= 0 && argument < kernel.args.size() && !kernel.args[argument].name.empty())
    return fmt::format("'{}'", kernel.args[argument].name);
  if (!launch.argument_block() || kernel.members.empty())
    return "";
  const auto memory =
      shared_memory_at(reinterpret_cast<uintptr_t>(access.memory.data()), launch.accesses());
  const compiler::FunctionMember *member =
      memory ? Captured(kernel, launch.argument_block(), launch.accesses()).leading_to(*memory)
             : nullptr;
  return member ? Captured::text_of(*member) : "";
}

uintptr_t Captured::word_at(std::size_t byte) const {
  uintptr_t word = 0;
  if (!kernel_.args.empty() && byte + sizeof word <= kernel_.args.front().size)
    std::memcpy(&word, block_ + kernel_.args.front().offset + byte, sizeof word);
  return word;
}

const compiler::FunctionMember *Captured::at(uint32_t site_member) const {
  for (const compiler::FunctionMember &each : kernel_.members)
    if (site_member != 0 && site_member - 1 - each.offset < each.size)
      return &each;
  return nullptr;
}

uintptr_t Captured::pointer_at(uint32_t site_member) const {
  return site_member == 0 ? 0 : word_at(site_member - 1);
}

const compiler::FunctionMember *Captured::leading_to(const SharedMemory &memory) const {
  const compiler::FunctionMember *found = nullptr;
  for (const compiler::FunctionMember &each : kernel_.members) {
    bool leads_there = false;
    for (std::size_t byte = each.offset; byte + sizeof(uintptr_t) <= each.offset + each.size;
         byte += sizeof(uintptr_t))
      leads_there |= word_at(byte) - memory.begin < memory.size;
    if (!leads_there)
      continue;
    if (found)
      return nullptr;
    found = &each;
  }
  return found;
}

std::string Captured::text_of(const compiler::FunctionMember &member) {
  return fmt::format("{}'{}'", member.kind.ends_with("accessor") ? member.kind + " " : "",
                     member.name);
}

std::string Captured::with_names(std::string text) const {
  constexpr std::string_view mark = "'#";
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    const std::size_t end = text.find('\'', at + mark.size());
    uint32_t byte = 0;
    std::from_chars(text.data() + at + mark.size(), text.data() + end, byte);
    const compiler::FunctionMember *member = this->at(byte + 1);
    const std::string name = member ? text_of(*member) : std::string();
    std::size_t first = at, last = std::min(end, text.size() - 1) + 1;
    if (name.empty()) { // removes the adjacent comma, too
      if (text.compare(last, 2, ", ") == 0)
        last += 2;
      else if (first >= 2 && text.compare(first - 2, 2, ", ") == 0)
        first -= 2;
    }
    text.replace(first, last - first, name);
    at = first + name.size();
  }
  return text;
}

} // namespace lockstep::runtime
