// Which of the two memories that have an order each an access is to.
#pragma once

#include "compiler/check_abi.h"
#include "compiler/host_functions/address_space_query.h"
#include "runtime/check/checked_group.h"

#include <optional>

namespace lockstep::runtime {

inline constexpr int private_space = 0, global_space = 1, local_space = 3, generic_space = 4;

// Nothing for private memory, which nobody shares.
inline std::optional<unsigned> memory_of(const compiler::CheckSite &site, const void *address) {
  int space = int(site.address_space);
  if (space == generic_space)
    space = lockstep_address_space_of(address);
  if (space == local_space)
    return checked_local;
  return space == global_space ? std::optional(checked_global) : std::nullopt;
  static_assert(private_space == 0);
}

} // namespace lockstep::runtime
