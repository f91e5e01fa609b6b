// The disk cache's entry for a compiled kernel.
#pragma once

#include "abi/kernel_facts.h"

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::compiler {

struct ObjectEntry {
  // An object file that defines workgroup_symbol, or the symbols of the coroutine form.
  std::string object;
  KernelFacts facts;
};

std::string write_object_entry(const ObjectEntry &entry);
std::optional<ObjectEntry> read_object_entry(std::string_view content); // nothing: damaged

} // namespace lockstep::compiler
