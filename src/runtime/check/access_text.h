// Accesses as reports name them, and places of the source as they are told apart.
#pragma once

#include "compiler/check_abi.h"

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

// The compiler may have made several accesses of one place. Without a line, by `otherwise`. Places of programs without a name are
// told apart by the text of their lines.
inline uint64_t key_of_place(std::string_view file, const compiler::CheckSite &site,
                             uint64_t otherwise) {
  if (site.line == 0)
    return otherwise;
  constexpr std::hash<std::string_view> hash;
  return hash(file) ^ (site.text ? hash(site.text) : 0) ^
         (uint64_t(site.line) << 24 | site.column) * 0x9e3779b97f4a7c15u;
}

} // namespace lockstep::runtime
