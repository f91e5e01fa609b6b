#include "runtime/device/kernel.h"

#include "kernel_ir/source_facts.h"

#include <algorithm>

namespace lockstep::runtime {

bool is_declared_const(const compiler::KernelArg &argument) {
  return argument.kind == compiler::ArgKind::constant_pointer ||
         std::ranges::find(argument.type_qualifiers, "const") != argument.type_qualifiers.end();
}

AccessMode access_mode_of(const compiler::KernelArg &argument) {
  const auto &qualifiers = argument.type_qualifiers;
  const bool only_reads =
      is_declared_const(argument) &&
      std::ranges::find(qualifiers, compiler::may_be_written) == qualifiers.end();
  return only_reads ? AccessMode::read : AccessMode::read_write;
}

} // namespace lockstep::runtime
