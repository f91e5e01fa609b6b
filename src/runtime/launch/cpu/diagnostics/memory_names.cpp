#include "runtime/launch/cpu/diagnostics/memory_names.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::runtime {
namespace {

using compiler::ArgKind;
using compiler::KernelArg;

bool is_inside(const void *address, const void *begin, std::size_t size) {
  const auto a = reinterpret_cast<uintptr_t>(address), b = reinterpret_cast<uintptr_t>(begin);
  return a >= b && a - b < size;
}

// Element type: "int" for "atomic_int*", "int4*", "volatile int *".
std::string element_type(std::string type) {
  if (const auto star = type.find('*'); star != std::string::npos)
    type.resize(star);
  while (!type.empty() && type.back() == ' ')
    type.pop_back();
  if (const auto space = type.rfind(' ');
      space != std::string::npos && !type.starts_with("unsigned") && !type.starts_with("struct"))
    type.erase(0, space + 1);
  if (type.starts_with("atomic_"))
    type.erase(0, std::strlen("atomic_"));
  while (!type.empty() && type.back() >= '0' && type.back() <= '9')
    type.pop_back();
  return type;
}

std::string argument_text(std::size_t index, const KernelArg &arg) {
  return arg.name.empty() ? fmt::format("argument {}", index)
                          : fmt::format("argument {} '{}'", index, arg.name);
}

const char *kind_text(const KernelMemory &memory) {
  if (!memory.kind)
    return "buffer";
  switch (*memory.kind) {
  case AllocationKind::coarse_svm:
  case AllocationKind::fine_svm:
    return "SVM allocation";
  case AllocationKind::device:
    return "device allocation";
  case AllocationKind::host:
    return "host allocation";
  case AllocationKind::shared:
    return "shared allocation";
  case AllocationKind::buffer:
    break;
  }
  return "buffer";
}

template <class T> T from_block(const void *block, const KernelArg &arg) {
  T value{};
  std::memcpy(&value, static_cast<const std::byte *>(block) + arg.offset, sizeof value);
  return value;
}

} // namespace

std::string value_text(uint64_t bits, uint32_t size, const std::string &type) {
  struct Type {
    const char *name;
    enum Kind { is_signed, is_unsigned, is_floating } kind;
    uint32_t size;
  };
  static constexpr Type types[] = {{"char", Type::is_signed, 1},
                                   {"short", Type::is_signed, 2},
                                   {"int", Type::is_signed, 4},
                                   {"long", Type::is_signed, 8},
                                   {"intptr_t", Type::is_signed, 8},
                                   {"ptrdiff_t", Type::is_signed, 8},
                                   {"uchar", Type::is_unsigned, 1},
                                   {"ushort", Type::is_unsigned, 2},
                                   {"uint", Type::is_unsigned, 4},
                                   {"ulong", Type::is_unsigned, 8},
                                   {"size_t", Type::is_unsigned, 8},
                                   {"uintptr_t", Type::is_unsigned, 8},
                                   {"unsigned int", Type::is_unsigned, 4},
                                   {"unsigned long", Type::is_unsigned, 8},
                                   {"float", Type::is_floating, 4},
                                   {"double", Type::is_floating, 8}};
  const auto *known = std::find_if(std::begin(types), std::end(types), [&](const Type &entry) {
    return entry.name == type && entry.size == size;
  });
  const unsigned shift = size < 8 ? 64 - 8 * size : 0;
  const auto as_signed = int64_t(bits << shift) >> shift;
  if (known != std::end(types) && known->kind == Type::is_floating)
    return size == 4 ? fmt::format("{}", std::bit_cast<float>(uint32_t(bits)))
                     : fmt::format("{}", std::bit_cast<double>(bits));
  if (known != std::end(types) && known->kind == Type::is_signed)
    return fmt::format("{}", as_signed);
  if (known != std::end(types) || as_signed >= 0)
    return fmt::format("{}", bits);
  return fmt::format("{} ({} if it is signed)", bits, as_signed);
}

MemoryNames::MemoryNames(const ResumableLaunch &launch) : launch_(launch), view_(launch.view()) {}

MemoryNames::Named MemoryNames::of(const WaitSummary::Read &read) const {
  const auto *address = reinterpret_cast<const std::byte *>(read.address);
  Thing thing{fmt::format("address {:#x}", read.address), ""};
  if (read.is_local) {
    thing = local_memory(read.address);
  } else if (const auto memory = launch_.memory_at(address)) {
    thing = buffer(address, *memory);
  } else if (view_.inner->variables) {
    for (const compiler::ProgramVariable &variable : *view_.inner->variables)
      if (is_inside(address, variable.address, variable.size))
        thing = {variable.size == read.size
                     ? fmt::format("the program-scope variable '{}'", variable.name)
                     : fmt::format("byte {} of the program-scope variable '{}'",
                                   address - static_cast<const std::byte *>(variable.address),
                                   variable.name),
                 ""};
  }
  return {std::move(thing.name),
          read.size ? value_text(read.value, read.size, thing.type) : std::string()};
}

// The kernel's own variables come first, then local pointer arguments.
MemoryNames::Thing MemoryNames::local_memory(uint64_t offset) const {
  const auto &args = view_.kernel->args;
  std::size_t found = args.size();
  uint64_t begin = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].kind != ArgKind::local_pointer)
      continue;
    const auto at = from_block<uint64_t>(view_.launch->args, args[i]);
    if (at <= offset && (found == args.size() || at >= begin)) {
      found = i;
      begin = at;
    }
  }
  if (found == args.size())
    return {fmt::format("byte {} of the kernel's local variables", offset), ""};
  return {fmt::format("byte {} of the local memory that is {}", offset - begin,
                      argument_text(found, args[found])),
          element_type(args[found].type_name)};
}

// Several arguments may point to the same buffer, or to parts of it.
MemoryNames::Thing MemoryNames::buffer(const std::byte *address, const KernelMemory &memory) const {
  std::string names, type;
  bool has_one_type = true;
  for (std::size_t i = 0; i < view_.kernel->args.size(); ++i) {
    const KernelArg &arg = view_.kernel->args[i];
    if (arg.kind != ArgKind::global_pointer ||
        !is_inside(from_block<const std::byte *>(view_.launch->args, arg), memory.begin,
                   std::max<std::size_t>(memory.size, 1)))
      continue;
    const std::string own_type = element_type(arg.type_name);
    has_one_type &= names.empty() || own_type == type;
    type = own_type;
    names += (names.empty() ? "" : " or ") + argument_text(i, arg);
  }
  const std::string place =
      memory.size == 0 ? fmt::format("address {} of the host", fmt::ptr(address))
                       : fmt::format("byte {} of the {} of {} bytes", address - memory.begin,
                                     kind_text(memory), memory.size);
  return {fmt::format("{}{}{}", place, names.empty() ? "" : " that is ", names),
          has_one_type ? type : ""};
}

} // namespace lockstep::runtime
