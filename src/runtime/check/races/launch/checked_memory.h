// Classifies an access by memory: global and local memory are ordered separately.
#pragma once

#include "abi/address_spaces.h"
#include "abi/check_abi.h"
#include "back_ends/cpu/host_functions/address_space_query.h"
#include "runtime/check/races/launch/checked_group.h"

#include <optional>

namespace lockstep::runtime {

// Returns nothing for private memory, which work-items do not share.
inline std::optional<unsigned> memory_of(const compiler::CheckSite &site, const void *address) {
  unsigned space = site.address_space;
  if (space == compiler::generic_space)
    space = unsigned(lockstep_address_space_of(address));
  if (space == compiler::local_space)
    return checked_local;
  return space == compiler::global_space ? std::optional(checked_global) : std::nullopt;
  static_assert(compiler::private_space == 0);
}

} // namespace lockstep::runtime
