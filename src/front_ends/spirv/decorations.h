// What decorations say about memory.
#pragma once

#include "front_ends/spirv/module/module.h"

#include "llvm/Support/Alignment.h"

namespace lockstep::compiler::spirv {

// The power of two in an Alignment decoration or memory operand. Absent: another number, which is
// ignored: LLVM 22 writes 128 as 4294967168.
std::optional<llvm::Align> alignment_from(uint32_t bytes);
// The decoration Alignment of an id.
std::optional<llvm::Align> alignment_of(const Module &module, Id id);

} // namespace lockstep::compiler::spirv
