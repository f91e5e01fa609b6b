#include "runtime/device/kernel.h"

#include <algorithm>

namespace lockstep::runtime {

AccessMode access_mode_of(const compiler::KernelArg &argument) {
  const auto &qualifiers = argument.type_qualifiers;
  const bool is_const =
      argument.kind == compiler::ArgKind::constant_pointer ||
      std::find(qualifiers.begin(), qualifiers.end(), "const") != qualifiers.end();
  return is_const ? AccessMode::read : AccessMode::read_write;
}

} // namespace lockstep::runtime
