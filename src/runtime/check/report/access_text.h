// Names of accesses in reports, and keys of source places.
#pragma once

#include "abi/check_abi.h"

#include <cstdint>
#include <functional>
#include <string_view>

namespace lockstep::runtime {

inline const char *name_of(compiler::AccessKind kind) {
  using compiler::AccessKind;
  switch (kind) {
  case AccessKind::read:
    return "read";
  case AccessKind::write:
    return "write";
  case AccessKind::atomic_read:
    return "atomic read";
  case AccessKind::atomic_write:
    return "atomic write";
  case AccessKind::copy_read:
    return "copy from";
  case AccessKind::copy_write:
    return "copy to";
  case AccessKind::packets_written:
  case AccessKind::packets_read:
    return "commit";
  default:
    return "atomic update";
  }
}

// Identifies a source place: the compiler may make several accesses of one place. Without a line
// the key is `otherwise`. The text of the line distinguishes places of programs without a file
// name.
inline uint64_t key_of_location(std::string_view file, const compiler::CheckSite &site,
                                uint64_t otherwise) {
  if (site.line == 0)
    return otherwise;
  constexpr std::hash<std::string_view> hash;
  return hash(file) ^ (site.text ? hash(site.text) : 0) ^
         (uint64_t(site.line) << 24 | site.column) * 0x9e3779b97f4a7c15u;
}

} // namespace lockstep::runtime
