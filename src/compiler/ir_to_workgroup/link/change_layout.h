// Gives a module the data layout of another target, and leaves everything in memory where the source has it.
//
// The host aligns integers of more than 64 bits otherwise than spir64. Clang makes such of bit-fields that follow each
// other in a packed structure, and host and kernel must agree on where the next member is. So addresses into types that
// differ are written in bytes, variables of such types get a type that has its members at the same places under both, and
// loads and stores of such types as values are those of their members.
#pragma once

namespace llvm {
class DataLayout;
class Module;
} // namespace llvm

namespace lockstep::compiler {

void change_layout(llvm::Module &module, const llvm::DataLayout &after);

} // namespace lockstep::compiler
