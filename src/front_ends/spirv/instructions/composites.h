// The parts of composite types.
#pragma once

#include "front_ends/spirv/types.h"

namespace lockstep::compiler::spirv {

// The type of a member, element or component. Null: there is no such part.
const Type *part_type(const Type &type, uint64_t index);

} // namespace lockstep::compiler::spirv
